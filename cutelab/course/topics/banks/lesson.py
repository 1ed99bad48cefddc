"""What lesson banks asks: its predictions and its exercises."""

from __future__ import annotations

from math import gcd
from random import Random

import numpy as np

from cutelab import TileAccess, WarpAccess, conflict_free, wavefronts
from cutelab.course.ask.exercise import Exercise, Prediction, Wrong
from cutelab.course.ask.functions import Function
from cutelab.course.ask.kinds import Choice, Value

LANES = np.arange(32)


def column(pitch: int) -> int:
    """Wavefronts of a warp that reads a column of float32, rows `pitch` elements apart."""
    return int(wavefronts(WarpAccess(np.arange(32) * pitch * 4, 4)).count)


def spread(step_bytes: int, count: int) -> str:
    """What `count` wavefronts would mean for 32 lanes that lie `step_bytes` apart, and where that does not hold."""
    if not 1 <= count <= 32:
        return f"32 lanes take 1 wavefront at least and 32 at most; {count} is neither."
    if 32 % count:
        return (
            f"here every bank that is used serves equally many lanes, so the number divides 32, and {count} does not."
        )
    byte, right = LANES * step_bytes, lane_count(step_bytes)
    if count > right:
        lane = 32 // count
        return (
            f"{count} wavefronts would mean that lanes 0 and {lane} meet; lane {lane} begins {byte[lane]} bytes further, "
            f"in bank {byte[lane] // 4 % 32}."
        )
    lane, alone = 32 // right, 32 // count
    said = f"{count} wavefront{'s' * (count != 1)} would mean that "
    return said + (
        f"lanes 0 {'and' if alone == 2 else 'to'} {alone - 1} have banks of their own; "
        f"lane {lane} begins {byte[lane]} bytes further: which bank is that?"
    )


def lane_count(step_bytes: int) -> int:
    """Wavefronts of 32 lanes that lie `step_bytes` apart, 4 bytes or less each."""
    return int(wavefronts(WarpAccess(LANES * step_bytes, min(4, step_bytes & -step_bytes))).count)


READS = (("row", 1), ("column", 33), ("diagonal", 34), ("anti-diagonal", 32))  # by so many words from lane to lane


def first_wrong_read(counts: tuple[int, ...]) -> str:
    """What the first of these four numbers of wavefronts that is not right would mean."""
    for count, (name, step) in zip(counts, READS, strict=False):
        if count != lane_count(4 * step):
            return f"The {name}: {spread(4 * step, count)}"
    return ""


def fewest(pitch: int) -> str:
    """What this pitch would mean for 16-byte loads of the tile of half."""
    if pitch < 64:
        return f"a row has 64 elements, so a pitch of {pitch} lets rows overlap."
    if pitch * 2 % 16:
        return f"row 1 would start at byte {2 * pitch}, and a 16-byte load needs a multiple of 16."
    address = (PIECES.row * pitch + PIECES.col) * 2
    count = int(np.sum(wavefronts(WarpAccess(address, 16)).count))
    if count > 4:
        return f"with pitch {pitch} the loads are aligned, and take {count} wavefronts where 4 would do."
    return f"with pitch {pitch} it is 4 wavefronts; is there no smaller one?"


def slower(lengths: tuple[int, ...]) -> str:
    """What is wrong with these row lengths, or not there yet?"""
    for n in lengths:
        if n not in ROWS:
            return f"{n} is none of the five lengths; the question asks for lengths before the padding."
        if ways(n + 1) <= ways(n):
            return (
                f"{n} becomes {n + 1}: {ways(n)} wavefronts before, {ways(n + 1)} after, so it does not become slower."
            )
    if not lengths:
        return "none of them? Padding changes which banks the rows start in, for better or worse: try one odd length."
    these = " and ".join(filter(None, (", ".join(map(str, lengths[:-1])), str(lengths[-1]))))
    verb, only = ("becomes", "this one") if len(lengths) == 1 else ("become", "these")
    return f"{these} {verb} slower, but not only {only}: try the other odd lengths."


def other_narrow(random: Random) -> Prediction:
    """A column of another tile."""
    pitch = random.choice((12, 20, 36, 40, 48, 56, 68, 80))
    return Prediction(
        id="banks.a",
        title="A narrow tile",
        kind=Value(unit="wavefronts", given=(("row pitch", pitch), ("lanes", 32))),
        question=f"Rows of float32 lie {pitch} apart. Lane i reads row i of column 0. How many wavefronts?",
        right=lambda: column(pitch),
        replies=(
            Wrong(32 // column(pitch), "That is the number of different banks: how many lanes share each of them?"),
        ),
        because=f"The largest power of two that divides {pitch} and 32 says how many rows start in one bank.",
    )


def other_padding(random: Random) -> Prediction:
    """Padding of another row."""
    length = random.choice((15, 39, 47, 55, 63))
    return Prediction(
        id="banks.b",
        title="One element more",
        kind=Value(unit="wavefronts", given=(("row length", length), ("lanes", 32))),
        question=(
            f"Rows of {length} float32 lie {length} apart, and a column read takes 1 wavefront. Somebody pads each row to "
            f"{length + 1}. How many wavefronts now?"
        ),
        right=lambda: column(length + 1),
        replies=(Wrong(1, f"That was so with pitch {length}. Padding changes the pitch."),),
        because=f"{length} is odd; {length + 1} shares a power of two with 32.",
    )


def other_wide(random: Random) -> Prediction:
    """The ideal of another wide access."""
    element = random.choice((8, 16))
    return Prediction(
        id="banks.3",
        title="Wavefronts and no conflict",
        kind=Value(unit="wavefronts", given=(("bytes a lane", element), ("lanes", 32))),
        question=f"Lane i loads {element} bytes at address {element} · i. What is the fewest wavefronts that this can take?",
        right=lambda: int(wavefronts(WarpAccess(np.arange(32) * element, element)).ideal),
        replies=(Wrong(1, "One wavefront brings 32 words of 4 bytes. How many words do the lanes ask for?"),),
        because=f"{32 * element} bytes are {8 * element} words, and a wavefront brings 32.",
    )


PREDICTIONS = (
    Prediction(
        id="banks.a",
        title="A narrow tile",
        kind=Value(
            unit="wavefronts", example="2", given=(("row pitch", 24), ("lanes", 32)), means=lambda n: spread(96, n)
        ),
        question="The tile is `(32,24):(24,1)` of float32. Lane i reads row i of column 0. How many wavefronts?",
        right=lambda: column(24),
        again=other_narrow,
        replies=(
            Wrong(32, "All lanes meet in one bank only if the pitch is a multiple of 32; here it is 24."),
            Wrong(1, "Row 4 starts 96 words after row 0: the same bank, another word."),
            Wrong(24, "24 is the pitch. After how many rows does a row start in bank 0 again?"),
            Wrong(2, "That would be a pitch such as 34: here more lanes share a bank."),
            Wrong(7, "Seven lanes come on top of the first in each bank; all of them are wavefronts."),
            Wrong(4, "Four is the number of different banks: 0, 8, 16 and 24. How many lanes share each of them?"),
            Wrong(16, "Sixteen lanes in a bank would be a pitch of 16."),
        ),
        because="24 · row modulo 32 takes four values only, so 32 lanes sit in four banks, eight in each.",
    ),
    Prediction(
        id="banks.b",
        title="One element more",
        kind=Value(unit="wavefronts", example="2", given=(("row length", 95),), means=lambda n: spread(384, n)),
        again=other_padding,
        question=(
            "Rows of 95 float32 lie 95 apart, and a column read takes 1 wavefront. Somebody pads each row to 96. "
            "How many wavefronts now?"
        ),
        right=lambda: column(96),
        replies=(
            Wrong(
                1, "That was so with pitch 95. Padding changes the pitch, and a multiple of 32 is the worst there is."
            ),
            Wrong(2, "Two lanes in a bank would be a pitch such as 34."),
            Wrong(31, "There are 32 lanes, whatever the length of a row is; 31 of them are conflicts."),
            Wrong(16, "Half of the lanes would meet with a pitch of 16 or 48. With a multiple of 32 all of them do."),
            Wrong(96, "96 is the pitch; there are only 32 lanes, and each is served in one wavefront."),
            Wrong(33, "There are only 32 lanes."),
            Wrong(0, "Every access takes one wavefront at least."),
        ),
        because="95 is odd, so no two rows start in one bank; with pitch 96 all of them do, for 96 is a multiple of 32.",
    ),
    Prediction(
        id="banks.c",
        title="Sixteen bytes a lane",
        kind=Choice.of(1, 4, 8, 32),
        question="Lane i loads the 16 bytes at address 16 · i, as `float4` does. How many wavefronts?",
        right=lambda: wavefronts(WarpAccess(np.arange(32) * 16, 16)).count,
        replies=(
            Wrong("1", "One wavefront brings 32 banks times 4 bytes. Is that enough for 32 lanes?"),
            Wrong("8", "Eight lanes go together here, in one wavefront."),
            Wrong("32", "A lane does not need a wavefront of its own: 8 lanes fill all banks at once."),
        ),
        because="512 bytes are 128 words, and a wavefront brings 32 of them: nothing could be faster.",
    ),
    Prediction(
        id="banks.d",
        title="Halves with pitch 36",
        kind=Value(
            unit="wavefronts",
            example="8",
            given=(("row pitch", 36), ("bytes of an element", 2)),
            means=lambda n: spread(72, n),
        ),
        question="Rows of half (2 bytes) lie 36 elements apart. Lane i reads row i of column 0. How many wavefronts?",
        right=lambda: int(wavefronts(WarpAccess(np.arange(32) * 36 * 2, 2)).count),
        replies=(
            Wrong(4, "That is right for float32, by the rule with gcd. A half takes 2 bytes, so a row is 18 words."),
            Wrong(1, "36 halves are 18 words, and 18 is even: the lanes use the even banks only."),
            Wrong(16, "16 is the number of different banks; how many lanes share each of them?"),
            Wrong(32, "The lanes would have to meet in one bank; row 1 starts 18 banks further."),
            Wrong(8, "A row is 36 · 2 bytes, which are 18 words. How many different banks does 18 · i reach?"),
        ),
        because="36 halves are 72 bytes, 18 words; 18 and 32 have the divisor 2 in common.",
    ),
)


ROWS = (16, 23, 31, 40, 63)
CONTIGUOUS = WarpAccess(LANES * 16, 16)
PIECES = TileAccess(LANES % 8, LANES // 8 * 8, 16)


def bank(row: int, col: int, pitch: int, element_bytes: int) -> int:
    """The bank of (row, col), as the library finds it."""
    address = np.full(32, (row * pitch + col) * element_bytes)
    return int(wavefronts(WarpAccess(address, element_bytes)).bank[0])


def draw_element(random: Random) -> tuple[int, int, int, int]:
    """An element of a tile with rows of random pitch."""
    pitch = random.randint(8, 136)
    return random.randrange(64), random.randrange(pitch), pitch, random.choice((1, 2, 4))


def ways(pitch: int) -> int:
    """Wavefronts of a warp that reads a column of float32."""
    return int(wavefronts(WarpAccess(LANES * pitch * 4, 4)).count)


EXERCISES = (
    Exercise(
        id="banks.1",
        title="The bank of an element",
        name="bank",
        kind=Function(
            ("row", "col", "pitch", "element_bytes"),
            edges=((7, 12, 32, 4), (7, 12, 33, 4), (0, 1, 64, 2), (1, 0, 65, 2), (3, 9, 40, 1)),
            draw=draw_element,
        ),
        question=(
            "Write `bank`: in which bank is element (row, col)? Rows lie `pitch` elements apart, and an element has "
            "`element_bytes` bytes (1, 2 or 4)."
        ),
        right=bank,
        solution="def bank(row, col, pitch, element_bytes):\n    return (row * pitch + col) * element_bytes // 4 % 32",
        hints=(
            "First the offset in elements, as in lesson 02. Then the byte address. Then the word.",
            "A word has 4 bytes: divide the byte address by 4, rounding down. Then 32 banks take the words in turn.",
        ),
        wrong=(
            Wrong(
                lambda row, col, pitch, element_bytes: (row * pitch + col) % 32,
                "this is right for 4-byte elements only: a bank follows from the byte address, not from the element's number.",
            ),
            Wrong(
                lambda row, col, pitch, element_bytes: (row * pitch + col) * element_bytes // 4,
                "this is the word; 32 banks take the words in turn, so one step is missing.",
            ),
            Wrong(
                lambda row, col, pitch, element_bytes: (row * pitch + col) * element_bytes % 32,
                "this takes bytes for words: a bank is 4 bytes wide.",
            ),
            Wrong(
                lambda row, col, pitch, element_bytes: (row * pitch + col) * element_bytes,
                "this is the byte address; a bank follows from the word, and the banks take the words in turn.",
            ),
            Wrong(
                lambda row, col, pitch, element_bytes: (row * pitch + col) * element_bytes // 32 % 32,
                "this takes words of 32 bytes, which are sectors; a word of a bank has 4 bytes.",
            ),
            Wrong(
                lambda row, col, pitch, element_bytes: (row * pitch + col) * element_bytes // 128,
                "this is the number of the 128-byte row of banks; the bank is the place in it.",
            ),
            Wrong(
                lambda row, col, pitch, element_bytes: (row * pitch + col) * element_bytes // 8 % 32,
                "this takes words of 8 bytes; a word of a bank has 4.",
            ),
            Wrong(
                lambda row, col, pitch, element_bytes: (row * pitch * element_bytes + col) % 32,
                "this takes bytes for words, and the column is to be multiplied by element_bytes, too.",
            ),
            Wrong(
                lambda row, col, pitch, element_bytes: (row * pitch + col) * 4 // element_bytes % 32,
                "bytes are offset times element_bytes, and words are bytes divided by 4: both are the other way round.",
            ),
            Wrong(
                lambda row, col, pitch, element_bytes: (row * pitch * element_bytes + col) // 4 % 32,
                "the column counts elements, too: it has to be multiplied by element_bytes like the rest.",
            ),
            Wrong(
                lambda row, col, pitch, element_bytes: (row + col * pitch) * element_bytes // 4 % 32,
                "row and column have changed places: the rows are `pitch` apart.",
            ),
        ),
        because="Offset, times bytes, divided by 4, modulo 32: the same four steps for every element type.",
    ),
    Exercise(
        id="banks.2",
        title="Why 33 helps",
        name="ways",
        kind=Function(
            ("pitch",),
            edges=((32,), (33,), (34,), (36,), (40,), (48,), (31,), (64,)),
            draw=lambda random: (random.randint(1, 256),),
        ),
        question=(
            "Write `ways`: 32 lanes read one column of float32, lane i in row i, and rows lie `pitch` elements apart. "
            "How many wavefronts is that, for any pitch?"
        ),
        right=ways,
        solution="def ways(pitch):\n    return max(n for n in (1, 2, 4, 8, 16, 32) if pitch % n == 0)",
        hints=(
            "Lane i is in bank i · pitch modulo 32. When does lane i come back to the bank of lane 0?",
            "Count how many of the 32 lanes share bank 0; in each bank that is used there are as many.",
            "It is a number that divides 32 and the pitch: the largest such number.",
        ),
        wrong=(
            Wrong(
                lambda pitch: 1 if pitch % 32 else 32,
                "32 and 33 are right, but there is something in between: try 34, 36 and 40 in the explorer.",
            ),
            Wrong(
                lambda pitch: 32 // gcd(pitch, 32),
                "this is how many banks are used; you want how many lanes share one of them.",
            ),
            Wrong(
                lambda pitch: 1 if pitch % 2 else 32,
                "odd pitches are right, but an even pitch need not be the worst: 34 takes two wavefronts.",
            ),
            Wrong(
                lambda pitch: pitch % 32 or 32,
                "this is how far the bank moves from row to row. 31 moves by 31 banks, and all lanes meet different ones.",
            ),
            Wrong(
                lambda pitch: 32 - pitch % 32,
                "this is how far the bank moves backwards; you want how many lanes come to the same bank.",
            ),
            Wrong(
                lambda pitch: pitch // 32,
                "this is how many times a row goes round all banks; only where it ends decides, the pitch modulo 32.",
            ),
            Wrong(
                lambda pitch: gcd(pitch, 64),
                "a multiple of 64 is no worse than one of 32: there are 32 lanes, and 32 banks.",
            ),
            Wrong(
                lambda pitch: gcd(pitch, 16),
                "a multiple of 32 is worse than one of 16: there are 32 banks, and all lanes come to one.",
            ),
            Wrong(
                lambda pitch: pitch % 32,
                "this is how far the bank moves from row to row; you want how many lanes come to the same bank.",
            ),
        ),
        because="33 has no common divisor with 32, so 32 rows start in 32 banks; any odd pitch does that.",
    ),
    Exercise(
        id="banks.3",
        title="Four wavefronts and no conflict",
        kind=Choice(
            (
                ("a", "lanes share words, so it is a broadcast"),
                ("b", "the lanes ask for 128 words, and one wavefront brings 32 at most"),
                ("c", "16-byte loads do not go through the banks"),
                ("d", "it is a 4-way conflict, and pitch 33 would help"),
            )
        ),
        question=(
            "Lane i loads 16 bytes at address 16 · i, and the profiler counts 4 wavefronts. Why? "
            '"a": lanes share words, so it is a broadcast. "b": the lanes ask for 128 words, and one wavefront brings 32 at most. '
            '"c": 16-byte loads do not go through the banks. "d": it is a 4-way conflict, and pitch 33 would help.'
        ),
        right=lambda: "b" if wavefronts(CONTIGUOUS).excess == 0 else "d",
        again=other_wide,
        solution='answer = "b"',
        hints=(
            "How many bytes do the 32 lanes ask for, and how many can 32 banks bring at once?",
            "Compare the count with the ideal, not with 1.",
        ),
        wrong=(
            Wrong("a", "no two lanes touch the same word here: lane i ends where lane i + 1 begins."),
            Wrong("c", "every access to shared memory goes through the banks; a wide lane uses four of them."),
            Wrong("d", "no two lanes that go together meet in a bank: each group of 8 lanes fills all 32 banks once."),
        ),
        because="128 words in wavefronts of 32: the count equals the ideal, so nothing is lost.",
    ),
    Exercise(
        id="banks.4",
        title="A pitch for wide lanes",
        kind=Value(
            unit="elements",
            example="65",
            given=(("columns", 64), ("rows", 8), ("bytes of an element", 2)),
            means=fewest,
        ),
        question=(
            "A tile `(8,64)` of half is read with 16-byte loads: lane i takes row i mod 8, piece i div 8; a piece is 8 "
            "neighbouring columns, 16 bytes of a row. "
            "With pitch 64 that is 32 wavefronts. Which is the smallest pitch, in elements, that makes it 4?"
        ),
        right=lambda: next(c.pitch for c in conflict_free(PIECES, 8, 64, 2) if c.kind == "padding" and c.free),
        solution="answer = 72",
        hints=(
            "A 16-byte load needs an address that is a multiple of 16. Which pitches of half keep that?",
            "Then each row should start four banks after the one above: that is one piece of 16 bytes.",
        ),
        wrong=(
            Wrong(
                65, "row 1 would start at byte 130, and a 16-byte load from there is an error: 16 does not divide 130."
            ),
            Wrong(
                66, "row 1 would start at byte 132: good for 4-byte lanes, but 16 bytes a lane need a multiple of 16."
            ),
            Wrong(68, "row 1 would start at byte 136, which is a multiple of 8 only."),
            Wrong(64, "with pitch 64 a row has 128 bytes, so the 8 lanes of a group start in the same bank."),
            Wrong(80, "better than 64, but rows 0 and 4 still meet: 4 · 160 bytes is a multiple of 128."),
            Wrong(144, "144 is the pitch in bytes; the question asks for elements of 2 bytes."),
        ),
        because="8 halves are 16 bytes: each row starts four banks further, and eight rows fill all 32 banks.",
    ),
    Exercise(
        id="banks.5",
        title="When padding hurts",
        kind=Value("tuple", example="(8, 24)", unordered=True, means=slower),
        question=(
            "Five tiles of float32 have rows of 16, 23, 31, 40 and 63 elements, without padding. Each row is padded by one "
            "element. For which row lengths does reading a column become slower?"
        ),
        right=lambda: tuple(n for n in ROWS if ways(n + 1) > ways(n)),
        solution="answer = (23, 31, 63)",
        hints=(
            "Take your function `ways` from exercise 2 and compare each length with the next number.",
            "A pitch that is odd is already as good as it gets.",
        ),
        wrong=(
            Wrong((16, 40), "it is the other way round: these two become odd, and odd pitches are free of conflicts."),
            Wrong((31,), "31 is one of them; look for other odd lengths: each becomes even."),
            Wrong((31, 63), "23 becomes 24, and 24 shares the divisor 8 with 32: slower, too."),
            Wrong((16, 23, 31, 40, 63), "16 becomes 17 and 40 becomes 41: for these padding helps."),
            Wrong((24, 32, 64), "these are the new pitches; the question asks for the lengths before."),
        ),
        because="An odd pitch is free of conflicts, and one more makes it even: padding helps even rows and hurts odd ones.",
    ),
    Exercise(
        id="banks.6",
        title="One tile, four reads",
        kind=Value(
            "tuple",
            example="(2, 4, 8, 16)",
            parts=("row", "column", "diagonal", "anti-diagonal"),
            means=first_wrong_read,
        ),
        question=(
            "The padded tile `(32,32):(33,1)` of float32 is read four ways: lane i takes (0,i), (i,0), the diagonal (i,i), the "
            "anti-diagonal (i,31-i). How many wavefronts each? `answer = (row, column, diagonal, anti_diagonal)`."
        ),
        right=lambda: tuple(
            int(wavefronts(WarpAccess((row * 33 + col) * 4, 4)).count)
            for row, col in ((0 * LANES, LANES), (LANES, 0 * LANES), (LANES, LANES), (LANES, 31 - LANES))
        ),
        solution="answer = (1, 1, 2, 32)",
        hints=(
            "Write the offset of lane i for each read: 33 · row + column. By how much does it grow from lane to lane?",
            "It grows by 1, by 33, by 34, and by 33 - 1.",
            "The number of lanes that meet is the greatest common divisor of that step and 32.",
        ),
        wrong=(
            Wrong(
                (1, 1, 1, 1),
                "padding by one frees rows and columns. On a diagonal row *and* column change: add both steps.",
            ),
            Wrong(
                (1, 1, 2, 1),
                "on the anti-diagonal the column goes back by 1 where the row goes on by 33: a step of 32.",
            ),
            Wrong((1, 1, 2, 2), "on the anti-diagonal the step is 33 - 1, not 33 + 1."),
            Wrong((1, 1, 32, 2), "the two diagonals have changed places: down and to the right is a step of 33 + 1."),
            Wrong((1, 32, 1, 1), "that is right for the tile without padding, `(32,32):(32,1)`: here the pitch is 33."),
            Wrong((1, 1, 1, 32), "the diagonal steps by 33 + 1 = 34, which is even: lanes 0 and 16 meet."),
            Wrong((1, 1, 32, 32), "the anti-diagonal is right; the diagonal steps by 33 + 1 = 34."),
        ),
        because="The steps are 1, 33, 34 and 32. The padding that frees the column ruins the anti-diagonal.",
    ),
)
