"""What lesson kernel asks: its predictions and its exercises."""

from __future__ import annotations

from random import Random

import numpy as np

from cutelab import ComposedLayout, Layout, Swizzle, WarpAccess, measured_kernels, wavefronts
from cutelab.course.ask.exercise import Exercise, Prediction, Wrong
from cutelab.course.ask.functions import Function
from cutelab.course.ask.kinds import Choice, LayoutMap, Value
from cutelab.course.ask.traced import Seen, Traced
from cutelab.plans import TransposePlan
from cutelab.plans.gemm import a_layout, grouped
from cutelab.plans.tiles import pitched, tile_layout


def per_instruction(variant: str, access: str) -> int:
    """Sectors or wavefronts of one warp's instruction in the transpose at tile 32."""
    found = {a.name: a for a in TransposePlan(32, tile_layout(variant, 32)).accesses()}[access]
    return found.count // found.instructions


def rate(pitch: int) -> float:
    """GB/s of the transpose at tile 64 with this pitch, as measured."""
    plan = TransposePlan(64, pitched(64, pitch))
    time = measured_kernels().time("transpose", 16384, tile=64, layout=str(plan.layout), vector=1, block=plan.block)
    assert time is not None
    return time.rate


def slower() -> str:
    """How much slower is a 4-way conflict, in one word of the options?"""
    ratio = rate(65) / rate(68)
    return "not" if ratio < 1.02 else "half" if ratio < 3 else "quarter"


def gain() -> str:
    """How much faster is the padded product, in one word of the options?"""
    run = measured_kernels()
    slow, fast = (
        run.time("gemm", 4096, m=128, a_layout=str(a_layout(name)), double_buffer=False)
        for name in ("conflicting", "padded")
    )
    assert slow is not None and fast is not None
    ratio = fast.rate / slow.rate
    return "none" if ratio < 1.02 else "tenth" if ratio < 1.5 else "twice" if ratio < 3 else "four"


def other_pitch(random: Random) -> Prediction:
    """A column of a tile with another pitch."""
    pitch = random.choice((34, 36, 40, 48, 64))
    return Prediction(
        id="kernel.b",
        title="Down the tile",
        kind=Value(unit="wavefronts", example="4", given=(("pitch", pitch), ("lanes", 32))),
        question=f"With a pitch of {pitch}, how many wavefronts does one warp's read of `tile[x * {pitch} + y]` take (float32, x the lane)?",
        right=lambda: int(wavefronts(WarpAccess(np.arange(32) * pitch * 4, 4)).count),
        replies=(),
        because=f"As many lanes share a bank as {pitch} and 32 have in common.",
    )


PREDICTIONS = (
    Prediction(
        id="kernel.a",
        title="The naive write",
        kind=Choice.of(1, 4, 32, 128),
        question="`out[x, y] = a[y, x]`: the 32 lanes of a warp differ in x. How many sectors does one warp's write to out take?",
        right=lambda: per_instruction("naive", "write out"),
        replies=(
            Wrong("1", "One sector holds 8 float32 that lie side by side. These lie a whole row apart."),
            Wrong("4", "That is the read: a row of 32 float32 is 128 bytes."),
            Wrong("128", "That would be 4 sectors for each lane; each writes 4 bytes."),
        ),
        because="Each lane writes to another row of out, and so to a sector of its own.",
    ),
    Prediction(
        id="kernel.b",
        title="Down the tile",
        kind=Value(unit="wavefronts", example="4", given=(("pitch", 32),)),
        again=other_pitch,
        question="With a pitch of 32, how many wavefronts does one warp's read of `tile[x * 32 + y]` take?",
        right=lambda: per_instruction("conflicting", "read tile"),
        replies=(
            Wrong(1, "That would need 32 different banks. x * 32 is a multiple of 32 in every lane."),
            Wrong(4, "4 are the sectors of a row in global memory; shared memory is counted in wavefronts."),
            Wrong(2, "Two lanes in a bank would take 2. Here more than two meet."),
            Wrong(16, "Half of it: all 32 lanes are in the same bank, each with a word of its own."),
            Wrong(1024, "That is the whole block of 32 warps; the question is about one instruction of one warp."),
        ),
        because="All 32 lanes meet in bank y, each on its own word.",
    ),
    Prediction(
        id="kernel.c",
        title="Four wavefronts for one",
        kind=Choice(
            (("not", "as fast as pitch 65"), ("half", "about half as fast"), ("quarter", "about a quarter as fast"))
        ),
        question="Tile 64, pitch 68: reading the tile takes 4 wavefronts where 1 would do. How fast was the whole transpose?",
        right=slower,
        source="an H200 measured",
        replies=(
            Wrong("half", "Shared memory had time to spare: the kernel waits for global memory anyway."),
            Wrong("quarter", "Only if reading the tile were all that the kernel waits for."),
        ),
        because="Global memory is the slower part. Up to a point, conflicts hide behind it.",
    ),
    Prediction(
        id="kernel.d",
        title="The product",
        kind=Choice(
            (
                ("none", "no faster"),
                ("tenth", "about a tenth faster"),
                ("twice", "twice as fast"),
                ("four", "four times as fast"),
            )
        ),
        question="In the product, padding cuts the wavefronts of reading A's tile to a quarter. How much faster does that make it?",
        right=gain,
        source="an H200 measured",
        replies=(
            Wrong(
                "none",
                "The reads of A's tile are a real part of the time here: each feeds only 64 multiplications a lane.",
            ),
            Wrong("twice", "The multiplications take most of the time, and they stay."),
            Wrong("four", "Only one of seven accesses became cheaper, and the multiplications stay."),
        ),
        because="The arithmetic sets the pace; the conflicts stuck out of it by a little.",
    ),
)


TILE = 32


def swizzled_place(row: int, col: int) -> int:
    """Where the swizzled tile of the course keeps (row, col), computed by the library."""
    return int(ComposedLayout(Swizzle(5, 0, 5), 0, Layout((TILE, TILE), (TILE, 1)))(row, col))


def draw_place(random: Random) -> tuple[int, int]:
    return random.randrange(TILE), random.randrange(TILE)


def row_sums() -> np.ndarray:
    """What `row_sums` of the notebook adds up."""
    return np.asarray(np.arange(TILE * TILE).reshape(TILE, TILE).sum(axis=1))


def histogram() -> np.ndarray:
    """How often each value occurs in the notebook's data."""
    return np.bincount(np.arange(1024) ** 2 // 9 % 32, minlength=32)


ROW_SUMS_STARTER = """
def row_sums(out, a):
    tile, t = cuda.shared.array(1024, np.int32), cuda.threadIdx.x
    for row in range(32):
        tile[row * 32 + t] = a[row, t]
    cuda.syncthreads()
    for col in range(32):
        out[t] += tile[t * 32 + col]
"""

HISTOGRAM_STARTER = """
def histogram(out, a):
    mine, t = cuda.shared.array(1024, np.int32), cuda.threadIdx.x
    for i in range(32):
        mine[t * 32 + i] = 0
    for i in range(32):
        mine[t * 32 + a[i * 32 + t]] += 1
    cuda.syncthreads()
    for i in range(32):
        out[t] += mine[i * 32 + t]
"""

MATRIX = np.arange(TILE * TILE).reshape(TILE, TILE)
NEAR_SUMS = (
    (lambda out: not out.any(), "the array is all zero: nothing was added up, or nothing was written."),
    (
        lambda out: np.array_equal(out, MATRIX.sum(axis=0)),
        "these are the sums of the columns: thread t has to add up row t.",
    ),
    (
        lambda out: np.array_equal(out, MATRIX[:, -1]),
        "this is the last element of each row: add (`+=`) where the kernel now overwrites.",
    ),
    (
        lambda out: any(np.array_equal(out, MATRIX[:, :k].sum(axis=1)) for k in range(1, TILE)),
        "only a part of each row is added up: every column belongs to the sum.",
    ),
    (
        lambda out: any(np.array_equal(out, k * MATRIX.sum(axis=1)) for k in (2, 3, 4)),
        "every row is added up more than once; was `out` set to zero before?",
    ),
    (lambda out: int(out[0]) == int(MATRIX[0].sum()) and not out[1:].any(), "only thread 0 has written its sum."),
    (
        lambda out: int(out.sum()) == int(MATRIX.sum()),
        "all elements are added up, but to the wrong rows: write and read the tile with the same layout.",
    ),
    (
        lambda out: True,
        "the tile is not read as it was written: a pitch or an XOR in one of the two lines must stand in the other too.",
    ),
)


def data_differ(out: np.ndarray) -> bool:
    """Do these counts come from other data: all there, and in one bin?"""
    return int(out.sum()) == 1024 and int(out.max()) == 1024


NEAR_COUNTS = (
    (lambda out: not out.any(), "the array is all zero: nothing was counted, or nothing was written."),
    (data_differ, "all values fell into one bin: the data are not those of the exercise, or they are not read."),
    (
        lambda out: len(set(out.tolist())) == 1,
        "every bin has the same count: the values in `a` have to choose the bin, and here they do not.",
    ),
    (
        lambda out: int(out.sum()) == 1024,
        "all 1,024 are counted, but not in their bins: in the last loop thread t has to add up bin t, over all lanes.",
    ),
    (
        lambda out: int(out.sum()) < 1024,
        "some counts are lost: lanes that add to one counter in the same step overwrite each other, or a counter is left out.",
    ),
    (lambda out: True, "some counters are added twice, or were not zero at the start."),
)

ROW_SUMS = """
import numpy as np
from cutelab.kernels import cuda, trace
@cuda.jit
def row_sums(out, a):
    tile = cuda.shared.array(1056, np.int32)
    t = cuda.threadIdx.x
    for row in range(32):
        tile[row * 33 + t] = a[row, t]
    cuda.syncthreads()
    for col in range(32):
        out[t] += tile[t * 33 + col]
a, out = np.arange(1024, dtype=np.int32).reshape(32, 32), np.zeros(32, np.int32)
answer = (trace(row_sums, 1, 32, out, a), out)
""".strip()

HISTOGRAM = """
import numpy as np
from cutelab.kernels import cuda, trace
@cuda.jit
def histogram(out, a):
    mine = cuda.shared.array(1024, np.int32)
    t = cuda.threadIdx.x
    for i in range(32):
        mine[i * 32 + t] = 0
    for i in range(32):
        mine[a[i * 32 + t] * 32 + t] += 1
    cuda.syncthreads()
    for i in range(32):
        out[t] += mine[t * 32 + (i + t) % 32]
a, out = (np.arange(1024) ** 2 // 9 % 32).astype(np.int32), np.zeros(32, np.int32)
answer = (trace(histogram, 1, 32, out, a), out)
""".strip()

EXERCISES = (
    Exercise(
        id="kernel.1",
        title="The swizzle as an index",
        name="place",
        kind=Function(
            ("row", "col"), edges=((0, 0), (0, 31), (1, 0), (1, 1), (31, 31), (17, 6), (5, 12)), draw=draw_place
        ),
        question=(
            "Write the index of the swizzled tile `Sw<5,0,5> o 0 o (32,32):(32,1)` for a kernel: `place(row, col)`, with `^` "
            "for XOR and without a lookup."
        ),
        right=swizzled_place,
        solution="def place(row, col):\n    return row * 32 + (col ^ row)",
        hints=(
            "Without the swizzle it is row * 32 + col. Which bits of that number are the row, and which the column?",
            "`Sw<5,0,5>` takes the five bits from bit 5 up and XORs them into the five bits from bit 0 up.",
            "The upper five bits are the row, the lower five the column: only the column changes.",
        ),
        wrong=(
            Wrong(lambda row, col: row * 32 + col, "this is the plain row-major tile; the XOR is missing."),
            Wrong(
                lambda row, col: row * 33 + col,
                "this is padding: it frees the column read too, but it is another layout.",
            ),
            Wrong(
                lambda row, col: row * 32 + col ^ row * 32,
                "XOR with row * 32 takes the row away again. XOR the column with the row itself.",
            ),
            Wrong(
                lambda row, col: (row ^ col) * 32 + col,
                "here the row changes and the column stays: all 32 rows of a column still lie in one bank.",
            ),
            Wrong(
                lambda row, col: row * 32 + (col | row),
                "OR sets bits and never clears one, so two columns meet in one place; a swizzle uses XOR.",
            ),
            Wrong(
                lambda row, col: row * 32 + (col & row),
                "AND clears bits, so many columns meet in one place; a swizzle uses XOR.",
            ),
            Wrong(
                lambda row, col: (row * 32 + col) ^ 5,
                "a constant only renames the columns, the same way in every row; the row has to decide.",
            ),
            Wrong(
                lambda row, col: row ^ col,
                "this is the column after the swizzle; the row's start, row * 32, is missing.",
            ),
            Wrong(
                lambda row, col: col * 32 + (row ^ col),
                "the row comes first: the element stays in its row, at row * 32.",
            ),
            Wrong(
                lambda row, col: row * 32 + (col ^ (row & 7)),
                "only three bits of the row are taken; `Sw<5,0,5>` takes all five.",
            ),
            Wrong(
                lambda row, col: row * 32 + (col + row) % 32,
                "this turns each row round by its number. It is free of conflicts too, but a Swizzle uses XOR.",
            ),
        ),
        because="The row's five bits lie right above the column's, and `Sw<5,0,5>` XORs them down.",
    ),
    Exercise(
        id="kernel.2",
        title="Pad the product's tile",
        kind=LayoutMap('"((4,32),8):((1,32),4)"', number=lambda pitch: grouped(128, 8, pitch)),
        question=(
            "A's tile `((4,32),8):((1,32),4)` has groups of 4 rows, 32 elements apart, and is read 16 bytes a lane. Give the "
            "groups the smallest pitch beyond 32 that keeps each access aligned to 16 bytes and frees the reads of conflicts. Write the layout, or "
            "its pitch."
        ),
        right=lambda: grouped(128, 8, 36),
        solution='answer = "((4,32),8):((1,36),4)"',
        hints=(
            "Only one number changes: the step from one group of 4 rows to the next.",
            "An access of 16 bytes starts at a multiple of 4 elements. So must every group.",
            "Try the next multiple of 4 above 32 in `explore.kernel`: the group then starts one access further on in the banks.",
        ),
        wrong=(
            Wrong(
                "((4,32),8):((1,33),4)",
                "a pitch of 33 is not a multiple of 4 elements: the 16-byte accesses are not aligned.",
            ),
            Wrong("((4,32),8):((1,32),4)", "this is the conflicting layout itself."),
            Wrong(
                "((4,32),8):((1,40),4)",
                "40 frees the reads too, but it wastes twice as much, and the writes still conflict.",
            ),
            Wrong("((4,32),8):((1,64),4)", "64 is a multiple of 32 banks again: the groups meet as before."),
            Wrong("((4,32),8):((1,36),8)", "the step along k must stay 4: a group's columns lie one after the other."),
            Wrong("((4,32),8):((1,44),4)", "44 works as well; a smaller one does too."),
        ),
        because="One access of padding after each group: neighbours start 4 banks apart, so 8 of them fill the 32 banks.",
    ),
    Exercise(
        id="kernel.3",
        title="Row sums",
        kind=Traced(row_sums, ROW_SUMS_STARTER, loads=32, stores=32, near=NEAR_SUMS),
        question=(
            "Each thread adds up its own row of the tile: 32 threads walk down a column of banks together. Change the kernel so "
            "that no shared access has a conflict. The sums stay the same."
        ),
        right=lambda: Seen(True, 0),
        solution=ROW_SUMS,
        hints=(
            "Look at line `tile[t * 32 + col]`: which banks do the 32 lanes touch for one value of col?",
            "Either the rows start in different banks, or each thread begins its row at another place.",
            "A pitch of 33 does it, in both places where the tile is indexed, and the array needs 32 elements more.",
        ),
        wrong=(
            Wrong(
                Seen(True, 32),
                "better: two lanes still meet in each bank, as with a pitch of 34. An odd pitch spreads all 32.",
            ),
            Wrong(
                Seen(True, 96),
                "better: four lanes still meet in each bank, as with a pitch of 36. An odd pitch spreads all 32.",
            ),
            Wrong(
                Seen(True, 224),
                "better: eight lanes still meet in each bank, as with a pitch of 40. An odd pitch spreads all 32.",
            ),
            Wrong(
                Seen(True, 480),
                "better: 16 lanes still meet in a bank, as with a pitch of 48. An odd pitch spreads all 32.",
            ),
        ),
        because="The lanes of each access now touch 32 different banks: 1 wavefront each.",
    ),
    Exercise(
        id="kernel.4",
        title="Histogram",
        kind=Traced(
            histogram,
            HISTOGRAM_STARTER,
            loads=64,
            stores=64,
            near=NEAR_COUNTS,
            remember="the 1,024 counters have to be set to zero first",
        ),
        question=(
            "Each lane counts in 32 bins of its own, so that no two lanes touch one counter. But lanes that count the same bin "
            "meet in its bank. Find an order of the 1,024 counters, and of the last loop, without any conflict, whatever the data."
        ),
        right=lambda: Seen(True, 0),
        solution=HISTOGRAM,
        hints=(
            "In the first two loops the bank must depend on the lane alone: which of bin and lane should be the fast one?",
            "With `bin * 32 + t` the first two loops are free, whatever the data. Now the last one walks down a column.",
            "In the last loop each thread may add up its 32 counters in any order. Let thread t begin with counter t.",
        ),
        wrong=(
            Wrong(
                Seen(True, 992),
                "in two of the three loops no lanes meet now. In the third its 32 lanes meet in one bank each time.",
            ),
            Wrong(
                Seen(True, 142), "a pitch of 33 moves the conflicts about: which lanes meet still depends on the data."
            ),
            Wrong(
                Seen(True, 136),
                "with this XOR it still depends on the data which lanes meet. Let the bank be the lane.",
            ),
        ),
        because="Lane t counts in bank t, and in the last loop thread t starts at counter t: 32 banks in every step.",
    ),
)
