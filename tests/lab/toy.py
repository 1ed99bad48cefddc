"""A small scene and a plain renderer: what an Explorer needs, and nothing of the rest of the house."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.course.card import knobs
from cutelab.course.card.picture import Grid, Offer, Picture, Tips, Verdict
from cutelab.course.lab import explorer
from cutelab.course.lab.explorer import Explorer


def shape_of(text: Any) -> str:
    """A tile as typed, checked."""
    parts = str(text).split("x")
    if len(parts) != 2 or not all(p.strip().isdigit() and 1 <= int(p) <= 32 for p in parts):
        raise CuteLabError(f'tile must be "rows x columns", 1 to 32 each, got {text!r}; "8 x 8" would work')
    return str(text)


@dataclass(frozen=True)
class ToyParams(knobs.Params):
    expression: str = knobs.text(
        "8 x 8", read=shape_of, group="Tile", label="tile", placeholder="8 x 8", tip="rows x columns"
    )
    pitch: int = knobs.slider(8, lambda p: p.shape[1], 40, group="Tile", unit="elements", tip="from row to row")
    bytes: int = knobs.toggle(4, (4, 8, 16), group="Access")
    vector: int = knobs.powers(1, (1, 2, 4, 8), group="Access", unit="elements", shown=lambda p: p.strip)
    colour: str = knobs.dropdown("bank", ("bank", "offset", "row", "column"), group="Access")
    strip: bool = knobs.check(True, group="Access", label="memory strip")
    row: int = knobs.index(0, hi=lambda p: p.shape[0] - 1, group="Probe")
    column: int = knobs.index(0, hi=lambda p: p.shape[1] - 1, group="Probe")

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self.expression.split("x")
        return int(rows), int(columns)

    def follow(self, now: ToyParams, asked: Any) -> dict[str, Any]:
        return {"row": 0, "column": 0} if "expression" in asked and not {"row", "column"} & set(asked) else {}


@dataclass(frozen=True)
class Result:
    params: ToyParams
    offsets: np.ndarray


def compute(params: ToyParams) -> Result:
    if params.pitch == 13 and params.colour == "column":
        raise RuntimeError("a fault in the scene")
    rows, columns = params.shape
    return Result(params, np.arange(rows)[:, None] * params.pitch + np.arange(columns))


def probe(result: Result, cell: int) -> dict[str, Any]:
    columns = result.params.shape[1]
    return {"row": cell // columns, "column": cell % columns}


def panels(result: Result) -> Picture:
    p, offsets = result.params, result.offsets
    ids = np.arange(offsets.size).reshape(offsets.shape)
    tile = Grid("tile", offsets % 32, "bank", labels=offsets.astype(str), probe=ids, heading="the tile")
    memory = np.full(((offsets.max() + 16) // 16, 16), -1)
    memory.flat[offsets.ravel()] = ids.ravel()
    strip = Grid(
        "strip",
        np.where(memory < 0, -1, np.arange(memory.size).reshape(memory.shape) % 32),
        "bank",
        probe=memory,
    )
    offset = int(offsets[p.row, p.column])
    table = np.stack([ids // p.shape[1], ids % p.shape[1], offsets, offsets % 32], axis=-1).reshape(-1, 4)
    return Picture(
        title=f"({p.shape[0]},{p.shape[1]}):({p.pitch},1)",
        call=p.call("toy"),
        subtitle="float32. Number = offset, colour = bank.",
        body=(((tile,), (strip,)),) if p.strip else (((tile,),),),
        verdicts=(Verdict("good", f"{offsets.size} elements", "nothing is skipped" if p.pitch == p.shape[1] else ""),),
        status=f"({p.row},{p.column}) → offset {offset} elements · bank {offset % 32}",
        reads="float32",
        copies={"cutelab": p.call("toy"), "CuTe C++": f"make_layout(..., {p.pitch})", "print": f"{offsets}"},
        tips=Tips("({0},{1})\noffset {2} elements, bank {3}", table),
        probed=int(ids[p.row, p.column]),
        offers=(Offer("pitch 33  1 wavefront", "+32 words (3 %)", {"pitch": 33}, p.pitch == 33),),
    )


@dataclass
class Drawn:
    png: bytes
    width: int
    height: int
    grids: list[Any]


@dataclass
class Placed:
    name: str
    x: np.ndarray
    y: np.ndarray
    probe: np.ndarray


def render(picture: Picture, scale: int) -> Drawn:
    """Cells as flat squares on a card of 720 x 400."""
    card = np.full((400 * scale, 720 * scale), 250, np.uint8)
    placed, left = [], 16
    for grid in picture.grids():
        rows, columns = grid.shape
        side = min(330 // columns, 380 // rows)
        x = left + side * np.arange(columns)[:, None] + 4 * (np.arange(columns)[:, None] // 4) + [0, side - 1]
        y = 16 + side * np.arange(rows)[:, None] + [0, side - 1]
        for r, c in np.ndindex(grid.shape):
            ys, xs = slice(*(y[r] * scale)), slice(*(x[c] * scale))
            card[ys, xs] = 240 if grid.fill[r, c] < 0 else 40 + 6 * grid.fill[r, c]
            if grid.probe[r, c] == picture.probed:
                card[ys, xs] = 0
        placed.append(Placed(grid.name, x / 720, y / 400, grid.probe))
        left = 376
    rows = np.concatenate([np.zeros((len(card), 1), np.uint8), card], axis=1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", card.shape[1], card.shape[0], 8, 0, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows.tobytes(), 1)) + chunk(b"IEND", b"")
    return Drawn(b"\x89PNG\r\n\x1a\n" + body, 720, 400, placed)


def toy(expression: str = "8 x 8", scale: int = 1, view: str = "widget", **params: Any) -> Explorer:
    """The explorer of this scene, drawn by this renderer."""
    explorer.render = render
    import sys

    return Explorer("toy", sys.modules[__name__], ToyParams(expression, **params), scale=scale, view=view)
