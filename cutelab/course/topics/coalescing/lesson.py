"""What lesson coalescing asks: its predictions and its exercises."""

from __future__ import annotations

from random import Random

import numpy as np

from cutelab import Layout, WarpAccess, sectors
from cutelab.course.ask.diagnose import Mapped
from cutelab.course.ask.exercise import Exercise, Prediction, Wrong
from cutelab.course.ask.functions import Function
from cutelab.course.ask.kinds import Choice, LayoutMap, Value


def row_of(layout: Layout, element_bytes: int) -> int:
    """Sectors of a warp whose lane i loads element (0, i)."""
    return int(
        sectors(WarpAccess(np.array([element_bytes * layout(0, lane) for lane in range(32)]), element_bytes)).count
    )


def side_by_side(access_bytes: int, start_byte: int = 0) -> int:
    """Sectors of a warp whose lanes stand side by side."""
    return int(sectors(WarpAccess(start_byte + access_bytes * np.arange(32), access_bytes)).count)


def all_rows_coalesced(layout: Mapped) -> bool:
    """16 x 64 of float32 without gaps, each place once, and 32 lanes along any row need 4 sectors."""
    if layout.extents != (16, 64) or len(np.unique(layout.offsets)) != 1024 or int(np.ptp(layout.offsets)) != 1023:
        return False
    return bool(np.all(sectors(WarpAccess(4 * layout.offsets[:, :32], 4)).count == 4))


def pairs_in(n: int) -> str:
    """What n sectors would mean for lanes 2 elements apart."""
    if n < 1:
        return "every load requests one sector at least."
    if n > 8:
        return f"{n} sectors: the last one would begin at element {8 * (n - 1)}, and the last lane loads element 62."
    return f"{n} sectors hold the elements 0 to {8 * n - 1}; the last lane loads element 62."


def lanes_in(n: int) -> str:
    """What n sectors would mean for lanes 6 elements apart."""
    if n < 1:
        return "every load requests one sector at least."
    if n > 24:
        return f"{n} sectors: the last one begins at element {8 * (n - 1)}, but the last lane loads element 186."
    return f"{n} sectors hold the elements 0 to {8 * n - 1}; the last lane loads element 186."


def start_of_row_1(pitch: int) -> str:
    """Where does row 1 begin with this pitch of float32?"""
    rest = pitch * 4 % 32
    if pitch < 100:
        return f"a row has 100 elements, so a pitch of {pitch} lets rows overlap."
    if rest:
        return f"with pitch {pitch} row 1 begins at byte {4 * pitch}, {rest} bytes behind the start of a sector."
    return f"with pitch {pitch} row 1 begins at byte {4 * pitch}, the start of a sector; is there no smaller one?"


def moved(pair: tuple[int, ...]) -> str:
    """What two counts of sectors would mean for 128 float32."""
    wrong = next((n for n in pair if n != 16), pair[0])
    return f"{wrong} sector{'s are' if wrong != 1 else ' is'} {32 * wrong} bytes; the warp needs 128 elements of 4 bytes, each byte once."


def other_stride(random: Random) -> Prediction:
    """Sectors of another stride."""
    stride = random.choice((3, 5, 7))
    return Prediction(
        id="coalescing.a",
        title="A stride",
        kind=Value(unit="sectors", given=(("stride", stride), ("lanes", 32))),
        question=f"Lane i loads the float32 element {stride}·i, from the start of a line. How many sectors does the warp request?",
        right=lambda: strided(stride, 4),
        replies=(),
        because=f"The lanes are {4 * stride} bytes apart, less than a sector: {4 * stride} sectors, none of them skipped.",
    )


def other_start(random: Random) -> Prediction:
    """Sectors of 32 neighbours that begin late."""
    first, element = random.choice((1, 3, 8, 16)), random.choice((2, 4, 8))
    return Prediction(
        id="coalescing.c",
        title="A late start",
        kind=Value(unit="sectors", given=(("lanes", 32), ("bytes of an element", element), ("first element", first))),
        question=f"The 32 lanes load neighbouring elements of {element} bytes, and the first is element {first}. How many sectors?",
        right=lambda: side_by_side(element, first * element),
        replies=(),
        because=f"They begin at byte {first * element} and end before byte {(first + 32) * element}: count the sectors of 32 bytes.",
    )


PREDICTIONS = (
    Prediction(
        id="coalescing.a",
        title="Every second element",
        kind=Value(unit="sectors", given=(("stride", 2), ("lanes", 32)), means=pairs_in),
        question="Lane i loads the float32 element 2·i. How many sectors does the warp request?",
        right=lambda: sectors(WarpAccess(8 * np.arange(32), 4)).count,
        again=other_stride,
        replies=(
            Wrong(4, "That is right for 128 bytes in one piece. Here the 32 elements are spread over twice that."),
            Wrong(2, "That is the number of 128-byte lines; a line has four sectors."),
            Wrong(32, "That would be a sector for each lane; but four lanes still share one."),
            Wrong(16, "That would be two lanes a sector. Two lanes are 8 bytes apart: how many fit into 32 bytes?"),
            Wrong(64, "There are only 32 lanes, and each touches one sector at most."),
        ),
        because="The lanes are 8 bytes apart, so 256 bytes are fetched: 8 sectors, each half used.",
    ),
    Prediction(
        id="coalescing.b",
        title="A row of a column-major matrix",
        kind=Choice.of(1, 4, 16, 32),
        question=(
            "The matrix `(8,32):(1,8)` of half (2 bytes each) is column-major. Lane i loads (0,i): threadIdx.x runs along the columns. "
            "How many sectors?"
        ),
        right=lambda: row_of(Layout((8, 32), (1, 8)), 2),
        replies=(
            Wrong("1", "One sector holds 16 halves; there are 32, and they do not even lie side by side."),
            Wrong(
                "4", "That would be 8 lanes a sector, as for float32 side by side. Here 16 bytes lie from lane to lane."
            ),
            Wrong(
                "32",
                "That is right for float32. Here lanes i and i + 1 are 16 bytes apart, so two of them share a sector.",
            ),
        ),
        because="Neighbours in the row are 8 halves apart, 16 bytes: two lanes a sector.",
    ),
    Prediction(
        id="coalescing.c",
        title="One element late",
        kind=Choice.of(4, 5, 8),
        question="The 32 lanes load 32 neighbouring float32 elements, but the first is element 1, not element 0. Sectors?",
        right=lambda: side_by_side(4, 4),
        again=other_start,
        replies=(
            Wrong("4", "128 bytes would fit into 4 sectors, but only if they begin where a sector begins."),
            Wrong("8", "Only the last lane falls over the edge; all the others stay within the first four sectors."),
        ),
        because="The last lane stands at byte 128, in a fifth sector, of which only 4 bytes are used.",
    ),
    Prediction(
        id="coalescing.d",
        title="Sixteen bytes a lane",
        kind=Choice((("a", "4"), ("b", "16"), ("c", "64"))),
        question="Each of the 32 lanes loads a float4, all side by side. How many sectors does the warp request?",
        right=lambda: str(side_by_side(16)),
        replies=(
            Wrong(
                "a", "That is the number of 128-byte lines, and of sectors for 4 bytes a lane. Count the bytes first."
            ),
            Wrong("c", "That would be 2048 bytes. The warp asks for 32 times 16."),
        ),
        because="512 bytes are 16 sectors, and every byte is used: the ideal.",
    ),
)


def strided(stride: int, size: int) -> int:
    """Sectors of 32 lanes that load one element each, `stride` elements apart, from the start of a line."""
    return int(sectors(WarpAccess(np.arange(32) * stride * size, size)).count)


def draw_stride(random: Random) -> tuple[int, int]:
    """A stride and an element size."""
    return random.randint(1, 40), random.choice((1, 2, 4, 8, 16))


def aligned_pitch(columns: int, size: int) -> int:
    """The smallest pitch, in elements, with room for a row, at which every row begins at the start of a sector."""
    return next(pitch for pitch in range(columns, columns + 33) if pitch * size % 32 == 0)


def vector_against_scalar() -> tuple[int, int]:
    """Sectors of 128 float32: four loads of 4 bytes a lane; one of 16 bytes a lane."""
    lane = np.arange(32)
    scalar = WarpAccess(4 * (lane + 32 * np.arange(4)[:, None]), 4)
    return int(np.sum(sectors(scalar).count)), int(sectors(WarpAccess(16 * lane, 16)).count)


EXERCISES = (
    Exercise(
        id="coalescing.1",
        title="Count by hand",
        kind=Value(unit="sectors", given=(("stride", 6), ("lanes", 32)), means=lanes_in),
        question="Lane i loads the float32 element 6·i, counted from the start of a line. How many sectors does the warp request?",
        right=lambda: strided(6, 4),
        solution="answer = 24",
        hints=(
            "How many bytes lie between one lane and the next? A sector has 32.",
            "6 elements of 4 bytes lie between neighbours: less than a sector. So no sector between the first and the last is skipped.",
            "The last lane begins at byte 744. In which sector is that? Count from sector 0.",
        ),
        wrong=(
            Wrong(32, "no lane would share its sector; but with 24 bytes from lane to lane, some do."),
            Wrong(4, "that is the ideal, for lanes side by side."),
            Wrong(6, "that is the number of 128-byte lines, and also the stride. The question is about sectors."),
            Wrong(23, "744 div 32 is the number of the last sector; they are counted from 0."),
            Wrong(128, "these are the bytes that are used, 32·4; a sector is fetched whole."),
            Wrong(768, "these are the bytes that are fetched; a sector is 32 of them."),
            Wrong(12, "that would be right for elements of 2 bytes."),
            Wrong(48, "that would be right for elements of 8 bytes."),
            Wrong(8, "8 float32 fit into one sector; the question is how many sectors."),
            Wrong(187, "187 is one more than the last lane's element; the question is about sectors."),
            Wrong(186, "that is 6·31, the last lane's element: it is an offset, not a number of sectors."),
            Wrong(192, "that is how many elements the lanes are spread over. A sector holds 8 of them."),
        ),
        because="24 bytes from lane to lane: the 32 lanes are spread over 24 sectors, and none is skipped.",
    ),
    Exercise(
        id="coalescing.2",
        title="Choose the layout",
        kind=LayoutMap('"(4,2):(2,1)"', accept=all_rows_coalesced),
        question=(
            "A kernel reads a float32 matrix of 16 rows and 64 columns; threadIdx.x runs along the columns, so lane i of a "
            "warp loads (r, i). Write the layout without gaps for which that costs 4 sectors in every row r."
        ),
        right=lambda: Layout((16, 64), (64, 1)),
        solution='answer = "(16,64):(64,1)"',
        hints=(
            "Lane i and lane i + 1 differ in the column. Which mode must have stride 1?",
            "The shape is given: rows first. The columns have stride 1.",
            "Without gaps, a step down is one whole row long: as many elements as there are columns.",
        ),
        wrong=(
            Wrong("(16,64):(1,16)", "this is column-major: neighbouring lanes are 64 bytes apart, 32 sectors."),
            Wrong("(64,16):(16,1)", "this matrix has 64 rows and 16 columns: the shape names the rows first."),
            Wrong("(64,16):(1,64)", "the lanes would stand side by side, but this has 64 rows. Rows come first."),
            Wrong(
                "(16,64):(65,1)", "there is a gap after each row, and most rows no longer begin at a sector: 5 sectors."
            ),
            Wrong("(16,64):(1,1)", "the rows lie on top of each other: (0,1) and (1,0) share an offset."),
            Wrong("(16,64):(16,1)", "a row has 64 elements, so the next one cannot begin after 16."),
            Wrong("(16,64):(256,4)", "these are bytes of a 4-byte type; strides count elements."),
        ),
        because="Row-major: the column mode has stride 1, and rows of 256 bytes all begin at a sector.",
    ),
    Exercise(
        id="coalescing.3",
        title="What the start of a row costs",
        kind=Value(unit="elements", given=(("columns", 100), ("bytes of an element", 4)), means=start_of_row_1),
        question=(
            "A float32 matrix has rows of 100 elements, and a warp reads 32 elements from the start of a row. With pitch 100, "
            "every second row costs a sector more. What is the smallest pitch above 100 at which no row does?"
        ),
        right=lambda: aligned_pitch(100, 4),
        solution="answer = 104",
        hints=(
            "At which byte does row 1 begin? Is that the start of a sector?",
            "All rows begin at a sector if the pitch, in bytes, is a multiple of 32.",
            "32 bytes are 8 elements of float32: round up to a multiple of 8.",
        ),
        wrong=(
            Wrong(
                128, "it works, but it is not the smallest: with 128 every row begins at a line. A sector is enough."
            ),
            Wrong(112, "it works, but it is not the smallest: it rounds up to 64 bytes."),
            Wrong(101, "row 1 would begin at byte 404, in the middle of a sector."),
            Wrong(102, "row 1 would begin at byte 408, in the middle of a sector."),
            Wrong(108, "row 1 would begin at byte 432, in the middle of a sector."),
            Wrong(416, "that is the right pitch in bytes. A pitch counts elements here."),
            Wrong(100, "that is the pitch as it is: row 1 begins at byte 400, in the middle of a sector."),
        ),
        because="104·4 = 416 bytes are 13 sectors. It costs 4 elements a row, 4 % of the memory.",
    ),
    Exercise(
        id="coalescing.4",
        title="One wide load or four narrow ones",
        kind=Value("tuple", example="(8, 8)", parts=("a", "b"), unit="sectors", means=moved),
        question=(
            "A warp needs 128 neighbouring float32 elements, from the start of a line. (a) Four instructions of 4 bytes a "
            "lane, lanes side by side. (b) One instruction of 16 bytes a lane. How many sectors in all? `answer = (a, b)`."
        ),
        right=vector_against_scalar,
        solution="answer = (16, 16)",
        hints=(
            "How many bytes does the warp need in all?",
            "Both ways touch each of these bytes once, and nothing else. A sector has 32 bytes.",
            "128 elements of 4 bytes are 512 bytes; both numbers are 512 div 32.",
        ),
        wrong=(
            Wrong((4, 16), "4 is what each of the four narrow loads requests; there are four of them."),
            Wrong(
                (16, 4), "4 is the number of lines that the wide load touches; each has four sectors, all of them used."
            ),
            Wrong((4, 4), "these are sectors of one narrow load, and lines of the wide one. Count sectors in all."),
            Wrong((4, 1), "these are the instructions; count the sectors that all of them request."),
            Wrong(
                (1, 4), "these are lines of 128 bytes, of one narrow load and of the wide one; a line has four sectors."
            ),
            Wrong((64, 16), "narrow lanes share sectors: eight lanes of 4 bytes in each."),
            Wrong((16, 32), "32 would be a sector for each wide lane; but a lane of 16 bytes fills only half of one."),
            Wrong((32, 32), "that would be a sector for each lane; but lanes that stand side by side share them."),
            Wrong((512, 512), "these are the bytes; a sector has 32 of them."),
            Wrong((16, 64), "wide lanes share sectors too: two lanes of 16 bytes in each."),
            Wrong((128, 128), "that would be a sector for each element."),
        ),
        because="The bytes are the same, and so are the sectors. What the wide load saves is instructions: one for four.",
    ),
    Exercise(
        id="coalescing.5",
        title="A rule for strides",
        name="count",
        kind=Function(
            ("stride", "size"),
            edges=((1, 4), (2, 4), (8, 4), (9, 4), (32, 4), (1, 1), (3, 2), (1, 16), (5, 16), (32, 1), (33, 1), (7, 8)),
            draw=draw_stride,
        ),
        question=(
            "Lane i loads one element of `size` bytes (1, 2, 4, 8 or 16) at element `stride`·i, from the start of a line; "
            "`stride` is at least 1. Write `count(stride, size)`: how many sectors does the warp request?"
        ),
        right=strided,
        solution="def count(stride, size):\n    return len({lane * stride * size // 32 for lane in range(32)})",
        hints=(
            "In which sector is lane i? Its byte address, divided by 32.",
            "Count the distinct values over the 32 lanes; a set holds each value once.",
            "There is a shorter form: up to 32 bytes from lane to lane, the number of sectors is that number of bytes. And above?",
        ),
        wrong=(
            Wrong(
                lambda stride, size: stride * size,
                "right up to 32 bytes from lane to lane; but 32 lanes never touch more.",
            ),
            Wrong(
                lambda stride, size: min(32, stride),
                "the stride counts elements; sectors count bytes. The size is missing.",
            ),
            Wrong(lambda stride, size: size, "this is the ideal, for lanes side by side. The stride is missing."),
            Wrong(
                lambda stride, size: len({lane * stride * size // 128 for lane in range(32)}),
                "these are lines of 128 bytes; a sector has 32.",
            ),
            Wrong(
                lambda stride, size: 32 * stride * size,
                "these are the bytes over which the lanes are spread; a sector has 32 of them, and none counts that nobody touches.",
            ),
            Wrong(
                lambda stride, size: 32 * stride * size // 32 + 1,
                "this counts one sector too many where the lanes fill theirs, and those between distant lanes that nobody touches.",
            ),
            Wrong(
                lambda stride, size: min(4, stride * size),
                "a line has four sectors, but the lanes may touch many lines.",
            ),
            Wrong(
                lambda stride, size: min(32, stride * size) * 32,
                "these are the bytes moved: 32 for each sector.",
            ),
            Wrong(
                lambda stride, size: 31 * stride * size // 32,
                "this is the number of the last sector where none is skipped: they count from 0, and 32 lanes touch 32 at most.",
            ),
        ),
        because="In short: `min(32, stride * size)`. From 32 bytes on, each lane pays for a sector of its own.",
    ),
)
