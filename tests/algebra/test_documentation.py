"""The worked examples of CuTe's documentation; each test names the page and the section."""

import pytest

from cutelab import (
    CuteLabError,
    Layout,
    blocked_product,
    coalesce,
    complement,
    composition,
    flat_divide,
    logical_divide,
    logical_product,
    offsets,
    parse_layout,
    raked_product,
    tiled_divide,
    zipped_divide,
    zipped_product,
)

P = parse_layout


def test_coalesce():
    """CuTe Layout Algebra, "Coalesce" and "By-mode Coalesce"."""
    a = P("(2,(1,6)):(1,(6,2))")
    assert coalesce(a) == P("12:1") and coalesce(a, (1, 1)) == P("(2,6):(1,2)")


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        (
            "(6,2):(8,2)",
            "(4,3):(3,1)",
            "((2,2),3):((24,2),8)",
        ),  # "Example 1 -- Worked Example of Calculating a Composition"
        ("20:2", "(5,4):(4,1)", "(5,4):(8,2)"),  # "Example 2 -- Reshape a layout into a matrix"
        ("(10,2):(16,4)", "(5,4):(1,5)", "(5,(2,2)):(16,(80,4))"),  # "Example 3 -- Reshape a layout into a matrix"
        ("(3,6,2,8):(1,100,10000,1000000)", "16:9", "(2,2,4):(300,10000,1000000)"),  # (1,2,2,4):(9w,3x,y,z), coalesced
    ],
)
def test_composition(a, b, result):
    """CuTe Layout Algebra, "Computing Composition"."""
    assert composition(P(a), P(b)) == P(result)


def test_composition_by_mode():
    """CuTe Layout Algebra, "By-mode Composition"."""
    a = P("(12,(4,8)):(59,(13,1))")
    assert composition(a, (P("3:4"), P("8:2"))) == P("(3,(2,4)):(236,(26,1))")
    assert composition(a, (3, 8)) == P("(3,(4,2)):(59,(13,1))")


@pytest.mark.parametrize(
    ("a", "result"),
    [
        ("4:1", "6:4"),
        ("6:4", "4:1"),
        ("(4,6):(1,4)", "1:0"),
        ("4:2", "(2,3):(1,8)"),
        ("(2,4):(1,6)", "3:2"),
        ("(2,2):(1,6)", "(3,2):(2,12)"),
    ],
)
def test_complement(a, result):
    """CuTe Layout Algebra, "Complement Examples": in 24 offsets."""
    assert complement(P(a), 24) == P(result)


def test_logical_divide():
    """CuTe Layout Algebra, "Logical Divide 1-D Example" and "Logical Divide 2-D Example"."""
    assert logical_divide(P("(4,2,3):(2,1,8)"), P("4:2")) == P("((2,2),(2,3)):((4,1),(2,8))")
    a, tiler = P("(9,(4,8)):(59,(13,1))"), (P("3:3"), P("(2,4):(1,8)"))
    assert logical_divide(a, tiler) == P("((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))")
    assert zipped_divide(a, tiler) == P("((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))")
    assert tiled_divide(a, tiler) == P("((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))")
    assert flat_divide(a, tiler) == P("(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))")
    assert zipped_divide(a, tiler)[0] == composition(a, tiler)  # "Zipped, Tiled, Flat Divides"


def test_logical_product():
    """CuTe Layout Algebra, "Logical Product 1-D Example" and "Logical Product 2-D Example"."""
    assert logical_product(P("(2,2):(4,1)"), P("6:1")) == P("((2,2),(2,3)):((4,1),(2,8))")
    assert logical_product(P("(2,2):(4,1)"), P("(4,2):(2,1)")) == P("((2,2),(4,2)):((4,1),(8,2))")
    block, tiler = P("(2,5):(5,1)"), (P("3:5"), P("4:6"))
    assert logical_product(block, tiler) == P("((2,3),(5,4)):((5,10),(1,30))")
    assert zipped_product(block, tiler) == P("((2,5),(3,4)):((5,1),(10,30))")


def test_blocked_and_raked_product():
    """CuTe Layout Algebra, "Blocked and Raked Products"."""
    block, tiler = P("(2,5):(5,1)"), P("(3,4):(1,3)")
    assert blocked_product(block, tiler) == P("((2,3),(5,4)):((5,10),(1,30))")
    assert raked_product(block, tiler) == P("((3,2),(4,5)):((10,5),(30,1))")


def test_a_tile_of_a_matrix():
    """CuTe Layout Algebra, "Zipped, Tiled, Flat Divides": zd(0, (i, j)) is where tile (i, j) begins; here of 128 x 128."""
    tiles = zipped_divide(Layout((128, 128)), (4, 8))
    assert tiles == P("((4,8),(32,16)):((1,128),(4,1024))")
    assert tiles(None, (3, 5)) == P("(4,8):(1,128)") and tiles(0, (3, 5)) == 3 * 4 + 5 * 8 * 128


def test_threads_and_values_of_a_padded_matrix():
    """CuTe Layout Algebra, "Computing Composition", the two divisibility conditions: padding is stepped over, or refused."""
    padded, tv = Layout((8, 8), (1, 9)), P("((4,8),2):((16,1),8)")
    found = composition(padded, tv)
    assert found == P("((4,8),2):((18,1),9)")
    assert not set(range(8, 72, 9)) & set(offsets(found).ravel().tolist())
    for text in ("5:3", "2:12", "12:1", "9:1"):
        with pytest.raises(CuteLabError, match=r"(stride|shape) divisibility"):
            composition(padded, P(text))


def test_a_layout_tiler_and_a_tuple_tiler_are_different():
    """CuTe Layout Algebra, "Composition Tilers": a Layout acts on the 1-D order, a tuple on each mode."""
    a = Layout((32, 8))
    assert logical_divide(a, P("(4,1):(1,4)")) == P("((4,1),64):((1,4),4)")
    assert logical_divide(a, (P("4:1"), P("1:1"))) == P("((4,8),(1,8)):((1,4),(32,32))")
    assert logical_divide(Layout((12, 32)), Layout((4, 8))) == P("((4,8),12):((1,4),32)")
