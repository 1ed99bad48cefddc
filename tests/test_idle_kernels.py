"""Kernels of `make lab` that idle are stopped, also those of an open page; one at work is not, and no answer is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
import websocket

from cutelab.cli.lab import IDLE_MINUTES, lab_command, put_lessons

WORK = """from cutelab.lessons import check
check("start.1", 32)
"""
TOKEN = "t"
BUSY = "import time\nend = time.monotonic() + 300\nwhile time.monotonic() < end: time.sleep(0.1)"


def test_the_lab_says_when_it_stops_kernels_and_lets_itself_be_told(tmp_path):
    usual = lab_command(tmp_path, [], browser=False, root=False)
    assert f"--MappingKernelManager.cull_idle_timeout={60 * IDLE_MINUTES}" in usual
    assert {"--MappingKernelManager.cull_connected=True", "--MappingKernelManager.cull_interval=60"} <= set(usual)
    told = lab_command(tmp_path, ["--MappingKernelManager.cull_idle_timeout=0"], browser=False, root=False)
    assert [word for word in told if "cull_idle_timeout" in word] == ["--MappingKernelManager.cull_idle_timeout=0"]


class Lab:
    """A server as `make lab` starts it, with a short patience."""

    def __init__(self, folder: Path, home: Path, root: Path) -> None:
        put_lessons(folder)
        here = {"JUPYTER_RUNTIME_DIR": str(home / "runtime"), "JUPYTER_CONFIG_DIR": str(home / "config")}
        env = {**os.environ, **here, "PYTHONPATH": str(root)}
        env.pop("CUTELAB_PROGRESS", None)
        quick = ["--MappingKernelManager.cull_idle_timeout=3", "--MappingKernelManager.cull_interval=1"]
        command = lab_command(folder, [*quick, f"--IdentityProvider.token={TOKEN}"], browser=False, root=True)
        self.log = (home / "log").open("w+")
        self.process = subprocess.Popen(command, cwd=folder, env=env, stdout=self.log, stderr=self.log)
        note = home / "runtime" / f"jpserver-{self.process.pid}.json"
        self.url = ""
        end = time.monotonic() + 120
        while not self.url and time.monotonic() < end and self.process.poll() is None:
            try:
                self.url = json.loads(note.read_text())["url"]
                self.kernels()
            except (OSError, ValueError):
                self.url = ""
                time.sleep(0.2)

    def kernels(self) -> list[str]:
        with urllib.request.urlopen(f"{self.url}api/kernels?token={TOKEN}", timeout=30) as answer:
            return [one["id"] for one in json.load(answer)]

    def start(self, folder: str, code: str) -> tuple[str, websocket.WebSocket]:
        """A kernel whose page is open, and which has been asked to run this."""
        asked = json.dumps({"name": "python3", "path": folder}).encode()
        with urllib.request.urlopen(
            urllib.request.Request(f"{self.url}api/kernels?token={TOKEN}", asked), timeout=60
        ) as answer:
            id = json.load(answer)["id"]
        channels = websocket.create_connection(f"ws{self.url[4:]}api/kernels/{id}/channels?token={TOKEN}", timeout=60)
        header = {"msg_id": "1", "msg_type": "execute_request", "username": "", "session": "s", "version": "5.3"}
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
        channels.send(json.dumps(message))
        return id, channels


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="signals as on Unix")
def test_idle_kernels_are_stopped_and_answers_stay(root, tmp_path):
    mine = tmp_path / "mine"
    lab = Lab(mine, tmp_path, root)
    try:
        assert lab.url, (tmp_path / "log").read_text()
        busy, its_page = lab.start("", BUSY)
        idle, page = lab.start("", WORK)
        end = time.monotonic() + 120
        while idle in lab.kernels() and time.monotonic() < end:
            time.sleep(0.5)
        assert lab.kernels() == [busy]
        assert json.loads((mine / "progress.json").read_text())["items"]["start.1"]["state"] == "done"
        assert (
            "with 1 connections due to" in (tmp_path / "log").read_text()
        )  # the terminal tells, and the page was open
        again, its_other_page = lab.start("", "1")
        assert again in lab.kernels()
        for one in (page, its_page, its_other_page):
            one.close()
    finally:
        lab.process.terminate()
        lab.process.wait(timeout=60)
        lab.log.close()
