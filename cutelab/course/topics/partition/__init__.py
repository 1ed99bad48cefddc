"""Topic "partition"."""
