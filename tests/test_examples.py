"""The C++ file in examples/ prints what the library prints: as stored, and as built, where a compiler and CUTLASS's headers are."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from cutelab import Layout, parse_layout, print_layout, read

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "print_layout"
EXPECTED = (FOLDER / "expected.txt").read_text(encoding="utf-8")
HEADERS = os.environ.get("CUTLASS_INCLUDE", "")  # folders with CUTLASS's and the CUDA toolkit's headers


def test_the_stored_output_is_what_the_library_prints():
    fixed, heads = Layout((4, 2), (2, 1)), Layout((128, 4, 16), (64, 16, 1))
    for static in (True, False):
        assert print_layout(fixed, static=static).strip("\n") in EXPECTED
    lines = EXPECTED.splitlines()
    assert parse_layout("(_128,_4,_16):(_64,_16,_1)") == heads and "(_128,_4,_16):(_64,_16,_1)" in lines
    one_head = heads(None, 2, None)
    assert lines[lines.index("(_128,_4,_16):(_64,_16,_1)") + 1] == re.sub(r"(\d+)", r"_\1", str(one_head))
    tensor = next(line for line in lines if line.startswith("ptr"))
    assert read(tensor.rstrip(":")).layout == fixed
    printed = [[float(n) for n in line.split()] for line in lines[lines.index(tensor) + 1 :]]
    assert printed == [[fixed(row, col) for col in range(2)] for row in range(4)]


@pytest.mark.skipif(
    not HEADERS or not shutil.which("c++"), reason="needs a C++ compiler and CUTLASS_INCLUDE=folder:folder"
)
def test_the_file_builds_with_a_plain_compiler_and_prints_that(tmp_path):
    folders = [f"-I{folder}" for folder in HEADERS.split(os.pathsep)]
    build = ["c++", "-std=c++17", "-x", "c++", *folders, str(FOLDER / "print_layout.cu"), "-o", str(tmp_path / "show")]
    subprocess.run(build, check=True, capture_output=True, timeout=600)
    found = subprocess.run([tmp_path / "show"], check=True, capture_output=True, text=True, timeout=60).stdout
    address = re.compile(r"0x[0-9a-f]+")
    assert address.sub("", found) == address.sub("", EXPECTED)
