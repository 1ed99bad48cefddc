"""Thread maps that the tests of this topic look at: one of each class, and those that compile and are wrong."""

from cutelab.course.topics.thread_map import compute, panels
from cutelab.course.topics.thread_map.knobs import ThreadMapParams
from cutelab.course.topics.thread_map.typed import EXAMPLES

WRONG = [
    "PitchLinearStripminedThreadMap<PitchLinearShape<16,5>, 32, 1>",
    "PitchLinearStripminedThreadMap<PitchLinearShape<8,3>, 64, 1>",
    "PitchLinearWarpRakedThreadMap<PitchLinearShape<64,12>, 64, PitchLinearShape<8,4>, 8>",
    "PitchLinearWarpStripedThreadMap<PitchLinearShape<64,8>, 128, PitchLinearShape<8,4>, 4>",
    "PitchLinearTilePolicyStripminedThreadContiguous<PitchLinearShape<128,1>, 32, 2>",
    "PitchLinearTilePolicyStripminedThreadStrided<PitchLinearShape<6,32>, 16, 4>",
    "PitchLinearTilePolicyStripminedThreadStrided<PitchLinearShape<2,32>, 16, 4>",
    "PitchLinear2DThreadTileStripminedThreadMap<PitchLinearShape<256,8>, 32, PitchLinearShape<4,4>>",
    "PitchLinearWarpRakedThreadMap<PitchLinearShape<64,8>, 48, PitchLinearShape<8,4>, 8>",
]
ALL = [*EXAMPLES.values(), *WRONG]
FORMULA = "StripThreadMap(16, 64, 8, 4)"
SIMT = EXAMPLES["PitchLinearStripminedThreadMap"]
RAKED, STRIPED = EXAMPLES["PitchLinearWarpRakedThreadMap"], EXAMPLES["PitchLinearWarpStripedThreadMap"]


def view(text, **changes):
    params = ThreadMapParams().change(thread_map=text, **changes)
    result = compute(params)
    return params, result, panels(result)
