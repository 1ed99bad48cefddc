"""A class on one machine: `python benchmarks/load.py [--kernels 30] [--lesson banks] [--seconds 60]`.

Starts so many kernels, runs a lesson's cells in each, then moves a slider in each once a second, all at once. Prints the memory of
a kernel (PSS; Linux alone says it), the time from the key to the picture as the kernel sees it (median, 95th percentile), and answers
that were lost.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STEP = """
_lab = globals().get("_lab")
if _lab is None:
    from cutelab import explore
    _lab = explore.banks("(32,32):(32,1)")
_lab.set(pitch={pitch}); len(_lab.image)
"""


def pss(pid: int) -> float:
    """Megabytes of a process, shared pages divided among those who share them; NaN where nobody says it."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return float("nan")
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def cells(lesson: str) -> list[str]:
    """The code of a lesson, cell by cell."""
    (path,) = (ROOT / "notebooks").glob(f"*_{lesson}.ipynb")
    book = json.loads(path.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]


async def ask(client, code: str, seconds: float) -> bool:
    """Did this run without an error, in time?"""
    try:
        reply = await asyncio.wait_for(client.execute_interactive(code, output_hook=lambda _: None), seconds)
    except TimeoutError:
        return False
    return reply["content"]["status"] == "ok"


async def learner(client, steps: int, number: int, times: list[float], lost: list[str]) -> None:
    """One slider, a step a second; each learner begins at another moment."""
    await asyncio.sleep(number % 10 / 10)
    for step in range(steps):
        begin = time.perf_counter()
        if await ask(client, STEP.format(pitch=32 + step % 8), 30):
            times.append(time.perf_counter() - begin)
        else:
            lost.append(f"kernel {number}, step {step}")
        await asyncio.sleep(max(0.0, 1 - (time.perf_counter() - begin)))


async def run(kernels: int, lesson: str, seconds: int) -> int:
    from jupyter_client.manager import AsyncKernelManager

    env = os.environ | {"PYTHONPATH": str(ROOT), "CUTELAB_PROGRESS": "off"}
    managers, clients, lost, times = [], [], [], []
    with tempfile.TemporaryDirectory() as folder:
        try:
            for _ in range(kernels):
                manager = AsyncKernelManager()
                await manager.start_kernel(env=env, cwd=folder)
                client = manager.client()
                client.start_channels()
                managers.append(manager)
                clients.append(client)
            await asyncio.gather(*(client.wait_for_ready(timeout=120) for client in clients))
            for cell in cells(lesson):
                done = await asyncio.gather(*(ask(client, cell, 300) for client in clients))
                lost += [f"kernel {n}: {cell[:40]!r}" for n, fine in enumerate(done) if not fine]
            await asyncio.gather(*(learner(c, seconds, n, times, lost) for n, c in enumerate(clients)))
            memory = [pss(manager.provisioner.pid) for manager in managers]
        finally:
            for client in clients:
                client.stop_channels()
            await asyncio.gather(*(manager.shutdown_kernel(now=True) for manager in managers))
    times.sort()
    print(f"{kernels} kernels, lesson {lesson}, {os.cpu_count()} cores, {len(times)} steps")
    print(f"memory a kernel (PSS): median {statistics.median(memory):.0f} MB, most {max(memory):.0f} MB")
    if times:
        late = times[min(len(times) - 1, len(times) * 95 // 100)]
        print(f"step: median {statistics.median(times) * 1000:.0f} ms, 95th percentile {late * 1000:.0f} ms")
    print(f"lost: {len(lost)}" + "".join(f"\n  {one}" for one in lost[:10]))
    return int(bool(lost))


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("--kernels", type=int, default=30)
    reader.add_argument("--lesson", default="banks")
    reader.add_argument("--seconds", type=int, default=60)
    given = reader.parse_args()
    return asyncio.run(run(given.kernels, given.lesson, given.seconds))


if __name__ == "__main__":
    sys.exit(main())
