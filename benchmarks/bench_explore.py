"""One slider step of explore.layout at 32 x 32 with a number in each cell: parameters in, a new picture out."""

from __future__ import annotations

import itertools

import pytest

from cutelab import explore

GROUP = "a slider step at 32 x 32"
ROUNDS = 30
LAYOUTS = [f"(32,32):({stride},1)" for stride in range(32, 64)]
MOST_SECONDS = 0.2  # 16 ms is the aim on two idle cores; this is the alarm


@pytest.fixture
def explorer():
    """The explorer, warm: its frame is drawn and its digits are rendered."""
    made = explore.layout(LAYOUTS[0])
    assert made.image
    return made


@pytest.mark.benchmark(group=GROUP)
def bench_set_and_render(benchmark, explorer):
    step = itertools.cycle(LAYOUTS)

    def once() -> bytes:
        explorer.set(layout=next(step))
        return explorer.image

    picture = benchmark.pedantic(once, rounds=ROUNDS, warmup_rounds=3)
    assert explorer.error in (None, "")
    benchmark.extra_info["bytes"] = len(picture)
    assert benchmark.stats.stats.median < MOST_SECONDS


@pytest.mark.benchmark(group="a slider step of explore.strips")
@pytest.mark.parametrize(
    "view", [{}, {"row_pitch": 32, "threads": 1024, "pitch": 32, "strips": 32}], ids=["64", "32 x 32"]
)
def bench_strips(benchmark, view):
    made = explore.strips(**view)
    step = itertools.cycle(range(31, -1, -1))  # the probe walks, and the whole picture is made anew

    def once() -> bytes:
        made.set(thread=next(step))
        return made.image

    picture = benchmark.pedantic(once, rounds=ROUNDS, warmup_rounds=3)
    benchmark.extra_info["bytes"] = len(picture)
    assert benchmark.stats.stats.median < MOST_SECONDS


@pytest.mark.benchmark(group=GROUP)
def bench_banks_pitch(benchmark):
    """The pitch slider of explore.banks: 32 x 32 banks with numbers, beside the wavefronts."""
    made, pitches = explore.banks(), itertools.cycle(range(32, 65))

    def once() -> bytes:
        made.set(pitch=next(pitches))
        return made.image

    picture = benchmark.pedantic(once, rounds=ROUNDS, warmup_rounds=3)
    benchmark.extra_info["bytes"] = len(picture)
    assert len(picture) <= 80_000 and benchmark.stats.stats.median < MOST_SECONDS


@pytest.mark.benchmark(group="a slider step of explore.algebra, three maps of 32 x 32")
def bench_algebra(benchmark):
    lab = explore.algebra(a="(32,32):(32,1)", b="(32,32):(32,1)")
    step = itertools.cycle(range(32, 64))

    def once() -> bytes:
        lab.set(a_stride_0=next(step))
        return lab.image

    picture = benchmark.pedantic(once, rounds=ROUNDS, warmup_rounds=3)
    benchmark.extra_info["bytes"] = len(picture)
    assert benchmark.stats.stats.median < MOST_SECONDS


@pytest.mark.benchmark(group="a slider step of explore.tiling, 16 x 32 with numbers")
def bench_tiling(benchmark):
    lab = explore.tiling("(128,128):(1,128)", tiler="<4, 8>")
    step = itertools.cycle(range(1, 33))

    def once() -> bytes:
        lab.set(tile_0=next(step))
        return lab.image

    picture = benchmark.pedantic(once, rounds=ROUNDS, warmup_rounds=3)
    benchmark.extra_info["bytes"] = len(picture)
    assert benchmark.stats.stats.median < MOST_SECONDS


@pytest.mark.benchmark(group="a step of a large example")
@pytest.mark.parametrize(
    "make, change",
    [
        (lambda: explore.tiling("8:1", operation="blocked_product", tiler="(2,72):(1,2)"), {"layout": "(128,128)"}),
        (lambda: explore.algebra("complement"), {"a": "1000000:1000000"}),
    ],
    ids=["tiling", "complement"],
)
def bench_large_examples(benchmark, make, change):
    """Nothing that a learner may type takes seconds."""
    benchmark.pedantic(lambda lab: lab.set(**change), setup=lambda: ((make(),), {}), rounds=3)


@pytest.mark.benchmark(group="a page of pixels as a file")
@pytest.mark.parametrize("name", ["zlib_ng", "zlib"])
def bench_png(benchmark, monkeypatch, name):
    """32 x 32 numbers at scale 2: what zlib-ng saves, beside zlib."""
    import zlib

    from cutelab.course.card.paint import png
    from cutelab.course.card.paint.plan import plan
    from cutelab.course.card.paint.stamp import stamp

    if name == "zlib":
        monkeypatch.setattr(png, "compress", zlib.compress)
    canvas = stamp(plan(explore.layout("(32,32):(33,1)").picture), 2)
    data = benchmark.pedantic(lambda: png.encode(canvas.pixels, canvas.colours, 2), rounds=ROUNDS, warmup_rounds=3)
    benchmark.extra_info["bytes"] = len(data)


@pytest.mark.benchmark(group="the picture as SVG")
@pytest.mark.parametrize("way", ["written", "matplotlib"])
def bench_svg(benchmark, way):
    """A card of 1,024 numbers: written from the plan, and by matplotlib from the same card."""
    import io

    lab = explore.layout("(32,32):(33,1)")

    def drawn() -> bytes:
        out = io.BytesIO()
        lab.figure().savefig(out, format="svg")
        return out.getvalue()

    once = drawn if way == "matplotlib" else lambda: lab._content("svg")
    benchmark.extra_info["bytes"] = len(benchmark.pedantic(once, rounds=3))


@pytest.mark.benchmark(group=GROUP)
def bench_a_fresh_explorer(benchmark):
    """What each step would cost if nothing were kept."""
    step = itertools.cycle(LAYOUTS)
    benchmark.pedantic(lambda: explore.layout(next(step)).image, rounds=5, warmup_rounds=1)


@pytest.mark.benchmark(group=GROUP)
def bench_a_figure_with_a_text_per_cell(benchmark):
    """The usual way: a new matplotlib figure, one Text for each cell."""
    import io

    from matplotlib.figure import Figure

    from cutelab import Layout, offsets

    def once() -> bytes:
        values = offsets(Layout((32, 32), (32, 1)))
        axes = Figure(figsize=(13.56, 9.86)).subplots()
        axes.imshow(values)
        for (row, col), value in zip(itertools.product(range(32), repeat=2), values.flat, strict=True):
            axes.text(col, row, str(value), ha="center", va="center", fontsize=6)
        out = io.BytesIO()
        axes.figure.savefig(out, format="png")
        return out.getvalue()

    benchmark.pedantic(once, rounds=3)


@pytest.mark.benchmark(group=GROUP)
def bench_swizzle(benchmark):
    """explore.swizzle: two tiles of 32 x 32 beside each other."""
    made = explore.swizzle("Sw<5,0,5>", layout="(32,32):(32,1)")
    step = itertools.cycle((5, 6, 7, -5, -6, -7))

    def once() -> bytes:
        made.set(shift=next(step))
        return made.image

    benchmark.pedantic(once, rounds=ROUNDS, warmup_rounds=3)


@pytest.mark.benchmark(group="a slider step of explore.coalescing")
def bench_coalescing_stride(benchmark):
    """Stride 1 to 32 of float32: from one line to 32, with the lanes' names."""
    made = explore.coalescing()
    step = itertools.cycle(range(1, 33))

    def once() -> bytes:
        made.set(stride=next(step))
        return made.image

    picture = benchmark.pedantic(once, rounds=32, warmup_rounds=3)
    benchmark.extra_info["bytes"] = len(picture)


@pytest.mark.benchmark(group="a slider step at 64 x 64, thread map")
def bench_thread_map(benchmark):
    made = explore.thread_map("PitchLinearStripminedThreadMap<PitchLinearShape<64,64>, 256, 1>", element="float32")
    step = itertools.cycle(range(16))

    def once() -> bytes:
        made.set(access=next(step))
        return made.image

    benchmark.extra_info["bytes"] = len(benchmark.pedantic(once, rounds=ROUNDS, warmup_rounds=3))
    assert benchmark.stats.stats.median < MOST_SECONDS


@pytest.mark.benchmark(group="a slider step of explore.pipeline")
@pytest.mark.parametrize("view", [{}, {"stages": 12, "tiles": 64, "arch": "sm_100"}], ids=["2 stages", "12 stages"])
def bench_pipeline_latency(benchmark, view):
    """Latency 0 to 3000: every stretch of the timeline moves."""
    made, step = explore.pipeline(**view), itertools.cycle(range(0, 3001, 50))

    def once() -> bytes:
        made.set(latency=next(step))
        return made.image

    picture = benchmark.pedantic(once, rounds=ROUNDS, warmup_rounds=3)
    benchmark.extra_info["bytes"] = len(picture)
    assert len(picture) <= 80_000 and benchmark.stats.stats.median < MOST_SECONDS


@pytest.mark.benchmark(group="a step of explore.tensor_core")
@pytest.mark.parametrize(
    "view",
    [{}, {"atom": "SM80_16x8x16_F32F16F16F32_TN"}, {"atom": "SM90_64x256x16_F32F16F16_SS", "operand": "C"}],
    ids=["16 x 8", "16 x 16", "64 x 256"],
)
def bench_tensor_core(benchmark, view):
    made, threads = explore.tensor_core(**view), itertools.cycle(range(32))

    def once() -> bytes:
        made.set(thread=next(threads))
        return made.image

    benchmark.extra_info["bytes"] = len(benchmark.pedantic(once, rounds=ROUNDS, warmup_rounds=3))
    assert benchmark.stats.stats.median < MOST_SECONDS


@pytest.mark.benchmark(group="a slider step of explore.kernel")
@pytest.mark.parametrize("kernel, pitches", [("transpose", range(64, 97)), ("gemm", (32, 36, 40, 44, 48, 56, 64))])
def bench_kernel(benchmark, kernel, pitches):
    """The pitch slider: the tile by bank, every access predicted anew, the measured speeds."""
    made, step = explore.kernel(kernel), itertools.cycle(pitches)

    def once() -> bytes:
        made.set(pitch=next(step))
        return made.image

    picture = benchmark.pedantic(once, rounds=ROUNDS, warmup_rounds=3)
    benchmark.extra_info["bytes"] = len(picture)
    assert len(picture) <= 80_000 and benchmark.stats.stats.median < MOST_SECONDS
