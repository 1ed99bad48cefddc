"""Views of the pipeline topic, and what their pictures hold."""

import pytest

from cutelab import Pipeline
from cutelab.course.card.picture import Bars, Lines, Spans
from cutelab.course.topics.pipeline import compute, panels
from cutelab.course.topics.pipeline.knobs import ELEMENTS, PipelineParams

CASES = [
    {},
    {"stages": 1},
    {"stages": 4, "tile": 7},
    {"stages": 4, "axis": "one stage", "tile": 0},
    {"stages": 12, "latency": 3000, "tiles": 64, "tile": 30, "arch": "sm_100"},
    {"stages": 12, "latency": 0, "copy_rate": 256, "mma_rate": 16_384, "tile": 1, "arch": "sm_90"},
    {"m": 64, "n": 64, "stages": 3, "tiles": 20, "tile": 19},
    {"m": 64, "n": 64, "latency": 0, "copy_rate": 8},
    {"m": 256, "k": 64, "stages": 3},
    {"m": 256, "n": 256, "k": 16, "element": "float64"},
    {"m": 16, "n": 16, "k": 8, "element": "fp4", "latency": 3000, "stages": 12, "tiles": 40, "tile": 22},
    {"stages": 5, "tiles": 1, "tile": 0},
    {"stages": 3, "copy_rate": 48, "mma_rate": 1777, "latency": 611},
    {"m": 128, "n": 256, "k": 128, "stages": 1, "tiles": 1000, "tile": 999},
    {"latency": 100_000, "copy_rate": 1, "mma_rate": 1, "stages": 2, "tiles": 13, "tile": 6},
    {"element": "int8", "arch": "sm_75", "stages": 6, "mma_rate": 256},
    {"loop": "together"},
    {"loop": "together", "stages": 1, "tiles": 5},
    {"loop": "together", "stages": 4, "tile": 7, "k": 64, "arch": "sm_90"},
    {"loop": "together", "stages": 3, "copy_rate": 64, "mma_rate": 4096, "latency": 611, "tiles": 30, "tile": 20},
    {"loop": "together", "m": 256, "k": 64, "stages": 3, "latency": 0},
]
each = pytest.mark.parametrize("changes", CASES, ids=str)


def view(changes):
    params = PipelineParams().change(**changes)
    result = compute(params)
    return params, result, panels(result)


def model(params, **changes):
    """The model, called by hand."""
    given = {n: getattr(params, n) for n in ("stages", "latency", "copy_rate", "mma_rate", "tiles", "arch", "loop")}
    return Pipeline(params.m, params.n, params.k, ELEMENTS[params.element], **(given | changes))


def parts(picture):
    found = [p for row in picture.body for column in row for p in column]
    time = next(p for p in found if isinstance(p, Spans))
    bars = {p.name: p.bars for p in found if isinstance(p, Bars)}
    lines = {p.name: p.lines for p in found if isinstance(p, Lines)}
    return time, bars, lines


def amount(words: str) -> float:
    return float(words.replace(",", ""))
