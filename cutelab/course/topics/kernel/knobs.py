"""The parameters of topic "kernel": which kernel, tile, layout, block, and what a knob does to the others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self

from cutelab import ComposedLayout, Layout, LayoutRight, Swizzle, parse_swizzle
from cutelab.core.errors import CuteLabError
from cutelab.course.card.knobs import Control, Params, dropdown, powers, slider, text, toggle
from cutelab.plans import GemmPlan, TransposePlan
from cutelab.plans.gemm import group_swizzle, grouped
from cutelab.plans.tiles import pitched, row_swizzle
from cutelab.plans.transpose import blocks_of

K = 8  # the product's step along K
TILES = {"transpose": (32, 64), "gemm": (64, 128)}
VARIANTS = {
    "transpose": ("naive", "conflicting", "padded", "swizzled"),
    "gemm": ("conflicting", "padded", "swizzled"),
}
PITCHES = (32, 36, 40, 44, 48, 56, 64)  # of the product's groups of 4 rows: multiples of 16 bytes
WIDTHS = (4, 8, 16)
ITEM = 4  # bytes of float32


@dataclass(frozen=True)
class KernelParams(Params):
    """What the kernel explorer shows. The knob `variant` is derived: it sets `pitch`, `swizzle` and `shared`.

    shared  False: the naive transpose, without a tile in shared memory
    """

    kernel: str = toggle("transpose", ("transpose", "gemm"), group="Kernel", tip="which kernel of the course")
    tile: int = powers(64, (32, 64), group="Tile", unit="elements", tip="edge of the tile")
    pitch: int = slider(64, 64, 96, group="Tile", unit="elements", tip="from one row of the tile to the next")
    swizzle: str = text("", group="Tile", placeholder="Sw<5,0,6>", tip="XOR on the offset; empty for none")
    width: int = toggle(4, WIDTHS, group="Access", unit="bytes a lane", tip="bytes that a lane moves at once")
    block: str = dropdown("32 x 16", (), group="Access", unit="threads", tip="threads across and down")
    buffers: int = toggle(1, (1, 2), group="Access", tip="pairs of tiles in shared memory at a time")
    shared: bool = True

    def __post_init__(self) -> None:
        self.check_choice("kernel")
        tiles = TILES[self.kernel]
        if self.tile not in tiles:
            raise CuteLabError(f"tile must be {' or '.join(map(str, tiles))} in the {self.kernel}, got {self.tile!r}")
        self.check_choice("width")
        self.check_choice("buffers")
        if self.kernel == "gemm":
            if not self.shared or self.width != 16:
                raise CuteLabError(
                    "the gemm reads its tiles from shared memory, 16 bytes a lane: width=16, shared=True"
                )
            if self.pitch not in PITCHES:
                raise CuteLabError(f"pitch must be one of {', '.join(map(str, PITCHES))}; got {self.pitch!r}")
        else:
            self.check_range("pitch", self.tile, self.tile + 32)
            if self.buffers != 1:
                raise CuteLabError("the transpose has one tile at a time: buffers=1")
            if not self.shared and self.width > ITEM:
                raise CuteLabError("the naive transpose moves single elements: width=4")
        if self.block not in self.blocks:
            raise CuteLabError(f"block must be one of {', '.join(self.blocks)}; got {self.block!r}")
        assert self.plan  # a layout that the kernel cannot take raises here

    @property
    def vector(self) -> int:
        """Elements of one access."""
        return self.width // ITEM

    @property
    def blocks(self) -> tuple[str, ...]:
        return _blocks(self.kernel, self.tile, self.width)

    @property
    def layout(self) -> Layout | ComposedLayout | None:
        """Where the tile's elements lie in shared memory (the product: A's tile); None for the naive transpose."""
        return _layout(self.kernel, self.tile, self.pitch, self.swizzle, self.vector) if self.shared else None

    @property
    def plan(self) -> TransposePlan | GemmPlan:
        return _plan(self.kernel, self.tile, self.layout, self.vector, self.block, self.buffers)

    @property
    def variant(self) -> str:
        """What the course calls it: "naive", "conflicting", "padded", "swizzled", or "own"."""
        if not self.shared:
            return "naive"
        mine = {"pitch": self.pitch, "swizzle": self.swizzle, "shared": True}
        names = (n for n in VARIANTS[self.kernel] if setting(self.kernel, n, self.tile, self.vector) == mine)
        return next(names, "own")

    def change(self, **changes: Any) -> Self:
        """As `Params.change`. A new kernel, tile or width keeps the variant, and of the rest what fits."""
        variant = changes.pop("variant", None)
        if isinstance(changes.get("swizzle"), str | Swizzle):
            changes["swizzle"] = _spelled(changes["swizzle"])
        kernel = changes.get("kernel", self.kernel)
        if kernel != self.kernel and kernel in TILES:
            usual = {"tile": 128, "width": 16} if kernel == "gemm" else {"tile": 64, "width": 4, "buffers": 1}
            changes = usual | changes
        tile, width = changes.get("tile", self.tile), changes.get("width", self.width)
        if kernel not in TILES or tile not in TILES[kernel] or width not in WIDTHS:
            return super().change(**changes)
        if variant not in (None, "own", *VARIANTS[kernel]):
            raise CuteLabError(f"there is no variant {variant!r}; there are {', '.join(VARIANTS[kernel])}")
        if variant in (None, "own") and {"pitch", "swizzle"} & changes.keys():
            changes.setdefault("shared", True)
        moved = (kernel, tile, width) != (self.kernel, self.tile, self.width)
        if moved or variant not in (None, "own"):
            name = self.variant if variant in (None, "own") else variant
            if name == "naive" and (kernel == "gemm" or (width > ITEM and variant is None)):
                name = "conflicting"
            if name == "naive":
                changes["width"] = width = ITEM
            found = self._own(tile, kernel) if name == "own" else setting(kernel, name, tile, width // ITEM)
            changes = found | changes
        blocks = _blocks(kernel, tile, width)
        usual = moved and self.block == self.blocks[0]
        changes.setdefault("block", self.block if self.block in blocks and not usual else blocks[0])
        return super().change(**changes)

    def _own(self, tile: int, kernel: str) -> dict[str, Any]:
        """An own layout at another tile: the padding stays; a swizzle that was made for the old tile does not."""
        pitch = min(tile + self.pitch - self.tile, tile + 32) if kernel == self.kernel == "transpose" else self.pitch
        if kernel != self.kernel:
            pitch = PITCHES[1] if kernel == "gemm" else tile + 1
        return {"pitch": pitch, "swizzle": "", "shared": True}

    def call(self, name: str) -> str:
        """The line that rebuilds this view, with the variant by its name."""
        base, said = KernelParams(), []
        for key in ("kernel", "tile", "width", "variant", "pitch", "swizzle", "block", "buffers"):
            value = getattr(self, key)
            if value != getattr(base, key) and (key, value) != ("variant", "own"):
                said.append(repr(value) if key == "kernel" else f"{key}={value!r}")
                base = base.change(**{key: value})
        return f"explore.{name}({', '.join(said)})".replace("'", '"')

    def controls(self) -> tuple[Control, ...]:
        found = {c.name: c for c in super().controls()}
        names = VARIANTS[self.kernel] + (("own",) if self.variant == "own" else ())
        tip = "sets pitch and swizzle"
        variant = Control("variant", "dropdown", self.variant, "Kernel", "variant", choices=names, tip=tip)
        tile = replace(found["tile"], choices=TILES[self.kernel])
        layout = [found["pitch"], found["swizzle"]] if self.shared else []
        if self.kernel == "gemm":
            pitch = replace(found["pitch"], kind="powers", choices=PITCHES, tip="from one group of 4 rows to the next")
            return found["kernel"], variant, tile, pitch, found["swizzle"], found["buffers"]
        if layout:
            layout[0] = replace(found["pitch"], lo=self.tile, hi=self.tile + 32)
        return found["kernel"], variant, tile, *layout, found["width"], replace(found["block"], choices=self.blocks)


def setting(kernel: str, variant: str, tile: int, vector: int = 1) -> dict[str, Any]:
    """Which pitch and swizzle make this variant?

    >>> setting("transpose", "swizzled", 64)
    {'pitch': 64, 'swizzle': 'Sw<5,0,6>', 'shared': True}
    """
    gemm = kernel == "gemm"
    pitch = PITCHES[0] if gemm else tile
    if variant == "padded":
        pitch = PITCHES[1] if gemm else tile + 1
    swizzle = ""
    if variant == "swizzled":
        swizzle = str(group_swizzle(K) if gemm else row_swizzle(tile, vector))
    return {"pitch": pitch, "swizzle": swizzle, "shared": variant != "naive"}


def _spelled(swizzle: str | Swizzle) -> str:
    return str(parse_swizzle(swizzle)) if isinstance(swizzle, str) and swizzle.strip() else str(swizzle).strip()


def _blocks(kernel: str, tile: int, width: int) -> tuple[str, ...]:
    if kernel == "gemm":
        return (f"{(tile // 8) ** 2} x 1",)
    return tuple(f"{x} x {y}" for x, y in blocks_of(tile, width // ITEM))


@lru_cache(maxsize=64)
def _layout(kernel: str, tile: int, pitch: int, swizzle: str, vector: int) -> Layout | ComposedLayout:
    plain = grouped(tile, K, pitch) if kernel == "gemm" else pitched(tile, pitch, vector)
    return ComposedLayout(parse_swizzle(swizzle), 0, plain) if swizzle else plain


@lru_cache(maxsize=64)
def _plan(kernel: str, tile: int, layout: Any, vector: int, block: str, buffers: int) -> TransposePlan | GemmPlan:
    if kernel == "gemm":
        return GemmPlan(tile, tile, K, layout, LayoutRight((K, tile)), 8, vector, buffers == 2)
    x, y = map(int, block.split(" x "))
    return TransposePlan(tile, layout, vector, (x, y))
