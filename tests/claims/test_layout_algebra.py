"""B01 to B30: the verdicts and the numbers are right, the pictures open, and a fault is seen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from claims_bc import HELD, faults

from cutelab import explore
from cutelab.course.topics.claims import layout_algebra
from cutelab.course.topics.claims.claim import Claim, found
from cutelab.course.topics.claims.layout_algebra import CLAIMS
from cutelab.hardware import WarpAccess, wavefronts

BY_ID = {claim.id: claim for claim in CLAIMS}


def test_all_stand_in_order():
    assert [claim.id for claim in CLAIMS] == [f"B{n:02d}" for n in range(1, 31)]
    assert {i for i in HELD if i[0] == "B"} == set(BY_ID)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_the_verdict_and_the_numbers(claim: Claim):
    assert faults(claim) == []


@pytest.mark.parametrize("claim", [claim for claim in CLAIMS if claim.picture], ids=lambda claim: claim.id)
def test_the_picture_opens_and_has_a_verdict(claim: Claim):
    lab = explore.view(claim.picture)
    assert lab.error is None and lab.picture.verdicts


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_the_lines_that_settle_it_are_few(claim: Claim):
    lines = [line for line in claim.code().splitlines() if line.strip()]
    assert len(lines) <= 10 and max(map(len, lines)) <= 120
    assert claim.code().startswith(lines[0]) and "return found(" in claim.code()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_what_no_number_settles_names_its_source(claim: Claim):
    assert claim.picture or claim.source or claim.lesson or HELD[claim.id]["verdict"] == "unknown"
    assert "{{" not in claim.text + claim.sentence() and claim.text.endswith(".")


def test_a_wrong_verdict_is_seen_in_each():
    for claim in CLAIMS:
        other = "false" if HELD[claim.id]["verdict"] == "true" else "true"
        finding = claim.settle()
        assert faults(replace(claim, settle=lambda f=finding, v=other: replace(f, verdict=v))), claim.id


def test_a_composition_that_forgets_the_padding_is_seen(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(layout_algebra, "composition", lambda a, b, **_: b)
    assert all(faults(BY_ID[i]) for i in ("B07", "B09", "B11", "B14"))


def test_banks_of_another_width_are_seen(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(layout_algebra, "wavefronts", lambda access: wavefronts(WarpAccess(access.byte_address * 2, 4)))
    assert all(faults(BY_ID[i]) for i in ("B22", "B23"))


def test_a_number_that_is_off_by_one_is_seen():
    finding = BY_ID["B16"].settle()
    start = replace(finding, figures=finding.figures | {"start": 5131})
    assert faults(replace(BY_ID["B16"], settle=lambda: start))
    assert faults(replace(BY_ID["B01"], settle=lambda: found("true", places=4, spelled_out=1)))
