"""The rules behind the thread-value layouts of NVIDIA's matrix instructions.

A fragment says which element each (thread, value) holds, as a code: m + M*k for A, n + N*k for B, m + M*n for C.
Source: cute/atom/mma_traits_sm61.hpp to mma_traits_sm120.hpp; PTX ISA, "Matrix Fragments".
"""

from __future__ import annotations

from cutelab.core.int_tuple import IntTuple
from cutelab.core.layout import Layout

QUAD_PAIR = Layout((4, 2), (1, 16))  # Volta: threads 0 to 3 and 16 to 19 of a warp work on one 8 x 8 x 4 product


def row_fragment(rows: int, cols: int, packed: int, *, nested: bool = False) -> Layout:
    """Which element of a (rows, cols) tile does each (lane, value) of a warp hold? Code: row + rows * col.

    Eight groups of four lanes: a group has a row, a lane in it `packed` neighbours along the row, which fill a register.
    The values go along the register, then 8 rows down, then to the next 4 * packed columns. packed: 32 / bits of an element,
    and 1 from 32 bits on; 2 for accumulators. `nested` brackets a single value mode, as CuTe does for 4-bit operands.

    >>> row_fragment(16, 8, 2), row_fragment(8, 4, 1)
    (Layout('((4,8),(2,2)):((32,1),(16,8))'), Layout('((4,8),1):((8,1),0)'))
    """
    return Layout(*_values(((4, 8), (packed * rows, 1)), rows, rows // 8, cols, packed, nested))


def warpgroup_fragment(cols: int, packed: int) -> Layout:
    """The same for 128 threads and 64 rows: warp w of the four takes rows 16w to 16w + 15. Code: row + 64 * col.

    >>> warpgroup_fragment(16, 2)
    Layout('((4,8,4),(2,2,2)):((128,1,16),(64,8,512))')
    """
    values = [(packed, 64)] if packed > 1 else []
    values += [(2, 8), (cols // (4 * packed), 4 * packed * 64)]
    return Layout(((4, 8, 4), tuple(s for s, _ in values)), ((packed * 64, 1, 16), tuple(d for _, d in values)))


def warpgroup_accumulator(cols: int) -> Layout:
    """The 64 x cols accumulator of a warp group. Code: row + 64 * col.

    >>> warpgroup_accumulator(8)
    Layout('((4,8,4),(2,2,1)):((128,1,16),(64,8,512))')
    """
    return Layout(((4, 8, 4), (2, 2, cols // 8)), ((128, 1, 16), (64, 8, 512)))


def whole_tile(threads: int, rows: int, cols: int) -> Layout:
    """An operand in shared or tensor memory: a thread stride of 0, so every thread sees the whole tile.

    >>> whole_tile(128, 64, 16)
    Layout('(128,(64,16)):(0,(1,64))')
    """
    return Layout((threads, (rows, cols)), (0, (1, rows)))


def half_tile(rows: int, cols: int) -> Layout:
    """An operand of two cooperating blocks (2x1SM): each sees one half of the rows.

    >>> half_tile(256, 16)
    Layout('(2,(128,16)):(128,(1,256))')
    """
    return Layout((2, (rows // 2, cols)), (rows // 2, (1, rows)))


def volta_row() -> Layout:
    """Volta's A (or B) fragment when k is contiguous: a thread holds one row of four."""
    return Layout((8, 4), (1, 8))


def volta_col() -> Layout:
    """Volta's A (or B) fragment when m (or n) is contiguous: a thread holds four rows of one column."""
    return Layout(((4, 2), 4), ((8, 4), 1))


def volta_accumulator(bits: int) -> Layout:
    """Volta's 8 x 8 accumulator: a row a thread in 16 bits, 2 x 2 blocks spread out in 32 bits.

    >>> volta_accumulator(16), volta_accumulator(32)
    (Layout('(8,8):(1,8)'), Layout('((2,2,2),(2,2,2)):((1,16,4),(8,2,32))'))
    """
    if bits == 16:
        return Layout((8, 8))
    return Layout(((2, 2, 2), (2, 2, 2)), ((1, 16, 4), (8, 2, 32)))


def scale_factors(rows: int, cols: int) -> Layout:
    """Which (row, k) does each (lane, value) scale? One factor serves a vector of k, so a lane's values span all of k.

    16 rows (A): two lanes of four share a row; 8 rows (B): all four do. Code: row + rows * k.

    >>> scale_factors(16, 64), scale_factors(8, 64)
    (Layout('((2,2,8),64):((8,0,1),16)'), Layout('((4,8),64):((0,1),8)'))
    """
    if rows == 16:
        return Layout(((2, 2, 8), cols), ((8, 0, 1), 16))
    return Layout(((4, 8), cols), ((0, 1), 8))


def _values(
    threads: tuple[IntTuple, IntTuple], rows: int, blocks: int, cols: int, packed: int, nested: bool
) -> tuple[IntTuple, IntTuple]:
    modes = [(packed, rows), (blocks, 8), (cols // (4 * packed), 4 * packed * rows)]
    modes = [(s, d) for s, d in modes if s > 1] or [(1, 0)]
    shape: IntTuple = tuple(s for s, _ in modes)
    stride: IntTuple = tuple(d for _, d in modes)
    if len(modes) == 1 and not nested:
        shape, stride = modes[0]
    return (threads[0], shape), (threads[1], stride)
