"""The knobs of the thread map topic: text in, map out, for all ten classes; and what bad input gets to hear."""

import ast
from pathlib import Path

import numpy as np
import pytest
from thread_maps import ALL, FORMULA, RAKED, SIMT, WRONG, view

from cutelab import (
    CuteLabError,
    StripThreadMap,
    explore,
    matrix_layout,
    parse_layout,
    parse_thread_map,
)
from cutelab.course.topics import thread_map as scene
from cutelab.course.topics.thread_map import compute, panels
from cutelab.course.topics.thread_map.knobs import ThreadMapParams
from cutelab.course.topics.thread_map.typed import (
    EXAMPLES,
    knobs,
    of_class,
    read_map,
    read_other,
    read_shared,
    shared_offsets,
    short_class,
    turn,
)
from cutelab.cutlass.pitch_linear import PitchLinearShape
from cutelab.cutlass.thread_map import THREAD_MAPS


def test_the_formula_is_read_in_each_spelling():
    wanted = StripThreadMap(16, 64, 8, 4)
    for text in (
        str(wanted),
        FORMULA,
        "StripThreadMap<16,64,8,4>",
        "StripThreadMap(16, threads=64, pitch=8, strips=4)",
    ):
        assert read_other(text) == wanted
    assert ThreadMapParams().change(other=wanted).other == wanted


@pytest.mark.parametrize("text", ALL)
def test_every_knob_at_both_ends_works_or_says_why(text):
    params = ThreadMapParams().change(thread_map=text)
    for control in params.controls():
        if control.kind == "text":
            continue
        ends = control.choices or (control.lo, control.hi)
        ends = (False, True) if control.kind == "check" else ends
        for value in (ends[0], ends[-1]):
            try:
                moved = params.change(**{control.name: value})
            except CuteLabError as error:
                assert control.group == "Map" and len(str(error)) > 20
                continue
            assert {c.name: c.value for c in moved.controls()}[control.name] == value
            assert panels(compute(moved)).alt


@pytest.mark.parametrize("name", THREAD_MAPS)
def test_from_each_class_to_each_other(name):
    for text in ALL:
        found = of_class(name, read_map(text))
        assert type(found).__name__ == name and found.fragment_size
        moved = ThreadMapParams().change(thread_map=text, kind=name)
        assert moved.thread_map == found
    assert read_map(EXAMPLES[name]).coverage().exact
    assert of_class(short_class(name), read_map(SIMT)) == of_class(name, read_map(SIMT))


def test_knobs_are_the_template_parameters():
    shared = read_map(EXAMPLES["TransposePitchLinearThreadMap"])
    assert knobs(shared) == {
        "kind": "Transpose", "columns": 2048, "lines": 2, "threads": 128, "vector": 16,
        "warp": "32 x 1", "warp_2": "2 x 16",
    }  # fmt: skip
    turned = turn(shared, {"warp_2": "4 x 8", "vector": 8})
    assert str(turned.warp_thread_arrangement) == "PitchLinearShape<4,8>" and turned.elements_per_access == 8
    for text in ALL:
        found = read_map(text)
        assert turn(found, knobs(found)) == found


def test_one_knob_never_breaks_another():
    params = ThreadMapParams().change(thread_map=SIMT, thread=31, access=3, shared="(16,8):(8,1)", ld=16)
    assert params.change(lines=2).access == 0 and params.change(lines=4).shared == "PitchLinear"
    assert params.change(columns=32).ld == 32 and params.change(threads=16).thread == 15
    assert params.change(kind="PitchLinearWarpRakedThreadMap").thread_map.fragment_size
    both = ThreadMapParams().change(thread_map=SIMT, other=RAKED, thread=127, ld=64)
    assert both.change(other="").thread == 31 and both.change(columns=128).ld == 128
    assert panels(compute(both)).status.startswith("T127 → no access")


def test_the_call_rebuilds_the_view():
    for changes in (
        {},
        {"thread_map": WRONG[2], "thread": 40, "ld": 2048, "shared": "Sw<3,3,3>", "colour": "access"},
        {"other": FORMULA, "later": False, "element": "float32"},
    ):
        params = ThreadMapParams().change(**changes)
        call = ast.parse(params.call("thread_map"), mode="eval").body
        given = {k.arg: ast.literal_eval(k.value) for k in call.keywords}
        given |= {"thread_map": call.args[0].value} if call.args else {}
        assert ThreadMapParams().change(**given) == params
    assert ThreadMapParams().call("thread_map") == "explore.thread_map()"


@pytest.mark.parametrize("text", ALL)
def test_what_is_copied_is_the_same_map(text):
    copies = view(text)[2].copies
    assert parse_thread_map(copies["C++"]) == read_map(text)
    assert copies["C++"].count("cutlass::transform::") == text.count("ThreadMap") + text.count("PolicyStrip")
    assert ast.literal_eval(copies["Python"].removeprefix("parse_thread_map")) == str(read_map(text))
    if "CuTe TV layout" in copies:
        layout, found = parse_layout(copies["CuTe TV layout"]), read_map(text)
        elements = found.elements()
        assert layout(found.threads - 1, 0) == elements[-1, 0, 0] + elements[-1, 0, 1] * found.tile.contiguous


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"thread_map": "PitchLinearStripminedThreadMap<PitchLinearShape<16>, 32>"}, "^"),
        ({"thread_map": "PitchLinearStripminedThreadMap<PitchLinearShape<0,8>, 32>"}, "both extents must be 1 or more"),
        ({"thread_map": "PitchLinearStripminedThreadMap<PitchLinearShape<16,8>, 2048>"}, "1024"),
        ({"thread_map": "PitchLinearStripminedThreadMap<PitchLinearShape<16,8>, 24>"}, "is rejected"),
        ({"thread_map": FORMULA}, "give it as `other`"),
        ({"thread_map": ""}, "empty"),
        ({"thread_map": SIMT, "vector": 32}, "ElementsPerAccess 32 does not divide"),
        ({"thread_map": SIMT, "warp": "8 x 4"}, "has no warp"),
        ({"warp": "8"}, "such as 8 x 4"),
        ({"kind": "Raked"}, "there is no thread map"),
        ({"access": 2}, "access must be from 0 to 1"),
        ({"thread": 128}, "thread must be from 0 to 127"),
        ({"ld": 63}, "shorter than the tile's 64 columns"),
        ({"shared": "(8,8):(1,8)"}, "no layout of this tile"),
        ({"shared": "(64,32):(1,1)"}, "two elements of the 64 x 32 tile into one place"),
        ({"shared": "TensorOpMultiplicand<16,65>"}, "Crosswise 65"),
        ({"shared": ""}, "shared must be a layout"),
        ({"element": "float"}, "element must be one of"),
        ({"colour": "thread"}, "colour must be one of"),
        ({"later": 1}, "later must be True or False"),
        ({"other": "StripThreadMap(16, 64, 8)"}, "^"),
        ({"other": "StripThreadMap(16, 0, 8, 4)"}, "threads"),
        ({"other": "WarpRaked"}, "expected the name of a thread map"),
        ({"warps": 3}, "there is no parameter"),
    ],
)  # fmt: skip
def test_bad_input_is_one_clear_error(changes, words):
    with pytest.raises(CuteLabError) as caught:
        ThreadMapParams().change(**changes)
    assert words in str(caught.value)


def test_a_rejected_template_keeps_the_last_good_picture():
    lab = explore.thread_map(SIMT)
    before = lab.image
    with pytest.raises(CuteLabError):
        lab.set(threads=24)
    assert "24 threads" in lab.error and "Use" in lab.error
    assert lab.image == before and str(lab.params.thread_map) == SIMT
    lab.set(threads=64)
    assert lab.error is None and lab.image != before


def test_no_class_has_a_path_of_its_own():
    folder = Path(scene.__file__).parent
    for name in ("knobs.py", "model.py", "cost.py", "card.py", "words.py"):
        source = (folder / name).read_text(encoding="utf-8")
        code = [line for line in source.splitlines() if not line.strip().startswith((">>>", '"""'))]
        assert not [line for line in code for cls in THREAD_MAPS if cls in line and "text =" not in line]


def test_shared_layouts_fit_their_tile():
    tile = PitchLinearShape(64, 8)
    for name in ("RowMajor", "ColumnMajor", "PitchLinear", "cutlass::layout::PitchLinear"):
        assert (shared_offsets(read_shared(name), tile) == np.arange(64)[:, None] + 64 * np.arange(8)).all()
    woven = shared_offsets("ColumnMajorInterleaved<4>", tile)
    assert (woven == matrix_layout("ColumnMajorInterleaved<4>", (64, 8)).offsets).all()
    assert (shared_offsets("RowMajorInterleaved<4>", tile) == woven).all()


@pytest.mark.parametrize("text", EXAMPLES.values(), ids=list(EXAMPLES))
def test_every_value_on_offer_is_admitted_and_the_rest_says_why(text):
    params = ThreadMapParams(thread_map=parse_thread_map(text))
    for control in params.controls():
        if control.group != "Map" or control.name == "kind" or not control.choices:
            continue
        assert control.value in control.choices
        for value in control.choices:
            assert knobs(params.change(**{control.name: value}).thread_map)[control.name] == value
        if control.name == "lines":
            for value in set(range(1, 65)) - {*control.choices}:
                with pytest.raises(CuteLabError, match=r"rejected|drawn"):
                    params.change(lines=value)


def test_the_title_of_a_map_is_read_again():
    for text in EXAMPLES.values():
        found = parse_thread_map(text)
        assert parse_thread_map(panels(compute(ThreadMapParams(thread_map=found))).title) == found
