"""Hand-made pictures of lessons to come: banks, vector loads, a swizzle, strips."""

from __future__ import annotations

import numpy as np

from cutelab.course.card.picture import (
    PAST_END,
    Grid,
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
