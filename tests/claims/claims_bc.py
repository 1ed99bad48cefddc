"""What each statement's verdict and numbers must be, found without the library: printed by CUTLASS's own classes, or counted by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from cutelab.course.topics.claims.claim import Claim

HELD: dict[str, dict[str, Any]] = {
    row["id"]: row
    for row in json.loads((Path(__file__).parents[1] / "data" / "claims_bc.json").read_text(encoding="utf-8"))
}
"""Of each id the verdict, and runs of numbers that must stand in its corrected sentence in this order."""

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def faults(claim: Claim) -> list[str]:
    """One sentence for each thing that is not as it must be; [] where all is well."""
    held, finding, said = HELD[claim.id], claim.settle(), claim.sentence()
    found = [] if finding.verdict == held["verdict"] else [f"verdict {finding.verdict}, not {held['verdict']}"]
    numbers = NUMBER.findall(said)
    for run in held["numbers"]:
        want = run.split()
        if not any(numbers[i : i + len(want)] == want for i in range(len(numbers))):
            found.append(f"{run} is not in: {said}")
    return found
