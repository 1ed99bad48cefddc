"""Statements B and C: verdicts and runs of numbers found without the library, printed by CUTLASS's own classes or counted by hand."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cutelab.core import Swizzle
from cutelab.course.topics.claims import layout_algebra, swizzles_and_layouts
from cutelab.course.topics.claims.claim import Claim, found
from cutelab.hardware import WarpAccess, sectors, wavefronts

HELD: dict[str, dict[str, Any]] = {
    row["id"]: row
    for row in json.loads((Path(__file__).parents[1] / "data" / "claims_bc.json").read_text(encoding="utf-8"))
}
"""Of each id the verdict, and runs of numbers that must stand in its corrected sentence in this order."""

CLAIMS = layout_algebra.CLAIMS + swizzles_and_layouts.CLAIMS
BY_ID = {claim.id: claim for claim in CLAIMS}
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def faults(claim: Claim) -> list[str]:
    """One sentence for each thing that is not as it must be; [] where all is well."""
    held, finding, said = HELD[claim.id], claim.settle(), claim.sentence()
    wrong = [] if finding.verdict == held["verdict"] else [f"verdict {finding.verdict}, not {held['verdict']}"]
    numbers = NUMBER.findall(said)
    for run in held["numbers"]:
        want = run.split()
        if not any(numbers[i : i + len(want)] == want for i in range(len(numbers))):
            wrong.append(f"{run} is not in: {said}")
    return wrong


def test_each_is_held():
    assert sorted(HELD) == [claim.id for claim in CLAIMS]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_the_verdict_and_the_numbers(claim: Claim):
    assert faults(claim) == []


def test_a_wrong_verdict_is_seen_in_each():
    for claim in CLAIMS:
        other = "false" if HELD[claim.id]["verdict"] == "true" else "true"
        finding = claim.settle()
        assert faults(replace(claim, settle=lambda f=finding, v=other: replace(f, verdict=v))), claim.id


BROKEN = [
    (layout_algebra, "composition", lambda a, b, **_: b, ("B07", "B09", "B11", "B14")),
    (layout_algebra, "wavefronts", lambda access: wavefronts(WarpAccess(access.byte_address * 2, 4)), ("B22", "B23")),
    (swizzles_and_layouts, "Swizzle", lambda b, m, s: Swizzle(0, m, s), ("C23", "C25", "C26")),
    (swizzles_and_layouts, "sectors", lambda a: sectors(WarpAccess(a.byte_address // 4 * 2, 2)), ("C16", "C17")),
]


@pytest.mark.parametrize(("module", "name", "broken", "ids"), BROKEN, ids=lambda x: x if isinstance(x, str) else "")
def test_a_broken_library_is_seen(module, name, broken, ids, monkeypatch):
    monkeypatch.setattr(module, name, broken)
    assert all(faults(BY_ID[i]) for i in ids)


@pytest.mark.parametrize(("id", "figure", "value"), [("B16", "start", 5131), ("C20", "right10", 3)])
def test_a_number_that_is_off_by_one_is_seen(id, figure, value):
    finding = BY_ID[id].settle()
    assert faults(replace(BY_ID[id], settle=lambda: replace(finding, figures=finding.figures | {figure: value})))


def test_what_was_looked_up_is_held_too():
    assert faults(replace(BY_ID["B01"], settle=lambda: found("true", places=4, spelled_out=1)))
    assert faults(replace(BY_ID["C04"], settle=lambda: found("true", kernels=1, launches=0, last="")))
