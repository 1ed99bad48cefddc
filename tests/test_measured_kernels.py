"""The stored run of the kernels: what it must show, what it was predicted to show, and how it is read and packed."""

import importlib.util
import json
from pathlib import Path

import pytest

from cutelab import CuteLabError, measured_kernels, parse_layout
from cutelab.plans import GemmPlan, TransposePlan

RUN = measured_kernels()
PLANS = {"transpose": TransposePlan, "gemm": GemmPlan}
COUNTED = sorted({(c.kernel, c.name, c.size) for c in RUN.counters})


def plan_of(time):
    """The plan of a measured time."""
    numbers = {k: parse_layout(v) if k.endswith("layout") and v != "None" else v for k, v in time.plan.items()}
    if numbers.get("layout") == "None":
        numbers["layout"] = None
    return PLANS[time.kernel](**numbers)


def transposes(tile, nbytes):
    """Variant -> rate at 16384, for the usual block of this tile and width."""
    found = {}
    for time in RUN.times:
        if time.kernel == "transpose" and time.size == 16384 and time.plan["dtype"] == "float32":
            plan = plan_of(time)
            usual = (
                TransposePlan(tile, None if plan.layout is None else plan.layout, plan.vector)
                if plan.tile == tile
                else None
            )
            if plan == usual and 4 * plan.vector == nbytes:
                found[plan.variant] = time.rate
    return found


def test_the_machine_is_named_and_nothing_else():
    assert RUN.meta["gpu"] == "NVIDIA H200" and RUN.meta["driver"] and RUN.meta["date"] and RUN.meta["numba-cuda"]
    text = (Path(__file__).parents[1] / "cutelab" / "hardware" / "measured" / "h200_kernels.json").read_text(
        encoding="utf-8"
    )
    assert not any(word in text for word in ("/home", "/tmp", "/root", "/work", "\\\\"))


def test_every_stored_plan_can_be_built():
    for time in RUN.times:
        if time.kernel in PLANS:
            assert plan_of(time).accesses()
            assert time.ms > 0 and time.rate > 0


def test_rates_follow_from_times():
    for time in RUN.times:
        if time.kernel in ("transpose", "copy"):
            item = 2 if time.plan.get("dtype") == "uint16" else 4
            assert time.rate == pytest.approx(2 * item * time.size**2 / time.ms / 1e6, rel=2e-3)
        else:
            assert time.rate == pytest.approx(2 * time.size**3 / time.ms / 1e9, rel=2e-3)


@pytest.mark.parametrize("tile", [32, 64])
def test_free_of_conflicts_is_nearly_twice_as_fast(tile):
    rates = transposes(tile, 4)
    assert min(rates["padded"], rates["swizzled"]) > 1.8 * rates["conflicting"]
    assert rates["swizzled"] > 0.97 * rates["padded"]


def test_the_fastest_transpose_is_near_the_best_copy():
    fastest = RUN.fastest("transpose", 16384)
    assert fastest.rate > 0.95 * RUN.best_copy(16384).rate
    assert fastest.rate > 3 * RUN.named("torch transposed copy", 16384).rate


def test_the_padded_product_is_ahead_of_the_conflicting_one():
    for m in (64, 128):
        rates = {}
        for time in RUN.times:
            if time.kernel == "gemm" and time.size == 4096 and time.plan["m"] == m and not time.plan["double_buffer"]:
                rates[time.plan["a_layout"]] = time.rate
        slow, *fast = (rates[x.format(m // 4)] for x in ("((4,{0}),8):((1,32),4)", "((4,{0}),8):((1,36),4)"))
        assert fast[0] > 1.1 * slow
    assert 0.8 < RUN.fastest("gemm", 4096).rate / RUN.named("torch float32", 4096).rate < 1


@pytest.mark.parametrize("launch", COUNTED, ids=str)
def test_counters_equal_the_prediction(launch):
    for count in RUN.counted(*launch):
        if "global" in count.what or count.predicted == 0:
            assert count.counter == count.predicted
        else:  # passes that shared memory put off while many blocks were busy come on top
            most = 1.05 if count.size < 16384 else 1.13
            assert count.predicted <= count.counter <= most * count.predicted


def plan_named(kernel, name):
    from cutelab.kernels import variants as plans

    return (plans.transposes() if kernel == "transpose" else plans.gemms())[name]


@pytest.mark.parametrize("launch", COUNTED, ids=str)
def test_what_was_predicted_then_is_predicted_now(launch):
    kernel, name, size = launch
    plan = plan_named(kernel, name)
    accesses = plan.accesses() if kernel == "transpose" else plan.accesses(edge=size, steps=size // plan.k)
    grid, _ = plan.launch_shape(size, size)
    for count in RUN.counted(*launch):
        space, kind = count.what.split()
        block = sum(a.count for a in accesses if (a.space, a.kind) == (space, kind))
        assert count.predicted == block * grid[0] * grid[1]


def test_what_is_not_there():
    assert RUN.time("transpose", 16384, tile=48) is None and RUN.counted("transpose", "fast", 2048) == ()
    for call, says in (
        (lambda: RUN.named("memcpy", 4096), "copy 4 B x 4"),
        (lambda: RUN.best_copy(5), "16384, 4096"),
        (lambda: RUN.fastest("sort", 4096), "transpose and gemm"),
    ):
        with pytest.raises(CuteLabError, match=says):
            call()
    with pytest.raises(TypeError):
        RUN.meta["gpu"] = "another"


def test_a_report_is_packed_row_by_row():
    path = Path(__file__).parents[1] / "benchmarks" / "gpu" / "package.py"
    spec = importlib.util.spec_from_file_location("package_script", path)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    plan = {"tile": 32, "layout": "x", "vector": 1, "block": [32, 8], "dtype": "float32", "group": 0, "hint": ""}
    time = {"name": "a", "size": 64, "ms": 1.0, "GB/s": 3.0}
    counted = [("global load", 4), ("shared store", 3), ("shared load", 1), ("global store", 2)]
    report = {
        "meta": {"date": "2026-01-01", "gpu": "G", "path": "/home/me"},
        "plans": {"a": plan},
        "sweep": [time, {**time, "name": "copy"}],
        "transpose": [{**time, "GB/s": 9.0}, {**time, "size": 32}],
        "gemm": [],
        "counters": [
            {"name": "transpose padded, tile 32, 2048", "what": what, "counter": n, "predicted": 10 * n}
            for what, n in counted
        ],
    }
    data = json.loads(script.as_text(script.packaged(report)))
    assert data["meta"].keys() == {"date", "gpu", "method"}
    assert [row[:3] for row in data["transpose"]["rows"]] == [[64, 1.0, 3.0], [32, 1.0, 3.0]]
    assert data["copy"] == [["copy", 64, 1.0, 3.0]]
    keys, row = data["counters"]["keys"], data["counters"]["rows"][0]
    assert row[:3] == ["transpose", "padded, tile 32", 2048]
    assert dict(zip(keys, row[3::2], strict=True)) == dict(counted) and row[4::2] == [10 * n for n in row[3::2]]
