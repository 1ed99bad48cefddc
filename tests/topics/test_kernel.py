"""The kernel scene: what it predicts is what plans and the memory model say, what it shows as measured is in the data."""

import ast
import itertools
from dataclasses import replace

import numpy as np
import pytest
from verdicts import rule

from cutelab import CuteLabError, WarpAccess, explore, measured_kernels, offsets, parse_layout, wavefronts
from cutelab.course.card import paint as draw
from cutelab.course.card.picture import Bars, Grid
from cutelab.course.topics.kernel import card as kernel_panels
from cutelab.course.topics.kernel import compute, knobs, panels
from cutelab.course.topics.kernel.knobs import KernelParams
from cutelab.course.topics.kernel.words import element
from cutelab.hardware.chip import AMD_LDS, H200

NUMBERS = (("banks", 64), ("word_bytes", 8), ("lanes", 16), ("sector_bytes", 64))

VIEWS = [
    {},
    {"variant": "padded"},
    {"variant": "naive", "tile": 32},
    {"width": 16, "variant": "swizzled"},
    {"width": 8, "pitch": 70},
    {"tile": 32, "pitch": 40, "block": "16 x 16"},
    {"pitch": 71, "swizzle": "Sw<2,3,3>"},
    {"kernel": "gemm"},
    {"kernel": "gemm", "variant": "swizzled", "tile": 64, "buffers": 2},
    {"kernel": "gemm", "pitch": 48},
]


def at(**changes):
    return KernelParams().change(**changes)


def bars(picture, name):
    column = picture.body[0][1]
    return next(p for p in column if isinstance(p, Bars) and p.name == name).bars


@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_the_card_says_what_the_plan_predicts(view):
    result = compute(at(**view))
    picture = panels(result)
    shown = {b.label: (b.value, b.ideal, b.state) for b in (*_of(picture, "global"), *_of(picture, "shared"))}
    for access in result.plan.accesses():
        if access.name == "write c":
            continue
        pairs = access.name.startswith("read tile ")  # of the product: 16 bytes a lane, the same piece for two lanes
        best = (1 + pairs) * access.ideal
        assert shown[access.name] == (access.count, best, rule(access.count, best))
    worst = max(shown.values(), key=lambda one: one[0] - one[1])
    assert picture.verdicts[0].state == worst[2]


def _of(picture, name):
    return next((p.bars for p in picture.body[0][1] if p.name == name), ())


@pytest.mark.parametrize(
    ("tile", "pitch", "swizzle"), [(64, 64, ""), (64, 72, ""), (32, 33, ""), (64, 64, "Sw<5,0,6>")]
)
def test_the_column_read_by_a_slow_count(tile, pitch, swizzle):
    # Every warp of the block reads 32 rows of one column; banks counted with a dictionary.
    result = compute(at(tile=tile, pitch=pitch, swizzle=swizzle))
    table, expected = offsets(parse_layout(str(result.params.layout))), 0
    for column, first in itertools.product(range(tile), range(0, tile, 32)):
        seen = {}
        for row in range(first, first + 32):
            seen.setdefault(table[row, column] % 32, set()).add(table[row, column])
        expected += max(map(len, seen.values()))
    assert result.reader.count == expected


@pytest.mark.parametrize("view", [v for v in VIEWS if v.get("variant") != "naive"], ids=str)
def test_the_frame_holds_the_elements_of_the_first_read(view):
    result = compute(at(**view))
    warp, nbytes = result.reader.warps.byte_address[0], result.reader.access_bytes
    held = np.unique(result.table[result.read] * 4 // nbytes)
    assert held.tolist() == np.unique(warp // nbytes).tolist()
    assert wavefronts(WarpAccess(warp, nbytes)).ways <= result.reader.ways
    grid = next(p for p in panels(result).body[0][0] if isinstance(p, Grid))
    assert np.array_equal(grid.fill, result.table[: kernel_panels.WINDOW] % 32)
    inside = np.zeros_like(result.read)
    for ring in grid.rings:
        inside[ring.row : ring.row_end + 1, ring.col : ring.col_end + 1] = True
    assert not (result.read & ~inside)[: kernel_panels.WINDOW].any()


def test_measured_bars_are_the_stored_run():
    run = measured_kernels()
    result = compute(at(variant="padded"))
    found = run.time(
        "transpose",
        16384,
        tile=64,
        layout="(64,64):(65,1)",
        vector=1,
        block=(32, 16),
        group=0,
        hint="",
        dtype="float32",
    )
    assert result.time is found and found is not None
    shown = {b.label: b.value for b in bars(panels(result), "measured")}
    assert shown["this setting"] == round(found.rate) and shown["best copy"] == round(run.best_copy(16384).rate)
    assert "conflicting" in shown and "padded" not in shown
    assert f"{round(found.rate)} GB/s" in panels(result).verdicts[0].second


def test_every_variant_of_every_usual_setting_was_measured():
    for kernel, tiles in knobs.TILES.items():
        for tile, name in itertools.product(tiles, knobs.VARIANTS[kernel]):
            widths = (4,) if name == "naive" else (16,) if kernel == "gemm" else knobs.WIDTHS
            for width in widths:
                params = at(kernel=kernel, tile=tile, variant=name, width=width)
                for block in params.blocks:
                    assert compute(params.change(block=block)).time is not None, (kernel, tile, name, width, block)
    for pitch in knobs.PITCHES:
        assert compute(at(kernel="gemm", pitch=pitch)).time is not None, pitch


def test_what_was_not_measured_is_said():
    picture = panels(compute(at(pitch=71)))
    assert "not timed" in picture.status and "not timed" in picture.verdicts[0].second
    assert "this setting" not in {b.label for b in bars(picture, "measured")}


def test_conflicts_that_hide_are_said():
    result = compute(at(width=16))
    assert result.worst.ways == 8 and result.hidden and not result.slow
    assert "hide behind global memory" in panels(result).verdicts[0].second
    assert compute(at()).slow and not compute(at()).hidden


@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_the_call_rebuilds_the_view(view):
    params = at(**view)
    call = ast.parse(params.call("kernel"), mode="eval").body
    given = {k.arg: ast.literal_eval(k.value) for k in call.keywords}
    if call.args:
        given["kernel"] = ast.literal_eval(call.args[0])
    assert at(**given) == params


@pytest.mark.long
@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_every_knob_at_every_value_works(view):
    params = at(**view)
    for control in params.controls():
        ends = control.choices or (control.lo, control.hi)
        for value in ends if control.kind != "text" else ("", "Sw<3,2,3>"):
            try:
                changed = params.change(**{control.name: value})
            except CuteLabError as error:  # a swizzle that takes wide accesses apart says so
                assert control.name == "swizzle" and "neighbours" in str(error)
                continue
            now = {c.name: c for c in changed.controls()}[control.name].value
            if value != "own":
                assert now == value
            assert draw.render(panels(compute(changed)), 1).png[:4] == b"\x89PNG"
            assert control.kind == "text" or now == getattr(changed, control.name)


def test_a_new_tile_or_width_keeps_the_variant():
    for name in knobs.VARIANTS["transpose"]:
        assert at(variant=name, tile=32).variant == at(variant=name).change(tile=32).variant == name
    assert at(variant="swizzled").change(width=16).variant == "swizzled"
    assert at(variant="naive").change(width=8).variant == "conflicting"
    assert at(variant="swizzled").change(kernel="gemm").change(kernel="transpose") == at(variant="swizzled")
    assert at(pitch=70).change(tile=32).pitch == 38
    assert at(pitch=70).change(kernel="gemm").variant == "padded"


def test_fixes_beat_the_layout_and_apply_themselves():
    result = compute(at(pitch=80))
    for fix in panels(result).offers:
        fixed = compute(result.params.change(**fix.changes))
        assert fixed.reader.count < result.reader.count and fixed.params.block == result.params.block
        assert str(fixed.reader.count) in fix.line
        assert [c.in_use for c in panels(fixed).offers].count(True) == 1
    assert [c.changes["variant"] for c in panels(compute(at(variant="naive"))).offers] == ["padded"]
    assert panels(compute(at(pitch=67))).offers == ()


@pytest.mark.parametrize("view", [v for v in VIEWS if v.get("variant") != "naive"], ids=str)
def test_the_copied_index_is_the_layout(view):
    layout = at(**view).layout
    first, _, last = element(layout).rpartition("; ")
    table = offsets(layout)
    row, col = np.indices(table.shape)
    names = {"row": row, "col": col}
    if first:
        names["o"] = _value(first.removeprefix("o = "), names)
    assert np.array_equal(_value(last.removeprefix("tile[").removesuffix("]"), names), table)


def _value(text, names):
    return eval(compile(text, "element", "eval"), {"__builtins__": {}}, names)  # our own text


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"kernel": "sort"}, "kernel must be one of transpose, gemm"),
        ({"tile": 48}, "tile must be 32 or 64"),
        ({"kernel": "gemm", "tile": 32}, "tile must be 64 or 128 in the gemm"),
        ({"width": 3}, "width must be one of 4, 8, 16"),
        ({"pitch": 63}, "pitch must be from 64 to 96"),
        ({"pitch": 64.5}, "whole number"),
        ({"kernel": "gemm", "pitch": 33}, "pitch must be one of 32, 36"),
        ({"block": "10 x 10"}, "block must be one of 32 x 16"),
        ({"swizzle": "Sw<5,0"}, "Sw"),
        ({"width": 16, "swizzle": "Sw<5,0,6>"}, "keeps 1 neighbours"),
        ({"variant": "fast"}, "no variant 'fast'"),
        ({"buffers": 2}, "buffers=1"),
        ({"kernel": "gemm", "shared": False}, "shared memory"),
        ({"shared": False, "width": 16}, "width=4"),
        ({"colour": 1}, "no parameter 'colour'"),
    ],
)
def test_bad_input_gives_one_clear_error(changes, says):
    with pytest.raises(CuteLabError, match=says):
        at(**changes)


@pytest.mark.parametrize("kernel", ["transpose", "gemm"])
def test_the_explorer_turns_every_knob(kernel):
    for control in at(kernel=kernel).controls():
        lab = explore.kernel(kernel)
        value = (control.choices or (control.lo, control.hi))[-1] if control.kind != "text" else "Sw<3,2,3>"
        lab._controls.widget(control.name).value = value
        assert lab.error is None and str(getattr(lab.params, control.name)) == str(value)
        lab.close()


def test_a_swizzle_that_cannot_be_read_is_told():
    lab = explore.kernel()
    lab._controls.widget("swizzle").value = "Sw<"
    assert lab.error and lab.params.swizzle is None
    lab.close()


def test_a_variant_is_of_the_kernel_tile_and_width_that_are_asked_for_with_it():
    for kernel, tiles in knobs.TILES.items():
        for name, tile in itertools.product(knobs.VARIANTS[kernel], tiles):
            start = at(kernel="gemm", pitch=48) if kernel == "transpose" else at(pitch=70, width=8)
            params = start.change(kernel=kernel, variant=name, tile=tile)
            assert (params.kernel, params.variant, params.tile) == (kernel, name, tile)
            assert params.block == params.blocks[0] and params.width == (16 if kernel == "gemm" else 4)
    with pytest.raises(CuteLabError, match="no variant 'naive'; there are conflicting"):
        at(kernel="gemm", variant="naive")


@pytest.mark.parametrize("chip", [AMD_LDS, *(replace(H200, **{k: v}) for k, v in NUMBERS)], ids=str)
@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_another_chip_counts_by_its_own_numbers_and_was_not_timed(chip, view):
    params = at(chip=chip).change(**{name: value for name, value in view.items() if name != "block"})
    params = params.change(block=params.blocks[-1])
    result = compute(params)
    picture = panels(result)
    assert draw.render(picture, 1).png[:4] == b"\x89PNG"
    assert result.time is None and "not timed" in picture.status
    assert [a.count for a in result.accesses] == [a.count for a in result.plan.accesses()]
    assert all(a.warps.chip == chip for a in result.accesses)
    if result.table is not None:
        grid = next(p for p in picture.body[0][0] if isinstance(p, Grid))
        drawn = result.table[: kernel_panels.WINDOW]
        assert np.array_equal(grid.fill, drawn * 4 // chip.word_bytes % chip.banks)
        cell = grid.probe[-1, -1]
        offset, bank = drawn[-1, -1], drawn[-1, -1] * 4 // chip.word_bytes % chip.banks
        assert picture.tips.template.format(*picture.tips.table[cell]).endswith(f"offset {offset}\nbank {bank}")


def test_a_variant_without_room_is_not_offered():
    chip = replace(H200, static_bytes=64 * 64 * 4)
    result = compute(at(chip=chip))
    assert [fixed.variant for fixed, _ in result.fixes] == ["swizzled"]
    with pytest.raises(CuteLabError, match="a block has 16,384"):
        at(chip=chip, variant="padded")
