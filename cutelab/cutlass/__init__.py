"""CUTLASS's own classes: thread maps, matrix layouts, atoms, thread-value layouts."""
