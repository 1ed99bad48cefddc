"""The GPU scripts' own parts: reading counters, and the probe's instructions."""

import pytest
from gpu_scripts import measure, probe


def csv_of(columns, rows):
    lines = ["==PROF== Connected", ",".join(f'"{c}"' for c in columns), ",".join('""' for _ in columns)]
    return "\n".join(lines + [",".join(f'"{v}"' for v in row) for row in rows])


def test_counters_are_read_in_the_order_of_launch():
    columns = ["ID", "Kernel Name", *measure.METRICS.values()]
    text = csv_of(
        columns, [["0", "transpose", "1,024", "32", "128", "128"], ["1", "transpose", "32", "32", "128", "128"]]
    )
    rows = measure.read_counters(text, ["bad", "good"])
    assert [(r["name"], r["shared load"]) for r in rows] == [("bad", 1024), ("good", 32)]
    model = {n: dict.fromkeys(measure.METRICS, 32) for n in ("bad", "good")}
    assert measure.compare(rows, model)[0]["ratio"] == 32
    with pytest.raises(ValueError, match="2 rows for 1"):
        measure.read_counters(text, ["one"])


def test_probe_takes_off_its_own_load():
    record = {"op": "ld.global.u32", "bytes": 4, "pattern": "x", "offsets": list(range(0, 128, 4))}
    text = csv_of(["ID", probe.metric_of(record["op"])], [["0", "8"]])
    assert probe.read(text, [record]) == [4] == [probe.model(record)]


def test_probe_knows_every_measured_instruction():
    for op in {r["op"] for r in probe.default_patterns(1)}:
        text, constraint, results = probe.assembly(op)
        assert text.count("$") == constraint.count(",") + 1 and text.endswith(";") and results >= 0
