"""Every colour of the pictures, by name and by scale. The numbers are in `palettes.json`, beside this file.

Thirty-two banks: hue is bank div 4 (a 16-byte chunk), shade is (bank mod 4 + bank div 8) mod 4. Eight categories. Thirty-two
steps of offset, pale to blue. The frame: ink, paper, muted text, and the fills of verdicts and states.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType

from cutelab.core.errors import CuteLabError
from cutelab.course.card.picture import FRAME as POSITIONS

_DATA = json.loads(files("cutelab.course.card.paint").joinpath("palettes.json").read_text(encoding="utf-8"))

FRAME = MappingProxyType(_DATA["frame"])
"""Name to hex colour: ink, white, paper, muted, rule, faint, hatch, mark, good, good_fill, bad, bad_fill, note, note_fill, accent."""

_SCALES = MappingProxyType(
    {
        "bank": tuple((b["fill"], b["ink"]) for b in _DATA["banks"]),
        "category": tuple((c["fill"], c["ink"]) for c in _DATA["categories"]),
        "offset": tuple((fill, _DATA["offsets"]["ink"]) for fill in _DATA["offsets"]["fills"]),
        "frame": tuple((FRAME[n], FRAME["white" if n in ("muted", "ink", "accent") else "ink"]) for n in POSITIONS),
    }
)


@lru_cache(maxsize=8)
def scale_colours(scale: str) -> tuple[tuple[str, str], ...]:
    """Which (fill, ink) has each number of a scale? The last entry is paper, so that -1 finds it.

    >>> len(scale_colours("bank")), scale_colours("bank")[-1]
    (33, ('#fbfaf7', '#16202c'))
    """
    if scale not in _SCALES:
        raise CuteLabError(f"there is no scale {scale!r}; the scales are {', '.join(_SCALES)}")
    return (*_SCALES[scale], (FRAME["paper"], FRAME["ink"]))


def fill_and_ink(scale: str, index: int) -> tuple[str, str]:
    """Which fill has this number, and which ink is legible on it? Hex colours.

    -1 is paper on every scale; categories repeat after eight. Any other number outside the scale raises CuteLabError.

    >>> fill_and_ink("bank", 3)
    ('#b34a5d', '#ffffff')
    >>> fill_and_ink("category", 9) == fill_and_ink("category", 1)
    True
    >>> fill_and_ink("offset", -1)
    ('#fbfaf7', '#16202c')
    """
    colours = scale_colours(scale)
    last = len(colours) - 2
    if scale == "category" and index >= 0:
        index %= last + 1
    if not -1 <= index <= last:
        raise CuteLabError(f"the scale {scale!r} has the fills 0 to {last} and -1 for paper; there is no fill {index}")
    return colours[index]
