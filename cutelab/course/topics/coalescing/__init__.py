"""Topic "coalescing"."""
