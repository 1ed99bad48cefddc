"""The command `cutelab`: answers, gates, pipes, errors without a traceback, and help whose examples run."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys

import pytest

import cutelab
from cutelab.cli import app
from cutelab.cli.schema import SCHEMA

KERNELS = """
import numba
from cutelab.kernels import cuda

@cuda.jit
def transpose(out, a):
    tile = cuda.shared.array((32, 32), numba.float32)
    for r in range(0, 32, 8):
        tile[cuda.threadIdx.y + r, cuda.threadIdx.x] = a[cuda.threadIdx.y + r, cuda.threadIdx.x]
    cuda.syncthreads()
    for r in range(0, 32, 8):
        out[cuda.threadIdx.y + r, cuda.threadIdx.x] = tile[cuda.threadIdx.x, cuda.threadIdx.y + r]
"""
LAUNCH = "1, (32, 8), float32[32, 32], float32[32, 32]"


@pytest.fixture
def say(say, tmp_path):
    """The same, in a folder that holds kernels.py, and handed-in/."""
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "handed-in").mkdir()
    return say


COMMANDS = {command.name or command.callback.__name__: command for command in app.registered_commands}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_of_the_help_run(say, name):
    status = say(name, "--help")[0]
    assert status == 0
    (example,) = re.findall(r"Example: cutelab (.*)", COMMANDS[name].callback.__doc__)
    status, out, err = say(*shlex.split(example))
    assert (status, err) == (0, "") and out.strip()


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"schema"}))
def test_json_holds_the_fields_of_the_schema(say, name):
    (example,) = re.findall(r"Example: cutelab (.*)", COMMANDS[name].callback.__doc__)
    _, out, _ = say(*shlex.split(example), "--json")
    found = json.loads(out)
    assert found.pop("schema") == 1 and found.pop("command") == name
    assert set(found) == set(SCHEMA[name])


def test_the_schema_is_printed_and_documented(say, root):
    _, out, _ = say("schema")
    assert json.loads(out)["commands"] == SCHEMA
    page = (root / "docs" / "command.md").read_text(encoding="utf-8")
    for name, fields in SCHEMA.items():
        part = page.split(f"### {name}\n", 1)[1].split("\n### ")[0]
        assert re.findall(r"^\| `(\w+)` \| (.+) \|$", part, re.MULTILINE) == list(fields.items())


def test_banks_counts_as_the_library_does(say):
    _, out, _ = say("banks", "(32,32):(32,1)", "--json", "--fix")
    found = json.loads(out)
    assert (found["wavefronts"], found["ideal"], found["ways"]) == (32, 1, 32)
    assert [f["layout"] for f in found["fixes"][:2]] == ["Sw<5,0,5> o 0 o (32,32):(32,1)", "(32,32):(33,1)"]
    for fix in found["fixes"]:
        _, out, _ = say("banks", fix["layout"], "--json")
        assert json.loads(out)["wavefronts"] == fix["wavefronts"]


def test_sectors_against_counting_by_hand(say):
    for stride in (1, 2, 3, 8, 33):
        _, out, _ = say("sectors", f"32:{stride}", "--element", "half", "--start", "5", "--json")
        expected = len({(5 + lane * stride) * 2 // 32 for lane in range(32)})
        assert json.loads(out)["sectors"] == expected, stride


@pytest.mark.parametrize(("most", "status"), [(31, 1), (32, 0)])
def test_the_gate_shuts_above_its_number(say, most, status):
    assert say("banks", "(32,32):(32,1)", "--fail-over", str(most))[0] == status


def test_trace_gates_on_excess(say):
    status, out, _ = say("trace", "kernels.py::transpose", "--launch", LAUNCH, "--json", "--fail-over", "0")
    found = json.loads(out)
    assert status == 1 and found["excess"] == 32 * 31 and found["races"] == []
    assert say("trace", "kernels.py::transpose", "--launch", LAUNCH, "--fail-over", "992")[0] == 0


def test_a_pasted_printout_is_answered_line_by_line(say):
    lines = "(8,8):(8,1)\n\ntCsA : ptr[16b](0x7f) o (_8,_64):(_64,_1)\n(8,8:(8,1)\n4:2\n"
    status, out, err = say("read", "-", pipe=lines)
    assert status == 1 and len(out.splitlines()) == 3 and "line 4" in err and err.splitlines()[-1].strip() == "^"
    status, out, _ = say("read", "-", "--json", pipe=lines)
    found = [json.loads(line) for line in out.splitlines()]
    assert [one["line"] for one in found] == [1, 3, 4, 5] and found[2]["answer"] is None and "^" in found[2]["error"]


def test_the_version_is_the_packages(say):
    assert say("--version") == (0, f"cutelab {cutelab.__version__}\n", "")


def test_a_pipe_is_read_for_a_dash(say):
    assert say("show", "-", pipe="(4,2):(2,1)\n")[1] == say("show", "(4,2):(2,1)")[1]


@pytest.mark.parametrize("operands", [("logical_divide", "(8,8):(8,1)", "<2, 4>"), ("upcast", "(8,8):(8,1)", "2")])
def test_operands_may_be_tilers_and_numbers(say, operands):
    status, out, _ = say("algebra", *operands, "--json")
    assert status == 0 and json.loads(out)["result"] in json.loads(out)["explanation"][-2]


@pytest.mark.parametrize(
    "words",
    [
        ("show", "(8,8:(8,1)"),
        ("show", "4:1", "--svg", "x.png"),
        ("show", "4:1", "--svg", "nowhere/x.svg"),
        ("show", ""),
        ("banks", "(32,32):(32,1)", "--element", "quarter"),
        ("banks", "(32,32):(32,1)", "--bytes", "3"),
        ("banks", "(32,32):(32,1)", "--read", "around"),
        ("sectors", "64:1"),
        ("sectors", "32:1", "--start", "-1"),
        ("sectors", "32:1", "--start", "9" * 23),
        ("sectors", "32:100000000000000000"),
        ("sectors", "32:595056260442243600", "--element", "uint128"),
        ("algebra", "print", "4:1"),
        ("algebra", "composition", "4:1"),
        ("algebra", "composition", "(8,8):(1,9)", "4:12"),
        ("tiled", "4:1"),
        ("tiled", "SM80_16x8x16_F32F16F16F32_TN", "--thread", "32"),
        ("trace", "kernels.py", "--launch", LAUNCH),
        ("trace", "none.py::k", "--launch", LAUNCH),
        ("trace", "kernels.py::k", "--launch", LAUNCH),
        ("trace", "kernels.py::transpose", "--launch", "__import__('os')"),
        ("trace", "kernels.py::transpose", "--launch", "1, 32"),
        ("class", "nowhere"),
        ("class", "x" * 10_000),
        ("class", ".", "--csv", "."),
        ("class", ".", "--picture", ""),
        ("course", "kernels.py", "--put"),
        ("course", "", "--put"),
        ("answers", "banks", "--exam", "7"),
        ("answers", "nowhere"),
        ("read", ""),
        ("read", "-"),
        ("show", "-"),
        ("tiled", "-"),
        ("tiled", "PitchLinearStripminedThreadMap<PitchLinearShape<16,8>, 32, 1>"),
        ("tiled", "Copy_Atom<SM90_TMA_LOAD, half_t>"),
        ("show", "(１,２):(３,４)"),
        ("show", "日本語"),
        ("show", "\udcff"),
        ("show", "9" * 60),
        ("show", "(" * 5000),
        ("show", "4," * 50_000),
        ("banks", "(100000,100000):(100000,1)", "--fix"),
        ("banks", "(32,32):(32,1)", "--index", "9" * 30),
        ("sectors", "32:1", "--bytes", "9" * 30),
        ("trace", "handed-in::k", "--launch", LAUNCH),
        ("claims", "--id", "Z99"),
        ("class", "kernels.py"),
        ("class", "handed-in", "--csv", "nowhere/x.csv"),
        ("class", "handed-in", "--picture", "x.bmp"),
    ],
)
def test_what_cannot_be_used_is_one_sentence_and_status_2(say, words):
    status, out, err = say(*words)
    assert (status, out) == (2, "") and err.startswith("cutelab: ") and "Traceback" not in err and len(err) < 320


def test_python_m_cutelab_is_the_command(root):
    done = subprocess.run(
        [sys.executable, "-m", "cutelab", "show", "(4,2:1"], cwd=root, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 2 and done.stderr.splitlines()[-1].strip() == "^" and "Traceback" not in done.stderr


def test_the_command_starts_without_drawing_and_without_numba(root):
    code = "import sys, cutelab.cli; print(*{'numpy.f2py','matplotlib','numba','ipywidgets'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, "")


def test_pictures_are_written(say, tmp_path):
    status, out, _ = say("show", "(4,2):(2,1)", "--svg", "a.svg", "--png", "b.png", "--html", "c.html")
    assert status == 0 and out.splitlines()[-3:] == ["b.png", "a.svg", "c.html"]
    assert (tmp_path / "a.svg").read_bytes().startswith(b"<") and (tmp_path / "b.png").read_bytes()[1:4] == b"PNG"


def test_the_lessons_go_into_a_folder_and_answers_stay(say, root, tmp_path):
    assert say("course", "mine/here", "--put")[0] == 0
    lessons = {path.name for path in (root / "notebooks").glob("*.ipynb")}
    assert lessons <= {path.name for path in (tmp_path / "mine" / "here").iterdir()}
    (tmp_path / "mine" / "here" / "00_start.ipynb").write_text("my answers")
    say("course", "mine/here", "--put")
    assert (tmp_path / "mine" / "here" / "00_start.ipynb").read_text() == "my answers"


COPY = """TiledCopy
  Tiler_MN:       (_16,_64)
  TiledLayout_TV: ((_8,_16),_8):((_128,_1),_16)
Copy_Atom
  ThrID:        _1:_0
  ValLayoutSrc: (_1,_8):(_0,_1)
  ValLayoutDst: (_1,_8):(_0,_1)
  ValLayoutRef: (_1,_8):(_0,_1)
  ValueType:    16b
"""
MMA = """TiledMMA
  ThrLayoutVMNK:  (_32,_2,_2,_1):(_1,_32,_64,_0)
  PermutationMNK: (_32,_32,_16)
MMA_Atom
  ThrID:      _32:_1
  Shape_MNK:  (_16,_8,_16)
  LayoutA_TV: ((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))
  LayoutB_TV: ((_4,_8),(_2,_2)):((_16,_1),(_8,_64))
  LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))
"""


@pytest.mark.parametrize("first", ["", "my copy: ", "copy = "])
def test_a_printed_block_among_other_lines_is_one_answer(say, first):
    lines = f"a: 4:2\n{first}{COPY}{MMA}tCsA : ptr[16b](0x7f) o (_8,_64):(_64,_1)\nTiledMMA\n8:1\n"
    status, out, _ = say("read", "-", "--json", pipe=lines)
    found = [json.loads(line) for line in out.splitlines()]
    assert [one["kind"] for one in found] == ["Layout", "TiledCopy", "TiledMMA", "Tensor", None, "Layout"]
    assert [one["line"] for one in found] == [1, 2, 11, 20, 21, 22] and status == 1
    assert found[1]["answer"] == COPY.strip() and found[2]["answer"] == MMA.strip()


def test_a_tensor_is_shown_as_its_layout_is(say):
    layout = say("show", "(_2,_4):(_4,_1)")[1]
    assert say("show", "smem_ptr[16b](0x7f) o (_2,_4):(_4,_1)")[1].splitlines()[1:] == layout.splitlines()[1:]


def test_ldmatrix_takes_its_16_bytes_unasked(say):
    line = ("banks", "(8,64):(64,1)", "--read", "column", "--element", "half", "--kind", "ldmatrix")
    assert say(*line) == say(*line, "--bytes", "16") and say(*line)[0] == 0


def test_a_kernel_that_is_not_there_is_answered_with_kernels(say):
    _, _, err = say("trace", "kernels.py::nope", "--launch", LAUNCH)
    assert "its kernels: transpose" in err


@pytest.mark.parametrize("command", [("banks", "(32,32):(32,1)"), ("sectors", "32:3")])
def test_an_element_may_be_a_cpp_type(say, command):
    for cpp, own in (("bfloat16_t", "half"), ("cutlass::half_t", "half"), ("float", "float32"), ("double", "float64")):
        assert say(*command, "--element", cpp) == say(*command, "--element", own)
    assert "must be one of" in say(*command, "--element", "float_e2m1_t")[2]  # 4 bits are no whole byte


@pytest.mark.parametrize("pipe", ["", "\n", " \n\t\n"])
def test_an_empty_pipe_is_said(say, pipe):
    status, out, err = say("read", "-", pipe=pipe)
    assert (status, out) == (2, "") and err.startswith("cutelab: there is no line to read")
    status, out, err = say("read", "-", "--json", pipe=pipe)
    assert (status, out) == (2, "") and err.startswith("cutelab: there is no line to read")


def test_a_pipe_that_is_too_long_is_refused_before_it_is_read(say):
    status, out, err = say("read", "-", pipe="(4,2):(2,1)\n" * 100_000)
    assert (status, out) == (2, "") and "more than 1,048,576 characters" in err


def test_a_copy_atom_tells_what_a_thread_names_and_what_it_receives(say):
    found = json.loads(say("tiled", "Copy_Atom<SM75_U32x4_LDSM_N, half_t>", "--thread", "5", "--json")[1])
    assert found["values"]["S"] == [[5 * 8 + i] for i in range(8)]  # lane 5 names row 5 of the first matrix
    assert found["values"]["D"] == [[2 * 5 + i + 64 * m] for m in range(4) for i in range(2)]


def command(root, *words: str, **options) -> subprocess.Popen:
    env = {**os.environ, "PYTHONPATH": str(root)}
    return subprocess.Popen([sys.executable, "-m", "cutelab", *words], cwd=root, env=env, text=True, **options)


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("claims", "--json"), 0),
        (("--help",), 0),
        (("--version",), 0),
        (("schema",), 0),
        (("banks", "(32,32):(32,1)", "--fail-over", "31"), 1),
    ],
)
def test_a_closed_pipe_changes_no_status_and_is_silent(root, words, status):
    process = command(root, *words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert (process.stderr.read(), process.wait(timeout=120)) == ("", status)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
@pytest.mark.parametrize("words", [("show", "4:1"), ("claims",), ("--help",)])
def test_a_full_disk_is_one_sentence(root, words):
    with open("/dev/full", "w") as full:
        process = command(root, *words, stdout=full, stderr=subprocess.PIPE)
        said = process.stderr.read()
    assert process.wait(timeout=120) == 2 and said.startswith("cutelab: ") and said.count("\n") == 1


@pytest.mark.long
@pytest.mark.parametrize("extra", [{"NO_COLOR": "1"}, {"FORCE_COLOR": "1", "TERM": "xterm-256color"}])
def test_no_answer_is_coloured(root, extra):
    for words in (("--help",), ("show", "4:1"), ("nope",), ("show", "(4")):
        env = {**os.environ, "PYTHONPATH": str(root), **extra}
        done = subprocess.run([sys.executable, "-m", "cutelab", *words], env=env, capture_output=True, timeout=120)
        assert b"\x1b" not in done.stdout + done.stderr and done.stdout + done.stderr


@pytest.mark.parametrize("name", ["é.svg", "日本 語.svg", "-x.svg"])
def test_a_file_may_have_any_name(say, tmp_path, name):
    assert say("show", "4:1", f"--svg={name}")[1].splitlines()[-1] == name and (tmp_path / name).exists()


def test_a_folder_in_place_of_a_file_is_said(say, tmp_path):
    (tmp_path / "x.svg").mkdir()
    status, _, err = say("show", "4:1", "--svg", "x.svg")
    assert status == 2 and err.startswith("cutelab: ") and "x.svg" in err
