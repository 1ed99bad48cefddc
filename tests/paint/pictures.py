"""Hand-made pictures, one for each kind of lesson, and one with every state."""

from __future__ import annotations

import numpy as np
from lesson_pictures import banks, heads, swizzle, text, vectors

from cutelab.course.card.picture import (
    COLLISION,
    HOLE,
    INACTIVE,
    OUTSIDE,
    PAST_END,
    Bar,
    Bars,
    Box,
    Grid,
    Jump,
    Key,
    Line,
    Lines,
    Picture,
    Ring,
    Verdict,
)


def layout() -> Picture:
    offset = np.arange(64).reshape(8, 8)
    coord = np.array([f"{o // 8},{o % 8}" for o in range(64)]).reshape(4, 16)
    tile = Grid(
        "tile",
        offset // 2,
        labels=text(offset),
        row_heads=heads(8),
        col_heads=heads(8),
        rings=(Ring(2, 3, 2, 3),),
        probe=offset,
    )
    strip = Grid(
        "memory",
        np.arange(64).reshape(4, 16) // 2,
        labels=coord,
        subheading="memory: the coordinate that lives at each offset",
        row_heads=("0", "16", "32", "48"),
        cell=(22, 36),
        row_gap=(0, 5, 5, 5),
        style="split",
        second=np.full((4, 16), ""),
        rings=(Ring(1, 3, 1, 3),),
        probe=np.arange(64).reshape(4, 16),
    )
    read = Lines(
        "probe",
        (
            Line(kind="rule"),
            Line("→ 2·8 + 3·1 = 19", "read", bold="(2,3)"),
            Line("(2,3): byte 76 as float32  ·  word 19  ·  bank 19", "muted"),
        ),
    )
    return Picture(
        "(8,8):(8,1)",
        'explore.layout("(8,8):(8,1)")',
        "64 elements, cosize 64. Offsets count elements; rows down are mode 0, columns across are mode 1.",
        (((tile,), (strip, read)),),
        ((284, 380),),
        (Key("offset 0 to 63", "ramp"), Key("probe", "probe")),
        (Verdict("good", "Every coordinate has its own offset: the layout is a bijection onto 0 to 63."),),
    )


def collisions() -> Picture:
    r, c = np.arange(8)[:, None], np.arange(8)
    offset = r % 4 * 2 + r // 4 * 16 + c % 2 + c // 2 * 8
    clash = (offset >= 16) & (offset < 32)
    owners = [[f"{i},{j}" for i in range(8) for j in range(8) if offset[i, j] == o] for o in range(64)]
    first = np.array([o[0] if o else "" for o in owners]).reshape(4, 16)
    second = np.array([o[1] if len(o) > 1 else "" for o in owners]).reshape(4, 16)
    states = np.where(second != "", COLLISION, np.where(first == "", PAST_END, 0))
    tile = Grid(
        "tile",
        offset * 32 // 48,
        labels=text(offset),
        states=np.where(clash, COLLISION, 0),
        row_heads=heads(8),
        col_heads=heads(8),
        row_gap=(0, 0, 0, 0, 5, 0, 0, 0),
        col_gap=(0, 0, 5, 0, 5, 0, 5, 0),
        rings=(Ring(2, 3, 2, 3),),
        probe=np.arange(64).reshape(8, 8),
    )
    strip = Grid(
        "memory",
        np.minimum(np.arange(64).reshape(4, 16) * 32 // 48, 31),
        labels=first,
        second=second,
        style="split",
        states=states,
        subheading="memory: the coordinate that lives at each offset",
        row_heads=("0", "16", "32", "48"),
        cell=(22, 36),
        row_gap=(0, 5, 5, 5),
        rings=(Ring(0, 13, 0, 13),),
    )
    read = Lines(
        "probe",
        (
            Line(kind="rule"),
            Line("→ 2·2 + 0·16 + 1·1 + 1·8 = 13", "read", bold="((2,0),(1,1))"),
            Line("(2,3): byte 52 as float32  ·  word 13  ·  bank 13", "muted"),
        ),
    )
    keys = (
        Key("offset 0 to 47", "ramp"),
        Key("probe", "probe"),
        Key("two coordinates, one offset", "collision"),
        Key("past the end", "past_end"),
    )
    return Picture(
        "((4,2),(2,4)):((2,16),(1,8))",
        'explore.layout("((4,2),(2,4)):((2,16),(1,8))")',
        "64 coordinates, cosize 48. Gaps mark the inner modes: 4 rows by 2 columns.",
        (((tile,), (strip, read)),),
        ((286, 382),),
        keys,
        (
            Verdict(
                "bad",
                "Not injective: 16 offsets (16 to 31) are each reached by two coordinates.",
                "First collision: (4,0) and (0,4) both land on offset 16. A copy through this layout would overwrite data.",
            ),
        ),
    )


def strips() -> Picture:
    fill = np.full((36, 16), -1)
    labels, second = np.full((36, 16), "", "U4"), np.full((36, 16), "", "U4")
    for t in range(64):
        offset = t % 8 + t // 8 % 4 * 16 + t // 32 * 512
        i, j = divmod(offset, 16)
        fill[i, j], labels[i, j], second[i, j] = t // 32, f"T{t}", str(offset)
    tile = Grid(
        "tile",
        fill,
        "category",
        labels,
        second,
        states=np.where(fill < 0, HOLE, 0),
        row_heads=tuple(str(i) if i < 5 or i > 30 else "" for i in range(36)),
        col_heads=heads(16),
        cell=(38, 29),
        row_heights=(29,) * 4 + (5,) * 28 + (29,) * 4,
        row_gap=tuple(5 if i in (4, 32) else 0 for i in range(36)),
        boxes=(Box(4, 31, "rows 4 to 31: no thread ever comes here", "28 rows, 448 elements skipped"),),
        jumps=(Jump(0, 32, "+512"),),
        probe=np.arange(576).reshape(36, 16),
    )
    return Picture(
        "row pitch 16, 64 threads, Pitch 8, Strips 4",
        "explore.strips()",
        "offset = t % 8  +  ((t / 8) % 4) · 16  +  ((t / 8) / 4) · (8 · 4 · 16).  Upper number: thread. Lower: offset in elements.",
        (((tile,),),),
        (),
        (
            Key("warp 0 (T0 to T31)", scale="category"),
            Key("warp 1 (T32 to T63)", scale="category", fill=1),
            Key("untouched", "hole"),
        ),
        (
            Verdict(
                "bad",
                "64 of 576 elements touched; rows 4 to 31 are skipped.",
                "T32 starts at offset 512, row 32. A step of Strips · row pitch = 64 would go on at row 4.",
            ),
        ),
    )


def states() -> Picture:
    flags = np.array([[0, HOLE, COLLISION, OUTSIDE, INACTIVE, PAST_END]])
    grid = Grid(
        "states",
        np.full((1, 6), 9),
        labels=np.array([["T7"] * 6]),
        states=flags,
        col_heads=("plain", "hole", "collision", "outside", "inactive", "past"),
        cell=(50, 36),
    )
    rings = Grid(
        "rings",
        np.full((1, 7), 20),
        "bank",
        np.array([["20"] * 7]),
        cell=(36, 36),
        rings=(Ring(0, 1, 0, 1), Ring(0, 3, 0, 3, "twin"), Ring(0, 5, 0, 5, "access")),
    )
    broadcast = Grid("word", np.full((1, 2), 5), "bank", np.array([["T0", ""]]), np.array([["×32", ""]]), cell=(36, 36))
    pair = Grid(
        "pair",
        np.arange(8)[None],
        "category",
        np.array([["T0", "T31"] * 4]),
        np.array([["v0", "v3"] * 4]),
        "pair",
        cell=(38, 23),
    )
    bars = Bars(
        "bars",
        (
            Bar("as given", 32, 1, "wavefronts", "bad"),
            Bar("padded", 1, 1, "wavefronts", "good"),
            Bar("plain", 16, None, "wavefronts"),
        ),
        "wavefronts",
    )
    keys = tuple(
        Key(k.replace("_", " "), k)
        for k in (
            "hole",
            "collision",
            "outside",
            "inactive",
            "past_end",
            "probe",
            "twin",
            "access",
            "stripe",
            "ramp",
        )
    )
    verdicts = (
        Verdict("good", "4 wavefronts, the ideal"),
        Verdict("note", "Right answer, wrong unit: 128 is bytes; the offset is 32 elements."),
        Verdict("bad", "8 wavefronts where 1 would do (8-way)"),
    )
    return Picture(
        "states",
        "draw.states()",
        "Every state and every ring.",
        (((grid, rings), (broadcast, pair, bars)),),
        (),
        keys,
        verdicts,
    )


def numbers(seed: int = 0, labelled: str = "bank") -> Picture:
    """32 x 32 cells with a number in each, all of them changing with the seed, beside a chart of 32 banks."""
    row, col = np.arange(32)[:, None], np.arange(32)
    bank = (row * (32 + seed) + col + seed) % 32
    tile = Grid(
        "tile",
        bank,
        "bank",
        text(bank),
        row_heads=heads(32, "T"),
        col_heads=heads(32),
        rings=(Ring(0, 12, 31, 12, "access"),),
        probe=np.arange(1024).reshape(32, 32),
    )
    lane = np.where(row == col * seed % 32, col, -1)
    chart = Grid(
        "chart",
        lane,
        "bank",
        cell=(7, 13),
        field=True,
        axis=True,
        col_heads=(),
        subheading="wavefronts down, banks across",
    )
    return Picture(
        "(32,32):(32,1)",
        f"explore.banks(seed={seed})",
        "float32. One warp reads column 12.",
        (((tile,), (chart,)),),
        ((440, 224),),
        (Key("accessed by this warp", "access"),),
        (Verdict("bad", f"{seed} wavefronts where 1 would do ({seed}-way)", "all lanes meet in bank 12"),),
    )


def label(texts: np.ndarray, size: float, x: float, middle: float):
    from cutelab.course.card.paint.ops import Label

    return Label(texts, "sans", size, x, middle)


ALL = {f.__name__: f for f in (layout, collisions, banks, vectors, swizzle, strips, states, numbers)}
