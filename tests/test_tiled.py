"""Tiled copies and MMAs, parts of threads, retile, local tiles and predicates: equal to what CUTLASS's own classes give, for every thread."""

import numpy as np
import pytest

from cutelab import (
    ComposedLayout,
    CuteLabError,
    Layout,
    Swizzle,
    copy_atom,
    explore,
    local_partition,
    local_tile,
    make_identity_layout,
    make_tiled_copy,
    make_tiled_mma,
    mma_atom,
    offsets,
    parse_layout,
    predicate,
    read,
    size,
)
from cutelab.core.int_tuple import to_text
from cutelab.core.leaves import mark
from cutelab.cutlass.atoms import copy_atoms
from cutelab.cutlass.tv import TiledCopy, TiledMMA, fragment_like
from tests.golden import cases

GOLDEN, MORE = cases("cute_tiled"), cases("cute_tiled_more")
TILED = "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2,_2>>{}, Tile<_32,_32,_16>{})"


def of_kind(*kinds):
    return [c for c in GOLDEN + MORE if c["kind"] in kinds]


def name(case):
    return f"{case['definition'][:90]} {case.get('tensor') or case.get('smem') or ''}"[:130]


def as_printed(layout):
    """An offset that CuTe tracks bit by bit is printed with its masks; its value counts."""
    return (
        str(layout)
        if not isinstance(layout, ComposedLayout)
        else f"{layout.outer} o {int(layout.offset)} o {layout.inner}"
    )


def value_of(text):
    found = parse_layout(text)
    return as_printed(found)


def first(part):
    layout, offset = part
    return offset + layout(0)


def check_partition(partition, data, threads, printed, starts):
    assert as_printed(partition(data)) == value_of(printed)
    data = parse_layout(data)
    assert [first(partition(data, t)) for t in range(threads)] == starts


@pytest.mark.parametrize("case", of_kind("copy"), ids=name)
def test_a_tiled_copy_is_cutlass_s(case):
    copy = read(case["definition"])
    if "tiler" in case:
        assert to_text(mark(copy.tiler)) == case["tiler"] and copy.threads == case["threads"]
    assert (str(copy.layoutS_TV), str(copy.layoutD_TV)) == (case["S_TV"], case["D_TV"])
    check_partition(copy.partition_S, case["tensor"], copy.threads, case["partition_S"], case["S_offset_of_thread"])
    check_partition(copy.partition_D, case["tensor"], copy.threads, case["partition_D"], case["D_offset_of_thread"])


@pytest.mark.parametrize("case", of_kind("mma"), ids=name)
def test_a_tiled_mma_is_cutlass_s(case):
    mma = read(case["definition"])
    assert mma.threads == case["threads"]
    if "tile" in case:
        assert to_text(mma.tile) == case["tile"]
    for x in "ABC":
        assert str(getattr(mma, f"layout{x}_TV")) == case[f"{x}_TV"]
        partition = getattr(mma, f"partition_{x}")
        check_partition(partition, case[x], mma.threads, case[f"partition_{x}"], case[f"{x}_offset_of_thread"])


@pytest.mark.parametrize("case", [c for c in GOLDEN if c["kind"] == "retile"], ids=lambda c: c["name"])
def test_fragments_are_retiled_as_cutlass_does(case):
    definition = case["definition"].replace("the same tiled mma", TILED)
    if definition == "the same":
        definition = f"make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N,half_t>{{}}, {TILED})"
    copy = read(definition)
    assert (str(copy.layoutS_TV), str(copy.layoutD_TV)) == (case["S_TV"], case["D_TV"])
    assert str(copy.retile_D(case["tCrA"])) == case["tXrA"]
    check_partition(copy.partition_S, case["smem"], copy.threads, case["tXsA"], case["offset_of_thread"])
    assert str(read(TILED).partition_fragment_A("(_128,_64):(_64,_1)")) == case["tCrA"]


@pytest.mark.parametrize("case", [c for c in MORE if c["kind"] == "retile"], ids=name)
def test_copies_of_an_operand_and_its_fragment_are_cutlass_s(case):
    copy, mma, x = read(case["definition"]), read(case["mma"]), case["operand"]
    assert as_printed(getattr(mma, f"partition_{x}")(case["smem"])) == value_of(case["part"])
    assert str(fragment_like(parse_layout(case["part"]))) == case["fragment"]
    assert str(copy.retile_S(case["plain"])) == str(copy.retile_D(case["plain"])) == case["tXrA"]
    assert (str(copy.layoutS_TV), str(copy.layoutD_TV)) == (case["S_TV"], case["D_TV"])
    partition = copy.partition_D if x == "C" else copy.partition_S
    check_partition(partition, case["smem"], copy.threads, case["tXsA"], case["offset_of_thread"])


@pytest.mark.parametrize("case", [c for c in GOLDEN if c["kind"] == "predicate"], ids=lambda c: c["shape"])
def test_a_predicate_is_the_partitioned_identity(case):
    copy = read(case["definition"])
    found = predicate(copy, parse_layout(case["shape"]).shape, case["thread"])
    assert str(found.layout) == case["layout"]
    assert [f"({i},{j})" for i, j in found.coordinates[0].tolist()] == case["coordinates"]
    assert (found.inside[0] == (found.coordinates[0] < [100, 64]).all(axis=1)).all()


@pytest.mark.parametrize("case", [c for c in GOLDEN if c["kind"].startswith("local_")], ids=str)
def test_local_tiles_and_partitions_are_cutlass_s(case):
    step = tuple(None if s == "X" else 1 for s in case["step"][5:-1].split(",")) if "step" in case else None
    if case["kind"] == "local_tile":
        tile, coord = parse_layout(case["tile"]).shape, read(case["coord"])
        layout, offset = local_tile(case["tensor"], tile, coord, step)
    else:
        layout, offset = local_partition(case["tensor"], case["threads"], case["thread"], step)
    assert (str(layout), offset) == (case["layout"].replace("_", ""), case["offset"])


# Laws, without any table


@pytest.mark.parametrize(
    "data",
    ["(_64,_64):(_64,_1)", "(64,64):(72,_1)", "Sw<3,3,3> o _0 o (_64,_64):(_64,_1)", "(_64,(_8,_8)):(_8,(_1,_512))"],
)
@pytest.mark.parametrize("values", [(1, 8), (2, 4), (8, 1)])
def test_all_threads_together_touch_each_element_once(data, values):
    copy = make_tiled_copy(copy_atom("UniversalCopy<uint16_t>", "half_t"), Layout((8, 8), (8, 1)), Layout(values))
    whole = np.sort(offsets(parse_layout(data)), axis=None)
    for partition in (copy.partition_S, copy.partition_D):
        parts = [offset + offsets(layout) for layout, offset in (partition(data, t) for t in range(copy.threads))]
        assert (np.sort(np.concatenate([p.ravel() for p in parts])) == whole).all()


@pytest.mark.parametrize(
    "atom", ["SM80_16x8x16_F32F16F16F32_TN", "SM70_8x8x4_F32F16F16F32_NT", "SM80_8x8x4_F64F64F64F64_TN"]
)
def test_the_layout_of_threads_agrees_with_the_parts_of_threads(atom):
    mma = make_tiled_mma(atom, Layout((2, 2), (2, 1)), (64, 64, None))
    for x, (row, col) in {"A": (0, 2), "B": (1, 2), "C": (0, 1)}.items():
        data = Layout((mma.tile[row], mma.tile[col]))
        table = offsets(getattr(mma, f"layout{x}_TV"))
        for t in range(0, mma.threads, 7):
            layout, offset = getattr(mma, f"partition_{x}")(data, t)
            assert np.array_equal(np.sort(offset + offsets(layout), axis=None), np.sort(table[t]))


def test_a_predicate_covers_the_tensor_once_and_says_what_is_outside():
    copy = make_tiled_copy(copy_atom("UniversalCopy<uint64_t>", "half_t"), Layout((8, 4), (4, 1)), Layout((1, 4)))
    found = predicate(copy, (21, 30))
    inside = found.coordinates[found.inside]
    assert len(inside) == len(np.unique(inside, axis=0)) == 21 * 30
    assert found.inside.shape == (32, size(found.layout)) and "lie outside" in found.summary()
    mma = predicate(read(TILED), (40, 33), side="C")
    assert len(np.unique(mma.coordinates[mma.inside], axis=0)) == 40 * 33
    assert predicate(copy, (8, 16)).summary().startswith("all")


def test_coordinate_layouts_are_partitioned_too():
    copy = make_tiled_copy(copy_atom("UniversalCopy<uint32_t>", "float"), Layout((4, 2), (2, 1)))
    layout, start = copy.partition_S(make_identity_layout((8, 4)), 5)
    assert start == (2, 1) and sorted(map(tuple, (np.array(start) + layout.coordinates()).tolist())) == [
        (2, 1),
        (2, 3),
        (6, 1),
        (6, 3),
    ]
    tile, start = local_tile(make_identity_layout((8, 4)), (4, 2), (1, None))
    assert start == (4, 0) and str(tile) == "(4,2,2):(1@0,1@1,2@1)"


def test_every_copy_operation_has_both_sides_of_the_same_bits():
    for operation in copy_atoms():
        atom = copy_atom(operation, 8)
        if atom.src is None:
            assert "TMA" in operation or "BULK" in operation
            with pytest.raises(CuteLabError, match="tensor map"):
                _ = atom.bits
            continue
        src, dst, ref = (np.unique(offsets(side)) for side in atom.layouts)
        assert np.array_equal(src, ref) and np.array_equal(dst, ref), operation
        assert str(read(str(atom))) == str(atom)


def test_ldmatrix_gives_each_lane_the_words_of_the_isa():
    """PTX ISA, ldmatrix: lane l receives row l/4 of each matrix, the pair l%4; rows come from the lanes that gave addresses."""
    atom = copy_atom("SM75_U32x4_LDSM_N", 16)
    for lane in range(32):
        for matrix in range(4):
            for half in range(2):
                row_lane, column = 8 * matrix + lane // 4, 2 * (lane % 4) + half
                assert atom.dst(lane, half + 2 * matrix) == atom.src(row_lane, column)
    transposed = copy_atom("SM75_U16x8_LDSM_T", 16)
    for lane in range(32):
        for matrix in range(4):
            for half in range(2):
                row, column = 2 * (lane % 4) + half, lane // 4
                assert transposed.dst(lane, half + 2 * matrix) == transposed.src(8 * matrix + row, column)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "float"), Layout(32), Layout(2)), "4 values"),
        (lambda: make_tiled_copy(copy_atom("SM75_U32x4_LDSM_N", 16), Layout(16), Layout(8)), "32 threads"),
        (lambda: TiledMMA("SM80_16x8x8_F32TF32TF32F32_TN", (4, 1, 1), (64, Layout((2, 16), (1, 8)), 8)), "each of 0 to 31 once"),
        (lambda: copy_atom("SM80_CP_ASYNC_CACHEGLOBAL<uint64_t>", 16), "moves 16 bytes"),
        (lambda: copy_atom("UniversalCopy<uint8_t>", "half_t"), "whole values"),
        (lambda: copy_atom("UniversalCpy<uint8_t>", 8), "near it are UniversalCopy"),
        (lambda: copy_atom("UniversalCopy", 8), "needs the type"),
        (lambda: copy_atom(5, 8), "text such as"),
        (lambda: copy_atom("UniversalCopy<uint8_t>", 0), "1 to 256 bits"),
        (lambda: copy_atom("SM90_TMA_LOAD", 16).layouts, "tensor map"),
        (lambda: read(TILED).partition_A("(_128,_64):(_64,_1)", 128), "threads 0 to 127"),
        (lambda: read(TILED).partition_A("64:1"), "two modes"),
        (lambda: read(TILED).partition_A(5), "must be a layout or its text"),
        (lambda: TiledMMA(mma_atom("SM80_16x8x8_F32TF32TF32F32_TN"), tile_mnk=7), "three entries"),
        (lambda: TiledMMA(mma_atom("SM80_16x8x8_F32TF32TF32F32_TN"), tile_mnk=("x", None, None)), "an integer, a Layout"),
        (lambda: make_tiled_mma("SM80_16x8x8_F32TF32TF32F32_TN", (1, 1, 1, 1)), "more than three modes"),
        (lambda: TiledMMA("SM90_64x64x16_F32F16F16_SS").partition_fragment_A("(_64,_16):(_16,_1)"), "descriptors"),
        (lambda: TiledCopy(5), "has a copy atom"),
        (lambda: TiledCopy(copy_atom("UniversalCopy<uint16_t>", 16), Layout(8), (8,)), "two modes"),
        (lambda: TiledCopy(Layout((2, 2)), Layout(1)).retile_S("(4,2):(1,4)"), "3 modes or more"),
        (lambda: local_tile("(8,8):(8,1)", (4, 4), (2, 0)), "2 tiles along mode 0"),
        (lambda: local_tile("(8,8):(8,1)", (4, 0), (0, 0)), "1 or more"),
        (lambda: local_tile("(8,8):(8,1)", (4, 4, 4), (0, 0, 0)), "3 modes"),
        (lambda: local_tile("(8,8):(8,1)", (4, 4), (0, 0), step=(None, None)), "keeps no mode"),
        (lambda: local_tile("(8,8):(8,1)", "x", (0, 0)), "holds integers"),
        (lambda: local_partition("(8,8):(8,1)", "(2,4):(1,2)", 8), "threads 0 to 7"),
        (lambda: local_partition("(8,8):(8,1)", "(2,4):(0,1)", 5), "each once"),
        (lambda: predicate(5, (8, 8)), "TiledCopy or a TiledMMA"),
        (lambda: predicate(read(TILED), (8, 8), side="S"), "one of A, B, C"),
        (lambda: predicate(read(TILED), (10**9, 10**9)), "at most"),
    ],
)  # fmt: skip
def test_bad_input(make, words):
    with pytest.raises(CuteLabError, match=words) as caught:
        make()
    assert len(str(caught.value)) <= 300


def test_a_permutation_that_cutlass_compiles_is_accepted():
    mma = TiledMMA("SM80_16x8x8_F32TF32TF32F32_TN", (4, 1, 1), (64, Layout(16, 1), 8))
    assert mma.tile == (64, 16, 8) and str(mma.layoutC_TV) == str(
        TiledMMA("SM80_16x8x8_F32TF32TF32F32_TN", (4, 1, 1), (64, 16, 8)).layoutC_TV
    )
    assert "(_64,_16:_1,_8)" in str(mma) and read(str(mma)).tile == mma.tile


def test_the_numbers_that_would_do_are_named_once():
    with pytest.raises(CuteLabError, match=r"use 8$"):
        make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "half_t"), Layout((4, 8), (8, 1)), Layout((1, 4)))
    with pytest.raises(CuteLabError, match=r"use 8 or 16$"):
        make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "half_t"), Layout((4, 8), (8, 1)), Layout((1, 12)))


def test_a_printed_atom_has_the_bits_that_its_layouts_leave_no_doubt_of():
    """CuTe prints no types. Where all atoms with these layouts agree, the bits follow; where they differ, they stay unknown."""
    for name, a, d in (
        ("SM80_16x8x16_F32F16F16F32_TN", 16, 0),
        ("SM80_16x8x32_S32S8S8S32_TN", 8, 0),
        ("SM80_16x8x64_S32S4S4S32_TN", 4, 32),
        ("SM80_8x8x4_F64F64F64F64_TN", 0, 0),
    ):
        printed = read(str(mma_atom(name)))
        assert (printed.bits("A"), printed.bits("B"), printed.value_bits[0]) == (a, a, d)
    ways = [
        explore.tiled(text).picture.verdicts[-1].sentence
        for text in (
            "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{})",
            str(make_tiled_mma("SM80_16x8x16_F32F16F16F32_TN")),
        )
    ]
    assert "ldmatrix" in ways[0] and ways[0] == ways[1]
    unknown = make_tiled_mma("SM80_8x8x4_F64F64F64F64_TN")  # those of complex numbers have the same layouts
    assert "wavefronts" not in str(explore.tiled(str(unknown)).picture.verdicts)


def test_one_value_a_thread_has_the_stride_that_cute_prints():
    one = make_tiled_copy(copy_atom("UniversalCopy<uint16_t>", "half_t"), Layout((16, 2)), Layout((1, 1)))
    assert "TiledLayout_TV: (_32,_1):(_1,_0)" in str(one)
    assert str(copy_atom("DefaultCopy", "float").src) == "(_1,_1):(_0,_0)"  # an alias of AutoVectorizingCopy...<8>


def test_the_parts_of_all_threads_in_the_brackets_of_tidfrg():
    copy = make_tiled_copy(copy_atom("UniversalCopy<uint16_t>", "half_t"), Layout((16, 2)), Layout((1, 1)))
    parts = "((_16,_2),(_1,_1),(_6,_32)):((_1,_96),(_0,_0),(_16,_192))"
    assert str(copy.tidfrg_S("(_96,_64):(_1,_96)")) == str(copy.tidfrg_D("(_96,_64):(_1,_96)")) == parts


@pytest.mark.parametrize(
    ("atom", "atoms", "printed"),  # printed by CUTLASS 4.7.0
    [
        ("SM75_16x8x8_F32F16F16F32_TN", "(_1,_1,_4):(_4,_4,_1)", "(_32,_1,_1,_4):(_1,_128,_128,_32)"),
        ("SM80_16x8x16_F32BF16BF16F32_TN", "(_1,_3,_2):(_6,_2,_1)", "(_32,_1,_3,_2):(_1,_192,_64,_32)"),
        ("SM70_8x8x4_F32F16F16F32_NT", "(_1,_1,_1):(_1,_1,_1)", "((_4,_2),_1,_1,_1):((_1,_16),_4,_4,_4)"),
        (
            "SM90_64x64x16_F32F16F16_SS",
            "((_2,_2),_1,_1):((_2,_1),_4,_1)",
            "(_128,(_2,_2),_1,_1):(_1,(_256,_128),_512,_128)",
        ),
        ("SM90_64x8x8_F32TF32TF32_SS_TN", "(_1,_2,_2)", "(_128,_1,_2,_2):(_1,_0,_128,_256)"),
    ],
)
def test_a_stride_that_was_written_for_an_extent_of_1_is_printed(atom, atoms, printed):
    text = str(make_tiled_mma(atom, Layout(atoms)))
    assert text.splitlines()[1].endswith(f"  {printed}")
    assert str(read(text)) == text


TILINGS = cases("cute_tilings")


def starts(part_of, threads):
    """One number for where all threads begin: the sum of (thread + 1) * offset."""
    return sum((t + 1) * int(part_of(t)[1]) for t in range(threads))


@pytest.mark.long
@pytest.mark.parametrize("case", [c for c in TILINGS if c["kind"] == "mma"], ids=lambda c: c["definition"][:90])
def test_random_tilings_of_atoms_are_cutlass_s(case):
    mma = read(case["definition"])
    assert str(mma).startswith(case["print"])
    for which in "ABC":
        known = case[which]
        data = parse_layout(known["data"])
        assert str(getattr(mma, f"layout{which}_TV")) == known["TV"]
        partition = getattr(mma, f"partition_{which}")
        assert str(partition(data)) == known["part"]
        if "fragment" in known:
            assert str(getattr(mma, f"partition_fragment_{which}")(data)) == known["fragment"]
        if not isinstance(data, ComposedLayout):
            assert starts(lambda t, cut=partition, d=data: cut(d, t), mma.threads) == known["starts"]


@pytest.mark.long
@pytest.mark.parametrize("case", [c for c in TILINGS if c["kind"] == "copy"], ids=lambda c: c["definition"][:90])
def test_random_copies_of_operands_and_their_fragments_are_cutlass_s(case):
    copy = read(case["definition"])
    assert str(copy) == case["print"] and str(read(case["print"])) == case["print"]
    assert (str(copy.layoutS_TV), str(copy.layoutD_TV)) == (case["S_TV"], case["D_TV"])
    for side in "SD":
        cut = getattr(copy, f"partition_{side}")
        assert str(cut(case["data"])) == case[side]
        assert str(getattr(copy, f"tidfrg_{side}")(case["data"])) == case[f"tid{side}"]
        assert str(getattr(copy, f"retile_{side}")(case["fragment"])) == case[f"retile_{side}"]
        assert starts(lambda t, cut=cut: cut(case["data"], t), copy.threads) == case[f"starts_{side}"]


def test_a_part_that_carries_into_the_swizzle_is_refused_though_cxx_compiles_it():
    """CUTLASS 4.7.0 compiles it, and 2,816 of the 3,072 elements of its parts are others than the tensor's: thread 2 is given
    offset 128 for (32,1), which lies at 144."""
    copy = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "half_t"), Layout((2, 16)), Layout((8, 1)))
    tile = parse_layout("Sw<1,4,3> o _0 o (_96,_32):(_1,_96)")
    assert tile(32, 1) == 144
    for thread in (None, 2):
        with pytest.raises(CuteLabError, match="starts at offset 96 carries into the bits"):
            copy.partition_D(tile, thread)
    assert copy.partition_D("Sw<1,4,3> o _0 o (_128,_32):(_1,_128)", 2)[1] >= 0


@pytest.mark.parametrize(
    ("swizzle", "rule"),
    [
        ("Sw<1,3,2>", "stride divisibility|shape divisibility"),
        ("Sw<2,3,2>", "is no power of two"),
    ],  # C++ does not compile them
)
def test_what_cxx_does_not_cut_under_a_swizzle_is_refused(swizzle, rule):
    copy = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "double"), Layout((4, 8)), Layout((2, 1)))
    with pytest.raises(CuteLabError, match=rule):
        copy.partition_D(f"{swizzle} o _0 o (_96,_64):(_1,_96)")


def test_parts_of_swizzled_tiles_have_the_elements_of_the_tile_or_are_refused():
    """Every part, thread by thread, against the tile's own offsets."""
    seen = refused = 0
    for rows, cols in ((16, 64), (32, 32), (64, 96), (24, 32), (96, 32), (64, 160)):
        copy = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "half_t"), Layout((8, 4), (4, 1)), Layout((1, 8)))
        for b, m, s in ((1, 3, 3), (2, 3, 3), (3, 3, 3), (1, 4, 3), (2, 4, 2), (1, 3, 4), (2, 2, 3), (3, 3, -3)):
            tile = ComposedLayout(Swizzle(b, m, s), 0, Layout((rows, cols), (cols, 1)))
            try:
                parts = [copy.partition_S(tile, t) for t in range(32)]
            except CuteLabError:
                refused += 1
                continue
            seen += 1
            coordinates = make_identity_layout((rows, cols))
            for t, (layout, start) in enumerate(parts):
                own, at = copy.partition_S(coordinates, t)
                where = own.coordinates() + np.array(at)
                got = [int(start) + layout(i) for i in range(size(layout))]
                assert got == [tile(int(r), int(c)) for r, c in where], (tile, t)
    assert seen >= 12 and refused >= 3
