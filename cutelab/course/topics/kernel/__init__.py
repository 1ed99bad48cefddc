"""Topic "kernel"."""
