"""For anybody's tests: a kernel that must stay free of conflicts, coalesced, or free of races says so in one line."""

from __future__ import annotations

from typing import Any

from cutelab.core.errors import CuteLabError
from cutelab.hardware.chip import H200
from cutelab.kernels.report import access_name
from cutelab.kernels.trace import trace
from cutelab.kernels.traced import Trace
from cutelab.plans.access import Access


def _seen(subject: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Trace:
    if isinstance(subject, Trace):
        if args or options:
            raise CuteLabError("give either a Trace, or a kernel with its grid, block and arguments")
        return subject
    return trace(subject, *args, **options)


def assert_conflict_free(subject: Any, *args: Any, **options: Any) -> Trace:
    """Does every shared access take the fewest wavefronts that it can? Else AssertionError, with the lines that do not.

    subject  a Trace, or a kernel; then args and options are those of `trace`: grid, block, the kernel's arguments.
    Returns the Trace.

    >>> import numba, numpy as np
    >>> from cutelab.kernels import cuda
    >>> @cuda.jit
    ... def column(out):
    ...     s = cuda.shared.array((32, 32), numba.float32)
    ...     s[cuda.threadIdx.x, 0] = 1
    >>> assert_conflict_free(column, 1, 32, np.zeros(1, np.float32))
    Traceback (most recent call last):
    ...
    AssertionError: column: 1 shared access has bank conflicts
    line 4 `s[cuda.threadIdx.x, 0] = 1`: shared store s[cuda.threadIdx.x, 0] 4 B: 32 wavefronts where 1 would do (32-way); lanes 0, 1, 2 ... meet in bank 0, each on its own word
    """
    seen = _seen(subject, args, options)
    bad = [a for a in seen.lines if isinstance(a, Access) and a.space == "shared" and a.excess]
    if bad:
        raise AssertionError(
            _message(seen, bad, f"shared access{'es have' if len(bad) > 1 else ' has'} bank conflicts")
        )
    return seen


def assert_coalesced(subject: Any, *args: Any, **options: Any) -> Trace:
    """Does every global access move the fewest sectors that can hold its bytes? Else AssertionError, with the lines that do not.

    An access of few lanes (a masked edge) may move a part of a sector: it is measured by what it asks for. Returns the Trace.
    """
    seen = _seen(subject, args, options)
    bad = [a for a in seen.lines if isinstance(a, Access) and a.space == "global" and a.excess]
    if bad:
        name = f"sectors of {H200.sector_bytes} bytes"
        raise AssertionError(
            _message(seen, bad, f"global access{'es move' if len(bad) > 1 else ' moves'} more {name} than needed")
        )
    return seen


def assert_no_races(subject: Any, *args: Any, **options: Any) -> Trace:
    """Is nothing wrong between the threads (races, unwritten shared memory, barriers that not all reach)? Else AssertionError.

    Returns the Trace. Raises CuteLabError for a Trace that was made with check=False.
    """
    seen = _seen(subject, args, options)
    if not seen.checked:
        raise CuteLabError("this trace was made with check=False: races were not looked for")
    if seen.races:
        raise AssertionError("\n".join([f"{seen.kernel}: {seen.verdict}", *map(str, seen.races)]))
    return seen


def _message(seen: Trace, bad: list[Access], what: str) -> str:
    lines = [f"{seen.kernel}: {len(bad)} {what}"]
    for a in sorted(bad, key=lambda a: -a.excess):
        words = a.explain().replace("\n", "; ")
        lines.append(f"line {a.line} `{a.source.strip()}`: {access_name(a)}: {words}")
    return "\n".join(lines)
