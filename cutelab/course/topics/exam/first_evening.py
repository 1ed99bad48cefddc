"""Questions of the exam on a GPU's threads and on layouts: what lessons 00 to 02 teach."""

from __future__ import annotations

from random import Random

import numpy as np

from cutelab.core import Layout, cosize, offsets
from cutelab.course.ask.exercise import Prediction, Wrong
from cutelab.course.ask.kinds import LayoutMap, Value
from cutelab.course.topics.exam.places import place
from cutelab.hardware.chip import H200


def who_takes_it(random: Random) -> Prediction:
    """From an element back to its thread."""
    threads, element = random.choice((64, 96, 160, 256)), random.randint(300, 1500)

    def right() -> tuple[int, int]:
        thread, block = place(element, (threads, 2000))
        return block, thread

    return Prediction(
        id="exam.who_takes_it",
        title="Who takes this element?",
        kind=Value("tuple", example="(2, 5)", parts=("block", "thread")),
        question=(
            f"Blocks have {threads} threads, and each thread takes one element. Which thread of which block takes element "
            f"{element}? Write (block, thread), both counted from 0."
        ),
        right=right,
        replies=(Wrong(right()[::-1], "Block and thread have changed places."),) if len(set(right())) > 1 else (),
        because=f"Divide {element} by {threads}: the quotient is the block, the rest is the thread.",
    )


def lane_and_warp(random: Random) -> Prediction:
    """The place of a thread in its warp."""
    thread = random.randint(70, 250)

    def right() -> tuple[int, int]:
        lane, warp = place(thread, (H200.lanes, 2000))
        return lane, warp

    return Prediction(
        id="exam.lane_and_warp",
        title="Lane and warp",
        kind=Value("tuple", example="(3, 1)", parts=("lane", "warp")),
        question=(
            f"A block has 256 threads in one row. Which lane of which warp is thread {thread}? Write (lane, warp), both "
            "counted from 0."
        ),
        right=right,
        replies=(Wrong(right()[::-1], "Lane and warp have changed places."),) if len(set(right())) > 1 else (),
        because=f"Divide {thread} by 32: the quotient is the warp, the rest is the lane.",
    )


def blocks_for_all(random: Random) -> Prediction:
    """The fewest blocks with a thread for each element."""
    threads, elements = random.choice((64, 128, 256)), random.randint(700, 4000)
    return Prediction(
        id="exam.blocks_for_all",
        title="How many blocks?",
        kind=Value(unit="blocks", example="2", given=(("elements", elements), ("threads of a block", threads))),
        question=(
            f"{elements} elements, blocks of {threads} threads, one element a thread. What is the fewest blocks with a thread "
            "for every element?"
        ),
        right=lambda: -(-elements // threads),
        replies=(Wrong(elements // threads, "The elements after the last whole block need a block as well."),)
        if elements % threads
        else (),
        because=f"{elements} divided by {threads}, rounded up.",
    )


def nested_place(random: Random) -> Prediction:
    """The offset of a nested coordinate."""
    outer, step = random.choice((8, 16, 32)), random.choice((2, 3))
    layout = Layout(((2, 3), (2, 4)), ((step, outer * 5), (1, outer)))
    at = ((random.randrange(2), random.randint(1, 2)), (random.randrange(2), random.randint(1, 3)))
    written = f"(({at[0][0]},{at[0][1]}),({at[1][0]},{at[1][1]}))"
    return Prediction(
        id="exam.nested_place",
        title="A nested coordinate",
        kind=Value(unit="elements", example="12"),
        question=f"At which offset does `{layout}` put the coordinate `{written}`?",
        right=lambda: layout(*at),
        replies=(),
        because="Each number of the coordinate times the stride in its own place, and all added up.",
    )


def one_number(random: Random) -> Prediction:
    """The offset of a 1-D coordinate."""
    rows, cols = random.choice((3, 4, 5)), random.choice((6, 7, 8))
    layout = Layout((rows, cols), (cols + random.choice((0, 1, 2)), 1))
    index = random.randint(rows + 1, rows * cols - 2)
    return Prediction(
        id="exam.one_number",
        title="One number for a place",
        kind=Value(example="12", given=(("index", index),)),
        question=f"The layout is `{layout}`. Which offset does it give to the single number {index}?",
        right=lambda: layout(index),
        replies=(),
        because=f"A single number counts down the first mode first: {index} is row {index % rows}, column {index // rows}.",
    )


def memory_taken(random: Random) -> Prediction:
    """The cosize of a padded layout."""
    rows, cols, gap = random.choice((4, 5, 6)), random.choice((7, 9, 10)), random.choice((2, 3, 4))
    layout = Layout((rows, cols), (cols + gap, 1))
    return Prediction(
        id="exam.memory_taken",
        title="How much memory?",
        kind=Value(unit="elements", example="12", given=(("rows", rows), ("columns", cols), ("pitch", cols + gap))),
        question=f"What is the cosize of `{layout}`?",
        right=lambda: cosize(layout),
        replies=(
            Wrong(cosize(layout) - 1, "That is the largest offset; offsets begin at 0, so there is one place more."),
            Wrong(rows * (cols + gap), "The last row needs no padding after it."),
            Wrong(rows * cols, "That is the size, the number of elements; the gaps take memory too."),
        ),
        because=f"The last element lies at {rows - 1}·{cols + gap} + {cols - 1}, and one place more is needed.",
    )


def lies_there(random: Random) -> Prediction:
    """From an offset back to the coordinate."""
    rows, cols, pitch = random.choice((5, 6, 7)), random.choice((8, 9, 10)), random.choice((11, 12, 13))
    layout = Layout((rows, cols), (pitch, 1))
    row, col = random.randint(2, rows - 1), random.randint(1, cols - 1)
    at = row * pitch + col

    def right() -> tuple[int, int]:
        ((r, c),) = np.argwhere(offsets(layout) == at).tolist()
        return r, c

    return Prediction(
        id="exam.lies_there",
        title="Read the map backwards",
        kind=Value("tuple", example="(1, 3)", parts=("row", "column"), given=(("pitch", pitch), ("offset", at))),
        question=f"The layout is `{layout}`. Which element lies at offset {at}? Write (row, column).",
        right=right,
        replies=(),
        because=f"Divide {at} by the pitch {pitch}: the quotient is the row, the rest is the column.",
    )


def write_padded(random: Random) -> Prediction:
    """A padded layout, to be written down."""
    rows, cols, gap = random.choice((3, 6, 8)), random.choice((5, 7, 10)), random.choice((1, 2, 3))
    down = random.choice((True, False))
    order, line = ("column-major", "column") if down else ("row-major", "row")
    right = Layout((rows, cols), (1, rows + gap) if down else (cols + gap, 1))
    plain = Layout((rows, cols), (1, rows) if down else (cols, 1))
    return Prediction(
        id="exam.write_padded",
        title="Write a padded layout",
        kind=LayoutMap('"(4,2):(2,1)"'),
        question=(
            f"A matrix of {rows} rows and {cols} columns is {order}, with {gap} unused element{'s' * (gap > 1)} after every "
            f"{line}. Which layout is that? Write Shape:Stride."
        ),
        right=lambda: right,
        replies=(Wrong(str(plain), "This is the layout without padding."),),
        because=f"The shape stays; the step from {line} to {line} grows by the padding.",
    )


GPU = (who_takes_it, lane_and_warp, blocks_for_all)
LAYOUT = (nested_place, one_number, memory_taken, lies_there, write_padded)
