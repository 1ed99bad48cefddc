"""Tensor: what print(tensor) says of one. Where its data lie, how many bits an element has, and the layout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import IntTuple, is_int
from cutelab.core.layout import ComposedLayout, Layout

MEMORIES = ("global", "shared", "registers", "tensor memory", "pointer")
ENGINES = {"global": "gmem_ptr", "shared": "smem_ptr", "registers": "ptr", "tensor memory": "tmem_", "pointer": "ptr"}


@dataclass(frozen=True)
class Tensor:
    """Where is an element of this tensor? Memory, bits of an element, and the layout; the address is kept as it was printed.

    memory   "global", "shared", "registers", "tensor memory", or "pointer" where the print does not say (registers, host memory)
    bits     of an element; 0 where the print does not say
    layout   coordinate -> offset in elements, a swizzle included
    engine   the text before the layout, if it was printed

    >>> tensor = Tensor("shared", 16, Layout((8, 64), (64, 1)))
    >>> tensor.byte_offset(1, 2), str(tensor)
    (132, 'smem_ptr[16b](unset) o (8,64):(64,1)')
    """

    memory: str
    bits: int
    layout: Layout | ComposedLayout
    engine: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.memory, str) or self.memory not in MEMORIES:
            raise CuteLabError(f"a tensor's memory is one of {', '.join(MEMORIES)}, got {shown(self.memory)}")
        if not is_int(self.bits) or not 0 <= self.bits <= 256:
            raise CuteLabError(f"an element has 1 to 256 bits (0: not known), got {repr(self.bits)[:60]}")
        if not isinstance(self.layout, Layout | ComposedLayout):
            raise CuteLabError(
                f"a tensor has a layout, got {repr(self.layout)[:60]}; for example Layout((8, 64), (64, 1))"
            )

    @property
    def shape(self) -> IntTuple:
        return self.layout.shape

    @property
    def address(self) -> str:
        """The address as it was printed, without its meaning here; "" if there was none."""
        return self.engine.rpartition("(")[2].rstrip(")") if "(" in self.engine else ""

    def __call__(self, *coord: Any) -> Any:
        """The offset of a coordinate, in elements."""
        return self.layout(*coord)

    def byte_offset(self, *coord: Any) -> float:
        """The offset of a coordinate in bytes. Raises CuteLabError where the element's bits are not known."""
        if not self.bits:
            raise CuteLabError(
                f"the text {self.engine[:60]!r} does not say how many bits an element has; use Tensor(memory, bits, layout)"
            )
        found = self.layout(*coord) * self.bits
        return int(found // 8) if found % 8 == 0 else float(found / 8)

    def __str__(self) -> str:
        engine = self.engine or f"{ENGINES[self.memory]}[{self.bits or '?'}b](unset)"
        inner = self.layout
        if "Sw<" in engine or "S<" in engine:  # the swizzle stands in the engine's text
            while isinstance(inner, ComposedLayout):
                inner = inner.inner
        return f"Tensor<{engine} o {inner}>" if engine.startswith("0x") else f"{engine} o {inner}"
