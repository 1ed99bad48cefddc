"""What `cutelab show` says of each kind of thing: held against the thing itself, called place by place."""

from __future__ import annotations

import json

import pytest

import cutelab
from cutelab.cli.table import MOST_SHOWN, framed, table_of
from cutelab.cutlass.reading import KINDS, read

COPY = "make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{}, Layout<Shape<_16,_8>,Stride<_8,_1>>{}, Layout<Shape<_1,_8>>{})"
EXAMPLES = {
    "layout": "((4,2),3):((1,16),4)",
    "composed": "Sw<2,0,3> o 0 o (8,4):(4,1)",
    "coordinate layout": "(4,(2,3)):(1@0,(1@0@1,1@1@1))",
    "coordinate tensor": "ArithTuple(2,5) o (4,3):(1@1,2@0)",
    "swizzle": "Sw<3,4,3>",
    "tensor": "smem_ptr[16b](0x7f) o (_2,_4):(_4,_1)",
    "tiler": "<4,8>",
    "coordinate": "(1,_,2)",
    "TiledCopy": COPY,
    "TiledMMA": "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2,_2,_1>>{})",
    "copy atom": "Copy_Atom<SM75_U32x4_LDSM_N, half_t>",
    "MMA atom": "SM80_16x8x8_F32F16F16F32_TN",
    "shared-memory atom": "GMMA::Layout_K_SW32_Atom<half_t>",
    "thread map": "PitchLinearStripminedThreadMap<PitchLinearShape<16,5>, 32, 1>",
    "matrix layout": "RowMajorInterleaved<4> of 4 x 8",
    "unknowns": "(?{div=8},64):(64,1)",
}


def cells(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if "|" in line]


def test_there_is_an_example_of_every_kind():
    assert set(EXAMPLES) == {name for _, name in KINDS}


@pytest.mark.parametrize("kind", EXAMPLES)
def test_every_kind_says_more_than_it_was_given(say, kind):
    status, out, err = say("show", EXAMPLES[kind])
    assert (status, err) == (0, "")
    about = table_of(read(EXAMPLES[kind])).about
    assert about in out.splitlines() and about not in EXAMPLES[kind] and len(about) > 20


@pytest.mark.parametrize("kind", ["coordinate layout", "coordinate tensor"])
def test_each_cell_of_a_coordinate_table_is_the_coordinate(kind):
    found = read(EXAMPLES[kind])
    table = cells(table_of(found).table)
    assert [len(table), len(table[0])] == [4, {"coordinate layout": 6, "coordinate tensor": 3}[kind]]
    for row, line in enumerate(table):
        for column, cell in enumerate(line):
            assert cell == str(found(row, column)).replace(" ", "")


def test_coordinates_are_in_json_in_the_order_of_the_index(say):
    found = json.loads(say("show", "(4,3):(1@1,2@0)", "--json")[1])
    assert found["coordinates"] == [[2 * j, i] for j in range(3) for i in range(4)] and found["offsets"] is None
    assert json.loads(say("show", "4:2@0", "--json")[1])["coordinates"] == [[0], [2], [4], [6]]
    assert json.loads(say("show", "(128,64):(1@0,1@1)", "--json")[1])["coordinates"] is None


@pytest.mark.parametrize("text", ["Sw<3,4,3>", "Sw<2,0,-3>", "Sw<1,2,5>", "Sw<3,0,4>", "Sw<6,0,6>"])
def test_a_swizzles_table_and_sentence_hold_for_every_offset(text):
    swizzle = cutelab.Swizzle(text)
    seen = table_of(swizzle)
    words = seen.about.replace("bits ", "bit ").split("bit ")[1:]
    source, target = (int(word.split()[0].rstrip(";")) for word in words)
    mask = (1 << swizzle.bits) - 1
    for x in range(2 * swizzle.period):
        assert swizzle(x) == x ^ ((x >> source & mask) << target)
    table = cells(seen.table)
    for y, line in enumerate(table):
        for z, cell in enumerate(line):
            assert int(cell) == swizzle(y << source | z << target)
    assert len(table) == len(table[0]) == 1 << swizzle.bits
    assert f"every {swizzle.period} offsets" in seen.about


@pytest.mark.parametrize("text", ["Sw<0,4,3>", "Sw<7,0,7>", "Sw<20,0,20>"])
def test_a_swizzle_without_a_table_says_why(text):
    seen = table_of(cutelab.Swizzle(text))
    assert not seen.table and seen.about.endswith(("it changes no offset", "gives one"))


@pytest.mark.parametrize(
    "text",
    [
        "PitchLinearStripminedThreadMap<PitchLinearShape<16,5>, 32, 1>",
        "PitchLinearStripminedThreadMap<PitchLinearShape<8,16>, 32, 4>",
        "PitchLinearWarpRakedThreadMap<PitchLinearShape<64,32>, 128, PitchLinearShape<8,4>, 8>",
    ],
)
def test_a_thread_maps_table_names_the_thread_of_each_element(text):
    found = cutelab.parse_thread_map(text)
    table = cells(table_of(found).table)
    width = found.elements_per_access
    touched = 0
    for thread, places in enumerate(found.accesses().tolist()):
        for c, s in places:
            if s < len(table):
                assert [table[s][c + i] for i in range(width)] == [str(thread)] * width
                touched += width
    assert touched == sum(cell != "-" for line in table for cell in line) == len(table) * len(table[0])


def test_a_matrix_layouts_table_is_its_offsets():
    found = read("ColumnMajorInterleaved<2> of 4 x 6")
    assert [[int(cell) for cell in line] for line in cells(table_of(found).table)] == found.offsets.tolist()


@pytest.mark.parametrize("text", ["(?{div=8},64):(64,1)", "(?,?):(?,1)", "RowMajorInterleaved<4>"])
def test_what_is_proposed_for_open_numbers_can_be_read(text):
    about = table_of(read(text)).about
    assert type(read(about.partition("as in ")[2])).__name__ != "Unknowns"


@pytest.mark.parametrize("text", ["5000:1", "(1000000,1000000):(1,1000000)", "smem_ptr[16b](0x7f) o (128,64):(64,1)"])
def test_the_picture_that_is_named_for_a_large_one_can_be_had(say, tmp_path, text):
    assert f"more than {MOST_SHOWN:,} cells are not printed; --svg FILE.svg draws them" in say("show", text)[1]
    assert say("show", text, "--svg", "a.svg")[0] == 0 and (tmp_path / "a.svg").stat().st_size > 1000


def test_all_offsets_up_to_the_bound_are_printed(say):
    for text, count in (("4096:1", 4096), ("(16,16,16):(256,16,1)", 4096)):
        out = say("show", text)[1]
        assert "..." not in out and len(out.replace("[", " ").replace("]", " ").split()) >= count


@pytest.mark.parametrize("label", ["", "tCsA : "])
def test_a_tensor_is_drawn_as_its_layout(label):
    drawn = cutelab.picture(label + EXAMPLES["tensor"])
    assert drawn.code() == cutelab.picture("(_2,_4):(_4,_1)", element="half").code()
    assert drawn.params.element == "half"  # 16b
    swizzled = cutelab.picture(label + "Sw<3,4,3> o smem_ptr[16b](0x7f) o (_8,_64):(_64,_1)")
    assert swizzled.code() == cutelab.picture("Sw<3,3,3> o 0 o (_8,_64):(_64,_1)", element="half").code()
    assert cutelab.picture("GMMA::Layout_K_SW32_Atom<float>").params.element == "float32"


def test_the_frame_is_print_layouts():
    layout = cutelab.Layout((3, 5), (5, 1))
    own = framed([[str(n) for n in row] for row in cutelab.offsets(layout).tolist()])
    printed = cutelab.print_layout(layout).split("\n", 1)[1]
    assert own.splitlines() == [line.rstrip() for line in printed.splitlines()]
