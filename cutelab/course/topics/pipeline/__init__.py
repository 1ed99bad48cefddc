"""Topic "pipeline"."""
