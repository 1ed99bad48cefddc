"""Formulas in t: the same numbers as Python, and one clear error with a caret for everything else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutelab import CuteLabError
from cutelab.core.formula import MAX_DEPTH, MAX_TEXT, formula

T = np.arange(32)
LEAF = st.sampled_from(["t", "0", "1", "3", "7", "32"])


def joined(inner):
    return st.one_of(
        st.tuples(inner, st.sampled_from(["|", "^", "&", "+", "-", "*"]), inner).map(" ".join),
        st.tuples(inner, st.sampled_from(["//", "%"]), st.sampled_from(["3", "8"])).map(" ".join),
        st.tuples(inner, st.sampled_from(["<<", ">>"]), st.sampled_from(["1", "2"])).map(lambda x: f"({' '.join(x)})"),
        st.tuples(st.sampled_from(["-", "~"]), inner).map("".join),
        inner.map("({})".format),
    )


@given(st.recursive(LEAF, joined, max_leaves=8))
def test_python_computes_the_same(text):
    expected = [eval(text, {"__builtins__": {}}, {"t": t}) for t in range(32)]
    if max(map(abs, expected)) < 2**30:
        try:
            assert formula(text, T).tolist() == expected
        except CuteLabError as error:  # a large value on the way, which Python does not mind
            assert "2^40" in str(error)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("t % 8 * 4", [t % 8 * 4 for t in range(32)]),
        ("t^t>>2", [t ^ t >> 2 for t in range(32)]),
        ("1 | 2 ^ 3 & t", [1 | 2 ^ 3 & t for t in range(32)]),
        ("-t // 3", [-t // 3 for t in range(32)]),
        ("7", [7] * 32),
    ],
)
def test_strength_of_the_operators(text, values):
    assert formula(text, T).tolist() == values


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("t / 8", 2, "// instead of /"),
        ("t ** 2", 2, "** is not read"),
        ("t // 0", 2, "division by zero"),
        ("8 % (t - 3)", 2, "division by zero"),
        ("t << 32", 2, "from 0 to 31"),
        ("1 >> t - 5", 2, "from 0 to 31"),
        ("t +", 3, "expected a number"),
        ("(t", 2, "expected ')'"),
        ("t)", 1, "expected an operator"),
        ("row + 1", 0, "'row' is no name here"),
        ("t 8", 2, "expected an operator"),
        ("t.real", 1, "expected an operator"),
        ("__import__('os')", 0, "no name here"),
        ("t[0]", 1, "expected an operator"),
        ("9" * 13, 0, "below 2^40"),
        ("1048576 * 1048576", 8, "2^40 or more"),
        ("1048576 << 20", 8, "2^40 or more"),
        ("t + 1099511627775 + 1", 2, "2^40 or more"),
        ("٣ + t", 0, "expected a number"),
    ],
)
def test_errors_point_at_the_place(text, place, words):
    with pytest.raises(CuteLabError) as caught:
        formula(text, T)
    why, shown, caret = str(caught.value).split("\n")
    assert words in why and shown == f"  {text}" and caret.index("^") == place + 2


@pytest.mark.parametrize(
    "text", ["", "  ", None, 3, "t" * (MAX_TEXT + 1), "(" * (MAX_DEPTH + 2), "-" * (MAX_DEPTH + 2)]
)
def test_text_that_is_no_formula(text):
    with pytest.raises(CuteLabError):
        formula(text, T)


def test_a_long_formula_shows_the_part_around_the_caret():
    with pytest.raises(CuteLabError) as caught:
        formula("1 + " * 45 + "x", T)
    _, shown, caret = str(caught.value).split("\n")
    assert shown[caret.index("^")] == "x" and len(shown) < 110
