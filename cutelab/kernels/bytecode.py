"""Which instruction of the kernel is running, and which expression of the source is it? Read from frames and bytecode."""

from __future__ import annotations

import dis
import types
from typing import NamedTuple

_CODES: dict[int, Instructions] = {}  # by id: hashing a code object reads all of it


class Span(NamedTuple):
    """A piece of source: lines from 1, columns in UTF-8 bytes from 0; the last one is not included."""

    line: int
    end_line: int
    column: int
    end_column: int


class Instructions:
    """The instructions of a code object, in order."""

    def __init__(self, code: types.CodeType) -> None:
        self.code = code  # kept, so that its id stays its own
        steps = list(dis.get_instructions(code))
        self._names = [step.opname for step in steps]
        self._values = [step.argval for step in steps]
        self._spans = [step.positions for step in steps]
        self.offsets = [step.offset for step in steps]
        self._index: list[int] = []
        for i, offset in enumerate(self.offsets):
            end = self.offsets[i + 1] if i + 1 < len(steps) else len(code.co_code)
            self._index += [i] * (end - offset)

    def start(self, offset: int) -> int:
        """Where does the instruction begin that holds this offset? (Once Python has specialised an instruction, a frame may
        point into the inline cache behind it.)"""
        return self.offsets[self._index[offset]]

    def span(self, offset: int) -> Span | None:
        """The expression that this instruction evaluates; None where Python does not know."""
        at = self._spans[self._index[offset]]
        if at is None or at.lineno is None or at.end_lineno is None:
            return None
        if at.col_offset is None or at.end_col_offset is None:
            return None
        return Span(at.lineno, at.end_lineno, at.col_offset, at.end_col_offset)

    def drops_result(self, offset: int) -> bool:
        """Is the result of this instruction thrown away?"""
        return self._names[self._index[offset] + 1] == "POP_TOP"

    def stored_in(self, offset: int) -> str:
        """The name of the variable that takes the result; "" if none does."""
        at = self._index[offset] + 1
        if not self._names[at].startswith(("STORE_FAST", "STORE_DEREF")):
            return ""
        value = self._values[at]  # from Python 3.13 on two instructions may be one: a pair of names
        return str(value[0] if isinstance(value, tuple) else value)


def instructions(code: types.CodeType) -> Instructions:
    """The instructions of a code object; read once."""
    found = _CODES.get(id(code))
    if found is None:
        if len(_CODES) > 512:
            _CODES.clear()
        found = _CODES[id(code)] = Instructions(code)
    return found


def instruction_start(frame: types.FrameType) -> int:
    """At which bytecode offset does the instruction begin that this frame executes?"""
    return instructions(frame.f_code).start(frame.f_lasti)


def result_used(frame: types.FrameType) -> bool:
    """Is the result of the call that this frame executes used? (An atomic whose result is dropped is a reduction.)"""
    return not instructions(frame.f_code).drops_result(frame.f_lasti)


def source_of(span: Span | None, lines: dict[int, str]) -> str:
    """The text of a piece of source, in one line; "" where the source does not hold it.

    >>> source_of(Span(1, 1, 6, 10), {1: "out = a[i] + 1"})
    'a[i]'
    """
    if span is None or span.line not in lines or span.end_line not in lines:
        return ""
    if span.line == span.end_line:
        cut = lines[span.line].encode()[span.column : span.end_column]
        return cut.decode(errors="replace")
    rows = [lines.get(n, "") for n in range(span.line, span.end_line + 1)]
    rows[0] = rows[0].encode()[span.column :].decode(errors="replace")
    rows[-1] = rows[-1].encode()[: span.end_column].decode(errors="replace")
    return " ".join(row.strip() for row in rows)
