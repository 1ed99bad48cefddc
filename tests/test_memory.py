"""The memory model against the hardware, against a slow oracle, and against its own laws."""

import dataclasses
import json
from pathlib import Path

import memory_oracle as oracle
import numpy as np
import pytest

from cutelab.core.errors import CuteLabError
from cutelab.core.swizzle import Swizzle
from cutelab.hardware import sectors, wavefronts
from cutelab.hardware.measured import measured
from cutelab.memory import Sectors, WarpAccess, Wavefronts

CASES = {c["id"]: c for c in json.loads((Path(__file__).parent / "data/cases_layouts.json").read_text())}
WIDTHS = [("load", b) for b in (1, 2, 4, 8, 16)] + [("store", b) for b in (1, 2, 4, 8, 16)]
WIDTHS += [("ldmatrix", 16), ("stmatrix", 16), ("reduce", 4), ("atomic", 4)]
T = np.arange(32)


def random_accesses(kind, access_bytes, count, seed=0):
    """Addresses and active lanes of many kinds: strided, crowded, spread out, shared by neighbours, with lanes missing."""
    rng = np.random.default_rng(seed)
    for i in range(count):
        span = int(rng.choice([2, 8, 32, 128, 1024]))
        address = rng.integers(0, span, 32)
        if i % 4 == 1:
            address = T * rng.integers(1, 40) + rng.integers(0, 9)
        if i % 3 == 0:
            x = int(rng.choice([1, 2, 3, 4]))
            address = address[T & ~x]  # neighbours share: a chance to be pairwise merged
        active = rng.random(32) < rng.choice([0.1, 0.5, 0.9, 1.0])
        active[rng.integers(32)] = True
        if "matrix" in kind:
            active = rng.choice([8, 16, 32]) > T
        yield address * access_bytes, active


# ------------------------------------------------------------------ the hardware


@pytest.fixture(scope="module")
def shared():
    return measured("h200_shared_wavefronts")


@pytest.fixture(scope="module")
def global_memory():
    return measured("h200_global_sectors")


def test_wavefronts_equal_the_hardware_on_every_measured_pattern(shared):
    assert len(shared) == 1209
    for i in range(len(shared)):
        access = WarpAccess(shared.byte_address[i], shared.access_bytes[i], shared.kind[i], shared.active[i])
        assert wavefronts(access).count == shared.counts[i], (shared.instruction[i], shared.pattern[i])


def test_sectors_equal_the_hardware_on_every_measured_pattern(global_memory):
    m = global_memory
    assert len(m) == 412
    for i in range(len(m)):
        access = WarpAccess(m.byte_address[i], m.access_bytes[i], m.kind[i], m.active[i])
        assert sectors(access).count == m.counts[i], (m.instruction[i], m.pattern[i])


def test_the_textbook_rule_differs_from_the_hardware(shared):
    """One degree over the whole warp, whatever the width: right on 70 % only, which is why groups of lanes matter."""
    agree, narrow = [], []
    for i in range(len(shared)):
        lanes = shared.byte_address[i][shared.active[i]].tolist()
        agree.append(oracle.degree(lanes, shared.access_bytes[i]) == shared.counts[i])
        narrow.append(shared.kind[i] in ("load", "store") and shared.access_bytes[i] <= 4)
    assert 0.65 < np.mean(agree) < 0.75
    assert np.all(np.array(agree)[np.array(narrow)])


def test_measured_is_read_only_and_names_what_there_is(shared):
    with pytest.raises(ValueError):
        shared.counts[0] = 5
    with pytest.raises(CuteLabError, match="h200_shared_wavefronts"):
        measured("a100")


# ------------------------------------------------------------------ the oracle


@pytest.mark.parametrize(("kind", "access_bytes"), WIDTHS)
def test_wavefronts_equal_the_oracle(kind, access_bytes):
    for address, active in random_accesses(kind, access_bytes, 300):
        w = wavefronts(WarpAccess(address, access_bytes, kind, active))
        expected = oracle.wavefronts(kind, access_bytes, address.tolist(), active.tolist())
        assert (w.count, w.ideal) == expected
        assert w.excess == w.count - w.ideal >= 0


@pytest.mark.parametrize(("kind", "access_bytes"), WIDTHS[:10])
def test_sectors_equal_the_oracle(kind, access_bytes):
    for address, active in random_accesses(kind, access_bytes, 200):
        s = sectors(WarpAccess(address, access_bytes, kind, active))
        expected = oracle.sectors(access_bytes, address.tolist(), active.tolist())
        assert (s.count, s.ideal, s.used_bytes, s.lines) == expected
        assert s.excess == s.count - s.ideal >= 0 and s.efficiency == s.used_bytes / (32 * s.count)


@pytest.mark.parametrize(("kind", "access_bytes"), WIDTHS)
def test_the_order_of_lanes_is_a_schedule(kind, access_bytes):
    """No bank serves two words in one wavefront; one word is served once; the last wavefront is count - 1."""
    for address, active in random_accesses(kind, access_bytes, 100, seed=1):
        w = wavefronts(WarpAccess(address, access_bytes, kind, active))
        groups = oracle.groups_of(kind, access_bytes, address.tolist(), active.tolist())
        served, group_of_wavefront = {}, {}
        for g, lanes in enumerate(groups):
            for lane in lanes:
                if not active[lane]:
                    assert w.wavefront[lane] == w.groups[lane] == w.bank[lane] == w.word[lane] == -1
                    continue
                when = int(w.wavefront[lane])
                assert w.groups[lane] == g and group_of_wavefront.setdefault(when, g) == g
                assert w.bank[lane] == address[lane] // 4 % 32 and w.word[lane] == address[lane] // 4
                for word, bank in zip(w.words[lane].tolist(), w.banks[lane].tolist(), strict=True):
                    token = (word, lane) if kind == "atomic" else word
                    assert bank == word % 32 and served.setdefault((when, bank), token) == token
                    if kind != "atomic":
                        assert served.setdefault((g, word, "when"), when) == when
        assert set(group_of_wavefront) == set(range(w.count))
        assert w.degree.sum() == w.count and w.degree.max() == w.ways


# ------------------------------------------------------------------ laws


@pytest.mark.parametrize(("kind", "access_bytes"), WIDTHS)
def test_a_batch_is_its_warps(kind, access_bytes):
    pairs = list(random_accesses(kind, access_bytes, 60, seed=2))
    address, active = (np.array(x) for x in zip(*pairs, strict=True))
    batch = wavefronts(WarpAccess(address.reshape(5, 12, 32), access_bytes, kind, active.reshape(5, 12, 32)))
    each = [wavefronts(WarpAccess(a, access_bytes, kind, on)) for a, on in pairs]
    assert batch.count.shape == (5, 12)
    for name in ("count", "ideal", "excess", "ways", "degree", "groups", "words", "banks", "wavefront"):
        np.testing.assert_array_equal(
            getattr(batch, name).reshape(60, *np.shape(getattr(each[0], name))), [getattr(w, name) for w in each]
        )
    if kind in ("load", "store"):
        many = sectors(WarpAccess(address, access_bytes, kind, active))
        one = [sectors(WarpAccess(a, access_bytes, kind, on)) for a, on in pairs]
        for name in ("count", "ideal", "excess", "used_bytes", "efficiency", "lines", "sector", "line"):
            np.testing.assert_array_equal(getattr(many, name), [getattr(s, name) for s in one])


def test_a_large_batch_is_the_same_in_every_chunk():
    """More warps than are counted at a time, merged and not merged ones mixed, in an order that differs by chunk."""
    rng = np.random.default_rng(5)
    address = rng.integers(0, 64, (10_000, 32)) * 16
    merged = rng.random(10_000) < 0.5
    address[merged] = address[merged][:, T & ~1]
    batch = wavefronts(WarpAccess(address, 16)).count
    for i in rng.integers(0, 10_000, 300).tolist():
        assert batch[i] == oracle.wavefronts("load", 16, address[i].tolist(), [True] * 32)[0]
    np.testing.assert_array_equal(batch, wavefronts(WarpAccess(address[::-1], 16)).count[::-1])


@pytest.mark.parametrize(("kind", "access_bytes"), WIDTHS)
def test_adding_a_multiple_of_128_bytes_changes_nothing(kind, access_bytes):
    for address, active in random_accesses(kind, access_bytes, 40, seed=3):
        for shift in (128, 128 * 12345, 2**40):
            before = wavefronts(WarpAccess(address, access_bytes, kind, active))
            after = wavefronts(WarpAccess(address + shift, access_bytes, kind, active))
            assert (before.count, before.ideal) == (after.count, after.ideal)
            np.testing.assert_array_equal(before.wavefront, after.wavefront)


@pytest.mark.parametrize(("kind", "access_bytes"), WIDTHS)
def test_permuting_lanes_inside_a_group_changes_nothing(kind, access_bytes):
    """Lanes move in blocks of four, which keeps the partners i ^ 1 and i ^ 2 of the merging rule together; where there is no
    merging, lanes move freely."""
    rng = np.random.default_rng(4)
    for address, active in random_accesses(kind, access_bytes, 60, seed=4):
        if "matrix" in kind:
            active = np.ones(32, bool)
        w = wavefronts(WarpAccess(address, access_bytes, kind, active))
        size = 128 // max(4, access_bytes)
        block = 4 if kind == "load" and access_bytes > 4 else 1
        order = np.concatenate([first + _blocks(rng.permutation(size // block), block) for first in range(0, 32, size)])
        again = wavefronts(WarpAccess(address[order], access_bytes, kind, active[order]))
        assert (w.count, w.ideal, w.ways) == (again.count, again.ideal, again.ways)


def _blocks(order, block):
    return (order[:, None] * block + np.arange(block)).ravel()


def test_inactive_lanes_may_hold_any_address():
    active = T % 2 == 0
    left = WarpAccess(np.where(active, T * 4, -1), 4, active=active)
    right = WarpAccess(np.where(active, T * 4, 10**12 + 3), 4, active=active)
    assert wavefronts(left).count == wavefronts(right).count == 1
    assert left == right and hash(left) == hash(right) and wavefronts(left) == wavefronts(right)
    assert sectors(left).count == sectors(right).count == 4


# ------------------------------------------------------------------ cases from issue trackers

SW = {"sw323": Swizzle(3, 2, 3), "sw232": Swizzle(2, 3, 2), "none": Swizzle(0, 0, 0)}
WARPS = {
    "bank-oxide544-16": WarpAccess(16 * T * 4, 4),
    "bank-oxide544-sw5": WarpAccess(Swizzle(5, 0, 5)(32 * T) * 4, 4),
    "bank-1443-ld129": WarpAccess((T // 8 + 129 * (T % 8)) * 4, 4, "store"),
    "bank-1443-ld132": WarpAccess((T // 8 + 132 * (T % 8)) * 4, 4, "store"),
    "bank-1882": WarpAccess((32 * (T // 4) + 8 * (T % 4)) * 2, 16),
    "bank-lds128-pitch128": WarpAccess(128 * T, 16),
    "bank-lds128-pitch144": WarpAccess(144 * T, 16),
    "bank-1018-none": WarpAccess(128 * T, 16, "ldmatrix", T < 8),
    "bank-3172-none": WarpAccess(256 * T, 16, "ldmatrix", T < 8),
    "bank-3172-sw334": WarpAccess(Swizzle(3, 3, 4)(128 * T) * 2, 16, "ldmatrix", T < 8),
    **{f"bank-2116-{k}": WarpAccess(s(T // 4 + 32 * (T % 4)) * 4, 4) for k, s in SW.items()},
}


@pytest.mark.parametrize("name", [k for k in CASES if k.startswith("bank-")])
def test_bank_cases(name):
    expected, w = CASES[name]["expected"], wavefronts(WARPS[name])
    assert (w.count, w.ways, w.ideal) == tuple(
        expected[k] for k in ("wavefronts", "max_ways_in_a_phase", "ideal_wavefronts")
    )


@pytest.mark.parametrize(("name", "step"), [("coalesce-unit", 1), ("coalesce-row-32", 32)])
def test_coalescing_cases(name, step):
    expected, s = CASES[name]["expected"], sectors(WarpAccess(T * step * 4, 4))
    assert (s.count, s.lines, s.used_bytes, s.efficiency) == tuple(
        expected[k] for k in ("segments", "cache_lines", "unique_bytes", "segment_efficiency")
    )


def test_known_pitfalls():
    assert wavefronts(WarpAccess(T * 16, 16)).count == 4  # contiguous: the ideal, not a conflict
    assert wavefronts(WarpAccess(T * 31 * 4, 4)).count == 1
    assert wavefronts(WarpAccess(T * 32 * 4, 4)).count == 32  # an odd pitch made even
    assert wavefronts(WarpAccess(T * 0, 4)).count == 1  # one word: a broadcast
    assert wavefronts(WarpAccess(T * 0, 4, "atomic")).count == 32
    assert wavefronts(WarpAccess((T // 8 + 128 * (T % 8)) * 4, 4, "store")).count == 8


# ------------------------------------------------------------------ words


@pytest.mark.parametrize(
    ("access", "text"),
    [
        (WarpAccess(T * 128 + 48, 4), "32 wavefronts where 1 would do (32-way)\nlanes 0, 1, 2 ... meet in bank 12, each on its own word"),
        (WarpAccess(T * 132, 4), "1 wavefront, the ideal\n32 lanes in 32 banks"),
        (WarpAccess(T * 16, 16), "4 wavefronts, the ideal\n32 lanes x 16 bytes = 128 words = 4 x 32 banks"),
        (WarpAccess(T * 128, 16), "32 wavefronts where 4 would do (8-way)\nlanes 0, 1, 2 ... meet in banks 0 to 3, each on its own 4 words"),
        (WarpAccess(T // 16 * 128 + T % 16 * 4, 4), "2 wavefronts where 1 would do (2-way)\nlanes 0 and 16 meet in bank 0, each on its own word"),
        (WarpAccess(T * 0 + 20, 4), "1 wavefront, the ideal\nall 32 lanes on one word, a broadcast"),
        (
            WarpAccess(T * 0 + 20, 4, "atomic"),
            "32 wavefronts where 1 would do (32-way)\n"
            "lanes 0, 1, 2 ... meet in bank 5; an atomic that returns the old value serves them one by one",
        ),
    ],
)  # fmt: skip
def test_wavefronts_in_words(access, text):
    assert wavefronts(access).explain() == text


def test_every_random_access_has_words():
    for kind, access_bytes in WIDTHS:
        for address, active in random_accesses(kind, access_bytes, 40, seed=6):
            w = wavefronts(WarpAccess(address, access_bytes, kind, active))
            first, second = w.explain().split("\n")
            assert str(w.count) in first and second and ("meet" in second) == (w.ways > 1)


def test_a_batch_in_words():
    w = wavefronts(WarpAccess(np.stack([T * 4, T * 128]), 4))
    assert w.summary() == "33 wavefronts where 2 would do (32-way)"
    assert w.reason() == "warp 1: lanes 0, 1, 2 ... meet in bank 0, each on its own word"
    assert sectors(WarpAccess(T * 4, 4)).explain() == (
        "4 sectors, the ideal\n128 of 128 bytes used (100 %), in 1 line of 128 bytes"
    )


# ------------------------------------------------------------------ values and bad input


def test_values_are_frozen():
    source = T * 4
    access = WarpAccess(source, 4)
    source[:] = 0
    assert access.byte_address[1] == 4  # the caller's array is copied
    with pytest.raises(dataclasses.FrozenInstanceError):
        access.kind = "store"
    w, s = wavefronts(access), sectors(access)
    assert isinstance(w, Wavefronts) and isinstance(s, Sectors) and type(w.count) is type(s.count) is int
    for array in (access.byte_address, access.active, w.groups, w.banks, w.words, w.wavefront, w.degree, s.sector):
        with pytest.raises(ValueError):
            array[0] = 1
    batch = wavefronts(WarpAccess(np.zeros((3, 32), int), 4))
    with pytest.raises(ValueError):
        batch.count[0] = 1
    assert wavefronts(WarpAccess(np.zeros((0, 32), int), 4)).count.shape == (0,)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: WarpAccess(T * 4 + 2 * (T == 5), 4), "lane 5 has byte address 22, which is not a multiple of 4"),
        (lambda: WarpAccess(T * 8, 16), "lane 1 has byte address 8"),
        (lambda: WarpAccess(np.stack([T * 4, T * 4 + (T == 7)]), 4), "lane 7 of warp 1 has byte address 29"),
        (lambda: WarpAccess(T * 4 - 4, 4), "lane 0 has byte address -4; addresses start at 0"),
        (lambda: WarpAccess(T * 4, 3), "load moves 1, 2, 4, 8 or 16 bytes a lane, got 3"),
        (lambda: WarpAccess(T * 4, True), "got True"),
        (lambda: WarpAccess(T * 4, 4, "ldmatrix"), "ldmatrix moves 16 bytes a lane, got 4"),
        (lambda: WarpAccess(T * 8, 8, "atomic"), "not modelled"),
        (lambda: WarpAccess(T * 16, 16, "cp.async"), "not modelled"),
        (lambda: WarpAccess(T * 4, 4, "compare-and-swap"), "not modelled"),
        (lambda: WarpAccess(T * 4, 4, ["load"]), "not modelled"),
        (lambda: sectors(WarpAccess(T * 16, 16, "ldmatrix")), "not modelled"),
        (lambda: WarpAccess(np.arange(16) * 4, 4), "a warp has 32 lanes"),
        (lambda: WarpAccess(np.arange(64) * 4, 4), "64 lanes"),
        (lambda: WarpAccess(128, 4), "a warp has 32 lanes"),
        (lambda: WarpAccess([[0], [1, 2]], 4), "shape (..., 32)"),
        (lambda: WarpAccess(T * 4.0, 4), "whole numbers"),
        (lambda: WarpAccess([2**70] * 32, 4), "whole numbers below 2^63"),
        (lambda: WarpAccess(np.full(32, 2**63, np.uint64), 4), "below 2^63"),
        (lambda: WarpAccess(T * 4, 4, active=T < 0), "no lane is active"),
        (lambda: WarpAccess(np.stack([T, T]), 1, active=np.stack([T < 5, T < 0])), "warp 1 of the batch"),
        (lambda: WarpAccess(T * 4, 4, active=[True] * 31), "active has shape (31,)"),
        (lambda: WarpAccess(T * 4, 4, active=T), "32 truth values"),
        (lambda: WarpAccess(T * 4, 4, active="all"), "32 truth values"),
        (lambda: WarpAccess(T * 16, 16, "ldmatrix", T >= 24), "lanes 0 to 7, 0 to 15 or 0 to 31"),
        (lambda: WarpAccess(T * 16, 16, "stmatrix", T < 12), "lanes 0 to 7, 0 to 15 or 0 to 31"),
    ],
)
def test_bad_input_is_one_clear_error(make, text):
    with pytest.raises(CuteLabError) as caught:
        make()
    assert text in str(caught.value)
