"""What the pipeline explorer can be asked: the tile, the stages, the rates of copy and MMA, the run, the probe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cutelab.course.card.knobs import Params, dropdown, index, powers, slider, toggle
from cutelab.hardware.chip import CHIPS, H200, Chip
from cutelab.hardware.pipeline import LOOPS, Pipeline

ELEMENTS = {"fp4": 0.5, "int8": 1, "half": 2, "float32": 4, "float64": 8}
SIZES = (16, 32, 64, 128, 256)
RATES = (8, 16, 32, 64, 128, 256)
MMA_RATES = (256, 512, 1024, 2048, 4096, 8192, 16384)
MOST_STAGES, MOST_TILES, MOST_CYCLES, MOST_RATE = 12, 1000, 100_000, 1_000_000


def among(name: str, *offered: int) -> Callable[[Any], tuple[int, ...]]:
    """The numbers that a knob offers; a value from code, between the powers of two, keeps its place among them."""
    return lambda params: tuple(sorted({*offered, getattr(params, name)}))


@dataclass(frozen=True)
class PipelineParams(Params):
    """What the pipeline explorer shows.

    m, n, k      the tile: A is m x k, B is n x k
    element      of A and B: fp4, int8, half, float32 or float64
    stages       how many tiles shared memory holds at once: 1 to 12
    loop         who issues the copies: "producer", a warp of its own; "together", the threads that multiply
    arch         whose limits hold: "sm_70" to "sm_120"; where `chip` is another than the H200, that chip's hold
    latency      cycles from the issue of a copy until its data begin to arrive
    copy_rate    bytes a cycle into shared memory
    mma_rate     operations a cycle; a multiply and an add are two
    tiles        steps along K
    axis         "fit": this run fills the width; "one stage": a run with one stage would fill it
    tile         the probe

    Raises CuteLabError for values that no pipeline can have, and for more shared memory than a block may have.
    """

    by_name = True

    m: int = powers(
        128,
        among("m", *SIZES),
        check=False,
        group="Tile",
        unit="rows of A",
        tip="rows of the tile of A and of the result",
    )
    n: int = powers(
        128,
        among("n", *SIZES),
        check=False,
        group="Tile",
        unit="rows of B",
        tip="rows of the tile of B, columns of the result",
    )
    k: int = powers(
        32, among("k", 8, *SIZES), check=False, group="Tile", unit="elements", tip="how far one step along K goes"
    )
    element: str = dropdown("half", tuple(ELEMENTS), group="Tile", tip="element type of A and B")
    stages: int = slider(2, 1, MOST_STAGES, group="Stages", unit="tiles", tip="tiles in shared memory at once")
    loop: str = toggle(
        "producer",
        LOOPS,
        group="Stages",
        unit="who copies",
        tip="producer: a warp of its own issues a copy when its stage is free; together: the threads that multiply issue it",
    )
    arch: str = dropdown(
        "sm_80",
        tuple(CHIPS),
        shown=lambda p: p.chip == H200,
        group="Stages",
        label="chip",
        tip="sets the limit of shared memory",
    )
    latency: int = slider(
        600, 0, 3000, step=50, most=MOST_CYCLES, group="Rates", unit="cycles", tip="from a copy's issue to its first data"
    )  # fmt: skip
    copy_rate: int = powers(
        32,
        among("copy_rate", *RATES),
        check=False,
        group="Rates",
        label="copy",
        unit="bytes a cycle",
        tip="rate into shared memory",
    )
    mma_rate: int = powers(
        2048,
        among("mma_rate", *MMA_RATES),
        check=False,
        group="Rates",
        label="MMA",
        unit="operations a cycle",
        tip="of one Tensor Core set",
    )
    tiles: int = slider(
        8, 1, 64, most=MOST_TILES, group="Run", unit="steps along K", tip="how many tiles are multiplied"
    )
    axis: str = toggle(
        "fit", ("fit", "one stage"), group="Run", unit="what fills the width", tip="one stage: to compare runs"
    )
    tile: int = index(3, hi=lambda p: p.tiles - 1, group="Probe")

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("copy_rate", "mma_rate"):
            self.check_number(name, 1, MOST_RATE)
        self.pipeline()

    @property
    def limits(self) -> Chip:
        """Whose shared memory and registers there are."""
        return CHIPS[self.arch] if self.chip == H200 else self.chip

    @property
    def limits_name(self) -> str:
        """How the chip is called whose limits hold."""
        return self.arch if self.chip == H200 else self.chip.name

    def pipeline(self, **changes: Any) -> Pipeline:
        """The model with these parameters, some of them changed. Raises CuteLabError where it does not fit."""
        names = ("m", "n", "k", "stages", "latency", "copy_rate", "mma_rate", "tiles", "loop")
        given: dict[str, Any] = {name: getattr(self, name) for name in names}
        given |= {"element_bytes": ELEMENTS[self.element], "arch": self.arch if self.chip == H200 else self.chip}
        return Pipeline(**(given | changes))
