"""Thread-value layouts: laws over all atoms, the worked cases, tiles of many atoms, and products on numbers."""

import json
from pathlib import Path

import numpy as np
import pytest

from cutelab.algebra import composition, right_inverse
from cutelab.core.composed import ComposedLayout, parse_layout
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout, LayoutRight, offsets, size
from cutelab.core.swizzle import Swizzle
from cutelab.cutlass.atoms import mma_atom, mma_atoms
from cutelab.cutlass.tv import (
    TiledCopy,
    TiledMMA,
    local_partition,
    make_layout_tv,
    owners,
    partition,
    registers,
    tv_inverse,
)

CASES = {c["id"]: c for c in json.loads((Path(__file__).parent / "data/cases_layouts.json").read_text())}
FP64 = Layout(((4, 8), 2), ((16, 1), 8))


# ------------------------------------------------------------------ laws


@pytest.mark.parametrize("name", mma_atoms())
def test_owners_is_a_bijection_for_one_to_one_atoms(name):
    atom = mma_atom(name)
    for which in "ABC":
        layout, tile = atom.operand(which)
        found = owners(layout, tile)
        if atom.threads > 2 and atom.place(which) != "registers":
            assert found.every_thread and (found.count == atom.threads).all() and "sees all" in found.summary()
            continue
        thread, value = found
        assert found.one_to_one and not found.every_thread
        pairs = thread * size(layout[1]) + value
        assert sorted(pairs.ravel()) == list(range(tile[0] * tile[1]))
        m, k = np.indices(tile)
        assert (offsets(layout)[thread, value] == m + tile[0] * k).all()


@pytest.mark.parametrize("name", mma_atoms("SM80") + mma_atoms("SM70") + mma_atoms("SM90_64x16x"))
def test_the_inverse_undoes_the_layout(name):
    layout, tile = mma_atom(name).operand("C")
    inverse = tv_inverse(layout, tile)
    thread, value = owners(layout, tile)
    assert (offsets(inverse) == thread + size(layout[0]) * value).all()


def test_registers_are_the_row_of_the_table():
    for name in mma_atoms("SM89"):
        layout, tile = mma_atom(name).operand("A")
        codes = offsets(layout)
        for t in range(32):
            at = registers(layout, tile, t)
            assert (at[:, 0] + tile[0] * at[:, 1] == codes[t]).all()


def test_nobody_several_and_outside():
    found = owners(Layout((4, 2), (1, 0)), (8,))
    assert found.thread.tolist() == [0, 1, 2, 3, -1, -1, -1, -1]
    assert found.value.tolist() == [0] * 4 + [-1] * 4
    assert found.summary() == "4 of 8 elements have several owners; 4 of 8 elements have no owner"
    with pytest.raises(CuteLabError, match="reaches index 63, but the tile"):
        owners(FP64, (4, 8))
    with pytest.raises(CuteLabError, match="two modes"):
        owners(Layout((2, 2, 2)), (8,))
    with pytest.raises(CuteLabError, match="has no inverse"):
        tv_inverse(Layout((4, 2), (1, 0)), (4,))


def test_quad_pairs_keep_their_lanes():
    atom = mma_atom("SM70_8x8x4_F32F16F16F32_TN")
    thread, _ = owners(atom.a, (8, 4), thr_id=atom.thr_id)
    assert thread[:, 0].tolist() == [0, 1, 2, 3, 16, 17, 18, 19]


@pytest.mark.parametrize("seed", range(40))
def test_make_layout_tv_gives_each_element_one_owner(seed):
    rng = np.random.default_rng(seed)
    extents = [tuple(int(x) for x in rng.choice([1, 2, 3, 4, 8], 2)) for _ in range(2)]
    make = (Layout, LayoutRight)
    thr, val = (make[rng.integers(2)](extent) for extent in extents)
    tiler, layout_tv = make_layout_tv(thr, val)
    assert tiler == tuple(a * b for a, b in zip(*extents, strict=True))
    thread, value = owners(layout_tv, tiler)
    # by hand: values are contiguous inside a thread, threads follow one another
    m, n = np.indices(tiler)
    assert (thread == offsets(thr)[m // extents[1][0], n // extents[1][1]]).all()
    assert (value == offsets(val)[m % extents[1][0], n % extents[1][1]]).all()


def test_make_layout_tv_refuses_what_is_not_a_numbering():
    with pytest.raises(CuteLabError, match="each once"):
        make_layout_tv(Layout((4, 8), (16, 1)), Layout(2))
    with pytest.raises(CuteLabError, match="must be a Layout"):
        make_layout_tv((4, 8), Layout(2))


# ------------------------------------------------------------------ worked cases


@pytest.mark.parametrize(
    ("case", "key", "tile"),
    [("mma-1365-A", "ALayout", (16, 16)), ("mma-1365-B", "BLayout", (8, 16)), ("mma-1644-A", "ALayout", (16, 8))],
)
def test_which_elements_do_threads_hold(case, key, tile):
    for thread, expected in CASES[case]["expected"].items():
        layout = parse_layout(CASES[case]["input"][key])
        assert registers(layout, tile, int(thread[1:])).tolist() == expected


def test_mma_3254_two_ways_to_write_one_map():
    c, alt = (parse_layout(CASES["mma-3254"]["input"][key]) for key in ("C", "alt"))
    assert (offsets(c) == offsets(alt)).all() and owners(alt, (64, 8)).one_to_one
    assert mma_atom("SM90_64x8x16_F32F16F16_SS").c == alt


def test_mma_2431_every_thread_holds_all():
    layout = parse_layout(CASES["mma-2431"]["input"]["A"])
    found = owners(layout, (64, 16))
    assert found.every_thread and found.count.size == CASES["mma-2431"]["expected"]["distinct"]


def test_perm_2099():
    layout = parse_layout(CASES["perm-2099"]["input"]["layout"])
    assert offsets(layout).ravel(order="F").tolist() == CASES["perm-2099"]["expected"]["values"]
    atom = mma_atom("SM80_8x8x4_F64F64F64F64_TN")
    plain, permuted = TiledMMA(atom, tile_mnk=(32, None, None)), TiledMMA(atom, tile_mnk=(layout, None, None))
    m, n = np.divmod(offsets(plain.c), 32)[::-1]
    assert (offsets(permuted.c) == offsets(layout).ravel(order="F")[m] + 32 * n).all()


def test_data_layout_after_thread_value_layout():
    assert str(partition(Layout((8, 8), (1, 9)), FP64)) == "((4,8),2):((18,1),9)"
    assert str(partition(Layout((8, 8), (1, 8)), FP64)) == "((4,8),2):((16,1),8)"
    swizzled = ComposedLayout(Swizzle(3, 0, 3), 0, Layout((8, 8), (8, 1)))
    where = offsets(partition(swizzled, FP64))
    assert (where == offsets(swizzled).ravel(order="F")[offsets(FP64)]).all()


def test_local_partition_is_a_view():
    data, threads = Layout((8, 8), (8, 1)), Layout((2, 4))
    seen = []
    for t in range(8):
        layout, offset = local_partition(data, threads, t)
        seen += (offsets(layout) + offset).ravel().tolist()
    assert local_partition(data, threads, 5) == (Layout((4, 2), (16, 4)), 10)
    assert sorted(seen) == list(range(64))


# ------------------------------------------------------------------ tiles of many atoms


@pytest.mark.parametrize(
    ("name", "atoms", "tile"),
    [
        ("SM80_16x8x16_F32F16F16F32_TN", (2, 2, 1), (64, 32, 32)),
        ("SM80_16x8x16_F32F16F16F32_TN", Layout((2, 2, 1), (2, 1, 0)), (32, 16, 16)),
        ("SM80_8x8x4_F64F64F64F64_TN", (2, 4, 1), (32, 32, 4)),
        ("SM70_8x8x4_F32F16F16F32_TN", (2, 2, 1), (32, 32, 4)),
        ("SM70_8x8x4_F32F16F16F32_NT", (2, 2, 1), (16, 16, 8)),
        ("SM75_8x8x16_S32S8S8S32_TN", (1, 1, 1), (8, 16, 32)),
        ("SM90_64x32x16_F32F16F16_RS", (2, 1, 1), (128, 64, 32)),
    ],
)
def test_tiled_mma_covers_its_tile(name, atoms, tile):
    mma = TiledMMA(mma_atom(name), atoms, tile)
    counts = [size(mma.atom_layout_mnk[i]) for i in range(3)]
    for which, (row, col), other in (("a", (0, 2), 1), ("b", (1, 2), 0), ("c", (0, 1), 2)):
        found = owners(getattr(mma, which), (tile[row], tile[col]), thr_id=mma.thr_layout_vmnk)
        copies = 128 if mma.atom.place(which) != "registers" else 1
        assert (found.count == counts[other] * copies).all()
    assert sorted(mma.thread_index) == list(range(mma.threads))


def test_tiled_mma_is_atoms_side_by_side():
    atom = mma_atom("SM80_16x8x16_F32F16F16F32_TN")
    mma = TiledMMA(atom, (2, 2, 1), (64, 32, 32))
    thread, value = owners(mma.c, (64, 32))
    one_thread, one_value = owners(atom.c, (16, 8))
    m, n = np.indices((64, 32))
    assert (thread == one_thread[m % 16, n % 8] + 32 * (m // 16 % 2 + 2 * (n // 8 % 2))).all()
    assert (value == one_value[m % 16, n % 8] + 4 * (m // 32 + 2 * (n // 16))).all()


def test_tiled_mma_refuses_odd_tiles():
    with pytest.raises(CuteLabError, match="24 along M, which is not a multiple of the atoms' 16"):
        TiledMMA(mma_atom("SM80_16x8x16_F32F16F16F32_TN"), tile_mnk=(24, None, None))
    with pytest.raises(CuteLabError, match="three modes"):
        TiledMMA(mma_atom("SM80_16x8x16_F32F16F16F32_TN"), (2, 2))


def test_tiled_copy_takes_every_element_once():
    copy = TiledCopy(Layout((16, 8), (8, 1)), Layout((1, 8)))
    for data in (Layout((32, 128), (128, 1)), ComposedLayout(Swizzle(3, 3, 3), 0, Layout((32, 128), (128, 1)))):
        parts = copy.partition(data)
        assert sorted(offsets(parts).ravel()) == list(range(32 * 128))
        assert (np.diff(offsets(parts)[:, :8], axis=1) == 1).all()  # each thread copies runs of eight
    with pytest.raises(CuteLabError, match="whole tiles"):
        copy.partition(Layout((24, 64)))


# ------------------------------------------------------------------ products on numbers


def hardware(atom, which):
    """Which element does the instruction take from each register? PTX ISA's own formulas, lane by lane: (rows, cols)."""
    layout, (rows, _) = atom.operand(which)
    lane = offsets(atom.thr_id).ravel(order="F")[:, None]
    i = np.arange(size(layout[1]))[None, :]
    if atom.place(which) != "registers" or atom.threads == 1:  # a descriptor names the whole tile, first mode fastest
        return i % rows + 0 * lane, i // rows + 0 * lane
    if atom.name.startswith("SM70"):
        upper = 4 * (lane >= 16)
        if which == "C":
            return (lane & 1) + (i & 2) + upper, (i & 4) + (lane & 2) + (i & 1)
        contiguous = atom.name[-2:][which == "B"] == ("T" if which == "A" else "N")
        return (lane % 4 + upper, i + 0 * lane) if contiguous else (i % 4 + upper, lane % 4 + 0 * i)
    packed = 2 if which == "C" else max(1, 32 // atom.bits(which))
    blocks = 2 if rows > 8 else 1
    group, in_group, warp = lane % 32 // 4, lane % 4, lane // 32
    return 16 * warp + group + 8 * (i // packed % blocks), in_group * packed + i % packed + 4 * packed * (
        i // (packed * blocks)
    )


def software_mma(atom, a, b):
    """Registers are filled by the atom's layouts; the instruction reads and writes them by PTX ISA's formulas."""
    m, n, _ = atom.shape_mnk
    read = []
    for which, matrix in (("A", a), ("B", b)):
        held = matrix.ravel(order="F")[offsets(atom.operand(which)[0])]
        seen = np.full(matrix.shape, 99, matrix.dtype)
        seen[hardware(atom, which)] = held
        read.append(seen)
    result = read[0] @ read[1].T
    held = result[hardware(atom, "C")]
    back = np.zeros(m * n, result.dtype)
    back[offsets(atom.c)] = held
    return back.reshape((m, n), order="F")


@pytest.mark.parametrize(
    "name",
    [
        "SM61_DP4A",
        "SM70_8x8x4_F32F16F16F32_NT",
        "SM70_8x8x4_F32F16F16F32_TN",
        "SM70_8x8x4_F32F16F16F32_NN",
        "SM70_8x8x4_F32F16F16F32_TT",
        "SM75_16x8x8_F32F16F16F32_TN",
        "SM80_16x8x16_F32F16F16F32_TN",
        "SM80_16x8x8_F32TF32TF32F32_TN",
        "SM80_8x8x4_F64F64F64F64_TN",
        "SM80_16x8x32_S32S8S8S32_TN",
        "SM80_16x8x64_S32S4S4S32_TN",
        "SM80_8x8x32_S32S4S4S32_TN",
        "SM80_16x8x128_S32U1U1S32_TN_ANDPOPC",
        "SM90_16x8x16_F64F64F64F64_TN",
        "SM90_64x8x8_F32TF32TF32_RS_TN<>",
        "SM90_64x24x32_F32E4M3E4M3_RS_TN",
        "SM89_16x8x32_F32E4M3E5M2F32_TN",
        "SM90_64x64x16_F32F16F16_RS<GMMA::Major::K,GMMA::Major::K>",
        "SM90_64x64x32_S32S8S8_SS_TN",
        "SM120_16x8x32_TN<float_e4m3_t,float_e4m3_t,float>",
        "SM100_MMA_F16BF16_SS<half_t,half_t,float,64,128,UMMA::Major::K,UMMA::Major::K>",
    ],
)
def test_a_software_mma_is_the_matrix_product(name):
    atom = mma_atom(name)
    m, n, k = atom.shape_mnk
    rng = np.random.default_rng(7)
    a, b = rng.integers(-8, 8, (m, k)), rng.integers(-8, 8, (n, k))
    assert (software_mma(atom, a, b) == a @ b.T).all()


def test_composition_is_what_cute_calls_it():
    assert partition(Layout((8, 8), (1, 9)), FP64) == composition(Layout((8, 8), (1, 9)), FP64)
    assert (offsets(composition(FP64, right_inverse(FP64))).ravel(order="F") == np.arange(64)).all()
