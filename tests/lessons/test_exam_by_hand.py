"""Every question that an exam can draw, with many numbers: the right answer is found again from the text of the question alone.

Nothing of the library is used: numbers are read from the text, and counted in plain Python.
"""

import re
from ast import literal_eval
from collections import Counter
from itertools import pairwise, product
from math import ceil

import pytest

from cutelab.course.ask.draw import Draw
from cutelab.course.ask.kinds import Choice
from cutelab.course.lab.paper import makers
from cutelab.course.topics.exam.lesson import SOURCES

LANES = range(32)
MAKERS = {id: make for source in SOURCES for id, make in makers(source)}


def numbers(text):
    return [int(n.replace(",", "")) for n in re.findall(r"\d+(?:,\d{3})*", text)]


def after(text, *words):
    """The whole numbers that stand right behind these words."""
    return [int(re.search(re.escape(word) + r"\s*(\d+)", text)[1]) for word in words]


def flat(shape):
    """Coordinates of flat extents, the first mode fastest."""
    return [c[::-1] for c in product(*(range(n) for n in reversed(shape)))]


def layouts(text):
    """All layouts with flat or nested modes in a text, as (shape, stride) of nested tuples."""
    found = re.findall(r"(?<![\w,])([(\d][\d(),]*):([(\d][\d(),]*)", text)
    return [tuple(literal_eval(part.rstrip(",")) for part in pair) for pair in found]


def leaves(value):
    return [value] if isinstance(value, int) else [n for part in value for n in leaves(part)]


def offsets(layout):
    """The offsets of a layout by 1-D index."""
    shape, stride = map(leaves, layout)
    return [sum(c * d for c, d in zip(at, stride, strict=True)) for at in flat(shape)]


def sectors(addresses, size):
    return len({byte // 32 for a in addresses for byte in range(a, a + size)})


def conflicts(addresses):
    return max(Counter(word % 32 for word in {a // 4 for a in addresses}).values())


def grouped(addresses):
    """Wavefronts of 16-byte rows, eight at a time."""
    groups = [addresses[i : i + 8] for i in range(0, 32, 8)]
    return sum(conflicts([a + 4 * w for a in group for w in range(4)]) for group in groups)


def moved(bits, base, shift, offset):
    for b in range(bits):
        offset ^= (offset >> (base + shift + b) & 1) << (base + b)
    return offset


def swizzle_in(text):
    return [int(n) for n in re.search(r"Sw<(\d+),(\d+),(\d+)>", text).groups()]


def place_of(text):
    return tuple(
        int(n) for n in re.findall(r"\((\d+),(\d+)\)(?!:)", text.split("`")[-1] if "element" in text else text)[-1]
    )


def thread_of(q):
    threads, element = after(q, "Blocks have", "takes element")
    return next((b, t) for b in range(100) for t in range(threads) if b * threads + t == element)


def at_nested(q):
    (layout,) = layouts(q.replace("`((", "` (("))[:1]
    at = leaves(literal_eval(q.split("`")[3]))
    return sum(c * d for c, d in zip(at, leaves(layout[1]), strict=True))


def written(q):
    rows, cols, gap = numbers(q)
    if "column-major" in q:
        return offsets(((rows, cols), (1, rows + gap)))
    return offsets(((rows, cols), (cols + gap, 1)))


def element_at(q):
    ((shape, (pitch, _)),) = layouts(q)
    (offset,) = after(q, "offset")
    return next((r, c) for r in range(shape[0]) for c in range(shape[1]) if r * pitch + c == offset)


def composed(q):
    a, b = layouts(q)
    (index,) = after(q, "R(")
    return offsets(a)[offsets(b)[index]]


def complement(q):
    tile, step = map(int, re.search(r"`(\d+):(\d+)`", q).groups())
    (whole,) = after(q, "in")
    mine = {step * i for i in range(tile)}
    others, covered = [], set()
    for start in range(whole):  # the places at which the tile can be put, each offset once
        if start not in covered:
            others.append(start)
            covered |= {start + m for m in mine}
    assert covered == set(range(whole))
    return len(others)


def edge(q):
    rows, cols, m, n = numbers(q)
    tiles = {(r // m, c // n) for r in range(rows) for c in range(cols)}
    return sum((i + 1) * m > rows or (j + 1) * n > cols for i, j in tiles)


def stripmined(q):
    contiguous, strided, threads, elements = [int(n) for n in re.findall(r"\d+", q.split("`")[1])]
    touched = [
        (i % (contiguous // elements) * elements, i // (contiguous // elements))
        for i in range(contiguous * strided // elements)
    ]
    return threads, touched


def iterations(q):
    threads, touched = stripmined(q)
    mine = touched[0::threads]
    across = len({c for c, _ in mine})
    return across, len(mine) // across


def begins(q):
    (thread,) = after(q, "does thread")
    return stripmined(q)[1][thread]


def widest(q):
    a, b = map(offsets, layouts(q)[:2])
    n = 1
    while n < len(a) and all(x[i] == i for x in (a, b) for i in range(n + 1)):
        n += 1
    return n


def accumulator(q):
    """Value v of lane t in C of m16n8, from PTX's own drawing: two neighbours of row t / 4, and two of the row 8 below."""
    return {(t, v): (t // 4 + 8 * (v // 2), t % 4 * 2 + v % 2) for t in LANES for v in range(4)}


def ldmatrix(q):
    (pitch,) = after(q, "at byte")
    return grouped([pitch * i for i in LANES])


def rounds(q):
    (rows, cols), (m, k) = layouts(q)[0][0], tuple(after(q, "tile of", "x"))
    everything = {(r, c) for r in range(m) for c in range(k // 8)}
    return len(everything) // (rows * cols)


def copier(q):
    rows, cols = layouts(q)[0][0]
    (width,) = after(q, "takes")
    m, k = place_of(q)
    return next(r * cols + c for r in range(rows) for c in range(cols) if r == m and c * width <= k < c * width + width)


def store_of_partition(q):
    (rows, cols), (down, across) = layouts(q)[0]
    pitch = layouts(q)[-1][1][1]
    where = {down * r + across * c: (r, c) for r in range(rows) for c in range(cols)}
    return conflicts([4 * (where[t][0] + pitch * where[t][1]) for t in LANES])


def xor_place(q):
    piece, row = after(q, "does piece", "of row")
    return piece ^ (row % 8)


def outside(q):
    """Elements of a box beyond the last row or column."""
    rows, cols, down, across, col, row = numbers(q)
    box = product(range(row, row + down), range(col, col + across))
    return sum(r >= rows or c >= cols for r, c in box)


def core_matrices(q):
    """Core matrices of 8 rows of 16 bytes: LBO from one to the next along k, SBO along m."""
    lbo, sbo = after(q, "LBO", "SBO")
    m, k = map(int, re.search(r"= \((\d+),(\d+)\)", q).groups())
    return m // 8 * sbo + k // 8 * lbo + m % 8 * 16 + k % 8 * 2


def by_layout_tile(q):
    (rows, cols), tile = re.search(r"shape \((\d+),(\d+)\)", q).groups(), layouts(q)[0][0]
    return int(rows) * int(cols) // (tile[0] * tile[1])


def raked(q):
    """The only number of warps from 2 to 7 that shares the blocks of one access without a rest."""
    _, lines, _, per = numbers(q)
    (found,) = (n for n in range(2, 8) if lines // per % n == 0)
    return str(found)


def composed_text(q):
    a, b = layouts(q)
    found = [offsets(a)[i] for i in offsets(b)]
    (step,) = {y - x for x, y in pairwise(found)}
    return f"{len(found)}:{step}"


def tile_start(q):
    ((_, (down, across)),) = layouts(q)
    m, n = after(q, "tiles of", "rows and")
    i, j = place_of(q.replace("tile (", "element ("))
    return m * i * down + n * j * across


def coordinate(q):
    (code,) = numbers(q)[-1:]
    return next(f"({m},{k})" for m in range(16) for k in range(8) if m + 16 * k == code)


def begins_in(q):
    (((rows, cols), (down, across)),) = layouts(q)
    (thread,) = after(q, "does thread")
    return next((r, c) for r in range(rows) for c in range(cols) if down * r + across * c == thread)


BY_HAND = {
    "gpu.a": lambda q: (lambda t, n, b: b * t + n)(*numbers(q)),
    "gpu.c": lambda q: (lambda e, t: len({(i // t, i % t // 32) for i in range(e)}))(*numbers(q)[:2]),
    "exam.who_takes_it": thread_of,
    "exam.lane_and_warp": lambda q: (lambda t: (t % 32, t // 32))(*after(q, "is thread")),
    "exam.blocks_for_all": lambda q: (lambda e, t, _=1: len({i // t for i in range(e)}))(*numbers(q)[:2]),
    "layout.a": lambda q: (lambda at, size: (at[0] * layouts(q)[0][1][0] + at[1]) * size)(
        place_of(q), numbers(q.split("`")[2])[0]
    ),
    "layout.c": lambda q: (lambda o: max(o) - min(o) + 1 - len(set(o)))(offsets(layouts(q)[0])),
    "exam.nested_place": at_nested,
    "exam.one_number": lambda q: offsets(layouts(q)[0])[numbers(q)[-1]],
    "exam.memory_taken": lambda q: max(offsets(layouts(q)[0])) + 1,
    "exam.lies_there": element_at,
    "exam.write_padded": written,
    "coalescing.a": lambda q: sectors([4 * numbers(q)[1] * i for i in LANES], 4),
    "coalescing.c": lambda q: (lambda _, size, first: sectors([size * (first + i) for i in LANES], size))(
        *numbers(q)[:3]
    ),
    "exam.column_in_global": lambda q: (lambda p, size: sectors([size * p * i for i in LANES], size))(
        layouts(q)[0][1][0], 2 if "half" in q else 4
    ),
    "exam.wide_stride": lambda q: (lambda size, step: sectors([size * step * i for i in LANES], size))(*numbers(q)[:2]),
    "banks.a": lambda q: conflicts([4 * numbers(q)[1] * i for i in LANES]),
    "banks.b": lambda q: conflicts([4 * numbers(q)[-1] * i for i in LANES]),
    "exam.bank_of": lambda q: (lambda at: (at[0] * layouts(q)[0][1][0] + at[1]) % 32)(place_of(q)),
    "exam.groups_of_lanes": lambda q: (lambda step, n: conflicts([4 * step * (i // n) for i in LANES]))(
        *map(int, re.search(r"(\d+)·\(i // (\d+)\)", q).groups())
    ),
    "exam.column_of_halves": lambda q: conflicts([2 * layouts(q)[0][1][0] * i for i in LANES]),
    "swizzle.a": lambda q: (lambda at: moved(*swizzle_in(q), at[0] * 8 + at[1]))(place_of(q)),
    "exam.swizzled_offset": lambda q: moved(*swizzle_in(q), numbers(q)[-1]),
    "exam.swizzled_column": lambda q: conflicts([4 * moved(*swizzle_in(q), 32 * i) for i in LANES]),
    "exam.other_unit": lambda q: (
        lambda b, m, s, size: next(
            (b, n, s)
            for n in range(m + 1)
            if all(moved(b, m, s, size * x) == size * moved(b, n, s, x) for x in range(1024))
        )
    )(*swizzle_in(q), after(q, "offsets of")[0]),
    "composition.a": composed_text,
    "exam.composed_at": composed,
    "exam.fewest_modes": lambda q: offsets(layouts(q)[0]),
    "tiling.a": tile_start,
    "tiling.c": by_layout_tile,
    "exam.which_tile": lambda q: (lambda m, n, r, c: (ceil((r + 1) / m) - 1, ceil((c + 1) / n) - 1))(*numbers(q)),
    "exam.over_the_edge": edge,
    "exam.complement_size": complement,
    "thread_map.a": lambda q: (lambda t, a, b: len(range(0, a * b, t)))(*numbers(q)[:3]),
    "thread_map.3": raked,
    "exam.begins_at": begins,
    "exam.how_often": iterations,
    "inverse.a": lambda q: offsets(layouts(q)[0]).index(numbers(q)[-1]),
    "inverse.c": lambda q: str(widest(q)),
    "exam.lives_at": lambda q: offsets(layouts(q)[0]).index(numbers(q)[-1]),
    "exam.widest": widest,
    "tensor_core.a": coordinate,
    "exam.held_in_c": lambda q: accumulator(q)[after(q, "of lane", "value")[0], after(q, "is value")[0]],
    "exam.owner_of_c": lambda q: next(
        t
        for (t, _), at in accumulator(q).items()
        if at == tuple(map(int, re.search(r"element \((\d+),(\d+)\)", q).groups()))
    ),
    "exam.matrices_of_ldmatrix": ldmatrix,
    "partition.a": begins_in,
    "partition.3": store_of_partition,
    "exam.rounds_of_a_copy": rounds,
    "exam.copied_by": copier,
    "pipeline.a": lambda q: sum(numbers(q)[:3]),
    "pipeline.3": lambda q: (lambda stage, limit: len(range(stage, limit + 1, stage)))(*numbers(q)[:2]),
    "exam.bytes_of_a_stage": lambda q: (lambda m, k, n, k2, size: size * (m * k + n * k2))(*numbers(q)),
    "exam.operations_a_byte": lambda q: (lambda m, k, size: 2 * m * m * k / (2 * m * k * size))(*numbers(q)[:3]),
    "hopper.b": outside,
    "hopper.d": lambda q: (lambda stages, tile: (tile % stages, tile // stages % 2))(*after(q, "with", "tile")),
    "hopper.e": core_matrices,
    "exam.bytes_to_expect": lambda q: (lambda rows, n, size: rows * n * size)(*numbers(q)[:3]),
    "exam.piece_of_a_row": xor_place,
    "exam.descriptor_start": lambda q: after(q, "at byte")[0] // 16,
    "kernel.b": lambda q: conflicts([4 * numbers(q)[0] * i for i in LANES]),
    "exam.reads_of_a_block": lambda q: sum(
        conflicts([4 * (after(q, "x *")[0] * x + y) for x in LANES]) for y in range(32)
    ),
    "exam.swizzled_bank": lambda q: (lambda r, c: (r * 32 + (c ^ r)) % 32)(
        *map(int, re.search(r"element \((\d+),(\d+)\)", q).groups())
    ),
}


def test_no_question_is_left_out():
    assert set(BY_HAND) == set(MAKERS)


@pytest.mark.parametrize("id", MAKERS)
def test_the_right_answer_is_what_counting_by_hand_gives(id):
    for n in range(60):
        asked = MAKERS[id](Draw(f"{id}/{n}"))
        right = asked.answer()
        mine = BY_HAND[id](asked.question)
        if hasattr(right, "offsets"):
            right = right.offsets.ravel(order="F").tolist()
        elif isinstance(asked.kind, Choice):
            right = dict(asked.kind.options)[right]
        assert mine == right, asked.question
