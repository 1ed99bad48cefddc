"""Topic "tensor_core"."""
