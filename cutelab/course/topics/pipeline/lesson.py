"""What lesson pipeline asks: its predictions and its exercises."""

from __future__ import annotations

from random import Random

from cutelab import Pipeline
from cutelab.course.ask.exercise import Exercise, Prediction, Wrong
from cutelab.course.ask.functions import Function
from cutelab.course.ask.kinds import Choice, Value
from cutelab.hardware.chip import CHIPS


def cycles(stages: int = 1, m: int = 128, k: int = 32, latency: int = 600, copy_rate: int = 32) -> int:
    """Cycles a tile, of m x m x k halves, once the pipeline is full."""
    return round(Pipeline(m, m, k, stages=stages, latency=latency, copy_rate=copy_rate).steady_state)


def grown(old: float, new: float) -> str:
    """What became of a number: "a" the same, "b" twice as much, "c" four times."""
    return {1: "a", 2: "b", 4: "c"}[round(new / old)]


def parts_of_it(pair: tuple[int, ...]) -> str:
    """What the first wrong number would mean: which parts of a round trip make it?"""
    sums = {
        500: "the latency alone",
        512: "the copy alone",
        128: "the MMA alone",
        256: "twice the MMA, or half a copy",
        628: "latency and MMA",
        640: "copy and MMA",
        1012: "latency and copy",
        1140: "the whole round trip",
        570: "half the round trip",
    }
    at = next((i for i, (a, b) in enumerate(zip(pair, by_hand(), strict=False)) if a != b), 0)
    which = f"{('one', 'two')[at]} stage{'s' * at}"
    if pair[at] in sums:
        return f"with {which}: {pair[at]} is {sums[pair[at]]}."
    low = (
        "and it cannot be shorter than its copy, 8192 / 16 cycles"
        if pair[at] < 512
        else "add up latency, copy and MMA by themselves first"
    )
    return f"with {which}: {pair[at]} is no sum of whole parts of a round trip; {low}."


def rates_ask(m: int) -> str:
    """How many operations a byte has a tile of this width, and how many do the rates ask for?"""
    if m < 1 or m & (m - 1):
        return f"m is a power of two; yours is {m}."
    have = m / 2
    word = "and that is enough; is there no smaller one?" if have >= 128 else "and the two rates ask for 4096 / 32."
    return f"a tile with m = {m} brings {have:g} operations for each byte, {word}"


def other_sum(random: Random) -> Prediction:
    """One stage with other numbers."""
    latency, copy, mma = random.choice((300, 450, 700)), random.choice((128, 256)), random.choice((96, 320, 512))
    return Prediction(
        id="pipeline.a",
        title="Nothing overlaps",
        kind=Value(unit="cycles", example="900", given=(("latency", latency), ("copy", copy), ("MMA", mma))),
        question=(
            f"Latency {latency} cycles, copy {copy} cycles, MMA {mma} cycles, and one stage: the next copy is issued when the MMA "
            "is done. How many cycles does each tile take?"
        ),
        right=lambda: latency + copy + mma,
        replies=(),
        because=f"Everything adds up: {latency} + {copy} + {mma}.",
    )


def other_limit(random: Random) -> Prediction:
    """How many stages fit?"""
    k = random.choice((32, 64))
    stage = int(Pipeline(128, 128, k, arch=None).tile_bytes)
    limit = CHIPS["sm_86"].block_bytes
    return Prediction(
        id="pipeline.3",
        title="How many stages fit?",
        kind=Value(given=(("bytes of a stage", stage), ("bytes of shared memory", limit))),
        question=f"One stage of a tile has {stage:,} bytes, and a block may have {limit:,} bytes of shared memory. How many stages fit?",
        right=lambda: limit // stage,
        replies=(Wrong(-(-limit // stage), "The last one would not fit whole."),),
        because="Whole stages only: divide and round down.",
    )


PREDICTIONS = (
    Prediction(
        id="pipeline.a",
        title="Nothing overlaps",
        kind=Value(unit="cycles", example="900", given=(("latency", 600), ("copy", 512), ("MMA", 512))),
        again=other_sum,
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
        id="pipeline.b",
        title="Two stages",
        kind=Choice.of(512, 541, 812, 1112),
        question=(
            "The same tile and two stages again. But now a warp of its own issues each copy as soon as its stage is free, and waits for "
            "nothing else. How many cycles does a tile take, once the pipeline is full?"
        ),
        right=lambda: cycles(2),
        replies=(
            Wrong("512", "That is the bound. Two stages do not cover the latency here, not even now."),
            Wrong("541", "That is what three stages reach."),
            Wrong("1112", "That was the other loop, in which a copy is issued only when the tile before has arrived."),
        ),
        because="In the 1624 cycles of one round trip, two tiles pass instead of one: half the time for each.",
    ),
    Prediction(
        id="pipeline.c",
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
        id="pipeline.d",
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
    Prediction(
        id="pipeline.e",
        title="Two stages, this loop",
        kind=Choice.of(512, 812, 1112, 1624),
        question=(
            "The same tile with two stages, in the loop above: latency 600, copy 512, MMA 512. How many cycles does a tile take, once "
            "the pipeline is full?"
        ),
        right=lambda: round(Pipeline(128, 128, 32, stages=2, loop="together").steady_state),
        replies=(
            Wrong(
                "512", "That is the bound; but the copy pauses, because each waits for the tile before it to arrive."
            ),
            Wrong(
                "812",
                "That would be half of 1624: two round trips side by side. Look again when the next copy is issued.",
            ),
            Wrong("1624", "That is one stage. Here the MMA goes on beside the next copy, so it is hidden."),
        ),
        because="A copy is issued when the tile before it has arrived, and it arrives 600 + 512 cycles later; the MMA fits into that time.",
    ),
)


WHO = (
    ("a", "a warp of its own copies, 2 stages"),
    ("b", "a warp of its own copies, 3 stages"),
    ("c", "the multiplying threads copy, 2 stages"),
    ("d", "the multiplying threads copy, 3 stages"),
)


def run_of(key: str, latency: int, copy: int, mma: int) -> Pipeline:
    """Six tiles of this loop, with these cycles."""
    loop, stages = ("producer" if key in "ab" else "together"), (2 if key in "ac" else 3)
    return Pipeline(
        16, 16, 16, stages=stages, latency=latency, copy_rate=1024 / copy, mma_rate=8192 / mma, tiles=6, loop=loop
    )


def timetable(run: Pipeline) -> str:
    """When are its copies issued, when do data arrive, and when is each tile multiplied? In words."""
    line = run.timeline()
    issued, there, begin, end = (
        ", ".join(f"{x:.0f}" for x in row) for row in (line.issue, line.copy_end, line.mma_start, line.mma_end)
    )
    return f"copies issued at {issued}; data there at {there}; MMA begins at {begin} and ends at {end}"


def which_run(run: Pipeline) -> str:
    """Which of the four runs has this timetable? By the number of copies at 0, and by what the next one waits for."""
    line = run.timeline()
    ahead = int((line.issue == 0).sum())
    alone = line.issue[ahead] == line.mma_end[0]
    return {(True, 2): "a", (True, 3): "b", (False, 1): "c", (False, 2): "d"}[bool(alone), ahead]


def other_run(random: Random) -> Prediction:
    """Another run to read."""
    key = random.choice("abcd")
    run = run_of(key, random.choice((400, 900)), random.choice((64, 128)), random.choice((192, 320)))
    return Prediction(
        id="pipeline.6",
        title="Reading a timetable",
        kind=Choice(WHO),
        question=f"Six tiles: {timetable(run)}. Which loop is it, and how many stages has it?",
        right=lambda: which_run(run),
        replies=(),
        because="The copies at 0 count the free stages (of the multiplying threads: all but one); the next copy tells what it waited for.",
    )


def by_hand() -> tuple[int, int]:
    """Cycles a tile of 64 x 64 x 32 halves with one stage and with two."""
    made = (Pipeline(64, 64, 32, stages=s, latency=500, copy_rate=16, mma_rate=2048) for s in (1, 2))
    one, two = (p.steady_state for p in made)
    return int(one), int(two)


def stages_needed(latency: int, copy: int, mma: int) -> int:
    """The fewest stages that reach the bound, by the model: a tile of 1024 bytes and 8192 operations, at the rates that give these cycles."""
    return Pipeline(
        16, 16, 16, latency=latency, copy_rate=1024 / copy, mma_rate=8192 / mma, tiles=1, arch=None
    ).stages_needed


def draw_cycles(random: Random) -> tuple[int, int, int]:
    """Latency, copy, MMA in cycles."""
    return random.randint(0, 2000), random.randint(1, 1500), random.randint(1, 1500)


def what_binds() -> str:
    """Exercise 3: which of its options is it?"""
    need = Pipeline(128, 128, 64, latency=1500, arch=None).stages_needed
    fits = CHIPS["sm_86"].block_bytes // int(Pipeline(128, 128, 64, arch=None).tile_bytes)
    return "c" if fits < need else "a"


def draw_tile(random: Random) -> tuple[int, int, int]:
    """A square tile whose intensity is a whole number: m, k, element bytes."""
    size = random.choice((1, 2, 4, 8))
    return 8 * random.randint(1, 32), 8 * random.randint(1, 16), size


def smallest_tile(copy_rate: int, mma_rate: int, element_bytes: int) -> int:
    """The smallest m, a power of two, at which the MMA of an m x m tile takes at least as long as its copy."""
    return next(m for m in (1 << i for i in range(13)) if _mma_binds(m, copy_rate, mma_rate, element_bytes))


def _mma_binds(m: int, copy_rate: int, mma_rate: int, element_bytes: int) -> bool:
    tile = Pipeline(m, m, 32, element_bytes, copy_rate=copy_rate, mma_rate=mma_rate, arch=None)
    return tile.mma_cycles >= tile.copy_cycles


EXERCISES = (
    Exercise(
        id="pipeline.1",
        title="One stage and two, by hand",
        kind=Value("tuple", example="(900, 450)", parts=("one", "two"), unit="cycles", means=parts_of_it),
        question=(
            "A tile of 64 x 64 x 32 halves; latency 500 cycles; a copy of 16 bytes a cycle; an MMA of 2048 operations a cycle. A producer "
            "warp issues each copy as soon as its stage is free. How many cycles does a tile take with one stage, and with two? "
            "`answer = (one, two)`."
        ),
        right=by_hand,
        solution="answer = (1140, 570)",
        hints=(
            "First the bytes of A and B together, then the operations: 2·m·n·k.",
            "8192 bytes at 16 a cycle; 262,144 operations at 2048 a cycle.",
            "Copy 512, MMA 128. One stage: add both to the latency. Two stages: half of that, but never below the longer of the two.",
        ),
        wrong=(
            Wrong(
                (1140, 512),
                "one stage is right. Two stages do not reach the bound of 512: half a round trip is longer.",
            ),
            Wrong((640, 512), "the latency is missing."),
            Wrong((640, 320), "the latency is missing, and no pipeline is faster than its copy of 512."),
            Wrong((1140, 1140), "with two stages, the next copy is under way while this tile is multiplied."),
            Wrong(
                (1140, 1012),
                "one stage is right; this two is the loop whose multiplying threads copy, too: it waits for a tile before it issues the next.",
            ),
            Wrong(
                (1140, 640),
                "one stage is right. Two stages halve the whole round trip; they do not hide just the latency.",
            ),
            Wrong((1076, 538), "a multiply and an add are two operations: 2·m·n·k. Your MMA is half as long as it is."),
            Wrong((884, 442), "A and B both travel: (m + n)·k elements. Your copy is half as long as it is."),
            Wrong(
                (884, 512),
                "A and B both travel: (m + n)·k elements. Your copy with one stage is half as long as it is.",
            ),
            Wrong((884, 256), "A and B both travel: your copy of 256 cycles brings one of them only."),
            Wrong((1652, 1024), "a half has 2 bytes; your copy is as long as that of 4-byte elements."),
            Wrong((1652, 826), "a half has 2 bytes, not 4: your copy of 1024 cycles is twice as long as it is."),
            Wrong((1012, 512), "the MMA is missing in the round trip: no copy follows before its stage is free again."),
            Wrong((1012, 506), "the MMA is missing in both: a stage is free again only when it is multiplied."),
            Wrong((628, 512), "the copy is missing in the round trip."),
            Wrong((628, 314), "the copy is missing in the round trip, and no pipeline is faster than its copy of 512."),
            Wrong(
                (512, 128),
                "these are copy and MMA; the question asks for the time of a tile with one stage, and with two.",
            ),
        ),
        because="A round trip of 500 + 512 + 128 cycles, shared by one tile or by two.",
    ),
    Exercise(
        id="pipeline.2",
        title="How many stages?",
        name="stages",
        kind=Function(
            ("latency", "copy", "mma"),
            edges=(
                (600, 512, 512),
                (300, 512, 128),
                (0, 10, 10),
                (0, 9, 1),
                (500, 512, 256),
                (800, 300, 400),
                (2000, 100, 100),
                (0, 1, 1),
                (1, 1, 1),
            ),
            draw=draw_cycles,
        ),
        question=(
            "A producer warp issues each copy as soon as its stage is free. Write `stages(latency, copy, mma)`, all in whole cycles, copy and mma "
            "at least 1: the fewest stages at which a tile takes no longer than the bound, max(copy, mma)."
        ),
        right=stages_needed,
        solution="def stages(latency, copy, mma):\n    return -(-(latency + copy + mma) // max(copy, mma))",
        hints=(
            "A stage is taken for a whole round trip: latency + copy + mma.",
            "In a round trip, as many tiles pass as there are stages. They may take no longer than the bound, each.",
            "So divide the round trip by the bound and round up. In Python, `-(-a // b)` rounds up.",
        ),
        wrong=(
            Wrong(
                lambda latency, copy, mma: (latency + copy + mma) // max(copy, mma),
                "you round down: a part of a stage must be a whole one.",
            ),
            Wrong(
                lambda latency, copy, mma: -(-(latency + copy) // max(copy, mma)),
                "the MMA is missing: a stage is free again only when its tile has been multiplied.",
            ),
            Wrong(
                lambda latency, copy, mma: -(-(latency + copy + mma) // (copy + mma)),
                "copy and MMA run side by side, so a tile takes the longer of the two, not their sum.",
            ),
            Wrong(
                lambda latency, copy, mma: 1 + -(-(latency + copy) // max(copy, mma)),
                "this is the loop in which the multiplying threads copy: S stages cover S - 1 arrivals. Here a producer warp copies.",
            ),
            Wrong(lambda latency, copy, mma: 2, "two stages are double buffering; a long latency needs more."),
            Wrong(
                lambda latency, copy, mma: -(-latency // max(copy, mma)),
                "a stage is also taken while its data flow in and while it is multiplied.",
            ),
            Wrong(
                lambda latency, copy, mma: -(-latency // max(copy, mma)) + 1,
                "copy and MMA are two parts, and the shorter one may be short: add them before you divide.",
            ),
            Wrong(
                lambda latency, copy, mma: -(-latency // max(copy, mma)) + 2,
                "that is enough, but sometimes one too many: add before you divide.",
            ),
            Wrong(
                lambda latency, copy, mma: -(-(latency + copy + mma) // min(copy, mma)),
                "the bound is the longer of the two.",
            ),
        ),
        because="Round trip divided by the time of a tile, rounded up: Little's law.",
    ),
    Exercise(
        id="pipeline.3",
        title="Which limit binds?",
        kind=Choice(
            (
                ("a", "the rate of the copy"),
                ("b", "the rate of the MMA"),
                ("c", "shared memory"),
                ("d", "the registers"),
            )
        ),
        question=(
            "A tile of 128 x 128 x 64 halves with float32 accumulators on sm_86, a latency of 1500 cycles; copy and MMA take 1024 cycles each. "
            "You raise the stages as far as they go, and a tile still takes more than 1024 cycles. What stops you? "
            '"a" the rate of the copy, "b" the rate of the MMA, "c" shared memory or "d" the registers.'
        ),
        right=what_binds,
        again=other_limit,
        solution='answer = "c"',
        hints=(
            "How many stages would reach 1024 cycles? How many bytes is one?",
            "A round trip of 3548 cycles needs 4 stages. One stage has 32,768 bytes; sm_86 has 99 KB, 101,376 bytes.",
        ),
        wrong=(
            Wrong("a", "at 1024 cycles a tile the copy would be the bound; but it still pauses."),
            Wrong("b", "the MMA needs 1024 cycles a tile; but it still waits."),
            Wrong("d", "the accumulators need 65,536 bytes of the 262,144 that there are, whatever the stages."),
        ),
        because="4 stages are needed and 3 fit. A tile with k = 32 has stages of half the size.",
    ),
    Exercise(
        id="pipeline.4",
        title="Operations a byte",
        name="intensity",
        kind=Function(
            ("m", "k", "element_bytes"),
            edges=((128, 32, 2), (128, 64, 2), (256, 32, 2), (64, 32, 1), (64, 8, 8), (8, 16, 8), (16, 16, 1)),
            draw=draw_tile,
        ),
        question=(
            "A and B are both m x k, m a multiple of 8, and an element has 1, 2, 4 or 8 bytes. Write `intensity(m, k, element_bytes)`: operations "
            "for each byte copied, a whole number here."
        ),
        right=lambda m, k, element_bytes: int(Pipeline(m, m, k, element_bytes, arch=None, stages=1).intensity),
        solution="def intensity(m, k, element_bytes):\n    return 2 * m * m * k // (2 * m * k * element_bytes)",
        hints=(
            "Operations: 2·m·n·k with n = m. Bytes: (m + n)·k elements.",
            "Write the quotient down and cancel what stands above and below. Is k still there?",
        ),
        wrong=(
            Wrong(lambda m, k, element_bytes: 2 * m * m * k, "these are the operations; divide by the bytes."),
            Wrong(
                lambda m, k, element_bytes: 2 * m * k * element_bytes,
                "these are the bytes; they belong below the line.",
            ),
            Wrong(lambda m, k, element_bytes: m, "this is operations for each element; divide by the bytes of one."),
            Wrong(
                lambda m, k, element_bytes: m * k // element_bytes, "k grows operations and bytes alike: it cancels."
            ),
            Wrong(lambda m, k, element_bytes: m // (2 * element_bytes), "a multiply and an add are two operations."),
            Wrong(
                lambda m, k, element_bytes: 2 * m // element_bytes, "A and B both travel: the bytes are twice as many."
            ),
        ),
        because="It is m / element_bytes: twice as wide a tile asks half as much of memory for the same work.",
    ),
    Exercise(
        id="pipeline.5",
        title="The smallest tile",
        kind=Value(example="32", means=rates_ask),
        question=(
            "The copy brings 32 bytes a cycle, the MMA does 4096 operations a cycle, elements are halves. A and B are m x k, m a power of two. "
            "What is the smallest m at which the copy no longer takes longer than the MMA?"
        ),
        right=lambda: smallest_tile(32, 4096, 2),
        solution="answer = 256",
        hints=(
            "How many operations does the MMA do in the time of one byte?",
            "The tile must bring at least 4096 / 32 operations for each byte. Which m does? See the exercise before.",
        ),
        wrong=(
            Wrong(128, "128 operations a byte are needed, but an element has two bytes: this tile has 64."),
            Wrong(64, "this tile has 32 operations a byte; the two rates ask for 128."),
            Wrong(512, "it does, but a smaller tile does too."),
        ),
        because="256 / 2 bytes = 128 operations a byte. Its accumulators, 256·256·4 bytes, fill all registers: no room is left for anything else.",
    ),
    Exercise(
        id="pipeline.6",
        title="Reading a timetable",
        kind=Choice(WHO),
        question=(
            f"Six tiles, in cycles: {timetable(run_of('d', 700, 256, 128))}. Which loop is it, and how many stages has it? "
            + ", ".join(f'"{key}" {words}' for key, words in WHO)
            + "."
        ),
        right=lambda: which_run(run_of("d", 700, 256, 128)),
        again=other_run,
        solution='answer = "d"',
        hints=(
            "How many copies are issued at cycle 0? Nothing keeps them back but the number of stages.",
            "What else happens at the cycle at which the next copy is issued: does an MMA begin there, or does one end?",
            "A warp of its own waits for a stage, so for the end of an MMA. The multiplying threads issue just before they multiply.",
        ),
        wrong=(
            Wrong(
                "a",
                "two copies go at once, as two free stages would allow; but the third is issued when the first MMA *begins*: no stage has become free there.",
            ),
            Wrong("b", "three free stages would take three copies at cycle 0, and there are two."),
            Wrong("c", "with two stages these threads can have one copy under way, and at cycle 0 two are issued."),
        ),
        because="Two copies at 0, so all stages but one; and each later copy is issued just when an MMA begins.",
    ),
)
