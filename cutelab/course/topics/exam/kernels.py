"""Questions of the exam on Tensor Cores, partitions, pipelines, Hopper and whole kernels."""

from __future__ import annotations

from random import Random

import numpy as np

from cutelab.core import Layout, Swizzle
from cutelab.core.int_tuple import product
from cutelab.course.ask.exercise import Prediction, Wrong
from cutelab.course.ask.kinds import Value
from cutelab.course.topics.exam.places import place
from cutelab.cutlass.atoms.copy import copy_atom
from cutelab.cutlass.atoms.mma import mma_atom
from cutelab.cutlass.tv import make_tiled_copy, owners
from cutelab.hardware import MatrixDescriptor, Pipeline, TmaTile, WarpAccess, wavefronts
from cutelab.hardware.chip import H200, Address

ATOM = "SM80_16x8x16_F32F16F16F32_TN"
LANES = np.arange(H200.lanes)


def held_in_c(random: Random) -> Prediction:
    """What a lane holds of the accumulator."""
    lane, value = random.randint(4, 31), random.randrange(4)

    def right() -> tuple[int, int]:
        m, n = place(mma_atom(ATOM).c(lane, value), (16, 8))
        return m, n

    return Prediction(
        id="exam.held_in_c",
        title="Held by a lane",
        kind=Value("tuple", example="(3, 1)", parts=("row", "column")),
        question=f"`{ATOM}`: which element of the accumulator C (16 x 8) is value {value} of lane {lane}? Write (row, column).",
        right=right,
        replies=(Wrong(right()[::-1], "Row and column have changed places."),) if len(set(right())) > 1 else (),
        because="Four lanes share a row, two neighbours each: row lane // 4, and 8 more for values 2 and 3.",
    )


def owner_of_c(random: Random) -> Prediction:
    """Which lane holds an element of the accumulator?"""
    m, n = random.randrange(16), random.randrange(8)

    def right() -> int:
        lanes, _ = np.nonzero(np.array([[mma_atom(ATOM).c(t, v) for v in range(4)] for t in range(32)]) == m + 16 * n)
        return int(lanes[0])

    return Prediction(
        id="exam.owner_of_c",
        title="Who holds it?",
        kind=Value(example="33", given=(("row", m), ("column", n))),
        question=f"`{ATOM}`: which lane holds element ({m},{n}) of the accumulator C (16 x 8)?",
        right=right,
        replies=(),
        because="Four lanes share a row, and they hold the row 8 below it, too; each has two neighbours: lane 4 · (row % 8) + column // 2.",
    )


def matrices_of_ldmatrix(random: Random) -> Prediction:
    """Wavefronts of one ldmatrix.x4."""
    pitch = random.choice((48, 64, 80, 96, 112, 128, 144))
    return Prediction(
        id="exam.matrices_of_ldmatrix",
        title="ldmatrix from padded rows",
        kind=Value(unit="wavefronts", example="3", given=(("row pitch", pitch),)),
        question=(
            f"ldmatrix.x4 loads four 8 x 8 matrices of half: lane i names the row of 16 bytes at byte {pitch}·i of shared "
            "memory. How many wavefronts?"
        ),
        right=lambda: int(wavefronts(WarpAccess(pitch * LANES, 16, "ldmatrix")).count),
        replies=(Wrong(1, "Each of the four matrices takes one wavefront at least."),),
        because=f"Each matrix is eight rows, {pitch} bytes apart. They take one wavefront if they fill all 128 bytes of the banks.",
    )


def rounds_of_a_copy(random: Random) -> Prediction:
    """How many instructions does a thread of a TiledCopy issue?"""
    rows, cols = random.choice(((32, 4), (16, 8), (32, 8), (64, 4)))
    down, across = random.choice((1, 2, 4)), random.choice((1, 2, 3))
    m, k = rows * down, cols * 8 * across

    def right() -> int:
        copy = make_tiled_copy(
            copy_atom("UniversalCopy<uint128_t>", "half_t"), Layout((rows, cols), (cols, 1)), Layout((1, 8))
        )
        return int(product(copy.partition_S(Layout((m, k), (k, 1))).shape[1:]))

    return Prediction(
        id="exam.rounds_of_a_copy",
        title="How many rounds?",
        kind=Value(example="5", given=(("rows", m), ("columns", k))),
        question=(
            f"A TiledCopy has the thread layout `{Layout((rows, cols), (cols, 1))}` and the value layout `(1,8):(8,1)`, 8 halves with "
            f"one instruction. How many instructions does each thread issue for a tile of {m} x {k}?"
        ),
        right=right,
        replies=(),
        because=f"All threads together cover {rows} x {cols * 8} at once.",
    )


def copied_by(random: Random) -> Prediction:
    """Which thread copies this element?"""
    rows, cols, width = random.choice(((16, 8, 4), (32, 4, 8), (32, 8, 2)))
    m, k = random.randint(3, rows - 1), random.randint(width, cols * width - 1)
    threads = Layout((rows, cols), (cols, 1))

    def right() -> int:
        atom = copy_atom(
            {2: "UniversalCopy<uint32_t>", 4: "UniversalCopy<uint64_t>"}.get(width, "UniversalCopy<uint128_t>"),
            "half_t",
        )
        copy = make_tiled_copy(atom, threads, Layout((1, width)))
        thread, _ = owners(copy.layoutS_TV, copy.tile)
        return int(thread[m, k])

    return Prediction(
        id="exam.copied_by",
        title="Who copies it?",
        kind=Value(example="999", given=(("row", m), ("column", k))),
        question=(
            f"A TiledCopy has the thread layout `{threads}`, and each thread takes {width} neighbouring elements of a row. "
            f"Which thread copies element ({m},{k})?"
        ),
        right=right,
        replies=(),
        because=f"Row {m}, and piece {k // width} of that row: {m}·{cols} + {k // width}.",
    )


def bytes_of_a_stage(random: Random) -> Prediction:
    """What one stage of a product takes of shared memory."""
    m, n, k = random.choice((64, 128)), random.choice((64, 128, 256)), random.choice((16, 32, 64))
    return Prediction(
        id="exam.bytes_of_a_stage",
        title="Bytes of a stage",
        kind=Value(unit="bytes", example="1000", given=(("M", m), ("N", n), ("K", k))),
        question=f"A product keeps a tile of A, {m} x {k}, and one of B, {n} x {k}, in each stage, 2 bytes an element. How many bytes does a stage take?",
        right=lambda: int(Pipeline(m, n, k, arch=None).tile_bytes),
        replies=(
            Wrong((m + n) * k, "These are elements; each takes 2 bytes."),
            Wrong(m * n * 2, "That would be the result, which stays in registers."),
        )
        if m * n != (m + n) * k
        else (),
        because=f"({m} + {n}) · {k} elements of 2 bytes.",
    )


def operations_a_byte(random: Random) -> Prediction:
    """The intensity of a square tile."""
    m, k = random.choice((32, 64, 128, 256)), random.choice((16, 32, 64))
    return Prediction(
        id="exam.operations_a_byte",
        title="Operations a byte",
        kind=Value(example="10", given=(("m", m), ("k", k))),
        question=(
            f"A stage brings two tiles of {m} x {k} halves, 2 bytes each, and the MMA makes 2 · {m} · {m} · {k} operations of "
            "them. How many operations is that for each byte that was brought?"
        ),
        right=lambda: int(Pipeline(m, m, k, arch=None).intensity),
        replies=(Wrong(m, "That is right for elements; each has 2 bytes."),),
        because=f"2·{m}·{m}·{k} / (2·{m}·{k}·2): k goes out, and {m} / 2 is left.",
    )


def bytes_to_expect(random: Random) -> Prediction:
    """What a barrier is told to expect of a box at the edge."""
    rows, item, inner = random.choice((64, 128)), random.choice((1, 2, 4)), random.choice((16, 32))
    rest = random.choice((5, 20, 30))
    tile = TmaTile((rows + rest, 1024), item, (inner, rows))
    return Prediction(
        id="exam.bytes_to_expect",
        title="What the barrier expects",
        kind=Value(unit="bytes", example="1000", given=(("rows", rows), ("columns", inner))),
        question=(
            f"A TMA load brings a box of {rows} rows and {inner} elements of {item} byte{'s' * (item > 1)}; only the first {rest} "
            "rows lie inside the matrix. How many bytes must the barrier be told to expect?"
        ),
        right=lambda: tile.expect_bytes,
        replies=(Wrong(rest * inner * item, "The rows outside are filled with zeros, and they count as well."),),
        because=f"The whole box, {rows} x {inner} x {item}: what lies outside is filled with zeros, and counts.",
    )


def piece_of_a_row(random: Random) -> Prediction:
    """Where the 128-byte swizzle of a TMA load puts 16 bytes."""
    row, piece = random.choice([row for row in range(1, 31) if row % 8]), random.randrange(8)
    tile = TmaTile((32, 64), 2, (64, 32), swizzle_bytes=128)

    def right() -> int:
        place = int(tile.addresses.reshape(32, 64)[row, piece * 8])
        return place % 128 // 16

    return Prediction(
        id="exam.piece_of_a_row",
        title="A piece of a swizzled row",
        kind=Value(example="9", given=(("row", row), ("piece", piece))),
        question=(
            f"A TMA load with the 128-byte swizzle brings rows of 128 bytes to a multiple of 1,024. A row is 8 pieces of 16 bytes. "
            f"At which place of its row does piece {piece} of row {row} stand (0 to 7)?"
        ),
        right=right,
        replies=(),
        because=f"The piece is XORed with the row's number modulo 8: {piece} XOR {row % 8}.",
    )


def descriptor_start(random: Random) -> Prediction:
    """The start field of a matrix descriptor."""
    start = 16 * random.randint(130, 900)
    return Prediction(
        id="exam.descriptor_start",
        title="Where an operand begins",
        kind=Value(example="12", given=(("address", start),)),
        question=f"An operand of wgmma begins at byte {start} of shared memory. Which number stands in the start field of its descriptor?",
        right=lambda: MatrixDescriptor(start, 16, 1024, 128).fields[0].value,
        replies=(Wrong(start, "The field has 14 bits, too few for each byte of shared memory."),),
        because="The field counts pieces of 16 bytes.",
    )


def reads_of_a_block(random: Random) -> Prediction:
    """All reads of a transposing block."""
    pitch = random.choice((32, 33, 34, 36, 40, 48))
    return Prediction(
        id="exam.reads_of_a_block",
        title="A whole block reads",
        kind=Value(unit="wavefronts", example="100", given=(("pitch", pitch),)),
        question=(
            f"A block of 32 x 32 threads transposes: each thread reads `tile[x * {pitch} + y]` once, float32, x being the lane. "
            "How many wavefronts are the reads of the whole block?"
        ),
        right=lambda: sum(int(wavefronts(WarpAccess(4 * (pitch * LANES + y), 4)).count) for y in range(32)),
        replies=(),
        because=f"The block is 32 warps, and each pays what {pitch} and 32 have in common.",
    )


def swizzled_bank(random: Random) -> Prediction:
    """The bank that a swizzled index reaches."""
    row, col = random.randint(2, 31), random.randint(1, 31)
    swizzle = Swizzle(5, 0, 5)
    return Prediction(
        id="exam.swizzled_bank",
        title="A swizzle as an index",
        kind=Value(example="33", given=(("row", row), ("column", col))),
        question=(
            f"A kernel stores element ({row},{col}) of a 32 x 32 tile of float32 at `tile[row * 32 + (col ^ row)]`, and the tile begins "
            "in bank 0. Which bank does the store reach?"
        ),
        right=lambda: int(Address(swizzle(row * 32 + col), 4).bank),
        replies=(Wrong(col, "That is the bank without the swizzle."),),
        because=f"A row is 32 words, so the bank is {col} XOR {row}.",
    )


TENSOR_CORE = (held_in_c, owner_of_c, matrices_of_ldmatrix)
PARTITION = (rounds_of_a_copy, copied_by)
PIPELINE = (bytes_of_a_stage, operations_a_byte)
HOPPER = (bytes_to_expect, piece_of_a_row, descriptor_start)
KERNEL = (reads_of_a_block, swizzled_bank)
