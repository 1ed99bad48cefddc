"""Hand-made pictures, one for each kind of lecture, and one with every state."""

from __future__ import annotations

import numpy as np

from cutelab.scenes.panels import (
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
    Note,
    Picture,
    Ring,
    Verdict,
)


def heads(n: int, prefix: str = "") -> tuple[str, ...]:
    return tuple(f"{prefix}{i}" for i in range(n))


def text(array) -> np.ndarray:
    return np.asarray(array).astype(np.str_)


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


def banks() -> Picture:
    row, col = np.arange(32)[:, None], np.arange(32)

    def tile(pitch: int, sub: str) -> Grid:
        return Grid(
            f"tile {pitch}",
            (row * pitch + col) % 32,
            "bank",
            heading=f"pitch {pitch}",
            subheading=sub,
            row_heads=heads(32, "T"),
            col_heads=heads(32),
            cell=(9, 9),
            padding=pitch - 32,
            rings=(Ring(0, 12, 31, 12, "access"),),
        )

    def strip(pitch: int) -> Grid:
        bank = (row * pitch + 12) % 32
        return Grid(f"bank {pitch}", bank, "bank", labels=text(bank), col_heads=("bank",), cell=(17, 9))

    def chart(fill: np.ndarray, notes: tuple[Note, ...], row_heads: tuple[str, ...], last: int) -> Grid:
        return Grid(
            "chart",
            fill,
            "bank",
            subheading="wavefronts down, banks across: the lanes of each wavefront",
            row_heads=row_heads,
            cell=(9, 7),
            field=True,
            axis=True,
            notes=notes,
            bold_rows=(last,),
        )

    bad, good = np.full((32, 32), -1), np.full((32, 32), -1)
    bad[:, 12] = 12
    good[0] = np.arange(32)
    marks = tuple(str(i + 1) if i in (0, 7, 15, 23, 31) else "" for i in range(32))
    left = chart(
        bad,
        (
            Note(0, 12, "T0 first,", dy=9),
            Note(0, 12, "then T1, then T2, ...", dy=23),
            Note(31, 12, "... T31 in wavefront 32", dy=-5),
        ),
        marks,
        31,
    )
    right = chart(
        good,
        (Note(0, 0, "all 32 lanes in wavefront 1; 2 to 32 are not needed", dy=17),),
        ("1",) + ("",) * 31,
        0,
    )
    return Picture(
        "(32,32):(32,1)  against  (32,32):(33,1)",
        "explore.banks(pitch=(32, 33))",
        "float32. One warp reads column 12: lane Ti reads 4 bytes in row i. Colour = bank; its number stands at the right.",
        (
            (
                (tile(32, "128 bytes a row"),),
                (strip(32),),
                (tile(33, "132 bytes a row; hatched: padding"),),
                (strip(33),),
            ),
            ((left,), (right,)),
        ),
        ((310, 24, 319, 24), (334, 334)),
        (),
        (
            Verdict(
                "bad",
                "32 wavefronts where 1 would do (32-way)",
                "all 32 lanes meet in bank 12, each on its own word",
            ),
            Verdict("good", "1 wavefront, the ideal", "32 lanes in 32 banks; 32 words (3 %) of padding"),
        ),
    )


def vectors() -> Picture:
    def tile(name: str, swizzled: bool) -> Grid:
        lane = np.full((8, 8), -1)
        for t in range(32):
            i, chunk = t % 8, t // 8
            lane[i, chunk ^ i if swizzled else chunk] = t
        fill = np.where(lane < 0, -1, lane // 8)
        labels = np.where(lane < 0, "", np.char.add("T", text(lane)))
        stripe = np.broadcast_to(np.arange(32).reshape(8, 4), (8, 8, 4))
        return Grid(
            name,
            fill,
            "category",
            labels,
            heading=name,
            corner="bank",
            row_heads=heads(8),
            col_heads=tuple(f"{4 * i}-{4 * i + 3}" for i in range(8)),
            cell=(36, 25),
            stripe=stripe,
            field=True,
            field_every=1,
        )

    rows = np.arange(32)
    fill = np.full((32, 8), -1)
    fill[rows, rows // 8] = rows // 8
    labels = np.where(fill < 0, "", np.char.add("T", text(rows))[:, None])
    left = Grid(
        "chart",
        fill,
        "category",
        labels,
        subheading="wavefronts down, banks across",
        cell=(36, 9),
        field=True,
        field_every=8,
        axis=True,
        row_gap=tuple(7 if i and i % 8 == 0 else 0 for i in range(32)),
        row_heads=tuple("8" if i % 8 == 4 else "" for i in range(32)),
        bold_rows=(4, 12, 20, 28),
        notes=tuple(Note(4 + 8 * g, g, "8 wavefronts, 4 banks") for g in range(4)),
    )
    lanes = np.argsort(np.arange(8)[None, :] ^ np.arange(4)[:, None], axis=1) + 8 * np.arange(4)[:, None]
    right = Grid(
        "chart 2",
        np.repeat(np.arange(4)[:, None], 8, 1),
        "category",
        np.char.add("T", text(lanes)),
        subheading="wavefronts down, banks across",
        cell=(36, 9),
        field=True,
        field_every=1,
        axis=True,
        row_gap=(0, 7, 7, 7),
        row_heads=("1",) * 4,
        bold_rows=(0, 1, 2, 3),
    )
    words = Lines(
        "words",
        (
            Line("each group of 8 lanes fills all 32 banks at once", "plain"),
            Line("28 wavefronts fewer", "muted"),
        ),
    )
    return Picture(
        "(8,64):(64,1) half, 16-byte loads",
        "explore.banks(access_bytes=16)",
        "Lane Ti loads 16 bytes: row i mod 8, 16-byte chunk i div 8. The hardware serves four groups of eight lanes.",
        (
            ((tile("no swizzle", False),), (tile("Sw<3,4,3> on bytes = Sw<3,3,3> on half", True),)),
            ((left,), (right, words)),
        ),
        (),
        (
            *(Key(f"lanes {8 * g} to {8 * g + 7}", scale="category", fill=g) for g in range(4)),
            Key("the four banks of a chunk", "stripe"),
        ),
        (
            Verdict(
                "bad",
                "32 wavefronts where 4 would do (8-way)",
                "the 8 lanes of a group meet in the same 4 banks",
            ),
            Verdict("good", "4 wavefronts, the ideal", "32 lanes x 16 bytes = 128 words = 4 x 32 banks"),
        ),
    )


def swizzle() -> Picture:
    before = np.arange(64).reshape(8, 8)
    after = before ^ (before >> 3)

    def tile(name: str, offset: np.ndarray) -> Grid:
        rings = (Ring(0, 3, 7, 3, "access"), Ring(2, 3, 2, 3))
        return Grid(
            name,
            offset % 32,
            "bank",
            text(offset),
            heading=name,
            row_heads=heads(8),
            col_heads=heads(8),
            rings=rings,
            cell=(26, 26),
        )

    def bits(name: str, values: str, **more) -> Grid:
        return Grid(
            name,
            np.array([[0, 0, 0, 1, 1, 1]]),
            "category",
            np.array([list(values)]),
            cell=(28, 28),
            mono=True,
            **more,
        )

    ghosts = Grid(
        "shifted",
        np.array([[-1, -1, -1, 0, 0, 0]]),
        "category",
        np.array([["", "", "", "0", "1", "0"]]),
        subheading="source bits, shifted right by 3",
        states=np.array([[PAST_END] * 3 + [0] * 3]),
        row_heads=("XOR",),
        bold_rows=(0,),
        cell=(28, 28),
        mono=True,
        arrows=((0, 1, 2),),
        col_gap=(0, 0, 0, 4, 0, 0),
    )
    gap = (0, 0, 0, 4, 0, 0)
    side = (
        bits("bits", "010011", heading="bits of one offset", col_heads=heads(6, "b")[::-1], col_gap=gap),
        Lines("one", (Line("(2,3) is offset 19 before", "muted"),)),
        ghosts,
        Lines("rule", (Line(kind="rule"),)),
        bits("result", "010001", col_gap=gap),
        Lines("two", (Line("(2,3) is offset 17 after", "plain"),)),
    )
    return Picture(
        "Sw<3,0,3> o 0 o (8,8):(8,1)",
        'explore.swizzle("Sw<3,0,3>")',
        "Unit: elements of 4 bytes. Cell number = offset, cell colour = bank (offset mod 32).",
        (
            (
                (
                    tile("before: (8,8):(8,1)", before),
                    Lines("a", (Line("column 3: banks 3 11 19 27 3 11 19 27", "muted"),)),
                ),
                (
                    tile("after: Sw<3,0,3>", after),
                    Lines("b", (Line("column 3: banks 3 10 17 24 7 14 21 28", "muted"),)),
                ),
                side,
            ),
        ),
        ((240, 240, 206),),
        (
            Key("bank", "banks"),
            Key("source: row", scale="category"),
            Key("target: column", scale="category", fill=1),
        ),
        (
            Verdict(
                "good",
                "Reading a column with 8 lanes: 2 wavefronts before, 1 after.",
                "Bits 3 to 5 (the row) are XORed into bits 0 to 2 (the column): each row keeps its 8 offsets, in another order.",
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


ALL = {f.__name__: f for f in (layout, collisions, banks, vectors, swizzle, strips, states, numbers)}


def label(texts: np.ndarray, size: float, x: float, middle: float):
    from cutelab.draw.ops import Label

    return Label(texts, "sans", size, x, middle)
