"""Topic "thread_map"."""
