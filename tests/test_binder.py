"""Binder gets the environment that pyproject.toml describes, and binder/postBuild works in it."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib

import pytest


def listed_in_yml(path) -> tuple[list[str], list[str]]:
    """(conda's lines, pip's lines) of environment.yml."""
    lines = path.read_text().splitlines()
    conda = [line.removeprefix("  - ") for line in lines if line.startswith("  - ")]
    pip = [line.removeprefix("      - ") for line in lines if line.startswith("      - ")]
    return conda, pip


def project(root) -> dict:
    return tomllib.loads((root / "pyproject.toml").read_text())["project"]


def test_binder_has_the_environment_of_the_repository_with_locked_versions(root):
    conda, pip = listed_in_yml(root / "environment.yml")
    own = listed_in_yml(root / "binder" / "environment.yml")
    assert own == (conda, ["--constraint ../course.lock", *pip[:-1]]) and pip[-1] == "-e ."


def test_environment_is_what_the_lab_needs_and_nbval_and_the_package(root):
    conda, pip = listed_in_yml(root / "environment.yml")
    meta = project(root)
    extras = meta["optional-dependencies"]
    nbval = [need for need in extras["test"] if need.startswith("nbval")]
    assert pip == [*meta["dependencies"], *extras["lab"], *nbval, "-e ."]
    assert conda == ["conda-forge", "python=3.12", "pip", "pip:"]


def test_the_python_of_binder_is_one_that_the_project_takes(root):
    python = next(line for line in listed_in_yml(root / "environment.yml")[0] if line.startswith("python="))
    minor = int(python.removeprefix("python=3."))
    least = int(re.fullmatch(r">=3\.(\d+)", project(root)["requires-python"]).group(1))
    assert minor >= least
    assert f"Programming Language :: Python :: 3.{minor}" in project(root)["classifiers"]


def test_binder_folder_holds_only_what_binder_reads(root):
    assert sorted(path.name for path in (root / "binder").iterdir()) == ["environment.yml", "postBuild"]


def test_post_build_can_be_executed_and_installs_no_dependencies(root):
    script = root / "binder" / "postBuild"
    assert os.access(script, os.X_OK)
    text = script.read_text()
    assert text.startswith("#!/bin/bash\n")
    assert "set -euo pipefail" in text
    assert re.findall(r"pip install.*", text) == ["pip install --no-deps ."]


@pytest.mark.long
def test_post_build_works_in_an_environment_of_its_own(root, tmp_path):
    """Replays binder/postBuild on a copy of the repository, in a venv that sees this environment's packages."""
    shutil.copytree(root, tmp_path / "repo", ignore=shutil.ignore_patterns(".venv", ".git", "__pycache__"))
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True, timeout=120)
    python = venv / "bin" / "python"
    ask = [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip()
    for kind in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        with open(os.path.join(site, "packages.pth"), "a") as pth:
            pth.write(kind + "\n")
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    env |= {"PATH": f"{venv / 'bin'}{os.pathsep}{env['PATH']}", "MPLCONFIGDIR": str(tmp_path / "mpl")}
    env |= {"PIP_NO_BUILD_ISOLATION": "0"}  # pip reads this as --no-build-isolation: hatchling is here already
    script = tmp_path / "repo" / "binder" / "postBuild"
    done = subprocess.run([script], cwd=tmp_path / "repo", env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert list((tmp_path / "mpl").glob("fontlist-*.json")), "the font cache is cold"
    where = [python, "-c", "import cutelab; print(cutelab.__file__)"]
    out = subprocess.run(where, cwd=tmp_path, env=env, check=True, capture_output=True, text=True).stdout
    assert out.startswith(site)


def test_repo2docker_reads_the_folder(root):
    """Where repo2docker is installed, its Dockerfile is asked; elsewhere the rule that it follows: binder/ goes first."""
    if importlib.util.find_spec("repo2docker") is None:
        assert (root / "binder" / "environment.yml").is_file()
        assert not (root / ".binder").exists()
        assert not any((root / "binder" / name).exists() for name in ("Dockerfile", "requirements.txt", "runtime.txt"))
        return
    command = [sys.executable, "-m", "repo2docker", "--no-build", "--debug", str(root)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert "binder/environment.yml" in done.stdout + done.stderr
    assert "binder/postBuild" in done.stdout + done.stderr


def test_every_address_of_the_repository_is_that_of_the_one_place(root, tools):
    tool, readme = tools("address"), (root / "README.md").read_text(encoding="utf-8")
    for name, said in tool.links(tool.address()).items():
        assert readme.count(said) == 1, name
    rest = readme
    for said in tool.links(tool.address()).values():
        rest = rest.replace(said, "")
    elsewhere = [*root.glob("docs/**/*.md"), *root.glob("binder/*"), *root.glob("*.yml"), root / "CONTRIBUTING.md"]
    texts = [rest, *(path.read_text(encoding="utf-8") for path in elsewhere)]
    own = tool.address().removeprefix("https://")
    assert [text for text in texts if own in text or "mybinder.org/v2" in text] == []
    assert (tool.NOTE in readme) == (tool.address() == tool.UNPUBLISHED)


def test_another_address_is_written_everywhere_and_back(root, tools, tmp_path, capsys):
    tool = tools("address")
    for name in ("README.md", "pyproject.toml"):
        shutil.copy(root / name, tmp_path / name)
    before, new = (tmp_path / "README.md").read_text(encoding="utf-8"), "https://github.com/some-one/layouts"
    assert tool.main([new + ".git"], tmp_path) == 0 and tool.address(tmp_path) == new
    after = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert all(after.count(said) == 1 for said in tool.links(new).values())
    assert tool.address() not in after and tool.NOTE not in after
    assert tool.main([tool.address()], tmp_path) == 0
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == before.replace(
        tool.NOTE, "" if tool.NOTE in before else tool.NOTE
    )
    assert (
        tool.main(["https://example.org/x"], tmp_path) == 2
        and "https://github.com/NAME/REPOSITORY" in capsys.readouterr().err
    )
