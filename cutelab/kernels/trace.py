"""trace: run a Numba CUDA kernel without a GPU, and see line by line what memory will make of it."""

from __future__ import annotations

import inspect
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cutelab.hardware import sectors, wavefronts
from cutelab.hardware.access import WarpAccess
from cutelab.kernels.launch import Point, chosen_blocks, dimensions, simulate
from cutelab.kernels.recorder import Instruction, Recorder
from cutelab.kernels.simulator import WARP, Thread

BLOCKS = 2  # traced unless told otherwise
WHAT_SOURCE_SHOWS = (
    "One access for each one written in the source; what the compiler keeps in registers, hoists or merges is not seen."
)


@dataclass(frozen=True, eq=False)
class LineAccess:
    """What one source line does to one array, over all warps traced.

    line, source  the line's number in its file or cell, and its text
    array         the argument's name, or "shared"
    space         "global" or "shared"
    kind          "load", "store", "reduce", "atomic" or "compare-and-swap"
    access_bytes  bytes a lane
    accesses      warp instructions: one for each warp and repetition of the line
    count         sectors (global) or wavefronts (shared), all instructions together; None where it is not modelled
    ideal, excess the fewest that would do, and the rest
    efficiency    global: bytes used / bytes moved; shared: ideal / count
    worst         the worst instruction's lanes: a WarpAccess, or None
    """

    line: int
    source: str
    array: str
    space: str
    kind: str
    access_bytes: int
    accesses: int
    count: int | None
    ideal: int | None
    efficiency: float | None
    worst: WarpAccess | None = field(repr=False)
    worst_count: int | None = None

    @property
    def unit(self) -> str:
        return "sectors" if self.space == "global" else "wavefronts"

    @property
    def sectors(self) -> int | None:
        """The count of a global access; None for a shared one."""
        return self.count if self.space == "global" else None

    @property
    def wavefronts(self) -> int | None:
        """The count of a shared access; None for a global one."""
        return self.count if self.space == "shared" else None

    @property
    def excess(self) -> int | None:
        return None if self.count is None or self.ideal is None else self.count - self.ideal

    def explain(self) -> str:
        """The worst instruction in words."""
        if self.worst is None:
            return f"a {self.kind} of {self.access_bytes} bytes on {self.space} memory: not modelled"
        return (sectors if self.space == "global" else wavefronts)(self.worst).explain()


@dataclass(frozen=True, eq=False)
class Trace:
    """What a kernel's memory accesses cost, line by line. `text()` shows them beside the source, `picture()` as a card.

    kernel  its name; grid, block: the launch; blocks: those that were traced
    lines   one LineAccess for each line, array, kind and width, in the order of the source
    source  (number, text) of each line of the kernel; empty if the source cannot be found
    limits  what this trace does not say, one sentence each
    """

    kernel: str
    grid: Point
    block: Point
    blocks: tuple[Point, ...]
    lines: tuple[LineAccess, ...]
    source: tuple[tuple[int, str], ...] = field(repr=False)
    limits: tuple[str, ...] = field(repr=False)

    def total(self, space: str, kind: str) -> int:
        """All sectors (space "global") or wavefronts ("shared") of one kind, "load" or "store", in the blocks traced."""
        return sum(a.count or 0 for a in self.lines if a.space == space and a.kind == kind)

    def at(self, line: int) -> tuple[LineAccess, ...]:
        """The accesses of one source line."""
        return tuple(a for a in self.lines if a.line == line)

    def text(self) -> str:
        """The kernel's source with its figures beside the lines, as a profiler's source view shows them."""
        from cutelab.kernels.report import as_text

        return as_text(self)

    def picture(self) -> Any:
        """The same as a card: plain data for `cutelab.course.card.paint`."""
        from cutelab.kernels.report import as_picture

        return as_picture(self)

    def __str__(self) -> str:
        return self.text()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """In a notebook: the card, and the same as text."""
        import base64
        import html

        from cutelab.course.card import paint as draw

        picture = self.picture()
        data = base64.b64encode(draw.render(picture, 2).png).decode("ascii")
        card = f'<img width="720" style="max-width:100%" alt="{html.escape(picture.alt)}" src="data:image/png;base64,{data}">'
        return {"text/plain": self.text(), "text/html": card}


def trace(kernel: Any, grid: Any, block: Any, *args: Any, blocks: Any = BLOCKS, shared_bytes: int = 0) -> Trace:
    """Which sectors and wavefronts does each line of this kernel cost? Run it without a GPU and see.

    Every thread runs the kernel's own Python code. Its accesses to global arrays (the arguments) and to shared arrays are
    noted; the n-th time that the lanes of a warp pass an instruction is one warp instruction, counted by `cutelab.memory`.

    kernel        a function decorated with @cuda.jit (in a file or a notebook cell)
    grid, block   as in kernel[grid, block]: a number or up to three
    args          NumPy arrays (written in place) and numbers
    blocks        how many blocks to trace, the first ones (x fastest), or a list of their indices; None: all
    shared_bytes  dynamic shared memory

    Raises CuteLabError for an index out of bounds (it names line, thread and index), for threads that wait for ever, for
    what is not simulated, and for more than 65,536 threads or 5,000,000 accesses.

    >>> from cutelab.kernels import cuda
    >>> @cuda.jit
    ... def scale(out, a):
    ...     i = cuda.grid(1)
    ...     if i < a.size:
    ...         out[i] = 2 * a[2 * i % 64]
    >>> seen = trace(scale, 1, 64, np.zeros(64, np.float32), np.ones(64, np.float32))
    >>> [(a.array, a.kind, a.accesses, a.sectors, a.ideal) for a in seen.lines]
    [('a', 'load', 2, 16, 8), ('out', 'store', 2, 8, 8)]
    """
    grid, block = dimensions(grid, "grid"), dimensions(block, "block")
    chosen = chosen_blocks(grid, block, blocks)
    done, recorder, engine = simulate(kernel, grid, block, args, chosen, shared_bytes, record=True)
    function = getattr(kernel, "py_func", kernel)
    source = _source(function)
    grouped, partial = _warp_instructions(done, recorder)
    text = dict(source)
    rows = [_row(instructions, batches, text) for instructions, batches in grouped.items()]
    limits = _limits(grid, chosen, rows, partial, engine.uneven, bool(source))
    return Trace(function.__name__, grid, block, chosen, tuple(rows), source, limits)


def _source(function: Any) -> tuple[tuple[int, str], ...]:
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return ()
    return tuple((first + i, line.rstrip("\n")) for i, line in enumerate(lines))


Row = tuple[int, str, str, str, int]  # line, array, space, kind, bytes: instructions that are shown together
Batch = tuple[np.ndarray, np.ndarray]  # addresses (n, 32), active (n, 32)


def _warp_instructions(
    done: list[tuple[Point, list[Thread]]], recorder: Recorder
) -> tuple[dict[tuple[Row, tuple[int, ...]], list[Batch]], int]:
    """The n-th access of each lane of a warp to one instruction, put together. Also: how many had inactive lanes."""
    found: dict[Instruction, list[Batch]] = defaultdict(list)
    partial = 0
    for _, threads in done:
        for start in range(0, len(threads), WARP):
            warp = threads[start : start + WARP]
            for key in dict.fromkeys(key for thread in warp for key in thread.log):
                lanes = [(t.lane, t.log[key]) for t in warp if key in t.log]
                depth = max(len(addresses) for _, addresses in lanes)
                address = np.zeros((depth, WARP), np.int64)
                active = np.zeros((depth, WARP), bool)
                for lane, addresses in lanes:
                    address[: len(addresses), lane] = addresses
                    active[: len(addresses), lane] = True
                partial += int((active.sum(axis=1) < len(warp)).sum())
                found[recorder.instruction(key)].append((address, active))
    rows: dict[Any, list[Batch]] = defaultdict(list)
    for one in sorted(found, key=lambda i: (i.line, i.where)):
        rows[(one.line, one.array, one.space, one.kind, one.nbytes)] += found[one]
    return rows, partial


def _row(row: Any, batches: list[Batch], text: dict[int, str]) -> LineAccess:
    line, array, space, kind, nbytes = row
    address = np.concatenate([a for a, _ in batches])
    active = np.concatenate([a for _, a in batches])
    source = text.get(line, "")
    modelled = kind in ("load", "store") or (space == "shared" and kind in ("atomic", "reduce") and nbytes == 4)
    if not modelled:
        return LineAccess(line, source, array, space, kind, nbytes, len(address), None, None, None, None)
    access = WarpAccess(address, nbytes, kind, active)
    if space == "global":
        result: Any = sectors(access)
        efficiency = float(result.used_bytes.sum() / (32 * result.count.sum()))
    else:
        result = wavefronts(access)
        efficiency = float(result.ideal.sum() / result.count.sum())
    worst = int(np.argmax(result.count))
    lanes = WarpAccess(address[worst], nbytes, kind, active[worst])
    total, ideal = int(result.count.sum()), int(result.ideal.sum())
    return LineAccess(
        line,
        source,
        array,
        space,
        kind,
        nbytes,
        len(address),
        total,
        ideal,
        efficiency,
        lanes,
        int(result.count[worst]),
    )


def _limits(
    grid: Point, chosen: tuple[Point, ...], rows: list[LineAccess], partial: int, uneven: set[Any], has_source: bool
) -> tuple[str, ...]:
    total = grid[0] * grid[1] * grid[2]
    said = []
    if len(chosen) < total:
        names = [str(b).replace(" ", "") for b in chosen]
        shown = ", ".join(names) if len(names) <= 3 else f"{names[0]}, {names[1]} ... {names[-1]}"
        said.append(f"{len(chosen):,} of {total:,} blocks traced: {shown}.")
    if partial:
        said.append(
            f"{partial:,} warp instructions had inactive lanes (masked edges or divergence); lanes that pass a line for the "
            "n-th time count as together, also where the hardware would let them go apart."
        )
    if uneven:
        where = "; ".join(" and ".join(map(str, lines)) for lines in sorted(uneven))
        said.append(f"Threads of one block met different barriers (lines {where}): on a GPU the outcome is undefined.")
    if any(a.count is None for a in rows):
        said.append(
            "Global atomics, compare-and-swap and atomics of other than 4 bytes are not modelled: no count for them."
        )
    if any(a.kind in ("atomic", "reduce") and a.array != "" and a.count is not None for a in rows):
        said.append("Atomics are counted as integer ones; on floats the hardware may repeat them.")
    if not has_source:
        said.append("The kernel's source cannot be found; lines have numbers only.")
    said.append(WHAT_SOURCE_SHOWS)
    return tuple(said)
