"""Trace: what a run of a kernel showed, line by line, and what is wrong between its threads."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from cutelab.core.display import Shown
from cutelab.kernels.launch import Run
from cutelab.kernels.races import Race
from cutelab.kernels.report import access_name, source_view
from cutelab.kernels.simulator import Point
from cutelab.plans.access import Access, Uncounted

COUNTERS = (("global", "load"), ("global", "store"), ("shared", "load"), ("shared", "store"))


@dataclass(frozen=True, eq=False)
class Trace(Shown):
    """What a kernel's memory accesses cost, line by line. `text()` shows them beside the source, `figure()` as a card.

    kernel  its name; grid, block: the launch; blocks: those that were traced
    lines   one Access for each line, expression, array, kind and width, in the order of the source (Uncounted: not modelled)
    races   what is wrong between threads: races, shared memory that nobody wrote, barriers that not all reach; () for nothing
    checked whether races were looked for
    partial which blocks were traced and what of the outputs the others left alone; "" if all were traced
    order   what a second run in a shuffled order of threads gave
    source  (number, text) of each line of the kernel; empty if the source cannot be found
    limits  what this trace does not say, one sentence each
    """

    kernel: str
    grid: Point
    block: Point
    blocks: tuple[Point, ...]
    lines: tuple[Access | Uncounted, ...]
    races: tuple[Race, ...]
    checked: bool
    partial: str
    order: str
    source: tuple[tuple[int, str], ...] = field(repr=False)
    limits: tuple[str, ...] = field(repr=False)
    run: Run = field(repr=False)

    def total(self, space: str, kind: str) -> int:
        """All sectors (space "global") or wavefronts ("shared") of one kind, "load" or "store", in the blocks traced."""
        return sum(a.count or 0 for a in self.lines if a.space == space and a.kind == kind)

    @property
    def scale(self) -> float:
        """Blocks of the grid for each one traced; 1 if all were."""
        x, y, z = self.grid
        return x * y * z / len(self.blocks)

    def grid_total(self, space: str, kind: str) -> int:
        """The same for the whole grid: counted if all blocks were traced, else scaled as if all were alike."""
        return round(self.total(space, kind) * self.scale)

    def totals(self) -> dict[str, int]:
        """Sectors and wavefronts of loads and stores of the whole grid, by the names of the hardware's counters here."""
        return {f"{space} {kind}": self.grid_total(space, kind) for space, kind in COUNTERS}

    def at(self, line: int) -> tuple[Access | Uncounted, ...]:
        """The accesses of one source line."""
        return tuple(a for a in self.lines if a.line == line)

    @property
    def worst(self) -> Access | None:
        """The access with the most sectors or wavefronts too many; None if there is none."""
        bad = [a for a in self.lines if isinstance(a, Access) and a.excess]
        return max(bad, key=lambda a: a.excess, default=None)

    @property
    def verdict(self) -> str:
        """Is anything wrong between threads, in one sentence."""
        if not self.checked:
            return "races were not looked for"
        if not self.races:
            return "no race in what was traced"
        return f"{len(self.races)} {'thing goes' if len(self.races) == 1 else 'things go'} wrong between threads"

    def text(self) -> str:
        """The verdict, then the kernel's source with its figures beside the lines, as a profiler's source view shows them."""
        out = [f"{self.kernel}, grid {self.grid}, block {self.block}"]
        out += [self.partial] if self.partial else []
        out += [self.verdict + (f"; {self.order}" if self.order else "")]
        out += [f"! {race}" for race in self.races]
        at: dict[int, list[Access | Uncounted]] = defaultdict(list)
        for a in self.lines:
            at[a.line].append(a)
        out += source_view(self.source, at)
        if self.worst is not None:
            words = self.worst.explain().replace("\n", "; ")
            out.append(f"worst: line {self.worst.line}, {access_name(self.worst)}: {words}")
        if self.partial:
            figures = ", ".join(f"{name} {count:,}" for name, count in self.totals().items())
            out.append(f"whole grid, scaled from {len(self.blocks):,} blocks: {figures}")
        return "\n".join([*out, *(f"- {limit}" for limit in self.limits)])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {
            "kernel": self.kernel,
            "grid": list(self.grid),
            "block": list(self.block),
            "blocks": [list(b) for b in self.blocks],
            "lines": [_line(a) for a in self.lines],
            "checked": self.checked,
            "races": [_race(r) for r in self.races],
            "partial": self.partial,
            "order": self.order,
            "totals": {f"{s} {k}": self.total(s, k) for s, k in COUNTERS},
            "grid_totals": self.totals(),
            "scaled": bool(self.partial),
            "source": [list(line) for line in self.source],
            "limits": list(self.limits),
        }

    def to_json(self) -> str:
        """The same as JSON text."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False)

    def save(self, path: Any) -> Any:
        """Write it to a file: .png, .svg or .pdf for the card, .txt for the text, .json for all numbers. Returns the path."""
        if str(path).lower().endswith(".json"):
            return self._write(path, self.to_json().encode())
        return super().save(path)


def _line(a: Access | Uncounted) -> dict[str, Any]:
    names = ("line", "source", "expression", "array", "space", "kind", "access_bytes", "accesses", "unit")
    found = {name: getattr(a, name) for name in (*names, "count", "ideal", "excess", "efficiency")}
    return found | {"worst": a.explain()}


def _race(race: Race) -> dict[str, Any]:
    names = ("kind", "lines", "sources", "element", "threads", "blocks", "count", "accesses", "remedy")
    return {name: getattr(race, name) for name in names} | {"text": str(race)}
