"""trace: run a Numba CUDA kernel without a GPU; see line by line what memory will make of it, and what threads do to each other."""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.hardware.access import WarpAccess
from cutelab.kernels.bytecode import source_of
from cutelab.kernels.device_api import LOCAL
from cutelab.kernels.launch import (
    MAX_THREADS,
    SECONDS,
    UNSET,
    Arguments,
    Launch,
    Run,
    chosen_blocks,
    function_of,
    read_launch,
    rerun,
    simulate,
    whole_number,
)
from cutelab.kernels.races import find_races
from cutelab.kernels.recorder import LIMIT, Instruction, Place
from cutelab.kernels.simulator import Point, Workers
from cutelab.kernels.steps import Steps, warp_instructions
from cutelab.kernels.traced import Trace
from cutelab.plans.access import Access, Uncounted

BLOCKS = 2  # traced of a large grid, unless told otherwise
SMALL, SHORT = 4096, 500_000  # threads, accesses: a grid of no more is traced whole
MOST_STEPS = 1_000_000  # warp instructions that are kept, 288 bytes each
MOST_COPIED = 1 << 28  # bytes of arguments that are copied for the second run
WHAT_SOURCE_SHOWS = (
    "One access for each one written in the source; what the compiler keeps in registers, hoists or merges is not seen."
)


def trace(
    kernel: Any,
    grid: Any = UNSET,
    block: Any = UNSET,
    *args: Any,
    blocks: Any = "auto",
    shared_bytes: int | None = None,
    check: bool = True,
    limit: int = LIMIT,
    seconds: float = SECONDS,
) -> Trace:
    """What does each line of this kernel cost, and are its threads kept apart? Run it without a GPU and see.

    Every thread runs the kernel's own Python code. Its accesses to global arrays (the arguments), to shared arrays and to
    constants are noted; the n-th time that the lanes of a warp pass an instruction is one warp instruction, counted in sectors
    (global) or wavefronts (shared) by `cutelab.hardware`. Then the notes are searched for races, and the blocks run a second time
    on copies, in a shuffled order of threads.

    kernel        a function decorated with @cuda.jit (in a file or a notebook cell); kernel[grid, block, 0, bytes] will do too
    grid, block   as in kernel[grid, block]: a number or up to three
    args          NumPy arrays (written in place) and numbers
    blocks        how many blocks to trace, the first ones (x fastest), or a list of their indices; None: all; "auto": all of a
                  grid of up to 4,096 threads and 500,000 accesses, else 2 or what fits
    shared_bytes  dynamic shared memory
    check         look for races, and run in a shuffled order
    limit         accesses that are noted at most; seconds: how long a thread may compute without touching memory

    It takes about 3 us an access and 12 bytes of memory, 288 bytes a warp instruction. Raises CuteLabError for an index out of
    bounds (it names line, thread and index), for threads that wait for ever or never end, for what is not simulated, for more
    than 65,536 threads, `limit` accesses or 1,000,000 warp instructions.

    >>> from cutelab.kernels import cuda
    >>> @cuda.jit
    ... def scale(out, a):
    ...     i = cuda.grid(1)
    ...     if i < a.size:
    ...         out[i] = 2 * a[2 * i % 64]
    >>> seen = trace(scale, 1, 64, np.zeros(64, np.float32), np.ones(64, np.float32))
    >>> [(a.array, a.kind, a.accesses, a.sectors, a.ideal) for a in seen.lines]
    [('a', 'load', 2, 16, 8), ('out', 'store', 2, 8, 8)]
    >>> seen.races
    ()
    """
    made = read_launch(kernel, grid, block, args, shared_bytes)
    limit = whole_number(limit, "limit", 1, 10**9)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= 86_400:
        raise CuteLabError(f"seconds must be a number above 0, up to 86,400, got {repr(seconds)[:60]}")
    enough = None
    if isinstance(blocks, str) and blocks == "auto":
        enough = (BLOCKS, SHORT)
        blocks = None if made.blocks * made.threads <= SMALL else min(BLOCKS, max(1, MAX_THREADS // made.threads))
    chosen = chosen_blocks(made.grid, made.block, blocks)
    function = function_of(made.kernel)
    arguments = Arguments(function.__code__.co_varnames[: function.__code__.co_argcount], made.args)
    heavy = sum(a.nbytes for a in arguments.arrays().values()) > MOST_COPIED
    copies = arguments.copies() if check and not heavy else None
    order = HEAVY if check else ""
    with Workers() as workers:
        run = simulate(made, arguments, chosen, workers, limit=limit, seconds=seconds, enough=enough)
        chosen = tuple(log.index for log in run.logs)
        arguments.give_back()
        if copies is not None:
            order = _second_run(made, arguments, copies, chosen, workers, seconds)
    source = _source(function)
    text = dict(source)
    grouped, lone = _warp_instructions(run, text)
    lines = tuple(_access(key, steps, text) for key, steps in grouped.items())
    races, incomplete = find_races(run, made.block, source) if check else ((), False)
    limits = _limits(run, lines, lone, incomplete, bool(source))
    partial = _partial(made, chosen, run)
    return Trace(made.name, made.grid, made.block, chosen, lines, races, check, partial, order, source, limits, run)


HEAVY = "the arguments are too large for a second run in another order"


def _source(function: Any) -> tuple[tuple[int, str], ...]:
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError, SyntaxError, IndexError):
        return ()
    return tuple((first + i, line.rstrip("\n")) for i, line in enumerate(lines))


Key = tuple[
    int, str, str, str, str, int
]  # line, expression, array, space, kind, bytes: instructions that are shown together
Batch = tuple[np.ndarray, np.ndarray]  # addresses (n, 32), active (n, 32)


def _warp_instructions(run: Run, text: dict[int, str]) -> tuple[dict[Key, list[Batch]], int]:
    """Warp instructions by what they are shown as. Also: how many had inactive lanes."""
    kinds: dict[int, list[Batch]] = defaultdict(list)
    partial = kept = 0
    for log in run.logs:
        steps = warp_instructions(log)
        kept += len(steps.first)
        if kept > MOST_STEPS:
            raise CuteLabError(
                f"more than {MOST_STEPS:,} warp instructions: too much to keep. Trace fewer blocks (blocks=1) or a smaller problem."
            )
        if not len(steps.first):
            continue
        partial += _with_inactive_lanes(steps, log.thread)
        begins = np.flatnonzero(np.concatenate(([True], np.diff(steps.instruction) != 0))).tolist()
        for begin, end in zip(begins, [*begins[1:], len(steps.first)], strict=True):
            kinds[int(steps.instruction[begin])].append((steps.address[begin:end], steps.active[begin:end]))
    rows: dict[Key, list[Batch]] = defaultdict(list)
    ordered = sorted(kinds, key=lambda n: (run.instructions[n].line, run.instructions[n].where))
    for number in ordered:
        rows[_key(run.instructions[number], text)] += kinds[number]
    return rows, partial


def _with_inactive_lanes(steps: Steps, thread: np.ndarray) -> int:
    """Warp instructions in which not all threads of the warp take part."""
    most = int(thread.max()) + 1
    lanes = np.minimum(most - steps.warp * steps.active.shape[1], steps.active.shape[1])
    return int((steps.active.sum(axis=1) < lanes).sum())


def _key(i: Instruction, text: dict[int, str]) -> Key:
    """A line, and of it an expression: "a[i + 1]". A call (an atomic, a wide access) is shown by its array's name."""
    expression = source_of(i.span, text)
    if not expression or expression.endswith(")"):
        expression = i.place.name
    return i.line, expression, i.array, i.space, i.kind, i.nbytes


def _access(key: Key, batches: list[Batch], text: dict[int, str]) -> Access | Uncounted:
    line, expression, array, space, kind, nbytes = key
    source = text.get(line, "")
    modelled = kind in ("load", "store") or (space == "shared" and kind in ("atomic", "reduce") and nbytes == 4)
    if not modelled:
        count = sum(len(address) for address, _ in batches)
        return Uncounted(array, source, space, kind, nbytes, count, line, expression)
    address = np.concatenate([a for a, _ in batches])
    active = np.concatenate([a for _, a in batches])
    address.setflags(write=False)
    try:
        warps = WarpAccess(address, nbytes, kind, None if active.all() else active)
    except CuteLabError:  # records packed so that their fields are not aligned: the compiler takes them apart
        return Uncounted(array, source, space, kind, nbytes, len(address), line, expression)
    return Access(array, source, space, warps, line=line, expression=expression)


def _second_run(
    made: Launch,
    arguments: Arguments,
    copies: Sequence[Any],
    chosen: Sequence[Point],
    workers: Workers,
    seconds: float,
) -> str:
    """Run once more on copies of what was given, and compare with what the first run left."""
    try:
        rerun(made, copies, chosen, workers, seconds)
    except CuteLabError as error:
        return f"in a second, shuffled order of threads it fails: {error}"
    rounded = []
    for name, raw, copy in zip(arguments.names, arguments.raw, copies, strict=True):
        if not isinstance(raw, np.ndarray) or raw is copy:
            continue
        wrong = _different(raw, copy)
        if wrong is None:
            rounded.append(name)
        elif wrong.any():
            first = ",".join(str(int(i)) for i in np.argwhere(wrong)[0])
            return (
                f"in a second, shuffled order of threads {name} differs at {int(wrong.sum()):,} of {raw.size:,} elements, "
                f"first at {name}[{first}]: the result depends on the order"
            )
    if rounded:
        return f"in a second, shuffled order of threads {' and '.join(rounded)} differs by rounding only"
    return "the same results in a second, shuffled order of threads"


def _different(a: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    """Where two arrays differ; None if by the rounding of floating-point sums only."""
    if a.dtype.fields is not None:
        bytes_a, bytes_b = (np.ascontiguousarray(x).view(np.uint8).reshape(*x.shape, -1) for x in (a, b))
        packed: np.ndarray = (bytes_a != bytes_b).any(axis=-1)
        return packed
    if a.dtype.kind not in "fc":
        return np.asarray(a != b)
    wrong = ~((a == b) | (np.isnan(a) & np.isnan(b)))
    with np.errstate(all="ignore"):
        near = np.isclose(
            a,
            b,
            rtol=64 * np.finfo(a.dtype).eps,
            atol=64 * np.finfo(a.dtype).eps * np.nanmax(np.abs(a), initial=0),
            equal_nan=True,
        )
    return None if wrong.any() and bool(near.all()) else wrong


def _partial(made: Launch, chosen: Sequence[Point], run: Run) -> str:
    """Which blocks were traced, and what of the outputs the others left alone; "" if all were."""
    if len(chosen) == made.blocks:
        return ""
    names = [str(b).replace(" ", "") for b in chosen]
    shown = ", ".join(names) if len(names) <= 3 else f"{names[0]}, {names[1]} ... {names[-1]}"
    said = f"{len(chosen):,} of {made.blocks:,} blocks traced: {shown}."
    parts = []
    for place, addresses in _written(run).items():
        size = int(np.prod(place.shape))
        if len(addresses) < size:
            ends = place.element(int(addresses[0])), place.element(int(addresses[-1]))
            parts.append(f"{place.name} ({len(addresses):,} of {size:,} elements written, {ends[0]} to {ends[1]})")
    return said + (f" The rest of {' and '.join(parts)} was left alone." if parts else "")


def _written(run: Run) -> dict[Place, np.ndarray]:
    """Array -> byte addresses of the elements of it that were written, in order."""
    found: dict[Place, list[np.ndarray]] = defaultdict(list)
    for number, i in enumerate(run.instructions):
        if i.space == "global" and i.writes:
            for log in run.logs:
                start = np.unique(log.address[log.instruction == number])
                wide = np.arange(max(1, i.nbytes // i.place.item)) * i.place.item
                found[i.place].append((start[:, None] + wide).ravel())
    return {place: np.unique(np.concatenate(parts)) for place, parts in found.items()}


def _limits(
    run: Run, lines: Sequence[Access | Uncounted], lone: int, incomplete: bool, has_source: bool
) -> tuple[str, ...]:
    said = []
    if lone:
        said.append(
            f"{lone:,} warp instructions had inactive lanes (masked edges or divergence); lanes that pass a line for the "
            "n-th time count as together, also where the hardware would let them go apart."
        )
    if any(a.count is None for a in lines):
        said.append(
            "Global atomics, compare-and-swap and atomics of other than 4 bytes are not modelled: no count for them."
        )
    if any(a.kind in ("load", "store") and a.count is None for a in lines):
        said.append(
            "Records whose fields are not aligned to their size are taken apart by the compiler: no count for them."
        )
    if any(i.atomic and i.floating for i in run.instructions):
        said.append("Atomics are counted as integer ones; on floats the hardware may repeat them.")
    if any(a.space == "constant" for a in lines):
        said.append(
            "Captured arrays and cuda.const arrays lie in constant memory: a pass for each distinct word of a warp. Not measured."
        )
    if LOCAL in run.omitted:
        said.append(
            f"{LOCAL} (line {run.omitted[LOCAL]}) stays in registers or goes to local memory, as the compiler decides: not counted."
        )
    if incomplete:
        said.append(
            "So many accesses meet on the same elements that not all pairs were compared: there may be more races."
        )
    if not has_source:
        said.append("The kernel's source cannot be found; lines have numbers only.")
    said.append(WHAT_SOURCE_SHOWS)
    return tuple(said)
