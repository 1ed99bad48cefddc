"""What lesson kernel asks: its predictions and its exercises."""

from __future__ import annotations

from random import Random

import numpy as np

from cutelab import ComposedLayout, Layout, Swizzle, WarpAccess, measured_kernels, sectors, wavefronts
from cutelab.course.ask.counted import COUNTERS, Counted, Predicted
from cutelab.course.ask.exercise import Exercise, Prediction, Wrong
from cutelab.course.ask.functions import Function
from cutelab.course.ask.kinds import Choice, LayoutMap, Value
from cutelab.course.ask.traced import Seen, Traced
from cutelab.hardware.chip import H200
from cutelab.plans import TransposePlan
from cutelab.plans.gemm import a_layout, grouped
from cutelab.plans.tiles import pitched, tile_layout

LANES = H200.lanes
TILE = 32
TURNED, ROUNDS = 64, 4


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


def warps_of(threads: int, step: int) -> int:
    """How many warps of a block have a thread with t % step == 0?"""
    return len({t // LANES for t in range(0, threads, step)})


def other_step(random: Random) -> Prediction:
    """Another block, another test."""
    threads, step = random.choice((96, 192, 256)), random.choice((4, 16, 64))
    return Prediction(
        id="kernel.f",
        title="Half of the threads",
        kind=Value(unit="warps", example="5", given=(("threads", threads), ("step", step))),
        question=f"A block of {threads} threads runs `if t % {step} == 0: tile[t] += tile[t + {step // 2}]`. In how many warps does at least one thread pass the `if`?",
        right=lambda: warps_of(threads, step),
        replies=(),
        because="Every warp with at least one such thread runs the line.",
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
    Prediction(
        id="kernel.e",
        title="Whose element is it?",
        kind=Value(example="7", given=(("thread", 5), ("size", 64))),
        question="Every thread t of a block of 64 stores `tile[t]`, and thread 5 reads `tile[63 - 5]`. Which thread of the block stored that element?",
        right=lambda: TURNED - 1 - 5,
        replies=(
            Wrong(5, "Thread 5 stored tile[5]; it reads another place."),
            Wrong(59, "Counting from 0, the last place is 63: 63 - 5."),
            Wrong(1, "That is the warp of the thread; the question is about its number in the block."),
            Wrong(26, "That is its lane, its place in warp 1; in the block it has another number."),
        ),
        because="So thread 5, in warp 0, needs what a thread of warp 1 stores. Only a barrier makes one warp wait for the other.",
    ),
    Prediction(
        id="kernel.f",
        title="Half of the threads",
        kind=Value(unit="warps", example="5", given=(("threads", 128),)),
        again=other_step,
        question="A block of 128 threads, four warps, runs `if t % 2 == 0: tile[t] += tile[t + 1]`. In how many warps does at least one thread pass the `if`?",
        right=lambda: warps_of(128, 2),
        replies=(
            Wrong(2, "Half of the threads pass, but they are spread: every warp has some of them."),
            Wrong(64, "That many threads pass; the question counts their warps."),
            Wrong(1, "One warp has only 32 threads, and 64 pass."),
        ),
        because="Each warp has 16 such lanes, so each warp must run the line, and half of its lanes only look on.",
    ),
)


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


def turned() -> np.ndarray:
    """What `rounds` of the notebook writes: each piece of 64 elements backwards."""
    return np.arange(ROUNDS * TURNED, dtype=np.float32).reshape(ROUNDS, TURNED)[:, ::-1].ravel()


ROUNDS_STARTER = """
def rounds(out, a):
    tile, t = cuda.shared.array(64, np.float32), cuda.threadIdx.x
    for k in range(4):
        tile[t] = a[k * 64 + t]
        cuda.syncthreads()
        out[k * 64 + t] = tile[63 - t]
"""

ROUNDS_SOLVED = """
import numpy as np
from cutelab.kernels import cuda, trace
@cuda.jit
def rounds(out, a):
    tile, t = cuda.shared.array(64, np.float32), cuda.threadIdx.x
    for k in range(4):
        tile[t] = a[k * 64 + t]
        cuda.syncthreads()
        out[k * 64 + t] = tile[63 - t]
        cuda.syncthreads()
a, out = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
answer = (trace(rounds, 1, 64, out, a), out)
""".strip()

PIECES = np.arange(ROUNDS * TURNED, dtype=np.float32)
NEAR_TURNED = (
    (lambda out: not out.any(), "the array is all zero: nothing was written, or nothing was read."),
    (
        lambda out: np.array_equal(out, PIECES[::-1]),
        "this is the whole array backwards: each piece of 64 elements stays where it is and is turned by itself.",
    ),
    (lambda out: np.array_equal(out, PIECES), "this is a copy: nothing was turned; read `tile[63 - t]`."),
    (
        lambda out: np.array_equal(out[:TURNED], turned()[:TURNED]) and not out[TURNED:].any(),
        "only the first round has written its piece.",
    ),
    (lambda out: True, "some elements are those of another round, or of none: a store and a read are out of order."),
)

OWN = """
import numpy as np
from cutelab.kernels import cuda, trace
@cuda.jit
def own(out, a):
    tile, t = cuda.shared.array(64, np.float32), cuda.threadIdx.x
    tile[t] = a[2 * t]
    cuda.syncthreads()
    out[t] = tile[63 - t]
a, out = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
answer = ((16, 8, 2, 2), trace(own, 1, 64, out, a))
""".strip()


def pair_sums() -> tuple[int, ...]:
    """The four counts of `pair_sums` of the notebook: 128 threads load every fourth float, 64 add neighbours."""
    first, lane = LANES * np.arange(4)[:, None], np.arange(LANES)
    t, half = first + lane, first[:2] + lane
    loads = sectors(WarpAccess(16 * t, 4)).count
    stores = sectors(WarpAccess(8 * half, 4, "store")).count
    read = sum(np.sum(wavefronts(WarpAccess(4 * (2 * half + i), 4)).count) for i in (0, 1))
    put = wavefronts(WarpAccess(4 * t, 4, "store")).count
    return int(np.sum(loads)), int(np.sum(stores)), int(read), int(np.sum(put))


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
    Exercise(
        id="kernel.5",
        title="Find the race",
        kind=Traced(
            turned,
            ROUNDS_STARTER,
            loads=8,
            stores=8,
            threads=TURNED,
            near=NEAR_TURNED,
            remember="each round fills the tile anew",
        ),
        question=(
            "`rounds` turns four pieces of 64 elements, one after the other, in the same tile. There is a barrier, and still there "
            "is a race. Find it, and change the kernel until the trace reports none and the result is right."
        ),
        right=lambda: Seen(True, 0),
        solution=ROUNDS_SOLVED,
        hints=(
            "Read the race in the trace: which two lines does it name, and which of them belongs to the *next* round?",
            "A fast warp may already store piece k + 1 while a slow one still reads piece k. What keeps them apart?",
            "Either a second barrier stands between the read and the next store, or the next round uses another tile.",
        ),
        wrong=(
            Wrong(
                Seen(True, 0, "the kernel must go through shared memory, and this one never touches it."),
                "without the tile there is no race, and no exercise: keep the tile, and order its reads and stores.",
            ),
            Wrong(
                Seen(True, 48),
                "the race is gone: each round has a tile of its own. But with the round as the fast index neighbouring lanes are 4 words apart.",
            ),
            Wrong(
                Seen(False, 0, "the block has 32 threads; 64 threads have to share the work."),
                "with one warp the other half of each piece is missing: launch 64 threads.",
            ),
        ),
        because="Between two rounds every thread now waits until all have read (or writes to another tile).",
    ),
    Exercise(
        id="kernel.6",
        title="Four counts of a kernel",
        kind=Value("tuple", example="(16, 4, 2, 6)", parts=COUNTERS),
        question=(
            "`pair_sums` runs as one block of 128 threads on float32. Predict the four totals of its trace: sectors of the global loads, "
            "sectors of the global stores, wavefronts of the shared loads, wavefronts of the shared stores."
        ),
        right=pair_sums,
        solution="answer = (64, 16, 8, 4)",
        hints=(
            "Go warp by warp: four warps run the first line, but `if t < 64` lets only two of them pass.",
            "In `a[4 * t]` neighbouring lanes are 16 bytes apart, so a sector serves two of them. In `out[2 * t]` it serves four.",
            "`tile[2 * t]` is a stride of two words: lanes 0 and 16 meet in bank 0. And the line reads the tile twice.",
        ),
        wrong=(
            Wrong(
                (64, 16, 4, 4), "in `tile[2 * t]` lanes 0 and 16 meet in one bank: 2 wavefronts for each read, not 1."
            ),
            Wrong(
                (128, 16, 8, 4),
                "in `a[4 * t]` neighbouring lanes are 16 bytes apart, so two lanes share each sector of 32 bytes.",
            ),
            Wrong(
                (64, 32, 16, 4), "`if t < 64` lets two of the four warps pass; the last line runs in those two only."
            ),
            Wrong((64, 16, 4, 8), "the tile is stored once by four warps, and read twice by two warps."),
            Wrong((16, 8, 4, 1), "these are the counts of one warp; the trace adds up all warps of the block."),
            Wrong(
                (4, 2, 4, 4), "these are warp instructions; each may move several sectors, or take several wavefronts."
            ),
            Wrong(
                (16, 8, 8, 4),
                "these would be the sectors of neighbouring elements; here most of each sector is not used.",
            ),
        ),
        because="4 warps of 16 sectors, 2 warps of 8; 2 warps, 2 reads, 2-way each; 4 warps of 1.",
    ),
    Exercise(
        id="kernel.7",
        title="A kernel of your own",
        kind=Predicted(),
        question=(
            "Write a kernel, or take one of yours. Write down its four counts first, then trace it: they must agree. "
            "Make it a kernel about which you are not quite sure."
        ),
        right=lambda: Counted(True),
        solution=OWN,
        hints=(
            "Take the lines one by one: how many warps run it, how often, and what does one warp's instruction cost?",
            "Global memory: which sectors of 32 bytes do the 32 lanes touch? Shared memory: how many different words does the fullest bank give?",
            "If a count is off, read the trace's column `counted` line by line: one of them is not what you thought.",
        ),
        wrong=(
            Wrong(
                Counted(False, "instructions"),
                "these are warp instructions: an instruction may move several sectors, or take several wavefronts.",
            ),
            Wrong(
                Counted(False, "ideal"),
                "these are the ideal counts: what the bytes alone would need. Your kernel takes more, somewhere.",
            ),
            Wrong(Counted(False, "warp"), "these are the counts of one warp; the trace adds up all warps."),
            Wrong(
                Counted(False, "block"), "these are the counts of one block; the totals are those of the whole grid."
            ),
            Wrong(
                Counted(False, "exchanged"),
                "the right numbers in another order: global load, global store, shared load, shared store.",
            ),
            Wrong(
                Counted(False, "race"), "a race comes first: with threads in each other's way the counts mean little."
            ),
            Wrong(
                Counted(False, "nothing"),
                "this kernel touches no memory, so there is nothing to predict: give it some work.",
            ),
        ),
        because="You knew what it costs before it ran.",
    ),
)
