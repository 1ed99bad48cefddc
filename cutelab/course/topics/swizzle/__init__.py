"""Topic "swizzle"."""
