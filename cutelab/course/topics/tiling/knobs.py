"""What the tiling explorer can be asked: a matrix (or a block), an operation, a tiler or two, the picked tile."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from cutelab.algebra.simplify import top_modes
from cutelab.core.layout import AnyLayout, Layout, size
from cutelab.course.card.knobs import Control, Family, Params, dropdown, index, preset, text
from cutelab.course.card.parts.leaves import innermost
from cutelab.course.card.shared_tile import read_layout
from cutelab.course.topics.tiling.cut import DIVIDES, PRODUCTS, Cut, cut
from cutelab.course.topics.tiling.tilers import numbers, of_kind, parse_tiler, spell_tiler, turned

OPERATIONS = (*DIVIDES, *PRODUCTS)
EXAMPLES = {
    "tiles of 4 x 8": ("zipped_divide", "(16,32):(1,16)", "<4, 8>", ""),
    "128 x 128": ("zipped_divide", "(128,128):(1,128)", "<4, 8>", ""),
    "row-major": ("zipped_divide", "(16,32):(32,1)", "<4, 8>", ""),
    "every second row": ("zipped_divide", "(16,16):(1,16)", "<4:2, 8>", ""),
    "a column stays whole": ("zipped_divide", "(16,16):(16,1)", "<_, 4>", ""),
    "layout against tuple": ("zipped_divide", "(8,8):(1,8)", "<4, 2>", "(4,2):(1,4)"),
    "twelve tiles": ("logical_divide", "(12,32):(1,12)", "(4,8)", ""),
    "the last tile is short": ("zipped_divide", "(10,14):(1,10)", "<4, 4>", ""),
    "refused": ("zipped_divide", "(8,8):(1,9)", "6:1", ""),
    "blocked": ("blocked_product", "(4,8):(1,4)", "(2,5):(1,2)", ""),
    "raked": ("raked_product", "(4,8):(1,4)", "(2,5):(1,2)", ""),
}


def read_tiler(value: Any) -> Any:
    """The tiler that this text says; a layout, a number and a tuple stand for themselves."""
    return parse_tiler(value if isinstance(value, str) else spell_tiler(value)) if not _is_tiler(value) else value


def _is_tiler(value: Any) -> bool:
    return isinstance(value, Layout) or (
        isinstance(value, tuple) and all(v is None or _is_tiler(v) or isinstance(v, int) for v in value)
    )


def read_other(value: Any) -> Any:
    """As `read_tiler`; None for no text."""
    return None if value is None or (isinstance(value, str) and not value.strip()) else read_tiler(value)


def say_other(tiler: Any) -> str:
    """The text of a second tiler; nothing for none."""
    return "" if tiler is None else spell_tiler(tiler)


def _tile_knobs(params: TilingParams) -> Iterator[Control]:
    """A slider for each number of a tiler by mode, and for each extent of a compact layout."""
    matrix = params.layout
    modes = top_modes(innermost(matrix))
    whole = [size(m) for m in modes] + [16] * 8
    what = "tile" if params.operation in DIVIDES else "copies"
    for k, n in numbers(params.tiler)[:4]:
        high = max(n, min(64, whole[k]) if what == "tile" else 16)
        yield Control(f"tile_{k}", "slider", n, "Tiler", f"{what} {k}", "elements", 1, high)


def _spelled(params: TilingParams) -> str | None:
    """The example that is as the parameters stand."""
    mine = (params.operation, str(params.layout), spell_tiler(params.tiler), say_other(params.other))
    return next((name for name, said in EXAMPLES.items() if said == mine), None)


@dataclass(frozen=True)
class TilingParams(Params):
    """What the tiling explorer shows. The knobs `example` and `tile_0`, `tile_1`, ... are derived from the rest."""

    first = "layout"
    example = preset(
        EXAMPLES,
        _spelled,
        lambda p, said: dict(zip(("operation", "layout", "tiler", "other"), said, strict=True)),
        what="example",
        group="Matrix",
        label="example",
        tip="tilings to start from",
    )
    operation: str = dropdown(
        "zipped_divide", OPERATIONS, group="Matrix", tip="a divide cuts the matrix; a product repeats the block"
    )
    layout: AnyLayout = text(
        Layout((16, 32), (1, 16)),
        read=read_layout,
        group="Matrix",
        placeholder="(16,32):(1,16)",
        tip="the matrix, or the block",
    )
    tiler: Any = text(
        (4, 8),
        read=read_tiler,
        say=spell_tiler,
        group="Tiler",
        placeholder="<4, 8>",
        tip="<4, 8:2, _> by mode, or one layout (4,8):(1,16)",
    )
    tiles = Family(
        _tile_knobs, lambda p, name, value: {"tiler": turned(p.tiler, name, value)}, lambda n: n.startswith("tile_")
    )
    other: Any = text(
        None,
        read=read_other,
        say=say_other,
        group="Tiler",
        placeholder="a second tiler",
        tip="another tiler of the same matrix, beside the first",
    )
    i: int = index(1, hi=lambda p: p.cut.grid[0] - 1, group="Probe", unit="tile, down")
    j: int = index(2, hi=lambda p: p.cut.grid[1] - 1, group="Probe", unit="tile, across")
    element: int = index(0, hi=lambda p: p.cut.elements - 1, group="Probe", unit="place in the tile")

    @property
    def cut(self) -> Cut:
        """The operation, worked out; the same for every place of the probe."""
        return cut(self.operation, self.layout, self.tiler)

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """The operation with the tiler, and with the other one if there is one."""
        return (self.cut,) if self.other is None else (self.cut, cut(self.operation, self.layout, self.other))

    def follow(self, now: TilingParams, asked: Collection[str]) -> dict[str, Any]:
        """A tiler changes its kind with the operation."""
        if "operation" not in asked or "tiler" in asked or now.operation not in OPERATIONS:
            return {}
        return {"tiler": of_kind(now.tiler, self.operation, now.operation)}
