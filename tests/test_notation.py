"""Every spelling is read; every bad text gets a caret at the right place."""

import pytest

from cutelab import ComposedLayout, CuteLabError, Layout, Swizzle, parse_layout, parse_swizzle
from cutelab.core.notation import print_type

ROW = Layout((4, 2), (2, 1))
SWIZZLED = ComposedLayout(Swizzle(3, 4, 3), 0, Layout((8, 64), (64, 1)))


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("(4,2):(2,1)", ROW),
        ("(_4,_2):(_2,_1)", ROW),
        (" ( 4 , 2 ) : ( 2 , 1 ) ", ROW),
        ("Layout<Shape<_4,_2>, Stride<_2,_1>>", ROW),
        ("Layout<Shape<_4,_2>, Stride<_2,_1>>{};", ROW),
        ("cute::Layout<cute::Shape<cute::C<4>, cute::Int<2>>, cute::Stride<cute::_2, cute::C<1>>>", ROW),
        ("cute::Layout<cute::tuple<cute::C<4>, cute::C<2> >, cute::tuple<cute::C<2>, cute::C<1> > >", ROW),
        ("(4,2)", Layout((4, 2))),
        ("Layout<Shape<_4,_2>>", Layout((4, 2))),
        ("8:4", Layout(8, 4)),
        ("(8):(4)", Layout((8,), (4,))),
        ("12", Layout(12)),
        ("((4,8),2):((16,1),8)", Layout(((4, 8), 2), ((16, 1), 8))),
        ("(8,8):(-1,8)", Layout((8, 8), (-1, 8))),
        ("(_8,_8):(_-1,_8)", Layout((8, 8), (-1, 8))),
        ("Sw<3,4,3> o 0 o (8,64):(64,1)", SWIZZLED),
        ("Sw<3,4,3> o _0 o (_8,_64):(_64,_1)", SWIZZLED),
        ("S<3,4,3> o (8,64):(64,1)", SWIZZLED),
        ("Swizzle<3,4,3>{} o 0 o (8,64):(64,1)", SWIZZLED),
        ("ComposedLayout<Swizzle<3,4,3>, _0, Layout<Shape<_8,_64>, Stride<_64,_1>>>", SWIZZLED),
        ("Sw<3,4,3> o smem_ptr[8b](unset) o (8,64):(64,1)", SWIZZLED),
        ("Sw<3,5,3> o smem_ptr[16b](0x7f00) o (8,64):(64,1)", SWIZZLED),
        ("Sw<0,4,3> o smem_ptr[16b](unset) o (_4,_2):(_2,_1)", ROW),
        ("Sw<3,0,3> o 8 o (8,8):(8,1)", ComposedLayout(Swizzle(3, 0, 3), 8, Layout((8, 8), (8, 1)))),
    ],
)
def test_spellings(text, layout):
    assert parse_layout(text) == layout
    assert parse_layout(str(parse_layout(text))) == layout


def test_type_text_round_trip():
    for layout in (ROW, Layout(8, 4), Layout(((4, 8), 2), ((16, 1), 8)), Layout((2, 2), (-1, 4))):
        assert parse_layout(print_type(layout.shape, layout.stride)) == layout


@pytest.mark.parametrize(
    ("text", "words", "column"),
    [
        ("", "empty", None),
        ("   ", "empty", None),
        ("((4,2):(2,1)", "before ':'", 6),
        ("(4,2):(2,1", "never closed", 6),
        ("(4x,8)", "'4x' is not a number", 1),
        ("(M,8)", "'M' is a name", 1),
        ("(4,,2)", "expected a shape", 3),
        ("(M,(N,8))", "'M', 'N' are names", 1),
        ("()", "inside the parentheses", 1),
        ("(4,2):", "the text ends here", 6),
        ("(4,2):(2,1) 5", "expected the end", 12),
        ("(4,2))", "expected the end", 5),
        ("(4,_):(1,2)", "keeps a whole mode", 3),
        ("4.5", "expected the end", 1),
        ("1e5", "'1e5' is not a number", 0),
        ("Sw<3> o (8,8)", "between the three numbers", 4),
        ("Sw<3,4,3>", "expected 'o'", 9),
        ("__import__('os')", "is a name", 0),
        ("99999999999999999999", "2\\^63", 0),
        ("(" * 40 + "4" + ")" * 40, "levels deep", 33),
        ("(４,2)", "is not a number", 1),
    ],
)
def test_bad_text_has_a_caret_under_the_place(text, words, column):
    with pytest.raises(CuteLabError, match=words) as caught:
        parse_layout(text)
    if column is not None:
        shown, caret = str(caught.value).splitlines()[-2:]
        assert shown.strip() and caret.index("^") - 2 == column


@pytest.mark.parametrize("value", [None, 5, ["(4,2)"], b"(4,2)"])
def test_only_text_is_parsed(value):
    with pytest.raises(CuteLabError, match="written as text"):
        parse_layout(value)


def test_parse_swizzle():
    assert parse_swizzle("Sw<3,0,-3>") == Swizzle(3, 0, -3)
    for text in ("", "Sw", "Sw<3>", "Sw<3,4,3> o (8,8)", "(8,8)", "Sw<a,0,3>"):
        with pytest.raises(CuteLabError):
            parse_swizzle(text)
