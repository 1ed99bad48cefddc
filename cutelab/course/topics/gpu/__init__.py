"""Topic "start"."""
