"""What the descriptor explorer can be asked: which tile lies in shared memory, what the descriptor says of it, the probe."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cutelab.course.card.knobs import Params, dropdown, index, slider, toggle
from cutelab.hardware.descriptor import FIELD, MAJORS, ROWS, MatrixDescriptor
from cutelab.hardware.span import PIECE, SPANS

M, K, ITEM = 64, 16, 2  # operand A of wgmma.m64nNk16, 2 bytes an element: what was measured
TILES = {f"{major}, {f'{span} bytes' if span else 'no swizzle'}": (major, span) for major in MAJORS for span in SPANS}
"""The tile on the card -> major and span: what CuTe's GMMA atoms are, 64 rows of them."""
MOST = PIECE * (FIELD - 1)


def right(name: str) -> MatrixDescriptor:
    """Which descriptor reads this tile from byte 0 on? Its core matrices or atoms lie one behind another.

    >>> right("K, 128 bytes").sbo_bytes, right("MN, no swizzle").lbo_bytes
    (1024, 1024)
    """
    major, span = TILES[name]
    core = ROWS * PIECE
    if major == "K":
        lbo, sbo = (PIECE, ROWS * span) if span else (core, 2 * core)
    elif span:
        lbo, sbo = K * span if span < M * ITEM else 0, ROWS * span  # one atom spans all rows: no stride is used
    else:
        lbo, sbo = M // ROWS * core, core
    return MatrixDescriptor(0, lbo, sbo, span, major)


@dataclass(frozen=True)
class DescriptorParams(Params):
    """What the descriptor explorer shows: operand A of wgmma, 64 x 16 elements of 2 bytes.

    tile                       what lies in shared memory from a multiple of 1,024 bytes on: major and swizzle
    swizzle_bytes, major       what the descriptor and the instruction say of it
    lbo_bytes, sbo_bytes       leading and stride byte offset
    start_bytes                where the operand begins
    m, k                       the probe

    Another tile brings its right descriptor along. Raises CuteLabError for what the fields cannot hold.
    """

    by_name = True

    tile: str = dropdown("K, 128 bytes", tuple(TILES), group="Tile", tip="major and swizzle of what lies in memory")
    swizzle_bytes: int = toggle(
        128, tuple(SPANS), group="Descriptor", label="swizzle", unit="bytes", tip="the mode, bits 62 and 63"
    )
    major: str = toggle("K", MAJORS, group="Descriptor", tip="stands in the instruction, not in the 64 bits")
    lbo_bytes: int = slider(
        16, 0, 2048, step=PIECE, most=MOST, group="Descriptor", label="LBO", unit="bytes", tip="leading byte offset"
    )
    sbo_bytes: int = slider(
        1024, 0, 2048, step=PIECE, most=MOST, group="Descriptor", label="SBO", unit="bytes", tip="stride byte offset"
    )
    start_bytes: int = slider(
        0, 0, 1024, step=PIECE, most=MOST, group="Descriptor", label="start", unit="bytes", tip="from the tile's first byte"
    )  # fmt: skip
    m: int = index(9, hi=M - 1, group="Probe", unit="down", tip="row of the operand")
    k: int = index(8, hi=K - 1, group="Probe", unit="across", tip="column of the operand")

    def settle(self) -> None:
        """What the fields of the 64 bits cannot hold is refused by the descriptor's own rule."""
        if self.tile in TILES:
            _ = self.given

    @cached_property
    def given(self) -> MatrixDescriptor:
        """The descriptor as the knobs say it."""
        return MatrixDescriptor(self.start_bytes, self.lbo_bytes, self.sbo_bytes, self.swizzle_bytes, self.major)

    @cached_property
    def fitting(self) -> MatrixDescriptor:
        """The one that reads the tile from its first byte."""
        return right(self.tile)

    def follow(self, now: DescriptorParams, asked: Collection[str]) -> dict[str, Any]:
        """Another tile brings its right descriptor along."""
        if "tile" not in asked or now.tile not in TILES:
            return {}
        return {name: value for name, value in settings(right(now.tile)).items() if name not in asked}


def settings(descriptor: MatrixDescriptor) -> dict[str, Any]:
    """The knobs that say this descriptor."""
    names = ("swizzle_bytes", "major", "lbo_bytes", "sbo_bytes", "start_bytes")
    return {name: getattr(descriptor, name) for name in names}
