"""Predictions of notebook 11_kernel."""

from __future__ import annotations

from cutelab import measured_kernels
from cutelab.kernel_plans import TransposePlan
from cutelab.kernel_plans.gemm import a_layout
from cutelab.kernel_plans.tiles import pitched, tile_layout
from cutelab.lessons.exercise import Prediction, Wrong
from cutelab.lessons.kinds import Choice, Value


def per_instruction(variant: str, access: str) -> int:
    """Sectors or wavefronts of one warp's instruction in the transpose at tile 32."""
    found = {a.name: a for a in TransposePlan(32, tile_layout(variant, 32)).accesses()}[access]
    return found.count // found.instructions


def rate(pitch: int) -> float:
    """GB/s of the transpose at tile 64 with this pitch, as measured."""
    plan = TransposePlan(64, pitched(64, pitch))
    time = measured_kernels().time("transpose", 16384, tile=64, layout=str(plan.layout), vector=1, block=plan.block)
    assert time is not None
    return time.rate


def slower() -> str:
    """How much slower is a 4-way conflict, in one word of the options?"""
    ratio = rate(65) / rate(68)
    return "not" if ratio < 1.02 else "half" if ratio < 3 else "quarter"


def gain() -> str:
    """How much faster is the padded product, in one word of the options?"""
    run = measured_kernels()
    slow, fast = (
        run.time("gemm", 4096, m=128, a_layout=str(a_layout(name)), double_buffer=False)
        for name in ("conflicting", "padded")
    )
    assert slow is not None and fast is not None
    ratio = fast.rate / slow.rate
    return "none" if ratio < 1.02 else "tenth" if ratio < 1.5 else "twice" if ratio < 3 else "four"


PREDICTIONS = (
    Prediction(
        id="11.a",
        title="The naive write",
        kind=Choice.of(1, 4, 32, 128),
        question="`out[x, y] = a[y, x]`: the 32 lanes of a warp differ in x. How many sectors does one warp's write to out take?",
        right=lambda: per_instruction("naive", "write out"),
        replies=(
            Wrong("1", "One sector holds 8 float32 that lie side by side. These lie a whole row apart."),
            Wrong("4", "That is the read: a row of 32 float32 is 128 bytes."),
            Wrong("128", "That would be 4 sectors for each lane; each writes 4 bytes."),
        ),
        because="Each lane writes to another row of out, and so to a sector of its own.",
    ),
    Prediction(
        id="11.b",
        title="Down the tile",
        kind=Value("int", example="4"),
        question="With a pitch of 32, how many wavefronts does one warp's read of `tile[x * 32 + y]` take?",
        right=lambda: per_instruction("conflicting", "read tile"),
        replies=(
            Wrong(1, "That would need 32 different banks. x * 32 is a multiple of 32 in every lane."),
            Wrong(4, "4 are the sectors of a row in global memory; shared memory is counted in wavefronts."),
            Wrong(2, "Two lanes in a bank would take 2. Here more than two meet."),
            Wrong(16, "Half of it: all 32 lanes are in the same bank, each with a word of its own."),
            Wrong(1024, "That is the whole block of 32 warps; the question is about one instruction of one warp."),
        ),
        because="All 32 lanes meet in bank y, each on its own word.",
    ),
    Prediction(
        id="11.c",
        title="Four wavefronts for one",
        kind=Choice(
            (("not", "as fast as pitch 65"), ("half", "about half as fast"), ("quarter", "about a quarter as fast"))
        ),
        question="Tile 64, pitch 68: reading the tile takes 4 wavefronts where 1 would do. How fast was the whole transpose?",
        right=slower,
        replies=(
            Wrong("half", "Shared memory had time to spare: the kernel waits for global memory anyway."),
            Wrong("quarter", "Only if reading the tile were all that the kernel waits for."),
        ),
        because="Global memory is the slower part. Up to a point, conflicts hide behind it.",
    ),
    Prediction(
        id="11.d",
        title="The product",
        kind=Choice(
            (
                ("none", "no faster"),
                ("tenth", "about a tenth faster"),
                ("twice", "twice as fast"),
                ("four", "four times as fast"),
            )
        ),
        question="In the product, padding cuts the wavefronts of reading A's tile to a quarter. How much faster does that make it?",
        right=gain,
        replies=(
            Wrong(
                "none",
                "The reads of A's tile are a real part of the time here: each feeds only 64 multiplications a lane.",
            ),
            Wrong("twice", "The multiplications take most of the time, and they stay."),
            Wrong("four", "Only one of seven accesses became cheaper, and the multiplications stay."),
        ),
        because="The arithmetic sets the pace; the conflicts stuck out of it by a little.",
    ),
)
