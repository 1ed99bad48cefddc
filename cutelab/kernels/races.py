"""Which accesses of a kernel are not ordered? Races, shared memory that nobody wrote, barriers that not all threads reach.

Two accesses race if two threads touch the same bytes, at least one writes, not both are atomic, and nothing orders them. In a block
a barrier orders what lies before it and what lies after it; in a warp `syncwarp` does, for its lanes; an atomic after a memory
fence orders what came before the fence and what another thread does after its own atomic on the same element. Blocks have
no barrier. (A shuffle or a vote orders no memory: CUDA programming guide, warp shuffle functions.)

The simulator runs threads in turn and never sees a race happen. It is decided afterwards, from what was touched in which stretch,
by sorting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from cutelab.kernels.bytecode import source_of
from cutelab.kernels.launch import Run
from cutelab.kernels.recorder import BlockLog, Instruction
from cutelab.kernels.simulator import WARP, Point
from cutelab.kernels.steps import turns

PAIRS = 20_000_000  # pairs of accesses that are compared one by one
FOUND = 300  # pairs of instructions that race; after so many no more are looked for
NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Race:
    """One thing that goes wrong between threads.

    kind      "race", "unwritten" (shared memory read before anything wrote it) or "barrier" (not all threads reach it)
    lines     the source lines, one or two; sources: their text
    element   which element, as "tile[3,0]"; "" for a barrier
    threads   the two threads (numbers in their block), or the one that reads or waits and one that is missing
    blocks    their blocks: two where the race is between blocks
    count     elements concerned, or threads that a barrier misses, in the blocks traced
    accesses  what the two do: ("writes", "reads") and so on
    remedy    what to do about it
    """

    kind: str
    lines: tuple[int, ...]
    sources: tuple[str, ...]
    element: str
    threads: tuple[int, ...]
    blocks: tuple[Point, ...]
    count: int
    accesses: tuple[str, ...]
    remedy: str = field(repr=False)

    def __str__(self) -> str:
        where = [f"line {n}" + (f" `{s}`" if s else "") for n, s in zip(self.lines, self.sources, strict=True)]
        if self.kind == "barrier":
            who = f"thread {self.threads[0]} waits at the barrier of {where[0]}"
            rest = f"is at {where[1]}" if len(where) > 1 else "has ended"
            others = f" (and {self.count - 1} more)" if self.count > 1 else ""
            return f"barrier: {who}, thread {self.threads[1]}{others} does not come: it {rest}. {self.remedy}"
        many = f"; {self.count:,} elements" if self.count > 1 else ""
        if self.kind == "unwritten":
            return (
                f"unwritten: thread {self.threads[0]} reads {self.element} at {where[0]} before anything wrote it{many}. "
                f"{self.remedy}"
            )
        other = where[-1] if len(where) > 1 else "the same line"
        across = f" of block {_short(self.blocks[0])}", f" of block {_short(self.blocks[1])}"
        first, second = across if self.blocks[0] != self.blocks[1] else ("", "")
        return (
            f"race: thread {self.threads[0]}{first} {self.accesses[0]} {self.element} at {where[0]}, "
            f"thread {self.threads[1]}{second} {self.accesses[1]} it at {other}, and nothing orders them{many}. {self.remedy}"
        )


def _short(point: Point) -> str:
    return "(" + ",".join(map(str, point)) + ")"


@dataclass(frozen=True, eq=False)
class _Accesses:
    """Accesses of one block as columns, each piece of `unit` bytes of each access a row.

    unit is the piece's number; time its position in the log; turn: the how-manieth time that the thread is there.
    """

    unit: np.ndarray
    instruction: np.ndarray
    thread: np.ndarray
    stretch: np.ndarray
    time: np.ndarray
    turn: np.ndarray

    def taken(self, rows: np.ndarray) -> _Accesses:
        return _Accesses(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


@dataclass
class _Pair:
    """The example of a race between two instructions, and how often it was found."""

    first: int  # instruction numbers; `first` is met first in the simulator's order
    second: int
    threads: tuple[int, int]
    blocks: tuple[Point, Point]
    byte: int
    units: set[int] | int
    rounds: bool  # between different rounds of a loop
    one_warp: bool  # every example lies within one warp


class Finder:
    """Looks for races in the logs of a run."""

    def __init__(self, run: Run, block: Point, source: dict[int, str]) -> None:
        self._instructions, self._logs, self._missed = run.instructions, run.logs, run.missed
        self._source = source
        self._threads = block[0] * block[1] * block[2]
        self._writes = np.array([i.writes for i in run.instructions], bool)
        self._atomic = np.array([i.atomic for i in run.instructions], bool)
        self._bytes = np.array([i.nbytes for i in run.instructions], np.int64)
        self._shared = np.array([i.space == "shared" for i in run.instructions], bool)
        self._constant = np.array([i.space == "constant" for i in run.instructions], bool)
        self._pairs: dict[tuple[int, int, bool], _Pair] = {}
        self._unwritten: dict[int, tuple[int, int, int, Point]] = {}
        self._blind = np.array([n in run.blind for n in range(len(run.instructions))], bool)
        self._names = _release_names(run.logs, self._atomic) if len(self._atomic) else np.zeros(0, np.int64)
        self._unit = self._piece()
        self.incomplete = False

    def races(self) -> tuple[Race, ...]:
        """Everything that was found, races first."""
        if self._instructions:
            for log in self._logs:
                self._one_block(log)
            if len(self._logs) > 1:
                self._between_blocks()
        found = self._merged() + self._read_before_written() + self._barriers()
        return tuple(found)

    def _piece(self) -> int:
        """The largest piece of memory that every access covers whole."""
        unit = int(np.gcd.reduce(self._bytes)) if len(self._bytes) else 1
        for log in self._logs:
            if len(log.address):
                unit = int(np.gcd(unit, np.gcd.reduce(log.address)))
        return max(unit, 1)

    def _columns(self, log: BlockLog) -> _Accesses:
        stretch = log.stretch
        thread = log.thread[stretch]
        columns = _Accesses(
            log.address // self._unit,
            log.instruction,
            thread,
            stretch,
            np.arange(len(log.address)),
            turns(log, thread),
        )
        pieces = self._bytes[log.instruction] // self._unit
        if len(pieces) and int(pieces.max()) > 1:
            every = np.repeat(np.arange(len(pieces)), pieces)
            within = np.arange(len(every)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
            columns = columns.taken(every)
            columns = _Accesses(columns.unit + within, *(getattr(columns, n) for n in _REST))
        if bool(self._constant.any()):
            columns = columns.taken(~self._constant[columns.instruction])
        return columns

    def _one_block(self, log: BlockLog) -> None:
        rows = self._columns(log)
        if not len(rows.unit):
            return
        units, unit = np.unique(rows.unit, return_inverse=True)
        epochs = int(log.epoch.max()) + 1
        group = unit * epochs + log.epoch[rows.stretch]
        order = np.argsort(group, kind="stable")
        group = group[order]
        begins = np.flatnonzero(np.concatenate(([True], group[1:] != group[:-1])))
        thread = rows.thread[order]
        writes, atomic = self._writes[rows.instruction[order]], self._atomic[rows.instruction[order]]
        self._look_for_unwritten(log, rows, order, units)
        some_write = np.logical_or.reduceat(writes, begins)
        all_atomic = np.logical_and.reduceat(atomic, begins)
        several = np.minimum.reduceat(thread, begins) != np.maximum.reduceat(thread, begins)
        suspect = some_write & ~all_atomic & several
        if not suspect.any():
            return
        lengths = np.diff(np.append(begins, len(group)))
        chosen = order[np.repeat(suspect, lengths)]
        number = np.repeat(np.arange(int(suspect.sum())), lengths[suspect])
        self._suspects(log, rows.taken(chosen), number)

    def _suspects(self, log: BlockLog, rows: _Accesses, group: np.ndarray) -> None:
        """Groups of accesses to one piece between two barriers, by several threads, one of which writes."""
        exact = log.knows is not None or bool(len(log.fences))
        if exact:
            self._pairwise(log, rows, group)
            return
        # Nothing orders two threads here: for each two instructions it is enough to find two threads that differ.
        kinds = len(self._instructions)
        code = group.astype(np.int64) * kinds + rows.instruction
        order = np.lexsort((rows.thread, code))
        code = code[order]
        begins = np.flatnonzero(np.concatenate(([True], code[1:] != code[:-1])))
        ends = np.append(begins[1:], len(code)) - 1
        low, high = order[begins], order[ends]  # the rows of the smallest and the largest thread
        which = code[begins] // kinds
        for step in range(int(np.bincount(which).max())):
            if len(self._pairs) >= FOUND:
                self.incomplete = True
                break
            a = np.arange(len(which) - step)
            b = a + step
            a, b = a[which[a] == which[b]], b[which[a] == which[b]]
            if not len(a):
                break
            # two rows with different threads, if there are any; of different warps, if there are any
            x, y, u, v = low[a], high[b], high[a], low[b]
            near = rows.thread[x] // WARP == rows.thread[y] // WARP
            far = rows.thread[u] // WARP != rows.thread[v] // WARP
            other = (rows.thread[x] == rows.thread[y]) | (near & far)
            self._keep(log, rows, np.where(other, u, x), np.where(other, v, y))

    def _pairwise(self, log: BlockLog, rows: _Accesses, group: np.ndarray) -> None:
        """Every two accesses of a group, held against what syncwarps and fenced atomics order."""
        kinds = len(self._instructions)
        code = (group.astype(np.int64) * kinds + rows.instruction) * (len(log.start) + 1) + rows.stretch
        _, first = np.unique(code, return_index=True)
        rows, group = rows.taken(first), group[first]
        order = np.lexsort((rows.time, group))
        rows, group = rows.taken(order), group[order]
        release, acquire = _fenced(log, rows, self._atomic, self._names)
        spent = 0
        for step in range(1, int(np.bincount(group).max())):
            a = np.flatnonzero(group[step:] == group[:-step])
            spent += len(a)
            if not len(a):
                break
            if spent > PAIRS or len(self._pairs) >= FOUND:
                self.incomplete = True
                break
            b = a + step
            ordered = np.zeros(len(a), bool)
            if log.knows is not None:
                together = rows.thread[a] // WARP == rows.thread[b] // WARP
                lane = rows.thread[a] % WARP
                ordered |= together & (log.knows[rows.stretch[b], lane] > log.own[rows.stretch[a]])
            for z in range(release.shape[1]):
                ordered |= release[a, z] < acquire[b, z]
            self._keep(log, rows, a[~ordered], b[~ordered])

    def _keep(self, log: BlockLog, rows: _Accesses, a: np.ndarray, b: np.ndarray) -> None:
        """Note those pairs of accesses that are races."""
        i, j = rows.instruction[a], rows.instruction[b]
        race = (
            (rows.thread[a] != rows.thread[b])
            & (self._writes[i] | self._writes[j])
            & ~(self._atomic[i] & self._atomic[j])
        )
        a, b = a[race], b[race]
        if not len(a):
            return
        swap = rows.time[a] > rows.time[b]
        a, b = np.where(swap, b, a), np.where(swap, a, b)
        kinds = len(self._instructions)
        code = np.minimum(rows.instruction[a], rows.instruction[b]).astype(np.int64) * kinds
        code += np.maximum(rows.instruction[a], rows.instruction[b])
        for one in np.unique(code)[:FOUND].tolist():
            mine = np.flatnonzero(code == one)
            x, y = a[mine], b[mine]
            least = int(np.argmin(rows.unit[x]))
            warps = rows.thread[x] // WARP != rows.thread[y] // WARP
            self._add(
                int(rows.instruction[x[least]]),
                int(rows.instruction[y[least]]),
                (int(rows.thread[x[least]]), int(rows.thread[y[least]])),
                (log.index, log.index),
                int(rows.unit[x[least]]),
                set(rows.unit[x].tolist()),
                bool((rows.turn[x] != rows.turn[y]).all()),
                not bool(warps.any()),
            )

    def _add(
        self,
        first: int,
        second: int,
        threads: tuple[int, int],
        blocks: tuple[Point, Point],
        unit: int,
        units: set[int],
        rounds: bool,
        one_warp: bool,
    ) -> None:
        across = blocks[0] != blocks[1]
        key = (min(first, second), max(first, second), across)
        known = self._pairs.get(key)
        shared = bool(self._shared[first])
        if shared:  # each block has its own
            units = {u + (hash(blocks[0]) << 48) for u in units}
        if known is None:
            byte = unit * self._unit
            self._pairs[key] = _Pair(first, second, threads, blocks, byte, units, rounds, one_warp)
            return
        assert isinstance(known.units, set)
        known.units |= units
        known.rounds &= rounds
        known.one_warp &= one_warp

    def _look_for_unwritten(self, log: BlockLog, rows: _Accesses, order: np.ndarray, units: np.ndarray) -> None:
        """Shared memory that a thread reads though nothing was written there before or at the same time."""
        shared = np.flatnonzero(self._shared[rows.instruction])
        if not len(shared):
            return
        rows = rows.taken(shared)
        unit = np.searchsorted(units, rows.unit)
        writes = self._writes[rows.instruction] & (~self._atomic | self._blind)[rows.instruction]
        epoch = log.epoch[rows.stretch]
        first_time = np.full(len(units), NEVER)
        np.minimum.at(first_time, unit[writes], rows.time[writes])
        first_epoch = np.full(len(units), NEVER)
        np.minimum.at(first_epoch, unit[writes], epoch[writes].astype(np.int64))
        writer = np.full(len(units), -1)
        at_first = writes & (rows.time == first_time[unit])
        writer[unit[at_first]] = rows.thread[at_first]
        reads = ~writes
        early = reads & (rows.time < first_time[unit])
        # In the same stretch of barriers another thread's write makes it a race, which is told as one.
        early &= (epoch < first_epoch[unit]) | (rows.thread == writer[unit])
        if not early.any():
            return
        for number in np.unique(rows.instruction[early]).tolist():
            mine = np.flatnonzero(early & (rows.instruction == number))
            least = int(mine[np.argmin(rows.unit[mine])])
            count = len(np.unique(rows.unit[mine]))
            thread, byte = int(rows.thread[least]), int(rows.unit[least]) * self._unit
            known = self._unwritten.get(number)
            if known is None:
                self._unwritten[number] = (thread, byte, count, log.index)
            else:
                self._unwritten[number] = (known[0], known[1], known[2] + count, known[3])

    def _between_blocks(self) -> None:
        """Blocks that touch the same piece of global memory, one of which writes; nothing but a fenced atomic orders them."""
        parts: list[tuple[np.ndarray, ...]] = []
        for number, log in enumerate(self._logs):
            rows = self._columns(log)
            rows = rows.taken(~self._shared[rows.instruction])
            if not len(rows.unit):
                continue
            release, acquire = _fenced(log, rows, self._atomic, self._names)
            bits_r, bits_a = _bits(release < NEVER), _bits(acquire >= 0)
            kinds = len(self._instructions)
            code = rows.unit * kinds + rows.instruction
            order = np.argsort(code, kind="stable")
            begins = np.flatnonzero(np.concatenate(([True], code[order][1:] != code[order][:-1])))
            chosen = order[begins]
            parts.append(
                (
                    rows.unit[chosen],
                    rows.instruction[chosen],
                    rows.thread[chosen],
                    np.full(len(chosen), number),
                    np.bitwise_and.reduceat(bits_r[order], begins),
                    np.bitwise_and.reduceat(bits_a[order], begins),
                )
            )
        if len(parts) < 2:
            return
        unit, kind, thread, block, release, acquire = (np.concatenate(c) for c in zip(*parts, strict=True))
        order = np.lexsort((block, unit))
        unit, kind, thread, block, release, acquire = (c[order] for c in (unit, kind, thread, block, release, acquire))
        begins = np.flatnonzero(np.concatenate(([True], unit[1:] != unit[:-1])))
        lengths = np.diff(np.append(begins, len(unit)))
        suspect = (
            np.logical_or.reduceat(self._writes[kind], begins)
            & ~np.logical_and.reduceat(self._atomic[kind], begins)
            & (np.minimum.reduceat(block, begins) != np.maximum.reduceat(block, begins))
        )
        rows_ = np.flatnonzero(np.repeat(suspect, lengths))
        if not len(rows_):
            return
        unit, kind, thread, block, release, acquire = (c[rows_] for c in (unit, kind, thread, block, release, acquire))
        spent = 0
        for step in range(1, len(unit)):
            a = np.flatnonzero(unit[step:] == unit[:-step])
            spent += len(a)
            if not len(a):
                break
            if spent > PAIRS or len(self._pairs) >= FOUND:
                self.incomplete = True
                break
            b = a + step
            race = (
                (block[a] != block[b])
                & (self._writes[kind[a]] | self._writes[kind[b]])
                & ~(self._atomic[kind[a]] & self._atomic[kind[b]])
                & ((release[a] & acquire[b]) == 0)
            )
            a, b = a[race], b[race]
            if not len(a):
                continue
            kinds = len(self._instructions)
            code = np.minimum(kind[a], kind[b]).astype(np.int64) * kinds + np.maximum(kind[a], kind[b])
            for one in np.unique(code)[:FOUND].tolist():
                mine = np.flatnonzero(code == one)
                x, y = int(a[mine[0]]), int(b[mine[0]])
                self._add(
                    int(kind[x]),
                    int(kind[y]),
                    (int(thread[x]), int(thread[y])),
                    (self._logs[int(block[x])].index, self._logs[int(block[y])].index),
                    int(unit[x]),
                    set(unit[a[mine]].tolist()),
                    False,
                    False,
                )

    def _text(self, instruction: Instruction) -> str:
        return self._source.get(instruction.line, "").strip()

    def _merged(self) -> list[Race]:
        """One race for each two lines and array, the worst of its pairs shown."""
        found: dict[tuple[tuple[int, ...], str, bool], list[_Pair]] = {}
        for pair in self._pairs.values():
            i, j = self._instructions[pair.first], self._instructions[pair.second]
            lines = tuple(sorted({i.line, j.line}))
            across = pair.blocks[0] != pair.blocks[1]
            found.setdefault((lines, i.place.name, across), []).append(pair)
        return [self._race(pairs) for _, pairs in sorted(found.items(), key=lambda item: item[0])]

    def _race(self, pairs: list[_Pair]) -> Race:
        units: set[int] = set()
        for pair in pairs:
            assert isinstance(pair.units, set)
            units |= pair.units
        best = max(
            pairs, key=lambda p: (self._instructions[p.first].kind != self._instructions[p.second].kind, -p.byte)
        )
        i, j = self._instructions[best.first], self._instructions[best.second]
        one_line = i.line == j.line
        item = max(i.place.item, self._unit)
        return Race(
            "race",
            (i.line,) if one_line else (i.line, j.line),
            (self._text(i),) if one_line else (self._text(i), self._text(j)),
            i.place.element(best.byte),
            best.threads,
            best.blocks,
            len({u * self._unit // item for u in units}),
            (_verb(i), _verb(j)),
            self._remedy(pairs, best),
        )

    def _remedy(self, pairs: list[_Pair], best: _Pair) -> str:
        i, j = self._instructions[best.first], self._instructions[best.second]
        kinds = {self._instructions[n].kind for p in pairs for n in (p.first, p.second)}
        stores = kinds == {"store"}
        same = i.line == j.line and source_of(i.span, self._source) == source_of(j.span, self._source)
        update = same and kinds == {"load", "store"}
        if update:
            return f"An update of one element by many threads is an atomic: cuda.atomic.add({i.place.name}, ...)."
        if best.blocks[0] != best.blocks[1]:
            how = "let each block write elements of its own" if stores else "use an atomic, or a second kernel"
            return f"Blocks run in any order and meet no barrier: {how}."
        if stores and i.line == j.line:
            return "Which value stays is chance: let one thread write it, or give each thread an element of its own."
        if i.atomic or j.atomic:
            return (
                "An atomic and a plain access do not exclude each other: make both atomic, or part them by a barrier."
            )
        sync = "cuda.syncwarp()" if all(p.one_warp for p in pairs) and self._threads <= WARP else "cuda.syncthreads()"
        if all(p.one_warp for p in pairs) and self._threads > WARP:
            sync = "cuda.syncwarp() (all these pairs lie within one warp) or cuda.syncthreads()"
        between = "between them"
        if i.line == j.line or best.rounds:
            between = "between them, from one round of the loop to the next"
        return f"Put {sync} {between}."

    def _read_before_written(self) -> list[Race]:
        found = []
        for number, (thread, byte, count, block) in sorted(self._unwritten.items()):
            i = self._instructions[number]
            count = max(1, count * self._unit // max(i.place.item, self._unit))
            found.append(
                Race(
                    "unwritten",
                    (i.line,),
                    (self._text(i),),
                    i.place.element(byte),
                    (thread,),
                    (block,),
                    count,
                    (_verb(i),),
                    "Shared memory begins with noise: write it first, and put cuda.syncthreads() between.",
                )
            )
        return found

    def _barriers(self) -> list[Race]:
        found = []
        for missed in self._missed:
            lines = (missed.line, missed.other) if missed.other else (missed.line,)
            every = "every lane of its mask" if missed.warp else "every thread of the block"
            found.append(
                Race(
                    "barrier",
                    lines,
                    tuple(self._source.get(n, "").strip() for n in lines),
                    "",
                    (missed.waiting, missed.missing),
                    (self._logs[0].index,) if self._logs else ((0, 0, 0),),
                    missed.count,
                    ("waits",),
                    f"A barrier is for {every}: move it out of the branch, or let no thread return before it.",
                )
            )
        return found


_REST = ("instruction", "thread", "stretch", "time", "turn")


def _verb(instruction: Instruction) -> str:
    return "reads" if not instruction.writes else "updates" if instruction.atomic else "writes"


def _release_names(logs: Sequence[BlockLog], atomic: np.ndarray) -> np.ndarray:
    """The elements (byte addresses) of atomics behind a memory fence, at most 60: only these order other accesses."""
    found = [np.zeros(0, np.int64)]
    for log in logs:
        if len(log.fences):
            places = np.flatnonzero(atomic[log.instruction])
            found.append(log.address[places[places >= log.fences[0, 0]]])
    return np.unique(np.concatenate(found))[:60]


def _fenced(log: BlockLog, rows: _Accesses, atomic: np.ndarray, names: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each access and each element of `names`: the first atomic on it that comes after the access (its time; NEVER for none),
    and the last one before it (-1 for none). After and before: in the same thread, or in another one of the block with a barrier
    between. A fence must lie between an access and the atomic that makes it known."""
    release = np.full((len(rows.unit), len(names)), NEVER)
    acquire = np.full((len(rows.unit), len(names)), -1)
    if not len(log.fences) or not len(names):
        return release, acquire
    stretch, room = log.stretch, len(log.address) + 1
    mine, now = rows.thread.astype(np.int64), log.epoch[rows.stretch]
    fence_own = np.sort(log.fences[:, 1] * room + log.fences[:, 0])
    own = _next(fence_own, mine * room + rows.time + 1)  # the next fence of the same thread
    any_ = _next(log.fences[:, 0], rows.time + 1)
    for z, name in enumerate(names.tolist()):
        places = np.flatnonzero(atomic[log.instruction] & (log.address == name))
        if not len(places):
            continue
        thread, epoch = log.thread[stretch[places]].astype(np.int64), log.epoch[stretch[places]]
        order = np.argsort(thread * room + places)
        keyed = (thread * room + places)[order]
        after = _next(keyed, own)  # the same thread's atomic behind its own fence
        release[:, z] = np.where((after < NEVER) & (after // room == mine), after % room, NEVER)
        at = np.maximum(np.searchsorted(epoch, now, side="right"), np.searchsorted(places, any_))
        release[:, z] = np.minimum(release[:, z], np.append(places, NEVER)[np.minimum(at, len(places))])
        before = np.searchsorted(keyed, mine * room + rows.time) - 1
        same = (before >= 0) & (keyed[before] // room == mine)
        acquire[:, z] = np.where(same, keyed[before] % room, -1)
        earlier = np.searchsorted(epoch, now) - 1
        acquire[:, z] = np.maximum(acquire[:, z], np.where(earlier >= 0, places[earlier], -1))
    return release, acquire


def _next(ordered: np.ndarray, least: np.ndarray) -> np.ndarray:
    """For each number the first of an ordered row that is not smaller; NEVER for none."""
    found: np.ndarray = np.append(ordered, NEVER)[np.searchsorted(ordered, least)]
    return found


def _bits(table: np.ndarray) -> np.ndarray:
    """A row of truth values as one number."""
    found: np.ndarray = (table.astype(np.int64) << np.arange(table.shape[1])).sum(axis=1)
    return found


def find_races(run: Run, block: Point, source: Sequence[tuple[int, str]]) -> tuple[tuple[Race, ...], bool]:
    """What is wrong between the threads of this run, and whether some pairs were too many to be compared."""
    finder = Finder(run, block, dict(source))
    return finder.races(), finder.incomplete
