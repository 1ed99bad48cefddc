"""A stock Firefox, headless, driven by WebDriver BiDi: commands as JSON over one web socket on 127.0.0.1."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import websocket


class Page:
    """One tab: go somewhere, ask the page, press keys, click."""

    def __init__(self, socket: websocket.WebSocket) -> None:
        self._socket, self._numbers = socket, itertools.count(1)
        self.send("session.new", capabilities={})
        self._tab = self.send("browsingContext.create", type="window")["context"]  # the first window gets no focus

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """One command, and its result; events are passed over."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while (reply := json.loads(self._socket.recv())).get("id") != number:
            pass
        assert reply["type"] == "success", f"{method}: {reply.get('message')}"
        result: dict[str, Any] = reply["result"]
        return result

    def size(self, width: int, height: int) -> None:
        self.send("browsingContext.setViewport", context=self._tab, viewport={"width": width, "height": height})

    def go(self, address: str) -> None:
        self.send("browsingContext.navigate", context=self._tab, url=address, wait="interactive")

    def ask(self, expression: str) -> Any:
        """The value of an expression in the page; of a promise what it comes to."""
        found = self.send(
            "script.evaluate",
            expression=f"(async () => JSON.stringify(await ({expression})))()",
            target={"context": self._tab},
            awaitPromise=True,
        )
        assert found["type"] == "success", found["exceptionDetails"]["text"]
        return json.loads(found["result"].get("value") or "null")

    def wait(self, expression: str, seconds: float = 120) -> Any:
        """Until the expression holds; its value."""
        end = time.monotonic() + seconds
        while not (found := self.ask(expression)):
            assert time.monotonic() < end, f"never true: {expression}"
            time.sleep(0.1)
        return found

    def press(self, *keys: str) -> None:
        """Keys, one after the other, where the focus is."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.send(
            "input.performActions", context=self._tab, actions=[{"type": "key", "id": "keys", "actions": actions}]
        )

    def click(self, x: float, y: float) -> None:
        """A click at this place of the window."""
        actions: list[dict[str, Any]] = [{"type": "pointerMove", "x": round(x), "y": round(y)}]
        actions += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        mouse = {"type": "pointer", "id": "mouse", "actions": actions}
        self.send("input.performActions", context=self._tab, actions=[mouse])


@contextlib.contextmanager
def page(program: str, folder: Path) -> Iterator[Page]:
    """A Firefox of its own, with a fresh profile in this folder."""
    folder.mkdir(parents=True)
    command = [program, "--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port=0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    try:
        assert process.stderr is not None
        address = next(
            m[1] for line in process.stderr if (m := re.search(r"BiDi listening on (ws://127\.0\.0\.1:\d+)", line))
        )
        socket = websocket.create_connection(f"{address}/session", timeout=120, suppress_origin=True)
        yield Page(socket)
        socket.close()
    finally:
        process.terminate()
        process.wait(20)
