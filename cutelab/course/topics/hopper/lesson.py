"""What lesson hopper asks: its predictions and its exercises."""

from __future__ import annotations

from math import ceil
from random import Random

import numpy as np

from cutelab.course.ask.exercise import Exercise, Prediction, Wrong
from cutelab.course.ask.functions import Function
from cutelab.course.ask.kinds import Choice, Value
from cutelab.hardware.descriptor import MatrixDescriptor
from cutelab.hardware.measured.hopper import measured_hopper
from cutelab.hardware.pipeline import Pipeline, cycles_a_tile
from cutelab.hardware.span import swizzled
from cutelab.hardware.tma import ZERO, TmaTile

EDGE = TmaTile((200, 300), 2, (64, 8), swizzle_bytes=128)
CORNER = TmaTile((100, 120), 4, (32, 16), swizzle_bytes=128)
RIGHT, EXCHANGED = MatrixDescriptor(0, 128, 256, 0, "K"), MatrixDescriptor(0, 256, 128, 0, "K")


def measured(loop: str, stages: int, threads: int = 128) -> int:
    """Cycles a tile of 16,384 bytes on an H200, with an MMA of 128 cycles."""
    runs = measured_hopper("hopper_pipelines")
    (case,) = runs.where(loop=loop, stages=stages, threads=threads, tile_bytes=16_384, mma_cycles=128)
    cycles: float = case["cycles_a_tile"]
    return round(cycles)


def zeros(tile: TmaTile, column: int, row: int) -> int:
    """Elements of the box that arrive as zero."""
    return int(np.count_nonzero(tile.load(column, row) == ZERO))


def at_the_edge() -> str:
    """What does the barrier count, and what lies where the matrix has nothing? The key of prediction b."""
    found = EDGE.load(256, 196)
    whole = EDGE.expect_bytes == found.size * EDGE.element_bytes
    return {(True, True): "c", (False, True): "b", (False, False): "a", (True, False): "d"}[
        whole, bool(zeros(EDGE, 256, 196))
    ]


def shifted(base: int, span: int) -> int:
    """How far behind the tile's base does its first element lie?"""
    return int(swizzled(np.array([base]), span)[0]) - base


def stage_and_phase(tile: int, stages: int) -> tuple[int, int]:
    """Which stage holds a tile, and which phase of its full barrier does the MMA wait for?"""
    line = Pipeline(64, 64, 32, stages=stages, tiles=tile + 1).timeline()
    return int(line.stage[tile]), int(line.full_phase[tile])


def byte(descriptor: MatrixDescriptor, m: int, k: int) -> int:
    """From which byte is this half read?"""
    return int(descriptor.addresses(64, 16, 2)[m, k])


def slow_settings() -> int:
    """How many of the settings took more than 128 bytes a cycle allow?"""
    return sum(case["cycles"] > 18.0 for case in measured_hopper("wgmma_rate").cases)


def other_edge(random: Random) -> Prediction:
    """Another corner: how many elements of the box are there?"""
    rows, columns = random.choice((100, 150, 190)), random.choice((104, 120, 200))
    over, down = random.choice((8, 16, 24)), random.choice((2, 3, 5))
    column, row = columns - over, rows - down
    tile = TmaTile((rows, columns), 2, (32, 8))
    return Prediction(
        id="hopper.b",
        title="Another corner",
        kind=Value(unit="elements", example="100", given=(("columns left", over), ("rows left", down))),
        question=(
            f"A matrix of {rows} x {columns} halves; a box of 8 rows of 32 halves starts at column {column}, row {row}. How many "
            "elements of the tile arrive as zero?"
        ),
        right=lambda: zeros(tile, column, row),
        replies=(Wrong(over * down, "Those are the elements that exist."),),
        because=f"The box has 256 elements, and {down} x {over} of them exist.",
    )


def other_base(random: Random) -> Prediction:
    """Another base and another span."""
    base, span = random.choice(
        ((128, 128), (384, 128), (512, 128), (640, 128), (896, 128), (128, 64), (384, 64), (128, 32))
    )
    return Prediction(
        id="hopper.c",
        title="Where does the first row begin?",
        kind=Value(unit="bytes", example="8", given=(("base", base), ("span", span))),
        question=f"A tile with a {span}-byte swizzle begins at byte {base} of shared memory. How many bytes behind that is its element (0,0)?",
        right=lambda: shifted(base, span),
        replies=(Wrong(0, "That would hold if the swizzle acted on offsets in the tile."),),
        because=f"{base} / 128 = {base // 128}, and its low {span.bit_length() - 5} bit{'s' if span > 32 else ''} are XORed into the number of the 16-byte piece.",
    )


def other_tile(random: Random) -> Prediction:
    """Another tile and another number of stages."""
    stages, tile = random.choice((2, 3, 4, 5)), random.randrange(6, 15)
    return Prediction(
        id="hopper.d",
        title="Which stage, which phase?",
        kind=Value("tuple", example="(2, 1)", parts=("stage", "phase"), given=(("tile", tile), ("stages", stages))),
        question=(
            f"A pipeline with {stages} stages; tiles and stages count from 0. Which stage holds tile {tile}, and for which phase of "
            "that stage's full barrier does its MMA wait?"
        ),
        right=lambda: stage_and_phase(tile, stages),
        replies=(),
        because=f"Tile {tile} is number {tile // stages} on stage {tile % stages}, and the phases go 0, 1, 0, 1.",
    )


def other_element(random: Random) -> Prediction:
    """Another element and other strides."""
    m, k = random.choice((11, 18, 26, 37)), random.choice((9, 11, 14))
    lbo, sbo = random.choice(((128, 512), (1024, 128), (256, 1024)))
    return Prediction(
        id="hopper.e",
        title="Where is it read from?",
        kind=Value(unit="bytes", example="100", given=(("LBO", lbo), ("SBO", sbo))),
        question=(
            f"K-major, no swizzle, start 0, LBO {lbo}, SBO {sbo} bytes, an operand of halves. From which byte is element "
            f"(m,k) = ({m},{k}) read?"
        ),
        right=lambda: byte(MatrixDescriptor(0, lbo, sbo, 0, "K"), m, k),
        replies=(),
        because=f"{m // 8} x SBO + {k // 8} x LBO, then row {m % 8} of 16 bytes and half {k % 8} of it.",
    )


PREDICTIONS = (
    Prediction(
        id="hopper.a",
        title="Twice as many threads",
        kind=Choice.of(306, 355, measured("together", 4, 256), measured("together", 4)),
        question=(
            "Threads that multiply also copy, on an H200: tiles of 16,384 bytes, four stages, an MMA of 128 cycles. With 128 threads a tile takes "
            f"{measured('together', 4)} cycles, 454 more than the MMA alone. Now 256 threads share the copying, half of the pieces each. How many "
            "cycles does a tile take?"
        ),
        right=lambda: str(measured("together", 4, 256)),
        replies=(
            Wrong("306", "That is what a warp that only copies reaches: it is in nobody's way."),
            Wrong(
                "355",
                "Half of the 454 would have to go. But waiting and meeting at a barrier are no shorter for 256 threads.",
            ),
            Wrong("582", "Something is gained, because each thread issues half as many pieces."),
        ),
        because="Half of the pieces each, and only 79 of 454 cycles are gone.",
        source="an H200 measured",
    ),
    Prediction(
        id="hopper.b",
        title="A box over the edge",
        kind=Choice(
            (
                ("a", "352 bytes; the rest stays as it was"),
                ("b", "352 bytes; the rest is zero"),
                ("c", "1,024 bytes; the rest is zero"),
                ("d", "1,024 bytes; the rest is what follows in memory"),
            )
        ),
        question=(
            "A box of 8 rows of 64 halves, 1,024 bytes, starts where only 4 rows and 44 columns of the matrix are left: 352 bytes. How "
            "many bytes does the unit report as arrived, and what stands in the rest of the tile?"
        ),
        right=at_the_edge,
        again=other_edge,
        replies=(
            Wrong("a", "Nothing of the tile stays as it was, so a product over it is right."),
            Wrong("b", "The unit writes the whole box, so it counts the whole box."),
            Wrong("d", "The unit knows the shape of the matrix; it never reads beyond its last column."),
        ),
        because="The unit writes every element of the box: the matrix's where there is one, zero elsewhere. It counts what it writes.",
    ),
    Prediction(
        id="hopper.c",
        title="A tile at byte 256",
        kind=Value(unit="bytes", example="8", given=(("base", 256), ("span", 128))),
        question=(
            "A tile with a 128-byte swizzle begins at byte 256 of shared memory. How many bytes behind that does the unit put "
            "element (0,0)?"
        ),
        right=lambda: shifted(256, 128),
        again=other_base,
        replies=(
            Wrong(0, "That would hold if the swizzle acted on offsets in the tile."),
            Wrong(2, "2 is the number of the piece; a piece has 16 bytes."),
            Wrong(288, "That is its address; the question asks how far behind byte 256."),
            Wrong(
                16, "That is what a tile at byte 128 gets; this one begins two lines of 128 bytes after the boundary."
            ),
            Wrong(256, "Then all rows would move alike; the swizzle only exchanges pieces inside a line of 128 bytes."),
        ),
        because="256 / 128 = 2, and 2 is XORed into the number of the 16-byte piece: piece 0 goes to place 2.",
    ),
    Prediction(
        id="hopper.d",
        title="Which stage, which phase?",
        kind=Value("tuple", example="(2, 1)", parts=("stage", "phase"), given=(("tile", 7), ("stages", 3))),
        question=(
            "A pipeline with 3 stages; tiles and stages count from 0. Which stage holds tile 7, and for which phase of that stage's "
            "full barrier does its MMA wait?"
        ),
        right=lambda: stage_and_phase(7, 3),
        again=other_tile,
        replies=(
            Wrong((1, 1), "The stage is right; but a phase flips once a round, and tile 7 is of round 2."),
            Wrong((1, 2), "2 is the round; a barrier only tells even rounds from odd ones."),
            Wrong((2, 1), "Stage and phase: 7 = 2 x 3 + 1, so 1 is the stage, and 2 the round."),
            Wrong((2, 0), "7 % 3 is the stage."),
        ),
        because="7 = 2 x 3 + 1: stage 1, round 2, and even rounds complete phase 0.",
    ),
    Prediction(
        id="hopper.e",
        title="Where is (17, 10) read from?",
        kind=Value(unit="bytes", example="100", given=(("LBO", 128), ("SBO", 256))),
        question=(
            "K-major, no swizzle, start 0, LBO 128, SBO 256 bytes, an operand of halves. From which byte does the unit read element "
            "(m,k) = (17,10)?"
        ),
        right=lambda: byte(RIGHT, 17, 10),
        again=other_element,
        replies=(
            Wrong(640, "That is where the core matrix begins; the element is in its row 1, at half 2."),
            Wrong(656, "Row 1 of the core matrix is right; the element is its half 2, so 4 bytes more."),
            Wrong(658, "Half 2 lies 4 bytes behind half 0: k % 8 is 2, and a half has 2 bytes."),
            Wrong(644, "Along k that is right; row 1 of the core matrix adds 16 bytes."),
            Wrong(330, "That counts halves; an address counts bytes."),
            Wrong(532, "LBO and SBO are exchanged: along k the step is LBO, along m it is SBO."),
        ),
        because="Two SBO, one LBO, then row 1 of 16 bytes and half 2: 512 + 128 + 16 + 4.",
    ),
    Prediction(
        id="hopper.f",
        title="Which settings conflict?",
        kind=Choice.of(0, 6, 16, 28),
        question=(
            "44 settings of a descriptor were timed on an H200: 16 without swizzle and 28 with one, both majors, 22 pairs of LBO and SBO. At 128 "
            "bytes a cycle an instruction takes 18 cycles. How many of the 44 took longer?"
        ),
        right=lambda: str(slow_settings()),
        replies=(
            Wrong("6", "Those would be a few odd strides. But a core matrix lies in all 32 banks, wherever it begins."),
            Wrong("16", "Those without swizzle? But a core matrix of 8 x 16 bytes lies in all 32 banks by itself."),
            Wrong(
                "28",
                "Those with a swizzle? It exchanges whole pieces of 16 bytes, so that they stay in different banks.",
            ),
        ),
        because="The unit reads core matrices, and each of them fills 128 bytes that lie in different banks.",
        source="an H200 measured",
    ),
    Prediction(
        id="hopper.g",
        title="Boxes in place of plain bytes",
        kind=Choice.of(330, measured("producer", 2), measured("tensor", 2), measured("together", 2)),
        question=(
            f"Two stages, an MMA of 128 cycles, tiles of 16,384 bytes. Threads that also copy take {measured('together', 2)} cycles a tile; a producer "
            f"warp that asks for plain bytes, one run of them, takes {measured('producer', 2)}. Now it asks for a box of 64 x 128 halves with a "
            "128-byte swizzle: as many bytes. How many cycles does a tile take?"
        ),
        right=lambda: str(measured("tensor", 2)),
        replies=(
            Wrong("330", "Three stages reach that; two do not cover the arrival."),
            Wrong(
                str(measured("producer", 2)),
                "Nearly; but 128 rows that lie apart in global memory arrive a little later than one run.",
            ),
            Wrong(
                str(measured("together", 2)),
                "No thread computes an address here, so what threads pay for copying does not come back.",
            ),
        ),
        because="A box takes longer to arrive than one run of bytes, and is still far ahead of threads that copy.",
        source="an H200 measured",
    ),
)


def at_row(base: int, row: int) -> int:
    """The address of element (row, 0) of a tile with a 128-byte swizzle at this base."""
    return int(TmaTile((256, 64), 2, (64, row + 1), 128, base).addresses[row, 0])


def zeros_mean(count: int) -> str:
    """What so many zeros would leave."""
    if not 0 <= count <= 512:
        return "the box has 16 x 32 = 512 elements."
    return f"then {512 - count} of the box's 512 elements would lie in the matrix. How many rows of it, and how many columns?"


def lies_at(element: tuple[int, ...]) -> str:
    """Where does this element lie?"""
    m, k = element
    if not (0 <= m < 64 and 0 <= k < 16):
        return "the operand has 64 rows and 16 columns."
    return (
        f"({m}, {k}) lies at byte {byte(RIGHT, m, k)}. Is that the byte which the wrong descriptor reads for (40, 3)?"
    )


def bytes_mean(count: int) -> str:
    """How many columns of both tiles would these bytes be?"""
    return f"{count} bytes would be {count / (384 * 2):g} columns of A and of B, 384 rows of halves together."


def exchanged() -> tuple[int, int]:
    """Which element of the tile is read in place of (40, 3)?"""
    lies = RIGHT.addresses(64, 16, 2)
    m, k = np.argwhere(lies == byte(EXCHANGED, 40, 3))[0]
    return int(m), int(k)


def expected() -> int:
    """Bytes of A and B for one stage, whole boxes."""
    made = (TmaTile((4096, 1000), 2, (64, rows), swizzle_bytes=128) for rows in (128, 256))
    return sum(tile.expect_bytes for tile in made)


SLOW = {
    "producer": {"arrival": 1400, "rate": 172, "issue": 210},
    "together": {"arrival": 1400, "rate": 172, "issue": 480},
}


def fewest(loop: str) -> int:
    """The fewest stages after which another buys nothing."""
    return next(
        s
        for s in range(1, 20)
        if cycles_a_tile(loop, s, 300, **SLOW[loop]) == cycles_a_tile(loop, 64, 300, **SLOW[loop])
    )


def stages_mean(pair: tuple[int, ...]) -> str:
    """What these stages reach, by the model."""
    if len(pair) != 2 or not all(1 <= s <= 64 for s in pair):
        return "stages are whole numbers from 1 to 64."
    right = fewest("producer"), fewest("together")
    loop, mine = next(
        ((n, a) for n, a, b in zip(("producer", "together"), pair, right, strict=True) if a != b), ("", 0)
    )
    cycles = ceil(cycles_a_tile(loop, mine, 300, **SLOW[loop]))
    bound = ceil(cycles_a_tile(loop, 64, 300, **SLOW[loop]))
    if cycles > bound:
        return f"{loop}: with {mine} a tile takes {cycles} cycles, and more stages would still help."
    return f"{loop}: {mine} reach the bound of {bound} cycles, and so do fewer."


EXERCISES = (
    Exercise(
        id="hopper.1",
        title="A box over the corner",
        kind=Value(unit="elements", example="100", given=(("elements of the box", 512),), means=zeros_mean),
        question=(
            "A matrix of 100 rows x 120 columns of floats. A box of 16 rows of 32 floats starts at column 104, row 92. How many elements of "
            "the tile arrive as zero?"
        ),
        right=lambda: zeros(CORNER, 104, 92),
        solution="answer = 384",
        hints=(
            "How many of the box's columns does the matrix have, and how many of its rows?",
            "120 - 104 = 16 columns of 32, and 100 - 92 = 8 rows of 16 exist.",
            "All elements of the box, less those that exist.",
        ),
        wrong=(
            Wrong(128, "those are the elements that exist: 8 rows of 16."),
            Wrong(512, "the corner, where row and column are both missing, is counted twice."),
            Wrong(256, "that is what is missing in one direction; the box hangs over two edges."),
            Wrong(1536, "that counts bytes; the question counts elements."),
            Wrong(0, "the box hangs over the right edge and over the lower one."),
        ),
        because="16 x 32 elements in the box, and 8 x 16 of them in the matrix.",
    ),
    Exercise(
        id="hopper.2",
        title="A tile that begins anywhere",
        name="first",
        kind=Function(
            ("base", "row"),
            edges=((0, 0), (0, 1), (1024, 3), (128, 0), (256, 2), (256, 6), (512, 5), (896, 1), (1920, 7)),
            draw=lambda random: (128 * random.randrange(24), random.randrange(64)),
        ),
        question=(
            "A tile has a 128-byte swizzle and begins at byte `base`, a multiple of 128, perhaps not of 1,024. Write `first(base, row)`: the "
            "byte address at which the unit puts element (row, 0)."
        ),
        right=at_row,
        solution="def first(base, row):\n    a = base + 128 * row\n    return a ^ ((a >> 7 & 7) << 4)",
        hints=(
            "Where would the row begin without swizzle? That address decides.",
            "The row begins 128 · row behind the base. Bits 7 to 9 of that address are XORed into its bits 4 to 6.",
            "In Python, `a >> 7 & 7` takes the three bits out of an address a, and `<< 4` brings them to their place.",
        ),
        wrong=(
            Wrong(
                lambda base, row: base + (128 * row ^ (row % 8 << 4)),
                "you swizzle the offset in the tile; the unit swizzles the address, so the base belongs inside.",
            ),
            Wrong(lambda base, row: base + 128 * row, "that is where the row begins without swizzle."),
            Wrong(
                lambda base, row: base + 144 * row,
                "a step of 144 bytes leads down the first eight rows of a tile at byte 0; then the pattern begins again.",
            ),
            Wrong(
                lambda base, row: (row + 128 * base) ^ ((row + 128 * base) >> 7 & 7) << 4,
                "base and row have changed places.",
            ),
            Wrong(
                lambda base, row: (base + 128 * row) ^ ((base + 128 * row) >> 7 & 3) << 4,
                "two bits are the 64-byte swizzle; one of 128 bytes takes three.",
            ),
            Wrong(
                lambda base, row: (base + 128 * row) ^ ((base + 128 * row) >> 7 & 7),
                "pieces of 16 bytes are exchanged: the three bits go to bits 4 to 6.",
            ),
            Wrong(
                lambda base, row: (base + 128 * row) ^ ((base + 128 * row) >> 7 << 4),
                "only three bits take part: a 128-byte swizzle is Swizzle<3,4,3>.",
            ),
            Wrong(
                lambda base, row: (base + 128 * row ^ ((base + 128 * row >> 7 & 7) << 4)) - base,
                "that is the distance from the base; the question asks for the address.",
            ),
        ),
        because="The address alone decides: its bits 7 to 9 are XORed into bits 4 to 6, wherever the tile begins.",
    ),
    Exercise(
        id="hopper.3",
        title="LBO and SBO exchanged",
        kind=Value("tuple", example="(8, 2)", parts=("m", "k"), means=lies_at),
        question=(
            "An operand A of 64 x 16 halves lies K-major without swizzle: LBO 128, SBO 256. By mistake the descriptor says LBO 256, SBO 128. "
            "Nothing faults. Which element (m, k) of the operand is read in place of (40, 3)?"
        ),
        right=exchanged,
        solution="answer = (16, 11)",
        hints=(
            "First the byte that the wrong descriptor reads for (40, 3): m / 8 times its SBO, and so on.",
            "5 x 128 + 0 x 256 + 0 + 6 = 646. Which element lies there, by LBO 128 and SBO 256?",
            "646 = 2 x 256 + 1 x 128 + 6: the third eight rows, the second eight columns.",
        ),
        wrong=(
            Wrong((40, 3), "that would hold if the exchange did not matter; but 5 x 128 is not 5 x 256."),
            Wrong((40, 11), "that changes k alone; the exchange carries m along, too."),
            Wrong((11, 16), "row and column have changed places."),
            Wrong((20, 3), "half of m: but the 128 that is left over leads to the other eight columns."),
            Wrong((16, 3), "646 - 512 is more than one row of a core matrix: there is one LBO left in it."),
            Wrong((2, 11), "2 is the number of the core matrix; it begins at row 16."),
        ),
        because="5 x 128 + 6 = 646 = 2 x 256 + 128 + 6: core matrix 2 down, 1 across, row 0, half 3.",
    ),
    Exercise(
        id="hopper.4",
        title="Bytes to expect",
        kind=Value(unit="bytes", example="1,000", means=bytes_mean),
        question=(
            "A kernel has 4 stages, each with one full barrier. A stage holds A, 128 x 64 halves, and B, 256 x 64 halves; K is 1,000, so in "
            "the last tile 40 of the 64 columns exist. How many bytes must the barrier expect for that last tile?"
        ),
        right=expected,
        solution="answer = (128 + 256) * 64 * 2",
        hints=(
            "Which copies report to this barrier?",
            "A and B both do. And does the unit count what lies outside the matrix?",
            "It counts whole boxes: 128 x 64 and 256 x 64 halves.",
        ),
        wrong=(
            Wrong(30720, "that counts only what exists; the unit reports whole boxes, zeros included."),
            Wrong(24576, "those are elements, and a half has 2 bytes."),
            Wrong(196608, "those are all four stages; each has a barrier of its own."),
            Wrong(16384, "A alone; the copy of B reports to the same barrier."),
            Wrong(32768, "B alone; the copy of A reports to the same barrier."),
            Wrong(98304, "a half has 2 bytes, not 4."),
            Wrong(15360, "those are the elements that exist; the barrier counts bytes, and whole boxes."),
        ),
        because="(128 + 256) x 64 x 2: both boxes whole, wherever they hang over.",
    ),
    Exercise(
        id="hopper.5",
        title="Stages for a longer way",
        kind=Value("tuple", example="(9, 9)", parts=("producer", "together"), unit="stages", means=stages_mean),
        question=(
            "The data now come from global memory: arrival 1,400 cycles. The MMA takes 300 cycles a tile, the copies alone 172. Issue is 210 in the "
            "producer's loop, and 480 where the same threads copy. For each loop: with how many stages, at least, would one more buy nothing? "
            "`answer = (producer, together)`."
        ),
        right=lambda: (fewest("producer"), fewest("together")),
        solution="answer = (4, 3)",
        hints=(
            "First the bound of each loop: max(mma + issue, rate).",
            "Bounds 510 and 780. Producer: (arrival + mma) / stages. Together: arrival / (stages - 1).",
            "1700 / 510 = 3.3 and 1400 / 780 = 1.8; round up, and mind the minus one.",
        ),
        wrong=(
            Wrong((4, 2), "together: S stages hide S - 1 copies, so there is one more."),
            Wrong((3, 3), "producer: 1700 / 3 is 567, still more than 510."),
            Wrong((3, 2), "you round down, and together: S stages hide S - 1 copies."),
            Wrong((3, 1), "you round down both times; and together, S stages hide S - 1 copies."),
            Wrong((6, 6), "the bound is not the MMA alone: waiting and issuing belong to it."),
            Wrong((10, 10), "172 cycles are the copies alone; the threads are busy for longer."),
            Wrong((4, 4), "together: arrival / (stages - 1), without the MMA, over a bound of 780."),
            Wrong((3, 4), "producer and together have changed places."),
        ),
        because="1700 / 510 rounds up to 4; 1400 / 780 to 2, and one more. Together needs fewer, because its bound is worse: 780 where 510 is.",
    ),
)
