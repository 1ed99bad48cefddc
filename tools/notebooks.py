"""Execute the notebooks and store them in one canonical form: `python tools/notebooks.py [--check | --text] [files]`.

The form has nothing in it that differs from run to run or from machine to machine, so that a second run gives the same
bytes and a change in a stored file is a change in what the notebook says. `--check` executes nothing; it tells where a
stored notebook breaks the form. `--text` prints what a notebook says, cell by cell, pictures left out: git shows its diff in that
form (see CONTRIBUTING.md).
"""

from __future__ import annotations

import json
import os
import re
import statistics
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
WIDGET = "application/vnd.jupyter.widget-view+json"
KEPT_CELL_METADATA = ("editable", "jupyter", "slideshow", "tags")
MAX_LINES, MEDIAN_LINES, MAX_BYTES = 12, 4, 600_000
CELL_SECONDS = 300
MACHINE = re.compile(
    r"(?<![\w./])/(?:home|root|Users|tmp|work|opt|usr|var|private)/|\b[A-Za-z]:\\\\?[A-Za-z]|\bat 0x[0-9a-f]{6,}"
)
BASE64 = re.compile(r"base64,[A-Za-z0-9+/=]+")


def joined(text: str | list[str]) -> str:
    """A notebook file may hold text as one string or as a list of lines."""
    return text if isinstance(text, str) else "".join(text)


def lines(text: str | list[str]) -> list[str]:
    """Text as a notebook file holds it: a list of lines."""
    return joined(text).splitlines(True)


def canonical_output(output: dict, count: int, model_id: str) -> dict:
    """One output without what differs from run to run."""
    kind = output["output_type"]
    if kind == "stream":
        return {"name": output["name"], "output_type": kind, "text": lines(output["text"])}
    if kind == "error":
        return {key: output[key] for key in ("ename", "evalue", "output_type", "traceback")}
    data = {}
    for mime, value in output["data"].items():
        if mime == WIDGET:  # the state is not stored, so the id need not be the kernel's
            value = {"model_id": model_id, "version_major": 2, "version_minor": 0}
        elif not mime.endswith("json") and isinstance(value, (str, list)):
            value = lines(value)
        data[mime] = value
    out = {"data": data, "metadata": output.get("metadata", {}), "output_type": kind}
    if kind == "execute_result":
        out["execution_count"] = count
    return out


def merged_streams(outputs: list[dict]) -> list[dict]:
    """Neighbouring pieces of the same stream made one; where they break is chance."""
    merged: list[dict] = []
    for output in outputs:
        last = merged[-1] if merged else {}
        if output["output_type"] == "stream" and last.get("name") == output["name"]:
            merged[-1] = {**last, "text": joined(last["text"]) + joined(output["text"])}
        else:
            merged.append(output)
    return merged


def canonical(notebook: dict[str, Any], name: str) -> dict[str, Any]:
    """The canonical form of a notebook (nbformat 4.5) that is stored as `name`.ipynb."""
    cells: list[dict] = []
    used: set[str] = set()
    count = 0
    for place, cell in enumerate(notebook["cells"]):
        cell_id = cell.get("id") or f"cell-{place:02d}"
        while cell_id in used:
            cell_id = f"{cell_id}-{place:02d}"
        used.add(cell_id)
        metadata = {key: cell["metadata"][key] for key in KEPT_CELL_METADATA if cell.get("metadata", {}).get(key)}
        new = {
            "cell_type": cell["cell_type"],
            "id": cell_id,
            "metadata": metadata,
            "source": lines(cell["source"]),
        }
        if cell.get("attachments"):
            new["attachments"] = cell["attachments"]
        if cell["cell_type"] == "code":
            ran = bool(joined(cell["source"]).strip()) and cell.get("execution_count") is not None
            count += ran
            outputs = merged_streams(cell.get("outputs", []))
            ids = [uuid.uuid5(uuid.NAMESPACE_OID, f"{name}/{cell_id}/{i}").hex for i in range(len(outputs))]
            new["execution_count"] = count if ran else None
            new["outputs"] = [canonical_output(out, count, key) for out, key in zip(outputs, ids, strict=True)]
        cells.append(new)
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def dumps(notebook: dict[str, Any]) -> str:
    """The text of a notebook file, as Jupyter writes it."""
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False, separators=(",", ": ")) + "\n"


def said(cell: dict) -> str:
    """All text of a cell, its pictures left out."""
    whole = joined(cell["source"])
    for output in cell.get("outputs", []):
        parts = [output.get("text", ""), *output.get("traceback", [])]
        parts += [v for mime, v in output.get("data", {}).items() if mime != WIDGET and not mime.startswith("image/")]
        whole += "".join("\n" + (joined(p) if isinstance(p, (str, list)) else json.dumps(p)) for p in parts)
    return BASE64.sub("PNG", whole)


def readable(text: str) -> str:
    """What a stored notebook says, for a diff: each cell under its id, pictures left out."""
    cells = json.loads(text)["cells"]
    return "\n".join(f"--- {cell['cell_type']} {cell.get('id', '')}\n{said(cell)}\n" for cell in cells)


def faults(path: Path) -> list[str]:
    """Where a stored notebook breaks the rules, one sentence each; an empty list if nowhere."""
    text = path.read_text(encoding="utf-8")
    notebook = json.loads(text)
    cells = notebook["cells"]
    found = []
    ids = [cell.get("id") for cell in cells]
    if None in ids or len(set(ids)) < len(ids):
        found.append("cell ids are missing or not unique")
    if len(text.encode()) > MAX_BYTES:
        found.append(f"{len(text.encode())} bytes, at most {MAX_BYTES} are stored")
    code = [cell for cell in cells if cell["cell_type"] == "code" and joined(cell["source"]).strip()]
    lengths = [len(lines(cell["source"])) for cell in code]
    if lengths and statistics.median(lengths) > MEDIAN_LINES:
        found.append(f"the median code cell has {statistics.median(lengths):g} lines, at most {MEDIAN_LINES} read well")
    for cell, length in zip(code, lengths, strict=True):
        if length > MAX_LINES:
            found.append(f"code cell {cell.get('id')} has {length} lines, at most {MAX_LINES} read well")
        if cell.get("execution_count") is None:
            found.append(f"code cell {cell.get('id')} is stored without having been run")
    if code and not any(cell.get("outputs") for cell in code):
        found.append("no output is stored")
    for cell in cells:
        if machine := MACHINE.search(said(cell)):
            found.append(f"cell {cell.get('id')} names a path or address of one machine: {machine.group()!r}")
    if dumps(canonical(notebook, path.stem)) != text:
        found.append("not in canonical form: run `make notebooks`")
    return found


def execute(path: Path) -> str:
    """Run a notebook in its own folder and return the text to store."""
    import nbclient
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    client = nbclient.NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        kernel_name="python3",
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
    )
    with tempfile.TemporaryDirectory() as home:  # no start-up files of the person who runs this
        env = {**os.environ, "CUTELAB_PROGRESS": "off", "IPYTHONDIR": home, "PYTHONHASHSEED": "0"}
        env.pop("MPLBACKEND", None)
        client.execute(env=env)
    return dumps(canonical(json.loads(nbformat.writes(notebook)), path.stem))


def main(arguments: list[str]) -> int:
    check = "--check" in arguments
    paths = [Path(a).resolve() for a in arguments if a not in ("--check", "--text")]
    paths = paths or [*sorted((ROOT / "notebooks").glob("*.ipynb")), *sorted((ROOT / "docs").glob("*.ipynb"))]
    missing = [str(path) for path in paths if not path.is_file()]
    if missing:
        print("No such notebook: " + ", ".join(missing))
        return 1
    if not paths:
        print("There are no notebooks in notebooks/ yet.")
    if "--text" in arguments:
        print("\n".join(readable(path.read_text(encoding="utf-8")) for path in paths))
        return 0
    failed = False
    for path in paths:
        started = time.monotonic()
        if not check:
            text = execute(path)
            changed = text != path.read_text(encoding="utf-8")
            path.write_text(text, encoding="utf-8", newline="\n")
            print(
                f"{path.name}: {'stored' if changed else 'unchanged'} ({time.monotonic() - started:.0f} s)",
                flush=True,
            )
        for fault in faults(path):
            failed = True
            print(f"{path.name}: {fault}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
