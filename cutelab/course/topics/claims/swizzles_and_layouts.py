"""C01 to C44: what is said of printed layouts, swizzles, padding and CuTe's interfaces, and what the library finds."""

from __future__ import annotations

from math import gcd

import numpy as np

from cutelab.algebra import composition, layout_of
from cutelab.core import (
    CuteLabError,
    Layout,
    LayoutRight,
    Swizzle,
    cosize,
    offsets,
    print_layout,
    rank,
    size,
)
from cutelab.course.topics.claims.claim import Claim, Finding, Verdict, claim, found
from cutelab.cutlass import (
    REGISTERED,
    find_swizzle,
    fragment_like,
    local_partition,
    matrix_layout,
    mma_atom,
    owners,
    registers,
    visualize_layout,
)
from cutelab.cutlass.reading import read
from cutelab.hardware import H200, Address, WarpAccess, sectors, wavefronts


@claim(
    "C01",
    "CUTLASS's example 03_visualize_layout is a CuTe program.",
    "It is as old as CUTLASS {example}, and CuTe came with {cute}. It includes {includes} files of CuTe and knows {registered} layouts of "
    "cutlass::layout by name.",
    source="examples/03_visualize_layout, CUTLASS 4.7.0; tags v2.0.0 and v3.0.0",
    lesson="08",
)
def c01() -> Finding:
    example, cute = "2.0.0", "3.0.0"  # the first version that holds them
    includes = 0  # lines of the example that include cute/...
    verdict: Verdict = "true" if includes and example >= cute else "false"
    return found(verdict, example=example, cute=cute, includes=includes, registered=len(REGISTERED))


@claim(
    "C02",
    "CUTLASS's example 03_visualize_layout prints, for each row and column of a matrix, the offset of the element.",
    "It prints the inverse: for one offset after the other the coordinate stored there. For a 4 x 2 RowMajor matrix it begins {first}; "
    "where rows of 4 are padded to 5, it prints {row} and leaves the padding blank.",
    picture='explore.layout("(4,2):(2,1)")',
    source="examples/03_visualize_layout/visualize_layout.h, CUTLASS 4.7.0",
    lesson="08",
)
def c02() -> Finding:
    first = visualize_layout("RowMajor", (4, 2), output_shape=(2, 4)).splitlines()[0]
    row = visualize_layout("RowMajor", (4, 4), (5,), output_shape=(5, 4)).splitlines()[0]
    return found("true" if first == "0|1" else "false", first=first, row=row)


@claim(
    "C03",
    "The source of CUTLASS's example 03_visualize_layout is 03_visualize_layout.cu, and its helper print_layout_matrix does the printing.",
    "No file has that name and no function that one: the files are {files}.",
    source="examples/03_visualize_layout, CUTLASS 4.7.0",
)
def c03() -> Finding:
    files = ["options.h", "register_layout.cu", "register_layout.h", "visualize_layout.cpp", "visualize_layout.h"]
    return found("true" if "03_visualize_layout.cu" in files else "false", files=", ".join(files))


@claim(
    "C04",
    "CUTLASS's example 03_visualize_layout computes everything on the host: it launches no kernel.",
    "Right: it holds {kernels} kernels and {launches} launches. It ends with {last}, and runs on a machine without a GPU.",
    source="examples/03_visualize_layout, CUTLASS 4.7.0",
)
def c04() -> Finding:
    kernels, launches = 0, 0  # __global__ and <<< in the example's files
    return found("false" if kernels or launches else "true", kernels=kernels, launches=launches, last="cudaFree(0)")


@claim(
    "C05",
    "CUTLASS's numbered examples run from 01 into the fifties: 01 and 02 introduce GEMM, 05 is a GEMM with CuTe, 07 and 08 use tile schedulers.",
    "They run from {first} to {last}: {names}. CuTe's tutorials are in examples/cute/tutorial.",
    source="examples/, CUTLASS 4.7.0",
)
def c05() -> Finding:
    names = "00_basic_gemm 01_cutlass_utilities 02_dump_reg_shmem 03_visualize_layout 04_tile_iterator 05_batched_gemm"
    names += " 07_volta_tensorop_gemm 08_turing_tensorop_gemm 113_hopper_gemm_activation_fusion"
    first, *_, last = (int(name.partition("_")[0]) for name in names.split())
    verdict: Verdict = "true" if first == 1 and 50 <= last < 60 else "false"
    return found(verdict, first=f"{first:02d}", last=last, names=", ".join(names.split()))


@claim(
    "C06",
    "In a layout (M,N):(d0,d1) with two plain modes, element (r, c) has the offset r*d0 + c*d1.",
    "It holds at all {checked} coordinates of {layouts} layouts, one for each pair of strides from 0 to {most}.",
    picture='explore.layout("(4,2):(2,1)", row=3, column=1)',
    lesson="02",
)
def c06() -> Finding:
    r, c = np.indices((4, 3))
    strides = [(d0, d1) for d0 in range(13) for d1 in range(13)]
    holds = [(offsets(Layout((4, 3), (d0, d1))) == r * d0 + c * d1).all() for d0, d1 in strides]
    return found("true" if all(holds) else "false", checked=len(strides) * r.size, layouts=len(strides), most=12)


@claim(
    "C07",
    "Layout<Shape<_4,_2>, Stride<_2,_1>> is a row-major 4 x 2 matrix, and its element (3,1) has the offset 7.",
    "Its rows are {rows}; (3,1) has the offset {last}.",
    picture='explore.layout("(4,2):(2,1)", row=3, column=1)',
    lesson="02",
)
def c07() -> Finding:
    L = read("Layout<Shape<_4,_2>, Stride<_2,_1>>")
    row_major = offsets(L).tolist() == np.arange(8).reshape(4, 2).tolist()
    return found("true" if row_major and L(3, 1) == 7 else "false", rows=offsets(L).tolist(), last=L(3, 1))


@claim(
    "C08",
    "In the row-major layout (4,2):(2,1), 2 elements of memory are skipped between the end of a row and the next row.",
    "The row stride is {stride}, but row 0 ends at offset {end} and row 1 begins at {begin}, a step of {step}: {skipped} elements are skipped.",
    picture='explore.layout("(4,2):(2,1)", row=1, column=0)',
    lesson="02",
)
def c08() -> Finding:
    L = Layout((4, 2), (2, 1))
    stride, end, begin = L(1, 0) - L(0, 0), L(0, 1), L(1, 0)
    figures = {"stride": stride, "end": end, "begin": begin, "step": begin - end}
    return found("true" if begin - end - 1 == 2 else "false", **figures, skipped=begin - end - 1)


@claim(
    "C09",
    "_4 is CuTe's name for Int<4>, a number known at compile time; with such numbers the compiler can work out offsets.",
    "With L = {layout}, static_assert(L(3,1) == {offset}) compiles. Runtime numbers work too: {runtime} gives {later} there, when the kernel runs.",
    picture='explore.layout("(4,2):(2,1)", row=3, column=1)',
    source="include/cute/numeric/integral_constant.hpp, CUTLASS 4.7.0, compiled with g++ 12.2",
    lesson="02",
)
def c09() -> Finding:
    L, runtime = read("Layout<Shape<Int<4>,_2>, Stride<_2,_1>>"), Layout((4, 2), (2, 1))
    true = str(L) == "(_4,_2):(_2,_1)" and L(3, 1) == 7  # Int<4> is _4
    return found("true" if true else "false", layout=L, offset=L(3, 1), runtime=runtime, later=runtime(3, 1))


@claim(
    "C10",
    "The numbers that print_layout prints are byte offsets.",
    "They count elements. The last number printed of (4,2):(2,1), {element}, is byte {float32} for 4-byte float and byte {half} for 2-byte half: multiply by sizeof(T).",
    picture='explore.layout("(4,2):(2,1)", row=3, column=1)',
    lesson="02",
)
def c10() -> Finding:
    printed = max(int(n) for n in print_layout(Layout((4, 2), (2, 1))).splitlines()[-2].split("|")[1:-1])
    float32, half = (int(Address(printed, item).byte) for item in (4, 2))
    return found("true" if printed == float32 == half else "false", element=printed, float32=float32, half=half)


@claim(
    "C11",
    "For the static row-major 4 x 2 layout, Layout<Shape<_4,_2>, Stride<_2,_1>>, print_layout begins with the line (4,2):(_2,_1).",
    "It begins with {static}. {mixed} is printed for a runtime shape with static strides, {runtime} when all are runtime numbers.",
    source="include/cute/util/print_tensor.hpp, CUTLASS 4.7.0, compiled with g++ 12.2",
    lesson="02",
)
def c11() -> Finding:
    texts = ("Layout<Shape<_4,_2>, Stride<_2,_1>>", "(4,2):(_2,_1)", "(4,2):(2,1)")
    static, mixed, runtime = (print_layout(read(text)).splitlines()[0] for text in texts)
    return found("true" if static == "(4,2):(_2,_1)" else "false", static=static, mixed=mixed, runtime=runtime)


@claim(
    "C12",
    "(4,2,2):(_8,_2,_1) is read mode by mode: extent 4 with stride 8, extent 2 with stride 2, extent 2 with stride 1.",
    "Offset = 8*i + 2*j + k at all {size} coordinates. It is not compact, its cosize is {cosize}, and with rank {rank} cute::print_layout, "
    "which takes rank 2 only, does not accept it.",
    picture='explore.layout("(4,2,2):(8,2,1)")',
    lesson="02",
)
def c12() -> Finding:
    L = Layout("(4,2,2):(_8,_2,_1)")
    i, j, k = np.indices((4, 2, 2))
    true = bool((offsets(L) == i * 8 + j * 2 + k * 1).all())
    return found("true" if true else "false", size=size(L), cosize=cosize(L), rank=rank(L))


@claim(
    "C13",
    "In the table that print_layout prints, a row is one coordinate of mode 0 and a column one coordinate of mode 1.",
    "The rows of {layout} are printed as {printed}: row m, column n shows the offset of (m, n).",
    picture='explore.layout("(4,2):(1,4)")',
    lesson="02",
)
def c13() -> Finding:
    L = Layout((4, 2), (1, 4))
    lines = [line for line in print_layout(L).splitlines() if "|" in line]
    printed = [[int(n) for n in line.split("|")[1:-1]] for line in lines]
    true = printed == [[L(m, n) for n in range(2)] for m in range(4)]
    return found("true" if true else "false", layout=L, printed=printed)


@claim(
    "C14",
    "The column-major 4 x 2 layout has the rows 0 4 / 1 5 / 2 6 / 3 7.",
    "{layout} has the rows {rows}.",
    picture='explore.layout("(4,2):(1,4)")',
    lesson="02",
)
def c14() -> Finding:
    L = read("make_layout(make_shape(4, 2), make_stride(1, 4))")
    rows = offsets(L).tolist()
    return found("true" if rows == [[0, 4], [1, 5], [2, 6], [3, 7]] else "false", layout=L, rows=rows)


@claim(
    "C15",
    "In a column-major 4 x 2 matrix, two neighbours in a row lie 4 apart, because 4 is the number of columns.",
    "They lie {step} apart, which is the number of rows, {rows}; there are {columns} columns.",
    picture='explore.layout("(4,2):(1,4)", row=0, column=1)',
    lesson="02",
)
def c15() -> Finding:
    L = Layout((4, 2))  # column-major
    rows, columns = offsets(L).shape
    step = L(0, 1) - L(0, 0)
    return found("true" if step == columns == 4 else "false", step=step, rows=rows, columns=columns)


@claim(
    "C16",
    "32 threads read 32 neighbouring columns of one row of float32. In row-major memory that coalesces; in column-major memory with "
    "4 rows it is scattered.",
    "Row-major takes {row} sectors, the least there is; column-major, with a stride of {stride} elements, {column}, of whose bytes {used} % are used.",
    picture="explore.coalescing(stride=4)",
    lesson="03",
)
def c16() -> Finding:
    row_major, column_major = Layout((4, 32), (32, 1)), Layout((4, 32), (1, 4))
    row, column = (sectors(WarpAccess(4 * offsets(L)[0], 4)) for L in (row_major, column_major))
    true = row.count == row.ideal and column.count > column.ideal
    figures = {"row": row.count, "column": column.count, "stride": column_major(0, 1)}
    return found("true" if true else "false", **figures, used=round(100 * float(column.efficiency)))


@claim(
    "C17",
    "Whether a warp reads along the rows of a row-major or of a column-major matrix makes a difference of tens of times in what memory moves.",
    "It depends on the element. In the worst case each of 32 lanes needs a sector of its own; so many times "
    "the least, by the size of an element: {times}. How long it takes was not measured.",
    picture="explore.coalescing(stride=1024)",
    lesson="03",
)
def c17() -> Finding:
    lanes, pitch = np.arange(32), 1024
    far = {item: sectors(WarpAccess(lanes * pitch * item, item)) for item in (16, 8, 4, 2, 1)}
    times = {item: int(access.count) // int(access.ideal) for item, access in far.items()}
    tens = [n >= 10 for n in times.values()]
    listed = ", ".join(f"{item}-byte {n}x" for item, n in times.items())
    return found("true" if all(tens) else "half" if any(tens) else "false", times=listed)


@claim(
    "C18",
    "CUTLASS's ColumnMajorInterleaved<2> interleaves the data of two attention heads; it is a layout with three modes: row, column, head.",
    "It has rank {rank}, and interleaves neighbouring columns: offset = (c/2)*ld + 2*r + c%2. 4 x 4 is {rows}, in CuTe {cute}; 4 x 2 is {small}, "
    "the same as RowMajor. CUTLASS uses <{used[0]}> and <{used[1]}> for int8 and int4 GEMM on Tensor Cores, <{used[2]}> in shared memory for dp4a, "
    "and <{used[3]}> for the metadata of sparse GEMM.",
    picture='explore.layout("(4,(2,2)):(2,(1,8))")',
    source="include/cutlass/layout/matrix.h, include/cutlass/gemm, test/unit/gemm/device, CUTLASS 4.7.0",
    lesson="08",
)
def c18() -> Finding:
    small, L = (matrix_layout("ColumnMajorInterleaved<2>", (4, n)).offsets for n in (2, 4))
    r, c = np.indices((4, 4))
    columns = np.array_equal(L, c // 2 * 8 + 2 * r + c % 2)  # (row, column) gives the offset: no third mode
    true = L.ndim == 3 and not columns
    figures = {"rank": L.ndim, "rows": L.tolist(), "cute": layout_of(L), "small": small.tolist()}
    return found("true" if true else "false", **figures, used=(32, 64, 4, 2))


@claim(
    "C19",
    "ColumnMajorInterleaved<2> is one of the layouts that CUTLASS's example 03_visualize_layout can show.",
    "Of its {names} names the interleaved ones are {known}. For <2> it answers that the layout is not supported, and exits with {code}.",
    source="examples/03_visualize_layout/register_layout.cu, CUTLASS 4.7.0",
    lesson="08",
)
def c19() -> Finding:
    known = [name for name in REGISTERED if "Interleaved" in name]
    code = -1 % 256  # main returns -1
    true = "ColumnMajorInterleaved<2>" in REGISTERED
    return found("true" if true else "false", names=len(REGISTERED), known=" and ".join(known), code=code)


@claim(
    "C20",
    "Two 4 x 2 heads share memory: head 0 has the even offsets, head 1 the odd ones, and the rows of a column lie 2 apart, so that (0,0), (1,0), "
    "(2,0) of head 0 are at 0, 2, 4. The pairs (head 0, head 1) of the two columns are then (0,1) (2,3) / (4,5) (6,7) / (8,9) (10,11).",
    "The dense layout of that kind is {layout}, and its {rows} rows are {pairs}. The other table has {said_rows} rows and {said_size} of the {size} offsets, and puts (1,0) "
    "at {said10} instead of {right10}.",
    picture='explore.layout("(4,2,2):(2,8,1)")',
    lesson="02",
)
def c20() -> Finding:
    L = Layout("(4,2,2):(2,8,1)")  # row, column, head
    said = np.arange(12).reshape(3, 2, 2)
    figures = {"layout": L, "rows": 4, "size": size(L), "said_rows": len(said), "said_size": said.size}
    figures |= {"said10": said[1, 0, 0], "right10": L(1, 0, 0)}
    pairs = " / ".join(" ".join(f"({a},{b})" for a, b in row) for row in offsets(L).tolist())
    return found("true" if offsets(L).tolist() == said.tolist() else "false", **figures, pairs=pairs)


@claim(
    "C21",
    "Element (row, col) of an 8 x 8 tile is stored at row*8 + (col ^ row). Row 1 then has the offsets 8 9 10 11 12 13 14 15.",
    "Row 1 is {row}. The rule is {swizzle} on (8,8):(8,1).",
    picture='explore.swizzle("Sw<3,0,3>", layout="(8,8):(8,1)", row=1, column=0)',
    lesson="05",
)
def c21() -> Finding:
    row, col = np.indices((8, 8))
    tile = row * 8 + (col ^ row)
    swizzle = find_swizzle(row * 8 + col, tile)
    return found("true" if tile[1].tolist() == list(range(8, 16)) else "false", row=tile[1].tolist(), swizzle=swizzle)


@claim(
    "C22",
    "Element (row, col) of an 8 x 8 tile is stored at row*8 + (col ^ row). Row 2 then has the offsets 16 19 18 17 20 23 22 21.",
    "Row 2 is {row}. The other numbers are 16 + {other}(col): bit 0 XORed into bit 1.",
    picture='explore.swizzle("Sw<3,0,3>", layout="(8,8):(8,1)", row=2, column=0)',
    lesson="05",
)
def c22() -> Finding:
    row, col = np.indices((8, 8))
    tile, said = row * 8 + (col ^ row), [16, 19, 18, 17, 20, 23, 22, 21]
    other = Swizzle(1, 0, -1)
    assert (16 + other(np.arange(8))).tolist() == said
    return found("true" if tile[2].tolist() == said else "false", row=tile[2].tolist(), other=other)


@claim(
    "C23",
    "Element (row, col) of an 8 x 8 tile is stored at row*8 + (col ^ row). Then (2,0) is at 18 and (2,1) at 19.",
    "(2,0) is at {first} and (2,1) at {second}: 2 ^ 0 = 2, and 2 ^ 1 = 3.",
    picture='explore.swizzle("Sw<3,0,3>", layout="(8,8):(8,1)", row=2, column=0)',
    lesson="05",
)
def c23() -> Finding:
    tile = composition(Swizzle(3, 0, 3), Layout((8, 8), (8, 1)))
    first, second = tile(2, 0), tile(2, 1)
    return found("true" if (first, second) == (18, 19) else "false", first=first, second=second)


@claim(
    "C24",
    "32 lanes read one column of row-major float32 rows of 8, a row each. All meet in one bank, so the read runs at 1/32 of the speed.",
    "They meet in {banks} banks, {first} for column 0: {ways}-way, 1/{ways} of the speed. An 8 x 8 tile has only 8 rows: {few}-way. "
    "32-way needs a row stride that is a multiple of {needs} words.",
    picture='explore.banks("(32,8):(8,1)", read="column", index=0)',
    lesson="04",
)
def c24() -> Finding:
    column = 8 * np.arange(32)
    banks = np.unique(Address(column, 4).bank).tolist()
    ways, few = (wavefronts(WarpAccess(4 * np.resize(column[:n], 32), 4)).count for n in (32, 8))
    worst = [d for d in range(1, 129) if wavefronts(WarpAccess(4 * d * np.arange(32), 4)).count == 32]
    verdict: Verdict = "true" if len(banks) == 1 else "false"
    return found(verdict, banks=len(banks), first=banks, ways=ways, few=few, needs=gcd(*worst))


@claim(
    "C25",
    "An XOR swizzle such as Swizzle<3,0,3> turns a column read with bank conflicts into one without.",
    "It must fit the tile. With Sw<3,0,3> a column of 8 x 8 goes from {before[0]} wavefronts to {after[0]}, but one of 32 x 8 from {before[1]} to {after[1]}, and "
    "of 32 x 32 from {before[2]} to {after[2]}; Sw<3,0,5> gives {fits8} for 32 x 8 and Sw<5,0,5> {fits32} for 32 x 32 (float32, one a lane).",
    picture='explore.swizzle("Sw<3,0,3>", layout="(32,8):(8,1)")',
    lesson="05",
)
def c25() -> Finding:
    tiles = [Layout((8, 8), (8, 1)), Layout((32, 8), (8, 1)), Layout((32, 32), (32, 1))]
    columns = [np.resize(offsets(tile)[:, 0], 32) for tile in tiles]  # 8 rows: 8 lanes, read four times over
    before = [wavefronts(WarpAccess(4 * column, 4)).count for column in columns]
    after = [wavefronts(WarpAccess(4 * Swizzle(3, 0, 3)(column), 4)).count for column in columns]
    fits8 = wavefronts(WarpAccess(4 * Swizzle(3, 0, 5)(columns[1]), 4)).count
    fits32 = wavefronts(WarpAccess(4 * Swizzle(5, 0, 5)(columns[2]), 4)).count
    free = [n == 1 for n in after]
    verdict: Verdict = "true" if all(free) else "half" if any(free) else "false"
    return found(verdict, before=before, after=after, fits8=fits8, fits32=fits32)


@claim(
    "C26",
    "In Swizzle<B,M,S>, B says how many bits are XORed, M how many of the lowest bits stay as they are, and S how far apart the two groups of bits lie.",
    "Swizzle(x) = x ^ ((x & Y) >> S) with Y = (2^B - 1) << (M + S), at all {checked} offsets of {swizzles} swizzles; with S < 0 the XOR goes the "
    "other way. CuTe refuses B < 0, M < 0 and |S| < B, as in {refused}.",
    picture='explore.swizzle("Sw<3,0,3>", layout="(8,8):(8,1)")',
    source="include/cute/swizzle.hpp, CUTLASS 4.7.0",
    lesson="05",
)
def c26() -> Finding:
    x = np.arange(2**10)
    several = [(B, M, S) for B in range(4) for M in range(4) for S in range(B, 5)]
    right = [(Swizzle(B, M, S)(x) == x ^ ((x >> M + S) % 2**B << M)).all() for B, M, S in several]
    left = [(Swizzle(B, M, -S)(x) == x ^ ((x >> M) % 2**B << M + S)).all() for B, M, S in several]
    refused = [f"<{B},{M},{S}>" for B, M, S in ((3, 0, 2), (-1, 0, 3), (3, -1, 3)) if refuses(B, M, S)]
    true = all(right) and all(left) and len(refused) == 3
    return found("true" if true else "false", checked=x.size, swizzles=2 * len(several), refused=", ".join(refused))


def refuses(B: int, M: int, S: int) -> bool:
    """Is there no such swizzle?"""
    try:
        Swizzle(B, M, S)
    except CuteLabError:
        return True
    return False


@claim(
    "C27",
    "Padding the rows of a float32 tile from N to N + 1 elements takes the bank conflicts out of a column read.",
    "A column of 32 rows is gcd(stride, 32)-way, so from an even N it works ({helps}), and from an odd N it makes conflicts ({hurts}).",
    picture='explore.banks("(32,31):(32,1)", read="column", index=0)',
    lesson="04",
)
def c27() -> Finding:
    ways = [int(wavefronts(WarpAccess(4 * N * np.arange(32), 4)).count) for N in range(130)]  # row stride N
    assert all(ways[N] == gcd(N, 32) for N in range(1, 130))
    frees = all(ways[N + 1] == 1 < ways[N] for N in range(2, 129, 2))
    harms = any(ways[N + 1] > ways[N] for N in range(1, 129))
    said = {N: f"{N} -> {N + 1}: {ways[N]} -> {ways[N + 1]}" for N in (8, 16, 32, 7, 31, 63)}
    helps, hurts = (", ".join(text for N, text in said.items() if odd == N % 2) for odd in (0, 1))
    verdict: Verdict = "half" if frees and harms else "true" if frees else "false"
    return found(verdict, helps=helps, hurts=hurts)


@claim(
    "C28",
    "To check a column read of float32 by hand, take the offsets of its elements modulo 32: where a remainder occurs often, lanes will wait for each other.",
    "The most frequent remainder occurs as often as there are wavefronts, for all {pitches} row strides tried. With other element sizes take the "
    "byte address / {word} modulo {banks}.",
    picture='explore.banks("(32,8):(8,1)", read="column", index=0)',
    lesson="04",
)
def c28() -> Finding:
    columns = np.arange(32) * np.arange(1, 129)[:, None]  # one row stride a line
    most = [np.bincount(column % 32).max() for column in columns]
    true = np.array_equal(most, np.asarray(wavefronts(WarpAccess(4 * columns, 4)).count))
    return found("true" if true else "false", pitches=len(columns), word=H200.word_bytes, banks=H200.banks)


@claim(
    "C29",
    "If two lanes read different words of the same bank, and all others have a bank to themselves, the read takes twice as many accesses.",
    "It takes {conflict} wavefronts instead of {free}. Had the two lanes read one and the same word, it would be {shared}.",
    picture='explore.banks("(32,32):(32,1)", read="own", lane_row="t // 31", lane_col="t % 31")',
    lesson="04",
)
def c29() -> Finding:
    lanes = np.arange(32)
    other, same = lanes + lanes // 31, lanes % 31  # lane 31 comes to the bank of lane 0: to word 32, or to word 0
    free, conflict, shared = (wavefronts(WarpAccess(4 * words, 4)).count for words in (lanes, other, same))
    return found("true" if conflict == 2 * free else "false", free=free, conflict=conflict, shared=shared)


@claim(
    "C30",
    "CUTLASS 3.x is built on cute::make_layout, composition and LogicalToPhysical.",
    "How many headers of CUTLASS 4.7.0 hold the name: {files}. There is no {missing}, nor was there in 3.0 to 3.9.",
    source="include/, CUTLASS 4.7.0; tags v3.0.0 to v3.9.2",
    lesson="06",
)
def c30() -> Finding:
    files = {"make_layout": 102, "composition": 26, "LogicalToPhysical": 0}
    missing = [name for name, n in files.items() if not n]
    verdict: Verdict = "half" if 0 < len(missing) < 3 else "false" if missing else "true"
    return found(verdict, files=", ".join(f"{name} {n}" for name, n in files.items()), missing=" or ".join(missing))


@claim(
    "C31",
    "local_partition(sA, thread_layout, tid) gives a thread its register fragment of the tile sA.",
    "It is a view of the same memory: for a row-major 8 x 8 tile, threads (2,4) and tid 5 it is {view} from offset {start}. Registers are {registers}, "
    "made by make_fragment_like or make_tensor_like.",
    picture='explore.layout("(4,2):(16,4)")',
    source="include/cute/tensor_impl.hpp, CUTLASS 4.7.0, compiled with g++ 12.2",
    lesson="10",
)
def c31() -> Finding:
    view, start = local_partition(Layout((8, 8), (8, 1)), Layout((2, 4)), 5)
    fragment = fragment_like(view)  # compact, from 0 on
    return found("true" if view == fragment and not start else "false", view=view, start=start, registers=fragment)


@claim(
    "C32",
    "A Tensor Core instruction wants particular (row, column) elements in each thread, and CuTe writes down which ones as layouts.",
    "They are ALayout, BLayout and CLayout of MMA_Traits, (thread, value) to element. Of {atom}, T0 holds {A} of A; each element of C has {owners} owner.",
    picture='explore.tensor_core("SM80_16x8x16_F32F16F16F32_TN", operand="A", thread=0)',
    source="include/cute/atom/mma_traits_sm80.hpp, CUTLASS 4.7.0",
    lesson="10",
)
def c32() -> Finding:
    atom = mma_atom("SM80_16x8x16_F32F16F16F32_TN")
    A = [tuple(element) for element in registers(atom.a, (16, 16), 0).tolist()]
    counts = [owners(L, tile).count for L, tile in ((atom.a, (16, 16)), (atom.b, (8, 16)), (atom.c, (16, 8)))]
    true = all((count == 1).all() for count in counts)  # each element of A, B and C in one thread
    return found("true" if true else "false", atom=atom.name, A=A, owners=counts[2].max())


@claim(
    "C33",
    "make 03_visualize_layout builds CUTLASS's example of that name; starting build/examples/03_visualize_layout/03_visualize_layout then prints a layout.",
    "The target and the program are called so, but {given}. It wants a layout's name, as in 03_visualize_layout RowMajor --extent=16,16.",
    source="examples/03_visualize_layout/CMakeLists.txt and visualize_layout.cpp, CUTLASS 4.7.0",
)
def c33() -> Finding:
    target, prints = True, False  # cutlass_example_add_executable(03_visualize_layout ...); argc == 1: print_usage
    verdict: Verdict = "true" if target and prints else "half" if target or prints else "false"
    return found(verdict, given="a layout is printed" if prints else "without arguments it prints only its usage")


@claim(
    "C34",
    "CUTLASS 3.x needs CUDA 11.8 or newer; GCC 11 or newer is advised.",
    "CUDA {required} is required, and {advised} strongly recommended. A GCC below {old} stops the build of 3.0 to 3.4, one below {gcc} that of 3.5 to 4.7.0; "
    "GCC {tested} are the tested ones.",
    source="CMakeLists.txt of CUTLASS 3.0.0 to 4.7.0, README.md of 4.7.0",
)
def c34() -> Finding:
    required, advised, old, gcc = 11.4, 11.8, 7.5, 7.3  # of CUDA; of GCC
    tested = ", ".join(("7.5", "10.3", "11.2"))
    verdict: Verdict = "true" if required >= 11.8 else "false"
    return found(verdict, required=required, advised=advised, old=old, gcc=gcc, tested=tested)


@claim(
    "C35",
    "Shape<_8,_4> with Stride<_4,_1> is row-major: the row stride is the number of columns times the column stride.",
    "{layout} begins {first} / {second}: row stride {row} = {columns} columns * column stride {column}.",
    picture='explore.layout("(8,4):(4,1)")',
    lesson="02",
)
def c35() -> Finding:
    L = Layout((8, 4), (4, 1))
    row, column, columns = L(1, 0), L(0, 1), 4
    true = row == columns * column and LayoutRight((8, 4)) == L
    first, second = offsets(L)[:2].tolist()
    figures = {"layout": L, "first": first, "second": second, "row": row, "column": column}
    return found("true" if true else "false", **figures, columns=columns)


@claim(
    "C36",
    "make_layout(8, 4) makes an 8 x 4 layout with runtime sizes, and prints the same table as the compile-time one.",
    "make_layout(shape, stride): it is {made}, {size} elements with stride {step}. make_layout(make_shape(8,4)) is {column}, column-major; "
    "row-major needs LayoutRight, {row}.",
    picture='explore.layout("8:4")',
    source="include/cute/layout.hpp, CUTLASS 4.7.0, compiled with g++ 12.2",
    lesson="02",
)
def c36() -> Finding:
    made, column = read("make_layout(8, 4)"), read("make_layout(make_shape(8, 4))")
    row = read("make_layout(make_shape(8, 4), LayoutRight{})")
    true = offsets(made).shape == (8, 4)
    return found("true" if true else "false", made=made, size=size(made), step=made(1), column=column, row=row)


@claim(
    "C37",
    "The compiler refuses Stride<2>{}; to have a static stride of 2, write Stride<_2>{}.",
    "Stride's parameters are types, and {no} is a value. {yes} compile.",
    source="include/cute/layout.hpp, CUTLASS 4.7.0, compiled with g++ 12.2",
    lesson="02",
)
def c37() -> Finding:
    # as g++ 12.2 takes it, with the headers of CUTLASS 4.7.0
    compiles = {"Stride<2>{}": False, "Stride<_2>{}": True, "Stride<int>{2}": True}
    yes = [code for code, good in compiles.items() if good]
    true = "Stride<2>{}" not in yes and "Stride<_2>{}" in yes
    return found("true" if true else "false", no=2, yes=" and ".join(yes))


@claim(
    "C38",
    "Layout<int,int> is a valid type for strides that are known only at run time, and the one to use for a matrix.",
    "It is valid, but Layout<int,int>{{8,4}} is {made}, of rank {rank}. A matrix is make_layout(make_shape(8,4), make_stride(4,1)), {matrix}, of rank {wanted}.",
    picture='explore.layout("8:4")',
    source="include/cute/layout.hpp, CUTLASS 4.7.0, compiled with g++ 12.2",
    lesson="02",
)
def c38() -> Finding:
    made = Layout(8, 4)  # Layout<int,int>{8,4}: one shape, one stride
    matrix = read("make_layout(make_shape(8,4), make_stride(4,1))")
    valid, fits = made(3) == 12, rank(made) == rank(matrix)
    verdict: Verdict = "true" if valid and fits else "half" if valid else "false"
    return found(verdict, made=made, rank=rank(made), matrix=matrix, wanted=rank(matrix))


@claim(
    "C39",
    "layout({row, col}) compiles in most cases, and gives what layout(row, col) gives.",
    "It does not compile: from braces no type of a coordinate can be deduced. layout(row, col) and layout(make_coord(row, col)) do; "
    "(1,1) of {layout} is at {offset}.",
    picture='explore.layout("(4,2):(1,4)", row=1, column=1)',
    source="include/cute/layout.hpp, CUTLASS 4.7.0, compiled with g++ 12.2",
    lesson="02",
)
def c39() -> Finding:
    L = Layout((4, 2), (1, 4))
    # as g++ 12.2 takes it, with the headers of CUTLASS 4.7.0
    compiles = {"L({1, 1})": False, "L(1, 1)": L(1, 1) == 5, "L(make_coord(1, 1))": L((1, 1)) == 5}
    return found("true" if compiles["L({1, 1})"] else "false", layout=L, offset=L(1, 1))


@claim(
    "C40",
    "A CuTe layout can be called with a Tensor as well as with a coordinate.",
    "A Tensor does not compile: Layout::operator() takes {takes}.",
    source="include/cute/layout.hpp, CUTLASS 4.7.0, compiled with g++ 12.2",
    lesson="02",
)
def c40() -> Finding:
    # as g++ 12.2 takes it, with the headers of CUTLASS 4.7.0
    compiles = {"one integer": True, "an integer for each mode": True, "a nested coordinate": True, "a Tensor": False}
    takes = [what for what, good in compiles.items() if good]
    return found("true" if compiles["a Tensor"] else "false", takes=", ".join(takes))


@claim(
    "C41",
    "To call print_layout or print_tensor, include cute/print.hpp.",
    "{file} holds both, and {plain} the plain print. Files named cute/print.hpp: {files}.",
    source="include/cute, CUTLASS 4.7.0",
)
def c41() -> Finding:
    where = {"print_layout": "cute/util/print_tensor.hpp", "print_tensor": "cute/util/print_tensor.hpp"}
    (file,) = set(where.values())
    files = 0  # of the name cute/print.hpp
    return found("true" if file == "cute/print.hpp" else "false", file=file, plain="cute/util/print.hpp", files=files)


@claim(
    "C42",
    "print_layout of a Tensor does not compile, and neither does print_tensor of a Layout.",
    "Neither does: {fails}. print_layout(tensor.layout()) and print_tensor(tensor) do.",
    source="include/cute/util/print_tensor.hpp, CUTLASS 4.7.0, compiled with g++ 12.2",
    lesson="02",
)
def c42() -> Finding:
    # as g++ 12.2 takes it, with the headers of CUTLASS 4.7.0
    compiles = {"print_layout(tensor)": False, "print_tensor(layout)": False}
    fails = [code for code, good in compiles.items() if not good]
    return found("true" if len(fails) == 2 else "false", fails=" and ".join(fails))


@claim(
    "C43",
    "From sizes of more than 10 on the columns of a printed table no longer line up, be it a loop of one's own or cute::print_layout; setw mends it.",
    "A loop that prints one blank between numbers does lose its columns: its rows have {loop[0]} different lengths for (12,3) and {loop[1]} for (16,16). "
    "Those of print_layout, which pads each offset to the widest, have {printed[0]} and {printed[1]}.",
    picture='explore.layout("(12,3):(3,1)")',
    lesson="02",
)
def c43() -> Finding:
    several = [LayoutRight((12, 3)), LayoutRight((16, 16))]
    own = [{len(" ".join(map(str, row))) for row in offsets(L).tolist()} for L in several]
    cute = [{len(line) for line in print_layout(L).splitlines() if "|" in line} for L in several]
    breaks, holds = all(len(widths) > 1 for widths in own), all(len(widths) == 1 for widths in cute)
    verdict: Verdict = "half" if breaks and holds else "true" if breaks else "false"
    return found(verdict, loop=[len(widths) for widths in own], printed=[len(widths) for widths in cute])


@claim(
    "C44",
    "CUTLASS's example 03_visualize_layout also shows swizzled layouts, made with CuTe's Swizzle.",
    "It uses no CuTe, but {permuted} of its {names} layouts are permuted tensor-op layouts, and most of those are plain XOR swizzles: {swizzles}.",
    picture='explore.layout("Sw<3,3,3> o 0 o (32,64):(64,1)")',
    source="examples/03_visualize_layout/register_layout.cu, CUTLASS 4.7.0",
    lesson="08",
)
def c44() -> Finding:
    permuted = [name for name in REGISTERED if "TensorOp" in name]
    lines = {"<16,64>": 64, "<16,32>": 32, "<32,32>": 32, "<8,128>": 128}  # elements in a line
    same = {n: str(matrix_layout(f"TensorOpMultiplicand{n}", (k, 32)).to_layout()) for n, k in lines.items()}
    shown, cute = len(permuted) > 0, False  # no file of the example includes cute/
    swizzles = ", ".join(f"TensorOpMultiplicand{n} = {layout.partition(' ')[0]}" for n, layout in same.items())
    verdict: Verdict = "true" if shown and cute else "half" if shown else "false"
    return found(verdict, permuted=len(permuted), names=len(REGISTERED), swizzles=swizzles)


CLAIMS: tuple[Claim, ...] = (
    *(c01, c02, c03, c04, c05, c06, c07, c08, c09, c10, c11, c12, c13, c14, c15),
    *(c16, c17, c18, c19, c20, c21, c22, c23, c24, c25, c26, c27, c28, c29, c30),
    *(c31, c32, c33, c34, c35, c36, c37, c38, c39, c40, c41, c42, c43, c44),
)
