"""Where kernels run, and what is said when they cannot. Each case in a Python of its own."""

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from cutelab.kernels import runtime

ROOT = Path(__file__).parents[2]
RACE = "benchmarks/gpu/race.py"


def python(code, *arguments, **environment):
    import os

    env = {k: v for k, v in os.environ.items() if k != "NUMBA_ENABLE_CUDASIM"} | environment
    env["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    command = [sys.executable, *(["-c", textwrap.dedent(code)] if code else []), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=env, cwd=ROOT)


def test_the_package_alone_does_not_load_numba():
    done = python("import sys, cutelab; print('numba' in sys.modules)")
    assert done.stdout.strip() == "False", done.stderr


def test_numba_imported_first_still_traces_and_launches():
    done = python(
        """
        import numba.cuda, numpy as np
        from cutelab.kernels import trace, launch, machine, runtime
        @numba.cuda.jit
        def one(a):
            a[numba.cuda.grid(1)] = 1
        a = np.zeros(32, np.float32)
        print(trace(one, 1, 32, a).lines[0].sectors, a.sum())
        b = np.zeros(32, np.float32)
        launch(one, 1, 32, b)
        print(b.sum(), machine.gpu or "restart and import cutelab.kernels first" in machine.note)
        """
    )
    assert done.stdout.split() == ["4", "32.0", "32.0", "True"], done.stderr


def test_without_numba_one_sentence_says_what_to_install():
    done = python(
        """
        import sys
        sys.modules["numba"] = None
        from cutelab.core.errors import CuteLabError
        try:
            import cutelab.kernels
        except CuteLabError as error:
            print(error)
        """
    )
    assert "pip install numba" in done.stdout, done.stderr


def test_numba_cuda_broken_by_its_numpy():
    # A finder of our own comes first, so that it is the same where numba-cuda stands in for numba.cuda.
    done = python(
        """
        import sys
        class Broken:
            def find_spec(self, name, path=None, target=None):
                if name in ("numba.cuda", "numba_cuda"):
                    raise AttributeError("module 'numpy' has no attribute 'row_stack'")
        sys.meta_path.insert(0, Broken())
        from cutelab.core.errors import CuteLabError
        try:
            import cutelab.kernels
        except CuteLabError as error:
            print(error)
        """
    )
    assert 'pip install "numpy<2.5"' in done.stdout, done.stderr


@pytest.mark.parametrize("problem", ["no NVIDIA driver is installed", "the NVIDIA driver sees no GPU"])
def test_the_note_says_why(problem):
    from cutelab.kernels.runtime import _machine

    assert problem in _machine(None, problem, loaded=False).note


@pytest.mark.long
def test_command_checks_and_writes_json(tmp_path):
    file = tmp_path / "report.json"
    done = python("", RACE, "--quick", "--json", str(file), NUMBA_ENABLE_CUDASIM="1")
    assert done.returncode == 0, done.stderr
    report = json.loads(file.read_text())
    assert all(check["equal"] for check in report["checks"]) and len(report["checks"]) >= 20
    assert "simulator" in done.stdout
    assert python("", RACE, "--sizes", "0").returncode == 1


def test_measuring_without_a_gpu_says_so():
    done = python("", "benchmarks/gpu/measure.py", NUMBA_ENABLE_CUDASIM="1")
    assert done.returncode == 1 and "times need a GPU" in done.stderr


def test_a_library_that_opens_and_holds_nothing_is_no_driver(monkeypatch):
    """As in a browser: any library can be opened there."""

    class Nothing:
        def __getattr__(self, name):
            raise AttributeError(name)

    monkeypatch.setattr(runtime.ctypes, "CDLL", lambda _: Nothing())
    assert runtime.driver_problem() == "no NVIDIA driver is installed"
