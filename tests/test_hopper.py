"""TMA tiles, matrix descriptors, matrix instructions, tensor memory and occupancy: against an H200, CUTLASS's headers, CUDA's
own calculator, and slow oracles that go byte by byte."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout
from cutelab.core.swizzle import Swizzle
from cutelab.cutlass.atoms import smem_atom
from cutelab.hardware.chip import CHIPS
from cutelab.hardware.descriptor import MatrixDescriptor, UmmaDescriptor, descriptor_of
from cutelab.hardware.ldmatrix import LdMatrix, StMatrix
from cutelab.hardware.measured import measured_hopper
from cutelab.hardware.occupancy import occupancy
from cutelab.hardware.pipeline import H200_LOOPS, cycles_a_tile
from cutelab.hardware.tensor_memory import TmemLoad
from cutelab.hardware.tma import TmaTile, tma_boxes

DATA = Path(__file__).parent / "data"
TYPES = {8: "float_e4m3_t", 16: "half_t", 32: "tfloat32_t"}
ROWS, COLUMNS = 200, 300  # of the measured matrix


def case_name(case):
    return " ".join(str(case[k]) for k in ("dtype", "swizzle_bytes", "box", "coordinate") if k in case)


def tile_of(case):
    return TmaTile(
        (ROWS, COLUMNS), case["element_bytes"], tuple(case["box"]), case["swizzle_bytes"], case.get("smem_base", 0)
    )


# ------------------------------------------------------------------ TMA


@pytest.mark.parametrize("case", measured_hopper("tma_tiles").cases, ids=case_name)
def test_a_tile_equals_the_measured_one(case):
    tile = tile_of(case)
    if case["illegal"]:
        with pytest.raises(CuteLabError, match="illegal instruction"):
            tile.load(*case["coordinate"])
        return
    memory = tile.load(*case["coordinate"])
    if case["element_bytes"] == 1:  # a byte cannot say which of 60,000 elements it is
        memory = np.where(memory >= 0, memory % 12_800, memory)
    np.testing.assert_array_equal(memory, case["smem"])
    assert tile.expect_bytes == np.prod(case["box"]) * case["element_bytes"]


def test_a_start_is_refused_just_where_the_hardware_faults():
    cases = measured_hopper("tma_starts").cases
    assert len(cases) > 100 and {c["illegal"] for c in cases} == {True, False}
    for case in cases:
        try:
            tile_of(case).load(*case["coordinate"])
            refused = False
        except CuteLabError:
            refused = True
        assert refused == case["illegal"], case


def slow_load(shape, item, box, span, base, start):
    """The tile byte by byte, from the law in words: {byte address: (element, byte of it)} with -2 for zero."""
    memory = {}
    mask = {0: 0, 32: 1, 64: 3, 128: 7}[span]
    pitch = span or box[0] * item
    for index in np.ndindex(*box[::-1]):
        at = [s + i for s, i in zip(start, index[::-1], strict=True)]
        row = 0
        for extent, i in zip(box[::-1][:-1], index[:-1], strict=True):
            row = row * extent + i
        inside = all(0 <= a < n for a, n in zip(at, shape[::-1], strict=True))
        element = -2
        if inside:
            element = 0
            for a, n in zip(at[::-1], shape, strict=True):
                element = element * n + a
        for byte in range(item):
            x = base + row * pitch + index[-1] * item + byte
            memory[x ^ ((x >> 7 & mask) << 4)] = (element, byte)
    return memory


@pytest.mark.parametrize(("item", "span", "base"), list(product((1, 2, 4, 8), (0, 32, 64, 128), (0, 128, 256, 1024))))
def test_tiles_of_one_to_four_modes_equal_the_oracle(item, span, base):
    inner = max(1, 16 // item)
    for shape, more, start in (
        ((70,), (), (16,)),
        ((9, 70), (5,), (-16, -2)),
        ((3, 9, 70), (4, 2), (32, 6, -1)),
        ((2, 3, 9, 70), (2, 2, 2), (64, 8, 2, 1)),
    ):
        width = min(inner * 2, span // item) if span else inner * 2
        tile = TmaTile(shape, item, (width, *more), span, base)
        memory = tile.load(*start)
        expected = slow_load(shape, item, tile.box, span, base, start)
        for at, value in enumerate(memory.tolist()):
            held = {expected.get(at * item + byte, (-1, byte)) for byte in range(item)}
            assert held == {(value, byte) for byte in range(item)}
        assert len(expected) == tile.expect_bytes and max(expected) < tile.smem_base + tile.tile_bytes


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: TmaTile((200, 300), 2, (12, 8)), "multiple of 16"),
        (lambda: TmaTile((200, 300), 2, (64, 8), 64), "wider than the swizzle's span"),
        (lambda: TmaTile((200, 300), 2, (64, 8), 128, 64), "multiple of 128"),
        (lambda: TmaTile((200, 300), 2, (64, 8), 128, -128), "multiple of 128"),
        (lambda: TmaTile((200, 300), 2, (512, 8)), "from 1 to 256"),
        (lambda: TmaTile((200, 300), 2, (256, 256), 0, 128 * 1024), "does not fit"),
        (lambda: TmaTile((200, 300), 3, (64, 8)), "1, 2, 4 or 8 bytes"),
        (lambda: TmaTile((200, 300), 2, (64, 8), 48), "0 (none), 32, 64 or 128"),
        (lambda: TmaTile((200, 300), 2, (64, 8, 1)), "3 modes, the matrix 2"),
        (lambda: TmaTile((0, 300), 2, (64, 8)), "matrix_shape"),
        (lambda: TmaTile("200", 2, (64, 8)), "matrix_shape"),
        (lambda: TmaTile((200, 300), 2, (64, 8), mode="im2col"), "im2col"),
        (lambda: TmaTile((200, 300), 2, (64, 8), mode="multicast"), "not modelled"),
        (lambda: TmaTile((200, 300), 2, (64, 8)).load(4, 0), "start at column 0 or 8"),
        (lambda: TmaTile((200, 300), 2, (64, 8)).load(0), "(column, row)"),
        (lambda: TmaTile((200, 300), 2, (64, 8)).load(0, 0.5), "(column, row)"),
    ],
)
def test_what_the_unit_refuses_is_refused_with_the_rule(make, text):
    with pytest.raises(CuteLabError) as caught:
        make()
    assert text in str(caught.value) and len(str(caught.value)) <= 300


def atoms(bits=16):
    for major, kind in product(("K", "MN"), ("INTER", "SW32", "SW64", "SW128")):
        yield major, kind, smem_atom(f"GMMA::Layout_{major}_{kind}_Atom<{TYPES[bits]}>")


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_the_boxes_of_every_atom_fill_its_tile(bits):
    """What the copies write is what the layout says, element by element; and the box is as wide as the swizzle's span."""
    item = bits // 8
    for major, kind, atom in atoms(bits):
        shape = (128, 128)
        layout = atom.tile_to_shape(shape)
        boxes = tma_boxes(layout, item, contiguous=1 if major == "K" else 0)
        span = {"INTER": 0, "SW32": 32, "SW64": 64, "SW128": 128}[kind]
        assert boxes.swizzle_bytes == span and boxes.box[0] * item == (span or 16)
        assert str(boxes.coordinate_layout) == f"(_128,_128):({'_1@1,_1@0' if major == 'K' else '_1@0,_1@1'})"
        matrix = (128, 128)  # the tile is the whole matrix; (other, contiguous)
        filled = np.full(128 * 128, -1)
        for at in np.ndindex(boxes.starts.shape):
            start = int(boxes.starts[at])
            tile = TmaTile(matrix, item, boxes.box, boxes.swizzle_bytes, start % 1024)
            written = tile.load(*boxes.coordinates[at].tolist())
            where = np.flatnonzero(written >= 0)
            filled[where + (start - start % 1024) // item] = written[where]
        m, k = np.indices(shape)
        table = np.array([[layout(i, j) for j in range(0, 128, 16)] for i in range(0, 128, 8)])
        number = m * 128 + k if major == "K" else k * 128 + m
        np.testing.assert_array_equal(filled[table], number[::8, ::16])
        assert (np.sort(filled) == np.arange(128 * 128)).all() and boxes.expect_bytes == 128 * 128 * item


def test_boxes_are_cutlass_s_own():
    """The box that construct_tma_gbasis makes for every atom and tile, cut at the 256 that the unit takes."""
    cases = json.loads((DATA / "cute_tma_boxes.json").read_text())["cases"]
    names = TYPES | {32: "float", 8: "int8_t"}
    assert len(cases) == 64
    for case in cases:
        layout = smem_atom(f"GMMA::Layout_{case['atom']}_Atom<{names[case['bits']]}>").tile_to_shape(
            (case["m"], case["k"])
        )
        along = 1 if case["atom"].startswith("K") else 0
        boxes = tma_boxes(layout, case["bits"] // 8, contiguous=along)
        extents, modes = case["basis"].split(":")
        made = tuple(min(int(n), 256) for n in extents.replace("_", "").strip("()").split(","))
        assert boxes.box == made and modes == ("(_1@1,_1@0)" if along else "(_1@0,_1@1)"), case


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        ("(64,64):(72,1)", "no multiple of 128"),
        ("(64,64):(65,1)", "no multiple of 128"),
        ("Sw<5,0,5> o 0 o (32,32):(32,1)", "no box of"),
        ("(64,64):(1,64)", "no multiple of 16"),
        ("(64,64):(64,2)", "no multiple of 16"),
        ("(4,64,2):(64,1,256)", "two modes"),
        (7, "needs a layout"),
    ],
)
def test_a_layout_that_is_no_tma_tile_is_refused(layout, text):
    with pytest.raises(CuteLabError, match=text):
        tma_boxes(layout, 2)


# ------------------------------------------------------------------ descriptors


@pytest.mark.parametrize("case", measured_hopper("wgmma_descriptors").cases, ids=lambda c: f"{c['major']} {c['swizzle_bytes']} {c['lbo_bytes']} {c['sbo_bytes']} {c['start_bytes']}")  # fmt: skip
def test_addresses_equal_the_measured_ones(case):
    made = MatrixDescriptor(*(case[k] for k in ("start_bytes", "lbo_bytes", "sbo_bytes", "swizzle_bytes", "major")))
    read = np.reshape(case["address_of_m_k_row_major_in_halves"], (64, 16)) * 2
    np.testing.assert_array_equal(made.addresses(64, 16, 2), read)
    assert made.encode() >> 62 == case["layout_type"] and MatrixDescriptor.decode(made.encode(), case["major"]) == made


def test_exchanged_offsets_fault_nowhere_and_read_other_elements():
    right = MatrixDescriptor(0, 128, 1024, 0, "K")
    wrong = MatrixDescriptor(0, 1024, 128, 0, "K")
    a, b = right.addresses(64, 16, 2), wrong.addresses(64, 16, 2)
    assert (a[:8, :8] == b[:8, :8]).all() and (a != b).mean() > 0.8


def test_descriptors_of_layouts_are_cutlass_s_own():
    """The 64 bits that make_gmma_desc and make_umma_desc give for every atom, tile and block along k."""
    cases = json.loads((DATA / "cute_descriptors.json").read_text())["cases"]
    seen = 0
    for case in cases:
        major, kind = case["atom"].split("_", 1)
        if kind == "SW128_32B":
            continue
        atom = smem_atom(f"GMMA::Layout_{case['atom']}_Atom<{TYPES[case['bits']]}>")
        layout = atom.tile_to_shape((case["m"], case["k"]))
        for key, blackwell in (("gmma", False), ("umma", True)):
            if key in case:
                made = descriptor_of(layout, case["bits"] // 8, major, k_block=case["k_block"], blackwell=blackwell)
                assert made.encode() == int(case[key], 16) + (case["start"] >> 4), case
                assert type(made).decode(made.encode(), major) == made
                width = 256 // case["bits"]
                columns = range(case["k_block"] * width, (case["k_block"] + 1) * width)
                item = case["bits"] // 8
                some = [[layout(i, j) * item for j in columns] for i in range(0, case["m"], 7)]
                np.testing.assert_array_equal(made.addresses(case["m"], width, item)[::7], some)
                seen += 1
    assert seen > 400


def test_the_swizzle_of_32_byte_pieces_has_its_own_bits():
    for case in json.loads((DATA / "cute_descriptors.json").read_text())["cases"]:
        if case["atom"] == "MN_SW128_32B":
            made = UmmaDescriptor.decode(int(case["umma"], 16))
            assert (made.pieces, made.swizzle_bytes, made.major) == (32, 128, "MN")
            assert made.encode() == int(case["umma"], 16)


def test_every_field_comes_back():
    rng = np.random.default_rng(1)
    for _ in range(500):
        start, lbo, sbo = (int(n) * 16 for n in rng.integers(0, 1 << 14, 3))
        span, major, base = int(rng.choice([0, 32, 64, 128])), str(rng.choice(["K", "MN"])), int(rng.integers(0, 8))
        for kind in (MatrixDescriptor, UmmaDescriptor):
            made = kind(start, lbo, sbo, span, major, base)
            assert kind.decode(made.encode(), major) == made
            assert sum(f.value << f.low for f in made.fields) == made.encode() < 1 << 64
            assert all(0 <= f.value < 1 << (f.high - f.low + 1) for f in made.fields)


def test_a_step_along_k_is_taken_before_the_swizzle():
    layout = smem_atom("GMMA::Layout_K_SW128_Atom<half_t>").tile_to_shape((64, 128))
    first = descriptor_of(layout, 2)
    for block in range(4):
        assert first.advance(32 * block) == descriptor_of(layout, 2, k_block=block)
    assert descriptor_of(layout, 2, k_block=4).start_bytes == 64 * 128  # the next atom along k


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: MatrixDescriptor(8, 16, 1024), "multiple of 16"),
        (lambda: MatrixDescriptor(1 << 18, 16, 1024), "from 0 to 262,128"),
        (lambda: MatrixDescriptor(0, 16, 1024, 16), "32, 64 or 128"),
        (lambda: MatrixDescriptor(0, 16, 1024, 128, "N"), 'major must be "K" or "MN"'),
        (lambda: MatrixDescriptor(0, 16, 1024, 128, "MN").addresses(64, 32, 1), "2 bytes only"),
        (lambda: MatrixDescriptor(0, 16, 1024, 128, "K", 1).addresses(64, 16, 2), "base_offset 1"),
        (lambda: MatrixDescriptor(0, 16, 1024).addresses(64, 0, 2), "k must be"),
        (lambda: MatrixDescriptor(0, 16, 1024).addresses(64, 16, 8), "1, 2 or 4 bytes"),
        (lambda: MatrixDescriptor.decode(1 << 15), "bits 15"),
        (lambda: MatrixDescriptor.decode(-1), "64 bits"),
        (lambda: UmmaDescriptor.decode(3 << 61), "layout type 3"),
        (lambda: UmmaDescriptor.decode(0), "bits 46"),
        (lambda: descriptor_of("(64,64):(72,1)", 2), "no descriptor reads"),
        (lambda: descriptor_of("Sw<3,3,3> o 0 o (64,64):(64,1)", 2, k_block=4), "4 blocks"),
        (lambda: descriptor_of("Sw<3,3,3> o 0 o (64,64):(64,1)", 2, "MN"), "as MN-major operand"),
        (lambda: descriptor_of("(64,8):(8,1)", 8), "no operands of 8 bytes"),
        (lambda: descriptor_of("(60,64):(64,1)", 2), "multiple of 8"),
    ],
)
def test_what_no_descriptor_says_is_one_clear_error(make, text):
    with pytest.raises(CuteLabError) as caught:
        make()
    assert text in str(caught.value) and len(str(caught.value)) <= 300


def test_another_swizzle_with_the_same_table_is_read_too():
    """What counts is where elements lie: on 256 bytes Sw<2,3,3> does what Sw<1,3,3> does, and a refusal would be false."""
    base = Layout((8, 16), (16, 1))
    both = [ComposedLayout(Swizzle(bits, 3, 3), 0, base) for bits in (1, 2)]
    assert {descriptor_of(layout, 2).swizzle_bytes for layout in both} == {32}
    assert {tma_boxes(layout, 2).swizzle_bytes for layout in both} == {32}


def test_no_setting_conflicts_when_it_is_read():
    cases = measured_hopper("wgmma_rate").cases
    assert len(cases) == 44 and {case["cycles"] for case in cases} == {18.0}
    for case in cases:  # a core matrix lies in all 32 banks, in every setting
        made = MatrixDescriptor(*(case[k] for k in ("start_bytes", "lbo_bytes", "sbo_bytes", "swizzle_bytes", "major")))
        byte = made.addresses(64, 16, 2)
        core = byte[:8, :8] if case["major"] == "K" else byte[:8, :8].T
        assert len(np.unique(core // 4 % 32)) == 32


# ------------------------------------------------------------------ ldmatrix and stmatrix


def test_matrix_instructions_equal_the_measured_ones():
    cases = measured_hopper("matrix_instructions").cases
    assert len(cases) == 12
    for case in cases:
        word, count, *trans = case["instruction"].split(".")
        matrices = int(count[1:])
        if word == "stmatrix":
            lane, value = np.arange(32)[:, None], np.arange(2 * matrices)
            rows = StMatrix(matrices, bool(trans)).store(8 * lane + value)
            memory = np.full(256, -1)
            memory[: rows.size] = rows.ravel()
            assert memory.tolist() == case["smem_halves_from_lane8_plus_half"], case["instruction"]
        else:
            held = LdMatrix(matrices, bool(trans)).load(np.arange(64 * matrices).reshape(-1, 8))
            registers = np.full((32, 8), -1)
            registers[:, : 2 * matrices] = held
            assert registers.ravel().tolist() == case["lane_register_half"], case["instruction"]


@pytest.mark.parametrize(("matrices", "trans"), list(product((1, 2, 4), (False, True))))
def test_stmatrix_is_the_mirror_of_ldmatrix(matrices, trans):
    rows = np.random.default_rng(0).integers(0, 1000, (8 * matrices, 8))
    np.testing.assert_array_equal(StMatrix(matrices, trans).store(LdMatrix(matrices, trans).load(rows)), rows)


def test_bad_matrices_are_one_clear_error():
    for make in (
        lambda: StMatrix(3),
        lambda: StMatrix(True),
        lambda: StMatrix(2).store(np.zeros((32, 2))),
        lambda: LdMatrix(1).load(np.zeros((8, 4))),
    ):
        with pytest.raises(CuteLabError, match="matrix"):
            make()


# ------------------------------------------------------------------ tensor memory, occupancy


def test_tensor_memory_loads_are_cutlass_s_own():
    cases = json.loads((DATA / "cute_tmem_loads.json").read_text())["cases"]
    assert len(cases) == 20
    for case in cases:
        load = TmemLoad.named(case["op"])
        cell = np.stack([load.lane, load.column], axis=-1)
        assert cell.ravel().tolist() == case["lane_column"] and load.name == case["op"]
        assert (load.lanes, load.columns, load.registers) == (case["lanes"], case["columns"], case["registers"])


@pytest.mark.parametrize("shape", ["32dp32b", "16dp256b", "16dp128b", "16dp64b", "16dp32b"])
def test_each_cell_of_tensor_memory_goes_to_one_register(shape):
    load = TmemLoad(shape, 4)
    cells = set(zip(load.lane.ravel().tolist(), load.column.ravel().tolist(), strict=True))
    assert cells == set(product(range(load.lanes), range(load.columns))) and len(cells) == 32 * load.registers


def test_bad_tensor_memory_loads_are_one_clear_error():
    for make in (
        lambda: TmemLoad("8dp32b"),
        lambda: TmemLoad("16dp256b", 64),
        lambda: TmemLoad("32dp32b", 3),
        lambda: TmemLoad.named("SM100"),
    ):
        with pytest.raises(CuteLabError):
            make()


def test_occupancy_is_cuda_s_own():
    cases = json.loads((DATA / "cuda_occupancy.json").read_text())["cases"]
    assert len(cases) > 700
    for arch, threads, registers, shared, blocks in cases:
        try:
            found = occupancy(threads, registers, shared, chip=CHIPS[arch]).blocks
        except CuteLabError:
            found = 0
        assert found == blocks, (arch, threads, registers, shared)


SECOND = measured_hopper("hopper_tiles"), measured_hopper("hopper_descriptors"), measured_hopper("hopper_pipelines")


@pytest.mark.parametrize("case", SECOND[0].cases, ids=lambda c: f"{c['element_bytes']} {c['box']} {c['start']}")
def test_tiles_of_the_second_run_equal_the_measured_ones(case):
    make = lambda: TmaTile(  # noqa: E731
        case["sizes"][::-1], case["element_bytes"], case["box"], case["swizzle_bytes"], case["smem_base"]
    ).load(*case["start"])
    if case.get("illegal"):
        with pytest.raises(CuteLabError):
            make()
    else:
        assert make().tolist() == case["smem"]


def test_descriptors_of_the_second_run_equal_the_measured_ones():
    sizes = {"f16": 2, "e4m3": 1, "s8": 1, "tf32": 4}
    kinds = set()
    for case in SECOND[1].cases:
        item, rows = sizes[case["type"]], 64
        found = MatrixDescriptor(
            case["start_bytes"], case["lbo_bytes"], case["sbo_bytes"], case["swizzle_bytes"], case["major"]
        ).addresses(rows, 32 // item, item)
        assert (found.ravel() // item).tolist() == case["element"], case
        kinds.add((case["type"], case["operand"], case["major"]))
    assert {("f16", "B", "K"), ("tf32", "A", "K"), ("e4m3", "A", "K"), ("f16", "A", "MN")} <= kinds


def test_pipelines_of_the_second_run_are_near_the_line():
    far = []
    for case in SECOND[2].cases:
        usual = case["loop"] in H200_LOOPS and (case["tile_bytes"], case["threads"]) == (16384, 128)
        if usual and case["stages"] > 1 and case["mma_cycles"]:
            said = cycles_a_tile(case["loop"], case["stages"], case["mma_cycles"], **H200_LOOPS[case["loop"]])
            far.append(abs(said / case["cycles_a_tile"] - 1))
    assert len(far) >= 20 and max(far) < 0.2 and np.median(far) < 0.06  # the worst: a producer of two stages, short MMA
