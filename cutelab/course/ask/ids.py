"""By which name is an exercise or a prediction known? By its topic: "layout.3", "layout.a". Older names are understood.

Exercises were once known by the number of their lesson ("01.3"). Lessons may change places, so that number is only read:
in notebooks, and in records that a learner saved. A name with + is the same question with other numbers: "layout.3+1".
"""

from __future__ import annotations

import re

OLD_TOPICS = (
    "start",
    "layout",
    "coalescing",
    "banks",
    "swizzle",
    "strips",
    "thread_map",
    "algebra",
    "tiling",
    "tensor_core",
    "pipeline",
    "kernel",
)
"""Which topic had which number, 00 to 11, when exercises were known by it. This list never changes."""

MOVED = {f"algebra.{x}": f"composition.{x}" for x in "abc1234"} | {"algebra.5": "inverse.4"}
"""Questions of a topic that became two, and where each one stands now."""


def canonical(id: str) -> str:
    """The name by topic: an older one is translated, every other text stays as it is.

    >>> canonical("01.3"), canonical("11.c"), canonical("layout.3"), canonical("12.1"), canonical("07.5"), canonical("algebra.a+2")
    ('layout.3', 'kernel.c', 'layout.3', '12.1', 'inverse.4', 'composition.a+2')
    """
    found = re.fullmatch(r"(\d\d)\.(\w+(?:\+\d+)?)", id)
    if found is not None and int(found[1]) < len(OLD_TOPICS):
        id = f"{OLD_TOPICS[int(found[1])]}.{found[2]}"
    base, plus, number = id.partition("+")
    return MOVED.get(base, base) + plus + number


def topic_of(id: str) -> str:
    """The topic of a name.

    >>> topic_of("layout.3"), topic_of("01.a")
    ('layout', 'layout')
    """
    return canonical(id).partition(".")[0]


def changed(id: str) -> tuple[str, int]:
    """The question itself, and which change of its numbers is meant: 0 for none.

    >>> changed("layout.a+2"), changed("layout.a")
    (('layout.a', 2), ('layout.a', 0))
    """
    base, _, number = canonical(id).partition("+")
    if number.isascii() and number.isdecimal() and len(number) < 7 and int(number):
        return base, int(number)
    return canonical(id), 0
