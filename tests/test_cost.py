"""What a tiled copy costs: counted again lane by lane, and the finds that engineers made."""

import numpy as np
import pytest

from cutelab import CuteLabError, Layout, TiledMMA, copy_atom, make_tiled_copy, parse_layout, read, size
from cutelab.advise.cost import cost, free_both, mma_cost, tile_accesses
from cutelab.advise.recommend import recommend_copy
from cutelab.cutlass.names import explain_names

VECTOR = "make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>,half_t>{}, Layout<Shape<_16,_8>,Stride<_8,_1>>{}, Layout<Shape<_1,_8>>{})"
SCALAR = "make_tiled_copy(Copy_Atom<UniversalCopy<uint32_t>,float>{}, Layout<Shape<_32,_8>,Stride<_8,_1>>{})"
LDSM = "make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N,half_t>{}, make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2,_2>>{}, Tile<_32,_32,_16>{}))"


def by_hand(copy, data, item):
    """Wavefronts of 4-byte stores: for each instruction of each warp the most distinct words in one bank."""
    total = 0
    parts = [copy.partition_D(data, t) for t in range(copy.threads)]
    for i in range(size(parts[0][0])):
        for warp in range(0, copy.threads, 32):
            banks: dict[int, set[int]] = {}
            for t in range(warp, warp + 32):
                layout, offset = parts[t]
                word = (offset + layout(i)) * item // 4
                banks.setdefault(word % 32, set()).add(word)
            total += max(map(len, banks.values()))
    return total


@pytest.mark.parametrize("pad", [0, 1, 2, 4, 8])
def test_scalar_stores_are_counted_lane_by_lane(pad):
    copy, data = read(SCALAR), parse_layout(f"(_128,_8):(_1,_{128 + pad})")
    found = cost(copy, "(_128,_8):(_8,_1)", data, "float").destination
    assert found.count == by_hand(copy, data, 4)


def test_the_fallback_of_the_sgemm_example_pays_four_times():
    copy = read(SCALAR)
    counts = {pad: cost(copy, "(_128,_8):(_8,_1)", f"(_128,_8):(_1,_{128 + pad})", 4).destination for pad in (1, 4)}
    assert [(c.count, c.ideal) for c in counts.values()] == [(128, 32), (32, 32)]
    warp, instruction, worst = counts[1].worst
    assert worst == 4 and (warp, instruction) == (0, 0) and len(counts[1].worst_addresses) == 32


def test_vector_copies_and_swizzles():
    copy = read(VECTOR)
    plain = cost(copy, "(128,64):(5184,_1)", "(_128,_64):(_64,_1)", "half_t")
    swizzled = cost(copy, "(128,64):(5184,_1)", "Sw<3,3,3> o _0 o (_128,_64):(_64,_1)", "half_t")
    assert plain.source.count == plain.source.ideal == 128 * 64 * 2 // 32
    assert (
        swizzled.destination.count == swizzled.destination.ideal == plain.destination.count == 128
    )  # rows of 128 bytes fill all banks
    load = read(LDSM)
    assert (
        cost(load, "(_128,_64):(_64,_1)", "(_128,_64):(_64,_1)", "half_t", "shared", "registers").source.count
        == 8 * 256
    )
    free = cost(
        load, "Sw<3,3,3> o _0 o (_128,_64):(_64,_1)", "(_128,_64):(_64,_1)", "half_t", "shared", "registers"
    ).source
    assert free.count == free.ideal and "ldmatrix.x4" in free.instruction
    assert (plain.source.access.kind, plain.destination.access.kind) == ("load", "store")
    assert "st.b128" in plain.destination.instruction and "ld.b128" in plain.source.instruction
    assert "the ideal" in swizzled.summary() and plain.destination.allowed_bytes == 16


def test_what_is_not_modelled_is_said():
    text = VECTOR.replace("UniversalCopy<uint128_t>", "SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>")
    found = cost(read(text), "(_128,_64):(_64,_1)", "(_128,_64):(_64,_1)", "half_t")
    assert (
        found.destination.count is None and "not modelled" in found.destination.summary() and found.source.count == 512
    )
    assert (
        cost(read(VECTOR), "(_128,_64):(_64,_1)", "(_128,_64):(_64,_1)", 2, "global", "registers").destination.count
        is None
    )


def test_one_swizzle_frees_the_store_and_the_load():
    best = free_both(read(VECTOR), read(LDSM), 128, 64, "half_t")[0]
    assert best.name == "Sw<3,3,3>" and best.free
    swizzle = f"{best.name} o 0 o (128,64):(64,1)"
    for side, copy in (("destination", read(VECTOR)), ("source", read(LDSM))):
        memories = ("global", "shared") if side == "destination" else ("shared", "registers")
        found = getattr(
            cost(copy, swizzle if side == "source" else "(128,64):(64,1)", swizzle, "half_t", *memories), side
        )
        assert found.count == found.ideal
    asynchronous = read(VECTOR.replace("UniversalCopy<uint128_t>", "SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>"))
    assert free_both(asynchronous, read(LDSM), 128, 64, "half_t")[0].name == best.name


def test_an_mma_reads_with_the_best_instruction():
    mma = TiledMMA("SM80_16x8x16_F32F16F16F32_TN", (2, 2, 1), (32, 32, 16))
    best = mma_cost(mma, "A", "Sw<3,3,3> o 0 o (64,64):(64,1)", "half_t")[0]
    assert best.wavefronts == 16 and "ldmatrix" in best.summary()


@pytest.mark.parametrize("order", ["row", "column"])
@pytest.mark.parametrize(
    ("rows", "cols", "element", "threads"), [(128, 64, "half_t", 128), (64, 32, "float", 256), (32, 128, "int8_t", 64)]
)
def test_recommendations_can_be_read_and_cover_the_tile(order, rows, cols, element, threads):
    advice = recommend_copy(rows, cols, element, threads, order)
    best = advice[0]
    assert best.outside == 0 and best.sectors == best.ideal and best.vector_bytes == 16
    for one in advice:
        copy = read(one.code)
        assert (copy.tiler, copy.layout_tv, copy.threads) == (one.copy.tiler, one.copy.layout_tv, threads)
        assert best.sectors <= one.sectors or one.outside
        if one.thread_map is not None:
            starts = one.thread_map.initial_offsets()
            place = [one.copy.partition_S(Layout((rows, cols), (cols, 1)), t)[1] for t in range(threads)]
            row, col = np.divmod(place, cols)
            assert np.array_equal(starts, np.stack([col, row] if order == "row" else [row, col], axis=1))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: cost(5, "4:1", "4:1", 4), "takes a TiledCopy"),
        (lambda: cost(read(VECTOR), "(128,64):(1,128)", "(128,64):(64,1)", "half_t"), "do not lie side by side"),
        (lambda: cost(read(VECTOR), "(128,64):(65,1)", "(128,64):(64,1)", "half_t"), "side by side and aligned"),
        (lambda: cost(read(VECTOR), "(128,64):(64,1)", "(128,64):(64,1)", "float"), "the same"),
        (lambda: cost(read(VECTOR), "(128,64):(64,1)", "(128,64):(64,1)", "half_t", "disk"), "a memory is one of"),
        (lambda: cost(read(VECTOR), "64:1", "(128,64):(64,1)", "half_t"), "2 modes needs"),
        (lambda: cost(read(VECTOR), "(128,64):(1@0,1@1)", "(128,64):(64,1)", "half_t"), "coordinates"),
        (lambda: mma_cost(read(VECTOR), "A", "4:1", 2), "takes a TiledMMA"),
        (lambda: tile_accesses(read(VECTOR), "X", 64, 64, 2), "S or D"),
        (lambda: recommend_copy(0, 64, "half_t", 128), "from 1 to"),
        (lambda: recommend_copy(64, 64, "half_t", 128, "diagonal"), "'row' or 'column'"),
        (lambda: recommend_copy(64, 3, "int8_t", 32, asynchronous=True), "no vector"),
        (lambda: recommend_copy(64, 64, "int4b_t", 128), "whole bytes"),
        (lambda: explain_names("hello world"), "not a name of this form"),
        (lambda: explain_names(5), "not a name"),
        (lambda: explain_names("t"), "not a name|says nothing"),
    ],
)  # fmt: skip
def test_bad_input(make, words):
    with pytest.raises(CuteLabError, match=words) as caught:
        make()
    assert len(str(caught.value)) <= 300


def test_names_say_who_where_and_which():
    for name, words in {
        "tCsA": ("the tiled MMA", "shared memory", "A (M x K)"),
        "tAgA": ("the tiled copy of A", "global memory", "A (M x K)"),
        "tCrB": ("the tiled MMA", "registers", "B (N x K)"),
        "tXrA": ("retiled", "registers", "A (M x K)"),
        "tBcB": ("the tiled copy of B", "coordinates", "B (N x K)"),
        "tSrQ": ("the tiled MMA that computes S", "registers", "the queries"),
        "gC": ("global memory", "C (M x N)"),
    }.items():
        assert all(word in explain_names(name) for word in words), name
    lines = explain_names("tCsA", "((_2,_2,_2),_4,_4,_3):((_1,_512,_8),_2048,_16,_8192)").splitlines()
    assert [line.split(" = ")[0] for line in lines[1:]] == [
        "mode 0, MMA",
        "mode 1, MMA_M",
        "mode 2, MMA_K",
        "mode 3, PIPE",
    ]
    assert "broadcast" in explain_names("tAsA", "((8,1),4,2):((1,0),0,64)")
    assert "not used and is _0" in explain_names("tAsA", "((_8,_1),_8,_1):((_1,_0),_1024,_0)")
    assert make_tiled_copy(copy_atom("UniversalCopy<uint8_t>", 8), Layout(32)).threads == 32
