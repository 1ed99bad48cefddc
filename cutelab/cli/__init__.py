"""The command `cutelab`: what the library answers, at a prompt, in a pipe, and in somebody's CI."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from cutelab.cli.schema import SCHEMA, VERSION
from cutelab.core.errors import CuteLabError, count_text, shown

try:
    import typer
except ImportError:  # where the package was put without what it needs
    sys.exit("cutelab: the command needs typer; pip install typer brings it")

__all__ = ["app", "main"]

GATE, BAD = 1, 2  # exit statuses: a gate stays shut; the input cannot be used
MOST_READ = 1 << 20  # characters of a pipe
MOST_BYTES = 1 << 62  # addresses stay below: beyond any memory, and safe to count in 64 bits

app = typer.Typer(
    name="cutelab",
    help="See and check where every byte goes in a GPU kernel. TEXT is whatever CuTe prints; - reads it from a pipe.\n\n"
    "Exit status: 0 fine, 1 a gate (--fail-over) stays shut, 2 the input cannot be used.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
Text = Annotated[str, typer.Argument(metavar="TEXT", help="a CuTe expression; - for standard input")]
Json = Annotated[bool, typer.Option("--json", help="answer in JSON; `cutelab schema` says its fields")]
Over = Annotated[int | None, typer.Option("--fail-over", min=0, metavar="N", help="exit status 1 above N")]


def _print_version(asked: bool) -> None:
    if asked:
        from cutelab import __version__

        _print(f"cutelab {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="say which version this is")
    ] = False,
) -> None:
    """Options that stand before a command."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command. What cannot be used is one sentence on standard error, and exit status 2."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    whole = sys.stdout
    try:
        app(arguments)
    except CuteLabError as error:
        print(f"cutelab: {error}", file=sys.stderr)
        sys.exit(BAD)
    except OSError as error:
        print(f"cutelab: {error}", file=sys.stderr)
        sys.exit(BAD)
    except SystemExit:
        if sys.stdout is not whole:  # nobody reads the help: that is no failure
            sys.exit(0)
        raise


def _print(text: str) -> None:
    """Print. Whoever has had enough of an answer (`| head -1`) changes neither its status nor what is said on standard error."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        _let_go()
    except OSError as error:
        _let_go()
        raise CuteLabError(f"the answer cannot be written: {error.strerror or error}") from None


def _let_go() -> None:
    """What is still to be written goes nowhere, so that the end of the process does not try again."""
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _piped(text: str) -> str:
    """The argument, or for - all of standard input."""
    if text != "-":
        return text
    found = sys.stdin.read(MOST_READ + 1)
    if len(found) > MOST_READ:
        raise CuteLabError(f"standard input holds more than {MOST_READ:,} characters; send less at a time")
    return found.strip("\n")


def _say(command: str, as_json: bool, fields: dict[str, Any], text: Callable[[], str]) -> None:
    """One answer: an object as `SCHEMA` describes it, or its text."""
    if set(fields) != set(SCHEMA[command]):
        raise RuntimeError(f"{command} answers {sorted(fields)}, and its schema says {sorted(SCHEMA[command])}")
    if as_json:
        _print(json.dumps({"command": command, "schema": VERSION, **fields}, ensure_ascii=False, default=str))
    else:
        _print(text())


def _gate(failed: bool) -> None:
    if failed:
        raise typer.Exit(GATE)


def _picture(text: str, files: list[Path | None], **params: Any) -> list[str]:
    """Write the picture of this to each file. Their names."""
    wanted = [file for file in files if file is not None]
    if wanted:
        from cutelab.explore import picture

        drawn = picture(text, **params)
        for file in wanted:
            drawn.save(file)
    return [str(file) for file in wanted]


@app.command()
def show(
    text: Text,
    png: Annotated[Path | None, typer.Option(help="write the picture there")] = None,
    svg: Annotated[Path | None, typer.Option(help="write the picture there")] = None,
    html: Annotated[Path | None, typer.Option(help="write the picture, with tips, there")] = None,
    as_json: Json = False,
) -> None:
    """What does this text describe, and where does each coordinate live?

    Example: cutelab show "((4,2),(2,4)):((2,16),(1,8))"
    """
    from cutelab.cli.table import MOST_SHOWN, table_of
    from cutelab.core import cosize, offsets, size
    from cutelab.cutlass.reading import read as read_text

    said = _piped(text)
    for file, ending in ((png, ".png"), (svg, ".svg"), (html, ".html")):
        if file is not None and file.suffix.lower() != ending:
            raise CuteLabError(f"--{ending[1:]} writes a file whose name ends in {ending}, got {shown(file.name)}")
    found = read_text(said)
    files = _picture(said, [png, svg, html])
    seen = table_of(found)
    kind, layout = type(found).__name__, seen.layout
    fields = {
        "kind": kind,
        "text": str(found),
        "about": seen.about,
        "size": None if layout is None else size(layout),
        "cosize": None if layout is None else cosize(layout),
        "offsets": None if layout is None or size(layout) > MOST_SHOWN else offsets(layout).tolist(),
        "coordinates": seen.coordinates,
        "files": files,
    }

    def words() -> str:
        said = str(found)
        head = said if layout is not None or said.startswith(f"{kind}\n") else f"{kind}: {said}"
        return "\n".join(filter(None, [head, seen.about, seen.table, *files]))

    _say("show", as_json, fields, words)


@app.command()
def banks(
    layout: Annotated[str, typer.Argument(metavar="LAYOUT", help="the tile in shared memory; - for standard input")],
    read: Annotated[str, typer.Option(help="row, column, diagonal or block")] = "column",
    element: Annotated[
        str, typer.Option(help="int8, half, float32, float64 or uint128; or a C++ type, such as bfloat16_t")
    ] = "float32",
    bytes_: Annotated[
        int | None,
        typer.Option("--bytes", help="that a lane moves; unless told one element, or 16 of ldmatrix and stmatrix"),
    ] = None,
    kind: Annotated[str, typer.Option(help="load, store, ldmatrix, stmatrix, reduce or atomic")] = "load",
    index: Annotated[int, typer.Option(help="which row, column or block")] = 0,
    fix: Annotated[bool, typer.Option("--fix", help="also say which padding or swizzle frees it")] = False,
    fail_over: Over = None,
    as_json: Json = False,
) -> None:
    """How many wavefronts does a warp's access to this tile take, and which padding or swizzle frees it of conflicts?

    Example: cutelab banks "(32,32):(32,1)" --read column --fix
    """
    from cutelab.course.topics import banks as scene

    params = scene.Params().change(layout=_piped(layout), element=_element(element))
    given = {"kind": kind, "read": read, "index": index}
    usual = 16 if kind in ("ldmatrix", "stmatrix") else params.item
    params = params.change(**given, access_bytes=usual if bytes_ is None else bytes_)
    result = scene.compute(params)
    waves = result.waves
    over = fail_over is not None and int(waves.count) > fail_over
    fixes = [
        {
            "name": f.name,
            "layout": f.cute,
            "cpp": f.cpp,
            "wavefronts": f.wavefronts,
            "extra_bytes": f.extra_bytes,
        }
        for f in result.fixes
    ]
    fields = {
        "layout": str(params.layout if params.swizzle is None else f"{params.swizzle} o 0 o {params.layout}"),
        "wavefronts": int(waves.count),
        "ideal": int(waves.ideal),
        "ways": int(waves.degree.max()),
        "banks": waves.bank.tolist(),
        "why": waves.explain().replace("\n", "; "),
        "fixes": fixes if fix else None,
        "failed": over,
    }

    def words() -> str:
        lines = [fields["layout"], waves.explain()]
        if fix:
            lines += [f"{f.name}: {f.why}\n  {f.cpp}" for f in result.fixes[:3]]
            if not fixes:
                lines.append("no padding or swizzle was looked for: the tile is not plain rows")
        return "\n".join(lines)

    _say("banks", as_json, fields, words)
    _gate(over)


def _element(text: str) -> str:
    """The element of this size: what counts here is its bytes. What is no C++ type goes on as it is, to be refused where it is used."""
    from cutelab.course.card.words import ELEMENTS
    from cutelab.cutlass.atoms.types import bits_of

    sizes = {8 * size: name for name, size in ELEMENTS.items()}
    try:
        return text if text in ELEMENTS else sizes.get(bits_of(text), text)
    except CuteLabError:
        return text


@app.command()
def sectors(
    layout: Annotated[str, typer.Argument(metavar="LAYOUT", help="lane to element offset; - for standard input")],
    element: Annotated[
        str, typer.Option(help="int8, half, float32, float64 or uint128; or a C++ type, such as bfloat16_t")
    ] = "float32",
    bytes_: Annotated[int | None, typer.Option("--bytes", help="that a lane moves; one element unless told")] = None,
    start: Annotated[int, typer.Option(help="element offset of lane 0")] = 0,
    kind: Annotated[str, typer.Option(help="load or store")] = "load",
    fail_over: Over = None,
    as_json: Json = False,
) -> None:
    """Which sectors of global memory does a warp touch, whose lane t takes the element at offset LAYOUT(t)?

    Example: cutelab sectors "32:3" --element half
    """
    import numpy as np

    from cutelab.core import Layout, offsets, parse_layout
    from cutelab.course.topics.banks import Params
    from cutelab.hardware.access import WarpAccess
    from cutelab.hardware.sectors import sectors as count

    item = Params().change(element=_element(element)).item
    lanes = parse_layout(_piped(layout))
    if not isinstance(lanes, Layout):
        raise CuteLabError(f"lanes follow a plain layout such as 32:1, got {shown(str(lanes))}")
    place = offsets(lanes).ravel(order="F")
    if place.size > 32:
        raise CuteLabError(f"a warp has 32 lanes, and this layout has {place.size}; give one of up to 32, such as 32:1")
    furthest = max(abs(int(n) + start) * item for n in (place.min(), place.max()))
    if furthest >= MOST_BYTES:
        raise CuteLabError(
            f"a lane is {count_text(furthest)} bytes away from address 0, and addresses stay below 2^62; "
            "give smaller strides or another --start, such as 0"
        )
    address = np.zeros(32, np.int64)
    address[: place.size] = (place + start) * item
    access = WarpAccess(address, item if bytes_ is None else bytes_, kind, np.arange(32) < place.size)
    found = count(access)
    over = fail_over is not None and int(found.count) > fail_over
    fields = {
        "layout": str(lanes),
        "sectors": int(found.count),
        "ideal": int(found.ideal),
        "lines": int(found.lines),
        "efficiency": round(float(found.efficiency), 6),
        "why": found.explain().replace("\n", "; "),
        "failed": over,
    }
    _say("sectors", as_json, fields, lambda: f"{lanes}\n{found.explain()}")
    _gate(over)


@app.command()
def algebra(
    operation: Annotated[str, typer.Argument(metavar="OPERATION", help="composition, coalesce, logical_divide, ...")],
    operands: Annotated[list[str], typer.Argument(metavar="A [B ...]", help="layouts, tilers or numbers")],
    as_json: Json = False,
) -> None:
    """What does an operation of the layout algebra give, and why?

    Example: cutelab algebra composition "(8,8):(8,1)" "(4,2):(2,1)"
    """
    import cutelab.algebra as rules
    from cutelab.algebra import explain

    values = [_operand(_piped(v)) for v in operands]
    steps = explain(operation, *values)
    result = getattr(rules, operation)(*values)
    fields = {"operation": operation, "result": str(result), "explanation": steps.splitlines()}
    _say("algebra", as_json, fields, lambda: steps)


def _operand(text: str) -> Any:
    """A whole number, a tiler <4, 8>, a swizzle or a layout. The error of a layout is the one that is raised."""
    from cutelab.core import Swizzle, parse_layout
    from cutelab.core.tiler import parse_tiler

    said = text.strip()
    if said.lstrip("-").isascii() and said.lstrip("-").isdigit():
        return int(said) if len(said) < 20 else parse_layout(said)
    if said.startswith("<"):
        return parse_tiler(said)
    if said.startswith("Sw<") and said.endswith(">"):
        return Swizzle(said)
    return parse_layout(said)


@app.command()
def tiled(
    text: Text,
    thread: Annotated[int, typer.Option(min=0, help="whose values are listed")] = 0,
    as_json: Json = False,
) -> None:
    """Which places of the tile does a thread hold in a TiledCopy, TiledMMA or atom?

    Example: cutelab tiled SM80_16x8x16_F32F16F16F32_TN --thread 5
    """
    import numpy as np

    from cutelab.core import idx2crd, offsets, size
    from cutelab.cutlass.atoms.copy import CopyAtom
    from cutelab.cutlass.reading import read as read_text

    found = read_text(_piped(text))
    views: dict[str, tuple[Any, tuple[int, ...]]]
    if hasattr(found, "layoutS_TV"):
        views = {"S": (found.layoutS_TV, found.tile), "D": (found.layoutD_TV, found.tile)}
    elif hasattr(found, "operand"):
        views = {name: found.operand(name) for name in "ABC"}
    elif isinstance(found, CopyAtom):
        src, dst, ref = found.layouts
        views = {"S": (src, (size(ref),)), "D": (dst, (size(ref),))}
    else:
        raise CuteLabError(
            f"a {type(found).__name__} deals out no values to threads; give make_tiled_copy(...), make_tiled_mma(...) or an atom, "
            "such as SM80_16x8x16_F32F16F16F32_TN"
        )
    tables = {name: offsets(tv).reshape(offsets(tv).shape[0], -1, order="F") for name, (tv, _) in views.items()}
    threads = min(len(table) for table in tables.values())
    if thread >= threads:
        raise CuteLabError(f"there are {threads} threads, 0 to {threads - 1}; got {thread}")
    places = {
        name: [_whole(idx2crd(int(i), views[name][1])) for i in np.asarray(table[thread]).ravel()]
        for name, table in tables.items()
    }
    fields = {
        "text": str(found),
        "threads": threads,
        "thread": thread,
        "tile": {name: _whole(tile) for name, (_, tile) in views.items()},
        "values": places,
    }

    def words() -> str:
        lines = [f"{found}", f"{threads} threads; thread {thread} holds"]
        return "\n".join(lines + [f"  {n}: " + " ".join(str(tuple(p)) for p in at) for n, at in places.items()])

    _say("tiled", as_json, fields, words)


def _whole(coordinate: Any) -> list[int]:
    return [int(i) for i in coordinate] if isinstance(coordinate, tuple) else [int(coordinate)]


@app.command()
def read(text: Text, as_json: Json = False) -> None:
    """What does each line say? Many lines are answered one by one, and the lines of a printed TiledCopy, TiledMMA or atom as one;
    what cannot be read makes the exit status 1.

    Example: cutelab read "tCsA: ptr[16b](0x7f) o (_8,_64):(_64,_1)"
    """
    from cutelab.core.errors import escaped
    from cutelab.cutlass.reading import read as read_text
    from cutelab.cutlass.reading.printed import pieces

    failed, lines = False, pieces(_piped(text))
    if not lines:
        raise CuteLabError(
            "there is no line to read; pipe in what a kernel printed, or write a text such as (4,2):(2,1)"
        )
    for number, line in lines:
        fields: dict[str, Any] = dict.fromkeys(SCHEMA["read"])
        fields |= {"line": number, "text": line}
        try:
            found = _labelled(line, read_text)
            fields |= {"kind": type(found).__name__, "answer": str(found)}
        except CuteLabError as error:
            failed = True
            fields["error"] = str(error)
            if not as_json:
                print(f"cutelab: line {number}: {error}", file=sys.stderr)
        if as_json or fields["error"] is None:
            said, between = escaped(line.strip().splitlines()[0]), "\n" if "\n" in str(fields["answer"]) else " "
            words = f"{said} -> {fields['kind']}{between}{fields['answer']}"
            _say("read", as_json, fields, partial(str, words))
    _gate(failed)


def _labelled(line: str, read_text: Callable[[str], Any]) -> Any:
    """A line as it stands, or without its label: `tCsA : ptr[...] o ...`. The error is that of the whole line."""
    try:
        return read_text(line)
    except CuteLabError as error:
        label, mark, rest = line.partition(":")
        if mark and label.strip().isidentifier() and rest.strip():
            try:
                return read_text(rest.strip())
            except CuteLabError:
                pass
        raise error


@app.command()
def trace(
    place: Annotated[str, typer.Argument(metavar="FILE::KERNEL", help="the file is run, as by import")],
    launch: Annotated[str, typer.Option(help="grid, block, arguments; an array is float32[32, 32]")],
    svg: Annotated[Path | None, typer.Option(help="write the picture there")] = None,
    png: Annotated[Path | None, typer.Option(help="write the picture there")] = None,
    fail_over: Over = None,
    as_json: Json = False,
) -> None:
    """What does each line of a Numba kernel cost, without a GPU? --fail-over N also fails for any race.

    Example: cutelab trace kernels.py::transpose --launch "1, (32, 8), float32[32, 32], float32[32, 32]"
    """
    from cutelab.cli.launch import find_kernel, read_launch

    given, named = read_launch(launch)
    try:
        from cutelab.kernels.trace import trace as run
    except ImportError:
        raise CuteLabError('tracing needs Numba; pip install "cutelab[lab]" brings it') from None
    import cutelab  # registers who draws

    seen = run(find_kernel(place), *given, **named)
    for file in (svg, png):
        if file is not None:
            seen.save(file)
    lines = [
        {
            "line": a.line,
            "source": a.source.strip(),
            "space": a.space,
            "kind": a.kind,
            "array": a.array,
            "count": getattr(a, "count", None),
            "ideal": getattr(a, "ideal", None),
            "excess": getattr(a, "excess", None),
        }
        for a in seen.lines
    ]
    excess = sum(int(line["excess"] or 0) for line in lines)
    failed = fail_over is not None and (excess > fail_over or bool(seen.races))
    fields = {
        "kernel": seen.kernel,
        "verdict": seen.verdict,
        "lines": lines,
        "races": [str(race) for race in seen.races],
        "excess": excess,
        "failed": failed,
    }
    assert cutelab.__version__
    _say("trace", as_json, fields, seen.text)
    _gate(failed)


@app.command()
def claims(
    id: Annotated[str | None, typer.Option("--id", help="only this one, such as A18")] = None,
    topic: Annotated[str | None, typer.Option(help="thread maps, layout algebra, or swizzles and layouts")] = None,
    as_json: Json = False,
) -> None:
    """Which statements that are in print about CUTLASS and CuTe are true, and what settles each?

    Example: cutelab claims --id A18
    """
    from cutelab.course.topics.claims.lesson import TOPICS, claims_of, find_claim

    topics = {one.id: name for name, every in TOPICS.items() for one in every}
    asked = claims_of(topic) if topic is not None else tuple(one for every in TOPICS.values() for one in every)
    if id is not None:
        wanted = find_claim(id)
        if wanted not in asked:
            raise CuteLabError(f"{wanted.id} belongs to {topics[wanted.id]}, not to {shown(topic)}")
        asked = (wanted,)
    answers = []
    for one in asked:
        finding = one.settle()
        answers.append(
            {
                "id": one.id,
                "topic": topics[one.id],
                "text": one.text,
                "verdict": finding.verdict,
                "sentence": one.correct.format(**finding.figures),
                "figures": {name: str(value) for name, value in finding.figures.items()},
                "code": one.code() if one.computed else None,
                "picture": one.picture or None,
                "source": one.source or None,
                "lesson": one.lesson or None,
            }
        )

    def words() -> str:
        parts = []
        for a in answers:
            found = "\n".join(f"    {line}" for line in str(a["code"] or f"looked up in {a['source']}").splitlines())
            parts.append(f"{a['id']}  {a['text']}\n  {a['verdict']}: {a['sentence']}" + (f"\n{found}" if id else ""))
        return "\n".join(parts)

    _say("claims", as_json, {"claims": answers}, words)


@app.command()
def course(
    folder: Annotated[str, typer.Argument(help="a folder of your own")] = "my-notebooks",
    put: Annotated[bool, typer.Option("--put", help="put the lessons there and open nothing")] = False,
    as_json: Json = False,
) -> None:
    """Put the lessons into a folder and open them in JupyterLab. What you have written there stays.

    Example: cutelab course my-notebooks --put
    """
    from cutelab.cli.lab import open_lab, put_lessons

    if not folder.strip():
        raise CuteLabError("the name of the folder is empty; give one such as my-notebooks")
    kept = put_lessons(folder)
    fields = {"folder": folder, "kept": kept}
    words = f"The lessons lie in {folder}." + (
        f" You have worked in {', '.join(kept)}; newer ones lie beside yours as NAME.new.ipynb." if kept else ""
    )
    _say("course", as_json, fields, lambda: words)
    if not put and not as_json:
        raise typer.Exit(open_lab(Path(folder).resolve(), []))


@app.command("class")
def class_table(
    folder: Annotated[Path, typer.Argument(help="with everybody's results files")],
    csv: Annotated[Path | None, typer.Option(help="write the table there")] = None,
    picture: Annotated[Path | None, typer.Option(help="draw lesson by learner there: .svg, .pdf or .png")] = None,
    as_json: Json = False,
) -> None:
    """How far is everybody, and which wrong answers are frequent? Nothing leaves the folder.

    Example: cutelab class handed-in
    """
    from cutelab.course.lab.classroom import classroom

    table = classroom(folder)
    if csv is not None:
        table.csv(csv)
    if picture is not None:
        table.save(picture)
    fields = {
        "heads": list(table.heads),
        "rows": [list(row) for row in table.rows],
        "wrong": {id: [list(one) for one in found] for id, found in table.wrong().items()},
        "damaged": list(table.damaged),
    }
    _say("class", as_json, fields, lambda: repr(table))


@app.command()
def answers(
    lesson: Annotated[str | None, typer.Argument(help="one lesson, such as banks or 04; all without it")] = None,
    exam: Annotated[str | None, typer.Option(help="the seed of an exam: its questions in place of a lesson's")] = None,
    as_json: Json = False,
) -> None:
    """The answer book for teachers, as Markdown: each question, its right answer or solution, and typical wrong answers.

    Example: cutelab answers banks
    """
    from cutelab.course.lab.answers import answer_book

    if lesson is not None and exam is not None:
        raise CuteLabError(f"--exam {shown(exam)} stands in place of a lesson; leave out {shown(lesson)}, or --exam")
    book = answer_book(lesson, exam)
    _say("answers", as_json, {"answers": [asdict(entry) for entry in book.entries]}, book.markdown)


@app.command()
def schema() -> None:
    """Which fields does --json write, command by command?

    Example: cutelab schema
    """
    _print(json.dumps({"version": VERSION, "commands": SCHEMA}, indent=1))
