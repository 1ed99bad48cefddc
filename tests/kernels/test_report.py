"""What a trace says and leaves in no doubt: blocks, expressions, constants, records, scaled totals, files, asserts."""

import json

import numba
import numpy as np
import pytest

from cutelab import CuteLabError
from cutelab.kernels import assert_coalesced, assert_conflict_free, assert_no_races, cuda, trace

F32 = np.float32


def z(n, kind=F32):
    return np.zeros(n, kind)


@cuda.jit
def stencil(out, a):
    i = cuda.grid(1)
    if 0 < i < a.size - 1:
        out[i] = a[i - 1] + a[i] + a[i + 1]


def test_accesses_of_one_line_are_told_apart():
    seen = trace(stencil, 1, 64, z(64), z(64))
    assert [a.expression for a in seen.lines] == ["a[i - 1]", "a[i]", "a[i + 1]", "out[i]"]
    assert [a.count for a in seen.lines] == [9, 8, 9, 8]  # elements 31 to 61, and 2 to 32, lie in 5 sectors
    head = seen.text().splitlines()[2]
    assert "warp instructions" in head and "global load a[i + 1] 4 B" in seen.text()


def test_the_figures_stand_below_their_line_and_fit_beside_an_open_file_list():
    rows = trace(stencil, 1, 64, z(64), z(64)).text().splitlines()[2:-1]
    at = next(i for i, row in enumerate(rows) if "out[i] = a[i - 1]" in row)
    assert [row.split()[2] for row in rows[at + 1 : at + 5]] == ["a[i", "a[i]", "a[i", "out[i]"]
    assert rows[at + 1].split()[-7:-2] == ["2", "9", "sectors", "8", "1"]
    assert max(len(row) for row in rows if row.startswith(" ") and "|" not in row) <= 100


@cuda.jit
def fill(out, a):
    i = cuda.grid(1)
    out[i] = a[i]


def test_small_grids_are_traced_whole_and_large_ones_say_what_was_left_alone():
    seen = trace(fill, 16, 256, z(4096), z(4096))
    assert len(seen.blocks) == 16 and seen.partial == "" and seen.scale == 1
    out = z(8192)
    seen = trace(fill, 32, 256, out, np.ones(8192, F32))
    assert len(seen.blocks) == 2 and out.sum() == 512
    second = seen.text().splitlines()[1]
    assert second == (
        "2 of 32 blocks traced: (0,0,0), (1,0,0). "
        "The rest of out (512 of 8,192 elements written, out[0] to out[511]) was left alone."
    )
    assert seen.total("global", "load") == 64 and seen.grid_total("global", "load") == 1024
    assert "whole grid, scaled from 2 blocks: global load 1,024, global store 1,024" in seen.text()
    whole = trace(fill, 32, 256, z(8192), z(8192), blocks=None)
    assert whole.totals() == seen.totals() and "scaled" not in whole.text()


@cuda.jit
def sums(out, a):
    i = cuda.grid(1)
    for k in range(100):
        out[i] += a[(i + k) % a.size]


def test_a_small_grid_with_many_accesses_is_traced_as_far_as_it_is_quick():
    seen = trace(sums, 64, 64, z(4096), z(4096), check=False)
    assert len(seen.blocks) == 500_000 // (64 * 300) and seen.partial.startswith("26 of 64 blocks traced")
    assert len(trace(sums, 4, 64, z(256), z(256)).blocks) == 4


TABLE = np.arange(64, dtype=F32)


@cuda.jit
def constants(out, k):
    c = cuda.const.array_like(TABLE)
    i = cuda.grid(1)
    out[i] = c[k] + c[i % 4] + TABLE[i]


def test_constant_memory_has_rows_of_its_own():
    out = z(32)
    seen = trace(constants, 1, 32, out, 5)
    assert np.array_equal(out, 5 + np.arange(32) % 4 + np.arange(32))
    rows = [(a.array, a.expression, a.count, a.ideal, a.unit) for a in seen.lines if a.space == "constant"]
    assert rows == [
        ("TABLE", "c[k]", 1, 1, "passes"),
        ("TABLE", "c[i % 4]", 4, 1, "passes"),
        ("TABLE", "TABLE[i]", 32, 1, "passes"),
    ]
    assert any("Not measured" in limit for limit in seen.limits) and "passes" in seen.text()
    assert "not measured" in seen.lines[2].explain()


def test_a_captured_array_too():
    here = np.arange(8, dtype=np.int32)

    @cuda.jit
    def captured(out):
        out[cuda.grid(1)] = here[cuda.grid(1) % 8]

    out = z(32, np.int32)
    seen = trace(captured, 1, 32, out)
    assert np.array_equal(out, np.arange(32) % 8)
    assert [(a.array, a.space, a.count) for a in seen.lines] == [("here", "constant", 8), ("out", "global", 4)]


@cuda.jit
def private(out, a):
    mine = cuda.local.array(4, numba.float32)
    i = cuda.grid(1)
    for k in range(4):
        mine[k] = a[i]
    out[i] = mine[3]


def test_local_arrays_are_spoken_of():
    seen = trace(private, 1, 32, z(32), z(32))
    (said,) = [limit for limit in seen.limits if "local" in limit]
    assert "not counted" in said and f"line {private.py_func.__code__.co_firstlineno + 2}" in said
    assert not any("local" in limit for limit in trace(fill, 1, 32, z(32), z(32)).limits)


POINT = np.dtype([("x", F32), ("y", F32), ("z", F32), ("w", F32)])
MIXED = np.dtype([("id", np.int32), ("v", np.float64)], align=True)


@cuda.jit
def array_of_structures(out, p):
    i = cuda.grid(1)
    out[i] = p[i].x + p[i]["z"]
    p[i].w = out[i]


@cuda.jit
def structure_of_arrays(out, x, zz, w):
    i = cuda.grid(1)
    out[i] = x[i] + zz[i]
    w[i] = out[i]


def test_records_are_traced_field_by_field():
    p, out = np.zeros(64, POINT), z(64)
    p["x"], p["z"] = np.arange(64), 1
    seen = trace(array_of_structures, 2, 32, out, p)
    assert np.array_equal(out, np.arange(64) + 1) and np.array_equal(p["w"], out)
    rows = {(a.array, a.kind): (a.expression, a.access_bytes, a.count, a.ideal) for a in seen.lines}
    assert rows["p.x", "load"] == ("p[i].x", 4, 32, 8)
    assert rows["p.z", "load"] == ('p[i]["z"]', 4, 32, 8) and rows["p.w", "store"] == ("p[i].w", 4, 32, 8)
    apart = trace(structure_of_arrays, 2, 32, z(64), z(64), z(64), z(64))
    assert apart.total("global", "load") == 24 and seen.total("global", "load") == 72
    assert seen.races == ()


@cuda.jit
def mixed(out, p):
    i = cuda.grid(1)
    out[i] = p[i].v + p[i].id


@cuda.jit
def whole_record(q, p):
    i = cuda.grid(1)
    q[i] = p[i]


@cuda.jit
def no_such_field(out, p):
    out[0] = p[0].height


def test_other_records():
    p = np.zeros(32, MIXED)
    p["v"], p["id"] = 0.5, np.arange(32)
    out = z(32)
    seen = trace(mixed, 1, 32, out, p)
    assert np.array_equal(out, np.arange(32) + 0.5)
    assert [(a.array, a.access_bytes, a.count) for a in seen.lines[:2]] == [("p.v", 8, 16), ("p.id", 4, 16)]
    q = np.zeros(32, MIXED)
    seen = trace(whole_record, 1, 32, q, p)
    assert (q == p).all() and {a.array for a in seen.lines} == {"q.id", "q.v", "p.id", "p.v"}
    with pytest.raises(CuteLabError, match="asks for the field 'height' of p; its fields are id, v"):
        trace(no_such_field, 1, 1, out, p)
    packed = np.zeros(32, [("a", np.uint8), ("b", F32)])

    @cuda.jit
    def off_its_size(out, p):
        out[cuda.grid(1)] = p[cuda.grid(1)].b

    seen = trace(off_its_size, 1, 32, z(32), packed)
    assert seen.lines[0].count is None and any("not aligned" in limit for limit in seen.limits)


def test_two_threads_that_share_a_record_but_no_field_do_not_race():
    @cuda.jit
    def fields(p):
        t = cuda.threadIdx.x
        if t == 0:
            p[0].x = 1
        else:
            p[0].y = 2

    assert trace(fields, 1, 2, np.zeros(1, POINT)).races == ()


@cuda.jit
def turn(out, a):
    s = cuda.shared.array((32, 32), numba.float32)
    t = cuda.threadIdx.x
    for k in range(32):
        s[k, t] = a[k, t]
    cuda.syncthreads()
    for k in range(32):
        out[k, t] = s[t, k]


@pytest.fixture(scope="module")
def turned():
    return trace(turn, 1, 32, z((32, 32)), z((32, 32)))


def test_it_goes_out_as_plain_values(turned):
    found = json.loads(turned.to_json())
    assert found == json.loads(json.dumps(turned.to_dict()))
    line = next(x for x in found["lines"] if x["excess"])
    assert (line["expression"], line["count"], line["ideal"], line["unit"]) == ("s[t, k]", 1024, 32, "wavefronts")
    assert found["totals"]["shared load"] == 1024 and found["races"] == [] and found["scaled"] is False
    racy = trace(sum_up, 1, 32, z(1), z(32))
    (race,) = json.loads(racy.to_json())["races"]
    assert race["kind"] == "race" and race["element"] == "out[0]" and race["text"].startswith("race: thread")


@cuda.jit
def sum_up(out, a):
    out[0] += a[cuda.threadIdx.x]


@pytest.mark.parametrize(
    ("name", "begins"),
    [("t.png", b"\x89PNG"), ("t.svg", b"<?xml"), ("t.pdf", b"%PDF"), ("t.txt", b"turn, grid"), ("t.json", b"{")],
)
def test_it_is_saved_in_one_call(turned, tmp_path, name, begins):
    path = turned.save(tmp_path / name)
    assert path.read_bytes().startswith(begins)


def test_a_file_that_cannot_be_written(turned, tmp_path):
    with pytest.raises(CuteLabError, match=r"must end in \.png"):
        turned.save(tmp_path / "t.gif")
    with pytest.raises(CuteLabError, match=r"t\.txt cannot be written: No such file"):
        turned.save(tmp_path / "none" / "t.txt")
    assert float(turned.figure().get_figwidth()) == 7.2


def test_asserts_for_tests_of_others(turned):
    with pytest.raises(AssertionError, match=r"line \d+ `out\[k, t\] = s\[t, k\]`: shared load s\[t, k\] 4 B: 32 wave"):
        assert_conflict_free(turned)
    assert assert_coalesced(turned) is turned and assert_no_races(turned) is turned
    assert assert_conflict_free(fill, 1, 32, z(32), z(32)).kernel == "fill"
    with pytest.raises(AssertionError, match=r"global accesses move more sectors.*\nline \d+ .*p\[i\]"):
        assert_coalesced(array_of_structures, 1, 32, z(32), np.zeros(32, POINT))
    with pytest.raises(AssertionError, match="1 thing goes wrong between threads\nrace: thread"):
        assert_no_races(sum_up, 1, 32, z(1), z(32))
    with pytest.raises(CuteLabError, match="check=False"):
        assert_no_races(trace(fill, 1, 32, z(32), z(32), check=False))
    with pytest.raises(CuteLabError, match="either a Trace"):
        assert_coalesced(turned, 1, 32)
