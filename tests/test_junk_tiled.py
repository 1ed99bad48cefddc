"""Junk for every argument of the functions on tiled copies, coordinates and reading: an answer, or one sentence."""

import random

import numpy as np

from cutelab import ComposedLayout, CuteLabError, Layout, Swizzle, TiledMMA, copy_atom, make_identity_layout, read
from cutelab.advise import cost, fixes_for, operand_cost, recommend_copy
from cutelab.core.coordinates import CoordLayout, CoordTensor, make_identity_tensor
from cutelab.core.leaves import ScaledBasis
from cutelab.core.tiler import parse_tiler
from cutelab.cutlass.names import explain_names
from cutelab.cutlass.reading import Tensor, Tiler, reading
from cutelab.cutlass.tv import (
    TiledCopy,
    fragment_like,
    local_partition,
    local_tile,
    make_tiled_copy,
    make_tiled_copy_A,
    make_tiled_copy_C,
    make_tiled_mma,
    predicate,
)

DRAWS = 2500
LOOP: list[object] = [1]
LOOP.append(LOOP)
COPY = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "half_t"), Layout((16, 8), (8, 1)), Layout((1, 8)))
MMA = TiledMMA("SM80_16x8x16_F32F16F16F32_TN", (2, 2, 1), (32, 32, 16))
IDENTITY = make_identity_layout((8, 6))
JUNK = [
    None, 0, -1, 5, 10**400, 3.5, True, "", "x", "(4,2):(2,1)", "Sw<3,4,3> o 0 o (8,64):(64,1)", "(128,64):(64,1)", (4, 2), (0,), (), [1, 2],
    LOOP, {"a": 1}, np.arange(4), Layout((8, 8)), Layout((128, 64), (64, 1)), ComposedLayout("Sw<3,3,3> o 0 o (128,64):(64,1)"), IDENTITY,
    COPY, MMA, COPY.atom, MMA.atom, object(), slice(None), "half_t", "A", "S", 16, 128, (None, 1), ((1, 2), 3), range(3), b"x",
    Swizzle(3, 4, 3), float("nan"), "(8,6):(1@0,1@1)", ScaledBasis(1, (0,)), "?", Tiler((4, 2)), "UniversalCopy<uint128_t>",
    copy_atom("SM90_TMA_LOAD", 16),
]  # fmt: skip
FUNCTIONS = [
    read, reading, copy_atom, make_tiled_copy, make_tiled_copy_A, make_tiled_copy_C, make_tiled_mma, TiledCopy, TiledMMA, local_tile,
    local_partition, predicate, make_identity_layout, make_identity_tensor, CoordLayout, CoordTensor, ScaledBasis, explain_names, cost,
    operand_cost, fixes_for, recommend_copy, fragment_like, parse_tiler, Tensor, COPY.partition_S, COPY.partition_D,
    COPY.retile_S, COPY.tidfrg_S, COPY.partition, MMA.partition_A, MMA.partition_C, MMA.partition_fragment_A, MMA.partition_fragment_C,
    MMA.operand, IDENTITY, IDENTITY.slice_and_offset, IDENTITY.__getitem__, Tensor("shared", 16, Layout(8)), read("(?,64):(64,1)"),
]  # fmt: skip
NOT_OURS = ("positional argument", "required", "multiple values")


def test_junk_gives_an_answer_or_one_sentence():
    rng = random.Random(3)
    refused = 0
    for _ in range(DRAWS):
        function, arguments = rng.choice(FUNCTIONS), [rng.choice(JUNK) for _ in range(rng.choice((1, 2, 2, 3, 4)))]
        try:
            function(*arguments)
        except CuteLabError as error:
            refused += 1
            assert len(str(error)) <= 300
        except TypeError as error:  # Python's own word on the number of arguments
            assert any(words in str(error) for words in NOT_OURS), (function, arguments)
    assert refused > DRAWS // 4
