"""Which instruction of the kernel is running? Read from Python's frames and bytecode."""

from __future__ import annotations

import dis
import types

_STARTS: dict[int, tuple[types.CodeType, list[int]]] = {}  # by id: hashing a code object reads all of it
_USED: dict[tuple[int, int], bool] = {}


def instruction_start(frame: types.FrameType) -> int:
    """At which bytecode offset does the instruction begin that this frame executes?

    `f_lasti` alone will not do: once Python has specialised an instruction it may point into the inline cache behind it.
    """
    code = frame.f_code
    found = _STARTS.get(id(code))
    if found is None:
        starts, begin = [], 0
        offsets = {step.offset for step in dis.get_instructions(code)}
        for offset in range(len(code.co_code)):
            begin = offset if offset in offsets else begin
            starts.append(begin)
        found = _STARTS[id(code)] = (code, starts)
    return found[1][frame.f_lasti]


def result_used(frame: types.FrameType) -> bool:
    """Is the result of the call that this frame executes used? (An atomic whose result is dropped is a reduction.)"""
    at = instruction_start(frame)
    key = (id(frame.f_code), at)
    if key not in _USED:
        following = (step for step in dis.get_instructions(frame.f_code) if step.offset > at)
        _USED[key] = next(following).opname != "POP_TOP"
    return _USED[key]
