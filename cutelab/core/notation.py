"""Read CuTe's text for layouts and swizzles into plain tuples. No `eval`: a small recursive-descent reader.

What is read: what `print` prints in C++ (`(_4,2):(_2,1)`, `Sw<3,4,3> o 0 o (8,64):(64,1)`, tensors such as
`gmem_ptr[16b](0x7f..) o (..):(..)`, coordinate layouts such as `(4,3):(1@0,1@1)`), C++ types as compilers print them, C++ calls such
as `make_layout(make_shape(8,4))`, and the prints and calls of CuTe's Python forms. What is static stays marked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import INT64_MAX, MAX_DEPTH, Int, IntTuple, is_int
from cutelab.core.leaves import ScaledBasis, compact_strides, mul, stride_leaves, typed_as, unmark
from cutelab.core.tokens import MODULES, Tokens

COMPOSE = ("o", "∘", "○")
SWIZZLES = ("Sw", "S", "Swizzle", "make_swizzle")
TUPLES = ("Shape", "Stride", "Coord", "Step", "tuple", "Tile", "IntTuple")
CALLS = ("make_shape", "make_stride", "make_coord", "make_step", "make_tuple", "make_int_tuple")
INTEGERS = ("C", "Int", "constant", "integral_constant", "Integral")
RUNTIME = ("int", "unsigned", "long", "int32_t", "int64_t", "uint32_t", "uint64_t", "size_t", "short", "auto")
ROW = ("LayoutRight", "GenRowMajor", "RowMajor")
COLUMN = ("LayoutLeft", "GenColMajor", "ColumnMajor")
TYPE_BITS = {
    "f64": 64, "f32": 32, "tf32": 32, "f16": 16, "bf16": 16, "f8": 8, "i64": 64, "i32": 32, "i16": 16, "i8": 8, "i4": 4, "i1": 1,
    "float64": 64, "float32": 32, "float16": 16, "bfloat16": 16, "float": 32, "double": 64, "half": 16, "half_t": 16,
    "bfloat16_t": 16, "tfloat32_t": 32, "int8_t": 8, "uint8_t": 8, "int": 32, "int32_t": 32, "uint32_t": 32, "int16_t": 16,
    "uint16_t": 16, "int64_t": 64, "uint64_t": 64, "uint128_t": 128, "float_e4m3_t": 8, "float_e5m2_t": 8, "f8E4M3FN": 8,
    "f8E5M2": 8, "f4E2M1FN": 4, "float_e2m1_t": 4, "int4b_t": 4, "uint4b_t": 4, "uint1b_t": 1, "uint1_t": 1, "char": 8, "bool": 8,
}  # fmt: skip


@dataclass(frozen=True)
class Hole:
    """A number that the text leaves open: `?`, or a runtime type such as `int`.

    name     where it stands: "shape 0", "stride 1"
    divisor  the text says that it is a multiple of this
    """

    name: str = "?"
    divisor: int = 1
    text: str = "?"

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Pointer:
    """What stands before the layout of a tensor: where its data lie. `text` is as it was printed."""

    memory: str  # "global", "shared", "registers", "tensor memory", or "pointer" where the text does not say
    bits: int
    address: str = ""
    swizzle: tuple[int, int, int] | None = None  # on the pointer: it acts on byte addresses
    text: str = ""


@dataclass(frozen=True)
class Parsed:
    """What a text says: shape, stride (None: not given), and what comes before them.

    swizzle        (B, M, S) of a composed layout, its offset, and the bits behind `smem_ptr[16b]`: it then acts on bytes
    before         further swizzles, or layouts (with their offsets), that come after it, outermost first
    pointer        a tensor's pointer;  start  the coordinate at which a coordinate tensor starts
    """

    shape: Any
    stride: Any = None
    swizzle: tuple[int, int, int] | None = None
    offset: int = 0
    pointer_bits: int | None = None
    before: tuple[tuple[tuple[int, int, int] | Parsed, int], ...] = ()
    pointer: Pointer | None = None
    start: IntTuple | None = None

    @property
    def holes(self) -> tuple[Hole, ...]:
        """The numbers that the text leaves open, from left to right."""
        return tuple(x for x in (*stride_leaves(self.shape), *stride_leaves(self.stride)) if isinstance(x, Hole))


def parse(text: str, values: Mapping[str, int] | None = None) -> Parsed:
    """What does this text say? Raises CuteLabError with a caret under the place and what was expected there.

    >>> parse("(_4,_2):(_2,_1)").stride
    (2, 1)
    """
    reader = Reader(text, values=values)
    found = reader.layout()
    reader.finish()
    return found


def parse_swizzle(text: str) -> tuple[int, int, int]:
    """Which (bits, base, shift) does this text name?

    >>> parse_swizzle("Swizzle<3,4,3>"), parse_swizzle("make_swizzle(3, 4, 3)")
    ((3, 4, 3), (3, 4, 3))
    """
    reader = Reader(text, "swizzle", "Sw<3,4,3>")
    if reader.name() not in SWIZZLES:
        reader.fail("expected a swizzle such as Sw<3,4,3>", 0)
    found = reader.swizzle()
    reader.finish()
    return found


def cpp_integer(value: int) -> str:
    """How is this static integer written in C++?

    >>> cpp_integer(32), cpp_integer(33), cpp_integer(-1)
    ('_32', 'Int<33>', 'Int<-1>')
    """
    named = 0 <= value <= 10 or (0 < value <= 1 << 19 and value & (value - 1) == 0)
    return f"_{value}" if named else f"Int<{value}>"


def print_type(shape: IntTuple, stride: IntTuple) -> str:
    """How is this layout written as a C++ type that compiles?

    `_n` stands only for integers that CuTe itself names in every version (0 to 10, and powers of two up to 524288); any other
    is `Int<n>`.

    >>> print_type((4, 2), (2, 1)), print_type((32, 31), (33, -1))
    ('Layout<Shape<_4,_2>,Stride<_2,_1>>', 'Layout<Shape<_32,Int<31>>,Stride<Int<33>,Int<-1>>>')
    """

    def spell(value: IntTuple, name: str) -> str:
        if isinstance(value, tuple):
            return f"{name}<{','.join(spell(v, name) for v in value)}>"
        return cpp_integer(int(value))

    return f"Layout<{spell(shape, 'Shape')},{spell(stride, 'Stride')}>"


@dataclass
class Missing:
    """The names of a text that have no value, with the place of the first."""

    names: list[str] = field(default_factory=list)
    at: int = 0


class Reader(Tokens):
    """The grammar of integers, tuples, swizzles and layouts. `values` gives numbers to names."""

    def __init__(
        self,
        text: str,
        what: str = "layout",
        example: str = "(4,2):(2,1)",
        *,
        values: Mapping[str, int] | None = None,
        start: int = 0,
    ) -> None:
        super().__init__(text, what, example, start)
        self.values = dict(values or {})
        self.missing = Missing()
        self.level = 0  # how deep layouts stand in each other
        self.inside = 0  # depth of calls and of Int<...>: arithmetic is read there

    def finish(self) -> None:
        """The end of the text, and no name without a value."""
        self.check_names()
        self.end()

    def check_names(self) -> None:
        """Raise where names stood for numbers and nobody gave them a value."""
        if self.missing.names:
            names = ", ".join(f"'{n}'" for n in dict.fromkeys(self.missing.names[:6]))
            verb = "is a name" if len(set(self.missing.names)) == 1 else "are names"
            self.fail(
                f"{names} {verb} without a value, not a number; write numbers, or ? for a number to be asked for",
                self.missing.at,
            )

    def name(self) -> str:
        """The next token if it is a name (namespaces skipped), else ''."""
        self.skip_namespaces()
        token = self.peek()
        if (
            token
            and (token[0].isalpha() or token in COMPOSE)
            and "[" not in token
            and token.isidentifier() | (token in COMPOSE)
        ):
            self.at += 1
            return token
        return ""

    def braces(self) -> None:
        """An empty `{}` or `()` after a type."""
        if self.take("{"):
            self.want("}", "after '{'")
        elif self.peek() == "(" and self.peek(1) == ")":
            self.at += 2

    # -- integers

    def number(self, why: str) -> int:
        """One integer, `4` or `_4`."""
        self.skip_namespaces()
        begin = self.at
        if self.peek() == "_" and self.peek(1) == "-":
            self.at += 1  # CuTe prints a static negative integer as _-1
        static = self.at > begin
        sign = -1 if self.take("-") else 1
        token = self.peek()
        static = static or token.startswith("_")
        digits = token[1:] if token.startswith("_") else token
        if self.inside:
            digits = re.sub(r"(?<=\d)(?:[uU]?[lL]{0,2}|[lL]{1,2}[uU]?)$", "", digits)
        if not digits.isdecimal() or not digits.isascii():
            self._no_number(token, digits, why)
        self.at += 1
        value = sign * int(digits) if len(digits) < 30 else INT64_MAX + 1
        if abs(value) > INT64_MAX:
            self.fail(f"numbers must stay below 2^63; {token[:24]} does not", begin)
        return Int(value) if static else value

    def _no_number(self, token: str, digits: str, why: str) -> NoReturn:
        if token[:1].isalpha() or (token.startswith("_") and len(token) > 1):
            self.fail(f"'{token[:40]}' is a name, not a number; write {why} as a number")
        if digits[:1].isdecimal():
            self.fail(f"'{token[:40]}' is not a number; write {why} such as 4 or _4")
        if token in ("_", "None"):
            self.fail(f"expected {why}; '_' keeps a whole mode and has no place in a layout")
        self.fail(f"expected {why}" + (f", found '{token[:24]}'" if token else ", but the text ends here"))

    def leaf(self, why: str) -> Any:
        """One leaf: an integer, a basis element, or a hole."""
        self.skip_namespaces()
        begin = self.at
        token = self.peek()
        if token == "?":
            return self._hole()
        word = self.name()
        if word in INTEGERS and self.peek() in "<(":
            value = self._constant_type(word, why)
        elif word in ("E", "ScaledBasis") and self.peek() == "<":
            return self._basis_type(word)
        elif word in RUNTIME and not self.values.get(word) and self.peek() not in ("(", ".", "<"):
            while self.peek() in RUNTIME:
                self.at += 1
            return Hole(text="?")
        elif word:
            value = self._named(word, why, begin)
        else:
            value = self.number(why)
            self.braces()
        path: tuple[int, ...] = ()
        while self.take("@"):
            path = (int(self.number("a mode after '@'")), *path)
        if path:
            return ScaledBasis(value, path)
        return value

    def _hole(self) -> Hole:
        begin = self.place()
        self.at += 1
        divisor = 1
        if self.take("{"):
            while not self.take("}"):
                word = self.peek()
                if not word:
                    self.fail("expected '}' after '?{'")
                self.at += 1
                if word in ("div", "divby"):
                    self.want("=", "after div")
                    divisor = int(self.number("a divisor"))
                    if divisor < 1:
                        self.fail("a divisor is 1 or more", self.at - 1)
        return Hole(divisor=divisor, text=self.text[begin : self.place(self.at - 1) + len(self.tokens[self.at - 1][0])])

    def _constant_type(self, word: str, why: str) -> int:
        close = ">" if self.peek() == "<" else ")"
        self.at += 1
        self.inside += 1
        if word in ("constant", "integral_constant"):
            while self.peek() in RUNTIME or self.peek() == "bool":
                self.at += 1
            self.want(",", f"after the type in {word}<type, value>")
        if self.peek() == "(" and self.peek(1) in RUNTIME:  # C<(int)4>
            while not self.take(")"):
                self.at += 1
                if not self.peek():
                    self.fail("expected ')'")
        value = self.expression(why)
        if isinstance(value, tuple | Hole | ScaledBasis):
            self.fail("expected one integer", self.at - 1)
        self.inside -= 1
        self.want(close, "after the number")
        self.braces()
        return Int(value)

    def _basis_type(self, word: str) -> ScaledBasis:
        self.want("<", f"after {word}")
        value = Int(1)
        if word == "ScaledBasis":
            value = self.leaf("the value of a basis element")
            if not is_int(value):
                self.fail("expected an integer", self.at - 1)
            self.want(",", "after the value")
        path = [int(self.number("a mode"))]
        while self.take(","):
            path.append(int(self.number("a mode")))
        self.want(">", f"at the end of {word}")
        self.braces()
        return ScaledBasis(value, tuple(path))

    def _named(self, word: str, why: str, begin: int) -> int:
        if self.peek() in ("(", ".", "[") or (self.peek() == "<" and not self.inside):
            self.fail(
                f"'{word}' is a name without a value here, not a number; paste what it prints, or write {why} as a number",
                begin,
            )
        self.braces()
        if word in self.values:
            value = self.values[word]
            if not is_int(value):
                raise CuteLabError(f"{word} must be a whole number, got {shown(value)}"[:200])
            return int(value)
        if not self.missing.names:
            self.missing.at = begin
        self.missing.names.append(word)
        return 1

    def expression(self, why: str, level: int = 0) -> Any:
        """A leaf or a tuple; where arithmetic is read, + - * / % and << between integers."""
        return self._sum(why, level) if self.inside else self.primary(why, level)

    def _sum(self, why: str, level: int) -> Any:
        value = self._term(why, level)
        while self.peek() in ("+", "-") or (self.peek() == "<" and self.peek(1) == "<"):
            sign = self.peek()
            self.at += 1 if sign != "<" else 2
            value = self._apply(sign, value, self._term(why, level))
        return value

    def _term(self, why: str, level: int) -> Any:
        value = self.primary(why, level)
        while self.peek() in ("*", "/", "%"):
            sign = self.peek()
            self.at += 1
            if sign == "/":
                self.take("/")
            value = self._apply(sign, value, self.primary(why, level))
        return value

    def _apply(self, sign: str, a: Any, b: Any) -> Any:
        if not (is_int(a) and is_int(b)):
            if (
                sign == "*"
                and isinstance(a, ScaledBasis) | isinstance(b, ScaledBasis)
                and not isinstance(a, tuple | Hole)
            ):
                return mul(a, b)
            self.fail("arithmetic needs integers on both sides", self.at - 1)
        if sign in "/%" and b == 0:
            self.fail("division by zero", self.at - 1)
        if sign == "<" and not 0 <= b <= 62:
            self.fail("a shift is from 0 to 62", self.at - 1)
        x, y = int(a), int(b)
        value = {
            "+": lambda: x + y, "-": lambda: x - y, "*": lambda: x * y, "<": lambda: x << y,
            "/": lambda: abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1), "%": lambda: x - y * int(x / y),
        }[sign]()  # fmt: skip
        if abs(value) > INT64_MAX:
            self.fail("numbers must stay below 2^63", self.at - 1)
        return typed_as(value, a, b)

    # -- tuples

    def primary(self, why: str, level: int) -> Any:
        """A tuple in parentheses, as a C++ type or a call, or a leaf."""
        if level > MAX_DEPTH:
            self.fail(f"nested more than {MAX_DEPTH} levels deep; real layouts need fewer than 6")
        begin = self.at
        if self.take("("):
            if self.peek() == ")":
                self.fail(f"expected {why} inside the parentheses")
            return self.members(")", why, level, begin)
        word = self.name()
        if word in TUPLES and self.peek() == "<":
            self.at += 1
            return self.members(">", why, level, begin)
        if word in (*CALLS, "tuple") and self.take("("):
            self.inside += 1
            found = self.members(")", why, level, begin, call=True)
            self.inside -= 1
            return found
        self.at = begin
        return self.leaf(why)

    def int_tuple(self, why: str, level: int = 0) -> Any:
        """An IntTuple: leaves, nested."""
        return self.expression(why, level)

    def members(self, close: str, why: str, level: int, begin: int, call: bool = False) -> Any:
        """The members of a tuple up to its closing sign."""
        values = [self.expression(why, level + 1)]
        comma = False
        while self.take(","):
            comma = True
            if self.peek() == close and close == ")":
                break  # Python's (4,)
            values.append(self.expression(why, level + 1))
        if not self.take(close):
            if not self.peek():
                opened = self.tokens[begin][0]
                self.fail(f"'{opened}' opened here is never closed; expected ',' or '{close}' at the end", begin)
            if self.peek() == ":":
                self.fail(f"expected ',' or '{close}' before ':'; a parenthesis is open here")
            self.fail(f"expected ',' or '{close}', found '{self.peek()[:24]}'")
        if not (call and self.peek() == "("):
            self.braces()
        if self.inside and close == ")" and not call and not comma:
            return values[0]  # parentheses of arithmetic
        return tuple(values)

    # -- swizzles, pointers, offsets

    def swizzle(self) -> tuple[int, int, int]:
        """The three numbers after a swizzle's name, in < > or ( )."""
        close = {"<": ">", "(": ")"}.get(self.peek())
        if close is None:
            self.fail("expected '<' after the swizzle's name")
        self.at += 1
        found: list[int] = []
        for i, why in enumerate(("the number of bits B", "the base M", "the shift S")):
            if i and not self.take(","):
                if i == 2 and self.peek() == close:
                    found.append(found[0])  # Swizzle<B,M> has S = B
                    break
                self.fail("expected ',' between the three numbers of a swizzle: Sw<bits,base,shift>")
            found.append(int(self.number(why)))
        self.want(close, "after the three numbers of a swizzle: Sw<bits,base,shift>")
        self.braces()
        return found[0], found[1], found[2]

    def compose(self) -> bool:
        """Step over the sign of a composition."""
        return any(self.take(c) for c in COMPOSE)

    def pointer(self) -> Pointer | None:
        """The engine of a printed tensor, if one comes next."""
        token = self.peek()
        if "[" in token and not token.startswith(("'", '"')) and token != "[":
            self.at += 1
            return self._printed_pointer(token)
        if token in ("ptr", "raw_ptr") and self.peek(1) in ("<", "("):
            return self._python_pointer()
        if token == "counting_iter" and self.peek(1) == "(":
            self.at += 2
            start = self.number("a number")
            self.want(")", "after the number")
            return Pointer("pointer", 32, f"{start}", None, f"counting_iter({start})")
        return None

    def _printed_pointer(self, token: str) -> Pointer:
        bits = re.search(r"\[\s*(\d+|\?)\s*b\s*\]", token)
        if bits is None:
            self.fail("expected the element's bits, as in smem_ptr[16b](unset)", self.at - 1)
        if bits.group(1).lstrip("0") not in ("?", "1", "2", "4", "6", "8", "16", "32", "64", "128", "192"):
            self.fail("an element has 1, 2, 4, ... or 128 bits, as in smem_ptr[16b](unset)", self.at - 1)
        memory = next((m for key, m in MEMORIES if key in token.partition("[")[0]), "pointer")
        swizzle = re.search(r"Sw<(-?\d+),(-?\d+),(-?\d+)>", token)
        numbers = (int(swizzle[1]), int(swizzle[2]), int(swizzle[3])) if swizzle else None
        return Pointer(
            memory, int(bits.group(1).replace("?", "0")), token.partition("]")[2].strip()[1:-1], numbers, token
        )

    def _python_pointer(self) -> Pointer:
        """`ptr<f16, smem, align<1024>, S<3,4,3>>` or `raw_ptr(0x7f00: f16, smem, align<16>)`."""
        begin = self.at
        self.at += 1
        close = ">" if self.peek() == "<" else ")"
        self.at += 1
        bits, memory, address, swizzle = 0, "pointer", "", None
        while True:
            token = self.peek()
            if not token:
                self.fail("expected the end of the pointer", begin)
            if token in ("S", "Sw") and self.peek(1) == "<":
                self.at += 1
                swizzle = self.swizzle()
            elif token == "align" and self.peek(1) == "<":
                self.at += 2
                self.number("an alignment")
                self.want(">", "after the alignment")
            else:
                self.at += 1
                word = token.removeprefix("Float").removeprefix("Int")
                bits = TYPE_BITS.get(token, TYPE_BITS.get(word, bits))
                memory = SPACES.get(token, memory)
                address = token if token.startswith("0x") else address
            if self.take(close):
                break
            if not (self.take(",") or self.take(":")):
                self.fail(f"expected ',' or '{close}' in the pointer")
        if not bits:
            self.fail("expected the element's type, as in ptr<f16, smem>", begin)
        last = self.place(self.at - 1) + len(close)
        return Pointer(memory, bits, address, swizzle, self.text[self.place(begin) : last])

    def offset(self) -> tuple[int, int | None]:
        """What stands between a swizzle and its layout: an integer, or a pointer (its element's bits are returned)."""
        pointer = self.pointer()
        if pointer is not None:
            return 0, pointer.bits
        begin = self.at
        if self.name() in ("smem_ptr_flag_bits", "smem_ptr_flag"):
            if self.take("<"):
                size = self.number("the element's bits")
                if size not in (1, 2, 4, 6, 8, 16, 32, 64, 128):
                    self.fail("an element has 1, 2, 4, ... or 128 bits", self.at - 1)
                self.want(">", "after the bits")
                self.braces()
                return 0, int(size)
            return 0, 8
        self.at = begin
        if re.fullmatch(r"M_\d+", self.peek()) and self.peek(1) == "|":
            return self._mixed_bits(), None
        return self._constant("the offset"), None

    def _mixed_bits(self) -> int:
        """`M_8|(16&48)=24`: static bits, runtime bits, and the value."""
        self.at += 2
        self.want("(", "in the mixed bits of an offset")
        self.number("the runtime bits")
        self.want("&", "in the mixed bits of an offset")
        self.number("the mask")
        self.want(")", "in the mixed bits of an offset")
        self.want("=", "before the value of the mixed bits")
        return int(self.number("the value of the mixed bits"))

    def _constant(self, why: str) -> int:
        value = self.int_tuple(why)
        if not is_int(value):
            self.fail(f"expected {why}, one integer", self.at - 1)
        return int(value) if not isinstance(value, Int) else value

    # -- layouts

    def layout(self) -> Parsed:
        """Anything that is a layout, or a tensor with one."""
        self.level += 1
        if self.level > MAX_DEPTH:
            self.fail(f"nested more than {MAX_DEPTH} levels deep; real layouts need fewer than 6")
        found = self._layout()
        self.level -= 1
        return found

    def _layout(self) -> Parsed:
        begin = self.at
        pointer = self.pointer()
        if pointer is not None:
            if not self.compose():
                self.fail("expected 'o' and a layout after the pointer, as in gmem_ptr[16b](0x7f00) o (8,64):(64,1)")
            return self._with(self.layout(), pointer=pointer)
        word = self.name()
        if self.peek() == "!" and self.peek(1) in MODULES and self.peek(2) == ".":
            return self._dialect()
        if word == "ArithTuple" and self.peek() == "(":
            start = self.int_tuple("the start")
            if not self.compose():
                self.fail("expected 'o' and a layout, as in ArithTuple(_0,_0) o (8,6):(_1@0,_1@1)")
            return self._with(self.layout(), start=start if isinstance(start, tuple) else (start,))
        if word in SWIZZLES and self.peek() in ("<", "("):
            return self.composed(self.swizzle())
        if word == "ComposedLayout" and self.peek() == "<":
            return self._composed_type()
        if word in ("tensor", "Tensor") and self.peek() in ("<", "("):
            return self._python_tensor(word)
        if (
            word in ("ComposedLayout", "CoordLayout", "Layout")
            and self.peek() == "("
            and self.peek(1)[:1] in ("'", '"')
        ):
            return self._quoted()
        call = getattr(self, f"_call_{word}", None) if word and self.peek() in ("(", "<") else None
        if call is not None:
            found = call()
            if not isinstance(found, Parsed):
                self.fail(f"{word} gives no layout", begin)
            return found
        self.at = begin
        found = self.plain()
        return self._behind(found) if self.compose() else found

    def _behind(self, outer: Parsed) -> Parsed:
        """What follows a layout that is an outer function: `offset o layout`."""
        offset = self.int_tuple("the offset")
        if not is_int(offset) or not self.compose():
            self.fail("expected an offset, 'o' and a layout, as in (8,8):(16,1) o 2 o (4,3):(1,4)")
        inner = self.layout()
        return self._with(inner, before=((outer, offset), *inner.before))

    def _with(self, inner: Parsed, **changes: Any) -> Parsed:
        if inner.pointer is not None or inner.start is not None:
            self.fail("a tensor stands where its layout belongs", self.at - 1)
        return Parsed(**{**{f: getattr(inner, f) for f in inner.__dataclass_fields__}, **changes})

    def _dialect(self) -> Parsed:
        """The type of a layout in CuTe's MLIR dialect: !cute.layout<"(8,4):(4,1)">, !cute.composed_layout<"S<3,4,3> o 0 o ...">."""
        self.at += 3
        if not (self.take("layout") or self.take("composed_layout")) or self.peek() != "<" or self.peek(1)[:1] != '"':
            self.fail('expected layout<"..."> or composed_layout<"..."> after !cute.')
        return self._quoted(">")

    def _quoted(self, close: str = ")") -> Parsed:
        """Our own repr: Layout('(4,2):(2,1)')."""
        self.at += 1
        token = self.peek()
        inner = type(self)(self.text[: self.place() + len(token) - 1], values=self.values, start=self.place() + 1)
        found = inner.layout()
        inner.finish()
        self.at += 1
        self.want(close, "after the text")
        return found

    def _composed_type(self) -> Parsed:
        self.want("<", "after ComposedLayout")
        if self.name() not in SWIZZLES:
            self.fail("expected a swizzle such as Swizzle<3,4,3>")
        swizzle = self.swizzle()
        self.want(",", "after the swizzle")
        offset, bits = self.offset()
        self.want(",", "after the offset")
        inner = self.layout()
        self.want(">", "at the end of ComposedLayout")
        self.braces()
        return self._under(swizzle, offset, bits, inner)

    def _under(self, swizzle: tuple[int, int, int], offset: int, bits: int | None, inner: Parsed) -> Parsed:
        """The inner layout with one more swizzle after it."""
        if inner.swizzle is None and not inner.before:
            return self._with(inner, swizzle=swizzle, offset=offset, pointer_bits=bits)
        if bits is not None:
            self.fail("a swizzle of byte addresses comes after one of elements; write both in one unit", self.at - 1)
        return self._with(inner, before=((swizzle, offset), *inner.before))

    def composed(self, swizzle: tuple[int, int, int]) -> Parsed:
        """What follows a swizzle: `o offset o layout`, or `o layout`."""
        if not self.compose():
            self.fail("expected 'o' and a layout after the swizzle, as in Sw<3,4,3> o 0 o (8,64):(64,1)")
        begin = self.at
        if self.pointer() is not None or self.peek().startswith("smem_ptr_flag"):
            self.at = begin
            offset, bits = self.offset()
        else:
            bits, offset = None, 0
            if re.fullmatch(r"M_\d+", self.peek()):
                offset = self._mixed_bits_at(begin)
            else:
                plain = self._offset_before_a_layout()
                if plain is None:
                    self.at = begin
                    return self._under(swizzle, 0, None, self.layout())
                offset = plain
        if not self.compose():
            self.fail("expected 'o' and a layout after the offset, as in Sw<3,4,3> o 0 o (8,64):(64,1)")
        return self._under(swizzle, offset, bits, self.layout())

    def _mixed_bits_at(self, begin: int) -> int:
        self.at = begin
        return self._mixed_bits()

    def _offset_before_a_layout(self) -> int | None:
        """The integer before another `o`; None where a layout begins at once."""
        if self.peek() in SWIZZLES or self.peek() in ("Layout", "ComposedLayout") or self.peek().startswith("make_"):
            return None
        value = self.int_tuple("the offset or a layout")
        if not is_int(value) or self.peek() not in COMPOSE:
            return None
        return value if isinstance(value, Int) else int(value)

    def _python_tensor(self, word: str) -> Parsed:
        """`tensor<ptr<..> o L>`, `tensor(raw_ptr(..) o L, data=...)`, `Tensor<0x7f@gmem o L>`, and the C++ type `Tensor<Engine, L>`."""
        close = ">" if self.peek() == "<" else ")"
        self.at += 1
        pointer: Pointer | None
        if self.peek().startswith("0x"):
            begin = self.place()
            address = self.peek()
            self.at += 1
            memory = "pointer"
            if self.take("@"):
                memory = SPACES.get(self.name(), "pointer")
            pointer = Pointer(memory, 0, address, None, self.text[begin : self.place()].rstrip())
            if not self.compose():
                self.fail("expected 'o' and a layout")
            found = self._with(self.layout(), pointer=pointer)
        elif self.pointer_ahead():
            found = self.layout()
        else:
            pointer = self._engine_type()
            self.want(",", "after the engine of the tensor")
            found = self._with(self.layout(), pointer=pointer)
        if self.peek() == "," and close == ")":
            return found  # the data of the tensor follow
        self.want(close, f"at the end of {word}")
        return found

    def pointer_ahead(self) -> bool:
        """Does a printed pointer come next?"""
        begin = self.at
        found = self.pointer() is not None
        self.at = begin
        return found

    def _engine_type(self) -> Pointer:
        """ViewEngine<gmem_ptr<half_t*>> or ArrayEngine<half_t, 8>: the type of a tensor's engine."""
        begin, depth, words = self.place(), 0, []
        while depth or self.peek() != ",":
            token = self.peek()
            if not token or (token == ">" and not depth):
                self.fail("expected the engine of a tensor and its layout: Tensor<Engine, Layout>")
            depth += (token == "<") - (token == ">")
            words.append(token)
            self.at += 1
        spaces = [SPACES[w] for w in words if w in SPACES]
        bits = [TYPE_BITS[w] for w in words if w in TYPE_BITS]
        memory = spaces[0] if spaces else ("registers" if "ArrayEngine" in words else "pointer")
        return Pointer(memory, bits[0] if bits else 0, "", None, self.text[begin : self.place()].strip())

    def plain(self) -> Parsed:
        """shape:stride, or Layout<Shape, Stride>."""
        begin = self.at
        word = self.name()
        if word == "Layout" and self.peek() in ("<", "("):
            close = ">" if self.peek() == "<" else ")"
            self.at += 1
            shape = self.int_tuple("a shape")
            stride = None
            if self.take(",") or (close == ")" and self.take(":")):
                self.take_keyword("stride")
                stride = self.strides(shape)
            self.want(close, "at the end of Layout")
            self.braces()
            return Parsed(shape, stride if stride is not None else made(shape, close == ">"))
        self.at = begin
        shape = self.int_tuple("a shape")
        self.check_int_shape(shape, begin)
        stride = self.int_tuple("a stride") if self.take(":") else None
        if stride is None and any(isinstance(s, Int) for s in stride_leaves(shape)):
            stride = made(shape, True)
        return Parsed(shape, stride)

    def check_int_shape(self, shape: Any, begin: int) -> None:
        """A shape holds integers, no basis elements."""
        if any(isinstance(s, ScaledBasis) for s in stride_leaves(shape)):
            self.fail("a shape holds integers; basis elements such as 1@0 are strides", begin)

    def take_keyword(self, word: str) -> bool:
        """Step over `word=`."""
        if self.peek() == word and self.peek(1) == "=":
            self.at += 2
            return True
        return False

    def strides(self, shape: Any) -> Any:
        """Strides as a tuple, or LayoutLeft{}, GenRowMajor{} and the like."""
        begin = self.at
        word = self.name()
        if word in (*ROW, *COLUMN):
            self.braces()
            return compact_strides(shape, last_first=word in ROW)
        self.at = begin
        return self.int_tuple("a stride")

    # -- calls

    def _open(self, word: str) -> bool:
        """Step over '(' of a call; True for Python's form, whose integers are not marked."""
        python = self.at >= 2 and self.tokens[self.at - 2][0] == "."
        self.want("(", f"after {word}")
        self.inside += 1
        return python

    def _close(self, word: str) -> None:
        self.inside -= 1
        self.take(",")
        self.want(")", f"at the end of {word}(...)")

    def _call_make_layout(self) -> Parsed:
        python = self._open("make_layout")
        if self._layout_ahead():
            parts = [self._part()]
            while self.take(","):
                parts.append(self._part())
            self._close("make_layout")
            return Parsed(tuple(p.shape for p in parts), tuple(p.stride for p in parts)) if len(parts) > 1 else parts[0]
        self.take_keyword("shape")
        begin = self.at
        shape = self.int_tuple("a shape")
        self.check_int_shape(shape, begin)
        stride = None
        if self.take(",") and self.peek() != ")":
            python = self.take_keyword("stride") or python
            stride = self.strides(shape)
        self._close("make_layout")
        return Parsed(shape, made(shape, not python) if stride is None else stride)

    def _layout_ahead(self) -> bool:
        """Does a layout (not a shape) come next?"""
        begin = self.at
        word = self.name()
        self.at = begin
        return word in ("Layout", "make_layout", "make_ordered_layout", "make_identity_layout")

    def _part(self) -> Parsed:
        found = self.layout()
        if found.swizzle is not None or found.pointer is not None or found.start is not None:
            self.fail("a mode of make_layout is a plain layout", self.at - 1)
        return Parsed(found.shape, made(found.shape, False) if found.stride is None else found.stride)

    def _call_make_ordered_layout(self) -> Parsed:
        python = self._open("make_ordered_layout")
        shape = self.int_tuple("a shape")
        self.want(",", "and the order: make_ordered_layout(shape, order)")
        python = self.take_keyword("order") or python
        order = self.strides(shape)
        self._close("make_ordered_layout")
        flat, ranks = list(stride_leaves(shape)), list(stride_leaves(order))
        if len(flat) != len(ranks) or not all(is_int(x) for x in (*flat, *ranks)):
            self.fail("the order has one integer for each integer of the shape", self.at - 1)
        current: Any = Int(1)
        strides: dict[int, Any] = {}
        for i in sorted(range(len(flat)), key=lambda i: (ranks[i], i)):
            one = isinstance(flat[i], Int) or python
            strides[i] = Int(0) if flat[i] == 1 and one else current
            current = mul(current, flat[i])
        leaves = iter(strides[i] for i in range(len(flat)))

        def fill(s: Any) -> Any:
            return tuple(map(fill, s)) if isinstance(s, tuple) else next(leaves)

        stride = fill(shape)
        return Parsed(shape, unmark(stride) if python else stride)

    def _call_make_identity_layout(self) -> Parsed:
        self._open("make_identity_layout")
        shape = self.int_tuple("a shape")
        self._close("make_identity_layout")

        def basis(s: Any, path: tuple[int, ...]) -> Any:
            if isinstance(s, tuple):
                return tuple(basis(m, (*path, i)) for i, m in enumerate(s))
            return ScaledBasis(Int(1), path or (0,))

        return Parsed(shape, basis(shape, ()))

    def _call_make_identity_tensor(self) -> Parsed:
        found = self._call_make_identity_layout()
        zeros = Int(0)

        def start(s: Any) -> Any:
            return tuple(map(start, s)) if isinstance(s, tuple) else zeros

        origin = start(found.shape)
        return Parsed(found.shape, found.stride, start=origin if isinstance(origin, tuple) else (origin,))

    def _call_make_composed_layout(self) -> Parsed:
        self._open("make_composed_layout")
        self.take_keyword("inner")
        if self.name() not in SWIZZLES:
            self.fail("expected a swizzle such as make_swizzle(3, 4, 3)")
        swizzle = self.swizzle()
        self.want(",", "and the offset: make_composed_layout(swizzle, offset, layout)")
        self.take_keyword("offset")
        offset, bits = self.offset()
        self.want(",", "and the layout: make_composed_layout(swizzle, offset, layout)")
        self.take_keyword("outer")
        inner = self.layout()
        self._close("make_composed_layout")
        return self._under(swizzle, offset, bits, inner)

    def _call_composition(self) -> Parsed:
        self._open("composition")
        begin = self.at
        if self.name() not in SWIZZLES:
            self.fail("expected a swizzle here: composition(Swizzle<3,4,3>{}, layout)", begin)
        swizzle = self.swizzle()
        self.want(",", "and a layout: composition(Swizzle<3,4,3>{}, layout)")
        offset, bits = 0, None
        begin = self.at
        if not self._layout_ahead() and self.peek()[:1] != "(":
            try:
                offset, bits = self.offset()
                if not self.take(","):
                    raise CuteLabError("no offset")
            except CuteLabError:
                self.at, offset, bits = begin, 0, None
        inner = self.layout()
        self._close("composition")
        return self._under(swizzle, offset, bits, inner)


MEMORIES = (("gmem", "global"), ("smem", "shared"), ("rmem", "registers"), ("tmem", "tensor memory"))
SPACES = {
    "gmem": "global", "smem": "shared", "rmem": "registers", "tmem": "tensor memory", "generic": "pointer",
    "gmem_ptr": "global", "smem_ptr": "shared", "rmem_ptr": "registers", "tmem_ptr": "tensor memory",
}  # fmt: skip


def made(shape: Any, marked: bool) -> Any:
    """The strides that CuTe makes for this shape; plain integers where the form has no marks. None while holes are open."""
    if any(isinstance(s, Hole) for s in stride_leaves(shape)):
        return None
    if marked:
        return compact_strides(shape)
    return unmark(compact_strides(_as_static(shape)))


def _as_static(shape: Any) -> Any:
    return tuple(map(_as_static, shape)) if isinstance(shape, tuple) else Int(shape)
