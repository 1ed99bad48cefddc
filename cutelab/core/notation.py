"""Read CuTe's text for layouts and swizzles into plain tuples. No `eval`: a small recursive-descent reader.

Spellings: `(4,2):(2,1)`, `_4`, nested, shape only, `Sw<3,4,3> o 0 o (8,64):(64,1)`, `S<3,4,3> o ...`,
`Sw<3,4,3> o smem_ptr[16b](0x7f..) o (..):(..)`, and C++ types such as `Layout<Shape<_4,_2>, Stride<_2,_1>>`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from cutelab.core.errors import CuteLabError, escaped
from cutelab.core.int_tuple import INT64_MAX, MAX_DEPTH, Int, IntTuple, to_text

MAX_TEXT = 4000  # characters; the longest golden layout has 90
COMPOSE = ("o", "∘", "○")
TUPLES = ("Shape", "Stride", "Coord", "Step", "tuple", "Tile")
INTEGERS = ("C", "Int")
TOKEN = re.compile(r"\s*(?:(smem_ptr\s*\[[^\]]*\]\s*\([^)]*\))|([A-Za-z_]\w*)|(\d+\w*)|(.))", re.S)


@dataclass(frozen=True)
class Parsed:
    """What a text says: shape, stride (None: not given), and for a composed layout the swizzle (B, M, S) and the offset.

    pointer_bits: the element size behind `smem_ptr[16b]`; the swizzle then acts on byte addresses.
    """

    shape: IntTuple
    stride: IntTuple | None = None
    swizzle: tuple[int, int, int] | None = None
    offset: int = 0
    pointer_bits: int | None = None


def parse(text: str) -> Parsed:
    """What does this text say? Raises CuteLabError with a caret under the place and what was expected there.

    Static integers (`_4`, `Int<4>`) become `Int`, which equals the plain number.

    >>> parse("(_4,_2):(_2,_1)")
    Parsed(shape=(4, 2), stride=(2, 1), swizzle=None, offset=0, pointer_bits=None)
    """
    reader = Reader(text)
    found = reader.layout()
    reader.end()
    return found


def parse_swizzle(text: str) -> tuple[int, int, int]:
    """Which (bits, base, shift) does this text name?

    >>> parse_swizzle("Swizzle<3,4,3>")
    (3, 4, 3)
    """
    reader = Reader(text)
    if reader.name() not in ("Sw", "S", "Swizzle"):
        reader.fail("expected a swizzle such as Sw<3,4,3>")
    found = reader.swizzle()
    reader.end()
    return found


def print_type(shape: IntTuple, stride: IntTuple) -> str:
    """How is this layout written as a C++ type?

    >>> print_type((4, 2), (2, 1))
    'Layout<Shape<_4,_2>,Stride<_2,_1>>'
    """

    def spell(value: IntTuple, name: str) -> str:
        if isinstance(value, tuple):
            return f"{name}<{','.join(spell(v, name) for v in value)}>"
        return f"Int<{value}>" if value < 0 else to_text(value, static=True)

    return f"Layout<{spell(shape, 'Shape')},{spell(stride, 'Stride')}>"


class Reader:
    """Tokens of one text, with the place of each for the caret. `what` and `example` are words for its errors."""

    def __init__(self, text: str, what: str = "layout", example: str = "(4,2):(2,1)") -> None:
        if not isinstance(text, str):
            raise CuteLabError(f"a {what} is written as text such as '{example}'; got {type(text).__name__}")
        if not text.strip():
            raise CuteLabError(f"the text is empty; write a {what} such as {example}")
        if len(text) > MAX_TEXT:
            raise CuteLabError(f"the text has {len(text)} characters; at most {MAX_TEXT} are read")
        self.text, self.what = text, what
        self.tokens: list[tuple[str, int]] = []
        place = 0
        while (match := TOKEN.match(text, place)) is not None and match.group().strip():
            self.tokens.append((match.group().lstrip(), match.end() - len(match.group().lstrip())))
            place = match.end()
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def take(self, token: str) -> bool:
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def want(self, token: str, why: str) -> None:
        if not self.take(token):
            self.fail(f"expected '{token}' {why}")

    def skip_namespaces(self) -> None:
        while self.peek().isidentifier() and [t for t, _ in self.tokens[self.at + 1 : self.at + 3]] == [":", ":"]:
            self.at += 3

    def name(self) -> str:
        """The next token if it is a name (namespaces skipped), else ''."""
        self.skip_namespaces()
        token = self.peek()
        if token and (token[0].isalpha() or token in COMPOSE):
            self.at += 1
            return token
        return ""

    def fail(self, expected: str, at: int | None = None) -> NoReturn:
        at = self.at if at is None else at
        place = self.tokens[at][1] if at < len(self.tokens) else len(self.text.rstrip())
        line = self.text.replace("\n", " ").replace("\t", " ")
        start = max(0, place - 40)
        before, after = escaped(line[start:place])[-50:], escaped(line[place : place + 40])[:50]
        if start:
            before = "..." + before
        raise CuteLabError(f"{expected[:170]}\n  {before}{after}\n  {' ' * len(before)}^")

    def end(self) -> None:
        self.take(";")
        if self.at < len(self.tokens):
            self.fail(f"expected the end of the {self.what}, found '{self.peek()[:40]}'")

    def braces(self) -> None:
        if self.take("{"):
            self.want("}", "after '{'")

    def number(self, why: str) -> int:
        self.skip_namespaces()
        begin = self.at
        static = self.peek().startswith("_")
        if self.peek() == "_" and self.at + 1 < len(self.tokens) and self.tokens[self.at + 1][0] == "-":
            self.at += 1  # CuTe prints a static negative integer as _-1
        sign = -1 if self.take("-") else 1
        token = self.peek()
        digits = token[1:] if token.startswith("_") else token
        if not digits.isdecimal() or not digits.isascii():
            if token[:1].isalpha() or (token.startswith("_") and len(token) > 1):
                self.fail(f"'{token[:40]}' is a name, not a number; write {why} as a number")
            if digits[:1].isdecimal():
                self.fail(f"'{token[:40]}' is not a number; write {why} such as 4 or _4")
            if token in ("_", "None"):
                self.fail(f"expected {why}; '_' keeps a whole mode and has no place in a layout")
            self.fail(f"expected {why}" + (f", found '{token[:40]}'" if token else ", but the text ends here"))
        self.at += 1
        value = sign * int(digits) if len(digits) < 30 else INT64_MAX + 1
        if abs(value) > INT64_MAX:
            self.fail(f"numbers must stay below 2^63; {token[:24]} does not", begin)
        return Int(value) if static else value

    def int_tuple(self, why: str, level: int = 0) -> IntTuple:
        if level > MAX_DEPTH:
            self.fail(f"nested more than {MAX_DEPTH} levels deep; real layouts need fewer than 6")
        begin = self.at
        if self.take("("):
            if self.peek() == ")":
                self.fail(f"expected {why} inside the parentheses")
            return self.members(")", why, level, begin)
        word = self.name()
        if word in TUPLES:
            self.want("<", f"after {word}")
            return self.members(">", why, level, begin)
        if word in INTEGERS:
            self.want("<", f"after {word}")
            value = self.number(why)
            self.want(">", "after the number")
            return Int(value)
        self.at = begin
        return self.number(why)

    def members(self, close: str, why: str, level: int, begin: int) -> IntTuple:
        values = [self.int_tuple(why, level + 1)]
        while self.take(","):
            values.append(self.int_tuple(why, level + 1))
        if not self.take(close):
            if not self.peek():
                opened = self.tokens[begin][0]
                self.fail(f"'{opened}' opened here is never closed; expected ',' or '{close}' at the end", begin)
            if self.peek() == ":":
                self.fail(f"expected ',' or '{close}' before ':'; a parenthesis is open here")
            self.fail(f"expected ',' or '{close}', found '{self.peek()[:40]}'")
        self.braces()
        return tuple(values)

    def swizzle(self) -> tuple[int, int, int]:
        self.want("<", "after the swizzle's name")
        found = []
        for i, why in enumerate(("the number of bits B", "the base M", "the shift S")):
            if i:
                self.want(",", "between the three numbers of a swizzle: Sw<bits,base,shift>")
            found.append(self.number(why))
        self.want(">", "after the three numbers of a swizzle: Sw<bits,base,shift>")
        self.braces()
        return found[0], found[1], found[2]

    def compose(self) -> bool:
        return any(self.take(c) for c in COMPOSE)

    def layout(self) -> Parsed:
        begin = self.at
        word = self.name()
        if word in ("Sw", "S", "Swizzle"):
            return self.composed(self.swizzle())
        if word == "ComposedLayout":
            self.want("<", "after ComposedLayout")
            if self.name() not in ("Sw", "S", "Swizzle"):
                self.fail("expected a swizzle such as Swizzle<3,4,3>")
            swizzle = self.swizzle()
            self.want(",", "after the swizzle")
            offset, bits = self.offset()
            self.want(",", "after the offset")
            inner = self.plain()
            self.want(">", "at the end of ComposedLayout")
            self.braces()
            return Parsed(inner.shape, inner.stride, swizzle, offset, bits)
        self.at = begin
        return self.plain()

    def offset(self) -> tuple[int, int | None]:
        token = self.peek()
        if token.startswith("smem_ptr") and "[" in token:
            self.at += 1
            bits = re.search(r"\[\s*(\d+)\s*b\s*\]", token)
            if bits is None:
                self.fail("expected the element's bits, as in smem_ptr[16b](unset)", self.at - 1)
            if bits.group(1).lstrip("0") not in ("1", "2", "4", "8", "16", "32", "64", "128"):
                self.fail("an element has 1, 2, 4, ... or 128 bits, as in smem_ptr[16b](unset)", self.at - 1)
            return 0, int(bits.group(1))
        begin = self.at
        if self.name() in ("smem_ptr_flag_bits", "smem_ptr_flag"):
            if self.take("<"):
                size = self.number("the element's bits")
                if size not in (1, 2, 4, 8, 16, 32, 64, 128):
                    self.fail("an element has 1, 2, 4, ... or 128 bits", self.at - 1)
                self.want(">", "after the bits")
                self.braces()
                return 0, size
            return 0, 8
        self.at = begin
        return self._constant("the offset"), None

    def _constant(self, why: str) -> int:
        value = self.int_tuple(why)
        if isinstance(value, tuple):
            self.fail(f"expected {why}, one integer", self.at - 1)
        return value

    def composed(self, swizzle: tuple[int, int, int]) -> Parsed:
        if not self.compose():
            self.fail("expected 'o' and a layout after the swizzle, as in Sw<3,4,3> o 0 o (8,64):(64,1)")
        begin = self.at
        if self.peek().startswith("smem_ptr") and "[" in self.peek():
            offset, bits = self.offset()
        else:
            bits = None
            offset = 0
            value = self.int_tuple("the offset or a layout")
            if isinstance(value, tuple) or self.peek() not in COMPOSE:
                self.at = begin
                inner = self.plain()
                return Parsed(inner.shape, inner.stride, swizzle)
            offset = value
        if not self.compose():
            self.fail("expected 'o' and a layout after the offset, as in Sw<3,4,3> o 0 o (8,64):(64,1)")
        inner = self.plain()
        return Parsed(inner.shape, inner.stride, swizzle, offset, bits)

    def plain(self) -> Parsed:
        begin = self.at
        if self.name() == "Layout":
            self.want("<", "after Layout")
            shape = self.int_tuple("a shape")
            stride = self.int_tuple("a stride") if self.take(",") else None
            self.want(">", "at the end of Layout<...>")
            self.braces()
            return Parsed(shape, stride)
        self.at = begin
        shape = self.int_tuple("a shape")
        stride = self.int_tuple("a stride") if self.take(":") else None
        return Parsed(shape, stride)
