"""Unknowns: a text with open numbers, `?` or a runtime type. It names each, and gives the object once they have values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int
from cutelab.core.notation import Hole, Parsed


@dataclass(frozen=True)
class Unknowns:
    """Which numbers does a text leave open? Call it with their values, in this order, and it gives the object.

    holes    each with its name ("shape 0"), and a divisor where the text says that it is a multiple
    text     as it was written: reading it gives the same again

    >>> from cutelab.cutlass.reading import read
    >>> found = read("(?,64):(64,1)")
    >>> [hole.name for hole in found.holes], found(128)
    (['shape 0'], Layout('(128,64):(64,1)'))
    """

    holes: tuple[Hole, ...]
    text: str
    build: Callable[[tuple[int, ...]], Any] = field(repr=False, compare=False)

    def __call__(self, *values: int) -> Any:
        """The object with these values for the open numbers."""
        if len(values) != len(self.holes):
            names = ", ".join(hole.name for hole in self.holes)
            raise CuteLabError(f"{len(self.holes)} numbers are open ({names[:120]}), got {len(values)}")
        for value, hole in zip(values, self.holes, strict=True):
            if not is_int(value) or (value < 1 and hole.name.startswith("shape")):
                raise CuteLabError(
                    f"{hole.name} must be a whole number{' of 1 or more' if 'shape' in hole.name else ''}, got {shown(value)}"[
                        :200
                    ]
                )
            if value % hole.divisor:
                raise CuteLabError(f"{hole.name} is a multiple of {hole.divisor}, as the text says; got {value}")
        return self.build(tuple(int(v) for v in values))

    def __str__(self) -> str:
        return self.text


def named(parsed: Parsed) -> tuple[Hole, ...]:
    """The holes of a parsed layout, named by where they stand."""
    return tuple(
        replace(hole, name=f"{what} {'.'.join(map(str, path))}".strip())
        for what, value in (("shape", parsed.shape), ("stride", parsed.stride))
        for path, hole in _holes(value, ())
    )


def _holes(value: Any, path: tuple[int, ...]) -> list[tuple[tuple[int, ...], Hole]]:
    if isinstance(value, tuple):
        return [found for i, v in enumerate(value) for found in _holes(v, (*path, i))]
    return [(path, value)] if isinstance(value, Hole) else []


def filled(value: Any, values: list[int]) -> Any:
    """The same with the holes replaced, from left to right; takes from `values`."""
    if isinstance(value, tuple):
        return tuple(filled(v, values) for v in value)
    return values.pop(0) if isinstance(value, Hole) else value
