"""What the algebra explorer can be asked: an operation, its layouts, the coordinate that is followed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cutelab.core import int_tuple, notation
from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import IntTuple
from cutelab.core.layout import Layout, as_layout
from cutelab.course.card.knobs import Params, dropdown, index, preset, text
from cutelab.course.card.parts.leaves import leaf_knobs
from cutelab.course.topics.algebra.chain import LAWS, Chain, chain

OPERATIONS = tuple(LAWS)
WITH_B = ("composition", "max_common_vector")
EXAMPLES = {
    "from CuTe's pages": ("composition", "(6,2):(8,2)", "(4,3):(3,1)", ""),
    "a vector as a matrix": ("composition", "20:2", "(5,4):(4,1)", ""),
    "threads and values": ("composition", "(8,8):(8,1)", "((4,8),2):((16,1),8)", ""),
    "padding skipped": ("composition", "(8,8):(1,9)", "((4,8),2):((16,1),8)", ""),
    "past the end of A": ("composition", "(4,4):(4,1)", "8:4", ""),
    "refused: stride": ("composition", "(8,8):(1,9)", "4:12", ""),
    "refused: shape": ("composition", "(8,8):(1,9)", "5:3", ""),
    "C++ is silent": ("composition", "(4,6,8):(2,3,5)", "6:3", ""),
    "C++ is silent, too": ("composition", "(4,4):(1,8)", "(2,3):(3,1)", ""),
    "fewest modes": ("coalesce", "(2,(1,6)):(1,(6,2))", "", ""),
    "what is left out": ("complement", "(2,2):(1,6)", "", "24"),
    "which index is here": ("right_inverse", "(2,4,6):(4,1,8)", "", ""),
    "the way back": ("left_inverse", "(2,2):(1,3)", "", ""),
    "no way back": ("left_inverse", "((4,2),(2,4)):((2,16),(1,8))", "", ""),
    "widest vector": ("max_common_vector", "(8,8):(1,9)", "(8,8):(1,8)", ""),
}


def _layout(name: str) -> Callable[[Any], Layout | ComposedLayout]:
    """How a text is read as this layout; the error names it."""

    def read(value: Any) -> Layout | ComposedLayout:
        if isinstance(value, Layout | ComposedLayout):
            return value
        try:
            return as_layout(value)
        except CuteLabError as error:
            raise CuteLabError(f"{name}: {error}") from None

    return read


def read_cotarget(value: Any) -> IntTuple | None:
    """The number or the shape that a text says; None for no text."""
    if value is None or not isinstance(value, str):
        return None if value is None else int_tuple.as_int_tuple(value, "cotarget")
    if not value.strip():
        return None
    parsed = notation.parse(value)
    if ":" in value or parsed.swizzle is not None or min(int_tuple.flatten(parsed.shape)) < 1:
        raise CuteLabError(f"cotarget {shown(value)} must be a number or a shape of 1 or more, for example 24 or (4,6)")
    shape: IntTuple = parsed.shape
    return shape


def say_cotarget(value: IntTuple | None) -> str:
    """The text of a cotarget."""
    return "" if value is None else int_tuple.to_text(value)


def _spelled(params: AlgebraParams) -> str | None:
    """The example that is as the parameters stand."""
    b = str(params.b) if params.operation in WITH_B else ""
    mine = (params.operation, str(params.a), b, say_cotarget(params.cotarget))
    return next((name for name, said in EXAMPLES.items() if said == mine), None)


def _start(params: AlgebraParams, example: tuple[str, str, str, str]) -> dict[str, Any]:
    operation, a, b, cotarget = example
    return {"operation": operation, "a": a, "b": b or params.b, "cotarget": cotarget}


@dataclass(frozen=True)
class AlgebraParams(Params):
    """What the algebra explorer shows. The knobs `example` and `a_shape_0`, `b_stride_1`, ... are derived from the rest."""

    example = preset(
        EXAMPLES, _spelled, _start, what="example", group="Operation", label="example", tip="pairs to start from"
    )
    operation: str = dropdown("composition", OPERATIONS, group="Operation", tip="an operation of CuTe's layout algebra")
    a: Layout | ComposedLayout = text(
        Layout((6, 2), (8, 2)),
        read=_layout("A"),
        group="A",
        label="A",
        placeholder="(6,2):(8,2)",
        tip="any CuTe spelling of a layout",
    )
    a_leaves = leaf_knobs("a", prefix="a_", groups=("A", "A"), reach=(16, 32), most=4, all_or_none=True)
    b: Layout | ComposedLayout = text(
        Layout((4, 3), (3, 1)),
        read=_layout("B"),
        shown=lambda p: p.operation in WITH_B,
        group="B",
        label="B",
        placeholder="(4,3):(3,1)",
        tip="any CuTe spelling of a layout",
    )
    b_leaves = leaf_knobs(
        "b",
        prefix="b_",
        groups=("B", "B"),
        reach=(16, 32),
        most=4,
        all_or_none=True,
        shown=lambda p: p.operation in WITH_B,
    )
    cotarget: IntTuple | None = text(
        None,
        read=read_cotarget,
        say=say_cotarget,
        shown=lambda p: p.operation == "complement",
        group="A",
        placeholder="cosize, or 24, or (4,6)",
        tip="how many offsets A and its complement fill together",
    )
    index: int = index(5, hi=lambda p: p.chain.count - 1, group="Probe", unit="coordinate as one number")

    @property
    def chain(self) -> Chain:
        """The operation, worked out; the same for every place of the probe."""
        return chain(self.operation, self.a, self.b, self.cotarget)
