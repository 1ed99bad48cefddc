"""Statements about the thread maps of CUTLASS 2.x, and about a formula with strips that stands for them: A01 to A32."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import fields

import numpy as np

from cutelab.core import Layout, idx2crd
from cutelab.core.errors import CuteLabError
from cutelab.course.topics.claims.claim import Claim, Finding, claim, found
from cutelab.cutlass.atoms import mma_atom, mma_atoms
from cutelab.cutlass.matrix_layouts import matrix_layout
from cutelab.cutlass.strips import StripThreadMap
from cutelab.cutlass.thread_map import THREAD_MAPS, PitchLinearShape, PitchLinearStripminedThreadMap
from cutelab.hardware.access import WarpAccess
from cutelab.hardware.chip import H200
from cutelab.hardware.sectors import sectors
from cutelab.hardware.wavefronts import wavefronts

MAPS = "include/cutlass/transform/pitch_linear_thread_map.h, CUTLASS 4.7.0"


@claim(
    "A01",
    "CUTLASS keeps its strip-mined thread map among the layouts, in a header thread_map.h; the place moves a little with the 2.x version.",
    "The header is {header}, from v2.0.0 to v4.7.0 without a move. Below cutlass/layout there has never been a file of thread maps.",
    source=MAPS,
    lesson="thread_map",
)
def a01() -> Finding:
    return found("false", header="cutlass/transform/pitch_linear_thread_map.h")


@claim(
    "A02",
    "The strip-mined thread map takes four template parameters: the shape, the threads, a Pitch and a number of Strips.",
    "It takes {count}: {names}. The shape is a PitchLinearShape<contiguous, strided>; the words Pitch and Strips name no parameter of it.",
    source=MAPS,
    lesson="thread_map",
)
def a02() -> Finding:
    names = [field.name for field in fields(PitchLinearStripminedThreadMap)]
    return found("true" if names[2:] == ["pitch", "strips"] else "false", count=len(names), names=", ".join(names))


@claim(
    "A03",
    "It is derived from PitchLinearThreadMap, which is the same map without strips.",
    "The class has no base class, and no class is called PitchLinearThreadMap: two headers have that word in a comment, and in a third "
    "it is a name inside one iterator, for the strip-mined map itself.",
    source=MAPS,
    lesson="thread_map",
)
def a03() -> Finding:
    return found("false")


@claim(
    "A04",
    "At the heart of a thread map is get_offset(thread_id), and what it returns is an offset in memory.",
    "A thread map has initial_offset(thread_id), and it returns a coordinate: thread 17 starts at {start}. Only the layout of the "
    "matrix makes offsets of it, for example {offsets} with leading dimensions 16, 20 and 64.",
    picture='explore.thread_map("PitchLinearStripminedThreadMap<PitchLinearShape<16,8>, 32, 1>", thread=17)',
    lesson="thread_map",
)
def a04() -> Finding:
    start = PitchLinearStripminedThreadMap(PitchLinearShape(16, 8), 32, 1).initial_offset(17)
    offsets = [Layout((16, 8), (1, ld))(start.contiguous, start.strided) for ld in (16, 20, 64)]
    return found("true" if len(set(offsets)) == 1 else "false", start=tuple(start), offsets=offsets)


@claim(
    "A05",
    "A pitch-linear map puts thread t in row t / Pitch and column t % Pitch, so its offset is column + row * row pitch.",
    "That is where the thread starts (the same for {same} of 32 threads of <16,8>, 32, 1), and only that: it comes {times} times, "
    "{step} rows further each time. Iterations and Delta say so, and the formula has no word for them.",
    picture='explore.thread_map("PitchLinearStripminedThreadMap<PitchLinearShape<16,8>, 32, 1>", thread=17, access=1)',
    lesson="thread_map",
)
def a05() -> Finding:
    real = PitchLinearStripminedThreadMap(PitchLinearShape(16, 8), 32, 1)
    same = [Layout((16, 8), (1, 16))(*real.initial_offset(t)) == t % 16 + t // 16 * 16 for t in range(32)]
    times = real.accesses_per_thread
    return found("half" if all(same) and times > 1 else "false", same=sum(same), times=times, step=real.delta.strided)


@claim(
    "A06",
    "In a matrix with kRow rows, the distance from one row to the next is kRow.",
    "In row-major order the next row begins as many elements further as a row has columns (or the leading dimension says): "
    "{row_pitch} in a matrix of 4 rows and 2 columns.",
    picture='explore.layout("(4,2):(2,1)")',
    lesson="layout",
)
def a06() -> Finding:
    matrix = matrix_layout("RowMajor", (4, 2))
    row_pitch = int(matrix(1, 0) - matrix(0, 0))
    return found("true" if row_pitch == 4 else "false", row_pitch=row_pitch)


@claim(
    "A07",
    "Row pitch 16, 32 threads, Pitch 8, Strips 4: eight threads stand in each of rows 0, 1, 2 and 3, in columns 0 to 7.",
    "Yes: rows {rows}, columns {columns}; the strips begin at offsets {begin}.",
    picture="explore.strips(threads=32)",
    lesson="strips",
)
def a07() -> Finding:
    column, row = StripThreadMap(row_pitch=16, threads=32, pitch=8, strips=4).coords().T
    good = (row == np.arange(32) // 8).all() and (column == np.arange(32) % 8).all()
    begin = [int(16 * r + c) for r, c in zip(row[::8], column[::8], strict=True)]
    return found("true" if good else "false", rows=sorted(set(row.tolist())), columns="0 to 7", begin=begin)


@claim(
    "A08",
    "With 64 threads, the second 32 of them begin 8 * 4 * 16 = 512 elements further on: at the next block of four rows.",
    "They do begin at {begin}, but that is row {row}: rows 4 to {last} are left out. The next block of four rows begins at "
    "{next}. The formula's third term has a factor Pitch too many.",
    picture="explore.strips(threads=64, pitch=8, strips=4)",
    lesson="strips",
)
def a08() -> Finding:
    walk = StripThreadMap(row_pitch=16, threads=64, pitch=8, strips=4)
    begin, next_block = walk.get_offset(32), 4 * 16
    row = begin // 16
    half = begin == 512 and begin != next_block
    return found("half" if half else "true", begin=begin, row=row, last=row - 1, next=next_block, rows=walk.rows)


@claim(
    "A09",
    "Put Strips = 1 into the formula and it becomes the plain map, t % Pitch + (t / Pitch) * row pitch.",
    "It becomes t % Pitch + (t / Pitch) * (Pitch * row pitch): {differ} of 32 threads land elsewhere, thread {first} first "
    "({strips_1}, not {plain}). The plain map is at the other end, Strips >= threads / Pitch.",
    picture="explore.strips(threads=32, strips=1)",
    lesson="strips",
)
def a09() -> Finding:
    plain = StripThreadMap(row_pitch=16, threads=32, pitch=8, strips=4).offsets()
    strips_1 = StripThreadMap(row_pitch=16, threads=32, pitch=8, strips=1).offsets()
    differ = np.flatnonzero(plain != strips_1)
    t = differ[0] if len(differ) else 0
    return found("false" if len(differ) else "true", differ=len(differ), first=t, strips_1=strips_1[t], plain=plain[t])


@claim(
    "A10",
    "A warp never leaves its strip: whichever warp you take, all of its 32 lanes stand in the same one.",
    "A warp spans 32 / Pitch strips: {spans} for Pitch 4, 8, 16, 32 and 64. In the formula's own example (Pitch 8) it spans four.",
    picture="explore.strips(threads=32)",
    lesson="strips",
)
def a10() -> Finding:
    spans = [len(set(StripThreadMap(64, 32, pitch, 32).strip.tolist())) for pitch in (4, 8, 16, 32, 64)]
    return found("true" if set(spans) == {1} else "false", spans=spans)


@claim(
    "A11",
    "Because a warp keeps to one strip, it reads contiguous memory, and its access is perfectly coalesced.",
    "With Pitch 8 and row pitch 16 a warp reads {runs} separate runs of 8. For float32 that is {float32} sectors, the fewest "
    "possible; for half it is {half} where {ideal} would do.",
    picture='explore.strips(threads=32, element="half")',
    lesson="strips",
)
def a11() -> Finding:
    offset = StripThreadMap(row_pitch=16, threads=32, pitch=8, strips=4).offsets()
    runs = 1 + int((np.diff(offset) != 1).sum())
    float32, half = sectors(WarpAccess(offset * 4, 4)), sectors(WarpAccess(offset * 2, 2))
    some = float32.count == float32.ideal and half.count > half.ideal
    return found("half" if some else "false", runs=runs, float32=float32.count, half=half.count, ideal=half.ideal)


@claim(
    "A12",
    "For coalescing, a Pitch that is a multiple of 32 is as a rule the best choice.",
    "For float32 in rows of 128, Pitch 1, 2, 4, ... 128 costs {counts} sectors a warp: Pitch 8 reaches the fewest already. Pitch 32 "
    "needs fewer lines, {lines} in place of {lines_8}. Where a row is 100 long, even Pitch 32 pays {worst} sectors in some warps.",
    picture="explore.strips(128, threads=32, pitch=8, strips=32)",
    lesson="strips",
)
def a12() -> Finding:
    cost = {
        p: sectors(WarpAccess(StripThreadMap(128, 32, p, 32).offsets() * 4, 4)) for p in (1, 2, 4, 8, 16, 32, 64, 128)
    }
    counts = [c.count for c in cost.values()]
    rows_of_100 = StripThreadMap(100, 256, 32, 32).warp_addresses(4)[0]
    worst = int(np.max(sectors(WarpAccess(rows_of_100, 4)).count))
    some = cost[32].count == min(counts) == cost[8].count and worst > min(counts)
    return found("half" if some else "true", counts=counts, lines=cost[32].lines, lines_8=cost[8].lines, worst=worst)


@claim(
    "A13",
    "Pitch 128 is too much: a warp would spread over four cache lines of 128 bytes and move twice as much.",
    "With Pitch 128 lanes 0 to 31 are 32 neighbours: {lines} line and {count} sectors for float32, as with Pitch 32, 64 or 96. "
    "Four lines come from 16 bytes a lane ({wide}), whatever the Pitch.",
    picture="explore.strips(128, threads=32, pitch=128, strips=32)",
    lesson="strips",
)
def a13() -> Finding:
    cost = {p: sectors(WarpAccess(StripThreadMap(128, 32, p, 32).offsets() * 4, 4)) for p in (32, 64, 96, 128)}
    lines, count = cost[128].lines, cost[128].count
    wide = sectors(WarpAccess(StripThreadMap(128, 32, 32, 32).offsets() * 16, 16)).lines
    return found("true" if count > cost[32].count else "false", lines=lines, count=count, wide=wide)


@claim(
    "A14",
    "For loads of float4, choose a Pitch that is a multiple of four.",
    "A multiple of four is needed, but elsewhere: ElementsPerAccess says how wide an access is, and the tile's width must be a multiple "
    "of it ({widths} of the widths 14 to 20 are accepted). Pitch counts threads: thread 1 starts {step} element after thread 0.",
    picture='explore.thread_map("PitchLinearStripminedThreadMap<PitchLinearShape<16,8>, 4, 4>", element="float32")',
    lesson="thread_map",
)
def a14() -> Finding:
    widths = []
    for width in range(14, 21):
        with suppress(CuteLabError):  # a width that the class refuses
            widths.append(PitchLinearStripminedThreadMap(PitchLinearShape(width, 8), 1, 4).shape.contiguous)
    step = StripThreadMap(row_pitch=16, threads=32, pitch=8, strips=4).get_offset(1)
    return found("half" if widths == [16, 20] and step == 1 else "false", widths=widths, step=step)


@claim(
    "A15",
    "Global memory of a GPU is read and written in cache lines of 128 bytes.",
    "A line has {line} bytes, but what moves are its sectors: one lane that reads 4 bytes moves {moved}. So the sectors are "
    "the cost to count, {per_line} of them to a line.",
    picture="explore.coalescing(stride=32)",
    lesson="coalescing",
)
def a15() -> Finding:
    one_lane = sectors(WarpAccess(np.zeros(32, int), 4, "load", np.arange(32) == 0))
    line, moved = H200.line_bytes, one_lane.count * H200.sector_bytes
    some = line == 128 and moved < line
    return found("half" if some else "true", line=line, moved=moved, per_line=line // H200.sector_bytes)


@claim(
    "A16",
    "Shared memory consists of 32 banks, and each is 4 bytes wide.",
    "Yes: {banks} banks of {word} bytes, so byte {again} is in bank 0 again. An H200's counters agree with every count that rests on it.",
    picture="explore.banks(pitch=32)",
    lesson="banks",
)
def a16() -> Finding:
    banks, word = H200.banks, H200.word_bytes
    again = next(byte for byte in range(4, 4096) if H200.bank(byte) == 0)
    return found("true" if (banks, word) == (32, 4) else "false", banks=banks, word=word, again=again)


@claim(
    "A17",
    "When several threads of a warp use the same bank, they conflict and are served one after the other.",
    "Only where they want different words of it. 32 lanes on 32 words of one bank take {different} wavefronts; "
    "32 lanes on one word of one bank take {same}, a broadcast.",
    picture='explore.banks(pitch=32, read="column")',
    lesson="banks",
)
def a17() -> Finding:
    lane = np.arange(32)
    different = wavefronts(WarpAccess(lane * 32 * 4, 4)).count
    same = wavefronts(WarpAccess(lane * 0, 4)).count
    return found("half" if different == 32 and same == 1 else "true", different=different, same=same)


@claim(
    "A18",
    "Strips is a good handle on bank conflicts, above all where the width of a row is a multiple of the number of banks.",
    "Just there it does nothing: with row pitch 32, 64, 96 or 128, Pitch 4, 8, 16 and 32 take {ways} wavefronts whatever Strips is, "
    "because only t % Pitch chooses the bank.",
    picture="explore.strips(32, threads=32, pitch=8, strips=4)",
    lesson="strips",
)
def a18() -> Finding:
    ways = []
    for pitch in (4, 8, 16, 32):
        maps = [StripThreadMap(row, 32, pitch, s) for row in (32, 64, 96, 128) for s in (1, 2, 4, 8, 16, 32)]
        ways.append({wavefronts(WarpAccess(one.offsets() * 4, 4)).count for one in maps})
    no_effect = all(len(seen) == 1 for seen in ways)
    return found("false" if no_effect else "true", ways=[count for seen in ways for count in seen])


@claim(
    "A19",
    "More strips mean better reuse of the cache, at the risk of bank conflicts.",
    "The second part can happen: with row pitch 33 and Pitch 8, Strips 1, 2, 4 and 8 take {ways} wavefronts. The first part is "
    "not measured, and no reason is given: Strips changes where a thread works, not what is read again.",
    picture="explore.strips(33, threads=32, pitch=8, strips=4)",
    lesson="strips",
)
def a19() -> Finding:
    ways = [wavefronts(WarpAccess(StripThreadMap(33, 32, 8, s).offsets() * 4, 4)).count for s in (1, 2, 4, 8)]
    return found("half" if ways[-1] > ways[0] else "false", ways=ways)


@claim(
    "A20",
    "Take Strips near threads / Pitch: with too few of them a part of the tile is never touched.",
    "Right for the formula, if near means at least: 32 threads with Pitch 8 touch rows {rows_1} with Strips 1, {rows_2} with 2, "
    "and {rows_4} with 4, 8 or more. (The real class has no such number.)",
    picture="explore.strips(threads=32, pitch=8, strips=2)",
    lesson="strips",
)
def a20() -> Finding:
    rows = {s: StripThreadMap(row_pitch=16, threads=32, pitch=8, strips=s).rows for s in (1, 2, 4, 8)}
    good = rows[1] != rows[2] != rows[4] == rows[8] == (0, 1, 2, 3)
    return found("true" if good else "false", rows_1=rows[1], rows_2=rows[2], rows_4=rows[4])


@claim(
    "A21",
    "The matrix instruction m16n8k8 came with Volta and Turing.",
    "CUTLASS declares it for {architectures}; Turing (sm_75) was the first. Volta's instructions are all {volta}, "
    "carried out by {threads} threads.",
    picture='explore.tensor_core("SM75_16x8x8_F32F16F16F32_TN")',
    lesson="tensor_core",
)
def a21() -> Finding:
    architectures = sorted({name.split("_")[0] for name in mma_atoms() if "_16x8x8_" in name})
    volta = {name.split("_")[1] for name in mma_atoms() if name.startswith("SM70_")}
    threads = mma_atom("SM70_8x8x4_F32F16F16F32_TN").threads
    some = "SM75" in architectures and "SM70" not in architectures
    return found(
        "half" if some else "true", architectures=", ".join(architectures), volta=", ".join(volta), threads=threads
    )


@claim(
    "A22",
    "A tile of 16 rows and 8 columns with Pitch 8, Strips 2 and row pitch 16: the offsets 0-7, 16-23, 256-263 and 272-279 are "
    "rows 1, 2, 17 and 18 of the tile.",
    "The offsets are right, and the tile has no such rows: {outside} of 32 threads stand outside it. Its rows lie 8 apart, not 16; "
    "even then the second half of the warp, at offsets {begin} and further, is outside ({outside_8} threads).",
    picture="explore.strips(8, threads=32, pitch=8, strips=2, rows=16, columns=8)",
    lesson="strips",
)
def a22() -> Finding:
    given, mended = StripThreadMap(16, 32, 8, 2), StripThreadMap(8, 32, 8, 2)
    as_said = given.offsets()[::8].tolist() == [0, 16, 256, 272]
    outside = given.coverage((8, 16)).out_of_tile_elements
    outside_8 = mended.coverage((8, 16)).out_of_tile_elements
    begin = mended.get_offset(16)
    return found("half" if as_said and outside else "true", outside=outside, outside_8=outside_8, begin=begin)


@claim(
    "A23",
    "One warp loads that tile of 16 rows and 8 columns, so each of its threads has two elements.",
    "{elements} elements over {lanes} threads are {each} for each.",
    lesson="strips",
)
def a23() -> Finding:
    elements, lanes = 16 * 8, H200.lanes
    each = elements // lanes
    return found("true" if each == 2 else "false", elements=elements, lanes=lanes, each=each)


@claim(
    "A24",
    "The thread map decides which elements of A each lane holds for the matrix instruction.",
    "The instruction decides it. In m16n8k8 lane 5 holds (m,k) = {held}; a thread map that brings the same tile would have it "
    "fetch {fetched}. Between the two lies shared memory.",
    picture='explore.tensor_core("SM80_16x8x8_F32F16F16F32_TN", operand="A", thread=5)',
    lesson="tensor_core",
)
def a24() -> Finding:
    layout, tile = mma_atom("SM80_16x8x8_F32F16F16F32_TN").operand("A")
    held = [idx2crd(layout(5, value), tile) for value in range(4)]
    tile_map = PitchLinearStripminedThreadMap(PitchLinearShape(8, 16), 32, 1)
    fetched = [(strided, contiguous) for contiguous, strided in tile_map.accesses()[5].tolist()]
    return found("true" if held == fetched else "false", held=held, fetched=fetched)


@claim(
    "A25",
    "MmaTensorOp, in cutlass/gemm/warp/mma_tensor_op.h, loads A and B through iterators that are built on a thread map.",
    "The file and the class exist, with IteratorA and FragmentA, but the word ThreadMap stands {times} times in it: these iterators read "
    "shared memory, mostly with ldmatrix (those for FP64 load without it). Thread maps serve the copies from global to shared memory.",
    source="include/cutlass/gemm/warp/mma_tensor_op.h, CUTLASS 4.7.0",
    lesson="tensor_core",
)
def a25() -> Finding:
    return found("false", times=0)


@claim(
    "A26",
    "PredicatedTileIterator asks the map where a thread starts, and goes on from there by fixed steps.",
    "Yes: initial_offset(t) + (c * {contiguous}, s * {strided}), the two numbers being Delta. All {count} accesses of the "
    "128 threads of <32,64>, 128, 4 are of this form.",
    picture='explore.thread_map("PitchLinearStripminedThreadMap<PitchLinearShape<32,64>, 128, 4>", access=1)',
    source="include/cutlass/transform/threadblock/predicated_tile_access_iterator.h, CUTLASS 4.7.0",
    lesson="thread_map",
)
def a26() -> Finding:
    real = PitchLinearStripminedThreadMap(PitchLinearShape(32, 64), 128, 4)
    delta, (across, down) = real.delta, real.iterations
    steps = np.array([(c * delta.contiguous, s * delta.strided) for s in range(down) for c in range(across)])
    fits = (real.accesses() == real.initial_offsets()[:, None] + steps).all()
    return found(
        "true" if fits else "false", contiguous=delta.contiguous, strided=delta.strided, count=len(steps) * real.threads
    )


@claim(
    "A27",
    "There are relatives of it: PitchLinearThreadMap, TensorOpThreadMap, and CrosswiseThreadMap for the channels of a convolution.",
    "No class has one of the three names. The header has {count}, among them {some}. Crosswise is the name of a layout in shared memory, not of a thread map.",
    source=MAPS,
    lesson="thread_map",
)
def a27() -> Finding:
    said = {"PitchLinearThreadMap", "TensorOpThreadMap", "CrosswiseThreadMap"}
    some = ", ".join(name for name in THREAD_MAPS if "Warp" in name)
    return found("true" if said & set(THREAD_MAPS) else "false", count=len(THREAD_MAPS), some=some)


@claim(
    "A28",
    "For many GEMMs the strip-mined map is the default, above all to load A.",
    "Where A and B go to Tensor Cores by mma instructions, the copies use PitchLinearWarpRakedThreadMap ({raked} places) or "
    "PitchLinearWarpStripedThreadMap ({striped}). The strip-mined map ({stripmined} places) serves A and B of plain arithmetic (SIMT) and of "
    "the older WMMA interface to Tensor Cores, sparse metadata, and depthwise convolution.",
    source="include/cutlass/gemm/threadblock/default_mma_core_*.h and include/cutlass, CUTLASS 4.7.0",
    lesson="thread_map",
)
def a28() -> Finding:
    return found("false", raked=60, striped=8, stripmined=44)


@claim(
    "A29",
    "One thread can serve several strips, so a block is not limited to as many elements as it has threads.",
    "Yes, in the real class, by Iterations: <16,8>, 32, 1 has {times} accesses a thread, and its 32 threads touch {covered} elements, "
    "each once. (The formula gives one offset for each thread.)",
    picture='explore.thread_map("PitchLinearStripminedThreadMap<PitchLinearShape<16,8>, 32, 1>", element="float32")',
    lesson="thread_map",
)
def a29() -> Finding:
    real = PitchLinearStripminedThreadMap(PitchLinearShape(16, 8), 32, 1)
    times, cover = real.accesses_per_thread, real.coverage()
    return found("true" if times > 1 and cover.exact else "false", times=times, covered=cover.covered)


@claim(
    "A30",
    "All of a thread map is known at compile time, so it costs nothing at run time.",
    "Iterations {iterations} and Delta {delta} are constants of the type. Where a thread starts is not: 32 threads have {starts} "
    "starts, so each computes its own from its number, once, in integers.",
    source=MAPS,
    lesson="thread_map",
)
def a30() -> Finding:
    real = PitchLinearStripminedThreadMap(PitchLinearShape(16, 8), 32, 1)
    starts = len({tuple(real.initial_offset(t)) for t in range(32)})
    iterations, delta = tuple(real.iterations), tuple(real.delta)
    return found("half" if starts > 1 else "true", iterations=iterations, delta=delta, starts=starts)


@claim(
    "A31",
    "A small host program, for 64 threads with row pitch 16, Pitch 8 and Strips 4, prints 64 lines: a thread and its offset.",
    "Yes, {lines} lines: {begin} begin the strips. (The formula's C++ is under Copy as in the explorer.)",
    picture="explore.strips(threads=64, pitch=8, strips=4)",
    lesson="strips",
)
def a31() -> Finding:
    offset = StripThreadMap(row_pitch=16, threads=64, pitch=8, strips=4).offsets()
    lines = [f"{t} -> {o}" for t, o in enumerate(offset)]
    return found("true" if len(lines) == 64 else "false", lines=len(lines), begin=offset[::8].tolist())


@claim(
    "A32",
    "CUTLASS's sample GEMMs stand in its folder tools.",
    "They stand in examples/. The folder tools/ holds {tools}.",
    source="tools/ and examples/, CUTLASS 4.7.0",
)
def a32() -> Finding:
    return found("false", tools="library, profiler and util")


CLAIMS: tuple[Claim, ...] = (
    *(a01, a02, a03, a04, a05, a06, a07, a08, a09, a10, a11, a12, a13, a14, a15, a16),
    *(a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32),
)
"""In the order in which they are asked."""
