"""Topic "strips"."""
