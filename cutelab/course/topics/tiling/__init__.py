"""Topic "tiling"."""
