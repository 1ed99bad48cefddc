"""Coordinate layouts against CUTLASS's own tables, and against the definition point by point."""

import itertools

import numpy as np
import pytest

from cutelab import (
    CuteLabError,
    Layout,
    composition,
    flat_divide,
    logical_divide,
    parse_layout,
    tiled_divide,
    zipped_divide,
)
from cutelab.algebra import coalesce, group_modes, select
from cutelab.core.coordinates import CoordLayout, CoordTensor, make_identity_layout, make_identity_tensor
from cutelab.core.leaves import ScaledBasis, mark
from tests.golden import cases

CASES = cases("cute_coordinate_layouts")
DIVIDES = {f.__name__: f for f in (logical_divide, zipped_divide, tiled_divide, flat_divide)}


def tiler(text):
    """`<4;3:2>` as a tuple of sizes or layouts; a layout alone as it is."""
    if text.startswith("<"):
        return tuple(int(t) if t.isdigit() else parse_layout(t) for t in text[1:-1].split(";"))
    return parse_layout(text)


def result(case):
    text, op = case["from"], case["op"]
    if op == "make_identity_layout":
        return make_identity_layout(parse_layout(text).shape)
    if op in DIVIDES:
        layout, tile = text.split(" / ")
        return DIVIDES[op](parse_layout(layout), tiler(tile))
    if op == "composition":
        layout, right = text.split(" o ")
        return composition(parse_layout(layout), tiler(right))
    if op == "coalesce":
        return coalesce(parse_layout(text))
    if op == "get<0>":
        return zipped_divide(parse_layout("(8,6):(1@0,1@1)"), (4, 3))[0]
    if op == "append":
        first, last = (parse_layout(t) for t in text.split(" + "))
        return CoordLayout((*first.shape, last.shape), (*first.stride, last.stride))
    return parse_layout(text)


def printed(coordinate):
    if isinstance(coordinate, tuple):
        return "(" + ",".join(map(printed, coordinate)) + ")"
    return str(coordinate)


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['op']} {c['from']}")
def test_the_layout_and_every_coordinate_are_cutlass_s(case):
    found = result(case)
    assert str(CoordLayout(mark(found.shape), mark(found.stride))) == case["out"]
    assert [printed(found(i)) for i in range(case["size"])] == case["table"]
    assert str(parse_layout(str(found))) == str(found)


@pytest.mark.parametrize("shape", [(4, 6), (2, 4, 2), (4, (2, 3))])
def test_a_divided_identity_names_each_coordinate_once(shape):
    identity = make_identity_layout(shape)
    for tile in itertools.product((1, 2), repeat=len(shape)):
        for divide in DIVIDES.values():
            points = divide(identity, tile).coordinates()
            assert len(np.unique(points, axis=0)) == len(points) == np.prod(identity.coordinates().max(axis=0) + 1)


def test_a_composition_is_the_composition_of_each_component():
    lhs = parse_layout("((2,4),6):((1@0,2@0),3@1)")
    for rhs in (Layout((4, 3), (2, 8)), Layout(8, 1), Layout((2, 2), (8, 1))):
        found = composition(lhs, rhs)
        for path in lhs.paths:
            want = [Layout(*lhs.component(path))(rhs(i)) for i in range(12) if i < np.prod(np.array(rhs.shape))]
            got = Layout(*found.component(path))
            assert [got(i) for i in range(len(want))] == want


def test_a_basis_on_the_right_selects_a_mode():
    assert composition(Layout((8, 6), (10, 100)), make_identity_layout((4, 3))) == Layout((4, 3), (10, 100))
    assert composition(Layout((8, 6), (10, 100)), parse_layout("(3,2):(2@1,4@0)")) == Layout((3, 2), (200, 40))


def test_slices_and_tensors_start_where_they_say():
    identity = make_identity_layout((8, 6))
    kept, start = identity.slice_and_offset((3, None))
    assert (str(kept), start) == ("6:1@1", (3, 0))
    tensor = CoordTensor(start, kept)
    assert [tensor(i) for i in range(6)] == [(3, i) for i in range(6)]
    assert tensor.coordinates().tolist() == [[3, i] for i in range(6)]
    assert str(make_identity_tensor(parse_layout("(_128,_64)").shape)) == "ArithTuple(_0,_0) o (_128,_64):(_1@0,_1@1)"
    assert identity.slice_and_offset((1, 2)) == (CoordLayout(1, 0), (1, 2))


def test_modes_can_be_selected_and_grouped():
    identity = make_identity_layout((2, 3, 4))
    assert str(select(identity, 2, 0)) == "(4,2):(1@2,1@0)"
    assert str(group_modes(identity, 1, 3)) == "(2,(3,4)):(1@0,(1@1,1@2))"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: CoordLayout((4, 2), (1, 2)), "basis elements such as 1@0, or 0, got 1"),
        (lambda: CoordLayout((4, 2), ScaledBasis(1, (0,))), "profile"),
        (lambda: CoordLayout((4, 2), (ScaledBasis(1, (0,)), ScaledBasis(1, (0, 1)))), "cannot stand together"),
        (lambda: make_identity_layout((8, 6))(8, 0), "outside shape"),
        (lambda: make_identity_layout((8, 6))(), "give a coordinate"),
        (lambda: ScaledBasis(1, (-1,)), "names 1 to"),
        (lambda: ScaledBasis("x", (0,)), "is an integer"),
        (lambda: zipped_divide(make_identity_layout((8, 6)), (4, 3, 2)), "3 modes"),
        (lambda: composition(make_identity_layout((8, 6)), 2.5), "comes after"),
        (lambda: composition(parse_layout("(4,6):(1@0,1@1)"), Layout(3, 3)), "divisibility"),
        (lambda: parse_layout("Sw<3,0,3> o 0 o (4,6):(1@0,1@1)"), "acts on offsets"),
        (lambda: parse_layout("(4@0,6):(1,1)"), "a shape holds integers"),
        (lambda: make_identity_tensor((4, 4)).layout.slice_and_offset((None,)), "does not fit"),
    ],
)
def test_bad_input(make, words):
    with pytest.raises(CuteLabError, match=words) as caught:
        make()
    assert len(str(caught.value)) <= 300
