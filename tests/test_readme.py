"""The README's code gives the results that it shows, and the README names what is there."""

from __future__ import annotations

import doctest
import re


def test_the_code_of_the_readme_runs(root):
    flags = doctest.NORMALIZE_WHITESPACE
    result = doctest.testfile(str(root / "README.md"), module_relative=False, optionflags=flags, encoding="utf-8")
    assert result.attempted >= 5
    assert result.failed == 0


def test_every_file_that_the_readme_names_exists(root):
    text = (root / "README.md").read_text(encoding="utf-8")
    linked = re.findall(r"\]\(([^)#:]+)\)", text) + re.findall(r'src="([^"]+)"', text)
    assert linked
    assert [path for path in linked if not (root / path).exists()] == []


def test_the_table_of_the_course_lists_the_notebooks(root):
    text = (root / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\d\d_\w+|case_\w+)` \|", text, re.MULTILINE)
    assert listed == sorted(path.stem for path in (root / "notebooks").glob("*.ipynb"))
