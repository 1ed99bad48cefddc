"""read: every spelling gives its object, every print reads back, nothing is guessed, nothing hangs."""

import random

import numpy as np
import pytest

from cutelab import (
    ComposedLayout,
    CoordLayout,
    CuteLabError,
    Layout,
    Swizzle,
    mma_atom,
    offsets,
    parse_layout,
    read,
    reading,
    zipped_divide,
)
from cutelab.core.coordinates import CoordTensor
from cutelab.core.errors import CuteLabError as Error
from cutelab.cutlass.atoms import CopyAtom, MmaAtom, SmemAtom, smem_atom
from cutelab.cutlass.matrix_layouts import matrix_layout
from cutelab.cutlass.reading import Coordinate, Tensor, Tiler, Unknowns
from cutelab.cutlass.thread_map import PitchLinearWarpRakedThreadMap
from cutelab.cutlass.tv import TiledCopy, TiledMMA
from tests.golden import DATA, cases

import json  # isort: skip

PASTES = json.loads((DATA / "cases_paste.json").read_text())
PRINTS = cases("cute_prints")
CLASSES = {
    "layout": Layout,
    "tensor": Tensor,
    "coordinate tensor": CoordTensor,
    "coordinate layout": CoordLayout,
    "tiler": Tiler,
    "TiledCopy": TiledCopy,
    "TiledMMA": TiledMMA,
    "layout with unknowns": Unknowns,
    "layout with an unknown": Unknowns,
}


@pytest.mark.parametrize("case", PASTES, ids=lambda c: c["text"][:50])
def test_what_people_paste_is_read(case):
    text, kind, prints = case["text"], case["kind"], case["prints"]
    if kind == "refuse":
        with pytest.raises(CuteLabError) as caught:
            read(text)
        assert "^" in str(caught.value)
        return
    found = read(text)
    if kind in CLASSES:
        assert isinstance(found, CLASSES[kind])
    if kind in ("tensor", "coordinate tensor"):
        assert str(found.layout) == prints
    elif kind in ("layout", "coordinate layout", "tiler") or text.startswith("Sw<2,0,3> o _0 o Sw<1"):
        assert str(found) == prints
    elif kind == "TiledCopy":
        assert f"tiler ({','.join(f'_{t}' for t in found.tiler)})" == prints
    elif kind == "TiledMMA":
        assert f"tile ({','.join(map(str, found.tile))})" == prints
    assert str(read(str(found))) == str(found) or isinstance(found, SmemAtom)


@pytest.mark.parametrize("case", PRINTS, ids=lambda c: c["what"])
def test_everything_that_cutlass_prints_is_read_and_reads_back(case):
    found = read(case["text"])
    assert str(read(str(found))) == str(found)
    if case["what"] not in ("tile", "smem atom", "smem layout MN", "print_tensor"):
        assert str(found) == case["text"]


def test_a_print_of_a_tensor_keeps_its_layout_and_sets_the_table_aside():
    found = reading(next(c["text"] for c in PRINTS if c["what"] == "print_tensor"))
    assert found.kind == "tensor" and str(found.value.layout) == "(_2,_3):(_3,_1)" and found.value.bits == 32
    assert any("values that follow" in what for what in found.set_aside) and "address" in " ".join(found.set_aside)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("tAgA: gmem_ptr[16b](0x7f) o (_8,4):(_1,64)", Tensor("global", 16, Layout((8, 4), (1, 64)), "gmem_ptr[16b](0x7f)")),
        ("using L = decltype(composition(Swizzle<3,3,3>{}, Layout<Shape<_8,_64>,Stride<_64,_1>>{}));",
         ComposedLayout(Swizzle(3, 3, 3), 0, Layout((8, 64), (64, 1)))),
        ("composition(Swizzle<3,3,3>{}, Int<0>{}, make_layout(make_shape(_8{},_64{}), LayoutRight{}))",
         ComposedLayout(Swizzle(3, 3, 3), 0, Layout((8, 64), (64, 1)))),
        ("smem_Sw<3,4,3>_ptr[16b](0x7f) o (_8,_64):(_64,_1)",
         Tensor("shared", 16, ComposedLayout(Swizzle(3, 3, 3), 0, Layout((8, 64), (64, 1))), "smem_Sw<3,4,3>_ptr[16b](0x7f)")),
        ("smem_ptr[16b](0x4) o Sw<3,3,3> o M_8|(0&48)=8 o (_8,_64):(_64,_1)",
         Tensor("shared", 16, ComposedLayout(Swizzle(3, 3, 3), 8, Layout((8, 64), (64, 1))), "smem_ptr[16b](0x4)")),
        ("ptr<f16, smem, align<1024>, S<3,4,3>> o (8,64):(64,1)",
         Tensor("shared", 16, ComposedLayout(Swizzle(3, 3, 3), 0, Layout((8, 64), (64, 1))), "ptr<f16, smem, align<1024>, S<3,4,3>>")),
        ("tensor(raw_ptr(0x0a: f32, generic, align<4>) o (8,5):(5,1), data=\n [[1.0, 2.0]])",
         Tensor("pointer", 32, Layout((8, 5), (5, 1)), "raw_ptr(0x0a: f32, generic, align<4>)")),
        ("Tensor<0x7f3c@gmem o (8,5):(5,1)>", Tensor("global", 0, Layout((8, 5), (5, 1)), "0x7f3c@gmem")),
        ("Layout((8, 4), (4, 1))", Layout((8, 4), (4, 1))),
        ("ComposedLayout('Sw<3,0,3> o 8 o (8,8):(8,1)')", ComposedLayout(Swizzle(3, 0, 3), 8, Layout((8, 8), (8, 1)))),
        ("cute.make_ordered_layout((128, 64, 3), order=(1, 0, 2))", Layout((128, 64, 3), (64, 1, 8192))),
        ("make_ordered_layout(make_shape(_4{},_1{},_2{}), make_step(_3{},_1{},_2{}))", Layout((4, 1, 2), (2, 0, 1))),
        ("make_layout(make_layout(_8{}, _1{}), make_layout(_4{}, _8{}))", Layout((8, 4), (1, 8))),
        ("make_layout(make_shape(Int<2 * 8>{}, (1 << 5) - 2), make_stride(_1{}, Int<16>{} * 3))", Layout((16, 30), (1, 48))),
        ("cute::Layout<cute::tuple<cute::C<(int)4>, cute::constant<int, 2> >, cute::tuple<cute::_2, cute::C<1> > >&", Layout((4, 2), (2, 1))),
        ("void f(T) [with T = cute::Layout<cute::C<4>, cute::C<2> >; U = int]", Layout(4, 2)),
        ('!cute.layout<"(8,4):(4,1)">', Layout((8, 4), (4, 1))),
        ('-> !cute.composed_layout<"S<3,4,3> o 0 o (8,4):(1,8)">  // result', ComposedLayout(Swizzle(3, 4, 3), 0, Layout((8, 4)))),
        ('%t = cute.static : !cute.tile<"[[4:1;8:1];[(2,3):(1,2);_]]">', Tiler(((Layout(4), Layout(8)), (Layout((2, 3)), None)))),
        ('!cute.shape<"(4,(16,32))">', Tiler((4, (16, 32)))),
        ('!cute.coord<"((_,0),_)">', Coordinate(((None, 0), None))),
        ('!cute.swizzle<"S<3,5,4>">', Swizzle(3, 5, 4)),
        ("// (_3,(2,4)):(236,(26,1))", Layout((3, (2, 4)), (236, (26, 1)))),
        ("# (3,1,1,5):(5,0,0,1)", Layout((3, 1, 1, 5), (5, 0, 0, 1))),
        ("# tensor<ptr<f16, smem, align<32>> o (16,4):(1,16)>",
         Tensor("shared", 16, Layout((16, 4)), "ptr<f16, smem, align<32>>")),
        ("% Layout: (_8,_4):(_4,_1)\n\\documentclass{standalone}", Layout((8, 4), (4, 1))),
        ("Layout<Shape<_4,_3>,Stride<E<0>,E<0,1>>>", None),
        ("E_MNK: (4,3):(1@0,1@1)", parse_layout("(4,3):(1@0,1@1)")),
        ("logical_divide(Layout<_16,_3>{}, Layout<_4>{})", Layout((4, 4), (3, 12))),
        ("Swizzle<3,4>", Swizzle(3, 4, 3)),
        ("make_coord(1, _, make_coord(2,_))", Coordinate((1, None, (2, None)))),
        ("<4:1;8>", Tiler((Layout(4, 1), 8))),
        ("<32,None>", Tiler((32, None))),
        ("<32,_>", Tiler((32, None))),
        ("SM80_16x8x8_F32TF32TF32F32_TN{}", mma_atom("SM80_16x8x8_F32TF32TF32F32_TN")),
        ("cute::MMA_Atom<cute::MMA_Traits<cute::SM80_16x8x8_F32TF32TF32F32_TN> >", mma_atom("SM80_16x8x8_F32TF32TF32F32_TN")),
        ("GMMA::Layout_MN_SW128_Atom<tfloat32_t>", smem_atom("GMMA::Layout_MN_SW128_Atom<tfloat32_t>")),
        ("PitchLinearWarpRakedThreadMap<PitchLinearShape<64,32>, 128, PitchLinearShape<8,4>, 8>",
         PitchLinearWarpRakedThreadMap((64, 32), 128, (8, 4), 8)),
        ("cutlass::layout::RowMajor::packed({4, 2})", matrix_layout("RowMajor", (4, 2))),
        ("RowMajorInterleaved<4> of 8 x 8, stride 32", matrix_layout("RowMajorInterleaved<4>", (8, 8))),
    ],
    ids=lambda x: str(x)[:45],
)  # fmt: skip
def test_other_spellings(text, value):
    if value is None:
        with pytest.raises(CuteLabError, match="cannot stand together"):
            read(text)
        return
    found = read(text)
    assert type(found) is type(value) and found == value
    assert str(read(str(found))) == str(found) or isinstance(found, SmemAtom)


def test_atoms_and_tiles_are_of_their_classes():
    assert isinstance(read("Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}"), CopyAtom)
    assert isinstance(read("UniversalFMA<float>{}"), MmaAtom)
    assert read("Copy_Atom<SM90_TMA_LOAD, half_t>").name == "SM90_TMA_LOAD"
    assert zipped_divide(Layout((8, 8)), read("make_tile(_4{}, _2{})")) == zipped_divide(Layout((8, 8)), (4, 2))
    text = "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2,_2>>{}, Tile<_32,_32,_16>{})"
    copy = read(f"make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N,half_t>{{}}, {text})")
    assert read(str(copy)).layout_tv == copy.layout_tv == read(text).layoutA_TV
    assert read(str(read(text))).layoutC_TV == read(text).layoutC_TV


def test_open_numbers_are_asked_for():
    found = read("(?{div=8},64,?):(64,1,?{i64 div=512})")
    assert [(h.name, h.divisor) for h in found.holes] == [("shape 0", 8), ("shape 2", 1), ("stride 2", 512)]
    assert found(16, 3, 1024) == Layout((16, 64, 3), (64, 1, 1024))
    for values, words in (
        ((16, 3), "3 numbers are open"),
        ((12, 3, 1024), "multiple of 8"),
        ((0, 3, 1024), "1 or more"),
        (("x", 3, 512), "whole"),
    ):
        with pytest.raises(CuteLabError, match=words):
            found(*values)
    assert read("Layout<tuple<int,C<64>>,tuple<int64_t,C<1>>>")(128, 64) == Layout((128, 64), (64, 1))
    assert read("cutlass::layout::RowMajor")(4, 2) == matrix_layout("RowMajor", (4, 2))
    with pytest.raises(CuteLabError, match="open"):
        parse_layout("(?,64):(64,1)")


def test_names_get_values_or_are_named():
    text = "make_layout(make_shape(bM, bK{}), make_stride(bK, Int<1>{}))"
    assert str(read(text, bM=128, bK=64)) == "(128,64):(64,_1)"
    with pytest.raises(CuteLabError, match="'bM', 'bK' are names without a value"):
        read(text)
    with pytest.raises(CuteLabError, match="whole number"):
        read(text, bM=1.5, bK=2)


def test_parse_layout_accepts_what_has_a_layout():
    for text in (
        "tAgA : gmem_ptr[16b](0x7f) o (_8,4):(_1,64)",
        "auto x = make_layout(make_shape(_8{},4), make_stride(_1{},64));",
    ):
        assert parse_layout(text) == Layout((8, 4), (1, 64)) and str(parse_layout(text)) == "(_8,4):(_1,64)"


@pytest.mark.parametrize(
    "text",
    [
        "foo(4,2):(2,1)", "size: (128,64)", "x = 5 5", "(4,2):(2,1) (4,2):(2,1)", "tCsA has (4,2):(2,1)", "raw_ptr_16b(0x7f) o (_8):(_1)",
        "threadIdx.x", "UniversalCopy<uint128_t>", "make_tensor(make_smem_ptr(p), SmemLayout{})", "smem_ptr[3b](unset) o 4:1",
        "gmem_ptr[16b](0x7f) o (4,3):(1@0,1@1)", "ArithTuple(0,0) o (4,3):(1,4)", "TiledCopy\n  Tiler_MN: (_16,_64)", "TiledMMA mma;",
        "make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>,float>{}, Layout<_32>{}, Layout<_2>{})", "Sw<3,4,3> o", "(4,2):(2,1",
        "make_tiled_mma(SM80_16x8x8_F32TF32TF32F32_TN{}, Layout<Shape<_4,_1,_1>>{}, Tile<_64,Layout<Shape<_2,_16>,Stride<_1,_8>>,_8>{})",
        "Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<uint32_t>, half_t>", "(4,2):(2,x)", "Int<8/0>{}", "Layout<Shape<_4>,Stride<_1,_2>>", "-",
        "__import__('os').system('true')", "\x00", "\u202e(4,2)", "=", ":", "[", "[with T = ]", "make_tile()", "<>", "<4", "()", "Sw<>",
    ],
)  # fmt: skip
def test_nothing_is_guessed(text):
    with pytest.raises(CuteLabError) as caught:
        read(text)
    assert len(str(caught.value)) <= 300
    assert type(caught.value) is Error


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10**6, "word " * 10**5, "a b c\n" * 10**5, "a : " * 10**5, "Layout<" * 10**5, "(1," * 10**5, "(" + "2," * 10**5 + "2)",
        "Sw<3,4,3> o " * 10**4 + "4:1", "9" * 10**6, "tA : (4,2\n" * 10**5, "Sw<3,4,3>_" * 10**5, "make_layout(" * 10**4,
        "decltype(" * 10**4, "cute::" * 10**5, "tile_to_shape(" * 10**4, "Tile<" * 10**4, "coalesce(" * 10**4, "make_tensor(" * 10**4,
        "Copy_Traits<" * 10**4, "Copy_Atom<" * 10**4, "?{" * 10**4, "M_1|" * 10**4,
    ],
    ids=lambda t: t[:12],
)  # fmt: skip
def test_no_text_hangs_or_nests_without_end(text):
    with pytest.raises(CuteLabError):
        read(text)


def test_a_long_print_costs_what_stands_in_front():
    found = reading("tAsA : smem_ptr[16b](0x4) o (_8,_64):(_64,_1):\n" + "  1.00e+00 " * 10**5)
    assert found.value.layout == Layout((8, 64), (64, 1))


def test_random_pieces_give_an_object_or_one_sentence():
    rng = random.Random(5)
    pieces = [c["text"] for c in PASTES] + [c["text"] for c in PRINTS]
    signs = [
        "(",
        ")",
        "<",
        ">",
        ":",
        ",",
        "o",
        "_",
        "@",
        "{",
        "}",
        "[",
        "]",
        "=",
        "4",
        "_8",
        "Sw<3,4,3>",
        "\n",
        "Layout",
        "Int<",
        "'",
        '"',
    ]
    read_well = 0
    for _ in range(3000):
        text = rng.choice(pieces)
        for _ in range(rng.randint(1, 3)):
            i, j = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
            text = rng.choice(
                (
                    text[:i] + text[j:],
                    text[:i] + rng.choice(signs) + text[i:],
                    text[:i] + rng.choice(pieces)[i:j] + text[j:],
                    text[i:j],
                )
            )
        try:
            found = read(text)
        except CuteLabError as error:
            assert len(str(error)) <= 300, text
        else:
            read_well += 1
            if isinstance(found, Layout):
                assert str(read(str(found))) == str(found)
    assert read_well > 100


def test_a_tensor_gives_bytes():
    tensor = read("smem_ptr[16b](0x4) o Sw<3,3,3> o _0 o (_8,_64):(_64,_1)")
    assert tensor.byte_offset(1, 0) == 2 * (64 ^ 8) and tensor.address == "0x4"
    assert np.array_equal(offsets(tensor.layout), offsets(parse_layout("Sw<3,3,3> o 0 o (8,64):(64,1)")))
    assert read("subptr[4b](0x7f.0) o (_8):(_1)").byte_offset(1) == 0.5


@pytest.mark.parametrize(
    "text",
    [
        "(8,8):(16,1) o _2 o (4,3):(_1,4)",  # what C++ printed
        "(8,8):(16,1) o 2 o (4,3):(1,4)",
        "Sw<1,0,3> o 0 o (8,8):(16,1) o 2 o (4,3):(1,4)",
        "(8,8):(16,1) o 2 o Sw<1,0,3> o 0 o (4,3):(1,4)",
        "8:2 o 0 o 16:1 o 1 o 4:3",
    ],
)
def test_a_layout_after_a_layout_is_read_as_it_is_printed(text):
    found = read(text)
    assert str(found) == text and parse_layout(text) == found
    assert isinstance(found, ComposedLayout)
    expected = found.outer(found.offset + found.inner(1)) if isinstance(found.inner, Layout) else None
    assert expected is None or found(1) == expected


@pytest.mark.parametrize("text", ["8:1 o", "8:1 o 2", "8:1 o 2 o", "8:1 o (1,2) o 4:1", "8:1 o 2 o (4,3):(1@0,1@1)"])
def test_half_of_a_composed_layout_is_refused(text):
    with pytest.raises(CuteLabError):
        read(text)
