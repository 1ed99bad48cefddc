"""The kind of an exercise whose answer is a function that the learner writes."""

from __future__ import annotations

import contextlib
import dis
import inspect
import io
import linecache
import sys
import sysconfig
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from cutelab.core.errors import CuteLabError
from cutelab.course.ask import trials
from cutelab.course.ask.diagnose import Diagnosis
from cutelab.course.ask.reading import Odd, describe, is_starter, plain, shown
from cutelab.course.ask.trials import Reading

RANDOM_INPUTS = 12
SECONDS = 3.0  # for all calls of a function together
STARTER_OPS = {"RESUME", "NOP", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE", "POP_TOP"}


class Raised(Odd):
    """The reading of a call that stopped with an exception."""


class Stopped(BaseException):
    """A learner's function that ran out of its time. No `except Exception` of the learner catches it.

    A bare `except` does. Python has ended the tracing by then, so the exception begins it anew when it is dropped.
    """

    def __init__(self, again: Callable[[], None]) -> None:
        super().__init__()
        self._again = again

    def __del__(self) -> None:
        self._again()


@contextlib.contextmanager
def until(end: float) -> Iterator[None]:
    """Stop Python code that still runs at this time (of `time.monotonic`): Stopped is raised at the line where it is then.

    Without a thread or a signal, so that it works in every system and in a browser. One call of a C function cannot be cut.
    """

    running = [True]

    def again(frame: FrameType) -> None:
        if running:
            frame.f_trace = watch
            sys.settrace(watch)

    def watch(frame: FrameType, event: str, arg: Any) -> Any:
        if time.monotonic() > end:
            raise Stopped(partial(again, frame))
        if event == "call":
            if not own(frame.f_code.co_filename):
                return None
            frame.f_trace_opcodes = True  # a loop of one line has no line events
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        yield
    finally:
        running.clear()
        sys.settrace(before)


@dataclass(frozen=True)
class Function:
    """A function: it is called on all `edges` and on `RANDOM_INPUTS` inputs that `draw` makes from a seeded Random.

    parameters  their names, as they appear in the message about the first failing input
    parts       what the numbers of a result are, if it is a tuple: ("thread", "value")
    """

    parameters: tuple[str, ...]
    edges: tuple[tuple[Any, ...], ...]
    draw: Callable[[Random], tuple[Any, ...]]
    parts: tuple[str, ...] = ()

    @property
    def form(self) -> str:
        returns = f" that returns ({', '.join(self.parts)})" if self.parts else ""
        return f"a function of ({', '.join(self.parameters)}){returns}, given by its name"

    def inputs(self, seed: str) -> tuple[tuple[Any, ...], ...]:
        """Which inputs does this seed test? The edges first. Equal in every process."""
        random = Random(seed)
        return self.edges + tuple(self.draw(random) for _ in range(RANDOM_INPUTS))

    def untouched(self, answer: Any) -> bool:
        if is_starter(answer):
            return True
        code = getattr(answer, "__code__", None)
        if code is None or any(op.opname not in STARTER_OPS for op in dis.get_instructions(code)):
            return False
        return self._fits(answer) and is_starter(answer(*self.edges[0]))

    def _fits(self, answer: Any) -> bool:
        try:
            inspect.signature(answer).bind(*self.parameters)
        except TypeError:
            return False
        except ValueError:  # a built-in function without a signature
            return True
        return True

    def read(self, answer: Any, seed: str) -> Reading:
        if isinstance(answer, type) or not callable(answer):
            called = "; leave the brackets away, do not call it" if isinstance(plain(answer), int | tuple) else ""
            text = "; define it with `def`" if isinstance(answer, str) else ""
            raise CuteLabError(
                f"The answer must be {self.form}, without calling it{text}; yours is {describe(answer)}{called}."
            )
        if not self._fits(answer):
            raise CuteLabError(
                f"The function must take {len(self.parameters)} arguments, ({', '.join(self.parameters)}); "
                f"yours takes {inspect.signature(answer)}."
            )
        end, rows = time.monotonic() + SECONDS, []
        for args in self.inputs(seed):
            rows.append((args, self._call(answer, args, end)))
            if time.monotonic() > end:  # the other inputs would not come to an end either
                rows += [(other, rows[-1][1]) for other in self.inputs(seed)[len(rows) :]]
                break
        return Reading(tuple(rows))

    def _call(self, answer: Callable[..., Any], args: tuple[Any, ...], end: float) -> Any:
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed), until(end):
                found = answer(*args)
            if found is None and printed.getvalue().strip():
                text = shown(printed.getvalue().strip().splitlines()[0]).strip("'\"")
                return Odd(f"nothing (None), but prints {text}: write `return` in place of `print`")
            return plain(found)
        except KeyboardInterrupt:
            raise
        except Stopped as error:
            where = place(error, answer)
            return Raised(
                f"does not come to an end: it was stopped after {SECONDS:.0f} seconds{where}. Which loop never stops?"
            )
        except BaseException as error:
            return Raised(explain_error(error, answer))

    def read_right(self, right: Callable[..., Any], seed: str) -> Reading:
        return Reading(tuple((args, plain(right(*args))) for args in self.inputs(seed)), right)

    def diagnose(self, mine: Reading, right: Reading, told: bool) -> Diagnosis:
        return Diagnosis(trials.name_function(mine.rows, right, self.parameters, self.parts), self._where(mine, right))

    def _where(self, mine: Reading, right: Reading) -> str:
        failing = [
            (args, yours, good) for (args, yours), (_, good) in zip(mine.rows, right.rows, strict=True) if yours != good
        ]
        args, yours, good = failing[0]
        given = trials.words_of(self.parameters, args)
        count = f"({len(failing)} of {len(mine.rows)} inputs fail)"
        if isinstance(yours, Raised):
            return f"For {given} your function {yours}{'' if str(yours)[-1] in '?.' else f' {count}.'}"
        if isinstance(yours, Odd):
            return f"For {given} your function gives {yours} {count}."
        return f"For {given}: yours {trials.value_words(yours)}, right {trials.value_words(good)} {count}."


@cache
def own(filename: str) -> bool:
    """Is this file the learner's: neither this package, nor Python's, nor another package's?"""
    if filename.startswith("<frozen"):
        return False
    here = str(Path(__file__).resolve().parents[2])
    paths = sysconfig.get_paths()
    return not filename.startswith((here, *(paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib"))))


def place(error: BaseException, function: Callable[..., Any] | None = None) -> str:
    """Where in the learner's code did this happen: " in line 3, `...`"? "" if it was nowhere there."""
    code = getattr(function, "__code__", None)
    mine = [f for f in traceback.extract_tb(error.__traceback__) if f.lineno]
    frames = [f for f in mine if code is not None and f.filename == code.co_filename] or [
        f for f in mine if own(f.filename)
    ]
    if not frames:
        return ""
    text = linecache.getline(frames[-1].filename, frames[-1].lineno or 0).strip()
    return f" in line {frames[-1].lineno}" + (f", `{shown(text)[1:-1]}`" if text else "")


def explain_error(error: BaseException, function: Callable[..., Any] | None = None) -> str:
    """What went wrong in the learner's code, in one sentence, with the line where it happened?"""
    try:
        text = f"{type(error).__name__}: {error}"
    except Exception:
        text = type(error).__name__
    what = " ".join(text.rstrip(": ").split())
    return f"stops with {what if len(what) <= 160 else what[:157] + '...'}{place(error, function)}"
