"""How few modes does a list of offsets need?"""

from __future__ import annotations

from collections.abc import Sequence


def fewest_modes(offsets: Sequence[int]) -> int | None:
    """The fewest modes of a layout with these offsets in its 1-D order; None if no layout has them.

    A mode of extent s and stride d repeats what stands before it s times, d further each time. So the last mode is one of the
    divisors of the length, and the rest is a shorter list. All divisors are tried.

    >>> fewest_modes([0, 3, 6, 9]), fewest_modes([0, 1, 8, 9]), fewest_modes([0, 1, 3, 4, 6, 7]), fewest_modes([0, 1, 3])
    (1, 2, 2, None)
    """
    values = list(offsets)
    if not values or values[0] != 0:
        return None
    n, best = len(values), None
    if n == 1:
        return 1
    for inner in range(1, n):
        extent, rest = divmod(n, inner)
        if rest:
            continue
        step = values[inner]
        if all(values[k * inner + i] == values[i] + k * step for k in range(extent) for i in range(inner)):
            below = 0 if inner == 1 else fewest_modes(values[:inner])
            if below is not None and (best is None or below + 1 < best):
                best = below + 1
    return best
