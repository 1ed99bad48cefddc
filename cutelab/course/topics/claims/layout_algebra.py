"""B01 to B30: what is said of CuTe's layout algebra, and what the library finds."""

from __future__ import annotations

import numpy as np

from cutelab.algebra import blocked_product, composition, layout_of, max_common_vector, right_inverse, zipped_divide
from cutelab.core import (
    CuteLabError,
    Layout,
    Swizzle,
    compatible,
    cosize,
    depth,
    is_contiguous,
    make_swizzle,
    offsets,
    print_layout,
    rank,
    size,
    slice_and_offset,
)
from cutelab.course.topics.claims.claim import Claim, Finding, Verdict, claim, found
from cutelab.cutlass.atoms import mma_atom, mma_atoms, tmem_layout
from cutelab.cutlass.reading import read
from cutelab.cutlass.tv import registers
from cutelab.hardware import WarpAccess, wavefronts
from cutelab.hardware.tensor_memory import COLUMNS, LANES


@claim(
    "B01",
    "The name CuTe is short for “CUDA Tensor Extension”.",
    "It cannot be known. CUTLASS says in {places} places what CuTe is, a collection of C++ CUDA template abstractions; "
    "in {spelled_out} places it spells the name out so.",
    source="media/docs/cpp/cute/00_quickstart.md and all other texts of CUTLASS 4.7.0",
)
def b01() -> Finding:
    places = ("README.md", "00_quickstart.md", "code_organization.md", "cutlass_3x_design.md")
    spelled_out = 0  # files of CUTLASS 4.7.0 with the words "CUDA Tensor Extension"
    return found("true" if spelled_out else "unknown", places=len(places), spelled_out=spelled_out)


@claim(
    "B02",
    "Ampere's FP64 instruction SM80_8x8x4 deals its 8 x 8 accumulator to 32 threads, two elements each, by the "
    "thread-value layout ((4,8),2):((16,1),8), where the offset m + 8n stands for element (m, n).",
    "It is the C layout of {atom}: each m + 8n from 0 to {last} belongs to one thread. T0 holds {T0}, T1 {T1}, T4 {T4}.",
    picture='explore.tensor_core("SM80_8x8x4_F64F64F64F64_TN", operand="C", thread=1)',
    lesson="10",
)
def b02() -> Finding:
    said, atom = Layout("((4,8),2):((16,1),8)"), mma_atom("SM80_8x8x4_F64F64F64F64_TN")
    held = {f"T{t}": [tuple(e) for e in registers(said, (8, 8), t).tolist()] for t in (0, 1, 4)}
    true = said == atom.c and is_contiguous(said)  # every m + 8n from 0 to 63, each once
    return found("true" if true else "false", atom=atom.name, last=cosize(said) - 1, **held)


@claim(
    "B03",
    "For a CuTe layout L, |L| means its rank: L takes |L| integers and returns an offset.",
    "|L| is the size, the number of coordinates: {layout} has size {size}, rank {rank} and depth {depth}. It takes one "
    "integer, one for each mode, or a nested coordinate: {coordinates} are one element, at offset {offset}.",
    picture='explore.layout("((4,8),2):((16,1),8)", row=5, column=1)',
    lesson="02",
)
def b03() -> Finding:
    L = Layout("((4,8),2):((16,1),8)")
    coordinates = [37, (5, 1), ((1, 1), 1)]
    (offset,) = {L(c) for c in coordinates}  # all three are accepted, and are the same element
    figures = {"layout": L, "size": size(L), "rank": rank(L), "depth": depth(L)}
    return found("true" if size(L) == rank(L) else "false", **figures, coordinates=coordinates, offset=offset)


@claim(
    "B04",
    "(8,8):(1,8) is a column-major 8 x 8 matrix, and (8,8):(8,1) a row-major one.",
    "In (8,8):(1,8) the next row is {down} further and the next column {across}; in (8,8):(8,1) the other way round.",
    picture='explore.layout("(8,8):(1,8)")',
    lesson="02",
)
def b04() -> Finding:
    column, row = Layout((8, 8), (1, 8)), Layout((8, 8), (8, 1))
    down, across = column(1, 0), column(0, 1)
    true = (down, across) == (1, 8) == (row(0, 1), row(1, 0))
    return found("true" if true else "false", down=down, across=across)


@claim(
    "B05",
    "((4,2),(2,4)):((2,16),(1,8)) is a tiled layout of an 8 x 8 matrix, in blocks of 4 x 2 elements that a "
    "Tensor Core can take.",
    "Elements meet: {size} coordinates have only {distinct} offsets, 0 to {last}; {meeting} are both at {meet}. "
    "{mended} has {mended_distinct} offsets, 0 to {mended_last}.",
    picture='explore.layout("((4,2),(2,4)):((2,16),(1,8))", row=4, column=0)',
    lesson="02",
)
def b05() -> Finding:
    said, mended = Layout("((4,2),(2,4)):((2,16),(1,8))"), Layout("((4,2),(2,4)):((2,32),(1,8))")
    used, better = np.unique(offsets(said)), np.unique(offsets(mended))
    meeting = [tuple(at) for at in np.argwhere(offsets(said) == said(4, 0)).tolist()]
    figures = {"size": size(said), "distinct": len(used), "last": used[-1], "meeting": meeting, "meet": said(4, 0)}
    figures |= {"mended": mended, "mended_distinct": len(better), "mended_last": better[-1]}
    return found("true" if len(used) == size(said) else "false", **figures)


@claim(
    "B06",
    "print_layout of ((4,2),(2,4)):((2,16),(1,8)) prints the rows 0 16 32 48 / 2 18 34 50 / 4 20 36 52 / 6 22 38 54.",
    "It prints a grid of {rows} x {columns} with numbered rows and columns: row 0 is {row0}, row 1 {row1}, row 3 {row3}. "
    "The other numbers are those of {other}.",
    picture='explore.layout("((4,2),(2,4)):((2,16),(1,8))", row=0, column=1)',
    lesson="02",
)
def b06() -> Finding:
    printed = print_layout(Layout("((4,2),(2,4)):((2,16),(1,8))")).splitlines()[3::2]  # a rule, a row, a rule, ...
    rows = [[int(n) for n in line.split("|")[1:-1]] for line in printed]
    said = [[0, 16, 32, 48], [2, 18, 34, 50], [4, 20, 36, 52], [6, 22, 38, 54]]
    figures = {"rows": len(rows), "columns": len(rows[0]), "row0": rows[0], "row1": rows[1], "row3": rows[3]}
    return found("true" if rows == said else "false", **figures, other=layout_of(said))


@claim(
    "B07",
    "Composing an 8 x 8 matrix with the thread-value layout ((4,8),2):((16,1),8) gives its elements new coordinates: 32 threads by 2 values.",
    "Row-major {matrix} composed with {tv} is {result}: {threads} threads by {values} values, and each of the {elements} "
    "offsets occurs once.",
    picture='explore.algebra(a="(8,8):(8,1)", b="((4,8),2):((16,1),8)")',
    lesson="06",
)
def b07() -> Finding:
    matrix, tv = Layout((8, 8), (8, 1)), Layout("((4,8),2):((16,1),8)")
    result = composition(matrix, tv)
    threads, values = offsets(result).shape
    true = (threads, values) == (32, 2) and is_contiguous(result)
    figures = {"matrix": matrix, "tv": tv, "result": result}
    return found("true" if true else "false", **figures, threads=threads, values=values, elements=size(result))


@claim(
    "B08",
    "The padded layout (8,8):(1,9) leaves one unused element at the end of each row of the 8 x 8 matrix.",
    "It is column-major, with one unused element after each column: {unused}. Of the 8 places after a row only {rows} is unused. "
    "{by_rows} pads the rows.",
    picture='explore.layout("(8,8):(1,9)", row=7, column=0)',
    lesson="04",
)
def b08() -> Finding:
    padded, by_rows = Layout((8, 8), (1, 9)), Layout((8, 8), (9, 1))
    used = offsets(padded)
    after_a_row = used[:, -1] + 1
    unused = np.setdiff1d(used[-1, :] + 1, used)  # after a column
    rows = int((~np.isin(after_a_row, used)).sum())
    return found("true" if rows == 8 else "false", unused=unused.tolist(), rows=rows, by_rows=by_rows)


@claim(
    "B09",
    "The padded layout (8,8):(1,9) composed with the thread-value layout ((4,8),2):((16,1),8) steps over the padding by itself.",
    "The result is {result}: A(B(i)) at all {agree} indices i, and {touched} of the {unused} unused offsets are touched.",
    picture='explore.algebra(a="(8,8):(1,9)", b="((4,8),2):((16,1),8)")',
    lesson="06",
)
def b09() -> Finding:
    padded, tv = Layout((8, 8), (1, 9)), Layout("((4,8),2):((16,1),8)")
    result = composition(padded, tv)
    agree = sum(result(i) == padded(tv(i)) for i in range(64))
    unused = np.setdiff1d(np.arange(72), offsets(padded))  # 8 columns of 9
    touched = int(np.isin(offsets(result), unused).sum())
    good = agree == 64 and not touched
    return found("true" if good else "false", result=result, agree=agree, unused=len(unused), touched=touched)


@claim(
    "B10",
    "Whatever a padded layout is composed with, the padding is stepped over by itself, without special treatment.",
    "It needs divisibility. {padded} o B does not compile for B = {refused}. Divided by 6:1 it compiles to {divided}, "
    "of size {size} for 64 elements, and reaches the padding at {padding}. With runtime integers {padded} o 5:3 "
    "becomes {cut}, of size {cut_size} for 5, without an error.",
    picture='explore.algebra(a="(8,8):(1,9)", b="5:3")',
    source="include/cute/layout.hpp, CUTLASS 4.7.0",
    lesson="06",
)
def b10() -> Finding:
    padded = Layout((8, 8), (1, 9))
    refused = [b for b in ("5:3", "2:12", "12:1", "9:1") if refuses(padded, Layout(b))]
    divided = zipped_divide(padded, Layout(6, 1), as_cpp=True)  # as C++ has it, unchecked
    padding = [n for n in range(64) if n in offsets(divided) and n not in offsets(padded)]
    cut = Layout((3, 5 // 3), (3, 9))  # in steps of 3, ceil(8/3) = 3 of the 5 fit into 8; 5/3 is rounded down
    figures = {"padded": padded, "refused": ", ".join(refused), "divided": divided, "size": size(divided)}
    figures |= {"padding": padding, "cut": cut, "cut_size": size(cut)}
    return found("true" if not refused and not padding else "false", **figures)


def refuses(a: Layout, b: Layout) -> bool:
    """Is a o b an error where C++ compiles it?"""
    try:
        composition(a, b, as_cpp=True)
    except CuteLabError:
        return True
    return False


@claim(
    "B11",
    "R = composition(A, B) is meant to satisfy R(i) = A(B(i)), and whatever CuTe's C++ compiles does satisfy it.",
    "That is the definition, but C++ accepts pairs for which it fails. {A[1]} o {B[1]} gives {R[1]}, which is {got1} at i = {at} where "
    "A(B(i)) is {want1}; {A[2]} o {B[2]} gives {R[2]}, which is {got[2]} where A(B(i)) is {want[2]}.",
    picture='explore.algebra(a="(4,6,8):(2,3,5)", b="6:3")',
    source="include/cute/layout.hpp, CUTLASS 4.7.0",
    lesson="06",
)
def b11() -> Finding:
    A = [Layout((8, 8), (1, 8)), Layout((4, 4), (1, 8)), Layout((4, 6, 8), (2, 3, 5))]
    B = [Layout("((4,8),2):((16,1),8)"), Layout((2, 3), (3, 1)), Layout(6, 3)]
    R = [composition(a, b, as_cpp=True) for a, b in zip(A, B, strict=True)]  # as C++ has it, unchecked
    got = [[r(i) for i in range(size(r))] for r in R]
    want = [[a(b(i)) for i in range(size(b))] for a, b in zip(A, B, strict=True)]
    at = [i for i in range(6) if got[1][i] != want[1][i]]
    got1, want1 = [got[1][i] for i in at], [want[1][i] for i in at]
    verdict: Verdict = "true" if got == want else "half" if got[0] == want[0] else "false"
    return found(verdict, A=A, B=B, R=R, got=got, want=want, at=at, got1=got1, want1=want1)


@claim(
    "B12",
    "The widest vector that can be copied between two layouts A and B has K elements, the largest k at which their inverses "
    "agree: K = max{k | A⁻¹(k) = B⁻¹(k)}.",
    "K is the extent of the first mode of coalesce(A o right_inverse(B)) where its stride is 1, and otherwise 1. The inverses of {a} and {b} agree at k = {agree}, "
    "and still the widest vector has {vector} element; {padded} and {plain} allow {typical}.",
    picture='explore.algebra("max_common_vector", a="(2,2,2):(1,2,4)", b="(2,2,2):(2,1,4)")',
    lesson="09",
)
def b12() -> Finding:
    a, b = Layout((2, 2, 2), (1, 2, 4)), Layout((2, 2, 2), (2, 1, 4))
    A, B = right_inverse(a), right_inverse(b)
    agree = [k for k in range(8) if A(k) == B(k)]
    vector = max_common_vector(a, b)
    padded, plain = Layout((8, 8), (1, 9)), Layout((8, 8), (1, 8))
    figures = {"a": a, "b": b, "agree": agree, "vector": vector}
    figures |= {"padded": padded, "plain": plain, "typical": max_common_vector(padded, plain)}
    return found("true" if vector == max(agree) else "false", **figures)


@claim(
    "B13",
    "make_layout(make_shape(Shape<_4,_8>{}, _2{}), make_stride(Stride<_16,_1>{}, _8{})) is the accumulator layout of "
    "Ampere's FP64 instruction.",
    "It compiles, prints {printed}, and equals the C layout of {atom}.",
    picture='explore.tensor_core("SM80_8x8x4_F64F64F64F64_TN", operand="C", thread=1)',
    lesson="10",
)
def b13() -> Finding:
    made = read("make_layout(make_shape(Shape<_4,_8>{}, _2{}), make_stride(Stride<_16,_1>{}, _8{}))")
    atom = mma_atom("SM80_8x8x4_F64F64F64F64_TN")
    return found("true" if made == atom.c else "false", printed=made, atom=atom.name)


@claim(
    "B14",
    "composition(A, C) of a matrix A = (8,8):(1,8) with an accumulator layout C = ((4,8),2):((16,1),8) converts the data of A "
    "into the order that the hardware wants.",
    "It says which offset of A each thread needs, and moves nothing. For the column-major A it is C unchanged, {result}, "
    "because A(i) = i; for a row-major A it is {row_major}.",
    picture='explore.algebra(a="(8,8):(1,8)", b="((4,8),2):((16,1),8)")',
    lesson="06",
)
def b14() -> Finding:
    A, C = Layout((8, 8), (1, 8)), Layout("((4,8),2):((16,1),8)")
    result, row_major = composition(A, C), composition(Layout((8, 8), (8, 1)), C)
    data = np.arange(64)  # element i of A holds i
    finds = np.array_equal(data[offsets(result)], offsets(C))  # with it, each thread finds the elements that C names
    moves = not isinstance(result, Layout)  # it is a layout, as A and C are: no data went in, none came out
    return found("true" if finds and moves else "half" if finds else "false", result=result, row_major=row_major)


@claim(
    "B15",
    "With tiler = make_tile(_4{}, _8{}), zipped_divide of a column-major 128 x 128 matrix has two modes: the place in a 4 x 8 tile, "
    "and which of the 32 x 16 tiles.",
    "The result is {result}: {inside} elements in a tile, {tiles} tiles.",
    picture='explore.tiling("(128,128):(1,128)", tiler=(4, 8), i=3, j=5)',
    lesson="07",
)
def b15() -> Finding:
    result = zipped_divide(Layout((128, 128)), (4, 8))
    inside, tiles = offsets(result).shape
    true = result.shape == ((4, 8), (32, 16)) and is_contiguous(result)
    return found("true" if true else "false", result=result, inside=inside, tiles=tiles)


@claim(
    "B16",
    "t is a column-major 128 x 128 matrix divided by zipped_divide into 4 x 8 tiles. The C++ expression t(shape<_3,_5>{}) is tile (3,5).",
    "It does not compile: shape<...> is a function. t(_, make_coord(3,5)) is the tile, {tile} from offset {start} = 3*{down} + 5*{right}; "
    "t(3,5) with two integers is {flat}, element 3 of tile 5.",
    picture='explore.tiling("(128,128):(1,128)", tiler=(4, 8), i=3, j=5)',
    source="include/cute/layout.hpp, CUTLASS 4.7.0, compiled with g++ 12.2",
    lesson="07",
)
def b16() -> Finding:
    t = zipped_divide(Layout((128, 128)), (4, 8))
    tile, start = slice_and_offset(t, (None, (3, 5)))
    down, right = t(0, (1, 0)), t(0, (0, 1))  # to the next tile
    compiles = {"t(shape<_3,_5>{})": False, "t(_, make_coord(3,5))": start == 3 * down + 5 * right}  # with g++
    figures = {"tile": tile, "start": start, "down": down, "right": right, "flat": t(3, 5)}
    return found("true" if compiles["t(shape<_3,_5>{})"] else "false", **figures)


@claim(
    "B17",
    "static_assert(is_compatible<LayoutA, LayoutB>::value) is how one checks at compile time that two layouts are compatible.",
    "It compiles, and compares shapes in one direction: {asked}. Of two layouts it sees the shapes alone: it accepts {layouts}, whose offsets differ.",
    source="include/cute/int_tuple.hpp, CUTLASS 4.7.0",
    lesson="06",
)
def b17() -> Finding:
    pairs: list[tuple[object, object]] = [(64, (8, 8)), ((8, 8), 64), ((8, 8), (4, 16))]
    asked = ", ".join(f"compatible({a}, {b}) = {compatible(a, b)}" for a, b in pairs)
    shapes = [compatible(a, b) for a, b in pairs] == [True, False, False]  # shapes are checked, in one direction
    a, b = Layout((8, 8), (1, 8)), Layout((8, 8), (8, 1))
    layouts = not compatible(a.shape, b.shape)  # what is_compatible<Layout, Layout> asks
    return found("true" if shapes and layouts else "half" if shapes else "false", asked=asked, layouts=f"{a} and {b}")


@claim(
    "B18",
    "In blocked_product(make_layout(_4{}, _8{}), make_layout(_2{}, _5{})) the block is a 4 x 8 tile and the grid has 2 x 5 of them.",
    "make_layout(shape, stride): the block is {tile}, the grid {grid}, both of rank {rank}, and the product is {product}, of size {size}, "
    "with the offsets {offsets}. A 4 x 8 tile is make_layout(make_shape(_4{{}}, _8{{}})).",
    picture='explore.layout("4:8")',
    lesson="07",
)
def b18() -> Finding:
    tile, grid = Layout(4, 8), Layout(2, 5)
    assert (tile, grid) == (read("make_layout(_4{}, _8{})"), read("make_layout(_2{}, _5{})"))
    product = blocked_product(tile, grid)
    true = (size(tile), size(grid)) == (4 * 8, 2 * 5)
    figures = {"tile": tile, "grid": grid, "rank": rank(tile), "product": product, "size": size(product)}
    return found("true" if true else "false", **figures, offsets=offsets(product).ravel(order="F").tolist())


@claim(
    "B19",
    "blocked_product of a 4 x 8 block with a 2 x 5 grid, both column-major, has the shape ((4,2),(8,5)).",
    "It is {product}: {rows} x {columns}, size {size}, every offset from 0 to {last} once. Block (1,0) starts at {below}, "
    "block (0,1) at {right}.",
    picture='explore.tiling("(4,8):(1,4)", operation="blocked_product", tiler="(2,5):(1,2)")',
    lesson="07",
)
def b19() -> Finding:
    product = blocked_product(Layout((4, 8)), Layout((2, 5)))
    rows, columns = offsets(product).shape
    true = product.shape == ((4, 2), (8, 5)) and is_contiguous(product)
    figures = {"product": product, "rows": rows, "columns": columns, "size": size(product)}
    figures |= {"last": cosize(product) - 1, "below": product(4, 0), "right": product(0, 8)}
    return found("true" if true else "false", **figures)


@claim(
    "B20",
    "A tile is a 2 x 5 grid of blocks of 4 x 8. If each block goes to one thread, 10 threads hold the tile.",
    "{size} elements, {block} a thread: {threads} threads.",
    picture='explore.tiling("(4,8):(1,4)", operation="blocked_product", tiler="(2,5):(1,2)")',
    lesson="07",
)
def b20() -> Finding:
    block, grid = Layout((4, 8)), Layout((2, 5))
    tile = blocked_product(block, grid)
    threads = size(tile) // size(block)
    return found("true" if threads == 10 else "false", size=size(tile), block=size(block), threads=threads)


@claim(
    "B21",
    "auto smem = make_layout(_32{}, _8{}); describes a tile of 32 x 8 elements in shared memory.",
    "It is {made}: {size} elements, each {step} after the one before. The tile is make_layout(make_shape(_32{{}}, _8{{}})), {tile}.",
    picture='explore.layout("32:8")',
    lesson="02",
)
def b21() -> Finding:
    made, tile = Layout(32, 8), Layout((32, 8))
    assert (made, tile) == (read("make_layout(_32{}, _8{})"), read("make_layout(make_shape(_32{}, _8{}))"))
    true = made.shape == tile.shape
    return found("true" if true else "false", made=made, size=size(made), step=made(1) - made(0), tile=tile)


@claim(
    "B22",
    "composition(base_layout, swizzle<0x3C>()) puts a swizzle on a layout: 0x3C is the mask that its offsets are XORed with, and "
    "column reads become free of conflicts.",
    "CuTe has no swizzle<mask>, only Swizzle<B,M,S>, and it goes first: composition(Swizzle, layout); the other order gives {wrong}, "
    "which leaves a column of 8 x 8 at {wrong_ways}-way. XOR with a constant keeps a column of 32 x 8 at {before}-way ({after}-way after), "
    "and {mask}, the swizzle whose bits make the mask, leaves {mask_ways}-way.",
    picture='explore.swizzle("Sw<2,2,2>", layout="(32,8):(8,1)")',
    source="include/cute/swizzle.hpp, CUTLASS 4.7.0, compiled with g++ 12.2",
    lesson="05",
)
def b22() -> Finding:
    tile, mask = offsets(Layout((32, 8), (8, 1))), make_swizzle(0x30, 0x0C)  # 0x30 | 0x0C == 0x3C
    wrong = composition(Layout((8, 8), (8, 1)), Swizzle(3, 0, 3))
    columns = [table[:, 0] for table in (tile, tile ^ 0x3C, mask(tile))] + [np.resize(offsets(wrong)[:, 0], 32)]
    before, after, by_mask, by_wrong = (wavefronts(WarpAccess(4 * column, 4)).count for column in columns)
    figures = {"wrong": wrong, "wrong_ways": by_wrong, "before": before, "after": after}
    return found("true" if after < before else "false", **figures, mask=mask, mask_ways=by_mask)


@claim(
    "B23",
    "A warp reads one column of a row-major 32 x 8 tile of float32, a row a lane. The right swizzle makes that free of bank conflicts.",
    "Wavefronts of the 32 x 8 tile: {plain} without a swizzle, with one {narrow}. Of a 32 x 32 tile: {plain32}, and {square}.",
    picture='explore.swizzle("Sw<3,0,5>", layout="(32,8):(8,1)")',
    lesson="05",
)
def b23() -> Finding:
    narrow, wide = (offsets(Layout((32, n), (n, 1)))[:, 0] for n in (8, 32))
    plain, plain32 = (wavefronts(WarpAccess(4 * column, 4)).count for column in (narrow, wide))
    few, many = ("Sw<3,0,3>", "Sw<3,0,4>", "Sw<3,0,5>", "Sw<5,0,5>"), ("Sw<3,0,3>", "Sw<3,2,3>", "Sw<5,0,5>")
    after = [wavefronts(WarpAccess(4 * read(s)(narrow), 4)).count for s in few]
    after32 = [wavefronts(WarpAccess(4 * read(s)(wide), 4)).count for s in many]
    figures = {"plain": plain, "narrow": ", ".join(f"{s} {n}" for s, n in zip(few, after, strict=True))}
    figures |= {"plain32": plain32, "square": ", ".join(f"{s} {n}" for s, n in zip(many, after32, strict=True))}
    return found("true" if 1 in after else "false", **figures)


@claim(
    "B24",
    "The thread-value layout of Hopper's Tensor Core instruction is ((8,4),2):((32,1),16).",
    "None of the {atoms} MMA atoms that are listed here, SM61 and SM70 to SM120, has it ({matches}), and with size {size} but cosize {cosize} it is no dense "
    "tile. Hopper's FP64 16 x 8 C is {fp64}; WGMMA's C for N = 64 is {wgmma}, its last extent being N/8.",
    picture='explore.tensor_core("SM90_16x8x4_F64F64F64F64_TN", operand="C")',
    source="include/cute/atom/mma_traits_sm*.hpp, CUTLASS 4.7.0",
    lesson="10",
)
def b24() -> Finding:
    said, names = Layout("((8,4),2):((32,1),16)"), mma_atoms()
    matches = sum(said in (atom.a, atom.b, atom.c) for atom in map(mma_atom, names))
    fp64 = mma_atom("SM90_16x8x4_F64F64F64F64_TN").c
    wgmma = mma_atom("SM90_64x64x16_F32F16F16_SS<GMMA::Major::K,GMMA::Major::K>").c
    figures = {"atoms": len(names), "matches": matches, "size": size(said), "cosize": cosize(said)}
    return found("true" if matches else "false", **figures, fp64=fp64, wgmma=wgmma)


@claim(
    "B25",
    "CuTe describes Blackwell's tensor memory, for 32-bit elements, as make_layout((512,128), (1,16384)): columns 1 apart, rows 16K apart.",
    "Tensor memory has {lanes} lanes (rows) of {columns} columns of 32 bits. From lane to lane the stride is {stride32} for 32-bit elements, "
    "{stride16} for 16-bit, {stride8} for 8-bit, and {stride128} only for 128-bit; a 128 x 256 accumulator of float is {accumulator}.",
    source="include/cute/arch/tmem_allocator_sm100.hpp and include/cute/atom/mma_traits_sm100_frag.hpp, CUTLASS 4.7.0",
)
def b25() -> Finding:
    stride = {bits: tmem_layout(128, 4, bits)(1, 0) for bits in (8, 16, 32, 128)}
    accumulator = tmem_layout(128, 256, 32)
    figures = {"lanes": LANES, "columns": COLUMNS, "accumulator": accumulator}
    figures |= {f"stride{bits}": step for bits, step in stride.items()}
    return found("true" if stride[32] == 16384 else "false", **figures)


@claim(
    "B26",
    "A CuTe kernel in C++ is written with make_tiled_layout, make_copy, async_copy and async_mma.",
    "None of these stands in CUTLASS's headers ({said}). CuTe's own functions are {real}, and copy and gemm.",
    source="include/, CUTLASS 4.7.0",
    lesson="11",
)
def b26() -> Finding:
    said = {"make_tiled_layout": 0, "make_copy": 0, "async_copy": 0, "async_mma": 0}  # headers with the word
    real = {"make_tiled_copy": 11, "cp_async_fence": 22, "cp_async_wait": 22, "make_tiled_mma": 20}
    return found("true" if all(said.values()) else "false", said=sum(said.values()), real=", ".join(real))


@claim(
    "B27",
    "What offset a CuTe layout gives can be worked out by the compiler, and a static_assert can check it before the kernel runs.",
    "static_assert(L(_3{{}}, _1{{}}) == {plain}) compiles for L = {layout}; with a swizzle too, {swizzled}(1,0) == {moved}.",
    picture='explore.layout("(4,2):(2,1)", row=3, column=1)',
    source="include/cute/layout.hpp, CUTLASS 4.7.0, compiled with g++ 12.2",
    lesson="02",
)
def b27() -> Finding:
    L = Layout("(_4,_2):(_2,_1)")
    swizzled = composition(Swizzle(3, 0, 3), Layout((8, 8), (8, 1)))
    compiles = {"static_assert(L(_3{}, _1{}) == 7)": L(3, 1) == 7, "the same with a swizzle": swizzled(1, 0) == 9}
    verdict: Verdict = "true" if all(compiles.values()) else "false"
    return found(verdict, plain=L(3, 1), layout=L, swizzled=swizzled, moved=swizzled(1, 0))


@claim(
    "B28",
    "How busy the Tensor Cores of an A100 or H100 are is measured with nvprof.",
    "nvprof works only below compute capability {limit}; an A100 has {a100} and an H100 {h100}, and CUDA {toolkit} no longer holds it. "
    "Nsight Compute measures it.",
    source="NVIDIA's Profiler User's Guide; CUDA Toolkit 13.0 holds no nvprof",
    lesson="12",
)
def b28() -> Finding:
    a100, h100, limit = 8.0, 9.0, 8.0  # compute capabilities; nvprof works below the limit
    return found("true" if max(a100, h100) < limit else "false", a100=a100, h100=h100, limit=limit, toolkit=13.0)


@claim(
    "B29",
    "More than 700 GB/s from global memory and more than 2 TB/s from shared memory can be had on an A100, and are the mark of a good kernel.",
    "They can be had, but ask for little: of {dram} GB/s from global memory 700 are {dram_share} %, and of {peak} = {smem:.1f} TB/s from shared memory "
    "2 are {smem_share} %. The peaks are data-sheet figures, not measured.",
    source="NVIDIA's A100 40GB data sheet: 1555 GB/s, 108 multiprocessors, 1.41 GHz",
)
def b29() -> Finding:
    dram, peak = 1555, "108 * 32 * 4 * 1.41"  # GB/s; multiprocessors * banks * bytes * GHz
    smem = 108 * 32 * 4 * 1.41 / 1000  # TB/s
    shares = [round(100 * 700 / dram), round(100 * 2 / smem)]
    can_be_had, demanding = max(shares) < 100, min(shares) >= 80
    verdict: Verdict = "true" if demanding else "half" if can_be_had else "false"
    return found(verdict, dram=dram, peak=peak, smem=smem, dram_share=shares[0], smem_share=shares[1])


@claim(
    "B30",
    "Written with CuTe, code is 70 % shorter, FlashAttention-2 runs 40 % faster, an RTX 4090 goes from 65 % to 98 %, and kernels reach "
    "85 to 90 % of the peak.",
    "It cannot be known: to repeat the {numbers} numbers one would need {needed}, and {given} of these are given.",
)
def b30() -> Finding:
    numbers = (-70, 40, 65, 98, 85, 90)  # percent
    given = {"the code": False, "the problem's size": False, "the clock": False, "the way of measuring": False}
    verdict: Verdict = "true" if all(given.values()) else "unknown"
    return found(verdict, numbers=len(numbers), needed=", ".join(given), given=sum(given.values()))


CLAIMS: tuple[Claim, ...] = (
    *(b01, b02, b03, b04, b05, b06, b07, b08, b09, b10, b11, b12, b13, b14, b15),
    *(b16, b17, b18, b19, b20, b21, b22, b23, b24, b25, b26, b27, b28, b29, b30),
)
