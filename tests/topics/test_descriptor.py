"""The descriptor topic: addresses as an H200 reads them, bits packed one by one, a product multiplied out."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from cutelab import CuteLabError
from cutelab.course.card.picture import COLLISION
from cutelab.course.topics.descriptor import compute, panels, probe
from cutelab.course.topics.descriptor.knobs import TILES, DescriptorParams, settings
from cutelab.hardware.descriptor import descriptor_of
from cutelab.hardware.measured.hopper import measured_hopper

VIEWS = [
    *({"tile": tile} for tile in TILES),
    {"swizzle_bytes": 64},
    {"swizzle_bytes": 0},
    {"major": "MN"},
    {"start_bytes": 32},
    {"start_bytes": 48},
    {"start_bytes": 1024, "m": 40},
    {"sbo_bytes": 512},
    {"lbo_bytes": 2048},
    {"tile": "K, no swizzle", "lbo_bytes": 256, "sbo_bytes": 128},
    {"tile": "MN, no swizzle", "lbo_bytes": 128, "sbo_bytes": 1024},
    {"tile": "MN, 32 bytes", "lbo_bytes": 256, "sbo_bytes": 512},
]
each = pytest.mark.parametrize("changes", VIEWS, ids=str)
ATOMS = {  # CuTe's canonical layouts in elements of 2 bytes, 64 x 16 and, where a swizzled K-major row is longer, 64 x span
    "K, no swizzle": "((8,8),(8,2)):((8,128),(1,64))",
    "K, 32 bytes": "Sw<1,3,3> o 0 o ((8,8),16):((16,128),1)",
    "K, 64 bytes": "Sw<2,3,3> o 0 o ((8,8),32):((32,256),1)",
    "K, 128 bytes": "Sw<3,3,3> o 0 o ((8,8),64):((64,512),1)",
    "MN, no swizzle": "((8,8),(8,2)):((1,64),(8,512))",
    "MN, 32 bytes": "Sw<1,3,3> o 0 o ((16,4),(8,2)):((1,256),(16,128))",
    "MN, 64 bytes": "Sw<2,3,3> o 0 o ((32,2),(8,2)):((1,512),(32,256))",
    "MN, 128 bytes": "Sw<3,3,3> o 0 o (64,(8,2)):(1,(64,512))",
}


def view(changes):
    params = DescriptorParams().change(**changes)
    result = compute(params)
    return params, result, panels(result)


def byte_of(major, span, lbo, sbo, start, m, k):
    """One element's address, by the law that was measured."""
    if major == "K":
        at = m // 8 * sbo + (m % 8 * span + 2 * k if span else k // 8 * lbo + m % 8 * 16 + k % 8 * 2)
    elif span:
        at = m // (span // 2) * lbo + k // 8 * sbo + k % 8 * span + 2 * (m % (span // 2))
    else:
        at = m // 8 * sbo + k // 8 * lbo + k % 8 * 16 + m % 8 * 2
    at += start
    return at ^ ((at >> 7 & {0: 0, 32: 1, 64: 3, 128: 7}[span]) << 4)


def read_at(params, m, k):
    p = params
    return byte_of(p.major, p.swizzle_bytes, p.lbo_bytes, p.sbo_bytes, p.start_bytes, m, k)


@pytest.mark.parametrize("tile", TILES)
def test_a_tile_brings_the_descriptor_that_reads_cutes_atom(tile):
    major, _ = TILES[tile]
    assert DescriptorParams().change(tile=tile).given == descriptor_of(ATOMS[tile], 2, major)


@each
def test_the_tables_show_every_address_and_mark_what_differs(changes):
    params, result, picture = view(changes)
    right, read, bits = picture.grids()
    differ = 0
    for i, k in itertools.product(range(16), range(16)):
        m = int(read.row_heads[i])
        byte = read_at(params, m, k)
        assert read.labels[i, k] == str(byte) and read.fill[i, k] == byte // 4 % 32
        other = right.labels[i, k] != str(byte)
        assert (read.states[i, k] == COLLISION) == other
        assert probe(result, int(read.probe[i, k])) == {"m": m, "k": k}
        differ += other
    assert differ or not result.wrong[result.rows].any()
    text = "".join(bits.labels.ravel())
    p = params
    fields = p.start_bytes // 16 | p.lbo_bytes // 16 << 16 | p.sbo_bytes // 16 << 32
    assert int(text, 2) == fields | {0: 0, 128: 1, 64: 2, 32: 3}[p.swizzle_bytes] << 62
    assert picture.title == f"{int(text, 2):#018x}"


@each
def test_the_product_is_wrong_in_as_many_rows_as_the_words_say(changes):
    """Every element of memory has a value of its own, so that a product with the identity is what was read."""
    params, result, picture = view(changes)
    fits = DescriptorParams(**settings(params.fitting) | {"tile": params.tile})
    block = params.start_bytes // 32 if params.start_bytes % 32 == 0 else 0
    columns = TILES[params.tile][1] // 2 if TILES[params.tile] != ("K", 0) and params.tile[0] == "K" else 16
    block = block if 16 * block < columns else 0
    memory = {read_at(fits, m, k): (m, k) for m in range(64) for k in range(columns)}
    assert len(memory) == 64 * columns
    got = [[memory.get(read_at(params, m, k)) for k in range(16)] for m in range(64)]
    wrong = sum(any(got[m][k] != (m, 16 * block + k) for k in range(16)) for m in range(64))
    sentence = picture.verdicts[0].sentence
    if wrong:
        assert sentence == f"The product is wrong in {wrong} of 64 rows, and nothing faults"
    else:
        assert sentence.startswith("All 1024 elements are read from where they lie")
    assert result.beyond == sum(one is None for row in got for one in row)
    table = picture.tips.table.reshape(64, 16, -1)
    assert all(table[m, k, 4:].tolist() == list(got[m][k] or (-1, -1)) for m in range(64) for k in range(16))


def test_what_is_read_is_what_the_hardware_read():
    cases = measured_hopper("wgmma_descriptors").cases
    for case in cases:
        asked = {name: case[name] for name in ("major", "lbo_bytes", "sbo_bytes", "start_bytes")}
        span = {0: 0, 1: 128, 2: 64, 3: 32}[case["layout_type"]]
        result = compute(DescriptorParams(swizzle_bytes=span, **asked))
        halves = np.array(case["address_of_m_k_row_major_in_halves"]).reshape(64, 16)
        np.testing.assert_array_equal(result.read, 2 * halves)
    assert len(cases) > 20


def test_the_rate_is_counted_from_the_measured_settings():
    cases = measured_hopper("wgmma_rate").cases
    said = compute(DescriptorParams()).measured
    assert said == (len(cases), sum(c["cycles"] == 18.0 for c in cases)) and said[0] == said[1]
    assert f"{said[1]} of {said[0]}" in panels(compute(DescriptorParams())).verdicts[1].sentence


def test_the_offer_is_right_and_leads_back_from_what_is_wrong():
    """Exchanged offsets and another mode are wrong, and nothing faults; the one button mends either."""
    for tile in TILES:
        params, _, picture = view({"tile": tile})
        (right,) = picture.offers
        assert right.in_use and not compute(params.change(**right.changes)).wrong.any()
        fits = params.fitting
        exchanged = replace(fits, lbo_bytes=fits.sbo_bytes, sbo_bytes=fits.lbo_bytes)
        mode = replace(fits, swizzle_bytes=64 if fits.swizzle_bytes != 64 else 128)
        for other in (exchanged, mode):
            broken = params.change(**settings(other))
            assert compute(broken).wrong.any()
            (offer,) = panels(compute(broken)).offers
            assert not offer.in_use and not compute(broken.change(**offer.changes)).wrong.any()


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"start_bytes": 8}, "start_bytes must be a multiple of 16"),
        ({"sbo_bytes": 1 << 18}, "from 0 to 262,128"),
        ({"lbo_bytes": -16}, "lbo_bytes must be a multiple of 16 from 0"),
        ({"swizzle_bytes": 16}, "swizzle_bytes must be"),
        ({"major": "M"}, 'major must be "K" or "MN"'),
        ({"tile": "K"}, "tile must be one of K, no swizzle"),
        ({"m": 64}, "m must be from 0 to 63"),
    ],
)
def test_what_no_field_holds_is_refused(changes, rule):
    with pytest.raises(CuteLabError, match=rule):
        DescriptorParams().change(**changes)


def test_a_click_beside_the_operand_is_refused():
    with pytest.raises(CuteLabError, match="not one of the 1024 elements"):
        probe(compute(DescriptorParams()), 1024)
