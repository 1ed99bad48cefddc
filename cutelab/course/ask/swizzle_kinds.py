"""The kinds of exercises whose answer is a swizzle: by its name, or by what it does for a tile."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cutelab import ComposedLayout, Layout, Swizzle, TileAccess, WarpAccess, offsets, parse_swizzle, wavefronts
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import is_int
from cutelab.course.ask.diagnose import Diagnosis
from cutelab.course.ask.reading import describe, is_starter, plain, read_tuple, tidy

FORM = 'a swizzle, such as "Sw<3,4,3>" or Swizzle(3, 4, 3)'


def read_swizzle(answer: Any) -> Swizzle:
    """The swizzle of an answer: a Swizzle, its text, its three numbers, or a layout that begins with it.

    >>> print(*map(read_swizzle, ((4, 0, 5), "4,0,5", "Swizzle<4,0,5>{};", "Sw<4,0,5> o 0 o (32,16):(16,1)")))
    Sw<4,0,5> Sw<4,0,5> Sw<4,0,5> Sw<4,0,5>
    """
    if isinstance(answer, Swizzle):
        return answer
    if isinstance(answer, ComposedLayout) and isinstance(answer.outer, Swizzle):
        return answer.outer
    if isinstance(answer, str):
        text = tidy(answer)
        named = re.match(r"(?:composition\s*\(\s*)?(S|Sw|Swizzle)\s*[<(]([^<>()]*)[>)]", text, re.IGNORECASE)
        numbers = read_tuple(named[2] if named else text)
        if not isinstance(numbers, tuple):
            return parse_swizzle(text)
        answer = numbers
    value = plain(answer)
    if not (isinstance(value, tuple) and len(value) == 3 and all(map(is_int, value))):
        raise CuteLabError(f"The answer must be {FORM}; yours is {describe(answer)}.")
    return Swizzle(*value)


@dataclass(frozen=True)
class SwizzleName:
    """A swizzle, by its three numbers. `element_bytes`: it is asked for in elements of this size, and given in bytes."""

    element_bytes: int = 1

    @property
    def form(self) -> str:
        return FORM

    def untouched(self, answer: Any) -> bool:
        return is_starter(answer)

    def read(self, answer: Any, seed: str = "") -> Swizzle:
        return read_swizzle(answer)

    def read_right(self, right: Callable[..., Any], seed: str = "") -> Swizzle:
        return self.read(right())

    def diagnose(self, mine: Swizzle, right: Swizzle, told: bool) -> Diagnosis:
        names = [n for n in ("bits", "base", "shift") if getattr(mine, n) != getattr(right, n)]
        letters = {"bits": "B", "base": "M", "shift": "S"}
        listed = " and ".join(f"{letters[n]} ({n})" for n in names)
        where = f"Yours is {mine}: {listed} {'differs' if len(names) == 1 else 'differ'}."
        if told:
            where += f" {letters[names[0]]} is {getattr(right, names[0])}."
        return Diagnosis(self._named(mine, right, names), where)

    def _named(self, mine: Swizzle, right: Swizzle, names: list[str]) -> str:
        bytes_base = right.base + (self.element_bytes.bit_length() - 1)
        fall = bytes_base - mine.base
        if sorted((mine.bits, mine.base, mine.shift)) == sorted((right.bits, right.base, right.shift)):
            return "the right three numbers in another order: B (bits), M (base), S (shift)."
        if names == ["shift"] and mine.shift == -right.shift:
            return "S has the other sign: its direction does not change with the unit."
        if names == ["base"] and 0 <= fall <= 6:
            unit = "bytes" if fall == 0 else f"elements of {2**fall} bytes"
            return f"B and S are right; with this M it would be a swizzle on {unit}."
        if names == ["base"]:
            return "B and S are right; M is a bit number, and a larger unit has fewer bits below it."
        if "bits" in names and "base" not in names:
            return "M is right; B is how many bits are changed: that does not depend on the unit."
        if "shift" in names and "base" not in names:
            return "M is right; S is a distance between bits: it does not depend on the unit."
        if "bits" in names:
            return "B is how many bits are changed: it does not depend on the unit; only M is a bit number."
        return "S is a distance between bits: it does not depend on the unit; only M is a bit number."


@dataclass(frozen=True, eq=False)
class Effect:
    """What a swizzle does to the accesses of a tile. All that are free of conflicts are equal; others by their map.

    meeting  which lanes still meet in which bank, in the first access that is not ideal
    """

    swizzle: Swizzle
    wavefronts: int | None  # None: a lane's bytes are taken apart
    ideal: int
    table: np.ndarray
    meeting: str = field(default="", compare=False)
    only_exact = True  # what was written for one swizzle is not true of another one with the same effect

    @property
    def text(self) -> str:
        return str(self.swizzle)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Effect):
            return NotImplemented
        best = self.wavefronts == self.ideal and other.wavefronts == other.ideal
        return best or bool((self.table == other.table).all())


@dataclass(frozen=True)
class SwizzleFor:
    """A swizzle on elements for a row-major tile: every one that makes these accesses ideal is a right answer."""

    rows: int
    cols: int
    element_bytes: int
    accesses: tuple[TileAccess, ...]

    @property
    def form(self) -> str:
        return FORM + ", on elements"

    def untouched(self, answer: Any) -> bool:
        return is_starter(answer)

    def read(self, answer: Any, seed: str = "") -> Effect:
        swizzle = read_swizzle(answer)
        table: np.ndarray = np.asarray(swizzle(offsets(Layout((self.rows, self.cols), (self.cols, 1)))))
        total, ideal, meeting = 0, 0, ""
        for access in self.accesses:
            vector = access.access_bytes // self.element_bytes
            first = table[access.row, access.col]
            pieces = table[access.row[..., None], access.col[..., None] + np.arange(vector)]
            if (first % vector).any() or (pieces != first[..., None] + np.arange(vector)).any():
                return Effect(swizzle, None, 1, table)
            found = wavefronts(WarpAccess(first * self.element_bytes, access.access_bytes, access.kind, access.active))
            total, ideal = total + int(np.sum(found.count)), ideal + int(np.sum(found.ideal))
            if not meeting and int(np.sum(found.excess)):
                meeting = self._meeting(access, first)
        return Effect(swizzle, total, ideal, table, meeting)

    def _meeting(self, access: TileAccess, first: np.ndarray) -> str:
        """Lanes that go together and meet in one bank, with other words: which, and in which rows."""
        row = np.broadcast_to(access.row, first.shape).reshape(-1, 32)
        active = np.broadcast_to(access.active, first.shape).reshape(-1, 32)
        byte = (first * self.element_bytes).reshape(-1, 32)
        of = f" of the {access.kind}" if len(self.accesses) > 1 else ""
        for k in range(len(byte)):
            one = wavefronts(WarpAccess(byte[k], access.access_bytes, access.kind, active[k]))
            if not one.excess:
                continue
            for group in range(int(one.groups.max()) + 1):
                lanes = np.flatnonzero(one.groups == group)
                banks, words = one.banks[lanes, 0], one.words[lanes, 0]
                for bank in np.unique(banks):
                    here = lanes[banks == bank]
                    if len(np.unique(words[banks == bank])) > 1:
                        rows = ", ".join(map(str, dict.fromkeys(row[k, here].tolist())))
                        shown = ", ".join(map(str, here[:8].tolist())) + (" ..." if len(here) > 8 else "")
                        return f"lanes {shown} (rows {rows}){of} still meet in bank {bank}"
        return ""

    def read_right(self, right: Callable[..., Any], seed: str = "") -> Effect:
        return self.read(right())

    def diagnose(self, mine: Effect, right: Effect, told: bool) -> Diagnosis:
        swizzle = mine.swizzle
        if mine.wavefronts is None:
            vector = max(a.access_bytes for a in self.accesses) // self.element_bytes
            low = vector.bit_length() - 1
            named = (
                f"this takes the {vector} elements of one lane's access apart: bits 0 to {low - 1} of the offset must stay, "
                f"so M is at least {low}."
            )
            return Diagnosis(named, f"With {swizzle} the bytes of one lane no longer lie in one piece.")
        count = len(self.accesses)
        several = (
            ""
            if count == 1
            else " for both accesses together,"
            if count == 2
            else f" for all {count} accesses together,"
        )
        cost = f"{mine.wavefronts} wavefronts{several} where {mine.ideal} would do."
        where = f"With {swizzle} {mine.meeting}: {cost}" if mine.meeting else f"With {swizzle}: {cost}"
        return Diagnosis(self._named(swizzle), where)

    def _named(self, swizzle: Swizzle) -> str:
        top = (self.rows * self.cols - 1).bit_length()
        source = swizzle.base + max(0, swizzle.shift)
        bits = swizzle.bits
        if bits == 0:
            return "B is 0: this moves nothing."
        if source >= top:
            return f"this moves nothing: its source begins at bit {source}, and offsets of this tile have bits 0 to {top - 1}."
        if swizzle.shift < 0:
            return f"S is negative: this changes bits {swizzle.base - swizzle.shift} and up by the lower ones, and so the row."
        target = range(swizzle.base, swizzle.base + bits)
        taken = range(source, source + bits)
        bank_bits = (128 // self.element_bytes).bit_length() - 1
        row_bits = range((self.cols - 1).bit_length(), top)
        if target[0] >= bank_bits:
            return f"this changes {_span(target)}: the bank is bits up to {bank_bits - 1} only, so no bank changes."
        missing = [b for b in row_bits if b >= bank_bits and b not in taken]
        if missing and all(b in taken or b in missing for b in row_bits if b >= bank_bits):
            return (
                f"this takes {_span(taken)}; bit{'s' if len(missing) > 1 else ''} {', '.join(map(str, missing))} of the "
                f"offset, which the row sets above the bank, {'are' if len(missing) > 1 else 'is'} left out."
            )
        return f"this brings {_span(taken)} to {_span(target)}: that does not spread all lanes over the banks."


def _span(bits: range) -> str:
    return f"bits {bits[0]} to {bits[-1]}" if len(bits) > 1 else f"bit {bits[0]}"
