"""The grammar of what is more than a layout: tilers, atoms, tiled copies and MMAs, thread maps, 2.x layouts, calls on layouts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from cutelab import algebra
from cutelab.core.coordinates import CoordLayout, CoordTensor
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import MAX_DEPTH, Int, is_int
from cutelab.core.layout import ComposedLayout, Layout, layout_of
from cutelab.core.leaves import mark, stride_leaves, unmark
from cutelab.core.notation import CALLS, SWIZZLES, TUPLES, Hole, Parsed
from cutelab.core.swizzle import Swizzle
from cutelab.core.tiler import TilerReader
from cutelab.core.tokens import MAX_TOKENS
from cutelab.cutlass.atoms.atom import MmaAtom
from cutelab.cutlass.atoms.copy import ASYNC, BY_NAME, WARP_ATOMS, CopyAtom, copy_atom
from cutelab.cutlass.atoms.mma import mma_atom
from cutelab.cutlass.atoms.smem import SmemAtom, smem_atom
from cutelab.cutlass.matrix_layouts.families import AFFINE, NAMES
from cutelab.cutlass.matrix_layouts.layouts import matrix_layout, read_name
from cutelab.cutlass.reading import printed
from cutelab.cutlass.reading.tiler import Coordinate, Tiler
from cutelab.cutlass.reading.unknowns import Unknowns, filled, named
from cutelab.cutlass.tensor import Tensor
from cutelab.cutlass.thread_map.reader import THREAD_MAPS, read_thread_map
from cutelab.cutlass.tv.tiled_copy import (
    TiledCopy,
    make_tiled_copy,
    make_tiled_copy_A,
    make_tiled_copy_B,
    make_tiled_copy_C,
)
from cutelab.cutlass.tv.tiled_mma import TiledMMA, make_tiled_mma

T = TypeVar("T")
OPERATIONS = ("UniversalCopy", "DefaultCopy", "AutoVectorizingCopy", "AutoVectorizingCopyWithAssumedAlignment", *ASYNC,
              *(f"{name}_ZFILL" for name in ASYNC), *WARP_ATOMS, *BY_NAME)  # fmt: skip
OF_LAYOUTS: dict[str, Callable[..., Any]] = {
    name: getattr(algebra, name)
    for name in (
        "coalesce", "complement", "right_inverse", "left_inverse", "logical_divide", "zipped_divide", "tiled_divide", "flat_divide",
        "logical_product", "zipped_product", "tiled_product", "flat_product", "blocked_product", "raked_product", "filter_zeros",
    )
}  # fmt: skip
OF_LAYOUTS["filter"] = algebra.filter_layout
DIALECT = ("tile", "shape", "int_tuple", "coord", "swizzle")  # types of !cute. that are no layouts
SMEM = re.compile(r"Layout_(?:K|MN)_(?:INTER|SW32|SW64|SW128|SW128_32B)_(?:SW\w+_)?Atom(?:_Bits)?")
MMA_NAME = re.compile(r"SM\d+_\w*(?:\d+x\d+x\d+|DP[24]A|MMA)\w*")


class ObjectReader(TilerReader):
    """The grammar of all objects, on top of that of layouts. Each method returns a value."""

    aside: list[str]

    def skip_namespaces(self) -> None:
        """As for layouts; `RowMajor::packed` keeps its first word."""
        while not (self.peek() in (*NAMES, *AFFINE) and self.peek(3) == "packed") and self.skip_namespace():
            pass

    def value(self, level: int = 0) -> Any:
        """One object."""
        if level > MAX_DEPTH:
            self.fail(f"nested more than {MAX_DEPTH} levels deep; real expressions need fewer than 6")
        self.skip_namespaces()
        begin = self.at
        token = self.peek()
        if token == "<":
            return self._tiler_text()
        if token == "!" and self.peek(3) in DIALECT:
            return self._dialect_tuple()
        if token in printed.HEADS and self.peek(1) not in ("<", "(", "{"):
            return self._block()
        if token == "decltype" and self.peek(1) == "(":
            self.at += 2
            found = self.value(level + 1)
            self.want(")", "at the end of decltype")
            self.braces()
            return found
        if token == "(":
            return self._parenthesis()
        word = self.name()
        found = self._named_object(word, begin, level) if word else None
        if found is not None:
            return found
        self.at = begin
        return self._layout_object()

    def _named_object(self, word: str, begin: int, level: int) -> Any:
        method = getattr(self, f"_object_{word}", None)
        after = self.peek()
        if method is not None and after in ("<", "("):
            return method(level)
        if word in SWIZZLES:
            return self._swizzle_or_composed(begin)
        if word in ("Tile", "make_tile") or (word in (*TUPLES, *CALLS) and after in ("<", "(")):
            return self._tiler_call(word)
        if SMEM.fullmatch(word):
            return self._smem_atom(begin)
        if word in THREAD_MAPS:
            self.at = begin
            found = read_thread_map(self)
            self.braces()
            return found
        if word in NAMES or word in AFFINE:
            return self._matrix_layout(begin)
        if word in OPERATIONS:
            return self._copy_operation(begin)
        if MMA_NAME.fullmatch(word):
            return self._mma(begin)
        if word in OF_LAYOUTS and after == "(":
            return self._of_layouts(word, level)
        return None

    # -- layouts and tensors

    def _layout_object(self) -> Any:
        begin = self.at
        parsed = self.layout()
        return self._built(parsed, begin)

    def _built(self, parsed: Parsed, begin: int) -> Any:
        if parsed.holes:
            text = self.text[self.place(begin) : self.place(self.at - 1) + len(self.tokens[self.at - 1][0])]

            def build(values: tuple[int, ...]) -> Any:
                left = list(values)
                shape = filled(parsed.shape, left)
                stride = filled(parsed.stride, left)
                return _object_of(replace(parsed, shape=shape, stride=stride))

            return Unknowns(named(parsed), text, build)
        self.check_names()
        return self._made(lambda: _object_of(parsed), begin)

    def a_layout(self, level: int, what: str = "a layout") -> Layout:
        """A plain layout, or an integer, which is n:1."""
        begin = self.at
        if is_int(number := self._plain_number()):
            return Layout(
                number,
                Int(0) if isinstance(number, Int) and number == 1 else Int(1) if isinstance(number, Int) else 1,
            )
        found = self.value(level + 1)
        if isinstance(found, Tiler) and all(is_int(x) or isinstance(x, tuple) for x in found):
            return Layout(tuple(found))
        if not isinstance(found, Layout):
            self.fail(f"expected {what}, got a {type(found).__name__}", begin)
        return found

    def _plain_number(self) -> Any:
        """An integer that stands alone before ',' or ')' or '>'."""
        begin = self.at
        try:
            value = self.leaf("a number")
        except CuteLabError:
            self.at = begin
            return None
        if is_int(value) and self.peek() in (",", ")", ">", ";") and not self.missing.names:
            return value
        self.at = begin
        self.missing.names.clear()
        return None

    def _swizzle_or_composed(self, begin: int) -> Any:
        swizzle = self.swizzle()
        if self.peek() in ("o", "∘", "○"):
            self.at = begin
            return self._layout_object()
        return Swizzle(*swizzle)

    def _parenthesis(self) -> Any:
        """A layout, a tile with layouts inside, or a coordinate: what the whole parenthesis turns out to be."""
        begin = self.at
        try:
            return self._layout_object()
        except CuteLabError as error:
            if len(self.tokens) >= MAX_TOKENS:
                raise
            level, self.level = self.level, 0
            self.at = begin
            names, self.missing.names = list(self.missing.names), []
            try:
                entries = self.entries("(", ")")
            except CuteLabError:
                self.missing.names = names
                raise error from None
            if self.peek() == ":":
                raise
            if any(isinstance(x, Layout) for x in stride_leaves(entries)):
                return Tiler(entries)
            if any(x is None for x in stride_leaves(entries)):
                return Coordinate(entries)
            self.level = level
            raise

    # -- tilers

    def _tiler_text(self) -> Tiler:
        return Tiler(self.entries("<", ">"))

    def _dialect_tuple(self) -> Any:
        """A type of CuTe's MLIR dialect that is no layout: !cute.tile<"[4:1;_]">, !cute.coord<"(1,_)">, !cute.swizzle<"S<3,4,3>">."""
        kind = self.peek(3)
        self.at += 4
        self.want("<", f"after !cute.{kind}")
        token = self.peek()
        if token[:1] != '"':
            self.fail(f"expected a text in quotes after !cute.{kind}<")
        inner = type(self)(self.text[: self.place() + len(token) - 1], values=self.values, start=self.place() + 1)
        if kind == "swizzle":
            if inner.name() not in SWIZZLES:
                inner.fail("expected a swizzle such as S<3,4,3>", 0)
            found: Any = Swizzle(*inner.swizzle())
        else:
            opened = inner.peek()
            whole = inner.entries(opened, "]" if opened == "[" else ")") if opened in ("[", "(") else (inner.entry(0),)
            found = Coordinate(whole) if kind == "coord" else Tiler(whole)
        inner.finish()
        self.at += 1
        self.want(">", "after the text")
        return found

    def _tiler_call(self, word: str) -> Any:
        close = ">" if self.peek() == "<" else ")"
        opened = self.peek()
        if opened not in "<(" or not opened:
            self.fail(f"expected '<' or '(' after {word}")
        self.inside += close == ")"
        entries = self.entries(opened, close)
        self.inside -= close == ")"
        self.braces()
        if "oord" in word or (any(x is None for x in entries) and word not in ("Tile", "make_tile")):
            return Coordinate(entries)
        return Tiler(entries)

    # -- atoms

    def _type_text(self, begin: int) -> str:
        """The text of a type from a token on, up to its closing '>'; names keep their namespaces out."""
        words = [self.tokens[self.at - 1][0]]
        del begin
        if self.peek() == "<":
            depth = 0
            while True:
                token = self.peek()
                if not token or len(words) > 200:
                    self.fail("expected '>' at the end of the type")
                depth += (token == "<") - (token == ">")
                words.append(token)
                self.at += 1
                if depth == 0:
                    break
        return "".join(words)

    def _smem_atom(self, begin: int) -> SmemAtom:
        text = self._type_text(begin)
        text = re.sub(r"\b\w+::(?=\w+>)", "", text)
        family = next((t for t, _ in reversed(self.tokens[: self.at]) if t in ("GMMA", "UMMA")), "GMMA")
        self.braces()
        return self._made(lambda: smem_atom(f"{family}::{text}"), begin)

    def _mma(self, begin: int) -> MmaAtom:
        text = self._type_text(begin)
        self.braces()
        return self._made(lambda: mma_atom(text), begin)

    def _copy_operation(self, begin: int) -> Any:
        self.at = begin
        text = self._operation()
        self.fail(
            f"{text[:40]} is the operation of a copy atom; name the type of a value too: Copy_Atom<{text[:40]}, half_t>",
            begin,
        )

    def _operation(self) -> str:
        self.skip_namespaces()
        begin = self.at
        word = self.name()
        if word == "Copy_Traits" and self.take("<"):
            text = self._operation()
            while self.take(","):
                self._operation_argument()
            self.want(">", "at the end of Copy_Traits")
            return text
        if word not in OPERATIONS:
            self.fail("expected a copy operation such as UniversalCopy<uint128_t>", begin)
        return re.sub(r"(?:cute|cutlass|std)::|\bconst(?=\w)", "", self._type_text(begin))

    def _operation_argument(self) -> None:
        self._type_name()

    def _type_name(self) -> str:
        """One type argument: a name with its template arguments."""
        self.skip_namespaces()
        word = self.name()
        if not word:
            self.fail("expected a type such as half_t")
        text = self._type_text(self.at)
        while self.peek() in ("*", "&", "const"):
            self.at += 1
        return text

    def _made(self, make: Callable[[], T], begin: int) -> T:
        """What `make` gives; its error gets a caret under the place."""
        try:
            return make()
        except CuteLabError as error:
            if "\n" in str(error):
                raise
            self.fail(str(error)[:180], begin)

    def _object_Copy_Atom(self, level: int) -> CopyAtom:
        del level
        begin = self.at - 1
        self.want("<", "after Copy_Atom")
        operation = self._operation()
        self.want(",", "and the type of a value: Copy_Atom<UniversalCopy<uint128_t>, half_t>")
        element = self._type_name()
        self.want(">", "at the end of Copy_Atom")
        self.braces()
        return self._made(lambda: copy_atom(operation, element), begin)

    def _object_make_copy_atom(self, level: int) -> CopyAtom:
        """CuTe DSL: make_copy_atom(CopyUniversalOp(), cutlass.Float16, num_bits_per_copy=128)."""
        del level
        begin = self.at - 1
        self.want("(", "after make_copy_atom")
        words: list[str] = []
        depth = 1
        while depth:
            token = self.peek()
            if not token or len(words) > 120:
                self.fail("expected ')' at the end of make_copy_atom")
            depth += (token == "(") - (token == ")")
            words.append(token)
            self.at += 1
        text = " ".join(words)
        element = next((ELEMENTS[w] for w in words if w in ELEMENTS), None)
        if element is None:
            self.fail("expected the type of a value, such as cutlass.Float16", begin)
        bits = re.search(r"num_bits_per_copy = (\d+)", text)
        matrices = re.search(r"num_matrices = (\d+)", text) or re.search(
            r"LdMatrix8x8x16bOp \( (?:transpose = )?\w+ , (\d+)", text
        )
        transposed = "transpose = True" in text or re.search(r"x16bOp \( True", text)
        count = int(matrices[1]) if matrices else 1
        if "LdMatrix" in text or "StMatrix" in text:
            kind, arch = ("LDSM", "SM75") if "LdMatrix" in text else ("STSM", "SM90")
            name = f"{arch}_U16x{2 * count}_{kind}_T" if transposed else f"{arch}_U32x{count}_{kind}_N"
        elif "CopyG2SOp" in text and bits:
            always = "CACHEALWAYS" if "ALWAYS" in text or bits[1] != "128" else "CACHEGLOBAL"
            name = f"SM80_CP_ASYNC_{always}<uint{bits[1]}_t>"
        elif "CopyUniversalOp" in text and bits:
            name = f"UniversalCopy<uint{bits[1]}_t>"
        else:
            self.fail(
                "expected CopyUniversalOp, CopyG2SOp, LdMatrix8x8x16bOp or StMatrix8x8x16bOp, with num_bits_per_copy",
                begin,
            )
        return self._made(lambda: copy_atom(name, element), begin)

    def _object_MMA_Atom(self, level: int) -> MmaAtom:
        self.want("<", "after MMA_Atom")
        found = self._mma_argument(level)
        while self.take(","):
            self._type_name()
        self.want(">", "at the end of MMA_Atom")
        self.braces()
        return found

    def _object_MMA_Traits(self, level: int) -> MmaAtom:
        return self._object_MMA_Atom(level)

    def _mma_argument(self, level: int) -> MmaAtom:
        begin = self.at
        found = self.value(level + 1)
        if not isinstance(found, MmaAtom):
            self.fail("expected an MMA such as SM80_16x8x16_F32F16F16F32_TN", begin)
        return found

    def _object_UniversalFMA(self, level: int) -> MmaAtom:
        del level
        begin = self.at - 1
        text = self._type_text(begin)
        self.braces()
        return self._made(lambda: mma_atom(text), begin)

    # -- tiled copies and MMAs

    def _copy_argument(self, level: int) -> CopyAtom:
        begin = self.at
        found = self.value(level + 1)
        if not isinstance(found, CopyAtom):
            self.fail("expected a copy atom such as Copy_Atom<UniversalCopy<uint128_t>, half_t>{}", begin)
        return found

    def _object_make_tiled_copy(self, level: int) -> TiledCopy:
        begin = self.at - 1
        self.want("(", "after make_tiled_copy")
        atom = self._copy_argument(level)
        self.want(",", "and the threads: make_tiled_copy(atom, thr_layout, val_layout)")
        threads = self.a_layout(level, "the layout of the threads")
        second: Any = None
        if self.take(","):
            if self.peek() in ("Tile", "make_tile", "Shape", "make_shape") or self.peek() in "(":
                place = self.at
                entries = self.value(level + 1)
                if isinstance(entries, Tiler):  # CuTe DSL: make_tiled_copy(atom, layout_tv, tiler)
                    self.take(",")
                    self.want(")", "at the end of make_tiled_copy")
                    return self._made(lambda: TiledCopy(atom, threads, tuple(entries)), begin)
                self.at = place
            second = self.a_layout(level, "the layout of the values")
        self.take(",")
        self.want(")", "at the end of make_tiled_copy")
        return self._made(lambda: make_tiled_copy(atom, threads, second), begin)

    def _object_make_tiled_copy_tv(self, level: int) -> TiledCopy:
        return self._object_make_tiled_copy(level)

    def _copy_of(self, level: int, make: Callable[[CopyAtom, TiledMMA], TiledCopy]) -> TiledCopy:
        begin = self.at - 1
        self.want("(", "after make_tiled_copy_A, _B or _C")
        atom = self._copy_argument(level)
        self.want(",", "and the tiled MMA")
        place = self.at
        mma = self.value(level + 1)
        if not isinstance(mma, TiledMMA):
            self.fail("expected a tiled MMA: make_tiled_mma(...)", place)
        self.want(")", "at the end")
        return self._made(lambda: make(atom, mma), begin)

    def _object_make_tiled_copy_A(self, level: int) -> TiledCopy:
        return self._copy_of(level, make_tiled_copy_A)

    def _object_make_tiled_copy_B(self, level: int) -> TiledCopy:
        return self._copy_of(level, make_tiled_copy_B)

    def _object_make_tiled_copy_C(self, level: int) -> TiledCopy:
        return self._copy_of(level, make_tiled_copy_C)

    def _object_make_tiled_mma(self, level: int) -> TiledMMA:
        begin = self.at - 1
        self.want("(", "after make_tiled_mma")
        atom = self._mma_argument(level)
        layout: Any = Layout((1, 1, 1))
        entries: Any = (None, None, None)
        if self.take(","):
            if self.take_keyword("permutation_mnk"):
                entries = self.value(level + 1)
            else:
                self.take_keyword("atom_layout_mnk")
                layout = self.a_layout(level, "the layout of the atoms along M, N and K")
        if self.take(","):
            self.take_keyword("permutation_mnk")
            entries = self.value(level + 1)
        self.take(",")
        self.want(")", "at the end of make_tiled_mma")
        return self._made(lambda: make_tiled_mma(atom, layout, _as_entries(entries)), begin)

    def _object_TiledCopy(self, level: int) -> TiledCopy:
        begin = self.at - 1
        close = ">" if self.take("<") else ")"
        if close == ")":
            self.want("(", "after TiledCopy")
            threads = self.a_layout(level, "the layout of the threads")
            self.want(",", "and the values")
            values = self.a_layout(level, "the layout of the values")
            self.want(")", "at the end of TiledCopy")
            return self._made(lambda: TiledCopy(threads, values), begin)
        atom = self._copy_argument(level)
        self.want(",", "and the layout of threads and values: TiledCopy<Atom, LayoutCopy_TV, Tiler>")
        layout = self.a_layout(level)
        self.want(",", "and the tile: TiledCopy<Atom, LayoutCopy_TV, Tiler>")
        tiler = self.value(level + 1)
        self.want(close, "at the end of TiledCopy")
        self.braces()
        return self._made(lambda: TiledCopy(atom, layout, _as_entries(tiler)), begin)

    def _object_TiledMMA(self, level: int) -> TiledMMA:
        begin = self.at - 1
        self.want("<", "after TiledMMA")
        atom = self._mma_argument(level)
        layout: Any = Layout((1, 1, 1))
        entries: Any = (None, None, None)
        if self.take(","):
            layout = self.a_layout(level, "the layout of the atoms along M, N and K")
        if self.take(","):
            entries = self.value(level + 1)
        self.want(">", "at the end of TiledMMA")
        self.braces()
        return self._made(lambda: make_tiled_mma(atom, layout, _as_entries(entries)), begin)

    def _block(self) -> Any:
        """A printed block; the fields are read each by a reader of its own, so that carets stand right."""
        start = self.place()
        heads, fields, end = printed.block(self.text, start)
        if not heads:
            self.fail(f"expected the lines that print(...) prints below {self.peek()}, or {self.peek()}<...>")
        self.failed_at = end + 1 if fields else self.failed_at
        values: dict[str, Any] = {}
        for name, (begin, stop) in fields.items():
            if name == "thread":
                continue
            reader = ObjectReader(self.text[:stop], "layout", start=begin)
            if name == "bits":
                token = reader.peek()
                if not re.fullmatch(r"\d{1,3}b", token):
                    reader.fail("expected the bits of a value, such as 16b")
                values[name] = int(token[:-1])
                reader.at += 1
            elif name in ("tiler", "permutation"):
                values[name] = reader.entries("(", ")")
            elif name == "shape":
                values[name] = reader.int_tuple("a shape")
            else:
                values[name] = reader.value()
            reader.finish()
        while self.peek() and self.place() < end:
            self.at += 1
        found, aside = printed.build(heads, values)
        self.aside = [*getattr(self, "aside", []), *aside]
        return found

    # -- 2.x layouts, and calls on layouts

    def _matrix_layout(self, begin: int) -> Any:
        self.at = begin
        template, parameters, arguments = read_name(self)
        name = template + (f"<{','.join(map(str, parameters))}>" if parameters else "")
        extent: tuple[int, int] | None = None
        stride: Any = arguments or None
        if self.peek() == ":" and self.peek(1) == ":" and self.peek(2) == "packed":
            self.at += 3
            extent = self._packed_extent()
        elif self.take("of"):
            extent = int(self.number("the first extent")), self._second_extent()
            if self.take(","):
                if not self.take("stride"):
                    self.fail("expected the stride")
                stride = [int(self.number("a stride"))]
                while self.take(","):
                    stride.append(int(self.number("a stride")))
        if extent is not None:
            sizes = extent
            return self._made(lambda: matrix_layout(name, sizes, stride), begin)
        text = name + (f"({','.join(map(str, arguments))})" if arguments else "")
        words = ("row", "column") if template in AFFINE or NAMES[template][1] else ("contiguous", "strided")
        holes = tuple(
            Hole(f"shape {i} ({word}s)" if word in ("row", "column") else f"shape {i} ({word})")
            for i, word in enumerate(words)
        )
        return Unknowns(holes, text, lambda values: matrix_layout(name, values, stride))

    def _second_extent(self) -> int:
        if not self.take("x"):
            self.fail("expected 'x' and the second extent, as in 8 x 8")
        return int(self.number("the second extent"))

    def _packed_extent(self) -> tuple[int, int]:
        self.want("(", "after packed")
        if self.peek() not in ("{",):
            self.name()
            self.want("(", "or '{' before the extent")
            close = ")"
        else:
            self.at += 1
            close = "}"
        self.inside += 1
        first = int(self.number("the first extent"))
        self.want(",", "between the two extents")
        second = int(self.number("the second extent"))
        self.inside -= 1
        self.want(close, "after the two extents")
        self.want(")", "at the end of packed")
        return first, second

    def _object_tile_to_shape(self, level: int) -> Any:
        begin = self.at - 1
        self.want("(", "after tile_to_shape")
        block = self.value(level + 1)
        self.want(",", "and the shape: tile_to_shape(layout, shape)")
        self.inside += 1
        shape = self.int_tuple("a shape")
        order = None
        if self.take(","):
            self.take_keyword("order")
            order = self.int_tuple("the order, such as Step<_2,_1>")
        self.inside -= 1
        self.want(")", "at the end of tile_to_shape")
        inner = block.layout if isinstance(block, SmemAtom) else block
        if not isinstance(inner, Layout | ComposedLayout):
            self.fail("tile_to_shape repeats a layout", begin)
        return self._made(lambda: _marked(algebra.tile_to_shape(inner, shape, order), inner, shape), begin)

    def _object_composition(self, level: int) -> Any:
        begin = self.at
        try:
            self.at -= 1
            return self._layout_object()
        except CuteLabError:
            self.at = begin
            self.inside = 0
        return self._of_layouts("composition", level)

    def _of_layouts(self, word: str, level: int) -> Any:
        begin = self.at - 1
        self.want("(", f"after {word}")
        arguments: list[Any] = []
        while True:
            number = self._plain_number()
            arguments.append(self.value(level + 1) if number is None else number)
            if not self.take(","):
                break
        self.want(")", f"at the end of {word}")
        function: Callable[..., Any] = OF_LAYOUTS.get(word, algebra.composition)
        plain = [x.layout if isinstance(x, SmemAtom | Tensor) else x for x in arguments]
        if not isinstance(plain[0], Layout | ComposedLayout | CoordLayout | Swizzle) or len(plain) > 2:
            self.fail(f"{word} takes a layout, and a layout or a tile", begin)
        return self._made(lambda: _applied(function, plain), begin)

    def _object_make_tensor(self, level: int) -> Any:
        """make_tensor(make_smem_ptr(p), layout) or make_tensor<half_t>(layout)."""
        element = ""
        if self.take("<"):
            element = self._type_name()
            self.want(">", "after the type of an element")
        self.want("(", "after make_tensor")
        self.skip_namespaces()
        memory = {"make_gmem_ptr": "global", "make_smem_ptr": "shared", "make_rmem_ptr": "registers"}.get(self.peek())
        if memory or (self.peek().isidentifier() and self.peek(1) == "."):
            depth = 0
            while depth or self.peek() != ",":
                token = self.peek()
                if not token:
                    self.fail("expected ',' and a layout in make_tensor(pointer, layout)")
                depth += (token in "([{") - (token in ")]}") if token else 0
                self.at += 1
                if memory and token in TYPES:
                    element = token
            self.want(",", "and a layout")
        begin = self.at
        found = self.value(level + 1)
        if isinstance(found, Tiler) and self.take(","):
            self.inside += 1
            stride = self.strides(tuple(found))
            self.inside -= 1
            found = Layout(tuple(found), stride)
        elif isinstance(found, Tiler):
            found = Layout(tuple(found))
        if isinstance(found, SmemAtom):
            found = found.layout
        if not isinstance(found, Layout | ComposedLayout):
            self.fail("expected a layout", begin)
        self.want(")", "at the end of make_tensor")
        bits = TYPES.get(element, 0)
        return Tensor(memory or ("registers" if element else "pointer"), bits, found)


ELEMENTS = {
    "Float16": "half_t", "BFloat16": "bfloat16_t", "Float32": "float", "TFloat32": "tfloat32_t", "Float64": "double", "Int8": "int8_t",
    "Uint8": "uint8_t", "Int32": "int32_t", "Float8E4M3FN": "float_e4m3_t", "Float8E5M2": "float_e5m2_t", "Int16": "int16_t",
}  # fmt: skip
TYPES = {
    "half_t": 16, "bfloat16_t": 16, "float": 32, "double": 64, "tfloat32_t": 32, "int8_t": 8, "uint8_t": 8, "int": 32, "int32_t": 32,
    "float_e4m3_t": 8, "float_e5m2_t": 8, "__half": 16, "uint16_t": 16, "int16_t": 16, "uint32_t": 32, "int64_t": 64,
}  # fmt: skip


def _object_of(parsed: Parsed) -> Any:
    layout = layout_of(parsed)
    if isinstance(layout, CoordLayout):
        if parsed.start is not None:
            return CoordTensor(parsed.start, layout)
        if parsed.pointer is not None:
            raise CuteLabError(f"{parsed.pointer.text[:60]} points to memory; the strides {layout} lead to coordinates")
        return layout
    if parsed.start is not None:
        raise CuteLabError(f"a coordinate tensor has basis elements such as 1@0 as strides, got {layout}"[:250])
    if parsed.pointer is not None:
        return Tensor(parsed.pointer.memory, parsed.pointer.bits, layout, parsed.pointer.text)
    return layout


def _marked(found: Any, *arguments: Any) -> Any:
    """The result of an operation on layouts: all compile-time where all the arguments are, plain otherwise."""
    static = all(isinstance(x, Int) for argument in arguments for x in _integers(argument))
    change = mark if static else unmark
    if isinstance(found, Layout):
        return Layout(change(found.shape), change(found.stride))
    if isinstance(found, ComposedLayout) and isinstance(found.inner, Layout):
        return ComposedLayout(found.outer, change(found.offset), _marked(found.inner, *arguments))
    return found


def _applied(function: Callable[..., Any], arguments: list[Any]) -> Any:
    return _marked(function(*arguments), *arguments)


def _integers(value: Any) -> list[Any]:
    if isinstance(value, Layout):
        return [*stride_leaves(value.shape), *stride_leaves(value.stride)]
    if isinstance(value, ComposedLayout):
        return _integers(value.inner)
    if isinstance(value, tuple):
        return [x for v in value for x in _integers(v)]
    return [value] if isinstance(value, int) else []


def _as_entries(value: Any) -> tuple[Any, ...]:
    if isinstance(value, tuple):
        return tuple(value)
    if isinstance(value, Layout):  # a bare (32,32,16) read as a shape
        return value.shape if isinstance(value.shape, tuple) else (value.shape,)
    raise CuteLabError(f"expected a tile such as Tile<_32,_32,_16>, got {str(value)[:60]}")
