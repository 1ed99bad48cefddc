"""Statements about CUTLASS and CuTe that are in print, and what the library finds about each of them."""
