"""Statements about the thread maps of CUTLASS 2.x and a formula for them, A01 to A32."""

from __future__ import annotations

from cutelab.course.topics.claims.claim import Claim, Finding, claim, found
from cutelab.cutlass.strips import StripThreadMap

CUTLASS = "CUTLASS 4.7.0"


@claim(
    "A09",
    "With Strips set to 1, the strip formula becomes the plain map: t % Pitch + (t / Pitch) * row pitch.",
    "With Strips = 1 the formula is t % Pitch + (t / Pitch) * (Pitch * row pitch): {differ} of 32 threads have another "
    "offset, thread {first} the first ({strips_1}, not {plain}). The plain map is at the other end, Strips >= threads / Pitch.",
    picture="explore.strips(threads=32, pitch=8, strips=1)",
    lesson="strips",
)
def a09() -> Finding:
    plain = StripThreadMap(row_pitch=16, threads=32, pitch=8, strips=4).offsets()
    strips_1 = StripThreadMap(row_pitch=16, threads=32, pitch=8, strips=1).offsets()
    differ = (plain != strips_1).nonzero()[0]
    t = differ[0]
    return found("false" if len(differ) else "true", differ=len(differ), first=t, strips_1=strips_1[t], plain=plain[t])


@claim(
    "A01",
    "The class lives in the folder of layouts, cutlass/layout, in a file named thread_map.h; only the 2.x version decides where exactly.",
    "It is {file}, from v2.0.0 to 4.7.0; cutlass/layout has never had a file of thread maps.",
    source=f"include/cutlass/transform/pitch_linear_thread_map.h, {CUTLASS}",
    lesson="thread_map",
)
def a01() -> Finding:
    return found("false", file="cutlass/transform/pitch_linear_thread_map.h, namespace cutlass::transform")


CLAIMS: tuple[Claim, ...] = (a01, a09)
