"""What holds for every topic and every knob: declared once, shown, of effect; one step builds little; any chip draws."""

import dataclasses
import random
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from verdicts import wrong

from cutelab import CuteLabError, explore
from cutelab.core import notation
from cutelab.core.errors import MAX_MESSAGE
from cutelab.course.card.knobs import Params, slider
from cutelab.course.card.paint.ops import Cells
from cutelab.course.card.paint.plan import plan
from cutelab.course.card.paint.stamp import stamp
from cutelab.course.lab import html
from cutelab.course.lab.html import STALE
from cutelab.course.topics import banks
from cutelab.hardware import AMD_LDS, H200

TOPICS = [name for name in explore.__all__ if name not in ("Explorer", "picture", "view")]
VIEWS = {
    "layout": [{}, {"colour": "bank"}],
    "coalescing": [{}, {"across": 8}],
    "banks": [{}, {"read": "own"}, {"access_bytes": 16}],
    "swizzle": [{}, {"layout": "(32,32):(32,1)", "swizzle": "Sw<5,0,5>"}],
    "algebra": [{}, {"operation": "complement", "a": "4:2", "cotarget": "24"}],
    "tensor_core": [
        {},
        {"atom": "SM90_64x64x16_F32F16F16_SS", "operand": "A"},
        {"atom": "SM80_16x8x16_F32F16F16F32_TN", "smem": "(32,64):(64,1)", "load": "ld.shared.b16"},
    ],
    "kernel": [{}, {"kernel": "gemm"}],
    "tiled": [{}, {"kind": "MMA", "atom": "SM80_16x8x8_F32F16F16F32_TN"}],
    "descriptor": [{}, {"tile": "K, no swizzle"}],
    "tma": [{}, {"column": 32, "row": 20}],
}
"""Views in which, taken together, every knob of a topic is shown and does something."""

OTHER = {
    "layout": ["(16,8):(8,1)", "(8,16):(16,1)", "(64,64):(72,1)", "(16,64):(64,1)"],
    "swizzle": ["Sw<3,0,3>", "Sw<2,0,3>", "Sw<3,3,3>"],
    "lane_row": ["t % 16"],
    "lane_col": ["t // 16 * 8"],
    "a": ["(8,4):(4,1)", "4:1"],
    "b": ["(2,3):(1,2)", "(4,2):(1,4)"],
    "cotarget": ["48"],
    "tiler": ["<2, 4>"],
    "other": ["<2, 2>", "PitchLinearStripminedThreadMap<PitchLinearShape<64,32>, 128, 8>"],
    "atom": ["SM80_16x8x16_F32F16F16F32_TN"],
    "smem": ["(16,64):(72,1)", "(64,64):(64,1)"],
    "thread_map": ["PitchLinearStripminedThreadMap<PitchLinearShape<16,8>, 32, 1>"],
    "shared": ["RowMajor", "ColumnMajor", "Swizzle<3,3,3>", "(64,32):(32,1)"],
    "kernel": ["transpose", "gemm"],
    "tiled": [
        "make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>,half_t>{}, Layout<Shape<_16,_8>,Stride<_8,_1>>{}, Layout<Shape<_1,_8>>{})"
    ],
    "thr": ["(32,4):(4,1)", "(32,4):(1,32)"],
    "val": ["(1,16):(16,1)"],
    "atoms": ["(1,2,1)", "(4,1,1)"],
    "permutation": ["(32,32,16)", "(64,32,16)"],
    "src": ["(128,64):(1,128)"],
    "dst": ["(128,64):(64,1)", "(128,64):(72,1)"],
    "name": ["tBsB"],
}
CHIPS = [AMD_LDS, *(replace(H200, **one) for one in ({"banks": 64}, {"banks": 16}, {"word_bytes": 8}, {"lanes": 64}, {"sector_bytes": 64}))]  # fmt: skip
each = pytest.mark.parametrize("topic", TOPICS)


def views(topic):
    return [getattr(explore, topic)(**changes) for changes in VIEWS.get(topic, [{}])]


def values(control):
    """Some values that this knob can take, from both ends inwards; texts from the table."""
    if control.kind in ("slider", "index"):
        inside = range(control.lo, control.hi + 1, max(1, control.step))
        return list(dict.fromkeys([*inside[:3], *inside[-2:], *inside[len(inside) // 2 :][:2]]))
    if control.kind == "check":
        return [True, False]
    return list(control.choices) or OTHER.get(control.name, [])


def drawn(picture):
    """The pixels of a picture and their colours: what its file holds, before it is packed."""
    canvas = stamp(plan(picture), 1)
    return canvas.pixels.tobytes(), canvas.colours.tobytes()


def seen(lab):
    """All that a person can see or copy of a view, but for the knobs themselves and the line of code: texts first, pixels last."""
    p = lab.picture
    yield p.alt, p.status, {k: v for k, v in p.copies.items() if k != "cutelab"}
    yield None if p.tips is None else (p.tips.template, p.tips.table.tobytes())
    yield drawn(replace(p, call=""))


def differs(lab, other):
    """Is anything else seen in these two views? Pixels are drawn only where all texts are the same."""
    return any(one != two for one, two in zip(seen(lab), seen(other), strict=True))


@each
def test_every_field_is_a_knob_that_is_shown_and_has_an_effect(topic):
    labs = views(topic)
    params = type(labs[0].params)
    left = {f.name for f in dataclasses.fields(params) if "knob" in f.metadata} | set(params._derived)
    assert left >= {f.name for f in dataclasses.fields(params) if f.name not in ("chip", "shared")}, (
        "a field without a knob"
    )
    for lab in labs:
        for control in lab.params.controls():
            start, before = lab.params, copy(lab)
            for value in values(control):
                if control.name not in left:
                    break
                try:
                    lab.set(**{control.name: value})
                except CuteLabError:
                    continue
                if lab.params != start and differs(lab, before):
                    left.discard(control.name)
                lab.set(**{name: getattr(start, name) for name in start.names()})
    assert not left, f"{topic}: these knobs are not shown, or change nothing that is seen: {sorted(left)}"


def test_one_rule_colours_every_verdict_and_every_bar_with_an_ideal():
    judged = dict.fromkeys(TOPICS, 0)
    for topic in TOPICS:
        for lab in views(topic):
            start = lab.params
            for control in start.controls():
                for value in values(control):
                    try:
                        lab.set(**{control.name: value})
                    except CuteLabError:
                        continue
                    found, n = wrong(lab.picture)
                    assert not found, (topic, control.name, value, found)
                    judged[topic] += n
                    lab.set(**{name: getattr(start, name) for name in start.names()})
    silent = {topic for topic, n in judged.items() if not n}
    assert silent == {"algebra", "tiling", "tma", "descriptor"}, "topics that count nothing which has an ideal"


MANY = [
    explore.swizzle("Sw<5,0,5>", layout="(32,32):(32,1)"),
    explore.tiling("(64,64):(64,1)", tiler="<16, 16>"),
    explore.tiling(operation="raked_product", tiler="(4,8):(1,4)"),
    explore.algebra(a="(32,32):(32,1)", b="(32,32):(32,1)"),
    explore.thread_map("PitchLinearStripminedThreadMap<PitchLinearShape<128,64>, 512, 1>"),
    explore.strips(row_pitch=128, threads=1024),
    explore.banks("(64,64):(64,1)"),
]
"""Pictures with more cells than have room for numbers."""


@pytest.mark.parametrize("lab", [*(lab for topic in TOPICS for lab in views(topic)), *MANY], ids=lambda lab: lab.code())
def test_a_subtitle_speaks_of_numbers_only_where_there_are_some(lab):
    text = lab.picture.subtitle
    if "umber" in text and lab.picture.grids():
        cells = [op for op in plan(lab.picture).ops if isinstance(op, Cells)]
        carried = sum(op.pair.size for op in cells if op.labels)
        assert 8 * carried > sum(op.pair.size for op in cells), text  # more than the few beside a table


@dataclass(frozen=True)
class Planted(banks.Params):
    start: int = slider(0, 0, 31, group="Tile")
    never: int = slider(0, 0, 31, group="Tile", shown=False)


def test_a_knob_without_effect_and_one_that_is_not_shown_are_found():
    lab = explore.Explorer("banks", banks, Planted())
    shown = {c.name for c in lab.params.controls()}
    assert "start" in shown and "never" not in shown
    before = copy(lab)
    lab.set(start=3)
    assert lab.params.start == 3 and not differs(lab, before), "what the test above calls a knob that changes nothing"


@each
def test_one_step_builds_two_sets_of_parameters_and_parses_one_text_at_most(topic, monkeypatch):
    built, parsed = [], []
    plain_init, plain_parse = Params.__post_init__, notation.parse
    monkeypatch.setattr(Params, "__post_init__", lambda self: (built.append(1), plain_init(self))[1])
    for module in ("cutelab.core.composed.parse", "cutelab.core.notation.parse"):
        target, _, name = module.rpartition(".")
        if hasattr(__import__(target, fromlist=["x"]), name):
            monkeypatch.setattr(module, lambda text: (parsed.append(text), plain_parse(text))[1])
    for lab in views(topic):
        for control in lab.params.controls():
            for value in values(control)[:3]:
                built.clear(), parsed.clear()
                start = lab.params
                try:
                    lab.set(**{control.name: value})
                except CuteLabError:
                    continue
                texts = 1 if control.kind in ("text", "dropdown") else 0
                assert len(built) <= 2, f"{control.name} = {value}: {len(built)} sets of parameters were built"
                most = 1 if control.kind == "text" else 4 * texts  # a starting point may hold several texts
                assert len(parsed) <= most, f"{control.name} = {value}: {parsed} were parsed"
                lab.set(**{name: getattr(start, name) for name in start.names()})


class Opened:
    """In place of an Explorer: the scene and the parameters that a call opens it with, and no widgets."""

    def __init__(self, name, scene, params, scale, view):
        self.name, self.scene, self.params, self.how = name, scene, params, (scale, view)


@each
def test_the_call_rebuilds_the_view(topic, monkeypatch):
    rng = random.Random(topic)
    opened = views(topic)
    monkeypatch.setattr(explore, "Explorer", Opened)
    for lab in opened:
        for _ in range(40):
            control = rng.choice(lab.params.controls())
            value = rng.choice(values(control) or [control.value])
            try:
                lab.set(**{control.name: value})
            except CuteLabError:
                continue
            again = eval(lab.code(), {"explore": explore})
            assert again.params == lab.params and again.name == topic, lab.code()
            assert again.scene is lab._scene


@pytest.mark.long
@each
@pytest.mark.parametrize(
    "chip", CHIPS, ids=lambda c: f"{c.banks} banks of {c.word_bytes}, {c.lanes} lanes, {c.sector_bytes}"
)
def test_any_chip_draws_and_says_that_nobody_measured_it(topic, chip):
    for changes in VIEWS.get(topic, [{}]):
        lab = getattr(explore, topic)(**changes, chip=chip)
        assert all(drawn(lab.picture)) and "not measured" in lab.picture.subtitle
        for control in lab.params.controls():
            before = lab.picture
            for value in values(control)[:2]:
                try:
                    lab.set(**{control.name: value})
                except CuteLabError:
                    continue
                assert lab.picture is before or (plan(lab.picture).ops and lab.picture.alt)
            assert lab.picture is before or all(drawn(lab.picture))


def test_another_number_of_banks_is_another_count():
    column = {"layout": "(32,32):(32,1)", "read": "column"}
    assert explore.banks(**column).result.waves.count == 32
    assert explore.banks(**column, chip=replace(H200, banks=64)).result.waves.count == 16
    assert explore.banks(**column, chip=replace(H200, banks=8)).result.waves.count == 32
    assert explore.coalescing(chip=replace(H200, sector_bytes=64)).result.count == 2


JUNK = (
    *("x(", "", -1, 10**9, True, 1.5, None, "0", float("nan"), b"x", [1], object(), lambda: 0),
    *(10**5000, -(10**5000), "9" * 5000, "x" * 1000, "(1," * 500, "(8,8):(8,1)" * 30, "\u202e\x00"),
)


def test_the_sentence_below_an_error_stands_in_both_views():
    assert STALE in (Path(html.__file__).parent / "picture.js").read_text(encoding="utf-8")
    lab = explore.layout(view="html")
    lab._fail(RuntimeError("x" * 1000))
    assert STALE in lab._view.value and len(f"{lab.error}\n{STALE}") == MAX_MESSAGE


@each
def test_what_was_typed_is_one_clear_error_or_a_picture(topic):
    for lab in views(topic):
        for control in lab.params.controls():
            start = lab.params
            for junk in JUNK:
                try:
                    lab.set(**{control.name: junk})
                except CuteLabError as error:
                    assert len(str(error)) > 0 and lab.params is start
                    assert (
                        len(f"{lab.error}\n{STALE}") <= MAX_MESSAGE
                    )  # the sentence that stands below it on the screen
                else:
                    lab.set(**{name: getattr(start, name) for name in start.names()})
                    start = lab.params
