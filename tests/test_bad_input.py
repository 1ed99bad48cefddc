"""Bad input gets one clear CuteLabError, at once and before anything large is allocated."""

import subprocess
import sys
import time

import numpy as np
import pytest

from cutelab.advise.conflict_free import conflict_free
from cutelab.advise.conflict_free.tile_access import TileAccess, ldmatrix_tile, read_column, read_row, store_rows
from cutelab.algebra import complement, explain, right_inverse
from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout, size
from cutelab.core.swizzle import Swizzle
from cutelab.cutlass.atoms import parse_mma_atom, smem_atoms
from cutelab.cutlass.thread_map import PitchLinearStripminedThreadMap, parse_thread_map, walk_tiles
from cutelab.cutlass.tv import TiledMMA, owners
from cutelab.hardware import sectors, wavefronts
from cutelab.memory import WarpAccess

LANES = np.arange(32) * 4
REFUSED = {
    "long line": (
        lambda: parse_thread_map("PitchLinearStripminedThreadMap<PitchLinearShape<2147483647,8>, 1000, 1>"),
        "neither do 1000 threads divide it",
    ),
    "long vector": (
        lambda: PitchLinearStripminedThreadMap((2**31 - 2, 1), 1, 2**31 - 2).accesses(4),
        "access_elements must divide",
    ),
    "complement below 0": (
        lambda: complement(ComposedLayout(Swizzle(1, 0, 1), -5, Layout(8))),
        "cotarget of 8 or more",
    ),
    "store of 10^15 rows": (lambda: store_rows(4, rows=10**15), "rows must be 232,448 or less"),
    "store of a large tile": (lambda: store_rows(4, rows=10**4, cols=10**4), "a block has 232,448 of shared memory"),
    "column of 10^8 rows": (lambda: read_column(0, rows=10**8), "rows must be 232,448 or less"),
    "row of 10^8 columns": (lambda: read_row(0, cols=10**8), "cols must be 232,448 or less"),
    "element of 0 bytes": (lambda: store_rows(16, element_bytes=0), "element_bytes must be"),
    "ldmatrix of 0 bytes": (lambda: ldmatrix_tile(element_bytes=0), "element_bytes must be"),
    "column a": (lambda: read_column("a"), "column must be a whole number"),
    "row a": (lambda: read_row("a"), "row must be a whole number"),
    "ldmatrix at a": (lambda: ldmatrix_tile("a"), "row must be a whole number"),
    "copies by a range": (lambda: explain("raked_product", range(10**12), 6), "must be a Layout"),
    "addresses of a range": (lambda: WarpAccess(range(10**12), 8), "1,048,576 are read"),
    "accesses of a range": (lambda: conflict_free(range(10**12), 8, 8, 4), "at least one access"),
    "rows of a range": (lambda: TileAccess(range(10**12), LANES, 4), "1,048,576 are read"),
    "ragged rows": (lambda: TileAccess([[1], [1, 2]], LANES, 4), "differ in length"),
    "no access": (lambda: conflict_free(None, 8, 8, 4), "at least one access"),
    "ragged lanes": (lambda: WarpAccess(LANES, 4, "load", [[1], [1, 2]]), "differ in length"),
    "wavefronts of an array": (lambda: wavefronts(LANES), "give a WarpAccess"),
    "sectors of an array": (lambda: sectors(LANES), "give a WarpAccess"),
    "walk of a text": (lambda: walk_tiles("x", (4, 4)), "needs a thread map"),
    "owners in a large tile": (lambda: owners(Layout((8, 8)), 10**15), "a table holds at most"),
    "tiled 0": (lambda: TiledMMA(0), "needs an MmaAtom"),
    "printed 0": (lambda: parse_mma_atom(0), "reads the text"),
    "atoms of 0": (lambda: smem_atoms(0), "an element type is a text"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_at_once(name):
    call, words = REFUSED[name]
    start = time.perf_counter()
    with pytest.raises(CuteLabError, match=words):
        call()
    assert time.perf_counter() - start < 0.5


def test_numpy_integers_are_sizes():
    given = conflict_free([read_column(0)], np.int64(32), np.int64(12), np.int32(4))
    assert given == conflict_free([read_column(0)], 32, 12, 4) and type(given[0].cols) is int


def test_right_inverse_names_only_indices_of_the_layout():
    """Sw<1,0,1> o 0 o 3:1 has offsets 0, 1, 3: nothing lies at offset 2, so the inverse ends before it."""
    assert right_inverse(ComposedLayout(Swizzle(1, 0, 1), 0, Layout(3))) == Layout(2)
    for bits, base, shift in ((1, 0, 1), (2, 0, 2), (1, 1, 1), (2, 0, -2), (1, 0, -1)):
        for extent in range(1, 40):
            layout = ComposedLayout(Swizzle(bits, base, shift), 0, Layout(extent))
            inverse = right_inverse(layout)
            found = [inverse(i) for i in range(size(inverse))]
            assert all(0 <= index < extent for index in found)
            assert [layout(index) for index in found] == list(range(len(found)))


def test_accesses_are_read_only():
    assert not PitchLinearStripminedThreadMap((16, 8), 32).accesses().flags.writeable


PEAK = """
import resource, sys
import cutelab
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    eval(sys.argv[1], vars(cutelab) | {n: getattr(cutelab, n) for n in ("holes", "is_injective", "is_surjective", "is_contiguous")})
except cutelab.CuteLabError as error:
    print(len(str(error)))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.long
@pytest.mark.parametrize(
    "typed",
    [
        "offsets('Sw<3,4,3> o 0 o (8192,8191):(8192,1)')",
        "offsets('Sw<3,4,3> o 0 o (4096,4096):(4096,1)')",
        "offsets('(4096,4096):(4096,1)')",
        "is_surjective('(8192,8192):(8192,1)')",
        "is_contiguous('(8192,8192):(8192,1)')",
        "holes('(8192,8192):(8192,1)')",
        "holes('(4096,2048):(4096,2)')",
        "is_injective('(4096,4096):(4097,4096)')",
        "is_injective('Sw<3,4,3> o 0 o (4096,4096):(4096,1)')",
        "is_surjective('Sw<3,4,3> o 0 o (4096,4096):(4096,1)')",
        "print_layout('(8192,8192):(8192,1)')",
        "composition('(4096,4096):(4097,1)', '(4096,4096):(4096,1)')",
        "logical_divide('(100000,100000)', '1000')",
    ],
)
def test_memory_stays_below_half_a_gigabyte(typed):
    """In a process of its own, on top of what the library needs."""
    done = subprocess.run([sys.executable, "-c", PEAK, typed], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) <= 512
