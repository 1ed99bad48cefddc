"""Predictions of notebook 10_pipeline."""

from __future__ import annotations

from cutelab import Pipeline
from cutelab.lessons.exercise import Prediction, Wrong
from cutelab.lessons.kinds import Choice, Value


def cycles(stages: int = 1, m: int = 128, k: int = 32, latency: int = 600, copy_rate: int = 32) -> int:
    """Cycles a tile, of m x m x k halves, once the pipeline is full."""
    return round(Pipeline(m, m, k, stages=stages, latency=latency, copy_rate=copy_rate).steady_state)


def grown(old: float, new: float) -> str:
    """What became of a number: "a" the same, "b" twice as much, "c" four times."""
    return {1: "a", 2: "b", 4: "c"}[round(new / old)]


PREDICTIONS = (
    Prediction(
        id="10.a",
        title="Nothing overlaps",
        kind=Value("int", example="900"),
        question=(
            "Latency 600 cycles, copy 512 cycles, MMA 512 cycles, and one stage: the next copy is issued when the MMA is done. "
            "How many cycles does each tile take?"
        ),
        right=cycles,
        replies=(
            Wrong(1024, "The latency is missing: after each MMA it begins anew."),
            Wrong(1112, "The MMA is missing: no copy is issued before it is done."),
            Wrong(512, "That is the bound, if copy and MMA went on side by side, without a pause."),
            Wrong(600, "That is the latency alone; the data need time to arrive, and then the MMA."),
        ),
        because="Everything adds up: 600 + 512 + 512.",
    ),
    Prediction(
        id="10.b",
        title="Two stages",
        kind=Choice.of(512, 541, 812, 1024),
        question="The same tile with two stages: double buffering. How many cycles does a tile take, once the pipeline is full?",
        right=lambda: cycles(2),
        replies=(
            Wrong("512", "That is the bound. Two stages do not cover the latency here."),
            Wrong("541", "That is what three stages reach."),
            Wrong("1024", "Copy and MMA of different tiles do overlap; they no longer add up."),
        ),
        because="In the 1624 cycles of one round trip, two tiles pass instead of one: half the time for each.",
    ),
    Prediction(
        id="10.c",
        title="A slow copy",
        kind=Choice.of(128, 512, 1024, 1152),
        question=(
            "A tile of 64 x 64 x 32 halves, a copy of 8 bytes a cycle, no latency: copy 1024 cycles, MMA 128 cycles. One stage "
            "takes 1152 cycles a tile. And eight stages?"
        ),
        right=lambda: cycles(8, m=64, latency=0, copy_rate=8),
        replies=(
            Wrong("128", "That is the MMA alone. It cannot run faster than its data come."),
            Wrong("512", "That would be two copies at once; but all copies share one channel, which is full."),
            Wrong("1152", "A little is gained: the MMA now runs beside the next copy."),
        ),
        because="The copy never stops, and each tile keeps it busy for 1024 cycles: two stages reach that, eight no more.",
    ),
    Prediction(
        id="10.d",
        title="A deeper tile",
        kind=Choice((("a", "it stays the same"), ("b", "it doubles"), ("c", "it grows four times"))),
        question="A tile of 128 x 128 x 32 becomes 128 x 128 x 64: k doubles. What happens to the operations for each byte?",
        right=lambda: grown(Pipeline(128, 128, 32).intensity, Pipeline(128, 128, 64).intensity),
        replies=(
            Wrong("b", "The operations double, but so do the bytes."),
            Wrong("c", "The operations double, no more, and the bytes double too."),
        ),
        because="Operations and bytes both grow with k, so it cancels. Only m and n decide.",
    ),
)
