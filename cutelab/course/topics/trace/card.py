"""The card of topic "trace": the source, the lanes of one warp instruction, and the banks or sectors that they meet in."""

from __future__ import annotations

import numpy as np

from cutelab.course.card.parts.wavefront_chart import group_chart, narrow_chart
from cutelab.course.card.picture import Grid, Key, Line, Lines, Panel, Picture
from cutelab.course.topics.trace import words
from cutelab.course.topics.trace.model import Result
from cutelab.course.topics.trace.report import plain, source_lines
from cutelab.hardware.sectors import Sectors
from cutelab.hardware.wavefronts import Wavefronts

MOST_LINES = 12  # lines of global memory that are drawn


def panels(result: Result) -> Picture:
    """The whole card."""
    seen = result.params.seen
    source = Lines("source", _source(result))
    lower: tuple[Panel, ...] = ()
    if isinstance(result.counted, Wavefronts):
        lower = (_banks(result.counted),)
    elif isinstance(result.counted, Sectors):
        lower = (_sectors(result, result.counted),)
    right = (_lanes(result),) if result.instruction is not None else ()
    return Picture(
        title=seen.kernel,
        call=result.params.call("trace"),
        subtitle=words.subtitle(result),
        body=(((source,),), (((*right, *lower)),)),
        widths=((688,), (688,)),
        legend=(Key("a lane's word", "fill", "category", 0),) if isinstance(result.counted, Sectors) else (),
        verdicts=(words.verdict(result),),
        status=words.status(result),
        reads=words.what(result),
    )


def _source(result: Result) -> tuple[Line, ...]:
    """The source with its figures; the line of this step is pointed at."""
    here = result.instruction.line if result.instruction is not None else -1
    found = []
    for line in source_lines(result.params.seen):
        text = line.bold or line.text
        number = text[18:23].strip("! ")
        mine = number == str(here)
        found.append(
            Line("", "read", bold="▶" + text[1:]) if mine else Line(text, "read" if line.kind == "read" else line.kind)
        )
    return tuple(found)


def _lanes(result: Result) -> Grid:
    """32 lanes, eight in a row, each with its element."""
    labels = np.array([plain(e) for e in result.elements], dtype="U16").reshape(4, 8)
    fill = np.where(result.active, np.arange(32) // 8, -1).reshape(4, 8)
    return Grid(
        name="lanes",
        fill=fill,
        scale="category",
        labels=labels,
        heading="lanes and their elements",
        subheading=plain(result.instruction.place.name),
        row_heads=tuple(f"T{8 * i}" for i in range(4)),
        cell=(78, 20),
        show_labels="always",
    )


def _banks(waves: Wavefronts) -> Grid:
    """The wavefronts: who meets whom in which bank."""
    chip = waves.access.chip
    if waves.access.access_bytes <= chip.word_bytes:
        return narrow_chart(waves, (max(4, min(19, 640 // chip.banks)), 13))
    groups = -(-len(waves.access.active) // waves.group_lanes)
    across = max(1, chip.row_bytes // waves.access.access_bytes)
    return group_chart(waves, waves.group_lanes, groups, (max(4, min(76, 608 // across)), 12), names=across <= 16)


def _sectors(result: Result, counted: Sectors) -> Grid:
    """Lines of global memory, a word a cell: which lane takes it (the lowest), and which sectors come along."""
    chip = counted.access.chip
    address = result.address[result.active]
    lane = np.flatnonzero(result.active)
    unit = min(4, result.instruction.nbytes)
    words_ = (address[:, None] + np.arange(0, result.instruction.nbytes, unit)) // 4
    lines = np.unique(chip.line(words_ * 4))
    drawn = lines[:MOST_LINES]
    across = chip.line_bytes // 4
    fill, labels = np.full((len(drawn), across), -1), np.full((len(drawn), across), "", "U3")
    states = np.zeros(fill.shape, int)
    every = np.arange(across) * 4
    touched = set(np.unique(chip.sector(words_ * 4)).tolist())
    for row, line in enumerate(drawn.tolist()):
        byte = line * chip.line_bytes + every
        states[row] = [1 if s in touched else 0 for s in chip.sector(byte).tolist()]
        for one, who in zip(words_[::-1], lane[::-1], strict=True):
            inside = one[(one >= byte[0] // 4) & (one <= byte[-1] // 4)] - byte[0] // 4
            fill[row, inside], labels[row, inside], states[row, inside] = who // 8, f"T{who}", 0
    more = f"; {len(lines) - len(drawn)} more lines" if len(lines) > len(drawn) else ""
    base = result.instruction.place.base
    return Grid(
        name="memory",
        fill=fill,
        scale="category",
        labels=labels,
        states=states,
        heading=f"{int(np.sum(counted.count))} sectors",
        subheading=f"a line of {chip.line_bytes} bytes a row, a word a cell; hatched: moved, not used{more}",
        row_heads=tuple(str(line * chip.line_bytes - base) for line in drawn.tolist()),
        cell=(19, 14),
        field=False,
    )
