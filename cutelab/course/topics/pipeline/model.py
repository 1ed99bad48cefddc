"""Topic "pipeline": tiles on their way through shared memory to the Tensor Core, as a timeline of who waits for whom.

PipelineParams -> compute -> Result -> panels -> Picture. Panels: pipeline_panels.py; words: pipeline_words.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import is_int
from cutelab.course.card.knobs import Control, Params, dropdown, index, powers, slider, toggle
from cutelab.course.card.picture import Picture
from cutelab.course.topics.pipeline import card as pipeline_panels
from cutelab.hardware.chip import CHIPS
from cutelab.hardware.pipeline import Pipeline, Timeline

ELEMENTS = {"fp4": 0.5, "int8": 1, "half": 2, "float32": 4, "float64": 8}
SIZES = (16, 32, 64, 128, 256)
RATES = (8, 16, 32, 64, 128, 256)
MMA_RATES = (256, 512, 1024, 2048, 4096, 8192, 16384)
MOST_STAGES, MOST_TILES, MOST_CYCLES, MOST_RATE = 12, 1000, 100_000, 1_000_000


@dataclass(frozen=True)
class PipelineParams(Params):
    """What the pipeline explorer shows.

    m, n, k      the tile: A is m x k, B is n x k
    element      of A and B: fp4, int8, half, float32 or float64
    stages       how many tiles shared memory holds at once: 1 to 12
    arch         whose limit of shared memory holds: "sm_70" to "sm_100"
    latency      cycles from the issue of a copy until its data begin to arrive
    copy_rate    bytes a cycle into shared memory
    mma_rate     operations a cycle; a multiply and an add are two
    tiles        steps along K
    axis         "fit": this run fills the width; "one stage": a run with one stage would fill it
    tile         the probe

    Raises CuteLabError for values that no pipeline can have, and for more shared memory than a block may have.
    """

    m: int = powers(128, SIZES, group="Tile", unit="rows of A", tip="rows of the tile of A and of the result")
    n: int = powers(128, SIZES, group="Tile", unit="rows of B", tip="rows of the tile of B, columns of the result")
    k: int = powers(32, (8, *SIZES), group="Tile", unit="elements", tip="how far one step along K goes")
    element: str = dropdown("half", tuple(ELEMENTS), group="Tile", tip="element type of A and B")
    stages: int = slider(2, 1, MOST_STAGES, group="Stages", unit="tiles", tip="tiles in shared memory at once")
    arch: str = dropdown("sm_80", tuple(CHIPS), group="Stages", label="chip", tip="sets the limit of shared memory")
    latency: int = slider(
        600, 0, 3000, step=50, group="Rates", unit="cycles", tip="from a copy's issue to its first data"
    )
    copy_rate: int = powers(32, RATES, group="Rates", label="copy", unit="bytes a cycle", tip="rate into shared memory")
    mma_rate: int = powers(
        2048, MMA_RATES, group="Rates", label="MMA", unit="operations a cycle", tip="of one Tensor Core set"
    )
    tiles: int = slider(8, 1, 64, group="Run", unit="steps along K", tip="how many tiles are multiplied")
    axis: str = toggle(
        "fit", ("fit", "one stage"), group="Run", unit="what fills the width", tip="one stage: to compare runs"
    )
    tile: int = index(3, 0, 7, group="Probe")

    def __post_init__(self) -> None:
        for name in ("element", "arch", "axis"):
            self.check_choice(name)
        self.check_range("stages", 1, MOST_STAGES)
        self.check_range("latency", 0, MOST_CYCLES)
        for name in ("copy_rate", "mma_rate"):
            self.check_range(name, 1, MOST_RATE)
        self.check_range("tiles", 1, MOST_TILES)
        self.check_range("tile", 0, self.tiles - 1)
        self.pipeline()

    def pipeline(self, **changes: Any) -> Pipeline:
        """The model with these parameters, some of them changed. Raises CuteLabError where it does not fit."""
        names = ("m", "n", "k", "stages", "latency", "copy_rate", "mma_rate", "tiles", "arch")
        given = {name: getattr(self, name) for name in names} | {"element_bytes": ELEMENTS[self.element]}
        return Pipeline(**(given | changes))

    def change(self, **changes: Any) -> Self:
        """As `Params.change`; with fewer tiles the probe stays on one of them."""
        if is_int(changes.get("tiles")) and changes["tiles"] >= 1:
            changes.setdefault("tile", min(self.tile, changes["tiles"] - 1))
        return super().change(**changes)

    def controls(self) -> tuple[Control, ...]:
        found = []
        for control in super().controls():
            if control.kind == "powers":  # a value from code, between the powers of two, keeps its place
                control = replace(control, choices=tuple(sorted({*control.choices, control.value})))
            if control.name == "tile":
                control = replace(control, hi=self.tiles - 1)
            found.append(control)
        return tuple(found)

    def probe(self, cell: int) -> dict[str, Any]:
        if not 0 <= cell < self.tiles:
            raise CuteLabError(f"there is no tile {cell}; the tiles are 0 to {self.tiles - 1}")
        return {"tile": cell}

    def call(self, name: str) -> str:
        """The line that rebuilds this view: `explore.name(...)` with all that differs from the defaults, by name."""
        plain = type(self)()
        given = [f"{n}={getattr(self, n)!r}" for n in self.names() if getattr(self, n) != getattr(plain, n)]
        return f"explore.{name}({', '.join(given)})".replace("'", '"')


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found: the Pipeline and its Timeline."""

    params: PipelineParams
    pipeline: Pipeline
    line: Timeline

    @property
    def cycles(self) -> float:
        """Cycles a tile, once the pipeline is full."""
        return self.pipeline.steady_state

    @property
    def bound(self) -> float:
        """The fewest cycles a tile, whatever the stages."""
        return self.pipeline.bound

    @property
    def waits(self) -> float:
        """Which part of the time does the Tensor Core stand still, once the pipeline is full?"""
        return 1 - self.pipeline.mma_cycles / self.pipeline.steady_state


def compute(params: PipelineParams) -> Result:
    """When is each tile copied and multiplied, and who waits for whom?"""
    pipeline = params.pipeline()
    return Result(params, pipeline, pipeline.timeline())


def panels(result: Result) -> Picture:
    """The picture of a result, as plain data: the timeline, the probed tile, cycles a tile, what the stages cost."""
    return pipeline_panels.picture(result)
