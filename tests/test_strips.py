"""The article's strip formula: every number of its walk-throughs, and what the formula does to a tile."""

import numpy as np
import pytest

from cutelab import CuteLabError, offsets
from cutelab.cutlass.strips import StripThreadMap
from cutelab.cutlass.thread_map import PitchLinearStripminedThreadMap

SMALL = [
    StripThreadMap(row_pitch, threads, pitch, strips)
    for row_pitch in (4, 8, 16, 33)
    for threads in (1, 24, 32, 64)
    for pitch in (1, 3, 4, 8, 32, 128)
    for strips in (1, 2, 4, 8)
]


def formula(t, row_pitch, pitch, strips):
    return t % pitch + (t // pitch) % strips * row_pitch + (t // pitch) // strips * (pitch * strips * row_pitch)


def test_law_offsets_are_the_formula():
    for m in SMALL:
        expected = [formula(t, m.row_pitch, m.pitch, m.strips) for t in range(m.threads)]
        assert m.offsets().tolist() == expected
        assert [m.get_offset(t) for t in range(m.threads)] == expected
        assert m.rows == tuple(sorted({o // m.row_pitch for o in expected}))
        assert m.collisions == tuple(sorted({o for o in expected if expected.count(o) > 1}))
        assert m.gaps().tolist() == sorted(set(range(max(expected))) - set(expected))
        assert m.skipped_rows == m.rows[-1] - m.rows[0] + 1 - len(m.rows)


def test_law_coverage_counts_add_up():
    for m in SMALL:
        for tile in ((8, 4), (m.pitch, 8), (1, 1)):
            coverage = m.coverage(tile)
            inside = [(c, r) for c, r in m.coords().tolist() if c < tile[0] and r < tile[1]]
            assert coverage.times.sum() + coverage.out_of_tile_elements == m.threads
            assert coverage.covered == len(set(inside))
            assert coverage.out_of_tile_elements == m.threads - len(inside)


def test_law_a_layout_is_right_or_refused():
    refused = 0
    for m in SMALL:
        try:
            layout = m.layout()
        except CuteLabError as error:
            refused += 1
            assert "threads do not fill strips" in str(error)
            continue
        assert offsets(layout).ravel(order="F").tolist() == m.offsets().tolist()
    assert 0 < refused < len(SMALL) / 2


def test_walk_through_of_the_article():
    block = StripThreadMap(row_pitch=16, threads=32, pitch=8, strips=4)
    assert block.offsets().tolist() == [*range(8), *range(16, 24), *range(32, 40), *range(48, 56)]
    assert block.coverage((8, 4)).exact
    assert block.strip.tolist() == [t // 8 for t in range(32)]


def test_64_threads_jump_to_row_32_and_skip_28_rows():
    far = StripThreadMap(16, 64, 8, 4)
    assert far.get_offset(32) == 512
    assert far.rows == (0, 1, 2, 3, 32, 33, 34, 35)
    assert far.skipped_rows == 28
    assert far.coverage((8, 8)).out_of_tile_elements == 32


def test_one_strip_is_not_the_plain_map():
    one = StripThreadMap(16, 32, 8, 1).offsets()
    t = np.arange(32)
    plain = t % 8 + t // 8 * 16
    assert (one == t % 8 + t // 8 * 128).all()
    assert int((one != plain).sum()) == 24
    assert (one[8], plain[8]) == (128, 16)


@pytest.mark.parametrize(
    ("strips", "rows"), [(1, (0, 8, 16, 24)), (2, (0, 1, 16, 17)), (4, (0, 1, 2, 3)), (8, (0, 1, 2, 3))]
)
def test_strips_near_threads_over_pitch(strips, rows):
    assert StripThreadMap(16, 32, 8, strips).rows == rows


def test_m16n8k8_example_leaves_its_tile():
    operand = StripThreadMap(16, 32, 8, 2)
    assert operand.offsets().tolist() == [*range(8), *range(16, 24), *range(256, 264), *range(272, 280)]
    assert operand.coverage((8, 16)).out_of_tile_elements == 16
    narrow = StripThreadMap(8, 32, 8, 2)
    assert narrow.offsets()[16:].tolist() == list(range(128, 144))
    assert narrow.coverage((8, 16)).outside_threads.tolist() == list(range(16, 32))


def test_real_map_equals_the_formula_only_at_its_start():
    real = PitchLinearStripminedThreadMap((16, 8), 32, 1)
    start = real.initial_offsets() @ [1, 16]
    assert (StripThreadMap(16, 32, 16, 2).offsets() == start).all()
    assert (StripThreadMap(16, 32, 16, 1).offsets() != start).any()


def test_warp_addresses_count_bytes():
    address, active = StripThreadMap(16, 48, 8, 4).warp_addresses(2)
    assert address.shape == active.shape == (2, 32)
    assert address[0].tolist() == (2 * StripThreadMap(16, 32, 8, 4).offsets()).tolist()
    assert active.sum(axis=1).tolist() == [32, 16]


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: StripThreadMap(16, 0, 8, 4), "threads must be from 1 to 1024, got 0"),
        (lambda: StripThreadMap(16, 1025, 8, 4), "threads must be from 1 to 1024, got 1025"),
        (lambda: StripThreadMap(-16, 32, 8, 4), "row_pitch must be from 1"),
        (lambda: StripThreadMap(16, 32, 0.5, 4), "pitch must be a whole number"),
        (lambda: StripThreadMap(16, 32, 8, "4"), "strips must be a whole number"),
        (lambda: StripThreadMap(16, 32, 8, 4).get_offset(32), "thread must be from 0 to 31"),
        (lambda: StripThreadMap(16, 32, 8, 4).get_offset(np.array([40])), "from 0 to 31"),
        (lambda: StripThreadMap(16, 32, 8, 4).coverage((0, 4)), "tile .* is empty"),
        (lambda: StripThreadMap(16, 24, 16, 4).layout(), "16 or 32 threads do"),
        (lambda: StripThreadMap(2**20, 1024, 1, 1).gaps(), "gaps are listed up to"),
    ],
)
def test_bad_input_is_one_clear_sentence(make, word):
    with pytest.raises(CuteLabError, match=word):
        make()
