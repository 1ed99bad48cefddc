"""Layouts and swizzles, their coordinates, their notation. Numbers only; numpy is all it needs."""
