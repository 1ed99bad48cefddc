"""Questions of the exam on the layout algebra and thread maps: composition, tiling, thread maps, inverses."""

from __future__ import annotations

from random import Random

from cutelab.algebra import coalesce, complement, composition, max_common_vector, right_inverse
from cutelab.core import Layout, size
from cutelab.course.ask.exercise import Prediction, Wrong
from cutelab.course.ask.kinds import LayoutMap, Value
from cutelab.course.topics.exam.places import place
from cutelab.cutlass.thread_map import PitchLinearShape, PitchLinearStripminedThreadMap


def composed_at(random: Random) -> Prediction:
    """One value of a composition."""
    rows, cols = random.choice((4, 8)), random.choice((6, 8, 10))
    a, b = Layout((rows, cols), (cols + random.choice((0, 2)), 1)), Layout(cols, rows // 2)
    index = random.randint(3, cols - 1)
    return Prediction(
        id="exam.composed_at",
        title="A composition at one place",
        kind=Value(example="12", given=(("index", index),)),
        question=f"A is `{a}` and B is `{b}`. R is A o B. What is R({index})?",
        right=lambda: composition(a, b)(index),
        replies=(Wrong(a(index), "That is A at this index; B is applied first."),) if a(index) != a(b(index)) else (),
        because=f"R(i) is A(B(i)): B gives {b(index)}, and A counts that down its rows of {rows} first.",
    )


def fewest_modes(random: Random) -> Prediction:
    """A layout after coalesce, to be written down."""
    first, second, third = random.choice((2, 4)), random.choice((3, 4)), random.choice((2, 5))
    step, last = random.choice((1, 2)), random.choice((7, 11))
    layout = Layout((first, second, third), (step, first * step, first * second * step + last))
    return Prediction(
        id="exam.fewest_modes",
        title="Coalesce by hand",
        kind=LayoutMap('"(4,3):(2,9)"'),
        question=f"Which layout gives the same offsets as `{layout}` for each single number, with the fewest modes?",
        right=lambda: coalesce(layout),
        replies=(
            Wrong(str(layout), "The first two modes go on as one."),
            Wrong(
                f"{size(layout)}:{step}",
                "The last mode does not begin where the others end, so it stays a mode of its own.",
            ),
        ),
        because=f"The second mode begins where the first ends, {first}·{step} = {first * step}, so the two are one; the third does not.",
    )


def which_tile(random: Random) -> Prediction:
    """The tile of an element."""
    m, n = random.choice((8, 16, 32)), random.choice((4, 8, 16))
    row, col = random.randint(m, 5 * m), random.randint(n, 6 * n)

    def right() -> tuple[int, int]:
        (_, i), (_, j) = place(row, (m, 99)), place(col, (n, 99))
        return i, j

    return Prediction(
        id="exam.which_tile",
        title="In which tile?",
        kind=Value("tuple", example="(1, 2)", parts=("tile row", "tile column")),
        question=(
            f"A matrix is cut into tiles of {m} rows and {n} columns. In which tile does element ({row},{col}) lie? "
            "Write (tile row, tile column)."
        ),
        right=right,
        replies=(),
        because=f"{row} divided by {m} and {col} divided by {n}, rounded down.",
    )


def over_the_edge(random: Random) -> Prediction:
    """Tiles that reach over a matrix's edge."""
    m, n = random.choice((16, 32)), random.choice((16, 32))
    down, right = random.choice((2, 3, 4)), random.choice((2, 3, 4))
    rows, cols = down * m + random.choice((4, 9)), right * n + random.choice((0, 6))
    partly = (down + 1) * (right + (cols % n > 0)) - down * right
    return Prediction(
        id="exam.over_the_edge",
        title="Over the edge",
        kind=Value(unit="tiles", example="2", given=(("rows", rows), ("columns", cols))),
        question=f"A matrix of {rows} x {cols} is covered by tiles of {m} x {n}. How many of them reach over its edge?",
        right=lambda: partly,
        replies=(Wrong(down * right, "These are the tiles that lie wholly inside."),) if down * right != partly else (),
        because=f"{(down + 1) * (right + (cols % n > 0))} tiles cover it, and {down} x {right} of them are whole.",
    )


def complement_size(random: Random) -> Prediction:
    """How many tiles does a complement count?"""
    tile, step, times = random.choice((2, 4, 8)), random.choice((1, 2, 4)), random.choice((3, 6, 10))
    whole = tile * step * times
    return Prediction(
        id="exam.complement_size",
        title="What is left",
        kind=Value(example="5", given=(("elements of the tile", tile), ("elements", whole))),
        question=f"What is the size of the complement of `{tile}:{step}` in {whole}?",
        right=lambda: size(complement(Layout(tile, step), whole)),
        replies=(Wrong(whole - tile, "A complement counts the places of the tile, not the elements outside of it."),),
        because=f"Tile and complement together reach each of the {whole} offsets once: {whole} / {tile}.",
    )


def stripmined(random: Random) -> PitchLinearStripminedThreadMap:
    contiguous, strided, threads, elements = random.choice(
        (
            (64, 16, 64, 4),
            (64, 32, 128, 4),
            (32, 32, 64, 2),
            (256, 8, 128, 4),
            (256, 8, 32, 4),
            (128, 6, 32, 2),
            (512, 4, 64, 4),
        )
    )
    return PitchLinearStripminedThreadMap(PitchLinearShape(contiguous, strided), threads, elements)


def begins_at(random: Random) -> Prediction:
    """Where a thread of a stripmined map begins."""
    found = stripmined(random)
    thread = random.randint(found.threads // 3, found.threads - 1)

    def right() -> tuple[int, int]:
        place = found.initial_offset(thread)
        return place.contiguous, place.strided

    return Prediction(
        id="exam.begins_at",
        title="Where a thread begins",
        kind=Value("tuple", example="(3, 5)", parts=("contiguous", "strided")),
        question=f"`{found}`: at which element does thread {thread} begin? Write (contiguous, strided).",
        right=right,
        replies=(),
        because=(
            f"A line of {found.shape.contiguous} elements is {found.shape.contiguous // found.elements_per_access} accesses of "
            f"{found.elements_per_access}; the threads fill one line after the other."
        ),
    )


def how_often(random: Random) -> Prediction:
    """Iterations of a stripmined map."""
    found = stripmined(random)
    return Prediction(
        id="exam.how_often",
        title="Iterations",
        kind=Value("tuple", example="(3, 5)", parts=("contiguous", "strided")),
        question=f"`{found}`: what are its Iterations? Write (contiguous, strided).",
        right=lambda: (found.iterations.contiguous, found.iterations.strided),
        replies=(),
        because=(
            f"All {found.threads} threads take {found.threads * found.elements_per_access} elements at once, which is "
            f"{found.threads * found.elements_per_access / found.shape.contiguous:g} lines of {found.shape.contiguous}."
        ),
    )


def lives_at(random: Random) -> Prediction:
    """The 1-D index that lives at an offset, for three modes."""
    x, y, z = random.choice((2, 4)), random.choice((3, 5)), random.choice((2, 4))
    layout = Layout((x, y, z), (y * z, 1, y))
    offset = random.randint(y * z + 1, x * y * z - 2)
    return Prediction(
        id="exam.lives_at",
        title="Back from memory",
        kind=Value(example="12", given=(("offset", offset),)),
        question=f"The layout is `{layout}`. Which single number (1-D index) lives at offset {offset}?",
        right=lambda: right_inverse(layout)(offset),
        replies=(Wrong(layout(offset), "That is where this index lives; asked is which index lives at this offset."),)
        if layout(layout(offset)) != offset
        else (),
        because=f"Take the offset apart by the strides {y * z}, {y} and 1, largest first; the index counts the first mode fastest.",
    )


def widest(random: Random) -> Prediction:
    """The widest vector of a copy."""
    rows, gap = random.choice((2, 4, 8, 16)), random.choice((1, 2, 4))
    a, b = Layout((rows, 4), (1, rows)), Layout((rows, 4), (1, rows + gap))
    return Prediction(
        id="exam.widest",
        title="The widest vector",
        kind=Value(unit="elements", example="3", given=(("rows", rows),)),
        question=f"A tile is copied from `{a}` to `{b}`. At most how many neighbouring elements can one vector instruction copy?",
        right=lambda: max_common_vector(a, b),
        replies=(Wrong(4 * rows, "The source is one piece; the target is not."),),
        because=f"Both have {rows} elements side by side; then the target leaves a gap.",
    )


COMPOSITION = (composed_at, fewest_modes)
TILING = (which_tile, over_the_edge, complement_size)
THREAD_MAP = (begins_at, how_often)
INVERSE = (lives_at, widest)
