"""One test over thousands of small cases: all are tried, and a failure names those that fail."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

SHOWN = 20  # of the cases that fail


def every(cases: Iterable[Any], name: Callable[..., object] = lambda *case: case) -> Callable[..., Callable[[], None]]:
    """Make one test of a proof that takes a case: a tuple is its arguments, anything else its only one.

    cases  in an order that is the same each time
    name   what a failure calls a case
    """
    listed = [case if isinstance(case, tuple) else (case,) for case in cases]

    def made(proof: Callable[..., None]) -> Callable[[], None]:
        def test() -> None:
            assert listed, "no case is left to try"
            failed = []
            for case in listed:
                try:
                    proof(*case)
                except (Exception, pytest.fail.Exception) as error:
                    failed.append((case, error))
            if failed:
                lines = [f"{name(*case)}: {type(error).__name__}: {error}" for case, error in failed[:SHOWN]]
                raise AssertionError(f"{len(failed)} of {len(listed)} cases fail:\n" + "\n".join(lines)) from failed[0][
                    1
                ]

        test.__name__, test.__doc__, test.__module__ = proof.__name__, proof.__doc__, proof.__module__
        return test

    return made
