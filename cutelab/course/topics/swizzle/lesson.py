"""What lesson swizzle asks: its predictions and its exercises."""

from __future__ import annotations

from random import Random

import numpy as np

from cutelab import (
    ComposedLayout,
    Layout,
    Swizzle,
    TileAccess,
    WarpAccess,
    conflict_free,
    parse_swizzle,
    read_column,
    store_rows,
    wavefronts,
)
from cutelab.course.ask.exercise import Exercise, Prediction, Wrong
from cutelab.course.ask.kinds import Choice, Value
from cutelab.course.ask.swizzle_kinds import SwizzleFor, SwizzleName

COLUMN = np.arange(32) * 8 + 3  # column 3 of (32,8):(8,1)


def taken(offset: np.ndarray) -> int:
    """Wavefronts of a warp that reads float32 at these offsets."""
    return int(wavefronts(WarpAccess(offset * 4, 4)).count)


SWIZZLED = ComposedLayout(Swizzle(3, 0, 3), 0, Layout((8, 8), (8, 1)))


def what_stands_at(offset: int) -> str:
    """Which element of the swizzled 8 x 8 tile lies at this offset?"""
    if not 0 <= offset < 64:
        return f"the tile has the offsets 0 to 63; {offset} is none of them."
    row = offset // 8
    return f"at offset {offset} lies ({row},{offset % 8 ^ row}): row {row} begins at {8 * row}, and each element stays in its row."


def rows_alike(count: int) -> str:
    """What so many wavefronts would mean for the 32 rows under Sw<3,0,3>."""
    if not 1 <= count <= 32 or 32 % count:
        return f"the 32 rows spread evenly over the banks, so the number divides 32; {count} does not."
    return f"{count} wavefronts would mean that the rows come to {32 // count} different banks: which XOR do rows 0 and 8 get?"


def still_meeting(count: int) -> str:
    """What so many wavefronts would mean after a constant XOR."""
    if not 1 <= count <= 32 or 32 % count:
        return f"the 32 rows spread evenly over the banks, so the number divides 32; {count} does not."
    return f"{count} wavefronts would mean that {count} rows meet: rows 0 and 4 met before, and both get the same XOR."


def changed_bits(n: int) -> str:
    """Which bits of 50 has this answer changed?"""
    bits = [b for b in range(12) if (n ^ 50) >> b & 1]
    if not bits:
        return "this is 50 itself: nothing has changed."
    outside = [b for b in bits if b not in (1, 2)]
    names = f"bit{'s' * (len(outside) > 1)} {', '.join(map(str, outside))}"
    if outside:
        return f"in bits yours is {n:b}: {names} changed, and the target is bits 1 and 2 only (M = 1, B = 2)."
    return f"in bits yours is {n:b}: only target bits have changed, but XOR with the source, 11, gives others."


def other_move(random: Random) -> Prediction:
    """Another element that moves."""
    row, col = random.choice(((3, 5), (6, 3), (7, 2), (2, 7), (4, 6)))
    return Prediction(
        id="swizzle.a",
        title="One element moves",
        kind=Value(example="20", given=(("row", row), ("column", col))),
        question=f"In `Sw<3,0,3> o 0 o (8,8):(8,1)`, at which offset does ({row},{col}) lie?",
        right=lambda: int(SWIZZLED(row, col)),
        replies=(
            Wrong(8 * row + col, "That is its offset before the swizzle."),
            Wrong(row ^ col, "That is its new place in the row; the row still counts."),
        ),
        because=f"Column {col} becomes {col} XOR {row}, which is {col ^ row}; and row {row} begins at {8 * row}.",
    )


def other_idle(random: Random) -> Prediction:
    """Which swizzle does nothing to another tile?"""
    names = random.choice(
        (("Sw<2,3,3>", "Sw<2,4,3>", "Sw<2,6,2>", "Sw<1,0,7>"), ("Sw<2,4,4>", "Sw<3,4,1>", "Sw<1,0,5>", "Sw<3,2,3>"))
    )
    return Prediction(
        id="swizzle.4",
        title="Which one does nothing?",
        kind=Choice.of(*names),
        question="A tile `(8,32):(32,1)` has the offsets 0 to 255. One of these moves none of its elements. Which?",
        right=lambda: next(n for n in names if (parse_swizzle(n)(np.arange(256)) == np.arange(256)).all()),
        replies=(),
        because="Its source bits lie above bit 7, and no offset of this tile reaches 256.",
    )


PREDICTIONS = (
    Prediction(
        id="swizzle.a",
        title="One element moves",
        kind=Value(example="12", given=(("row", 5), ("column", 3)), means=what_stands_at),
        question="In `Sw<3,0,3> o 0 o (8,8):(8,1)`, at which offset does (5,3) lie?",
        right=lambda: SWIZZLED(5, 3),
        again=other_move,
        replies=(
            Wrong(43, "That is its offset before the swizzle."),
            Wrong(6, "That is its new place in the row; the row still counts."),
            Wrong(51, "Here the column has changed the row. The row must change the column."),
            Wrong(45, "Here the row has replaced the column. XOR it with the column."),
            Wrong(41, "Here the bits are ANDed: 5 AND 3 is 1. XOR sets a bit where the two differ."),
            Wrong(47, "Here the bits are ORed: 5 OR 3 is 7. XOR leaves out the bits that both have."),
            Wrong(48, "Here 5 is added to the place in the row: XOR has no carry, and the element stays in its row."),
        ),
        because="The row is 5, so column 3 becomes 3 XOR 5, which is 6; and row 5 begins at 40.",
    ),
    Prediction(
        id="swizzle.b",
        title="A taller tile",
        kind=Value(unit="wavefronts", given=(("rows", 32), ("columns", 8), ("bits", 3)), means=rows_alike),
        question=(
            "A warp reads one column of `(32,8):(8,1)` of float32: 8 wavefronts. How many are left with `Sw<3,0,3>`, "
            "which was right for 8 x 8?"
        ),
        right=lambda: taken(Swizzle(3, 0, 3)(COLUMN)),
        replies=(
            Wrong(1, "It would be, if each of the 32 rows were XORed with a number of its own."),
            Wrong(8, "It does help: rows 0 to 7 lie in eight different banks now."),
            Wrong(2, "Count again, for one bank: which rows get the same XOR, and start in the same bank?"),
            Wrong(32, "Even without a swizzle there are four different banks."),
        ),
        because="Row r is XORed with r mod 8. So rows 0, 8, 16 and 24 are treated alike, and still meet in one bank.",
    ),
    Prediction(
        id="swizzle.c",
        title="A constant XOR",
        kind=Value(unit="wavefronts", given=(("rows", 32), ("columns", 8)), means=still_meeting),
        question=(
            "Somebody XORs every offset of `(32,8):(8,1)` with the constant 0x3C. A warp reads a column of float32. "
            "How many wavefronts?"
        ),
        right=lambda: taken(COLUMN ^ 0x3C),
        replies=(
            Wrong(1, "For that, lanes that share a bank would have to move to different banks."),
            Wrong(4, "The constant has four bits set, but all lanes get the same four."),
            Wrong(2, "The constant does the same to every lane."),
            Wrong(16, "It does not get worse either: a constant XOR only renames the banks."),
        ),
        because="Two lanes in one bank move together, to another bank, and still meet. What helps must depend on the row.",
    ),
)


_LANE = np.arange(32)
DOWN = TileAccess(np.where(_LANE < 8, _LANE, 0), np.zeros(32, int), 16, "ldmatrix", _LANE < 8)
ALONG = store_rows(16, rows=8, cols=128, element_bytes=2)
IDLE = ("Sw<3,4,3>", "Sw<2,5,4>", "Sw<1,0,8>", "Sw<2,3,-4>")  # on (16,32):(32,1)


NEW = SwizzleFor(32, 64, 4, (read_column(0),))
PIECES = SwizzleFor(8, 32, 4, (TileAccess(_LANE % 8, _LANE // 8 * 4, 16),))
OFFERED = ("Sw<5,0,5>", "Sw<3,2,6>", "Sw<5,0,6>", "Sw<4,0,6>")  # for NEW


def free_one(tile: SwizzleFor, names: tuple[str, ...]) -> str:
    """The one of these swizzles that leaves no conflict."""
    (free,) = (n for n in names if (effect := tile.read(n)).wavefronts == effect.ideal)
    return free


def what_it_leaves(tile: SwizzleFor, name: str) -> str:
    """Which conflicts does this swizzle leave, and why?"""
    found = tile.diagnose(tile.read(name), tile.read(name), False)
    return f"{found.named} {found.where}"


def other_tile(random: Random) -> Prediction:
    """Which of four swizzles frees another tile?"""
    tile, question, names = random.choice(
        (
            (
                PIECES,
                "A tile `(8,32):(32,1)` of float32 is read with 16 bytes a lane: lanes 0 to 7 go down the rows, the next eight "
                "lanes down the piece beside it, and so on.",
                ("Sw<3,2,3>", "Sw<3,0,5>", "Sw<2,2,3>", "Sw<3,3,3>"),
            ),
            (
                SwizzleFor(32, 4, 4, (read_column(0),)),
                "A warp reads one column of the tile `(32,4):(4,1)` of float32, one row a lane.",
                ("Sw<2,0,5>", "Sw<2,0,3>", "Sw<2,2,5>", "Sw<1,0,5>"),
            ),
        )
    )
    right = free_one(tile, names)
    return Prediction(
        id="swizzle.6",
        title="A tile not seen before",
        kind=Choice.of(*names),
        question=f"{question} Which of these swizzles, on elements, leaves no bank conflict?",
        right=lambda: right,
        replies=tuple(Wrong(n, what_it_leaves(tile, n)) for n in names if n != right),
        because="Its source is just the row bits above the bank; its target is bits of the bank that the row leaves alone.",
    )


def idle() -> str:
    """Which of these swizzles moves no element of a tile of 512?"""
    offset = np.arange(512)
    swizzles = [Swizzle(3, 4, 3), Swizzle(2, 5, 4), Swizzle(1, 0, 8), Swizzle(2, 3, -4)]
    return next(str(s) for s in swizzles if (s(offset) == offset).all())


EXERCISES = (
    Exercise(
        id="swizzle.1",
        title="One offset by hand",
        kind=Value(means=changed_bits),
        question="Where does `Sw<2,1,3>` send offset 50? In bits, 50 is 110010.",
        right=lambda: Swizzle(2, 1, 3)(50),
        solution="answer = 52",
        hints=(
            "B = 2 bits, M = 1: the target is bits 1 and 2. The source lies S = 3 higher.",
            "Number the bits of 110010 from the right, from 0. The source, bits 4 and 5, is 11. Shift it down by 3.",
            "The target bits of 50 are 01. XOR them with 11; all the other bits stay.",
        ),
        wrong=(
            Wrong(
                54,
                "the source bits have replaced the target bits (or were ORed into them). XOR keeps a bit only where they differ.",
            ),
            Wrong(48, "this is Sw<2,0,3>: the base moves both source and target up by one bit."),
            Wrong(34, "this is Sw<2,1,-3>: a positive shift brings the upper bits down."),
            Wrong(56, "this adds the shifted bits. XOR has no carry."),
            Wrong(49, "this is as for M = 0: B bits at bit 0 have changed. M = 1 moves source and target up by one."),
            Wrong(
                53,
                "bit 0 has changed, and the target is bits 1 and 2; and the source was not brought down by exactly 3.",
            ),
            Wrong(
                110100,
                "these are the right bits; write the number that they are: bit 5 counts 32, bit 4 counts 16, and so on.",
            ),
            Wrong(6, "these are the shifted source bits alone; XOR them with the offset."),
            Wrong(50, "two source bits are 1, so something must change."),
        ),
        because="Source 11, target 01: 01 XOR 11 is 10, and 110100 is 52.",
    ),
    Exercise(
        id="swizzle.2",
        title="Choose B, M, S",
        kind=SwizzleFor(32, 16, 4, (read_column(0),)),
        question=(
            "A warp reads one column of `(32,16):(16,1)` of float32, one row a lane. Which swizzle, on elements, makes that "
            'one wavefront? `answer = "Sw<...>"`. Every swizzle that does so is right.'
        ),
        right=lambda: conflict_free([read_column(0)], 32, 16, 4, may_pad=False)[0].swizzle,
        solution='answer = "Sw<4,0,5>"',
        hints=(
            "The bank is bits 0 to 4 of the offset. Which bits of the offset does the row set?",
            "The row sets bits 4 to 8. Bit 4 is in the bank already; bits 5 to 8 are not.",
            "Bring the four bits 5 to 8 down to bits 0 to 3: how many bits is that, and how far?",
        ),
        wrong=(
            Wrong("Sw<3,0,3>", "this takes bits 3 to 5: only one of the four row bits above the bank is among them."),
            Wrong("Sw<4,0,4>", "this takes bits 4 to 7. Bit 8 is left out: rows 0 and 16 still meet."),
            Wrong("Sw<3,0,5>", "this takes three of the four bits 5 to 8: rows 0 and 16 still meet."),
            Wrong(
                "Sw<4,2,5>", "that is right on bytes. On elements it takes bits 7 to 10: the base counts elements here."
            ),
            Wrong("Sw<0,0,0>", "this is the identity: B is 0."),
        ),
        because="The bits of the row that do not reach the bank are brought down into it.",
    ),
    Exercise(
        id="swizzle.3",
        title="Another unit",
        kind=SwizzleName(element_bytes=4),
        question=(
            "A kernel prints `Sw<2,4,3> o smem_ptr[32b](unset) o (8,16):(16,1)`: a swizzle on bytes, for elements of 4 bytes. "
            "Which swizzle is it on elements?"
        ),
        right=lambda: Swizzle(2, 4, 3).recast(1, 4),
        solution='answer = "Sw<2,2,3>"',
        hints=(
            "An element of 4 bytes has two address bits inside it. Counted in elements, these two bits are gone.",
            "Every bit number goes down by two. Which of B, M and S is a bit number?",
            "B is a number of bits and S a distance: both stay. Only the base moves, from 4 down by two.",
        ),
        wrong=(
            Wrong(
                "Sw<2,4,3>", "these are the bytes still. Bit 4 of a byte address is another bit of the element offset."
            ),
            Wrong("Sw<2,6,3>", "this goes the other way: elements are larger than bytes, so bit numbers shrink."),
            Wrong("Sw<2,3,3>", "that is right for elements of 2 bytes."),
            Wrong("Sw<2,0,3>", "that is right for elements of 16 bytes; 4 bytes are two bits, not four."),
            Wrong("Sw<2,2,5>", "the base is right. The shift is a distance between bits; it does not change."),
            Wrong("Sw<2,1,3>", "that is right for elements of 8 bytes."),
        ),
        because="Only the base counts from the lowest bit: it falls by log2 of the element's bytes.",
    ),
    Exercise(
        id="swizzle.4",
        title="Which one does nothing?",
        kind=Choice(tuple(zip("abcd", IDLE, strict=True))),
        question=(
            "A tile `(16,32):(32,1)` has the offsets 0 to 511. One of these moves none of its elements: "
            "a) `Sw<3,4,3>`, b) `Sw<2,5,4>`, c) `Sw<1,0,8>`, d) `Sw<2,3,-4>`. Which?"
        ),
        right=idle,
        again=other_idle,
        solution='answer = "b"',
        hints=(
            "An offset up to 511 has nine bits, 0 to 8. A swizzle moves something if one of its source bits can be 1.",
            "For S > 0 the source starts at bit M + S; for S < 0 it starts at bit M.",
            "The sources start at bits 7, 9, 8 and 3. Which of these lie above bit 8?",
        ),
        wrong=(
            Wrong("a", "its source is bits 7 to 9. Bit 9 is always 0, but bits 7 and 8 are not."),
            Wrong("c", "its source is bit 8, which is 1 in the second half of the tile."),
            Wrong("d", "S is negative: its source is bits 3 and 4, and they change every eight elements."),
        ),
        because="Its source is bits 9 and 10, and no offset of this tile reaches 512.",
    ),
    Exercise(
        id="swizzle.5",
        title="Let the library search",
        kind=SwizzleFor(8, 128, 2, (DOWN, ALONG)),
        question=(
            "A tile `(8,128):(128,1)` of half is filled row by row with 16-byte stores, `store_rows(16, rows=8, cols=128, "
            "element_bytes=2)`, and read by ldmatrix, 16 bytes from each of the 8 rows, `ldmatrix_tile(matrices=1)`. "
            "Which swizzle on elements makes both ideal?"
        ),
        right=lambda: conflict_free([DOWN, ALONG], 8, 128, 2, may_pad=False)[0].swizzle,
        solution=(
            "from cutelab import conflict_free, ldmatrix_tile, store_rows\n"
            "accesses = [store_rows(16, rows=8, cols=128, element_bytes=2), ldmatrix_tile(matrices=1)]\n"
            "answer = conflict_free(accesses, 8, 128, 2, may_pad=False)[0].swizzle"
        ),
        hints=(
            "Give `conflict_free` the list of both accesses, then rows, columns and bytes of an element.",
            "The best stands first. `may_pad=False` leaves the paddings out; `.swizzle` is the swizzle on elements.",
            "By hand: the row sets bits 7 to 9, and 8 halves are one piece, so that bits 0 to 2 must stay.",
        ),
        wrong=(
            Wrong(
                "Sw<3,3,3>",
                "that is right for rows of 64 halves. Here a row is twice as long, and its number starts at bit 7.",
            ),
            Wrong("Sw<3,4,3>", "that is the swizzle of rows of 64 halves, on bytes."),
            Wrong("Sw<3,4,4>", "that is right on bytes. The question is about elements of 2 bytes."),
            Wrong("Sw<3,0,7>", "this takes the 8 halves of one piece apart: M must leave bits 0 to 2 alone."),
            Wrong("Sw<2,3,4>", "this takes two of the three row bits: rows 0 and 4 still meet."),
            Wrong("Sw<0,0,0>", "without a swizzle all eight rows begin in bank 0."),
        ),
        because="Three row bits, 7 to 9, are brought down to the number of the 16-byte piece, bits 3 to 5: Sw<3,3,4>.",
    ),
    Exercise(
        id="swizzle.6",
        title="A tile not seen before",
        kind=Choice(tuple(zip("abcd", OFFERED, strict=True))),
        question=(
            "A warp reads one column of `(32,64):(64,1)` of float32, one row a lane. Which of these swizzles, on elements, leaves no bank "
            "conflict? a) `Sw<5,0,5>`, b) `Sw<3,2,6>`, c) `Sw<5,0,6>`, d) `Sw<4,0,6>`. Use the recipe first, and then the explorer."
        ),
        right=lambda: free_one(NEW, OFFERED),
        again=other_tile,
        solution='answer = "c"',
        hints=(
            "A row has 64 elements: which bits of the offset does the row set, and which of them are in the bank?",
            "The row sets bits 6 to 10, all of them above the bank. Each of the five has to be among the source bits.",
            "The source starts at bit M + S and has B bits. Write it down for each of the four.",
        ),
        wrong=tuple(
            Wrong(key, what_it_leaves(NEW, name)) for key, name in zip("abcd", OFFERED, strict=True) if key != "c"
        ),
        because="The row sets bits 6 to 10. Brought down by 6 they change bits 0 to 4, so 32 rows get 32 different XORs.",
    ),
)
