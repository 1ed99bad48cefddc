"""Find the object in a paste: a whole printed line with its label, a declaration, a print of many lines.

An object is read where the text begins, at the beginning of a line, after the mark of a comment, an arrow or a prompt, or after
a label: `tAgA : `, `auto x = `, `[with T = `.
What is passed over is named, never guessed at: after a label only a whole object counts, no bare tuple.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from cutelab.core.errors import CuteLabError, shown
from cutelab.core.notation import Reader

T = TypeVar("T")
R = TypeVar("R", bound=Reader)
MAX_LINES = 40  # lines of a paste at which an object is looked for
SPLIT = re.compile(r"(?<![:<>=!]):(?![:=])|(?<![=!<>+*/-])=(?!=)")
TAIL = re.compile(r"[ \t]*(?:const\b|[&* \t])*[;,]?[ \t]*(//[^\n]*|/\*[^\n]*\*/)?[ \t]*(?=\n|$)")
MARK = re.compile(r"[ \t]*(?://+|#+|\*|->|=>|>>>)[ \t]*(?=\S)")  # a comment, an arrow, a prompt before the object
LABEL = re.compile(r"[^\n]*[A-Za-z_%#][^\n]*")


@dataclass(frozen=True)
class Found(Generic[T]):
    """What was read, and what was passed over: the label before it and what stands behind it."""

    value: T
    set_aside: tuple[str, ...]


def find(text: str, make: Callable[[str, int], R], one: Callable[[R], T]) -> Found[T]:
    """The first object of the text. `make` gives a reader from a place on, `one` reads one object with it.

    >>> find("tAgA : (4,2):(2,1)", lambda text, start: Reader(text, start=start), lambda reader: reader.layout().stride)
    Found(value=(2, 1), set_aside=("the label 'tAgA'",))
    """
    first: CuteLabError | None = None
    furthest = 0
    for number, (begin, line) in enumerate(_lines(text)):
        starts = [(begin, "")]
        mark = MARK.match(line)
        if mark:
            starts.append((begin + mark.end(), mark[0].strip()))
        if len(line) < 4000:
            starts += [(begin + at, label) for at, label in _labels(line)]
        for start, label in starts:
            reader = make(text, start)
            try:
                found = _read(reader, text, start, label, one)
            except CuteLabError as error:
                if number == 0 and not label and reader.failed_at > begin + len(line):
                    raise  # an object of several lines began here
                if first is None or (number == 0 and label and reader.failed_at > furthest + 8):
                    first, furthest = error, reader.failed_at
                continue
            above = [f"{number} line{'s' * (number > 1)} above"] if number else []
            return Found(found.value, (*above, *found.set_aside))
    if first is None:
        make(text, 0)  # raises for a text that is empty or no text
        raise CuteLabError(
            "the text holds no line that could be read; paste what print(layout) prints, such as (4,2):(2,1)"
        )
    raise first


def _lines(text: str) -> list[tuple[int, str]]:
    """The first lines that are not blank, each with its place."""
    if not isinstance(text, str):
        return []
    found: list[tuple[int, str]] = []
    at = 0
    while at < len(text) and len(found) < MAX_LINES:
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if text[at : min(end, at + 4000)].strip():
            found.append((at, text[at : min(end, at + 4000)]))
        at = end + 1
    return found


def _labels(line: str) -> list[tuple[int, str]]:
    """(where the object would begin, the label) for each `:` and `=` outside brackets."""
    found = []
    for match in SPLIT.finditer(line):
        label = line[: match.start()].strip()
        before, bracket, inside = label.rpartition("[")
        opened = before + inside if bracket and "]" not in inside else label
        if (
            not label
            or not LABEL.fullmatch(label)
            or any(opened.count(a) != opened.count(b) for a, b in ("()", "[]", "{}"))
        ):
            continue
        if re.search(r"(?<!\()\)$", label) or re.search(r"[@∘]|>\s*o\s", label):
            continue  # what ends in a tuple is the first half of a layout, no label
        found.append((match.end(), label))
        if len(found) == 6:
            break
    return found


def _read(reader: R, text: str, start: int, label: str, one: Callable[[R], T]) -> Found[T]:
    try:
        value = one(reader)
    except CuteLabError:
        reader.check_names()  # a name without a value is the better reason
        raise
    reader.check_names()
    end = reader.place(reader.at - 1) + len(reader.tokens[reader.at - 1][0]) if reader.at else start
    if label and not re.search(r"[:<A-Za-z]", text[start:end]):
        reader.fail("after a label a whole object is read, such as (4,2):(2,1); a tuple alone could be anything", 0)
    return Found(value, (*([f"the label {shown(label[:60])}"] if label else []), *_behind(text, end, label, reader)))


def _behind(text: str, end: int, label: str, reader: Reader) -> list[str]:
    """What stands behind the object; raises where it belongs to it and was not read."""
    rest = text[end : end + 200]
    aside = []
    data = re.match(r"\s*(,\s*data\s*=|=\s*[\[(])|[ \t]*:[ \t]*(?=\n|$)", rest)
    other = re.match(r"[ \t]*[;,&*]*[ \t]*(?:const)?[ \t]*&*[ \t]*(;[^\n]*)?\]", rest) if "[" in label else None
    tail = TAIL.match(rest)
    if data:
        return ["the values that follow"]
    if other:
        end += other.end()
        if other[1]:
            aside.append("further types in the bracket")
    elif tail:
        end += tail.end()
        if tail[1]:
            aside.append("a comment")
    elif rest.strip():
        reader.end()
    count = text.count("\n", end) if text[end : end + 400].strip() or text[end:].strip() else 0
    if count:
        aside.append(f"{count} further line{'s' * (count > 1)}")
    return aside
