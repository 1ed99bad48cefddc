"""recommend_copy: what it gives covers the tile, is counted right, and nothing that was tried is better."""

from itertools import product

import numpy as np
import pytest

from cutelab.advise.cost import cost
from cutelab.advise.recommend import recommend_copy
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout, offsets
from cutelab.cutlass.atoms.copy import copy_atom
from cutelab.cutlass.tv import TiledCopy, make_tiled_copy
from cutelab.hardware.chip import AMD_LDS

CASES = [
    ((128, 64), "half_t", 128, "row"),
    ((128, 8), "float", 256, "column"),
    ((64, 64), "double", 64, "row"),
    ((32, 128), "int8_t", 64, "row"),
    ((128, 32), "bfloat16_t", 256, "column"),
]
ITEMS = {"half_t": 2, "float": 4, "double": 8, "int8_t": 1, "bfloat16_t": 2}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_each_copy_takes_every_element_once_and_costs_what_it_says(case):
    (rows, cols), element, threads, order = case
    found = recommend_copy(*case)
    copies = [r for r in found if isinstance(r.copy, TiledCopy)]
    maps = [r for r in found if not isinstance(r.copy, TiledCopy)]
    assert 1 <= len(copies) <= 5 and 1 <= len(maps) <= 5
    stride = (4096, 1) if order == "row" else (1, 4096)
    for one in copies:
        assert one.copy.threads == threads
        again = cost(one.copy, Layout((rows, cols), stride), one.smem_layout, element)
        assert (again.source.count, again.target.count) == (one.sectors, one.wavefronts)
        assert (
            np.unique(again.source.row * cols + again.source.col).size * one.access_bytes
            == rows * cols * ITEMS[element]
        )
        assert str(one.access_bytes * 8) in one.cpp and one.why
    for one in maps:
        at = one.copy.accesses()
        inner = cols if order == "row" else rows
        number = (at[..., 1] * inner + at[..., 0]).ravel()
        values = one.access_bytes // ITEMS[element]
        held = np.sort((number[:, None] + np.arange(values)).ravel())
        assert (held == np.arange(rows * cols)).all() and one.instructions == at.shape[1]
    for group in (copies, maps):
        keys = [(r.sectors, r.instructions, r.wavefronts) for r in group]
        assert keys == sorted(keys)


def test_nothing_that_fits_beats_the_first():
    """Every arrangement of 64 threads over 32 x 64 halves, each counted: none has fewer sectors, then instructions."""
    best = recommend_copy((32, 64), "half_t", 64)[0]
    seen = 0
    for width, along in product((16, 8, 4, 2), (1, 2, 4, 8, 16, 32, 64)):
        values = width // 2
        if 64 % (along * values) or 32 % (64 // along):
            continue
        atom = copy_atom(f"UniversalCopy<uint{8 * width}_t>", "half_t")
        copy = make_tiled_copy(atom, Layout((64 // along, along), (along, 1)), Layout((1, values)))
        found = cost(copy, Layout((32, 64), (4096, 1)), Layout((32, 64), (64, 1)), "half_t")
        assert (best.sectors, best.instructions) <= (found.source.count, found.source.counts.shape[0])
        seen += 1
    assert seen > 10 and best.sectors == 32 * 64 * 2 // 32 and best.wavefronts == best.ideal_wavefronts


def test_what_stays_in_its_room_stays_there():
    for one in recommend_copy((128, 64), "half_t", 128, may_pad=False):
        assert int(offsets(one.smem_layout).max()) == 128 * 64 - 1
    assert "not measured" in recommend_copy((64, 64), "half_t", 64, chip=AMD_LDS)[0].why


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (((128, 32), "float", 96), "64 threads would do"),
        (((128, 64, 2), "float", 128), "a tile is two"),
        (((128, 64), "float", 0), "threads must be"),
        (((128, 64), "float", 128, "diagonal"), "order must be"),
        (((128, 64), 4, 128), "C++ type"),
        (((128, 64), "uint1_t", 128), "whole bytes"),
    ],
)
def test_bad_input_is_one_clear_error(arguments, text):
    with pytest.raises(CuteLabError) as caught:
        recommend_copy(*arguments)
    assert text in str(caught.value) and len(str(caught.value)) <= 300
    if "would do" in text:
        assert recommend_copy(arguments[0], arguments[1], 64)


@pytest.mark.long
@pytest.mark.parametrize(
    "arguments",
    [
        {"tile": (96, 64), "element": "double", "threads": 32, "order": "column", "pitch": 512, "may_pad": False},
        {"tile": (96, 32), "element": "half_t", "threads": 32, "order": "column", "pitch": 1000},
        {"tile": (96, 128), "element": "float", "threads": 32, "order": "column", "pitch": 512},
    ],
    ids=str,
)
def test_every_staging_tile_is_one_that_the_copy_partitions(arguments):
    """Swizzles of a tile whose sides are no powers of two: CuTe does not compile some, and in others its threads would meet."""
    for one in recommend_copy(**arguments):
        if isinstance(one.copy, TiledCopy):
            parts = [one.copy.partition_D(one.smem_layout, t) for t in range(one.copy.threads)]
            held = np.sort(np.concatenate([offsets(layout).ravel() + start for layout, start in parts]))
            np.testing.assert_array_equal(held, np.sort(offsets(one.smem_layout).ravel()))
