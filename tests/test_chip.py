"""A chip is a value: other banks, words and lanes are counted by the same rules, right by a slow oracle, and called not measured."""

from dataclasses import replace
from itertools import product

import memory_oracle as oracle
import numpy as np
import pytest

from cutelab.advise.conflict_free import conflict_free, ldmatrix_tile, read_column, read_row, store_rows
from cutelab.advise.copies import fragment_loads, tensor_core_fixes, vector_copy
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout, offsets
from cutelab.cutlass.atoms import mma_atom
from cutelab.hardware import sectors, wavefronts
from cutelab.hardware.access import WarpAccess
from cutelab.hardware.chip import AMD_LDS, CHIPS, H200, Chip
from cutelab.hardware.pipeline import Pipeline
from cutelab.plans import GemmPlan, TransposePlan
from cutelab.plans.gemm import a_layout
from cutelab.plans.tiles import tile_layout

OTHERS = [
    AMD_LDS,
    *(replace(H200, **dict(zip(("lanes", "banks", "word_bytes"), n, strict=True)))
      for n in product((32, 64), (16, 32, 64), (4, 8)) if n != (32, 32, 4)),
    replace(H200, lanes=8, banks=4),
    replace(H200, lanes=16, banks=8, word_bytes=16),
    replace(H200, sector_bytes=64, line_bytes=256),
]  # fmt: skip
IDS = [f"{c.lanes} lanes, {c.banks} x {c.word_bytes}, {c.sector_bytes}" for c in OTHERS]
WIDTHS = [(kind, b) for kind in ("load", "store") for b in (1, 2, 4, 8, 16)]
WIDTHS += [("ldmatrix", 16), ("stmatrix", 16), ("reduce", 4), ("atomic", 4)]


def accesses(chip, kind, access_bytes, count=24):
    """Addresses and active lanes: crowded, strided, spread out, shared by neighbours, with lanes missing."""
    rng = np.random.default_rng(count)
    lane = np.arange(chip.lanes)
    for i in range(count):
        address = rng.integers(0, int(rng.choice([2, 8, 64, 1024])), chip.lanes)
        if i % 4 == 1:
            address = lane * rng.integers(1, 80) + rng.integers(0, 9)
        if i % 3 == 0:
            address = address[lane & ~int(rng.choice([1, 2, 3]))]
        active = rng.random(chip.lanes) < rng.choice([0.2, 0.9, 1.0])
        active[rng.integers(chip.lanes)] = True
        if "matrix" in kind:
            active = lane < rng.choice([n for n in (8, 16, 32) if n <= chip.lanes])
        yield WarpAccess(address * access_bytes, access_bytes, kind, active, chip=chip)


@pytest.mark.long
@pytest.mark.parametrize("chip", OTHERS, ids=IDS)
@pytest.mark.parametrize(("kind", "access_bytes"), WIDTHS)
def test_the_rules_with_other_numbers_equal_the_oracle(chip, kind, access_bytes):
    for access in accesses(chip, kind, access_bytes):
        plain = access.byte_address.tolist(), access.active.tolist()
        w = wavefronts(access)
        assert (w.count, w.ideal) == oracle.wavefronts(kind, access_bytes, *plain, chip)
        groups = oracle.groups_of(kind, access_bytes, *plain, chip)
        for g, lanes in enumerate(groups):
            for lane in lanes:
                on = plain[1][lane]
                byte = plain[0][lane]
                assert w.groups[lane] == (g if on else -1)
                assert w.bank[lane] == (byte // chip.word_bytes % chip.banks if on else -1)
        assert w.degree.sum() == w.count and set(w.wavefront[access.active]) == set(range(w.count))
        assert w.explain() and "not measured" in w.summary()
        if kind in ("load", "store"):
            s = sectors(access)
            assert (s.count, s.ideal, s.used_bytes, s.lines) == oracle.sectors(access_bytes, *plain, chip)
            assert "not measured" in s.summary() and s.explain().startswith(s.summary())


def test_the_measured_chip_says_nothing_and_every_other_does():
    assert H200.measured and H200.note == "" and Chip() == H200
    for name in ("lanes", "banks", "word_bytes", "sector_bytes", "line_bytes"):
        other = replace(H200, **{name: 2 * getattr(H200, name)})
        assert not other.measured and "not measured with" in other.note
    assert not CHIPS["sm_80"].measured and CHIPS["sm_90"] is H200
    assert "not measured on A100" in replace(H200, name="A100").said("4 sectors")
    assert replace(H200, shared_bytes=1 << 20).measured  # limits are no rule of counting


def test_two_accesses_on_two_chips_are_two():
    one, other = WarpAccess(np.arange(32) * 4, 4), WarpAccess(np.arange(32) * 4, 4, chip=replace(H200, banks=64))
    assert one != other and hash(one) != hash(other) and wavefronts(one) != wavefronts(other)


@pytest.mark.long
@pytest.mark.parametrize("chip", OTHERS, ids=IDS)
def test_advice_on_any_chip_is_right_by_the_oracle(chip):
    """Every padding and swizzle found is counted again, lane by lane."""
    tiles = [read_column(1, chip=chip), read_row(0, chip=chip), store_rows(4, rows=64, cols=64, chip=chip)]
    fixes = conflict_free(tiles, 64, 64, 4, max_pad=4)
    assert len(fixes) > 20
    for fix in fixes[:12] + fixes[-3:]:
        table = offsets(fix.layout) * 4
        found = 0
        for tile in tiles:
            for row, col, on in zip(tile.row, tile.col, tile.active, strict=True):
                byte = [int(table[r, c]) if a else 0 for r, c, a in zip(row, col, on, strict=True)]
                found += oracle.wavefronts(tile.kind, 4, byte, on.tolist(), chip)[0]
        assert found == fix.wavefronts and "not measured" in fix.why and fix.chip == chip


@pytest.mark.parametrize("chip", OTHERS, ids=IDS)
def test_loads_copies_and_plans_on_any_chip(chip):
    atom = mma_atom("SM80_16x8x16_F32F16F16F32_TN")
    for load in fragment_loads(Layout((16, 64), (64, 1)), atom, "A", 2, chip=chip):
        assert "not measured" in load.summary() and ("ldmatrix" not in load.instruction or chip.lanes == 32)
        total = 0
        for access in load.accesses:
            assert access.chip == chip
            for address, active in zip(
                access.byte_address.reshape(-1, chip.lanes), access.active.reshape(-1, chip.lanes), strict=True
            ):
                total += oracle.wavefronts(access.kind, access.access_bytes, address.tolist(), active.tolist(), chip)[0]
        assert total == load.wavefronts
    assert tensor_core_fixes(atom, "B", 8, 16, 2, chip=chip, max_pad=2)
    copy = vector_copy(Layout((32, 64), (64, 1)), Layout((32, 64), (72, 1)), 2, chip=chip)
    assert copy.instructions == 256 // chip.lanes and "not measured" in copy.summary()
    plans = [TransposePlan(32, tile_layout(name, 32, chip=chip), chip=chip) for name in ("naive", "padded", "swizzled")]
    plans.append(TransposePlan(64, tile_layout("swizzled", 64, 4, chip=chip), 4, chip=chip))
    plans.append(
        GemmPlan(128, 128, 8, a_layout("swizzled", chip=chip), Layout((8, 128), (128, 1)), vector=4, chip=chip)
    )
    for plan in plans:
        for access in plan.accesses():
            count = sum(
                oracle.sectors(access.access_bytes, a.tolist(), on.tolist(), chip)[0]
                if access.space == "global"
                else oracle.wavefronts(access.kind, access.access_bytes, a.tolist(), on.tolist(), chip)[0]
                for a, on in zip(access.warps.byte_address[:9], access.warps.active[:9], strict=True)
            )
            assert count == np.sum(access.result.count[:9]) and "not measured" in access.explain()


def test_limits_are_the_chips():
    small = replace(H200, static_bytes=4096, block_threads=256, shared_bytes=8192, name="small")
    with pytest.raises(CuteLabError, match="4,096"):
        TransposePlan(64, tile_layout("padded", 64), chip=small)
    assert TransposePlan(32, None, chip=small).threads <= 256
    with pytest.raises(CuteLabError, match="at most 256 threads"):
        TransposePlan(32, None, block=(32, 16), chip=small)
    with pytest.raises(CuteLabError, match="at most 256"):
        GemmPlan(128, 128, 8, a_layout("padded"), Layout((8, 128), (128, 1)), values=4, chip=small)
    with pytest.raises(CuteLabError, match="8,192"):
        store_rows(4, rows=64, cols=64, chip=small)
    with pytest.raises(CuteLabError, match="8,192"):
        conflict_free(read_column(0, chip=small), 64, 64, 4)
    own = replace(H200, name="own", block_bytes=20_000)
    assert Pipeline(128, 128, 32, stages=1, arch=own).shared_limit == 20_000
    with pytest.raises(CuteLabError, match="a block of own has at most 20,000"):
        Pipeline(128, 128, 32, stages=2, arch=own)


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ({"banks": 24}, "power of two"),
        ({"lanes": 4}, "from 8 to"),
        ({"word_bytes": 2}, "from 4 to 16"),
        ({"banks": True}, "whole number"),
        ({"sector_bytes": 8}, "from 16"),
        ({"line_bytes": 16}, "shorter than a sector"),
        ({"shared_bytes": 0}, "1 or more"),
        ({"block_bytes": 2.5}, "whole number"),
        ({"name": 7}, "text"),
    ],
)
def test_a_chip_that_no_rule_can_count_with_is_refused(numbers, text):
    with pytest.raises(CuteLabError, match=text):
        replace(H200, **numbers)


def test_bad_chips_are_one_clear_error():
    for make in (
        lambda: WarpAccess(np.arange(32), 1, chip="H200"),
        lambda: store_rows(4, chip=AMD_LDS).__class__([0] * 32, [0] * 32, 4, chip=3),
    ):
        with pytest.raises(CuteLabError, match="chip must be a Chip"):
            make()
    with pytest.raises(CuteLabError, match="2 chips"):
        conflict_free([read_column(0), read_column(0, chip=AMD_LDS)], 64, 64, 4)
    with pytest.raises(CuteLabError, match="32 lanes; a warp has 8"):
        ldmatrix_tile(chip=replace(H200, lanes=8))
    with pytest.raises(CuteLabError, match="a warp has 64 lanes"):
        WarpAccess(np.arange(32), 1, chip=AMD_LDS)
