"""ldmatrix, fragment loads and vector copies: the distribution, the numbers in the registers, and the wavefronts."""

import json
from pathlib import Path

import numpy as np
import pytest

from cutelab.advise.copies import fragment_loads, fragment_stores, tensor_core_fixes, vector_copy
from cutelab.advise.epilogue import epilogues
from cutelab.core.composed import ComposedLayout, parse_layout
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout, offsets
from cutelab.core.swizzle import Swizzle
from cutelab.cutlass.atoms import mma_atom, smem_atom
from cutelab.cutlass.tv import TiledMMA
from cutelab.hardware.ldmatrix import LdMatrix, StMatrix
from cutelab.hardware.wavefronts import wavefronts
from cutelab.memory import WarpAccess

CASES = {c["id"]: c for c in json.loads((Path(__file__).parent / "data/cases_layouts.json").read_text())}
F16 = mma_atom("SM80_16x8x16_F32F16F16F32_TN")
T = np.arange(32)


# ------------------------------------------------------------------ the distribution


@pytest.mark.parametrize("count", [1, 2, 4])
def test_lanes_receive_what_ptx_says(count):
    """PTX ISA: lane t receives row t / 4, elements 2 * (t % 4) and the next; .trans: of the transposed matrix."""
    rows = np.arange(count * 64).reshape(count * 8, 8)
    for m in range(count):
        matrix = rows[8 * m : 8 * m + 8]
        for j in range(2):
            plain = LdMatrix(count).load(rows)[:, 2 * m + j]
            transposed = LdMatrix(count, trans=True).load(rows)[:, 2 * m + j]
            assert (plain == matrix[T // 4, 2 * (T % 4) + j]).all()
            assert (transposed == matrix.T[T // 4, 2 * (T % 4) + j]).all()


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("trans", [False, True])
def test_the_layouts_of_bits_say_the_same(count, trans):
    """CuTe's DstLayout counts bits of the rows in the order of the lanes that name them."""
    ld = LdMatrix(count, trans)
    bits = offsets(ld.dst_layout)
    value = bits[:, ::16] // 16  # the 16-bit element in which each value begins
    rows = np.arange(count * 64).reshape(count * 8, 8)
    assert (value == ld.load(rows)).all()
    assert sorted(bits.ravel()) == list(range(count * 1024))
    source = offsets(ld.src_layout)
    assert (source[: 8 * count, 0] == 128 * np.arange(8 * count)).all()


def test_ldmatrix_is_the_fragment_of_the_mma():
    """Four matrices, down first, then right: lane by lane the A operand of m16n8k16."""
    tile = np.arange(256).reshape(16, 16)
    rows = np.concatenate([tile[:8, :8], tile[8:, :8], tile[:8, 8:], tile[8:, 8:]])
    assert (LdMatrix(4).load(rows) == tile.ravel(order="F")[offsets(F16.a)]).all()


def test_ldsm_2901():
    case = CASES["ldsm-2901"]
    starts = offsets(parse_layout(case["input"]["Src"]))[:, 0]
    assert starts[:8].tolist() == case["expected"]["T0..T7"]
    assert sorted(starts) == offsets(parse_layout(case["input"]["user_expected"]))[:, 0].tolist()


@pytest.mark.parametrize("count", [0, 3, 8, "4"])
def test_other_counts_are_refused(count):
    with pytest.raises(CuteLabError, match="1, 2 or 4"):
        LdMatrix(count)
    with pytest.raises(CuteLabError, match="got shape"):
        LdMatrix(1).load(np.zeros((8, 4)))


# ------------------------------------------------------------------ end to end on numbers


def run(load, memory, element_bytes):
    """What do the lanes hold after these instructions? (warps, lanes, values), read byte address by byte address."""
    held = []
    for access in load.accesses:
        for i in range(access.shape[1]):
            address = access.byte_address[:, i]
            if access.kind == "ldmatrix":
                count = int(access.active[0, i].sum()) // 8
                rows = memory[address[:, : 8 * count, None] + np.arange(16)]
                words = rows.reshape(len(rows), count, 8, 16)
                if "trans" in load.instruction:
                    elements = words.reshape(len(rows), count, 8, 8, 2)
                    words = np.swapaxes(elements, 2, 3).reshape(len(rows), count, 8, 16)
                lane = words.reshape(len(rows), count, 32, 4)
                held.append(np.swapaxes(lane, 1, 2).reshape(len(rows), 32, -1))
            else:
                held.append(memory[address[..., None] + np.arange(access.access_bytes)])
    return np.concatenate(held, axis=2).reshape(len(held[0]), 32, -1, element_bytes)


LAYOUTS = [
    "(64,64):(64,1)",
    "(64,64):(1,64)",
    "(64,64):(72,1)",
    "(64,64):(66,1)",
    "Sw<3,3,3> o 0 o (64,64):(64,1)",
    "Sw<3,4,3> o 0 o (64,64):(64,1)",
    "Sw<2,3,3> o 0 o (64,64):(1,64)",
]


@pytest.mark.parametrize("text", LAYOUTS)
@pytest.mark.parametrize(
    ("name", "operand", "dtype"),
    [
        ("SM80_16x8x16_F32F16F16F32_TN", "A", np.int16),
        ("SM80_16x8x16_F32F16F16F32_TN", "B", np.int16),
        ("SM80_16x8x8_F32F16F16F32_TN", "B", np.int16),
        ("SM80_16x8x8_F32TF32TF32F32_TN", "A", np.int32),
        ("SM80_16x8x8_F32TF32TF32F32_TN", "C", np.int32),
        ("SM80_16x8x32_S32S8S8S32_TN", "A", np.int8),
        ("SM80_8x8x4_F64F64F64F64_TN", "A", np.int64),
        ("SM90_64x64x16_F32F16F16_RS", "A", np.int16),
    ],
)
def test_every_way_fills_the_registers_with_the_right_numbers(text, name, operand, dtype):
    layout, atom = parse_layout(text), mma_atom(name)
    table = offsets(layout)
    tv, (rows, cols) = atom.operand(operand)
    matrix = np.random.default_rng(3).integers(-100, 100, table.shape).astype(dtype)
    memory = np.zeros(int(table.max()) + 1, dtype=dtype)
    memory[table] = matrix
    expected = matrix[:rows, :cols].ravel(order="F")[offsets(tv)]
    loads = fragment_loads(layout, atom, operand, matrix.itemsize)
    for load in loads:
        got = run(load, memory.view(np.uint8), matrix.itemsize)
        values = np.ascontiguousarray(got).view(dtype)[..., 0]
        assert (values.reshape(expected.shape) == expected).all(), load.instruction
    assert [load.wavefronts for load in loads] == sorted(load.wavefronts for load in loads)


def test_a_tile_loaded_by_ldmatrix_multiplies_right():
    """Shared memory with WGMMA's 128-byte swizzle, ldmatrix, the software MMA: equal to the matrix product."""
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-9, 9, (n, 64)).astype(np.int16) for n in (16, 8))
    layout = smem_atom("GMMA::Layout_K_SW128_Atom<half_t>").tile_to_shape((16, 64))
    result = np.zeros((16, 8), np.int64)
    for k in range(0, 64, 16):
        tiles = []
        for which, matrix in (("A", a), ("B", b)):
            placed = layout if which == "A" else parse_layout("Sw<3,3,3> o 0 o (8,64):(64,1)")
            memory = np.zeros(matrix.size, np.int16)
            memory[offsets(placed)] = matrix
            load = fragment_loads(placed, F16, which, 2, at=(0, k))[0]
            assert load.instruction.startswith("ldmatrix") and load.wavefronts == load.ideal
            held = np.ascontiguousarray(run(load, memory.view(np.uint8), 2)).view(np.int16)[0, ..., 0]
            tile = np.zeros(matrix.shape[0] * 16, np.int64)
            tile[offsets(F16.operand(which)[0])] = held
            tiles.append(tile.reshape((-1, 16), order="F"))
        result += tiles[0] @ tiles[1].T
    assert (result == a.astype(int) @ b.T.astype(int)).all()


# ------------------------------------------------------------------ wavefronts


def test_swz_cute_gemm_5():
    """ldmatrix on the (8,32) half tile: 4-way without a swizzle, free with either."""
    case = CASES["swz-cute-gemm-5"]
    base = parse_layout(case["input"]["layout"])
    tables = [
        offsets(ComposedLayout(Swizzle(*map(int, t[3:-1].split(","))), 0, base)) for t in case["input"]["swizzles"]
    ]
    assert (tables[0] == tables[1]).all()
    for table, ways in ((offsets(base), 4), (tables[0], 1)):
        address = np.zeros(32, dtype=np.int64)
        address[:8] = table[:, 0] * 2
        assert wavefronts(WarpAccess(address, 16, "ldmatrix", T < 8)).count == ways
    assert case["expected"]["ldmatrix_8x8_ways_none"] == 4


@pytest.mark.parametrize(("case", "moved"), [("swz-1876", 0), ("swz-1704", 0)])
def test_swizzles_that_move_nothing(case, moved):
    text = CASES[case]["input"]["swizzle"]
    swizzle = Swizzle(*map(int, text[3:-1].split(",")))
    x = np.arange(1024)
    assert int((swizzle(x) != x).sum()) == moved
    if "period" in CASES[case]["expected"]:
        assert swizzle.period == CASES[case]["expected"]["period"]


def test_swz_1396_the_bytes_and_the_elements():
    table = offsets(parse_layout("Sw<1,4,3> o smem_ptr[16b](unset) o (64,16):(16,1)"))
    assert table[:9, 0].tolist() == CASES["swz-1396"]["expected"]["rows0_8"]


def test_the_widest_loads_come_out():
    wide = fragment_loads(Layout((8, 16)), mma_atom("SM80_8x8x4_F64F64F64F64_TN"), "A", 8)
    assert wide[0].instruction == "ld.shared.b64"
    c = fragment_loads(Layout((16, 8), (8, 1)), mma_atom("SM80_16x8x8_F32TF32TF32F32_TN"), "C", 4)
    assert {load.instruction for load in c} >= {"ld.shared.b64", "ld.shared.b32"}
    assert fragment_loads(Layout((8, 16), (16, 1)), F16, "B", 2)[0].instruction == "ldmatrix.x2"
    column = fragment_loads(Layout((64, 64)), F16, "A", 2)
    assert column[0].instruction == "ldmatrix.x4.trans"


def test_tiled_and_volta_operands_load_too():
    tiled = TiledMMA(F16, Layout((2, 2, 1), (2, 1, 0)), (32, 16, 32))
    load = fragment_loads(parse_layout("Sw<3,3,3> o 0 o (32,64):(64,1)"), tiled, "A", 2)[0]
    assert load.instruction == "ldmatrix.x4" and load.instructions == 2
    assert load.wavefronts == 4 * 2 * 4  # four warps, two instructions, four matrices
    volta = mma_atom("SM70_8x8x4_F32F16F16F32_TN")
    access = fragment_loads(Layout((8, 4), (4, 1)), volta, "A", 2)[0].accesses[0]
    assert np.flatnonzero(access.active[0, 0]).tolist() == [0, 1, 2, 3, 16, 17, 18, 19]
    assert access.access_bytes == 8


@pytest.mark.parametrize(
    ("layout", "name", "operand", "size", "at", "word"),
    [
        ("(8,16):(16,1)", "SM80_16x8x16_F32F16F16F32_TN", "A", 2, (0, 0), "needs 16 x 16 elements"),
        ("(16,16):(16,1)", "SM80_16x8x16_F32F16F16F32_TN", "A", 2, (8, 0), "needs 16 x 16 elements from"),
        ("(16,16):(16,1)", "SM80_16x8x16_F32F16F16F32_TN", "A", 4, (0, 0), "16 bits, the layout elements of 32"),
        ("(64,16):(16,1)", "SM90_64x64x16_F32F16F16_SS", "A", 2, (0, 0), "lies in shared memory"),
        ("(16,16):(16,1)", "SM80_16x8x16_F32F16F16F32_TN", "D", 2, (0, 0), "operands A, B and C"),
        ("(8,64):(64,1)", "SM80_8x8x32_S32S4S4S32_TN", "A", 0.5, (0, 0), "below a byte"),
        ("256:1", "SM80_16x8x16_F32F16F16F32_TN", "A", 2, (0, 0), "two modes"),
    ],
)
def test_what_does_not_fit_is_refused(layout, name, operand, size, at, word):
    with pytest.raises(CuteLabError, match=word):
        fragment_loads(parse_layout(layout), mma_atom(name), operand, size, at=at)


def test_fixes_for_stores_in_vectors_and_loads_with_ldmatrix():
    for cols in (32, 64):
        fixes = tensor_core_fixes(F16, "A", 32, cols, 2)
        best = fixes[0]
        assert best.free and best.kind == "swizzle"
        assert fragment_loads(best.layout, F16, "A", 2)[0].wavefronts == 4
    # with rows of 128 bytes a padding of 16 does too; with rows of 64 bytes eight lanes store two rows, and no padding helps
    assert next(c for c in fixes if c.kind == "padding").name == "pitch 72"
    assert not any(c.free for c in tensor_core_fixes(F16, "A", 32, 32, 2) if c.kind == "padding")
    assert tensor_core_fixes(F16, "A", 32, 64, 2, max_pad=8, keep_size=True)[0].extra_bytes == 0
    with pytest.raises(CuteLabError, match="whole operands"):
        tensor_core_fixes(F16, "A", 24, 64, 2)


# ------------------------------------------------------------------ vector copies


@pytest.mark.parametrize(
    ("source", "target", "size", "vector"),
    [
        ("(8,8):(1,9)", "(8,8):(1,8)", 4, 1),  # columns 36 bytes apart: not aligned for wider vectors
        ("(8,8):(1,12)", "(8,8):(1,8)", 4, 4),
        ("(8,8):(1,10)", "(8,8):(1,8)", 4, 2),
        ("(2,2,2):(1,2,4)", "(2,2,2):(2,1,4)", 4, 1),
        ("(32,64):(64,1)", "Sw<3,3,3> o 0 o (32,64):(64,1)", 2, 8),
        ("(32,64):(64,1)", "Sw<3,2,3> o 0 o (32,64):(64,1)", 2, 4),
        ("(32,64):(1,32)", "(32,64):(64,1)", 2, 1),
        ("(16,16):(16,1)", "(16,16):(16,1)", 8, 2),
    ],
)
def test_how_wide_a_copy_can_be(source, target, size, vector):
    source, target = parse_layout(source), parse_layout(target)
    copy = vector_copy(source, target, size)
    assert copy.vector == vector
    # the copy moves every element, once, to its place
    a, b = (offsets(x).ravel(order="F") * size for x in (source, target))
    moved = {}
    for load, store, active in zip(
        copy.source.byte_address.ravel(), copy.target.byte_address.ravel(), copy.source.active.ravel(), strict=True
    ):
        if active:
            moved |= {load + size * i: store + size * i for i in range(vector)}
    assert moved == dict(zip(a.tolist(), b.tolist(), strict=True))


def test_a_copy_is_counted_in_instructions_sectors_and_wavefronts():
    copy = vector_copy(Layout((32, 64), (64, 1)), parse_layout("Sw<3,3,3> o 0 o (32,64):(64,1)"), 2)
    assert (copy.access_bytes, copy.instructions) == (16, 8)
    assert int(copy.sectors.count.sum()) == 32 * 64 * 2 // 32
    assert int(copy.wavefronts.count.sum()) == int(copy.wavefronts.ideal.sum())
    odd = vector_copy(Layout((32, 64), (64, 1)), Layout((32, 64), (64, 1)), 2, source_start=2)
    assert odd.vector == 1
    with pytest.raises(CuteLabError, match="same number"):
        vector_copy(Layout(8), Layout(9), 4)
    with pytest.raises(CuteLabError, match="1, 2, 4, 8 or 16"):
        vector_copy(Layout(8), Layout(8), 3)


# ------------------------------------------------------------------ stores, and the way out


def written(store, layout_tv, layout, rows, cols, item):
    """What lies where after this store: each (m, n) of the tile as its number m * cols + n, by the address in elements."""
    code = offsets(layout_tv)
    number = code % rows * cols + code // rows  # (thread, value)
    values = number.reshape(-1, 32, number.shape[1])  # warp, lane, value
    memory, taken = {}, 0
    for access in store.accesses:
        width = access.access_bytes // item
        for warp, batch in enumerate(access.byte_address):
            for i, address in enumerate(batch):
                if access.kind == "stmatrix":
                    matrices = int(access.active[warp, i].sum()) // 8
                    part = values[warp, :, taken + 2 * matrices * i :][:, : 2 * matrices]
                    rows_of = StMatrix(matrices, "trans" in store.instruction).store(part)
                    pieces = zip(address[: 8 * matrices], rows_of, strict=True)
                else:
                    pieces = zip(address, values[warp, :, i * width : (i + 1) * width], strict=True)
                for first, piece in pieces:
                    for k, value in enumerate(piece):
                        memory[int(first) // item + k] = int(value)
        taken += sum(2 * int(a.sum()) // 8 for a in access.active[0]) if access.kind == "stmatrix" else 0
    return memory


@pytest.mark.parametrize(
    "name", ["SM80_16x8x16_F32F16F16F32_TN", "SM90_64x64x16_F32F16F16_SS", "SM90_64x32x16_F16F16F16_SS"]
)
@pytest.mark.parametrize("spelling", ["row", "padded", "column", "swizzled"])
def test_every_way_to_store_writes_the_tile(name, spelling):
    """Instruction by instruction, with stmatrix as it was measured: each element lands where the layout says."""
    atom = mma_atom(name)
    _, (rows, cols) = atom.operand("C")
    layout = {
        "row": Layout((rows, cols), (cols, 1)),
        "padded": Layout((rows, cols), (cols + 8, 1)),
        "column": Layout((rows, cols)),
        "swizzled": ComposedLayout(Swizzle(3, 3, 3), 0, Layout((rows, cols), (cols, 1))),
    }[spelling]
    table = offsets(layout)
    expected = {int(table[m, n]): m * cols + n for m in range(rows) for n in range(cols)}
    ways = fragment_stores(layout, atom, 2)
    assert any("stmatrix" in way.instruction for way in ways) and len(ways) > 1
    for way in ways:
        assert written(way, atom.operand("C")[0], layout, rows, cols, 2) == expected, way.instruction
    assert any(".trans" in way.instruction for way in ways) == (spelling == "column")


@pytest.mark.parametrize(
    "name", ["SM80_16x8x16_F32F16F16F32_TN", "SM90_64x64x16_F32F16F16_SS", "SM70_8x8x4_F32F16F16F32_TN"]
)
@pytest.mark.parametrize("item", [2, 4])
def test_epilogues_count_what_a_slow_count_counts(name, item):
    atom = mma_atom(name)
    layout_tv, (rows, cols) = atom.operand("C")
    code, pitch = offsets(layout_tv), 1000 * 16
    ways = {way.name: way for way in epilogues(atom, item, pitch=pitch)}
    direct = ways["direct"].steps[0]
    width = int(direct.instruction.split(".b")[1]) // 8 // item
    lane = offsets(atom.thr_id).ravel(order="F")
    count = 0
    for warp in range(int(lane.max()) // 32 + 1):
        mine = code[lane // 32 == warp]
        for i in range(0, mine.shape[1], width):
            byte = (mine[:, i : i + width] % rows * pitch + mine[:, i : i + width] // rows) * item
            count += len({b // 32 for first in byte.ravel().tolist() for b in range(first, first + item)})
    assert direct.count == count and direct.ideal == rows * cols * item // 32
    staged = ways["staged"]
    assert (
        staged.sectors == rows * -(-cols * item // 32)
        and staged.steps[0].count == fragment_stores(staged.layout, atom, item)[0].wavefronts
    )
    assert f"hold {rows} x {cols}" in staged.holds


def test_epilogues_take_the_layout_that_is_given_and_refuse_what_does_not_fit():
    atom = mma_atom("SM90_64x64x16_F32F16F16_SS")
    given = epilogues(atom, 2, smem_layout=Layout((64, 64), (64, 1)))
    (staged,) = [way for way in given if way.name == "staged"]
    assert staged.steps[0].count == 512 and staged.steps[0].ideal == 64
    for make, text in (
        (lambda: epilogues(atom, 2, smem_layout=Layout((64, 64), (65, 1))), "16 bytes of a row"),
        (lambda: epilogues(atom, 2, pitch=0), "pitch must be"),
        (lambda: fragment_stores(Layout((8, 8)), atom, 2), "needs 64 x 64"),
    ):
        with pytest.raises(CuteLabError, match=text):
            make()
