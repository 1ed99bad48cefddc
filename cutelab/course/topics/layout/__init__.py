"""Topic "layout"."""
