"""The memory model under its older name: `cutelab.hardware` says what it is and how it was measured."""

from cutelab.hardware import Sectors, WarpAccess, Wavefronts, sectors, wavefronts

__all__ = ["Sectors", "WarpAccess", "Wavefronts", "sectors", "wavefronts"]
