"""Tables printed by CUTLASS's own C++ classes (tests/data), as the tests read them."""

import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"


def cases(name: str) -> list[dict[str, Any]]:
    """The cases of one golden file."""
    return json.loads((DATA / f"{name}.json").read_text())["cases"]


def integer(value: int | str) -> int:
    """A table entry: C++ prints a static 0 as `_0`."""
    return int(str(value).lstrip("_"))
