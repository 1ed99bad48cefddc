"""Topic "banks"."""
