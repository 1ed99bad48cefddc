"""What did the learner write? An answer as plain Python: numbers, tuples and texts, whatever its type or spelling."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.core.int_tuple import is_int, to_text

MAX_SIZE = 65536  # values in an answer, over all levels
MAX_DEPTH = 32  # levels of brackets
MAX_BITS = 128  # of a number
MAX_TEXT = 4000  # characters


@dataclass(frozen=True)
class Odd:
    """A reading that equals no right answer: text says what it is ("2.5, a float")."""

    text: str

    def __str__(self) -> str:
        return self.text


def plain(value: Any) -> Any:
    """The same value in plain Python: NumPy's numbers and arrays, whole floats, lists, sets and ranges become ints and tuples.

    What is too large, too deep or no number at all becomes an Odd. An answer is measured before anything is copied.

    >>> plain(np.int64(3)), plain([1, (2, 3.0)]), plain(np.arange(3)), plain({2, 1})
    (3, (1, (2, 3)), (0, 1, 2), (1, 2))
    """
    fault = too_much(value)
    return Odd(fault) if fault else _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if is_int(value) or (isinstance(value, float | np.floating) and float(value).is_integer()):
        large = abs(int(value)).bit_length() > MAX_BITS
        return Odd(f"far too large: a number beyond 2^{MAX_BITS}") if large else int(value)
    if isinstance(value, str):
        return value.strip() if len(value) <= MAX_TEXT else Odd(f"far too long: a text of {len(value):,} characters")
    if isinstance(value, set | frozenset):
        return tuple(sorted(map(_plain, entries(value)), key=lambda v: (not is_int(v), v if is_int(v) else str(v))))
    if isinstance(value, tuple | list | range):
        return tuple(map(_plain, entries(value)))
    return Odd(describe(value))


def too_much(value: Any) -> str:
    """Is this answer too large or too deep to be looked at? What is wrong with it, or "". Looks at no more than MAX_SIZE values."""
    budget = MAX_SIZE
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for one in level:
            count = _count(one)
            budget -= count
            if budget < 0:
                return f"far too long: a {type(value).__name__} of more than {MAX_SIZE:,} values"
            if isinstance(one, tuple | list | set | frozenset):
                below += entries(one)
        if not below:
            return ""
        level = below
    return f"far too deep: a {type(value).__name__} of more than {MAX_DEPTH} levels"


SEQUENCES: tuple[Any, ...] = (tuple, list, range, set, frozenset)


def entries(value: Any) -> Iterator[Any]:
    """What a sequence holds, and not what a class of the learner's own says that it holds: that may never end."""
    return next(base.__iter__(value) for base in SEQUENCES if isinstance(value, base))


def _count(value: Any) -> int:
    """How many values are in a sequence? 0 for anything else."""
    if isinstance(value, np.ndarray):
        return int(value.size)
    try:
        base = next((b for b in SEQUENCES if isinstance(value, b)), None)
        return 0 if base is None else base.__len__(value)
    except OverflowError:  # a range beyond 2^63
        return 2**63


_brief = reprlib.Repr()
_brief.maxlevel, _brief.maxtuple, _brief.maxlist, _brief.maxset, _brief.maxdict = 4, 8, 8, 8, 4
_brief.maxstring, _brief.maxlong, _brief.maxother = 60, 60, 60


def shown(value: Any) -> str:
    """How does a value look, in at most 60 characters? Control characters and marks that turn a line around are escaped.

    >>> shown((1, 2)), shown("a\\u202eb"), shown(object())
    ('(1, 2)', "'a\\\\u202eb'", 'something of type object')
    """
    try:
        if isinstance(value, set | frozenset):  # Python's own repr of a set asks the class of the learner
            value = set(entries(value))
        text = str(value) if isinstance(value, np.ndarray) and value.size <= 16 else _brief.repr(value)
    except Exception:
        return "something that cannot be printed"
    if re.search(r" (object )?at 0x[0-9a-fA-F]+>?", text):
        return f"something of type {type(value).__name__}"
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in " ".join(text.split()))
    return text if len(text) <= 60 else text[:57] + "..."


def describe(value: Any) -> str:
    """How is this value named in a sentence?

    >>> describe(2.5), describe(None)
    ('2.5, a float', 'nothing (None): is the `return` missing?')
    >>> describe("4 * 8")
    "'4 * 8', a calculation as text: write its result, or in a cell leave out the quotation marks"
    """
    if value is None:
        return "nothing (None): is the `return` missing?"
    if isinstance(value, type):
        return f"the class {value.__name__} itself, not an object of it"
    if isinstance(value, str) and re.fullmatch(r"\(*\d[\d\s().]*(?:(?:[-+*/%x×·]|//)[\d\s().]+)+", value.strip()):
        return f"{shown(value)}, a calculation as text: write its result, or in a cell leave out the quotation marks"
    kind = type(value).__name__
    kind = {"str": "text", "int": "whole number"}.get(kind, kind)
    text = shown(value)
    return text if text.startswith("something") else f"{text}, {'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def to_words(reading: Any) -> str:
    """How does a reading appear in a sentence?

    >>> to_words((1, 3)), to_words(38), to_words("8:4"), to_words((1,))
    ('(1,3)', '38', '8:4', '(1)')
    """
    return to_text(reading) if isinstance(reading, tuple) else str(reading)


def is_starter(answer: Any) -> bool:
    """Is this `...`, None, or an empty text?

    >>> is_starter(...), is_starter(None), is_starter(" "), is_starter(0)
    (True, True, True, False)
    """
    return answer is None or answer is Ellipsis or (isinstance(answer, str) and answer.strip() in ("", "..."))


def are_ints(value: Any) -> bool:
    """Is this an integer, or a tuple of such (also nested)?"""
    return all(map(are_ints, value)) if isinstance(value, tuple) else is_int(value)


NUMBER = r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|\d+(?:\.0*)?)"


def to_int(text: str) -> int:
    """A number as a person writes it.

    >>> to_int("0x20"), to_int("-3"), to_int("24.0"), to_int("0b101")
    (32, -3, 24, 5)
    """
    text = text.lower()
    return int(text, 0) if "x" in text or "b" in text else int(text.partition(".")[0])


def tidy(text: str) -> str:
    """A text without what surrounds an answer: spaces, a trailing semicolon, quotation marks, `answer =`.

    >>> tidy(' answer = "(1,3)"; ')
    '(1,3)'
    """
    text = re.sub(r"^\s*(?:auto\s+)?[A-Za-z_]\w*\s*=(?!=)", "", text)
    return text.strip().rstrip(";").strip().strip("\"'`").strip()


def read_number(text: str) -> tuple[int, str] | None:
    """The one number in a text such as "24", "24 sectors", "8-way", "row 32", "0x18", "1,024", and the words around it.

    None if there is no number, more than one, or a sign of a calculation.

    >>> read_number("24 sectors"), read_number("8-way"), read_number("4*8"), read_number("1,024")
    ((24, 'sectors'), (8, 'way'), None, (1024, ''))
    """
    text = re.sub(r"^[\d\s.x*·×+/()-]+=(?=\s*\d)", "", tidy(text))  # "4 x 8 = 32"
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text).replace("_", "")
    found = re.fullmatch(rf"([A-Za-z ]*?[: =]*)({NUMBER})([- ]*[A-Za-z]?[A-Za-z -]*)\.?", text)
    if found is None or len(found[2]) > 400:
        return None
    words = f"{found[1]} {found[3]}".replace("-", " ").replace(":", " ").replace("=", " ")
    return to_int(found[2]), " ".join(words.split()).lower()


LONGEST_LABELLED = 200  # characters: a longer text is no answer, and would take long to take apart


def read_labelled(text: str, parts: tuple[str, ...]) -> tuple[Any, ...] | None:
    """The numbers (or pairs) of a text that names each of them, in the order of `parts`; None if it does not name just these.

    >>> read_labelled("lane 11 of warp 6", ("lane", "warp")), read_labelled("thread = 4, block: 7", ("block", "thread"))
    ((11, 6), (7, 4))
    >>> read_labelled("64 values, 16384 bytes", ("values", "bytes")), read_labelled("v0 = (1,2), v1 = (1,3)", ("v0", "v1"))
    ((64, 16384), ((1, 2), (1, 3)))
    """
    label, between = r"([A-Za-z][A-Za-z_ -]*?)", r"\s*(?:[,;&]|\band\b|\bof\b|\bin\b)?\s*"
    before, behind = rf"{label}\s*[:=]?\s*({NUMBER})", rf"({NUMBER})\s*{label}"
    if not parts or len(text) > LONGEST_LABELLED:
        return None
    more = f"{{0,{len(parts) - 1}}}"  # bounded: a text that fits almost must not be tried in every way
    group = rf"({'|'.join(map(re.escape, parts))})\s*[:=]?\s*(\([^()]*\))"
    if re.fullmatch(rf"\(?\s*{before}(?:{between}{before}){more}\s*\)?\.?", text):
        named = re.findall(before, re.sub(r"\b(?:and|of|in|the|is)\b", " ", text))
    elif re.fullmatch(rf"\(?\s*{behind}(?:\s*(?:[,;&]|\band\b)\s*{behind}){more}\s*\)?\.?", text):
        words = re.split(r"[,;&]|\band\b", text.strip(" ()."))
        named = [(one_pair[2], one_pair[1]) for one in words if (one_pair := re.fullmatch(behind, one.strip()))]
    elif re.fullmatch(rf"{group}(?:{between}{group}){more}\.?", text):
        named = re.findall(group, text)
    else:
        return None
    found: dict[str, Any] = {}
    for name, number in named:
        plain_label = re.sub(r"[\s_-]", "", name.lower())
        meant = [p for p in parts if re.sub(r"[\s_-]", "", p.lower()) == plain_label]
        meant = meant or [p for p in parts if re.sub(r"[\s_-]", "", p.lower()).startswith(plain_label)]
        value = read_tuple(number) if number.startswith("(") else to_int(number)
        if len(meant) != 1 or meant[0] in found or value is None:
            return None
        found[meant[0]] = value
    return tuple(found[p] for p in parts) if len(found) == len(parts) else None


def read_tuple(text: str) -> Any:
    """The numbers in a text such as "(1,3)", "1, 3", "[23 31 63]", "23, 31 and 63", "(1,(1,1))"; None if it is no such text.

    >>> read_tuple("1, 3"), read_tuple("(1,(1,1))"), read_tuple("23, 31 and 63"), read_tuple("x")
    ((1, 3), (1, (1, 1)), (23, 31, 63), None)
    """
    if re.search(r"\d\.\d*[1-9]", text):  # a fraction is no pair
        return None
    text = re.sub(r"\band\b|&", " ", tidy(text)).translate(str.maketrans("[]{}<>;", "()()(),"))
    tokens = re.findall(rf"{NUMBER}|[(),]|\S", text)
    stack: list[list[Any]] = [[]]
    for token in tokens:
        if token == "(":
            stack.append([])
        elif token == ")":
            if len(stack) < 2:
                return None
            stack[-2].append(tuple(stack.pop()))
        elif re.fullmatch(NUMBER, token):
            stack[-1].append(to_int(token))
        elif token != ",":
            return None
        if len(stack) > MAX_DEPTH:
            return None
    if len(stack) != 1:
        return None
    (top,) = stack
    return top[0] if len(top) == 1 and isinstance(top[0], tuple) else tuple(top) if top else None
