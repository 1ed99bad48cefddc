"""Parts of one mode: which brackets CuTe prints then. The right-hand texts are what CUTLASS 4.7.0's C++ printed."""

import pytest

from cutelab.algebra import (
    blocked_product,
    flat_divide,
    flat_product,
    raked_product,
    tile_to_shape,
    tiled_divide,
    tiled_product,
    zipped_divide,
    zipped_product,
)
from cutelab.core.layout import Layout

PLAIN, ONE, TWO = Layout(24), Layout((24,)), Layout((24, 4))
NESTED = Layout(((4, 6), 4, 2))
PAIR = Layout((2, 2), (1, 4))
SIX, SIX_IN_ONE = Layout(6, 16), Layout((6,), (16,))
DEEP = Layout(((2, 3),), ((32, 64),))

PRINTED = [
    (zipped_divide, PLAIN, (4,), "((4),(6)):((1),(4))"),
    (tiled_divide, PLAIN, 4, "(4,6):(1,4)"),
    (tiled_divide, PLAIN, (4,), "((4),(6)):((1),(4))"),
    (tiled_divide, ONE, (PAIR,), "(((2,2)),((2,3))):(((1,4)),((2,8)))"),
    (tiled_divide, PLAIN, ((4,),), "(((4)),((6))):(((1)),((4)))"),
    (flat_divide, PLAIN, (4,), "((4),(6)):((1),(4))"),
    (flat_divide, PLAIN, Layout((4,)), "((4),6):((1),4)"),
    (flat_divide, TWO, (4,), "((4),6,4):((1),4,24)"),
    (flat_divide, TWO, (PAIR,), "(((2,2)),(2,3),4):(((1,4)),(2,8),24)"),
    (flat_divide, NESTED, ((2, 3),), "(((2,3)),(2,2),4,2):(((1,4)),(2,12),24,96)"),
    (zipped_product, PLAIN, (4,), "((24),(4)):((1),(24))"),
    (tiled_product, PLAIN, (4,), "((24),(4)):((1),(24))"),
    (tiled_product, PLAIN, Layout((4,)), "(24,(4)):(1,(24))"),
    (tiled_product, PLAIN, (PAIR,), "((24),((2,2))):((1),((24,96)))"),
    (flat_product, ONE, 4, "((24),4):((1),24)"),
    (flat_product, ONE, PAIR, "((24),2,2):((1),24,96)"),
    (flat_product, TWO, Layout((4,)), "(24,4,(4)):(1,24,(96))"),
    (flat_product, NESTED, (4,), "(((4,6)),4,4,2):(((1,4)),24,24,96)"),
    (blocked_product, SIX, Layout(8), "((6,8)):((16,1))"),
    (blocked_product, SIX, Layout((8,)), "((6,(8))):((16,(1)))"),
    (blocked_product, SIX_IN_ONE, Layout((8,)), "((6,8)):((16,1))"),
    (blocked_product, Layout(8, 2), Layout((8,)), "((8,((2,4)))):((2,((1,16))))"),
    (raked_product, SIX_IN_ONE, Layout(8), "((8,(6))):((1,(16)))"),
    (raked_product, DEEP, Layout(8), "((8,((2,3)))):((1,((32,64))))"),
    (tile_to_shape, SIX, 24, "((6,(4))):((16,(1)))"),
    (tile_to_shape, SIX_IN_ONE, (24,), "((6,4)):((16,1))"),
]


@pytest.mark.parametrize(("operation", "layout", "by", "printed"), PRINTED, ids=lambda x: getattr(x, "__name__", None))
def test_a_part_of_one_mode_keeps_the_brackets_that_cute_prints(operation, layout, by, printed):
    assert str(operation(layout, by)) == printed
