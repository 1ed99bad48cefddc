"""The TMA topic: what the card shows is what an H200 wrote, and what a loop over single bytes finds."""

import itertools

import numpy as np
import pytest

from cutelab import CuteLabError
from cutelab.course.card.picture import HOLE, OUTSIDE
from cutelab.course.topics.tma import compute, panels, probe
from cutelab.course.topics.tma.knobs import SIZES, TmaParams
from cutelab.hardware.measured.hopper import measured_hopper

VIEWS = [
    {},
    {"column": 32, "row": 20},
    {"column": -16, "row": -3, "smem_base": 128},
    {"inner": 16, "swizzle_bytes": 64, "box_rows": 9, "smem_base": 384},
    {"inner": 16, "swizzle_bytes": 32, "smem_base": 128},
    {"inner": 24, "swizzle_bytes": 0, "row": 23},
    {"element": "int8", "cols": 57, "column": 48},
    {"element": "float32", "cols": 13, "column": 8, "swizzle_bytes": 128},
    {"element": "float64", "rows": 70, "row": 60},
    {"rows": 300, "cols": 400, "column": 200, "row": 100, "box_rows": 256, "down": 200},
]
each = pytest.mark.parametrize("changes", VIEWS, ids=str)


def view(changes):
    params = TmaParams().change(**changes)
    result = compute(params)
    return params, result, panels(result)


def written(params):
    """{byte of shared memory: (row, column, byte in the element)}, one byte after another."""
    item, span, found = SIZES[params.element], params.swizzle_bytes, {}
    mask = {0: 0, 32: 1, 64: 3, 128: 7}[span]
    for i, j, b in itertools.product(range(params.box_rows), range(params.inner), range(item)):
        at = params.smem_base + i * (span or params.inner * item) + j * item + b
        found[at ^ (((at >> 7) & mask) << 4)] = (params.row + i, params.column + j, b)
    return found


@each
def test_each_cell_of_shared_memory_says_what_lies_there_byte_by_byte(changes):
    params, _, picture = view(changes)
    memory = next(g for g in picture.grids() if g.name == "memory")
    held = written(params)
    for (i, j), label in np.ndenumerate(memory.labels):
        byte = int(memory.row_heads[i].replace(",", "")) + int(memory.col_heads[j])
        places = [held.get(byte + b) for b in range(16)]
        if places[0] is None:
            assert places == [None] * 16 and memory.states[i, j] == HOLE and label == "" and memory.probe[i, j] == -1
            continue
        inside = [0 <= r < params.rows and 0 <= c < params.cols for r, c, _ in places]
        row, column, _ = places[0]
        assert memory.states[i, j] == (0 if any(inside) else OUTSIDE)
        assert label == (f"{row},{column}" if any(inside) else "0")
        tip = picture.tips.table[memory.probe[i, j]]
        assert tip[:3].tolist() == [row, column, byte] and tip[4] == (16 - sum(inside)) // SIZES[params.element]


@each
def test_the_words_count_what_the_loop_counts(changes):
    params, result, picture = view(changes)
    held = written(params)
    outside = {(r, c) for r, c, _ in held.values() if not (0 <= r < params.rows and 0 <= c < params.cols)}
    assert result.zero_elements == len(outside)
    assert f"expect {len(held):,} bytes".replace(",", "") in picture.verdicts[0].sentence.replace(",", "")
    assert picture.verdicts[0].state == ("note" if outside else "good")
    pattern = {0: 128, 32: 256, 64: 512, 128: 1024}[params.swizzle_bytes]
    assert (len(picture.verdicts) == 2) == (params.smem_base % pattern != 0)


@each
def test_the_matrix_shows_the_box_where_it_covers_it(changes):
    params, result, picture = view(changes)
    matrix = next(g for g in picture.grids() if g.name == "matrix")
    for (i, j), cell in np.ndenumerate(matrix.probe):
        row, column = int(matrix.row_heads[i]), int(matrix.col_heads[j])
        down, across = row - params.row, column - params.column
        covered = 0 <= down < params.box_rows and 0 <= across < params.inner
        assert (cell >= 0) == covered
        if covered:
            assert probe(result, int(cell)) == {"down": down, "across": across // (16 // SIZES[params.element])}
    assert sum(ring.kind == "probe" for ring in matrix.rings) == 1


def test_the_card_holds_what_the_hardware_wrote():
    names, tried = {v: k for k, v in SIZES.items()}, 0
    for case in measured_hopper("tma_tiles").cases:
        (rows, cols), (inner, high) = (200, 300), case["box"]
        column, row = case["coordinate"]
        changes = {
            "rows": rows, "cols": cols, "element": names[case["element_bytes"]], "inner": inner, "box_rows": high,
            "column": column, "row": row, "swizzle_bytes": case["swizzle_bytes"], "smem_base": case["smem_base"],
        }  # fmt: skip
        if case["illegal"]:
            with pytest.raises(CuteLabError, match="illegal instruction"):
                TmaParams(**changes)
            continue
        memory = compute(TmaParams(**changes)).memory
        if case["element_bytes"] == 1:  # a byte does not say which of 60,000 elements it is
            memory = np.where(memory >= 0, memory % 12_800, memory)
        np.testing.assert_array_equal(memory, case["smem"])
        tried += 1
    assert tried >= 34


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"column": 3}, "column 3 x 2 bytes is no multiple of 16 bytes.*start at column 0 or 8"),
        ({"inner": 72}, "wider than the swizzle's span of 128"),
        ({"inner": 12}, "no multiple of 16"),
        ({"smem_base": 64}, "multiple of 128"),
        ({"swizzle_bytes": 16}, "swizzle_bytes must be"),
        ({"box_rows": 257}, "box_rows must be from 1 to 256"),
        ({"element": "uint128"}, "element must be one of"),
        ({"row": True}, "a box starts at"),
        ({"down": 8}, "down must be from 0 to 7"),
    ],
)
def test_what_the_unit_refuses_is_refused_by_its_rule(changes, rule):
    with pytest.raises(CuteLabError, match=rule):
        TmaParams().change(**changes)


def test_another_element_or_span_takes_box_and_start_along():
    params = TmaParams(column=8).change(element="float64")
    assert (params.inner, params.column) == (16, 8)
    assert TmaParams().change(swizzle_bytes=32).inner == 16
    assert TmaParams(column=8).change(element="int8").column == 0


def test_a_click_beside_the_box_is_refused():
    with pytest.raises(CuteLabError, match="not one of the 64 pieces"):
        probe(compute(TmaParams()), 64)
