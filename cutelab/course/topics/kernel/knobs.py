"""What the kernel explorer can be asked: which kernel, its tile's layout, its block; and what a knob does to the others."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.layout import Layout, LayoutRight
from cutelab.core.swizzle import Swizzle
from cutelab.course.card.knobs import OWN, Params, derived, dropdown, powers, slider, text, toggle
from cutelab.course.card.shared_tile import read_swizzle, say_swizzle
from cutelab.hardware.chip import H200, Chip
from cutelab.plans.gemm import GemmPlan, group_swizzle, grouped
from cutelab.plans.tiles import pitched, row_swizzle
from cutelab.plans.transpose import TransposePlan, blocks_of

K = 8  # the product's step along K
TILES = {"transpose": (32, 64), "gemm": (64, 128)}
VARIANTS = {
    "transpose": ("naive", "conflicting", "padded", "swizzled"),
    "gemm": ("conflicting", "padded", "swizzled"),
}
PITCHES = (32, 36, 40, 44, 48, 56, 64)  # of the product's groups of 4 rows: multiples of 16 bytes
WIDTHS = (4, 8, 16)
ITEM = 4  # bytes of float32
USUAL = {"transpose": {"tile": 64, "width": 4, "buffers": 1}, "gemm": {"tile": 128, "width": 16}}
"""What a kernel starts with when it takes the other's place."""


def setting(kernel: str, variant: str, tile: int, vector: int = 1, chip: Chip = H200) -> dict[str, Any]:
    """Which pitch and swizzle make this variant?

    >>> setting("transpose", "swizzled", 64)
    {'pitch': 64, 'swizzle': Swizzle(5, 0, 6), 'shared': True}
    """
    gemm = kernel == "gemm"
    pitch = PITCHES[0] if gemm else tile
    if variant == "padded":
        pitch = PITCHES[1] if gemm else tile + 1
    swizzle = None
    if variant == "swizzled":
        swizzle = group_swizzle(K, chip=chip) if gemm else row_swizzle(tile, vector, chip=chip)
    return {"pitch": pitch, "swizzle": swizzle, "shared": variant != "naive"}


def variant_of(params: KernelParams) -> str:
    """What the course calls it: "naive", "conflicting", "padded", "swizzled", or "own"."""
    if not params.shared:
        return "naive"
    mine = {"pitch": params.pitch, "swizzle": params.swizzle, "shared": True}
    return next((n for n in VARIANTS[params.kernel] if params.setting(n) == mine), OWN)


def take(params: KernelParams, variant: Any) -> dict[str, Any]:
    """What a variant sets; the naive transpose moves single elements."""
    if variant == OWN or params.kernel not in TILES:
        return {}
    if variant not in VARIANTS[params.kernel]:
        raise CuteLabError(f"there is no variant {shown(variant)}; there are {', '.join(VARIANTS[params.kernel])}")
    if not params.lawful:
        return {}
    return params.setting(variant) | ({"width": ITEM} if variant == "naive" else {})


def pitches(params: KernelParams) -> tuple[int, int]:
    """The least and the most pitch of the transpose."""
    least = TILES["transpose"][-1] if params.gemm else params.tile
    return least, least + 32


@dataclass(frozen=True)
class KernelParams(Params):
    """What the kernel explorer shows. The knob `variant` is derived: it sets `pitch`, `swizzle` and `shared`.

    shared  False: the naive transpose, without a tile in shared memory
    """

    written = ("kernel", "tile", "width", "variant", "pitch", "swizzle", "block", "buffers")

    kernel: str = toggle("transpose", ("transpose", "gemm"), group="Kernel", tip="which kernel of the course")
    variant = derived(
        "dropdown",
        variant_of,
        take,
        start=True,
        choices=lambda p: VARIANTS[p.kernel] + ((OWN,) if p.variant == OWN else ()),
        group="Kernel",
        tip="sets pitch and swizzle",
    )
    tile: int = powers(
        64, lambda p: TILES[p.kernel], check=False, group="Tile", unit="elements", tip="edge of the tile"
    )
    pitch: int = slider(
        64,
        lambda p: pitches(p)[0],
        lambda p: pitches(p)[1],
        kind=lambda p: "powers" if p.gemm else "slider",
        choices=lambda p: PITCHES if p.gemm else (),
        check=False,
        shown=lambda p: p.shared,
        group="Tile",
        unit="elements",
        tip=lambda p: f"from one {'group of 4 rows' if p.gemm else 'row of the tile'} to the next",
    )
    swizzle: Swizzle | None = text(
        None,
        read=read_swizzle,
        say=say_swizzle,
        shown=lambda p: p.shared,
        group="Tile",
        placeholder="Sw<5,0,6>",
        tip="XOR on the offset; empty for none",
    )
    width: int = toggle(
        4,
        WIDTHS,
        shown=lambda p: not p.gemm,
        group="Access",
        unit="bytes a lane",
        tip="bytes that a lane moves at once",
    )
    block: str = dropdown(
        "32 x 16",
        lambda p: p.blocks,
        shown=lambda p: not p.gemm,
        group="Access",
        unit="threads",
        tip="threads across and down",
    )
    buffers: int = toggle(
        1, (1, 2), shown=lambda p: p.gemm, group="Access", tip="pairs of tiles in shared memory at a time"
    )
    shared: bool = True

    def settle(self) -> None:
        tiles = TILES.get(self.kernel) if isinstance(self.kernel, str) else None
        if tiles is not None and self.tile not in tiles:
            raise CuteLabError(
                f"tile must be {' or '.join(map(str, tiles))} in the {self.kernel}, got {shown(self.tile)}"
            )
        if not isinstance(self.shared, bool):
            raise CuteLabError(f"shared must be True or False, got {shown(self.shared)}")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gemm:
            if not self.shared or self.width != 16:
                raise CuteLabError(
                    "the gemm reads its tiles from shared memory, 16 bytes a lane: width=16, shared=True"
                )
            if self.pitch not in PITCHES:
                raise CuteLabError(f"pitch must be one of {', '.join(map(str, PITCHES))}; got {shown(self.pitch)}")
        else:
            self.check_number("pitch", *pitches(self))
            if self.buffers != 1:
                raise CuteLabError("the transpose has one tile at a time: buffers=1")
            if not self.shared and self.width > ITEM:
                raise CuteLabError("the naive transpose moves single elements: width=4")
        _ = self.plan  # a layout that the kernel cannot take raises here

    @property
    def gemm(self) -> bool:
        """Is this the matrix product?"""
        return self.kernel == "gemm"

    @property
    def lawful(self) -> bool:
        """Can a layout be told from kernel, tile and width? (A draft may hold any values.)"""
        return self.kernel in TILES and self.tile in TILES[self.kernel] and self.width in WIDTHS

    @property
    def vector(self) -> int:
        """Elements of one access."""
        return self.width // ITEM

    @property
    def blocks(self) -> tuple[str, ...]:
        """The blocks that suit the tile, the usual one first."""
        if self.gemm:
            return (f"{(self.tile // 8) ** 2} x 1",)
        return tuple(f"{x} x {y}" for x, y in blocks_of(self.tile, self.vector, chip=self.chip))

    def setting(self, variant: str) -> dict[str, Any]:
        """Which pitch and swizzle make this variant of this kernel, tile and width?"""
        return setting(self.kernel, variant, self.tile, self.vector, self.chip)

    @cached_property
    def layout(self) -> Layout | ComposedLayout | None:
        """Where the tile's elements lie in shared memory (the product: A's tile); None for the naive transpose."""
        if not self.shared:
            return None
        plain = grouped(self.tile, K, self.pitch) if self.gemm else pitched(self.tile, self.pitch, self.vector)
        return plain if self.swizzle is None else ComposedLayout(self.swizzle, 0, plain)

    @cached_property
    def plan(self) -> TransposePlan | GemmPlan:
        """The kernel's numbers. Raises CuteLabError where they do not fit each other."""
        return _plan(self.kernel, self.tile, self.layout, self.vector, self.block, self.buffers, self.chip)

    def follow(self, now: KernelParams, asked: Collection[str]) -> dict[str, Any]:
        """A new kernel, tile, width or chip keeps the variant, and of the rest what fits."""
        more: dict[str, Any] = {}

        def settle(changes: dict[str, Any]) -> KernelParams:
            more.update({name: value for name, value in changes.items() if name not in asked})
            return now._with(more)

        if now.kernel != self.kernel:
            now = settle(USUAL.get(now.kernel, {}))
        if not now.lawful:
            return more
        if ("pitch" in asked or "swizzle" in asked) and not now.shared:
            now = settle({"shared": True})
        moved = (now.kernel, now.tile, now.width, now.chip) != (self.kernel, self.tile, self.width, self.chip)
        if moved:
            name = self.variant
            if name == "naive" and (now.gemm or now.width > ITEM):
                name = "conflicting"
            now = settle(self._own(now) if name == OWN else now.setting(name))
        usual = moved and self.block == self.blocks[0]
        now = settle({"block": self.block if self.block in now.blocks and not usual else now.blocks[0]})
        return more

    def _own(self, now: KernelParams) -> dict[str, Any]:
        """An own layout at another tile: the padding stays; a swizzle that was made for the old tile does not."""
        pitch = self.pitch
        if now.kernel != self.kernel:
            pitch = now.setting("padded")["pitch"]
        elif not now.gemm:
            pitch = min(now.tile + self.pitch - self.tile, now.tile + 32)
        return {"pitch": pitch, "swizzle": None, "shared": True}


@lru_cache(maxsize=64)
def _plan(
    kernel: str, tile: int, layout: Layout | ComposedLayout | None, vector: int, block: str, buffers: int, chip: Chip
) -> TransposePlan | GemmPlan:
    """A plan, kept: to build one looks over the whole tile, and each step asks for the variants beside it again."""
    if kernel == "gemm" and layout is not None:
        return GemmPlan(tile, tile, K, layout, LayoutRight((K, tile)), 8, vector, buffers == 2, chip=chip)
    x, y = map(int, block.split(" x "))
    return TransposePlan(tile, layout, vector, (x, y), chip=chip)
