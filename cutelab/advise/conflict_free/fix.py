"""Fix: one padding or swizzle that `conflict_free` tried, with its price and its text."""

from __future__ import annotations

from dataclasses import dataclass, field

from cutelab.core.composed import ComposedLayout
from cutelab.core.layout import Layout
from cutelab.core.swizzle import Swizzle
from cutelab.hardware.chip import H200, Chip


@dataclass(frozen=True)
class Fix:
    """What does this padding or swizzle do for the accesses, what does it cost, and how is it written?

    wavefronts, ideal  summed over all accesses; per_access: the wavefronts of each
    ways               the worst group of lanes ("n-way"); 1 means free of conflicts
    extra_bytes        memory beyond rows * cols elements
    given              the wavefronts of the tile as given; None when its rows are not aligned for these accesses
    """

    rows: int
    cols: int
    element_bytes: int
    pitch: int
    swizzle: Swizzle | None
    wavefronts: int
    ideal: int
    ways: int
    per_access: tuple[int, ...]
    extra_bytes: int
    given: int | None
    best_of_bad: bool = False
    chip: Chip = field(default=H200, kw_only=True)

    @property
    def kind(self) -> str:
        """Is this a "swizzle", a "padding", or the tile "as given"?"""
        if self.swizzle is not None:
            return "swizzle"
        return "padding" if self.pitch > self.cols else "as given"

    @property
    def free(self) -> bool:
        """Is it free of bank conflicts: do no two words of lanes that go together meet in a bank?"""
        return self.ways == 1

    @property
    def name(self) -> str:
        """Its short name: `pitch 33`, `Sw<5,0,5>`, `as given`. The swizzle counts elements."""
        if self.swizzle is not None:
            return str(self.swizzle)
        return f"pitch {self.pitch}" if self.pitch > self.cols else "as given"

    @property
    def layout(self) -> Layout | ComposedLayout:
        """The layout of the tile with the fix applied: (row, col) to element offset."""
        base = Layout((self.rows, self.cols), (self.pitch, 1))
        return base if self.swizzle is None else ComposedLayout(self.swizzle, 0, base)

    @property
    def cute(self) -> str:
        """The layout as CuTe prints it; `parse_layout` reads it. Offsets count elements.

        >>> Fix(32, 32, 4, 32, Swizzle(5, 0, 5), 1, 1, 1, (1,), 0, 32).cute
        'Sw<5,0,5> o 0 o (32,32):(32,1)'
        """
        return str(self.layout)

    @property
    def cpp(self) -> str:
        """The layout in CuTe C++. Offsets count elements.

        >>> Fix(32, 32, 4, 33, None, 1, 1, 1, (1,), 128, 32).cpp
        'Layout<Shape<Int<32>, Int<32>>, Stride<Int<33>, Int<1>>>{}'
        >>> Fix(32, 8, 4, 8, Swizzle(3, 0, 5), 1, 1, 1, (1,), 0, 8).cpp
        'composition(Swizzle<3,0,5>{}, Layout<Shape<Int<32>, Int<8>>, Stride<Int<8>, Int<1>>>{})'
        """
        base = f"Layout<Shape<Int<{self.rows}>, Int<{self.cols}>>, Stride<Int<{self.pitch}>, Int<1>>>{{}}"
        if self.swizzle is None:
            return base
        s = self.swizzle
        return f"composition(Swizzle<{s.bits},{s.base},{s.shift}>{{}}, {base})"

    @property
    def index(self) -> str:
        """The element offset as an expression of `row` and `col` that C++ and Numba both read.

        >>> Fix(32, 8, 4, 8, Swizzle(3, 0, 5), 1, 1, 1, (1,), 0, 8).index
        '(row * 8 + col) ^ (((row * 8 + col) & 0xe0) >> 5)'
        """
        base = f"row * {self.pitch} + col"
        if self.swizzle is None:
            return base
        shift = self.swizzle.shift
        return f"({base}) ^ ((({base}) & {self.swizzle.yyy:#x}) {'>>' if shift >= 0 else '<<'} {abs(shift)})"

    @property
    def units(self) -> str:
        """The swizzle in both units, elements and bytes; empty without a swizzle.

        >>> Fix(32, 8, 4, 8, Swizzle(3, 0, 5), 1, 1, 1, (1,), 0, 8).units
        'Sw<3,0,5> on 4-byte elements = Sw<3,2,5> on bytes'
        """
        if self.swizzle is None:
            return ""
        if self.element_bytes == 1:
            return f"{self.swizzle} on bytes"
        return f"{self.swizzle} on {self.element_bytes}-byte elements = {self.swizzle.recast(self.element_bytes, 1)} on bytes"

    @property
    def cost(self) -> str:
        """The extra memory in words: `+32 words (3 %)`, or `no extra memory`.

        >>> Fix(32, 32, 4, 33, None, 1, 1, 1, (1,), 128, 32).cost
        '+32 words (3 %)'
        """
        if not self.extra_bytes:
            return "no extra memory"
        share = f"({100 * self.extra_bytes / (self.rows * self.cols * self.element_bytes):.0f} %)"
        words, rest = divmod(self.extra_bytes, self.chip.word_bytes)
        if rest:
            return f"+{self.extra_bytes:,} bytes {share}"
        return f"+{words:,} word{'' if words == 1 else 's'} {share}"

    @property
    def why(self) -> str:
        """Why does it stand where it stands? The verdict, the change against the tile as given, and the price."""
        noun = "wavefront" if self.wavefronts == 1 else "wavefronts"
        if self.wavefronts == self.ideal:
            verdict = f"free of bank conflicts: {self.wavefronts:,} {noun}, the ideal"
        elif self.free:
            verdict = f"free of bank conflicts: {self.wavefronts:,} {noun}"
        else:
            verdict = f"{self.wavefronts:,} {noun} where {self.ideal:,} would do ({self.ways}-way)"
        if self.best_of_bad:
            verdict = f"nothing tried is free of bank conflicts, and this is the best: {verdict}"
        parts = [verdict]
        if self.given is not None and self.kind != "as given":
            change = self.wavefronts - self.given
            words = f"{abs(change):,} {'more' if change > 0 else 'fewer'} than" if change else "the same"
            parts.append(f"{words} as given")
        parts.append(self.cost)
        return self.chip.said("; ".join(parts))
