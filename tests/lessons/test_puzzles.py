"""The thirty puzzles: targets typed by hand in plain Python, pars proven by trying everything, answers of every kind."""

import ast
import re
from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest

from cutelab import ComposedLayout, Layout, Swizzle, TmaTile, make_tiled_copy, parse_layout
from cutelab.course.lab.checking import check
from cutelab.course.lab.report import progress
from cutelab.course.topics.puzzles.fewest import fewest_modes
from cutelab.course.topics.puzzles.lesson import EXERCISES, copying
from cutelab.course.topics.puzzles.targets import TARGETS
from cutelab.cutlass.atoms.copy import copy_atom

PUZZLES = {int(e.id.partition(".")[2]): e for e in EXERCISES}
LANES = range(32)


# -- plain Python: layouts, swizzles, banks --------------------------------------------------------------------------


def leaves(x):
    return [leaf for part in x for leaf in leaves(part)] if isinstance(x, tuple) else [x]


def mode(shape, stride):
    """The offsets of one mode in its 1-D order."""
    found = [0]
    for n, d in zip(leaves(shape), leaves(stride), strict=True):
        found = [i + k * d for k in range(n) for i in found]
    return found


def by_hand(text):
    """The offsets of a layout's text: a list for each mode."""
    shape, stride = (ast.literal_eval(part) for part in text.split(":"))
    if not isinstance(shape, tuple):
        return [mode(shape, stride)]
    return [mode(n, d) for n, d in zip(shape, stride, strict=True)]


def table_of(text):
    """Rows of offsets of a layout with two modes; one list for other layouts."""
    modes = by_hand(text)
    if len(modes) == 2:
        return [[r + c for c in modes[1]] for r in modes[0]]
    return [sum(parts[::-1]) for parts in product(*modes[::-1])]


def flat(text):
    """The 1-D order of a layout's text."""
    return [sum(parts) for parts in product(*by_hand(text)[::-1])]


def moved(bits, base, shift, offset):
    """A swizzle, bit by bit."""
    for b in range(bits):
        source, goal = (base + shift + b, base + b) if shift >= 0 else (base + b, base - shift + b)
        offset ^= (offset >> source & 1) << goal
    return offset


def moved_all(bits, base, shift, offset):
    """The same for arrays, and from the bits as they were."""
    mask = (1 << bits) - 1
    if shift >= 0:
        return offset ^ (offset >> shift & mask << base)
    return offset ^ (offset & mask << base) << -shift


def numbers(swizzle):
    return tuple(map(int, re.findall(r"-?\d+", swizzle)))


def wavefronts(byte, width):
    """Wavefronts of lanes of 4 or 16 bytes at these byte addresses, the lanes in groups that fill 128 bytes."""
    byte = np.asarray(byte)
    total = 0
    for group in byte.reshape(-1, 128 // width if len(byte) * width > 128 else len(byte)):
        words = np.unique((group[:, None] + np.arange(0, width, 4)) // 4)
        total += int(np.bincount(words % 32).max())
    return total


def free_of_conflicts(offset, item, accesses):
    """Is each of these accesses ideal? offset: rows x columns; an access: (rows, columns, bytes a lane)."""
    for rows, columns, width in accesses:
        vector = width // item
        for r, c in zip(rows, columns, strict=True):
            first = offset[r, c]
            pieces = offset[r[:, None], c[:, None] + np.arange(vector)]
            if (pieces != first[:, None] + np.arange(vector)).any() or (first % vector).any():
                return False
            if wavefronts(first * item, width) != -(-len(r) * width // 128):
                return False
    return True


def columns(rows, cols):
    return (np.tile(np.arange(32), (cols, 1)), np.repeat(np.arange(cols), 32).reshape(cols, 32), 4)


def rows_of_32(rows):
    return (np.repeat(np.arange(rows), 32).reshape(rows, 32), np.tile(np.arange(32), (rows, 1)), 4)


def eights(rows, cols):
    starts = [(r, c) for r in range(0, rows, 8) for c in range(0, cols, 8)]
    return (
        np.array([[r + i for i in range(8)] for r, c in starts]),
        np.array([[c] * 8 for r, c in starts]),
        16,
    )


def stores(rows, cols):
    """16 bytes of halves a lane, row by row."""
    pieces = [(r, c) for r in range(rows) for c in range(0, cols, 8)]
    return (
        np.array([r for r, _ in pieces]).reshape(-1, 32),
        np.array([c for _, c in pieces]).reshape(-1, 32),
        16,
    )


def pairs(cols):
    lane = np.arange(32)
    starts = range(0, cols, 2)
    return (np.array([lane % 16 for _ in starts]), np.array([c + lane // 16 for c in starts]), 4)


ACCESSES = {
    9: ((32, 32), 4, [columns(32, 32), rows_of_32(32)]),
    10: ((16, 32), 2, [eights(16, 32)]),
    11: ((16, 64), 4, [pairs(64), rows_of_32(16)]),
    20: ((32, 32), 4, [columns(32, 32), rows_of_32(32)]),
    21: ((16, 64), 2, [eights(16, 64), stores(16, 64)]),
    22: ((32, 32), 2, [eights(32, 32), stores(32, 32)]),
    30: ((64, 128), 2, [eights(64, 128)]),
}


# -- the targets, typed a second time -------------------------------------------------------------------------------

HAND = {
    1: [0, 3, 6, 9, 12, 15, 18, 21],
    2: [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 14]],
    3: [[0, 2, 4, 6, 8, 10]] * 4,
    4: [[0, 1, 2, 3, 4], [2, 3, 4, 5, 6], [4, 5, 6, 7, 8], [6, 7, 8, 9, 10]],
    5: [0, 1, 8, 9, 2, 3, 10, 11],
    6: [[4 * r + c for c in range(4)] + [16 + 4 * r + c for c in range(4)] for r in range(4)],
    7: [
        [0, 1, 2, 6, 7, 8],
        [3, 4, 5, 9, 10, 11],
        [12, 13, 14, 18, 19, 20],
        [15, 16, 17, 21, 22, 23],
    ],
    8: [
        [0, 1, 4, 5, 16, 17, 20, 21],
        [2, 3, 6, 7, 18, 19, 22, 23],
        [8, 9, 12, 13, 24, 25, 28, 29],
        [10, 11, 14, 15, 26, 27, 30, 31],
        [32, 33, 36, 37, 48, 49, 52, 53],
        [34, 35, 38, 39, 50, 51, 54, 55],
        [40, 41, 44, 45, 56, 57, 60, 61],
        [42, 43, 46, 47, 58, 59, 62, 63],
    ],
    12: [0, 6, 12, 18, 24, 30, 36, 42],
    13: [[i, i + 8, i + 16, i + 24] for i in range(8)],
    14: [[0, 4], [16, 20], [32, 36], [48, 52]],
    15: [0, 12, 3, 15, 6, 18, 9, 21],
    16: [list(range(i, i + 6)) for i in (0, 6, 12, 18)],
    17: [[0, 6, 1, 7], [12, 18, 13, 19], [2, 8, 3, 9], [14, 20, 15, 21], [4, 10, 5, 11], [16, 22, 17, 23]],
    18: [[0, 2, 4, 6, 8, 10], [1, 3, 5, 7, 9, 11], [12, 14, 16, 18, 20, 22], [13, 15, 17, 19, 21, 23]],
    23: [
        [0, 1, 2, 3, 4, 5, 6, 7],
        [8, 9, 10, 11, 12, 13, 14, 15],
        [18, 19, 16, 17, 22, 23, 20, 21],
        [26, 27, 24, 25, 30, 31, 28, 29],
        [36, 37, 38, 39, 32, 33, 34, 35],
        [44, 45, 46, 47, 40, 41, 42, 43],
        [54, 55, 52, 53, 50, 51, 48, 49],
        [62, 63, 60, 61, 58, 59, 56, 57],
    ],
    29: [
        [
            r * 64 + (c // 8 + r - 2 * sum((c // 8 & r & 1 << b) for b in range(3)) - r // 8 * 8) * 8 + c % 8
            for c in range(64)
        ]
        for r in range(16)
    ],
}
"""29: piece xor row, as sum less twice the common bits, the row taken modulo 8."""

OWNERS = {
    24: {(r, c): (2 * r + (c > 3), c - 4 * (c > 3)) for r in range(4) for c in range(8)},
    25: {(place % 4, place // 4): (place % 8, place // 8) for place in range(32)},
    26: {
        (lane // 4 + 8 * (v // 2), lane % 4 * 2 + v % 2): (lane, v) for lane in LANES for v in range(4)
    },  # as the PTX manual has the accumulators of m16n8
    27: {(t // 8, t % 8 * 4 + v): (t, v) for t in LANES for v in range(4)},
}


def given(n):
    """The stated solution of a puzzle."""
    names = {}
    exec(PUZZLES[n].solution, names)
    return names["answer"]


def solution_by_hand(n):
    """The offsets of the stated solution, computed by plain Python as the question says."""
    text = given(n)
    if n in (12, 13, 15):
        a = flat({12: "24:2", 13: "(4,8):(8,1)", 15: "16:3"}[n])
        return [[a[i] for i in row] for row in table_of(text)] if n == 13 else [a[i] for i in flat(text)]
    if n == 14:
        rows, cols = (mode(*map(int, part.split(":"))) for part in text.strip("<>").split(","))
        return [[8 * r + c for c in cols] for r in rows]
    if n == 16:
        tile = mode(*map(int, text.split(":")))
        rest = [i for i in range(6) if i not in tile[1:]]  # the first tile moved to each place that is still free
        return [[t + k for k in rest] for t in tile]
    if n == 17:
        rows, cols = (mode(*map(int, part.split(":"))) for part in text.strip("<>").split(","))
        tile = [6 * r + c for c in cols for r in rows]
        return [[place + 6 * i + j for j in range(2) for i in range(2)] for place in tile]
    if n == 18:
        blocks = table_of(text)
        return [[4 * blocks[r // 2][c // 2] + r % 2 + c % 2 * 2 for c in range(6)] for r in range(4)]
    if n == 23:
        return [[moved(*numbers(text), 8 * r + c) for c in range(8)] for r in range(8)]
    if n == 29:
        swizzle, _, layout = text.split(" o ")
        return [[moved(*numbers(swizzle), offset) for offset in row] for row in table_of(layout)]
    return flat(text) if n in (1, 5) else table_of(text)


@pytest.mark.parametrize("n", HAND)
def test_the_target_and_the_solution_are_what_was_typed_by_hand(n):
    assert TARGETS[n].table.tolist() == HAND[n] == solution_by_hand(n)


@pytest.mark.parametrize("n", OWNERS)
def test_the_owners_are_what_was_typed_by_hand(n):
    target = TARGETS[n]
    found = {
        (r, c): (int(target.thread[r, c]), int(target.value[r, c]))
        for r in range(target.thread.shape[0])
        for c in range(target.thread.shape[1])
    }
    assert found == OWNERS[n]
    if n < 27:
        threads, values = by_hand(given(n))
        rows = target.thread.shape[0]
        for t, at in enumerate(threads):
            for v, step in enumerate(values):
                assert OWNERS[n][(at + step) % rows, (at + step) // rows] == (t, v)


@pytest.mark.parametrize("n", ACCESSES)
def test_the_solution_is_free_of_conflicts_within_its_limit_by_hand(n):
    (rows, cols), item, accesses = ACCESSES[n]
    text = given(n)
    if n in (9, 10, 11):
        offset = np.array(table_of(text))
    elif n == 30:
        swizzle, _, layout = text.split(" o ")
        offset = moved_all(*numbers(swizzle), np.array(table_of(layout)))
    else:
        offset = moved_all(*numbers(text), np.arange(rows * cols).reshape(rows, cols))
    assert free_of_conflicts(offset, item, accesses)
    assert len(np.unique(offset)) == rows * cols and (offset.max() + 1) * item <= TARGETS[n].limit
    if n in (9, 10, 11):
        assert (offset.max() + 1) * item == PUZZLES[n].kind.par


def test_the_gaps_are_filled_by_hand():
    assert sorted(a + b for a in (0, 2, 4, 6) for b in flat(given(19))) == list(range(24))


def test_the_copy_of_puzzle_28_by_hand():
    """Eight lanes a row, 16 bytes each: all sectors of four rows, and all banks of the swizzled tile."""
    where = [(lane // 8, lane % 8) for lane in LANES]
    touched = {(2 * 4096 * r + 16 * p + b) // 32 for r, p in where for b in range(16)}
    assert len(touched) == 32 * 16 // 32
    assert wavefronts([128 * r + 16 * (p ^ r) for r, p in where], 16) == 32 * 16 // 128


def test_the_hopper_tiles_are_what_the_unit_writes():
    """29 is one box of 16 x 64; 30 is two of 64 x 64, one behind the other."""
    written = TmaTile((16, 64), 2, (64, 16), swizzle_bytes=128).load(0, 0)
    assert all(written[HAND[29][r][c]] == 64 * r + c for r in range(16) for c in range(64))
    swizzle, _, layout = given(30).split(" o ")
    offset = moved_all(*numbers(swizzle), np.array(table_of(layout)))
    for box in (0, 1):
        memory = TmaTile((64, 128), 2, (64, 64), swizzle_bytes=128).load(64 * box, 0)
        part = offset[:, 64 * box : 64 * box + 64] - 4096 * box
        assert (memory[part] == 128 * np.arange(64)[:, None] + 64 * box + np.arange(64)).all()


# -- the pars, proven by trying everything --------------------------------------------------------------------------


def factorings(n):
    """Every ordered way to write n as a product of factors of 2 and more."""
    return [()] if n == 1 else [(d, *rest) for d in range(2, n + 1) if n % d == 0 for rest in factorings(n // d)]


def least(values):
    """The fewest modes with these offsets, at least one: every shape is tried; a shape's strides are given by the values."""
    found = []
    for shape in factorings(len(values)):
        steps = [int(np.prod(shape[:k], dtype=int)) for k in range(len(shape))]
        if mode(shape, tuple(values[s] for s in steps)) == list(values):
            found.append(max(len(shape), 1))
    return min(found, default=None)


def directions(table):
    """A table of two modes: what stands down its first column, and along its first row."""
    return [row[0] for row in table], table[0]


def modes_needed(n):
    """The fewest modes of an answer, each direction alone: a lower bound, since every direction needs modes of its own."""
    if n in OWNERS:
        rows = TARGETS[n].thread.shape[0]
        place = {owner: r + rows * c for (r, c), owner in OWNERS[n].items()}
        threads = [place[t, 0] for t in range(1 + max(t for t, _ in place))]
        return least(threads) + least([place[0, v] for v in range(1 + max(v for _, v in place))])
    table = HAND[n]
    if n in (12, 15):
        return least([v // {12: 2, 15: 3}[n] for v in table])
    if n == 13:
        a = flat("(4,8):(8,1)")
        return sum(least([a.index(v) for v in part]) for part in directions(table))
    if n == 14:
        return least([row[0] // 8 for row in table]) + least(table[0])
    if n == 16:
        return least([row[0] for row in table])
    if n == 17:
        inside = [row[0] for row in table]
        by_mode = least([v // 6 for v in inside[:2]]) + least([v % 6 for v in inside[::2]])
        return min(
            by_mode, least([v // 6 + v % 6 * 4 for v in inside])
        )  # one tiler over the 1-D order would need two as well
    if n == 18:
        down, across = directions(table)
        return least([v // 4 for v in down[::2]]) + least([v // 4 for v in across[::2]])
    if n == 29:
        return 2  # rows and columns are two modes at least
    return least(table) if n in (1, 5) else sum(map(least, directions(table)))


@pytest.mark.parametrize("n", [n for n, e in PUZZLES.items() if e.kind.unit == "mode" and n != 19])
def test_no_layout_has_fewer_modes_than_the_par(n):
    assert modes_needed(n) == PUZZLES[n].kind.par


def test_one_mode_does_not_fill_the_gaps():
    for count, step in product(range(1, 25), range(1, 25)):
        assert sorted(a + step * k for a in (0, 2, 4, 6) for k in range(count)) != list(range(24))
    assert PUZZLES[19].kind.par == 2


@pytest.mark.parametrize("n", [9, 10, 11])
def test_no_padding_takes_fewer_bytes_than_the_par(n):
    """Every pair of strides whose tile would be smaller than the par."""
    (rows, cols), item, accesses = ACCESSES[n]
    most = PUZZLES[n].kind.par // item - 1  # the largest offset that would be one element better, and one more
    r, c = np.arange(rows)[:, None], np.arange(cols)
    tried = 0
    for a in range(1, most // (rows - 1) + 1):
        for b in range(1, (most - a * (rows - 1)) // (cols - 1) + 1):
            if a * (rows - 1) + b * (cols - 1) >= most:
                continue
            offset = a * r + b * c
            tried += 1
            if len(np.unique(offset)) == rows * cols:
                assert not free_of_conflicts(offset, item, accesses), (a, b)
    assert tried > 10


def swizzles(bits):
    for b in range(bits):
        for base, shift in product(range(12), range(-11, 12)):
            if abs(shift) >= b:
                yield b, base, shift


@pytest.mark.parametrize("n", [20, 21, 22])
def test_no_swizzle_of_fewer_bits_is_free_of_conflicts(n):
    (rows, cols), item, accesses = ACCESSES[n]
    plain = np.arange(rows * cols).reshape(rows, cols)
    for swizzle in swizzles(PUZZLES[n].kind.par):
        assert not free_of_conflicts(moved_all(*swizzle, plain), item, accesses), swizzle


def test_no_swizzle_of_fewer_bits_gives_the_target_of_23():
    plain = np.arange(64).reshape(8, 8)
    assert all(moved_all(*s, plain).tolist() != HAND[23] for s in swizzles(PUZZLES[23].kind.par))


def test_no_padding_does_what_the_swizzle_of_22_does():
    """What its question says: ldmatrix and 16-byte stores at once, whatever the step from row to row."""
    (rows, cols), item, accesses = ACCESSES[22]
    r, c = np.arange(rows)[:, None], np.arange(cols)
    assert not any(free_of_conflicts(a * r + c, item, accesses) for a in range(32, 400))


def test_the_fewest_instructions_and_boxes():
    """16 bytes are the most of an instruction; a box of 128 halves has 256 bytes a row, no swizzle, and all rows in one bank."""
    assert PUZZLES[27].kind.par == 4 * 4 // 16
    assert PUZZLES[28].kind.par == 64 * 64 * 2 // 256 // 16
    one_box = 128 * np.arange(64)[:, None] + np.arange(128)
    assert not free_of_conflicts(one_box, 2, [eights(64, 128)]) and PUZZLES[30].kind.par == 2
    for span in (32, 64, 128):
        with pytest.raises(ValueError, match="wider than the swizzle's span"):
            TmaTile((64, 128), 2, (128, 64), swizzle_bytes=span)


def test_the_fewest_modes_agree_with_trying_every_shape():
    random = Random(3)
    for _ in range(300):
        shape = tuple(random.choice((2, 2, 3, 4)) for _ in range(3))
        strides = tuple(random.choice((0, 1, 2, 3, 4, 6, 8, 12)) for _ in range(3))
        values = mode(shape, strides)
        assert fewest_modes(values) == least(values)
        values[random.randrange(1, len(values))] += 1
        assert fewest_modes(values) == least(values)


# -- answers --------------------------------------------------------------------------------------------------------

UNDER = "Sw<3,3,3> o 0 o "
C = "UniversalCopy<uint128_t>"
OTHER = {
    1: ["(2,4):(3,6)", Layout(8, 3)],
    2: ["((3),(5,1)):((5),(1,0))", ((3, 5), (5, 1)), Layout((3, 5), (5, 1))],
    3: ["((2,2),6):((0,0),2)", "(4,(3,2)):(0,(2,6))"],
    4: ["((2,2),5):((2,4),1)", Layout((4, 5), (2, 1))],
    5: ["((2,2,2)):((1,8,2))", "(2,2,2,1):(1,8,2,0)"],
    6: ["((2,2),(4,2)):((4,8),(1,16))", "(4,(2,2,2)):(4,(1,2,16))"],
    7: [Layout(((2, 2), (3, 2)), ((3, 12), (1, 6))), "((2,2),(3,1,2)):((3,12),(1,0,6))"],
    8: [Layout(((2, 2, 2), (2, 2, 2)), ((2, 8, 32), (1, 4, 16))), "((2,2,2),(2,2,2,1)):((2,8,32),(1,4,16,0))"],
    9: ["(32,32):(1,33)", Layout((32, 32), (33, 1))],
    10: [Layout((16, 32), (40, 1)), "make_layout(make_shape(16, 32), make_stride(40, 1))"],
    11: [Layout((16, 64), (66, 1)), "(16,64):(70,1)"],
    12: ["(2,4):(3,6)", Layout(8, 3)],
    13: ["((2,4),4):((4,8),1)", Layout((8, 4), (4, 1))],
    14: [(Layout(4, 2), Layout(2, 4)), "<(2,2):(2,4), 2:4>"],
    15: ["(2,2,2):(4,1,2)", Layout((2, 4), (4, 1))],
    16: [Layout(4, 6), "(2,2):(6,12)"],
    17: [(Layout(2, 2), Layout(3, 2)), "(2,3):(2,8)"],
    18: [Layout((2, 3), (3, 1)), "(2,(3,1)):(3,(1,0))"],
    19: ["(3,2):(8,1)", Layout((2, 3), (1, 8))],
    20: [(5, 0, 5), "Sw<5,0,5> o 0 o (32,32):(32,1)"],
    21: [Swizzle(3, 3, 3), "S<3,3,3>"],
    22: ["Sw<3,3,3>", Swizzle(2, 3, 3)],
    23: ["Sw<3,1,3>", (2, 1, 3)],
    24: [Layout(((2, 4), 4), ((16, 1), 4)), "((2,4),(2,2)):((16,1),(4,8))"],
    25: ["((4,2),4):((1,4),8)", Layout((8, 4), (1, 8))],
    26: [Layout(((4, 8), (2, 2)), ((32, 1), (16, 8))), "((4,(2,4)),(2,2)):((32,(1,2)),(16,8))"],
    27: [
        make_tiled_copy(copy_atom(C, "float"), Layout((4, 8), (8, 1)), Layout((1, 4))),
        copying("_4,_8", "_8,_1", "_1,_4", "float"),
    ],
    28: [
        make_tiled_copy(copy_atom(C, "half_t"), Layout((32, 8), (8, 1)), Layout((1, 8))),
        make_tiled_copy(copy_atom("UniversalCopy<uint64_t>", "half_t"), Layout((16, 16), (16, 1)), Layout((1, 4))),
    ],
    29: [UNDER + "((8,2),64):((64,512),1)", ComposedLayout(Swizzle(3, 3, 3), 0, Layout((16, 64), (64, 1)))],
    30: [
        UNDER + "((8,8),(64,2)):((64,1024),(1,512))",
        parse_layout(UNDER + "((8,8),(64,2)):((64,512),(1,4096))"),
    ],
}


@pytest.mark.parametrize("n", PUZZLES)
def test_the_solution_and_other_right_answers_are_right(n):
    exercise = PUZZLES[n]
    best = exercise.check(given(n))
    assert best.state == "good" and best.reading.score == exercise.kind.par and "at par" in best.sentence
    assert len(OTHER[n]) >= 2
    for answer in OTHER[n]:
        found = exercise.check(answer)
        assert found.state == "good", (answer, found)
        above = found.reading.score > exercise.kind.par
        assert ("It can be done with" in found.sentence) == above, found.sentence
        assert found.reading.score >= exercise.kind.par


def near(n):
    """The solution with one of its numbers one larger, or twice as large."""
    text = given(n)
    if n in (27, 28):
        return []
    found = []
    for match in re.finditer(r"(?<![\d<])\d+|(?<=<)\d+", text):
        for other in (int(match[0]) + 1, 2 * int(match[0])):
            if other != int(match[0]) and other < 10**5:
                found.append(text[: match.start()] + str(other) + text[match.end() :])
    return found


@pytest.mark.long
@pytest.mark.parametrize("n", [n for n in PUZZLES if near(n)])
def test_near_misses_are_refused_with_words_of_their_own(n):
    exercise, refused = PUZZLES[n], 0
    for answer in near(n):
        found = exercise.check(answer)
        if found.state == "good":  # a smaller padding is not a miss; a swizzle may take more bits
            assert found.reading.score > exercise.kind.par, answer
            continue
        refused += 1
        text = f"{found.sentence} {found.second}"
        assert found.sentence != "not right yet." and len(text) > 40 and "Traceback" not in text
        if found.counts:
            assert re.search(r"\d", text), (answer, found)
    assert refused >= 2


@pytest.mark.parametrize("n", PUZZLES)
def test_text_is_read_and_never_run(n):
    for text in ('__import__("os").getcwd()', "Layout(8, 3).__class__", "8:3 if True else 0", "lambda: 0", "(" * 3000):
        found = PUZZLES[n].check(text)
        assert found.state == "bad" and not found.counts and len(found.second) <= 300


@pytest.mark.parametrize("n", PUZZLES)
@pytest.mark.parametrize(
    "answer",
    ["65536:1", "(256,256):(256,1)", "1000000000:1", "<65536, 65536>", "Sw<9,9,9>", 7, "7", (), "(8,8):(8,-1)"],
)
def test_large_and_odd_answers_are_refused_at_once(n, answer):
    found = PUZZLES[n].check(answer)
    assert found.state == "bad" and len(found.second) <= 300


def test_a_wrong_answer_says_where_it_differs_and_which_mode_is_off():
    found = PUZZLES[7].check("((2,2),(3,2)):((3,9),(1,6))")
    text = f"{found.sentence} {found.second}"
    assert "2:9 of mode 0 steps by 9; the target steps by 12 there" in text and "yours gives 9, the target 12" in text
    found = PUZZLES[9].check("(32,32):(34,1)")
    assert "Lanes 0, 16 meet in bank 0" in found.second and "4,344 of 4,352 bytes" in found.second
    found = PUZZLES[9].check("(32,32):(37,1)")
    assert "4,716 bytes and 4,352 are allowed" in found.sentence


def test_near_misses_of_copies_and_owners_are_named_by_their_fault():
    """What is said without the words that were written for these answers."""

    def fault(n, answer):
        return PUZZLES[n].kind.read(answer).fault

    assert "numbers its values in another order" in fault(26, "((4,8),(2,2)):((32,1),(8,16))")
    assert "threads are counted in another order" in fault(27, copying("_4,_8", "_1,_4", "_1,_4"))
    assert "cover 8 x 16 elements; the target is 4 x 32" in fault(27, copying("_8,_4", "_4,_1", "_1,_4"))
    halves = {"element": "half_t"}
    assert "512 sectors where 256" in fault(28, copying("_32,_8", "_1,_32", "_1,_8", **halves))
    assert "128 wavefronts where 64" in fault(28, copying("_64,_4", "_4,_1", "_1,_8", **halves))
    assert "128 threads; the block has 256" in fault(28, copying("_16,_8", "_8,_1", "_1,_8", **halves))
    assert "does not fit" in fault(28, copying("_8,_32", "_32,_1", "_1,_8", **halves))


@pytest.mark.parametrize("n", [5, 8, 12, 19, 25])
def test_another_layout_around_it_does_not_hide_modes(n):
    """One function around another would pass with the inner one's few modes."""
    answer = ComposedLayout(parse_layout(given(n)), 0, Layout(8))
    found = PUZZLES[n].check(answer)
    assert found.state == "bad" and not found.counts and "plain layout" in found.second
    inside = ComposedLayout(Layout(1024), 0, parse_layout("(16,64):(64,1)"))
    assert PUZZLES[29].kind.read(ComposedLayout(Swizzle(3, 3, 3), 0, inside)).score == 3


def test_below_par_is_praised_and_reported():
    easy = replace(PUZZLES[6], kind=replace(PUZZLES[6].kind, par=4))
    assert "below par: 3 modes where the course knew 4" in easy.check(given(6)).sentence


def test_the_card_shows_the_target_first_and_then_both_with_one_ring(fresh):
    asked = check("puzzles.2", ...)
    assert [g.name for g in asked.picture.grids()] == ["target"] and "0 1 2 3 4 / 5 6 7 8 9" in repr(asked)
    assert "<img" in asked._repr_html_() and 'alt="puzzles.2 Row by row' in asked._repr_html_()
    answered = check("puzzles.2", "(3,5):(3,1)")
    target, yours = answered.picture.grids()
    assert target.rings == yours.rings and (target.rings[0].row, target.rings[0].col) == (1, 0)
    assert yours.labels[1, 0] == "3" and target.labels[1, 0] == "5"
    right = check("puzzles.2", "(3,5):(5,1)")
    assert not any(g.rings for g in right.picture.grids())


@pytest.mark.long
@pytest.mark.parametrize("n", PUZZLES)
def test_every_card_can_be_drawn(n):
    from cutelab.course.card.paint import render

    exercise = PUZZLES[n]
    for answer in (None, given(n), *(w.answer for w in exercise.wrong)):
        reading = None if answer is None else exercise.check(answer).reading
        made = render(exercise.picture(reading), 1)
        assert len(made.png) < 25_000 and made.height < 700


def test_the_best_answer_is_kept_and_progress_shows_it(fresh):
    check("puzzles.6", "((2,2),(4,2)):((4,8),(1,16))")
    assert "1 of 30 done, 0 of 30 at par" in repr(progress("puzzles"))
    check("puzzles.6", given(6))
    check("puzzles.6", "((2,2),(4,2)):((4,8),(1,16))")
    check("puzzles.2", "(3,5):(3,1)")
    text = repr(progress("16"))
    assert "1 of 30 done, 1 of 30 at par" in text
    line = next(row for row in text.splitlines() if row.startswith("puzzles.6 "))
    assert line.split()[-5:] == ["done", "3", "3", "3", "modes"]
    assert "there is no lesson" in repr(progress("x")).lower() and "best" not in repr(progress("banks"))


def test_two_copies_that_cost_the_same_are_not_told_the_same_reason():
    """Four threads a row with 16 halves each: neighbouring lanes do stand in one row, and the reads cost as if they did not."""
    columns, rows = (
        copying("_32,_8", "_1,_32", "_1,_8", element="half_t"),
        copying("_64,_4", "_4,_1", "_1,_16", element="half_t"),
    )
    assert "stand in different rows" in str(check("puzzles.28", columns))
    assert "stand in different rows" not in str(check("puzzles.28", rows)) and "sectors" in str(
        check("puzzles.28", rows)
    )
