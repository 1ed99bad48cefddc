"""Lesson 13's loop in the CuTe DSL, whole: a producer warp fills stages with TMA, 128 threads multiply them with WGMMA.

    pip install nvidia-cutlass-dsl
    CUTE_DSL_ARCH=sm_90a python producer_dsl.py

Compiled with nvidia-cutlass-dsl 4.8.1, for which no GPU is needed; it was not run. C = A B^T for A of M x K and B of N x K halves.
"""

import cutlass
from cutlass import cute, pipeline, utils
from cutlass.cute.nvgpu import OperandMajorMode, cpasync, warpgroup
from cutlass.cute.runtime import make_fake_compact_tensor
from cutlass.utils import hopper_helpers

HALF, FLOAT = cutlass.Float16, cutlass.Float32
STAGES, TILE = 3, (128, 64)
PRODUCER, CONSUMER = pipeline.PipelineUserType.Producer, pipeline.PipelineUserType.Consumer


@cute.kernel
def product(
    tma_a: cute.CopyAtom,
    mA: cute.Tensor,
    tma_b: cute.CopyAtom,
    mB: cute.Tensor,
    mC: cute.Tensor,
    mma: cute.TiledMma,
    layout_a: cute.ComposedLayout,
    layout_b: cute.ComposedLayout,
):
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    thread, _, _ = cute.arch.thread_idx()
    x, y, _ = cute.arch.block_idx()

    shared = utils.SmemAllocator()
    barriers = shared.allocate_array(cutlass.Int64, 2 * STAGES)
    sA = shared.allocate_tensor(HALF, layout_a.outer, 1024, layout_a.inner)
    sB = shared.allocate_tensor(HALF, layout_b.outer, 1024, layout_b.inner)
    pipe = pipeline.PipelineTmaAsync.create(
        barrier_storage=barriers,
        num_stages=STAGES,
        producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
        consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, 4),
        tx_count=(128 + 128) * 64 * 2,
    )

    gA = cute.local_tile(mA, TILE, (x, None))
    gB = cute.local_tile(mB, TILE, (y, None))
    gC = cute.local_tile(mC, (128, 128), (x, y))
    one = cute.make_layout(1)
    tAsA, tAgA = cpasync.tma_partition(tma_a, 0, one, cute.group_modes(sA, 0, 2), cute.group_modes(gA, 0, 2))
    tBsB, tBgB = cpasync.tma_partition(tma_b, 0, one, cute.group_modes(sB, 0, 2), cute.group_modes(gB, 0, 2))
    tiles = cute.size(gA, mode=[2])

    if warp == 4:
        state = pipeline.make_pipeline_state(PRODUCER, STAGES)
        for k in cutlass.range(tiles, unroll=1):
            pipe.producer_acquire(state)
            bar = pipe.producer_get_barrier(state)
            cute.copy(tma_a, tAgA[(None, k)], tAsA[(None, state.index)], tma_bar_ptr=bar)
            cute.copy(tma_b, tBgB[(None, k)], tBsB[(None, state.index)], tma_bar_ptr=bar)
            state.advance()
    else:
        mine = mma.get_slice(thread)
        tCrA = mma.make_fragment_A(mine.partition_A(sA))
        tCrB = mma.make_fragment_B(mine.partition_B(sB))
        tCgC = mine.partition_C(gC)
        acc = cute.make_rmem_tensor(tCgC.shape, FLOAT)
        acc.fill(0.0)
        mma.set(warpgroup.Field.ACCUMULATE, True)
        state = pipeline.make_pipeline_state(CONSUMER, STAGES)
        for _ in cutlass.range(tiles, unroll=1):
            pipe.consumer_wait(state)
            warpgroup.fence()
            for j in cutlass.range_constexpr(cute.size(tCrA, mode=[2])):
                cute.gemm(mma, acc, tCrA[(None, None, j, state.index)], tCrB[(None, None, j, state.index)], acc)
            warpgroup.commit_group()
            warpgroup.wait_group(0)
            pipe.consumer_release(state)
            state.advance()
        cute.autovec_copy(acc, tCgC)


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    k_major, row_major = OperandMajorMode.K, utils.LayoutEnum.ROW_MAJOR
    mma = hopper_helpers.make_trivial_tiled_mma(HALF, HALF, k_major, k_major, FLOAT, (1, 1, 1), tiler_mn=(64, 128))
    layout_a = hopper_helpers.make_smem_layout_a(row_major, (128, 128, 64), HALF, STAGES)
    layout_b = hopper_helpers.make_smem_layout_b(row_major, (128, 128, 64), HALF, STAGES)
    load = cpasync.CopyBulkTensorTileG2SOp()
    tma_a, mA = cpasync.make_tiled_tma_atom(load, a, cute.slice_(layout_a, (None, None, 0)), TILE)
    tma_b, mB = cpasync.make_tiled_tma_atom(load, b, cute.slice_(layout_b, (None, None, 0)), TILE)
    print("A in shared memory:", layout_a)
    print("A for TMA:", mA)
    grid = (cute.size(c, mode=[0]) // 128, cute.size(c, mode=[1]) // 128, 1)
    product(tma_a, mA, tma_b, mB, c, mma, layout_a, layout_b).launch(grid=grid, block=(160, 1, 1))


if __name__ == "__main__":
    halves = make_fake_compact_tensor(HALF, (256, 1024), stride_order=(1, 0), assumed_align=16)
    floats = make_fake_compact_tensor(FLOAT, (256, 256), stride_order=(1, 0), assumed_align=16)
    cute.compile(launch, halves, halves, floats)
    print("compiled")
