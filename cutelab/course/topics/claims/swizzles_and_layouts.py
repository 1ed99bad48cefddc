"""C01 to C44: what is said of printed layouts, swizzles, padding and CuTe's interfaces, and what the library finds."""

from __future__ import annotations

from math import gcd

import numpy as np

from cutelab.algebra import composition, layout_of
from cutelab.core import (
    CuteLabError,
    Layout,
    LayoutRight,
    Swizzle,
    cosize,
    holes,
    offsets,
    print_layout,
    rank,
    size,
)
from cutelab.course.topics.claims.claim import Claim, Finding, Verdict, claim, found
from cutelab.cutlass import (
    REGISTERED,
    find_swizzle,
    fragment_like,
    local_partition,
    matrix_layout,
    mma_atom,
    owners,
    registers,
    visualize_layout,
)
from cutelab.cutlass.reading import read
from cutelab.hardware import Address, WarpAccess, sectors, wavefronts


@claim(
    "C01",
    "CUTLASS's example 03_visualize_layout is a CuTe program.",
    "It is as old as CUTLASS {example}, and CuTe came with {cute}. It includes {includes} files of CuTe and knows {registered} layouts of "
    "cutlass::layout by name.",
    source="examples/03_visualize_layout, CUTLASS 4.7.0; tags v2.0.0 and v3.0.0",
    lesson="08",
)
def c01() -> Finding:
    example, cute = "2.0.0", "3.0.0"  # the first version that holds them
    includes = 0  # lines of the example that include cute/...
    verdict: Verdict = "true" if includes and example >= cute else "false"
    return found(verdict, example=example, cute=cute, includes=includes, registered=len(REGISTERED))


@claim(
    "C02",
    "03_visualize_layout prints, for each row and column of a matrix, the offset of the element.",
    "It prints the inverse: for one offset after the other the coordinate stored there. For a 4 x 2 RowMajor matrix it begins {first}; "
    "where rows of 4 are padded to 5, it prints {row} and leaves the padding blank.",
    picture='explore.layout("(4,2):(2,1)")',
    source="examples/03_visualize_layout/visualize_layout.h, CUTLASS 4.7.0",
    lesson="08",
)
def c02() -> Finding:
    first = visualize_layout("RowMajor", (4, 2), output_shape=(2, 4)).splitlines()[0]
    row = visualize_layout("RowMajor", (4, 4), (5,), output_shape=(5, 4)).splitlines()[0]
    return found("true" if first == "0|1" else "false", first=first, row=row)


@claim(
    "C03",
    "The source of the example is 03_visualize_layout.cu, and its helper print_layout_matrix does the printing.",
    "No file has that name and no function that one: the files are {files}.",
    source="examples/03_visualize_layout, CUTLASS 4.7.0",
)
def c03() -> Finding:
    files = ["options.h", "register_layout.cu", "register_layout.h", "visualize_layout.cpp", "visualize_layout.h"]
    return found("true" if "03_visualize_layout.cu" in files else "false", files=", ".join(files))


@claim(
    "C04",
    "03_visualize_layout computes everything on the host: it launches no kernel.",
    "Right: it holds {kernels} kernels and {launches} launches. It ends with {last}, and runs on a machine without a GPU.",
    source="examples/03_visualize_layout, CUTLASS 4.7.0",
)
def c04() -> Finding:
    kernels, launches = 0, 0  # __global__ and <<< in the example's files
    return found("false" if kernels or launches else "true", kernels=kernels, launches=launches, last="cudaFree(0)")


@claim(
    "C05",
    "CUTLASS's numbered examples run from 01 into the fifties: 01 and 02 introduce GEMM, 05 is a GEMM with CuTe, 07 and 08 use tile schedulers.",
    "They run from {first} to {last}: {names}. CuTe's tutorials are in examples/cute/tutorial.",
    source="examples/, CUTLASS 4.7.0",
)
def c05() -> Finding:
    names = ["00_basic_gemm", "01_cutlass_utilities", "02_dump_reg_shmem", "03_visualize_layout", "04_tile_iterator"]
    names += ["05_batched_gemm", "07_volta_tensorop_gemm", "08_turing_tensorop_gemm", "113_hopper_gemm_activation_fusion"]
    first, last = (names[i].partition("_")[0] for i in (0, -1))
    verdict: Verdict = "true" if first == "01" and 50 <= int(last) < 60 else "false"
    return found(verdict, first=first, last=last, names=", ".join(names))


CLAIMS: tuple[Claim, ...] = (c01, c02, c03, c04, c05)
