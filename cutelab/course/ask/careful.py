"""Looking at an answer may run the learner's own code: a `__repr__` that fails, a `__len__` that never ends."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from cutelab.core.errors import CuteLabError
from cutelab.course.ask import functions
from cutelab.course.ask.functions import Stopped, explain_error, place, until

T = TypeVar("T")
SECONDS = 2 * functions.SECONDS  # a function has its own, shorter time


def looked_at(look: Callable[[], T]) -> T:
    """What does `look` find in an answer? Raises CuteLabError where the answer's own methods fail or never end.

    >>> class Odd:
    ...     def __len__(self):
    ...         return 1 // 0
    >>> looked_at(lambda: len(Odd()))
    Traceback (most recent call last):
    cutelab.core.errors.CuteLabError: Looking at your answer stops with ZeroDivisionError: ...
    """
    try:
        with until(time.monotonic() + SECONDS):
            return look()
    except (CuteLabError, KeyboardInterrupt):
        raise
    except Stopped as error:
        where = place(error)
        raise CuteLabError(f"Looking at your answer does not come to an end{where}; give a plain value.") from None
    except BaseException as error:
        raise CuteLabError(f"Looking at your answer {explain_error(error)}; give a plain value.") from None
