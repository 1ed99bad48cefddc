"""conflict_free: each answer counted again, lane by lane; and that nothing better was missed."""

import memory_oracle as oracle
import numpy as np
import pytest

from cutelab.advise.conflict_free import TileAccess, conflict_free, ldmatrix_tile, read_column, read_row, store_rows
from cutelab.core.composed import ComposedLayout, parse_layout
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout, offsets
from cutelab.core.swizzle import Swizzle
from cutelab.hardware.chip import H200

T = np.arange(32)
ALL_SWIZZLES = [Swizzle(b, m, s) for b in range(1, 6) for m in range(8) for s in range(-7, 8) if abs(s) >= b]
TILES = {
    "column of 32 x 8": (32, 8, 4, [read_column(3)]),
    "columns and rows of 32 x 32": (32, 32, 4, [read_column(12), store_rows(16), read_row(5)]),
    "half, ldmatrix": (16, 64, 2, [ldmatrix_tile(), store_rows(16, rows=16, cols=64, element_bytes=2)]),
    "half, columns": (32, 32, 2, [read_column(1, access_bytes=2)]),
    "24 rows of 20": (24, 20, 4, [read_column(0, rows=24), store_rows(8, rows=24, cols=20)]),
    "doubles": (16, 16, 8, [read_column(0, rows=16, access_bytes=8), store_rows(8, rows=16, cols=16, element_bytes=8)]),
    "atomics": (32, 8, 4, [TileAccess(T, T % 8, 4, "atomic")]),
    "diagonal": (32, 33, 4, [TileAccess(T, T, 4)]),
}  # fmt: skip


def total(access, table, element_bytes):
    """Wavefronts and ideal of an access through a table of offsets, by the oracle."""
    sums = np.zeros(2, dtype=int)
    for row, col, active in zip(access.row, access.col, access.active, strict=True):
        address = [int(table[r, c]) * element_bytes if on else 0 for r, c, on in zip(row, col, active, strict=True)]
        sums += oracle.wavefronts(access.kind, access.access_bytes, address, active.tolist())
    return sums


@pytest.mark.long
@pytest.mark.parametrize("name", TILES)
def test_every_fix_counts_right(name):
    rows, cols, element_bytes, accesses = TILES[name]
    fixes = conflict_free(accesses, rows, cols, element_bytes)
    for fix in fixes:
        table = offsets(fix.layout)
        each = [total(a, table, element_bytes) for a in accesses]
        assert (fix.wavefronts, fix.ideal) == tuple(sum(each))
        assert fix.per_access == tuple(int(e[0]) for e in each)
        assert len(np.unique(table)) == rows * cols, "every element has its own place"
        needed = rows * fix.pitch if fix.swizzle is None else int(table.max()) + 1
        assert fix.extra_bytes == max(0, needed - rows * cols) * element_bytes
        assert fix.free or fix.wavefronts > fix.ideal
        for a in accesses:  # each vector stays in one aligned piece
            vector = a.access_bytes // element_bytes
            row, col = a.row[a.active], a.col[a.active]
            first = table[row, col]
            assert (first % vector == 0).all()
            for j in range(vector):
                assert (table[row, col + j] == first + j).all()
    keys = [(c.wavefronts, c.extra_bytes) for c in fixes]
    assert keys == sorted(keys)
    assert fixes[0].free == any(c.free for c in fixes)
    assert len({offsets(c.layout).tobytes() for c in fixes}) == len(fixes), "the same map counts once"


@pytest.mark.parametrize("name", ["column of 32 x 8", "half, ldmatrix", "24 rows of 20", "doubles"])
def test_nothing_better_was_missed(name):
    rows, cols, element_bytes, accesses = TILES[name]
    best = conflict_free(accesses, rows, cols, element_bytes, may_pad=False)[0].wavefronts
    piece = max(a.access_bytes for a in accesses) // element_bytes
    base = Layout((rows, cols), (cols, 1))
    found = []
    for swizzle in ALL_SWIZZLES:
        table = offsets(ComposedLayout(swizzle, 0, base))
        flat = table.reshape(-1, piece)
        if (flat == flat[:, :1] + np.arange(piece)).all() and (flat[:, 0] % piece == 0).all():
            found.append(sum(total(a, table, element_bytes)[0] for a in accesses))
    assert len(found) > 50 and min(found) == best


def test_simplest_name_of_a_swizzle():
    """On (8,32):(32,1) Sw<3,3,3> and Sw<2,3,3> are one map: the name with fewer bits stands."""
    access = TileAccess(T % 8, T // 8 * 8, 16)
    names = [c.name for c in conflict_free([access], 8, 32, 2)]
    assert "Sw<2,3,3>" in names and "Sw<3,3,3>" not in names


def test_known_fixes():
    column = conflict_free([read_column(0)], 32, 8, 4)
    assert (column[0].name, column[0].wavefronts, column[0].given) == ("Sw<3,0,5>", 1, 8)
    assert next(c for c in column if c.name == "Sw<3,0,3>").ways == 4
    square = conflict_free([read_column(12)], 32, 32, 4)
    assert [c.name for c in square[:2]] == ["Sw<5,0,5>", "pitch 33"]
    assert square[1].cost == "+32 words (3 %)"
    stores = TileAccess(T % 8, T // 8, 4, "store")  # m = t // 8, k = t % 8; k is the row
    pitches = {c.pitch: c.wavefronts for c in conflict_free([stores], 8, 128, 4) if c.swizzle is None}
    assert (pitches[128], pitches[129], pitches[132]) == (8, 4, 1)
    kept = conflict_free([stores], 8, 128, 4, keep_alignment=16)
    assert next(c for c in kept if c.kind == "padding").name == "pitch 132"
    assert all(c.pitch % 4 == 0 for c in kept)
    odd = conflict_free([read_column(0)], 32, 31, 4)
    assert odd[0].kind == "as given" and odd[0].free
    assert next(c for c in odd if c.pitch == 32).wavefronts == 32
    half = conflict_free([ldmatrix_tile(matrices=1)], 8, 64, 2)
    assert half[0].free and half[0].swizzle.recast(2, 1) == Swizzle(3, 4, 3)


def test_limits():
    access = [read_column(0)]
    assert {c.kind for c in conflict_free(access, 32, 32, 4, may_pad=False)} == {"swizzle", "as given"}
    assert all(c.extra_bytes == 0 for c in conflict_free(access, 32, 24, 4, keep_size=True))
    assert any(c.extra_bytes and c.swizzle for c in conflict_free(access, 32, 24, 4))
    aligned = conflict_free(access, 32, 32, 4, keep_alignment=16)
    assert all(c.pitch % 4 == 0 and (c.swizzle is None or c.swizzle.base >= 2) for c in aligned)
    narrow = conflict_free([TileAccess(T, T * 0, 16)], 32, 31, 4)
    assert narrow[0].given is None and all(c.pitch % 4 == 0 for c in narrow)


def test_it_says_when_nothing_is_free():
    fixes = conflict_free([read_column(0), store_rows(16)], 32, 32, 4)
    assert not any(c.free for c in fixes)
    assert fixes[0].why.startswith("nothing tried is free of bank conflicts, and this is the best: 36 wavefronts")
    assert not any("nothing tried" in c.why for c in fixes[1:])


def test_texts_are_the_layout():
    for fix in conflict_free([read_column(0)], 32, 32, 4):
        assert parse_layout(fix.cute) == fix.layout
        table = offsets(fix.layout)
        row, col = np.indices((32, 32))
        if fix.swizzle is None:
            assert fix.index == f"row * {fix.pitch} + col" and f"Int<{fix.pitch}>" in fix.cpp
            np.testing.assert_array_equal(row * fix.pitch + col, table)
        else:
            in_bytes = fix.swizzle.recast(4, 1)
            assert str(in_bytes) in fix.units and f"{fix.swizzle.yyy:#x}" in fix.index
            np.testing.assert_array_equal(in_bytes((row * 32 + col) * 4), table * 4)


def test_helpers():
    access = store_rows(16, rows=8, cols=64, element_bytes=2)
    touched = np.zeros((8, 64), dtype=int)
    for j in range(8):
        np.add.at(touched, (access.row[access.active], access.col[access.active] + j), 1)
    assert (touched == 1).all()
    assert read_column(0, rows=40).active.sum() == 40
    assert read_column(0) == read_column(0) != read_column(1) and hash(read_row(1)) == hash(read_row(1))


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: conflict_free([], 32, 8, 4), "at least one access"),
        (lambda: conflict_free(["column"], 32, 8, 4), "a TileAccess"),
        (
            lambda: conflict_free([read_column(0)], 16, 8, 4),
            "lane 16 moves 1 element from (16,0) on: this leaves the tile",
        ),
        (lambda: conflict_free([read_column(8)], 32, 8, 4), "leaves the tile of 32 x 8"),
        (lambda: conflict_free([TileAccess(T, T * 0 + 1, 16)], 32, 8, 4), "multiple of 4"),
        (lambda: conflict_free([read_column(0)], 32, 8, 8), "less than an element of 8 bytes"),
        (lambda: conflict_free([read_column(0)], 32, 8, 3), "1, 2, 4, 8 or 16 bytes"),
        (lambda: conflict_free([read_column(0)], 0, 8, 4), "rows must be"),
        (lambda: conflict_free([read_column(0)], 32, "8", 4), "cols must be"),
        (lambda: conflict_free([read_column(0)], 10**6, 10**6, 4), "a block has 232,448 of shared memory"),
        (lambda: conflict_free([read_column(0)], 32, 8, 4, keep_alignment=12), "power of two"),
        (lambda: conflict_free([read_column(0)], 32, 8, 4, max_pad=-1), "max_pad"),
        (lambda: conflict_free([TileAccess(T, T * 0, 16)], 32, 31, 4, may_pad=False), "nothing to try"),
        (lambda: conflict_free([TileAccess(T, T * 0, 4, "cp.async")], 32, 8, 4), "not modelled"),
        (lambda: conflict_free([TileAccess(T, T * 0, 4, active=T < 0)], 32, 8, 4), "no lane is active"),
        (lambda: TileAccess(T, T[:16], 4), "col must hold 32"),
        (lambda: TileAccess(T * 1.0, T, 4), "row must hold 32"),
        (lambda: TileAccess(np.stack([T, T]), T, 4), "must be the same"),
        (lambda: TileAccess(T, T, 4, active=[True] * 5), "32 truth values"),
        (lambda: read_column(0, rows=0), "rows must be"),
        (lambda: store_rows(16, cols=6), "do not split"),
        (lambda: ldmatrix_tile(matrices=3), "1, 2 or 4"),
    ],
)
def test_bad_input_is_one_clear_error(make, text):
    with pytest.raises(CuteLabError) as caught:
        make()
    assert text in str(caught.value)


def test_nothing_is_advised_that_no_block_can_hold():
    """Sw<3,6,-7> sends this tile to byte 233,471: the multiprocessor has so much, a block does not."""
    fixes = conflict_free([read_column(0, rows=16)], 16, 64, 4, may_pad=False)
    assert max(fix.rows * fix.cols * 4 + fix.extra_bytes for fix in fixes) <= H200.block_bytes < H200.shared_bytes
    assert "Sw<3,6,-7>" not in {fix.name for fix in fixes}
    with pytest.raises(CuteLabError, match="a block has 232,448"):
        conflict_free([read_column(0, rows=16)], 912, 64, 4)
