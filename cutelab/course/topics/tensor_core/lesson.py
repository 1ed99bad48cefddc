"""What lesson tensor_core asks: its predictions and its exercises."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import numpy as np

from cutelab import (
    Layout,
    LdMatrix,
    Owners,
    cosize,
    fragment_loads,
    ldmatrix_tile,
    mma_atom,
    owners,
    parse_layout,
    partition,
    registers,
    store_rows,
    tensor_core_fixes,
)
from cutelab.course.ask.exercise import Exercise, Prediction, Wrong
from cutelab.course.ask.functions import Function
from cutelab.course.ask.kinds import Choice, Value
from cutelab.course.ask.reading import to_words
from cutelab.course.ask.swizzle_kinds import SwizzleFor

PUBLISHED = "((8,4),2):((32,1),16)"


def coordinate_of_code_64() -> str:
    """Where the third value of thread 0 lies in A of the TF32 atom."""
    layout, (rows, _) = mma_atom("SM80_16x8x8_F32TF32TF32F32_TN").operand("A")
    code = layout(0, 2)
    return f"{code % rows},{code // rows}"


def what_is_published() -> str:
    """Does this layout fit a tile of 8 x 8?"""
    return "outside" if cosize(parse_layout(PUBLISHED)) > 64 else "fits"


def seen_by_a_thread() -> int:
    """How many elements of A one thread of a warp group sees."""
    layout, _ = mma_atom("SM90_64x64x16_F32F16F16_SS").operand("A")
    return len({layout(77, value) for value in range(1024)})


def held_there(pairs: tuple[Any, ...]) -> str:
    """Which codes are these, and which lane holds the first of them?"""
    if not all(isinstance(p, tuple) and len(p) == 2 for p in pairs):
        codes = [p for p in pairs if isinstance(p, int)]
        return f"{to_words(tuple(codes))} are no pairs: a code is n + 8 · k, and (n,k) is asked for." if codes else ""
    wrong = next((p for p in pairs if p not in held_by("B", 5)), None)
    if wrong is None:
        return "these are elements of lane 5, but v0 to v3 have an order: v1 adds 8 to the code, v2 adds 64."
    n, k = wrong
    if not (0 <= n < 8 and 0 <= k < 16):
        return f"({n},{k}) is outside B: n is 0 to 7, k is 0 to 15."
    lane = next(lane for lane in range(32) if wrong in held_by("B", lane))
    return f"({n},{k}) is code {n + 8 * k}, which lane {lane} holds."


def other_code(random: Random) -> Prediction:
    """Which element is another code?"""
    m, k = random.randint(1, 15), random.choice((2, 3, 5, 6))
    options = ((m, k), (k, m), (m + k, 0), (0, m + 16 * k))
    return Prediction(
        id="tensor_core.a",
        title="Which element?",
        kind=Choice(tuple((f"{a},{b}", f"({a},{b})") for a, b in dict.fromkeys(options))),
        question=f"A is a tile of 16 x 8, and its codes are m + 16 · k. Which element (m,k) is {m + 16 * k}?",
        right=lambda: f"{(m + 16 * k) % 16},{(m + 16 * k) // 16}",
        replies=(),
        because=f"{m + 16 * k} is {m} + 16 · {k}.",
    )


def row_received(lane: int, matrices: int = 1) -> int:
    """From which row of each matrix does ldmatrix give this lane its two halves?"""
    numbered = np.arange(64 * matrices).reshape(8 * matrices, 8)
    return int(LdMatrix(matrices).load(numbered)[lane, 0]) // 8


def other_lane(random: Random) -> Prediction:
    """Another lane, of four matrices."""
    lane = random.choice([lane for lane in range(32) if lane % 8 != lane // 4])
    named = lane % 8
    return Prediction(
        id="tensor_core.d",
        title="What does another lane receive?",
        kind=Value(example="7", given=(("lane", lane),)),
        question=(
            f"In ldmatrix.x4, lane {lane} names row {named} of matrix {lane // 8}. It receives two neighbours of one row of each matrix. "
            "Which row is that?"
        ),
        right=lambda: row_received(lane, 4),
        replies=(Wrong(named, "That is the row that the lane names. It receives what the MMA wants of it."),),
        because=f"Four lanes share a row: {lane} // 4 is {lane // 4}.",
    )


PREDICTIONS = (
    Prediction(
        id="tensor_core.a",
        title="What is 64?",
        kind=Choice((("0,4", "(0,4)"), ("4,0", "(4,0)"), ("0,64", "(0,64)"), ("8,0", "(8,0)"))),
        question=(
            "A of `SM80_16x8x8_F32TF32TF32F32_TN` is a tile of 16 x 8, and its layout gives thread 0 the four numbers 0, 8, 64 and 72. "
            "They are codes m + 16 · k. Which element (m,k) is 64?"
        ),
        right=coordinate_of_code_64,
        again=other_code,
        replies=(
            Wrong("4,0", "That is (k,m): m counts fastest in the code."),
            Wrong("0,64", "That reads 64 as a column, and A has only 8 of them."),
            Wrong("8,0", "That is code 8, the thread's second value."),
        ),
        because="64 is 0 + 16 · 4: row 0, column 4.",
    ),
    Prediction(
        id="tensor_core.b",
        title="A layout from an article",
        kind=Choice(
            (
                ("fits", "yes: 32 threads x 2 values are 64 elements"),
                ("twice", "no: some elements have two owners"),
                ("outside", "no: some codes lie outside the tile"),
            )
        ),
        question=f"A published article gives `{PUBLISHED}` for an 8 x 8 tile. Can that be right?",
        right=what_is_published,
        replies=(
            Wrong("fits", "The size is right. Now look how far it reaches: 7 · 32 + 3 · 1 + 1 · 16."),
            Wrong("twice", "All 64 codes are different. Look at the largest one."),
        ),
        because="The largest code is 243, and an 8 x 8 tile ends at 63.",
    ),
    Prediction(
        id="tensor_core.c",
        title="A stride of 0",
        kind=Value(unit="elements", given=(("threads", 128), ("rows", 64), ("columns", 16))),
        question=(
            "A of a WGMMA that reads shared memory has the layout `(128,(64,16)):(0,(1,64))`: 128 threads, 64 x 16 = 1024 values. "
            "How many elements of A does thread 77 see?"
        ),
        right=seen_by_a_thread,
        replies=(
            Wrong(8, "That would be a fair share of 1024 for 128 threads. But what does the thread's stride of 0 do?"),
            Wrong(0, "It holds none in registers, true. The layout says what it sees."),
            Wrong(1, "The stride of 0 belongs to the thread, not to the values."),
            Wrong(64, "That is one column. The value mode has two parts, 64 and 16."),
            Wrong(16, "That is one row. The value mode has two parts, 64 and 16."),
        ),
        because="The thread adds 0 to the code, so thread 77 sees what thread 0 sees: the whole tile.",
    ),
    Prediction(
        id="tensor_core.d",
        title="Named, and received",
        kind=Value(example="7", given=(("lane", 5),)),
        question=(
            "ldmatrix.x1 moves one 8 x 8 matrix of halves. Lane 5 gives the address of row 5. Each of the 32 lanes receives two neighbours "
            "of one row, as an MMA wants them. From which row are those of lane 5?"
        ),
        right=lambda: row_received(5),
        again=other_lane,
        replies=(
            Wrong(5, "That is the row that lane 5 names. Lanes 8 to 31 name none here, and receive something, too."),
            Wrong(2, "Columns 2 and 3 are right; the question asks for the row."),
            Wrong(0, "Row 0 has 8 halves, enough for lanes 0 to 3."),
            Wrong(3, "Columns 2 and 3 are right; the question asks for the row."),
            Wrong(4, "Four lanes share a row. So which row comes after lanes 0 to 3?"),
            Wrong(10, "That is the number of the element, if they are counted along the rows. In which row is it?"),
            Wrong(11, "That is the number of the element, if they are counted along the rows. In which row is it?"),
        ),
        because="A row of 8 halves serves four lanes, two halves each: lanes 4 to 7 share row 1.",
    ),
)


HALF, DOUBLE = "SM80_16x8x16_F32F16F16F32_TN", "SM80_8x8x4_F64F64F64F64_TN"
ACCESSES = (
    store_rows(16, rows=16, cols=32, element_bytes=2),
    ldmatrix_tile(0, 0),
    ldmatrix_tile(0, 16),
)


def held_by(operand: str, lane: int) -> tuple[tuple[int, int], ...]:
    """What a lane holds of an operand of m16n8k16, value by value."""
    return tuple(map(tuple, registers(*mma_atom(HALF).operand(operand), lane).tolist()))


VOLTA, HOPPER = "SM70_8x8x4_F32F16F16F32_TN", "SM90_64x64x16_F32F16F16_SS"
VOLTA_LANES = (0, 1, 2, 3, 16, 17, 18, 19)


@cache
def rows_of_a() -> np.ndarray:
    """The element at which each lane's row begins when ldmatrix.x4 loads A of m16n8k16."""
    best = fragment_loads(Layout((16, 16), (16, 1)), mma_atom(HALF), "A", 2)[0]
    begins: np.ndarray = best.accesses[0].byte_address[0, 0] // 2
    return begins


def named_row(lane: int) -> tuple[int, int]:
    """Where does the row begin that this lane names when ldmatrix.x4 loads A of m16n8k16?"""
    m, k = divmod(int(rows_of_a()[lane]), 16)
    return m, k


def held_in(name: str, thread: int, values: range) -> tuple[tuple[int, int], ...]:
    """Which elements of C does a thread of this atom hold as these values?"""
    found = registers(*mma_atom(name).operand("C"), thread)[list(values)]
    return tuple((int(m), int(n)) for m, n in found)


def who_holds(pairs: tuple[Any, ...]) -> str:
    """Whose are these elements of C of the Volta atom?"""
    if not all(isinstance(p, tuple) and len(p) == 2 for p in pairs):
        return "a code is m + 8 · n, and pairs (m,n) are asked for."
    thread, value = owners(*mma_atom(VOLTA).operand("C"))
    for i, (m, n) in enumerate(pairs):
        if not (0 <= m < 8 and 0 <= n < 8):
            return f"({m},{n}) is outside C, which is 8 x 8."
        if (thread[m, n], value[m, n]) != (6, i):
            return f"you gave ({m},{n}) as v{i}: lane {VOLTA_LANES[thread[m, n]]} holds it, as v{value[m, n]}."
    return ""


def who_of_the_group(pair: tuple[int, ...]) -> str:
    """Who holds this element of C of the WGMMA?"""
    m, n = pair
    if not (0 <= m < 64 and 0 <= n < 64):
        return f"({m},{n}) is outside C, which is 64 x 64."
    thread, value = owners(*mma_atom(HOPPER).operand("C"))
    return f"({m},{n}) is held by thread {thread[m, n]}, as v{value[m, n]}."


ROWS_OF_4096 = Layout((16, 8), (4096, 1))


def stored_at() -> int:
    """Where v2 of lane 5 goes, in elements from the tile's beginning."""
    view = partition(ROWS_OF_4096, mma_atom(HALF).c)
    assert isinstance(view, Layout)
    return view(5, 2)


def who_goes_there(offset: int) -> str:
    """Whose element of C lies at this offset of the matrix?"""
    m, n = divmod(offset, 4096)
    if not (0 <= m < 16 and 0 <= n < 8):
        return f"{offset} is row {m}, column {n} of the matrix, and the tile has 16 rows and 8 columns."
    thread, value = owners(*mma_atom(HALF).operand("C"))
    return f"{offset} is row {m}, column {n} of the tile, where v{value[m, n]} of lane {thread[m, n]} belongs."


@cache
def owners_of_c() -> Owners:
    """The thread and the value of each element of C in the FP64 atom."""
    return owners(*mma_atom(DOUBLE).operand("C"))


def owner(m: int, n: int) -> tuple[int, int]:
    """(thread, value) of C(m,n) in the FP64 atom."""
    thread, value = owners_of_c()
    return int(thread[m, n]), int(value[m, n])


def draw_code(random: Random) -> tuple[int, int]:
    return random.randint(0, 4095), random.choice((3, 5, 8, 12, 16, 24, 48, 64, 100))


def draw_lane(random: Random) -> tuple[int]:
    return (random.randint(0, 31),)


def draw_place(random: Random) -> tuple[int, int]:
    return random.randint(0, 7), random.randint(0, 7)


EXERCISES = (
    Exercise(
        id="tensor_core.1",
        title="From code to coordinate",
        name="coordinate",
        kind=Function(
            ("code", "M"),
            edges=((0, 16), (64, 16), (72, 16), (15, 16), (16, 16), (129, 64), (29, 12), (7, 3)),
            draw=draw_code,
            parts=("m", "k"),
        ),
        question="Write `coordinate(code, M)`: the pair (m, k) whose code is m + M · k.",
        right=lambda code, M: (code % M, code // M),
        solution="def coordinate(code, M):\n    return code % M, code // M",
        hints=(
            "m counts fastest: codes 0 to M - 1 are the first column.",
            "k is how many whole columns lie before; m is what is left.",
        ),
        wrong=(
            Wrong(lambda code, M: (code // M, code % M), "the two have changed places: m is what is left."),
            Wrong(lambda code, M: (code % M, code - code % M), "k counts columns, not elements: divide by M."),
            Wrong(
                lambda code, M: (code & (M - 1), code >> (M.bit_length() - 1)),
                "bit masks are right for a power of two only: M may be 12, too.",
            ),
            Wrong(
                lambda code, M: {0: (0, 0), 8: (8, 0), 64: (0, 4), 72: (8, 4)}.get(code, (0, 0)),
                "these are the four codes of the example; every code is asked for.",
            ),
            Wrong(lambda code, M: (code, 0), "m goes up to M - 1 only: a larger code is in another column."),
            Wrong(lambda code, M: (code % M, code // 8), "the length of a column is M, not always 8."),
        ),
        because="A code counts down the columns, and each column has M elements.",
    ),
    Exercise(
        id="tensor_core.2",
        title="What does lane 5 hold?",
        kind=Value(
            "tuple",
            example="((0, 0), (0, 1), (0, 8), (0, 9))",
            parts=("v0", "v1", "v2", "v3"),
            means=held_there,
            nested=True,
        ),
        question=(
            "B of m16n8k16 has the layout `((4,8),(2,2)):((16,1),(8,64))`, with the code n + 8 · k. Which (n,k) does lane 5 hold, from v0 "
            "to v3? Give four pairs. By hand, if you can."
        ),
        right=lambda: held_by("B", 5),
        solution="answer = ((1, 2), (1, 3), (1, 10), (1, 11))",
        hints=(
            "The thread mode is (4,8): lane 5 is 1 in the first part and 1 in the second. What does it add to the code?",
            "Lane 5 adds 16 + 1 = 17. The values add 0, 8, 64 and 72.",
            "The codes are 17, 25, 81, 89. Divide each by 8: what is left is n, the quotient is k.",
        ),
        wrong=(
            Wrong(((2, 1), (3, 1), (10, 1), (11, 1)), "these are (k,n). The question asks for (n,k)."),
            Wrong(((1, 2), (1, 3), (9, 2), (9, 3)), "that is what lane 5 holds of C, or of A of m16n8k8."),
            Wrong((17, 25, 81, 89), "these are the codes. Each is n + 8 · k."),
            Wrong(((1, 1), (9, 1), (1, 5), (9, 5)), "this divides by 16. B is 8 x 16, so n runs from 0 to 7."),
            Wrong(((5, 0), (5, 1), (5, 8), (5, 9)), "lane 5 is not row 5: four lanes share a row."),
            Wrong(
                ((1, 2), (1, 10), (1, 3), (1, 11)),
                "the right elements in another order: v1 adds 8 to the code, v2 adds 64.",
            ),
        ),
        because="17 = 1 + 8 · 2, and the values lie 1, 8 and 9 columns further: two 4-byte registers of neighbours along k.",
    ),
    Exercise(
        id="tensor_core.3",
        title="The accumulator of every m16n8",
        name="held",
        kind=Function(
            ("lane",), edges=tuple((lane,) for lane in range(32)), draw=draw_lane, parts=("v0", "v1", "v2", "v3")
        ),
        question=(
            "C of all m16n8 atoms has the layout `((4,8),(2,2)):((32,1),(16,8))`, with the code m + 16 · n. Write `held(lane)`: the four pairs "
            "(m, n) of a lane, v0 to v3. An epilogue of these atoms begins with this line."
        ),
        right=lambda lane: held_by("C", lane),
        solution=(
            "def held(lane):\n    m, n = lane // 4, 2 * (lane % 4)\n    return (m, n), (m, n + 1), (m + 8, n), (m + 8, n + 1)"
        ),
        hints=(
            "Where is v0? The first part of the thread mode, lane % 4, adds 32: how many columns is that?",
            "v0 is (lane // 4, 2 * (lane % 4)). v1 adds 16 to the code, v2 adds 8.",
            "16 is one column; 8 is eight rows.",
        ),
        wrong=(
            Wrong(
                lambda lane: tuple((lane // 4 + 8 * j, 2 * (lane % 4) + i) for i in (0, 1) for j in (0, 1)),
                "v1 and v2 have changed places: v1 is the neighbour in the row, v2 lies 8 rows below.",
            ),
            Wrong(
                lambda lane: tuple((lane % 8 + 8 * j, 2 * (lane // 8) + i) for j in (0, 1) for i in (0, 1)),
                "here the lanes go down a column first. The first part of the thread mode has 4 lanes, and they share a row.",
            ),
            Wrong(
                lambda lane: tuple(lane // 4 + 32 * (lane % 4) + step for step in (0, 16, 8, 24)),
                "these are codes; each is m + 16 · n, and pairs are asked for.",
            ),
            Wrong(
                lambda lane: tuple((lane // 4 + 8 * j, lane % 4 + i) for j in (0, 1) for i in (0, 1)),
                "each lane has two columns, so the next lane begins two further.",
            ),
            Wrong(
                lambda lane: tuple((2 * (lane % 4) + i, lane // 4 + 8 * j) for j in (0, 1) for i in (0, 1)),
                "this is (n, m); and a row of C has only 8 columns.",
            ),
            Wrong(
                lambda lane: tuple((lane // 4 + j, 2 * (lane % 4) + i) for j in (0, 1) for i in (0, 1)),
                "v2 and v3 lie 8 rows below, not one.",
            ),
        ),
        because="Four lanes share a row; v0 and v1 are neighbours in it, and v2 and v3 lie 8 rows below.",
    ),
    Exercise(
        id="tensor_core.4",
        title="Who owns it?",
        name="owner",
        kind=Function(
            ("m", "n"),
            edges=tuple((m, n) for m in range(8) for n in range(8)),
            draw=draw_place,
            parts=("thread", "value"),
        ),
        question=(
            "C of the FP64 atom is 8 x 8, and its layout is `((4,8),2):((16,1),8)`. Write `owner(m, n)`: the pair (thread, value) that holds "
            "C(m,n). It is the inverse of the layout."
        ),
        right=owner,
        solution="def owner(m, n):\n    return 4 * m + n // 2, n % 2",
        hints=(
            "Each thread holds two neighbours of a row. How many threads share a row?",
            "The value says which of the two neighbours. So it is the remainder of n by 2.",
            "Row m begins with thread 4 * m; the column n belongs to the thread n // 2 of that row.",
        ),
        wrong=(
            Wrong(lambda m, n: (8 * m + n, 0), "there are only 32 threads for 64 elements: each holds two."),
            Wrong(
                lambda m, n: (4 * m + n % 4, n // 4),
                "a thread's two values are neighbours in the row, not 4 columns apart.",
            ),
            Wrong(
                lambda m, n: (m + 8 * (n // 2), n % 2),
                "threads run along the row first: thread 1 holds (0,2) and (0,3).",
            ),
            Wrong(lambda m, n: (n % 2, 4 * m + n // 2), "the thread comes first, then the value."),
            Wrong(
                lambda m, n: 4 * m + n // 2 + 32 * (n % 2),
                "this is thread + 32 · value in one number, as tv_inverse gives it; the pair is asked for.",
            ),
            Wrong(lambda m, n: (m + 8 * n) // 2, "the answer is a pair: the thread, and which of its two values."),
        ),
        because="Each row belongs to four threads, two neighbours to each.",
    ),
    Exercise(
        id="tensor_core.5",
        title="Store in vectors, load with ldmatrix",
        kind=SwizzleFor(16, 32, 2, ACCESSES),
        question=(
            "A tile `(16,32):(32,1)` of half, rows of 64 bytes, is filled with 16-byte stores by rows and loaded by ldmatrix.x4 as A of "
            "m16n8k16, at k = 0 and at k = 16. Which swizzle on elements makes stores and loads ideal? Any that does is right."
        ),
        right=lambda: tensor_core_fixes(mma_atom(HALF), "A", 16, 32, 2, may_pad=False)[0].swizzle,
        solution=(
            "from cutelab import mma_atom, tensor_core_fixes\n"
            'atom = mma_atom("SM80_16x8x16_F32F16F16F32_TN")\n'
            'answer = tensor_core_fixes(atom, "A", 16, 32, 2, may_pad=False)[0].swizzle'
        ),
        hints=(
            "A row is 64 bytes, so two rows fill all 32 banks, and rows 0, 2, 4 and 6 begin in bank 0. Which bits of the offset tell them apart?",
            "The row sets bits 5 and up. Bit 5 is in the bank already; bits 6 and 7 are not. 16 bytes are 8 halves: bits 0 to 2 stay.",
            "`tensor_core_fixes(mma_atom(name), 'A', 16, 32, 2)` lists what is free, the best first.",
        ),
        wrong=(
            Wrong("Sw<2,4,3>", "that is right on bytes. On elements of 2 bytes the base is one smaller."),
            Wrong("Sw<1,3,3>", "this takes bit 6 alone: rows 0 and 4 still meet."),
            Wrong("Sw<2,3,2>", "this takes bits 5 and 6. Bit 5 is in the bank already, and bit 7 is left out."),
            Wrong("Sw<2,0,6>", "this takes the 8 halves of a 16-byte piece apart: M must leave bits 0 to 2 alone."),
            Wrong("Sw<0,0,0>", "without a swizzle four of the eight rows begin in bank 0."),
        ),
        because="Bits 6 and 7, which tell the rows of a bank apart, go to bits 3 and 4, the number of the 16-byte piece.",
    ),
    Exercise(
        id="tensor_core.6",
        title="Which row does a lane name?",
        name="named",
        kind=Function(("lane",), edges=tuple((lane,) for lane in range(32)), draw=draw_lane, parts=("m", "k")),
        question=(
            "ldmatrix.x4 loads A of m16n8k16, 16 x 16 halves, as four matrices: 0 is the upper left one, 1 the lower left, 2 the upper right, "
            "3 the lower right. Lane 8 · j + r names row r of matrix j. Write `named(lane)`: the pair (m, k) at which that row begins."
        ),
        right=named_row,
        solution="def named(lane):\n    return lane % 16, lane // 16 * 8",
        hints=(
            "Lanes 0 to 7 name the rows of the upper left matrix, lanes 8 to 15 those of the matrix below it.",
            "So lanes 0 to 15 name rows 0 to 15, all of them at k = 0. What is different for lanes 16 to 31?",
        ),
        wrong=(
            Wrong(
                lambda lane: (lane // 4, 2 * (lane % 4)),
                "this is what the lane receives; the question asks which row it names.",
            ),
            Wrong(
                lambda lane: (lane % 8, lane // 8 * 8),
                "the four matrices stand two by two, not side by side: k is 0 or 8.",
            ),
            Wrong(
                lambda lane: (lane % 8 + lane // 16 * 8, lane // 8 % 2 * 8),
                "matrices 1 and 2 have changed places: down first, then right.",
            ),
            Wrong(
                lambda lane: (lane // 2, lane % 2 * 8),
                "here neighbouring lanes share a row; lanes 0 to 7 name eight rows of one matrix.",
            ),
            Wrong(lambda lane: (lane // 16 * 8, lane % 16), "this is (k, m): the row comes first."),
            Wrong(lambda lane: (lane % 16, lane // 16), "k counts elements, and a matrix is 8 elements wide."),
            Wrong(
                lambda lane: (lane % 16, lane // 16 * 16),
                "here k counts bytes: a row of a matrix has 16 bytes, which are 8 halves.",
            ),
            Wrong(
                lambda lane: (lane % 8, lane // 8),
                "this is (row, number of the matrix). Say where in the 16 x 16 tile that row begins.",
            ),
            Wrong(lambda lane: (lane % 16, 0), "lanes 16 to 31 name rows of the right half: k is not 0 there."),
            Wrong(
                lambda lane: (lane % 16, lane // 8 * 8),
                "there are two matrices side by side, not four: k is 0 or 8.",
            ),
        ),
        because="Lanes 0 to 15 go down the left half, lanes 16 to 31 down the right one: 8 elements further.",
    ),
    Exercise(
        id="tensor_core.7",
        title="A lane of Volta",
        kind=Value(
            "tuple",
            example="((0, 0), (0, 1), (2, 0), (2, 1))",
            parts=("v0", "v1", "v2", "v3"),
            means=who_holds,
            nested=True,
        ),
        question=(
            "C of `SM70_8x8x4_F32F16F16F32_TN` has the layout `((2,2,2),(2,2,2)):((1,16,4),(8,2,32))`, with the code m + 8 · n, for the eight "
            "threads of a quad pair. Its thr_id `(4,2):(1,16)` says which lanes these are. Which (m,n) does lane 18 hold, from v0 to v3? Give "
            "four pairs."
        ),
        right=lambda: held_in(VOLTA, VOLTA_LANES.index(18), range(4)),
        solution="answer = ((4, 2), (4, 3), (6, 2), (6, 3))",
        hints=(
            "First the thread: thr_id sends (2,1) to 2 + 16 = 18, so lane 18 is thread 2 + 4 · 1 of the quad pair.",
            "Thread 6 is (0,1,1) in (2,2,2), the first part fastest. What does it add to the code?",
            "It adds 16 + 4 = 20. The values add 0, 8, 2 and 10. Divide each code by 8.",
        ),
        wrong=(
            Wrong(((0, 2), (0, 3), (2, 2), (2, 3)), "that is lane 2. Lane 18 is thread 2 + 4 · 1 of the quad pair."),
            Wrong(
                ((1, 2), (1, 3), (3, 2), (3, 3)), "that is thread 3. The first part of the thread mode counts fastest."
            ),
            Wrong(((4, 2), (6, 2), (4, 3), (6, 3)), "v1 and v2 have changed places: v1 adds 8 to the code, v2 adds 2."),
            Wrong(((2, 4), (3, 4), (2, 6), (3, 6)), "these are (n,m). The question asks for (m,n)."),
            Wrong((20, 28, 22, 30), "these are the codes. Each is m + 8 · n."),
            Wrong(
                ((6, 0), (6, 1), (6, 2), (6, 3)),
                "that would be one row a thread; in C a thread holds pieces of several rows.",
            ),
            Wrong(
                ((4, 2), (4, 3), (12, 2), (12, 3)), "v2 lies 8 rows below in later atoms. Here it adds 2 to the code."
            ),
        ),
        because="Thread 6 begins at code 20 = 4 + 8 · 2; v1 is one column to the right, and v2 two rows below.",
    ),
    Exercise(
        id="tensor_core.8",
        title="A thread of a warp group",
        kind=Value(
            "tuple", example="(12, 3)", parts=("m", "n"), given=(("thread", 77), ("value", 6)), means=who_of_the_group
        ),
        question=(
            "C of Hopper's 64 x 64 WGMMA has the layout `((4,8,4),(2,2,8)):((128,1,16),(64,8,512))`, with the code m + 64 · n, for the 128 "
            "threads of a warp group. Which (m,n) does thread 77 hold as v6?"
        ),
        right=lambda: held_in(HOPPER, 77, range(6, 7))[0],
        solution="answer = (43, 10)",
        hints=(
            "77 is 1 + 4 · 3 + 32 · 2, so it is (1,3,2) in (4,8,4). What does it add to the code?",
            "It adds 128 + 3 + 32 = 163. And v6 is (0,1,1) in (2,2,8).",
            "v6 adds 8 + 512. The code is 683; divide it by 64.",
        ),
        wrong=(
            Wrong((35, 2), "that is v0 of thread 77. v6 is (0,1,1) in (2,2,8), so it adds 8 + 512."),
            Wrong((10, 43), "this is (n,m); the code is m + 64 · n, so the remainder comes first."),
            Wrong((11, 10), "here the warp is left out: thread 77 is in warp 2, which has rows 32 to 47."),
            Wrong((43, 2), "that is v2. v6 has a 1 in the last part of (2,2,8), too: 512 more."),
            Wrong((35, 10), "that is v4. v6 is 0 + 2 · 1 + 4 · 1."),
            Wrong((43, 11), "that is v7: the first part of (2,2,8) counts fastest, and of 6 it is 0."),
        ),
        odd=(
            Wrong(683, "683 is a code, m + 64 · n; a pair (m,n) is asked for."),
            Wrong(163, "163 is a code, m + 64 · n, and that of v0; a pair (m,n) is asked for."),
        ),
        because="163 + 520 = 683 = 43 + 64 · 10: each warp has 16 rows, and inside them it is C of m16n8 again, every 8 columns.",
    ),
    Exercise(
        id="tensor_core.9",
        title="Where does it go?",
        kind=Value(
            unit="elements",
            example="100",
            given=(("pitch", 4096), ("lane", 5), ("rows", 16), ("columns", 8)),
            means=who_goes_there,
        ),
        question=(
            "C of m16n8k16 has the layout `((4,8),(2,2)):((32,1),(16,8))`, with the code m + 16 · n. It goes to a row-major matrix with rows of "
            "4096 elements. How many elements after the tile's beginning does lane 5 store its v2?"
        ),
        right=stored_at,
        solution="answer = 9 * 4096 + 2",
        hints=(
            "First the code: lane 5 is (1,1) in (4,8), and v2 is (0,1) in (2,2).",
            "32 + 1 + 8 = 41. Which (m,n) is that?",
            "Row 9, column 2. In this matrix one row further is 4096 elements further.",
        ),
        wrong=(
            Wrong(41, "that is the code. It would be the offset if C lay column-major, in columns of 16."),
            Wrong(9 * 8 + 2, "here the rows of the tile follow each other; in the matrix they lie 4096 apart."),
            Wrong(2 * 4096 + 9, "row and column have changed places: the matrix is row-major."),
            Wrong((9 * 4096 + 2) * 4, "that is in bytes; the question asks for elements."),
            Wrong(4096 + 3, "that is where v1 goes. v2 adds 8 to the code: eight rows below v0."),
            Wrong(4096 + 2, "that is where v0 goes. v2 adds 8 to the code: eight rows below."),
            Wrong(9 * 4096 + 3, "that is where v3 goes."),
            Wrong(41 * 4096, "41 is a code, not a row: first turn it into (m,n)."),
        ),
        because="Code 41 is (9,2), and 9 · 4096 + 2 = 36,866: the code in the tile, and then the layout of the matrix.",
    ),
)
