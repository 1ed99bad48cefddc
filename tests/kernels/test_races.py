"""Races are found, and nothing else is called one."""

import numpy as np
import pytest
from racing import CLEAN, F32, RACES, f, z

from cutelab.kernels import cuda, trace


def traced(case, **options):
    kernel, grid, block, arguments, *_ = case
    return trace(kernel, grid, block, *arguments(), **options)


@pytest.mark.parametrize("name", RACES)
def test_what_goes_wrong_is_named(name):
    kind, word = RACES[name][4:]
    seen = traced(RACES[name])
    found = [r for r in seen.races if r.kind == kind]
    assert found, f"{name}: {seen.races}"
    assert {r.kind for r in seen.races} == {kind}
    race = found[0]
    assert word in race.remedy and race.remedy in str(race) and len(str(race)) <= 400
    assert all(f"line {n}" in str(race) for n in race.lines)
    assert all(s and s in str(race) for s in race.sources)
    assert str(race) in seen.text() and "no race" not in seen.text()


@pytest.mark.parametrize("name", CLEAN)
def test_what_only_looks_like_a_race_is_not_called_one(name):
    seen = traced(CLEAN[name])
    assert seen.races == (), [str(r) for r in seen.races]
    assert "no race in what was traced" in seen.text().splitlines()[1]
    assert "shuffled" in seen.order and "fails" not in seen.order


def test_the_sentence_of_a_race():
    (race,) = traced(RACES["reverse_without_barrier"]).races
    assert (race.kind, race.element, race.count) == ("race", "s[0]", 64)
    assert sorted(race.threads) == [0, 63] and race.blocks == ((0, 0, 0),) * 2
    assert set(race.sources) == {"s[i] = a[i]", "out[i] = s[63 - i]"}
    assert race.remedy == "Put cuda.syncthreads() between them."
    (race,) = traced(RACES["sum_without_atomic"]).races
    assert race.count == 1 and race.lines[0] == race.lines[-1] and "cuda.atomic.add(out, ...)" in race.remedy
    (race,) = traced(RACES["two_blocks_one_element"]).races
    assert race.blocks == ((0, 0, 0), (1, 0, 0))


def test_the_sentence_of_a_barrier():
    ended = str(traced(RACES["barrier_after_a_return"]).races[0])
    assert "thread 40 (and 23 more) does not come: it has ended. A barrier is for" in ended
    (race,) = traced(RACES["two_barriers_for_two_halves"]).races
    assert "does not come: it is at line " in str(race)


def test_a_shuffled_order_shows_what_depends_on_it():
    assert "depends on the order" in traced(RACES["all_write_one"]).order
    assert "depends on the order" in traced(RACES["reverse_without_barrier"]).order
    assert traced(CLEAN["scan"]).order == "the same results in a second, shuffled order of threads"


@cuda.jit
def float_sum(out, a):
    cuda.atomic.add(out, 0, a[cuda.grid(1)])


def test_rounding_is_no_difference():
    a = np.random.default_rng(1).random(256).astype(F32)
    seen = trace(float_sum, 1, 256, z(1), a)
    assert seen.races == () and "rounding only" in seen.order


def test_the_second_run_leaves_the_arguments_alone():
    out, a = z(64), f(64)
    base = np.zeros((2, 64), F32)
    trace(RACES["reverse_without_barrier"][0], 1, 64, base[1], a)
    traced_out = trace(CLEAN["reverse"][0], 1, 64, out, a)
    assert np.array_equal(out, a[::-1]) and traced_out.races == ()
    assert (base[0] == 0).all() and np.array_equal(a, f(64))


def test_without_the_check_nothing_is_claimed():
    seen = traced(RACES["reverse_without_barrier"], check=False)
    assert seen.races == () and not seen.checked and "races were not looked for" in seen.text() and seen.order == ""


def brute_force(run):
    """Every two accesses of a run held against each other, in plain Python: the definition, slowly."""
    rows = []
    for number, log in enumerate(run.logs):
        rows += [
            (run.instructions[n], int(a), number, int(log.thread[s]), int(log.epoch[s]))
            for n, a, s in zip(log.instruction, log.address, log.stretch, strict=True)
        ]
    found = set()
    for i, (one, a, x, t, e) in enumerate(rows):
        for two, b, y, u, g in rows[i + 1 :]:
            apart = a + one.nbytes <= b or b + two.nbytes <= a
            unordered = one.space == "global" if x != y else t != u and e == g
            if unordered and not apart and (one.writes or two.writes) and not (one.atomic and two.atomic):
                found.add((frozenset((one.line, two.line)), one.place.name, x != y))
    return found


ORDERED_OTHERWISE = ("warp", "mask", "shuffle", "lock", "last_block")


@pytest.mark.long
@pytest.mark.parametrize("name", [n for n in (*RACES, *CLEAN) if not any(word in n for word in ORDERED_OTHERWISE)])
def test_where_only_barriers_order_it_is_the_definition(name):
    seen = traced({**RACES, **CLEAN}[name])
    races = [r for r in seen.races if r.kind == "race"]
    got = {(frozenset(r.lines), r.element.split("[")[0], r.blocks[0] != r.blocks[1]) for r in races}
    assert got == brute_force(seen.run)


@cuda.jit
def program(mem, sink, what, where, sync, masks):
    t = cuda.threadIdx.x
    for k in range(what.shape[0]):
        if sync[k] == 1:
            cuda.syncthreads()
        if masks[k, t] != 0:
            cuda.syncwarp(masks[k, t])
        w = where[k, t]
        if what[k, t] == 1:
            sink[k, t] = mem[w]
        if what[k, t] == 2:
            mem[w] = t
        if what[k, t] == 3:
            cuda.atomic.add(mem, w, 1)


def reachable(what, sync, masks):
    """Which access happens before which: a graph of accesses and barriers, and all its paths."""
    steps, threads = what.shape
    node = {(k, t): k * threads + t for k in range(steps) for t in range(threads)}
    edges, extra = [], steps * threads
    last = dict.fromkeys(range(threads))
    for k in range(steps):
        meets = [range(threads)] if sync[k] else []
        for first in range(0, threads, 32):
            lanes = range(first, min(first + 32, threads))
            for mask in {int(masks[k, t]) for t in lanes} - {0}:
                meets.append([t for t in lanes if masks[k, t] == mask])
        for group in meets:
            for t in group:
                if last[t] is not None:
                    edges.append((last[t], extra))
            for t in group:
                last[t] = extra
            extra += 1
        for t in range(threads):
            if last[t] is not None:
                edges.append((last[t], node[k, t]))
            last[t] = node[k, t]
    path = np.eye(extra, dtype=bool)
    for a, b in edges:
        path[a, b] = True
    for _ in range(int(np.ceil(np.log2(extra))) + 1):
        path = (path.astype(np.float32) @ path.astype(np.float32)) > 0
    return node, path


@pytest.mark.long
@pytest.mark.parametrize("seed", range(60))
def test_random_programs_against_all_paths_of_a_graph(seed):
    rng = np.random.default_rng(seed)
    steps, threads = 4, int(rng.choice([8, 34]))
    what = rng.choice([0, 1, 2, 3], (steps, threads), p=[0.9, 0.05, 0.03, 0.02]).astype(np.int32)
    where = rng.integers(0, 4, (steps, threads)).astype(np.int32)
    sync = rng.choice([0, 1], steps, p=[0.7, 0.3]).astype(np.int32)
    masks = np.zeros((steps, threads), np.int64)
    for k in range(steps):
        parts = rng.integers(0, 3, threads) if rng.random() < 0.8 else np.zeros(threads, int)
        for t in range(threads):
            lanes = [u for u in range(threads) if u // 32 == t // 32 and parts[u] == parts[t]]
            masks[k, t] = sum(1 << (u % 32) for u in lanes) if parts[t] else 0
    node, path = reachable(what, sync, masks)
    done = [(k, t) for k in range(steps) for t in range(threads) if what[k, t]]
    wanted = set()
    for i, a in enumerate(done):
        for b in done[i + 1 :]:
            one, two = what[a], what[b]
            meet = a[1] != b[1] and where[a] == where[b] and max(one, two) >= 2 and not one == two == 3
            if meet and not path[node[a], node[b]] and not path[node[b], node[a]]:
                wanted.add(frozenset((int(one), int(two))))
    first = program.py_func.__code__.co_firstlineno
    line = {first + 10: 1, first + 12: 2, first + 14: 3}
    seen = trace(program, 1, threads, np.zeros(4, np.int32), np.zeros_like(what), what, where, sync, masks)
    assert {frozenset(line[n] for n in r.lines) for r in seen.races} == wanted


def test_the_sentence_of_a_barrier_says_where_the_others_are():
    @cuda.jit
    def leaves(out):
        if cuda.threadIdx.x < 40:
            cuda.syncthreads()
        out[cuda.threadIdx.x] = 1

    (missed,) = trace(leaves, 1, 64, z(64)).races
    assert "thread 40 (and 23 more) does not come: it has ended." in str(missed)
