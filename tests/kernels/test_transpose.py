"""The transpose: NumPy's result for every variant and size; the layout's address function is the layout."""

import numpy as np
import pytest
from gpu_scripts import race

from cutelab import ComposedLayout, CuteLabError, Layout, Swizzle, offsets, parse_layout
from cutelab.kernels import launch, machine
from cutelab.kernels.address import address_function, plain, step_function
from cutelab.kernels.transpose import VARIANTS, Transpose, candidates, conflicting, naive, padded, swizzled, variant
from cutelab.plans.tiles import row_vector, tile_elements

LAYOUTS = [
    "(8,8):(8,1)",
    "(8,8):(9,1)",
    "(4,6):(1,4)",
    "((2,4),8):((8,16),1)",
    "((4,3),(2,5)):((1,40),(4,8))",
    "Sw<3,0,3> o 0 o (8,8):(8,1)",
    "Sw<2,0,-3> o 0 o (8,8):(8,1)",
    "Sw<3,2,3> o 5 o ((4,2),32):((64,32),1)",
]


@pytest.mark.parametrize("text", LAYOUTS)
def test_address_function_is_the_layout_at_every_coordinate(text):
    layout = parse_layout(text)
    table = offsets(layout)
    address = plain(address_function(layout))
    i, j = np.indices(table.shape)
    assert np.array_equal(np.vectorize(address)(i, j), table)


@pytest.mark.parametrize("text", LAYOUTS)
def test_a_step_from_any_place_is_the_address_there(text):
    # Starts and steps as a kernel has them: some rows and columns, then multiples of them. Right also where bits carry.
    layout = parse_layout(text)
    table = offsets(layout)
    rows, columns = table.shape
    for down, across in ((1, 1), (2, 2), (rows, 1), (1, columns), (3, 1)):
        i, j = (n.ravel() for n in np.indices((min(down, rows), min(across, columns))))
        di, dj = (n.ravel() for n in np.mgrid[0 : rows - i.max() : down, 0 : columns - j.max() : across])
        step, address = plain(step_function(layout, (i, j), (di, dj))), plain(address_function(layout))
        for a, b in zip(i, j, strict=True):
            got = [step(address(a, b), a, b, x, y) for x, y in zip(di, dj, strict=True)]
            assert got == table[a + di, b + dj].tolist()


@pytest.mark.parametrize("shape", [(32, 32), (33, 31), (1, 40), (40, 1)])
@pytest.mark.parametrize("name", VARIANTS)
def test_equals_numpy(name, shape):
    assert race.check_transpose(variant(name, 32), shape)


@pytest.mark.long
@pytest.mark.parametrize(
    "plan",
    [
        conflicting(32, 4, block=(8, 8)),
        padded(32, 2, block=(8, 16)),
        padded(32, 4, block=(4, 2)),
        swizzled(32, 4, block=(8, 8)),
        swizzled(64, 8, dtype=np.float16),
        swizzled(32, 1, dtype=np.int16),
        naive(16, block=(8, 4)),
        padded(16, 4, group=2),
        swizzled(32, 4, hint="cs"),
        Transpose(8, parse_layout("((2,4),8):((16,40),2)"), block=(4, 8)),
    ],
    ids=str,
)
@pytest.mark.parametrize("shape", [(36, 44), (35, 50)])
def test_wide_accesses_bands_and_other_types_equal_numpy(plan, shape):
    assert race.check_transpose(plan, shape)


def test_rows_that_do_not_start_aligned_fall_back_to_single_elements():
    plan = swizzled(64, 4)
    assert plan.fitted(64, 128) is plan
    assert plan.fitted(65, 128).vector == plan.fitted(64, 130).vector == 1


def test_numbas_own_simulator_agrees():
    if machine.gpu:
        pytest.skip("Numba's simulator is not chosen where there is a GPU")
    plan = swizzled(16, block=(16, 4))
    a = np.arange(20 * 18, dtype=np.float32).reshape(20, 18)
    out = np.full((18, 20), np.nan, np.float32)
    plan.kernel[plan.launch_shape(20, 18)](out, a)
    assert np.array_equal(out, a.T)


def test_every_candidate_is_valid_and_free_of_conflicts_by_layout():
    assert len(candidates()) == len(set(candidates()))
    for plan in candidates():
        assert row_vector(plan.layout) >= plan.vector


def test_layout_helpers():
    assert tile_elements(Layout((4, 4), (5, 1))) == 19
    assert row_vector(ComposedLayout(Swizzle(3, 2, 3), 0, Layout((32, 32), (32, 1)))) == 4
    assert row_vector(Layout((32, 32), (1, 32)), 0) == 8


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Transpose(32, Layout((32, 16))), "32 rows and columns"),
        (lambda: Transpose(32, Layout((32, 32), (33, 1)), vector=4), "use vector=1"),
        (lambda: Transpose(32, Layout((32, 32), (0, 1))), "two elements of the tile in one place"),
        (lambda: Transpose(128, Layout((128, 128), (128, 1))), "65,536 bytes of shared memory"),
        (lambda: padded(32, block=(10, 10)), "both must divide 32"),
        (lambda: Transpose(32, None, vector=2), "vector=1"),
        (lambda: swizzled(48), "power of two"),
        (lambda: swizzled(32, 8), "1 to 16 bytes"),
        (lambda: variant("fast"), "naive, conflicting, padded, swizzled"),
        (lambda: padded(32)(np.zeros((4, 4), np.float32), np.zeros((4, 5), np.float32)), r"shape \(5, 4\)"),
        (lambda: padded(32)(np.zeros((4, 4), np.float32), np.zeros((4, 4))), "holds float64"),
        (lambda: padded(32)(np.zeros((4, 4), np.float32), np.zeros((4, 4), np.float32).T), "C-contiguous"),
        (lambda: launch(padded(32).kernel, 1, 32, np.zeros(3)), "takes 2 arguments"),
    ],
)
def test_bad_input_gives_one_clear_error(make, says):
    with pytest.raises(CuteLabError, match=says):
        make()
