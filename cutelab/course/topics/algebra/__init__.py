"""Topic "algebra"."""
