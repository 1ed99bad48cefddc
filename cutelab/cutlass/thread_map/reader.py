"""Read the C++ type of a thread map, as a compiler or an error message prints it. No `eval`."""

from __future__ import annotations

import dataclasses
from typing import Any

from cutelab.core.errors import CuteLabError
from cutelab.core.notation import Reader
from cutelab.cutlass.pitch_linear import PitchLinearShape
from cutelab.cutlass.thread_map.base import WORDS, ThreadMap
from cutelab.cutlass.thread_map.stripmined import (
    PitchLinear2DThreadTileStripminedThreadMap,
    PitchLinearStripminedThreadMap,
    PitchLinearTilePolicyStripminedThreadContiguous,
    PitchLinearTilePolicyStripminedThreadStrided,
)
from cutelab.cutlass.thread_map.transposed import (
    TransposePitchLinearThreadMap,
    TransposePitchLinearThreadMap2DThreadTile,
    TransposePitchLinearThreadMapSimt,
)
from cutelab.cutlass.thread_map.warps import (
    PitchLinearStridedWarpRakedThreadMap,
    PitchLinearWarpRakedThreadMap,
    PitchLinearWarpStripedThreadMap,
)

THREAD_MAPS: dict[str, type[ThreadMap]] = {
    cls.__name__: cls
    for cls in (
        PitchLinearStripminedThreadMap,
        PitchLinearTilePolicyStripminedThreadContiguous,
        PitchLinearTilePolicyStripminedThreadStrided,
        PitchLinearWarpRakedThreadMap,
        PitchLinearStridedWarpRakedThreadMap,
        TransposePitchLinearThreadMap,
        TransposePitchLinearThreadMapSimt,
        PitchLinearWarpStripedThreadMap,
        PitchLinear2DThreadTileStripminedThreadMap,
        TransposePitchLinearThreadMap2DThreadTile,
    )
}
EXAMPLE = "PitchLinearStripminedThreadMap<PitchLinearShape<16,8>, 32, 1>"
MAX_NESTING = 8


def parse_thread_map(text: str) -> ThreadMap:
    """Which thread map is this C++ type? Nested types, namespaces, spaces and left-out defaults are read.

    `<64,32>` alone is a shape, too: the explorer's titles leave the name out that repeats.

    `parse_thread_map(str(x)) == x`. Raises CuteLabError with a caret under the place, or with the reason why CUTLASS rejects
    the configuration.

    >>> found = parse_thread_map("cutlass::transform::PitchLinearStripminedThreadMap<cutlass::PitchLinearShape<16, 8>, 32>")
    >>> str(found)
    'PitchLinearStripminedThreadMap<PitchLinearShape<16,8>, 32, 1>'
    >>> parse_thread_map("PitchLinearStripminedThreadMap<<16,8>, 32>") == found
    True
    >>> parse_thread_map("PitchLinearStripminedThreadMap<PitchLinearShape<16>, 32, 1>")
    Traceback (most recent call last):
    ...
    cutelab.core.errors.CuteLabError: expected ',' between the two extents: PitchLinearShape<contiguous,strided>
      ...rStripminedThreadMap<PitchLinearShape<16>, 32, 1>
                                                 ^
    """
    reader = Reader(text, "thread map", EXAMPLE)
    found = read_thread_map(reader)
    reader.braces()
    reader.end()
    return found


def _name(reader: Reader) -> str:
    while reader.take(":"):
        reader.want(":", "after ':'")
    return reader.name()


def read_thread_map(reader: Reader, level: int = 0) -> ThreadMap:
    """The thread map that comes next in a text."""
    if level > MAX_NESTING:
        reader.fail(f"nested more than {MAX_NESTING} levels deep; CUTLASS nests once")
    begin = reader.at
    name = _name(reader)
    if name not in THREAD_MAPS:
        known = [n for n in THREAD_MAPS if name and n.lower().startswith(name.lower())] or list(THREAD_MAPS)
        reader.fail(
            f"expected the name of a thread map, such as {', '.join(known[:3])}", reader.at - 1 if name else begin
        )
    cls = THREAD_MAPS[name]
    reader.want("<", f"after {name}")
    arguments: list[Any] = []
    fields = dataclasses.fields(cls)  # type: ignore[arg-type]
    for i, field in enumerate(fields):
        if i and field.default is not dataclasses.MISSING and reader.peek() == ">":
            break
        if i:
            reader.want(",", f"and {WORDS[field.name]}; the parameters of {name} are {_parameters(cls)}")
        if field.name == "thread_map":
            arguments.append(read_thread_map(reader, level + 1))
        elif field.name in ("threads", "elements_per_access"):
            arguments.append(reader.number(WORDS[field.name]))
        else:
            arguments.append(_shape(reader, WORDS[field.name]))
    reader.want(">", f"at the end of {name}; its parameters are {_parameters(cls)}")
    try:
        return cls(*arguments)
    except CuteLabError as error:
        if "\n" in str(error):
            raise
        _, rejected, why = str(error).partition(" is rejected: ")
        reader.fail(f"this{rejected}{why}" if why else str(error), begin)  # the line below shows the type


def _parameters(cls: type[ThreadMap]) -> str:
    return ", ".join(WORDS.get(f.name, "ThreadMap") for f in dataclasses.fields(cls))  # type: ignore[arg-type]


def _shape(reader: Reader, what: str) -> PitchLinearShape:
    begin = reader.at
    if reader.peek() != "<" and _name(reader) != "PitchLinearShape":
        reader.fail(f"expected {what}, a PitchLinearShape<contiguous,strided>", begin)
    reader.want("<", "after PitchLinearShape")
    contiguous = reader.number("the contiguous extent")
    reader.want(",", "between the two extents: PitchLinearShape<contiguous,strided>")
    strided = reader.number("the strided extent")
    reader.want(">", "after the two extents: PitchLinearShape<contiguous,strided>")
    try:
        return PitchLinearShape(contiguous, strided)
    except CuteLabError as error:
        reader.fail(str(error), begin)
