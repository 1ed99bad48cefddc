"""The kind of an exercise whose answer is a function that the learner writes."""

from __future__ import annotations

import dis
import inspect
import linecache
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from cutelab.core.errors import CuteLabError
from cutelab.course.ask.kinds import Odd, describe, is_starter, plain, to_words

RANDOM_INPUTS = 12
STARTER_OPS = {"RESUME", "NOP", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE", "POP_TOP"}


class Raised(Odd):
    """The reading of a call that stopped with an exception."""


@dataclass(frozen=True)
class Function:
    """A function: it is called on all `edges` and on `RANDOM_INPUTS` inputs that `draw` makes from a seeded Random.

    parameters  their names, as they appear in the message about the first failing input
    """

    parameters: tuple[str, ...]
    edges: tuple[tuple[Any, ...], ...]
    draw: Callable[[Random], tuple[Any, ...]]

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

    def read(self, answer: Any, seed: str) -> tuple[tuple[tuple[Any, ...], Any], ...]:
        wanted = ", ".join(self.parameters)
        if not callable(answer):
            raise CuteLabError(
                f"The answer must be a function of ({wanted}), given by its name, without calling it; "
                f"yours is {describe(answer)}."
            )
        if not self._fits(answer):
            raise CuteLabError(
                f"The function must take {len(self.parameters)} arguments, ({wanted}); "
                f"yours takes {inspect.signature(answer)}."
            )
        return tuple((args, self._call(answer, args)) for args in self.inputs(seed))

    def _call(self, answer: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        try:
            return plain(answer(*args))
        except (Exception, SystemExit) as error:
            return Raised(explain_error(error, answer))

    def read_right(self, right: Callable[..., Any], seed: str) -> tuple[tuple[tuple[Any, ...], Any], ...]:
        return tuple((args, plain(right(*args))) for args in self.inputs(seed))

    def difference(self, mine: Any, right: Any) -> str:
        failing = [(args, yours, good) for (args, yours), (_, good) in zip(mine, right, strict=True) if yours != good]
        args, yours, good = failing[0]
        given = ", ".join(f"{name} = {to_words(value)}" for name, value in zip(self.parameters, args, strict=True))
        count = f"({len(failing)} of {len(mine)} inputs fail)"
        if isinstance(yours, Raised):
            return f"For {given} your function {yours} {count}."
        whole = isinstance(good, int) and str(yours) == f"{float(good)}, a float"
        tail = " Divide with // to stay with whole numbers." if whole else ""
        return f"For {given}: yours {to_words(yours).rstrip('.')}, right {to_words(good)} {count}.{tail}"


def explain_error(error: BaseException, function: Callable[..., Any]) -> str:
    """What went wrong in the learner's code, in one sentence, with the line where it happened?"""
    code = getattr(function, "__code__", None)
    what = f"{type(error).__name__}: {error}".rstrip(": ")
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f.lineno for f in frames if code is not None and f.filename == code.co_filename and f.lineno]
    if not lines or code is None:
        return f"stops with {what}"  # not in the learner's own code
    text = linecache.getline(code.co_filename, lines[-1]).strip()
    return f"stops with {what} in line {lines[-1]}" + (f", `{text}`" if text else "")
