"""Matrix instructions and shared-memory atoms: equal to what CUTLASS prints, and covering their tiles."""

import re

import golden
import numpy as np
import pytest

from cutelab.algebra import tile_to_shape
from cutelab.core.composed import parse_layout
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout, offsets, size
from cutelab.cutlass.atoms import mma_atom, mma_atoms, parse_mma_atom, smem_atom, smem_atoms, tmem_layout
from cutelab.cutlass.atoms.atom import _static

CASES = {case["atom"]: case for case in golden.cases("cute_mma_atoms")}
COMPILED = [name for name, case in CASES.items() if "ALayout" in case]
SMEM = [case for case in golden.cases("cute_smem_atoms") if case["kind"] in ("smem_atom", "smem_atom_bits")]
OTHER = {case["id"]: case for case in golden.cases("cute_smem_atoms")}


def table(name, key):
    """The golden thread-value table, following "same as ATOM tvX"."""
    value = CASES[name].get(key)
    while isinstance(value, str):
        _, _, rest = value.partition("same as ")
        other, _, key = rest.rpartition(" ")
        value = CASES[other][key]
    return value


@pytest.mark.parametrize("name", COMPILED)
def test_layouts_are_those_that_cutlass_prints(name):
    case, atom = CASES[name], mma_atom(name)
    assert f"({','.join(f'_{x}' for x in atom.shape_mnk)})" == case["Shape_MNK"]
    for layout, key in ((atom.thr_id, "ThrID"), (atom.a, "ALayout"), (atom.b, "BLayout"), (atom.c, "CLayout")):
        assert _static(layout) == case[key]
    assert " ".join(map(str, atom.value_bits)) == case["valbits"]
    for layout, key in ((atom.a, "tvA"), (atom.b, "tvB"), (atom.c, "tvC")):
        golden_table = table(name, key)
        if golden_table is not None:
            assert offsets(layout).tolist() == golden_table


def test_golden_tables_are_really_compared():
    compared = [key for name in COMPILED for key in ("tvA", "tvB", "tvC") if table(name, key) is not None]
    assert (len(COMPILED), len(compared)) == (86, 86 * 3 - 26)


@pytest.mark.parametrize("name", mma_atoms())
def test_every_listed_atom_covers_its_tiles(name):
    atom = mma_atom(name)
    for which in "ABC":
        layout, (rows, cols) = atom.operand(which)
        codes = offsets(layout)
        count = np.bincount(codes.ravel().astype(np.intp), minlength=rows * cols)
        assert len(count) == rows * cols
        one_each = atom.place(which) == "registers" or atom.threads <= 2
        assert (count == (1 if one_each else atom.threads)).all()
        assert size(layout[0]) == atom.threads


def test_golden_names_are_listed():
    assert set(CASES) <= set(mma_atoms())


@pytest.mark.parametrize(
    ("name", "field", "text"),
    [  # by hand from the same headers: sizes and forms that the golden table has not
        ("SM90_64x24x16_F16F16F16_RS", "c", "((4,8,4),(2,2,3)):((128,1,16),(64,8,512))"),
        (
            "SM90::GMMA::MMA_64x248x16_F32BF16BF16_SS<GMMA::Major::MN, GMMA::Major::K>",
            "b",
            "(128,(248,16)):(0,(1,248))",
        ),
        ("SM90_64x96x32_F16E5M2E4M3_RS_TN", "a", "((4,8,4),(4,2,2)):((256,1,16),(64,8,1024))"),
        ("SM80_16x8x64_S32U4S4S32_TN_SATURATE", "b", "((4,8),(8,2)):((64,1),(8,256))"),
        ("SM80_16x8x128_S32U1U1S32_TN_ANDPOPC", "a", "((4,8),(32,2)):((512,1),(16,8))"),
        (
            "SM100_MMA_F16BF16_SS<half_t,half_t,float,128,256,UMMA::Major::K,UMMA::Major::K>",
            "c",
            "(1,(128,256)):(0,(1,128))",
        ),
        (
            "SM100_MMA_TF32_2x1SM_SS<float,float,float,256,128,UMMA::Major::K,UMMA::Major::K>",
            "a",
            "(2,(128,8)):(128,(1,256))",
        ),
        ("SM90::MMA_16x8x16_F64F64F64F64_TN", "a", "((4,8),(2,4)):((16,1),(8,64))"),
    ],
)
def test_other_names_follow_the_rule(name, field, text):
    assert str(getattr(mma_atom(name), field)) == text


def test_scale_factors_of_block_scaled_atoms():
    atom = mma_atom("SM120::BLOCKSCALED::SM120_16x8x64_TN_VS<float_e2m1_t,float_e2m1_t,float,float_ue4m3_t,16>")
    assert str(atom.sfa) == "((2,2,8),64):((8,0,1),16)"
    assert str(atom.sfb) == "((4,8),64):((0,1),8)"
    assert mma_atom("SM120_16x8x32_TN<float_e4m3_t,float_e5m2_t,float>").sfa is None


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("SM80_16x8x16_F32F16F16F32", "SM80_16x8x16_F32F16F16F32_TN"),
        ("SM80_16x8x8", "near it are SM80_16x8x8_F32F16F16F32_TN"),
        ("SM80_16x8x24_F32F16F16F32_TN", "near it are SM80_16x8x"),
        ("SM90_64x20x16_F32F16F16_SS", "near it are SM90_64x"),
        ("SM90_64x264x16_F32F16F16_SS", "near it are"),
        ("SM90_64x64x8_F32TF32TF32_SS", "_TN"),
        ("SM70_16x8x8_F16F16F16F16_TN", "near it are"),
        ("SM120_16x8x32_TN", "3 template arguments"),
        ("SM120_16x8x32_TN<half,half,float>", "element type 'half'"),
        ("SM100_MMA_F16BF16_SS<half_t,half_t,float,96,64>", "M must be 64 or 128"),
        ("SM100_MMA_F16BF16_SS", "template arguments"),
        ("", "mma_atoms('SM80')"),
        (5, "text such as"),
    ],
)
def test_unknown_names_are_refused_with_what_is_near(name, word):
    with pytest.raises(CuteLabError, match="(?s)" + re.escape(word)):
        mma_atom(name)


def test_every_atom_reads_back_its_own_text():
    for name in mma_atoms():
        atom = mma_atom(name)
        read = parse_mma_atom(str(atom))
        assert (read.shape_mnk, read.thr_id, read.a, read.b, read.c) == (
            atom.shape_mnk,
            atom.thr_id,
            atom.a,
            atom.b,
            atom.c,
        )


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (("LayoutB_TV", "Nothing"), "no line for B"),
        (("(_16,_8,_16)", "(_16,_8)"), "three integers"),
        (("(_16,_8,_16)", "(_8,_8,_16)"), "beyond 128 elements"),
        (("_32:_1", "_64:_1"), "64 threads"),
    ],
)
def test_a_damaged_text_is_refused(change, word):
    text = str(mma_atom("SM80_16x8x16_F32F16F16F32_TN"))
    with pytest.raises(CuteLabError, match=word):
        parse_mma_atom(text.replace(*change))


# ------------------------------------------------------------------ shared and tensor memory


@pytest.mark.parametrize("case", SMEM, ids=lambda case: case["id"])
def test_smem_atoms_are_those_that_cutlass_prints(case):
    end = f"<{case['type']}>" if "type" in case else "_Bits"
    atom = smem_atom(f"{case['family']}::Layout_{case['major']}_{case['swizzle']}_Atom{end}")
    assert str(atom) == case["layout"]
    assert size(atom.layout) == int(case["size"])
    if "position_independent" in case:
        assert atom.layout == parse_layout(case["position_independent"])
        values = case["table"]
        if isinstance(values, str):
            values = OTHER[values.removeprefix("same as ")]["table"]
        assert offsets(atom.layout).ravel(order="F").tolist() == values
    assert parse_layout(str(atom)) == atom.layout


@pytest.mark.parametrize("case", [c for c in OTHER.values() if c["kind"] == "tile_to_shape"], ids=lambda c: c["id"])
def test_tiled_smem_atoms(case):
    shape = tuple(int(x) for x in case["shape"].removeprefix("Shape<").removesuffix(">").replace("_", "").split(","))
    tiled = smem_atom(case["atom"]).tile_to_shape(shape)
    assert tiled == parse_layout(case["layout"])
    assert tiled == tile_to_shape(smem_atom(case["atom"]).layout, shape)
    assert sorted(offsets(tiled).ravel()) == list(range(shape[0] * shape[1]))


def test_the_note_on_raw_calls_holds():
    atom = smem_atom("GMMA::Layout_K_SW128_Atom<half_t>")
    assert f"raw(1,0)={atom.inner(1, 0)} pi(1,0)={atom.layout(1, 0)}" == OTHER["rawsmem"]["v"]


def test_smem_atoms_are_all_readable():
    assert len(smem_atoms("half_t")) == 17
    for name in smem_atoms("uint8_t"):
        assert len(np.unique(offsets(smem_atom(name).layout))) == size(smem_atom(name).layout)


@pytest.mark.parametrize("name", ["GMMA::Layout_K_SW256_Atom<half_t>", "GMMA::Layout_MN_SW128_32B_Atom<float>", "x", 3])
def test_other_smem_names_are_refused(name):
    with pytest.raises(CuteLabError, match="names look like"):
        smem_atom(name)


def test_tensor_memory_is_the_golden_one():
    strides = [tmem_layout(1, 2, bits).stride[0] for bits in (128, 64, 32, 16)]
    assert " ".join(map(str, strides)) == OTHER["tmemdp"]["v"]
    for key, bits in (("float", 32), ("half_t", 16)):
        text = OTHER[f"tf_tmem_frg_1sm<{key}>"]["layout"].replace("_", "")
        layout = tmem_layout(128, 256, bits)
        assert parse_layout(text) == Layout((layout.shape, 1, 1), (layout.stride, 0, 0))


@pytest.mark.parametrize(
    ("arguments", "word"), [((129, 8), "129 lanes"), ((128, 513), "513 columns"), ((1, 1, 12), "12")]
)
def test_tensor_memory_has_an_end(arguments, word):
    with pytest.raises(CuteLabError, match=word):
        tmem_layout(*arguments)


def test_names_of_atoms_ignore_case():
    for name in mma_atoms("SM80 F16"):
        assert mma_atom(name.lower()) == mma_atom(name) == mma_atom(name.upper())
    assert mma_atom("sm90_64x256x16_f32f16f16_ss").name.startswith("SM90_64x256x16_F32F16F16_SS")
