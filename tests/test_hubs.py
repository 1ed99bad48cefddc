"""The values for a JupyterHub: what they name exists, what they run works, and what they say agrees with the page."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import PurePosixPath

import pytest
import yaml

from cutelab.cli.lab import CULL, FIRST


@pytest.fixture(scope="module")
def values(root) -> dict:
    return yaml.safe_load((root / "docs" / "hubs.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def page(root) -> str:
    return " ".join((root / "docs" / "hubs.md").read_text(encoding="utf-8").split())


@pytest.mark.long
def test_jupyter_server_takes_the_culling_from_that_file(values, tmp_path):
    (file,) = values["singleuser"]["extraFiles"].values()
    where = PurePosixPath(file["mountPath"])
    assert where.parent == PurePosixPath("/etc/jupyter")  # one of Jupyter's own folders on every Linux
    (tmp_path / where.name).write_text(json.dumps(file["data"]))
    empty = {"JUPYTER_CONFIG_DIR": str(tmp_path / "none"), "JUPYTER_NO_CONFIG": ""}
    env = {**os.environ, **empty, "JUPYTER_CONFIG_PATH": str(tmp_path)}
    command = [sys.executable, "-m", "jupyterlab", "--show-config-json"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    assert json.loads(done.stdout)["MappingKernelManager"] == file["data"]["MappingKernelManager"], done.stderr


@pytest.mark.long
def test_what_it_culls_are_options_of_jupyter_server(values):
    from jupyter_server.services.kernels.kernelmanager import MappingKernelManager

    (file,) = values["singleuser"]["extraFiles"].values()
    assert set(file["data"]["MappingKernelManager"]) == set(CULL) <= set(MappingKernelManager.class_trait_names())


@pytest.mark.skipif(sys.platform == "win32", reason="a shell as on Unix")
def test_the_hook_puts_the_lessons_there_and_never_fails(values, root, tmp_path):
    shell, option, line = values["singleuser"]["lifecycleHooks"]["postStart"]["exec"]["command"]
    (tmp_path / "cutelab").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cutelab "$@"\n')
    (tmp_path / "cutelab").chmod(0o755)
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(root)}
    home = "/home/jovyan/cutelab"
    assert line.count(home) == 1
    mine = tmp_path / "my own" / "cutelab"
    for _ in range(2):
        here = line.replace(home, f"'{mine}'")
        assert subprocess.run([shell, option, here], env=env, timeout=120).returncode == 0
        assert (mine / FIRST).is_file()
    (tmp_path / "file").touch()
    broken = line.replace(home, f"'{tmp_path / 'file'}'")
    done = subprocess.run([shell, option, broken], env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "cannot take the lessons" in done.stderr


def test_the_page_says_the_same(values, page):
    one = values["singleuser"]
    assert one["defaultUrl"] == f"/lab/tree/cutelab/{FIRST}"
    assert (
        one["memory"] == {"guarantee": "512M", "limit": "1536M"}
        and "guarantee 512 MB and limit at 1.5 GB a head" in page
    )
    assert one["cpu"] == {"guarantee": 0.1, "limit": 1} and "guarantee 0.1 and limit at 1 core a head" in page
    (file,) = one["extraFiles"].values()
    assert (
        file["data"]["MappingKernelManager"]["cull_idle_timeout"] == 30 * 60 and "Cull kernels after 30 minutes" in page
    )
    assert values["cull"]["timeout"] == 3600 and "servers after an hour" in page
    assert f"cull after {CULL['cull_idle_timeout'] // 60} minutes" in page


def test_the_image_that_is_built_is_the_one_that_is_run(values, page):
    image = values["singleuser"]["image"]
    assert f"--image-name {image['name']}:{image['tag']} --push ." in page
