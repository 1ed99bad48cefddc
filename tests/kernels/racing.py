"""Kernels with races and kernels that only look so: name -> (kernel, grid, block, arguments) and what must be said of it."""

import numba
import numpy as np

from cutelab.kernels import cuda

F32, I32 = np.float32, np.int32
FULL = 0xFFFFFFFF


def f(n):
    return np.arange(n, dtype=F32)


def z(n, kind=F32):
    return np.zeros(n, kind)


@cuda.jit
def sum_without_atomic(out, a):
    out[0] += a[cuda.threadIdx.x]


@cuda.jit
def reverse_without_barrier(out, a):
    s = cuda.shared.array(64, numba.float32)
    i = cuda.threadIdx.x
    s[i] = a[i]
    out[i] = s[63 - i]


@cuda.jit
def reverse(out, a):
    s = cuda.shared.array(64, numba.float32)
    i = cuda.threadIdx.x
    s[i] = a[i]
    cuda.syncthreads()
    out[i] = s[63 - i]


@cuda.jit
def all_write_one(out, a):
    out[0] = a[cuda.threadIdx.x]


@cuda.jit
def same_word_read(out, a):
    out[cuda.grid(1)] = a[0]


@cuda.jit
def same_bank_other_words(out, a):
    s = cuda.shared.array(1024, numba.float32)
    t = cuda.threadIdx.x
    s[t * 32] = a[t]
    out[t] = s[t * 32]


@cuda.jit
def neighbours_of_one_word(out, a):
    s = cuda.shared.array(128, numba.uint8)
    t = cuda.threadIdx.x
    s[t] = t
    out[t] = s[t]


@cuda.jit
def half_words_of_one_word(out, a):
    s = cuda.shared.array(64, numba.int16)
    t = cuda.threadIdx.x
    s[t] = t
    out[t] = s[t ^ 1]


@cuda.jit
def loop_without_second_barrier(out, a):
    s = cuda.shared.array(64, numba.float32)
    t = cuda.threadIdx.x
    for k in range(4):
        s[t] = a[k * 64 + t]
        cuda.syncthreads()
        out[k * 64 + t] = s[63 - t]


@cuda.jit
def loop_with_second_barrier(out, a):
    s = cuda.shared.array(64, numba.float32)
    t = cuda.threadIdx.x
    for k in range(4):
        s[t] = a[k * 64 + t]
        cuda.syncthreads()
        out[k * 64 + t] = s[63 - t]
        cuda.syncthreads()


@cuda.jit
def ping_pong(out, a):
    s = cuda.shared.array((2, 64), numba.float32)
    t = cuda.threadIdx.x
    for k in range(4):
        s[k % 2, t] = a[k * 64 + t]
        cuda.syncthreads()
        out[k * 64 + t] = s[k % 2, 63 - t]


@cuda.jit
def ping_pong_same_side(out, a):
    s = cuda.shared.array((2, 64), numba.float32)
    t = cuda.threadIdx.x
    for k in range(4):
        s[k // 2, t] = a[k * 64 + t]
        cuda.syncthreads()
        out[k * 64 + t] = s[k // 2, 63 - t]


@cuda.jit
def prefetch(out, a):
    s = cuda.shared.array(128, numba.float32)
    t = cuda.threadIdx.x
    s[t] = a[t]
    cuda.syncthreads()
    stage = 0
    for k in range(1, 4):
        s[64 - stage + t] = a[k * 64 + t]
        out[(k - 1) * 64 + t] = s[stage + 63 - t]
        cuda.syncthreads()
        stage = 64 - stage
    out[192 + t] = s[stage + 63 - t]


@cuda.jit
def prefetch_without_barrier(out, a):
    s = cuda.shared.array(128, numba.float32)
    t = cuda.threadIdx.x
    s[t] = a[t]
    cuda.syncthreads()
    stage = 0
    for k in range(1, 4):
        s[64 - stage + t] = a[k * 64 + t]
        out[(k - 1) * 64 + t] = s[stage + 63 - t]
        stage = 64 - stage
    out[192 + t] = s[stage + 63 - t]


@cuda.jit
def tree(out, a):
    s = cuda.shared.array(128, numba.float32)
    t = cuda.threadIdx.x
    s[t] = a[t]
    cuda.syncthreads()
    half = 64
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[0] = s[0]


@cuda.jit
def tree_without_barrier(out, a):
    s = cuda.shared.array(128, numba.float32)
    t = cuda.threadIdx.x
    s[t] = a[t]
    cuda.syncthreads()
    half = 64
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        half //= 2
    if t == 0:
        out[0] = s[0]


@cuda.jit
def tree_that_ends_in_a_warp(out, a):
    s = cuda.shared.array(64, numba.float32)
    t = cuda.threadIdx.x
    s[t] = a[t]
    cuda.syncthreads()
    if t < 32:
        v = s[t] + s[t + 32]
        for d in (16, 8, 4, 2, 1):
            v += cuda.shfl_down_sync(FULL, v, d)
        if t == 0:
            out[0] = v


@cuda.jit
def warp_synchronous(out, a):
    s = cuda.shared.array(64, numba.float32)
    t = cuda.threadIdx.x
    s[t] = a[t]
    cuda.syncthreads()
    if t < 32:
        s[t] += s[t + 32]
        s[t] += s[t + 16]
        s[t] += s[t + 8]
    if t == 0:
        out[0] = s[0]


@cuda.jit
def warp_with_syncwarp(out, a):
    s = cuda.shared.array(32, numba.float32)
    t = cuda.threadIdx.x
    s[t] = a[t]
    cuda.syncwarp()
    half = 16
    while half > 0:
        v = s[t] + s[(t + half) % 32]
        cuda.syncwarp()
        s[t] = v
        cuda.syncwarp()
        half //= 2
    out[t] = s[t]


@cuda.jit
def warp_with_one_syncwarp_too_few(out, a):
    s = cuda.shared.array(32, numba.float32)
    t = cuda.threadIdx.x
    s[t] = a[t]
    cuda.syncwarp()
    half = 16
    while half > 0:
        v = s[t] + s[(t + half) % 32]
        s[t] = v
        cuda.syncwarp()
        half //= 2
    out[t] = s[t]


@cuda.jit
def half_warps_with_masks(out, a):
    s = cuda.shared.array(32, numba.float32)
    t = cuda.threadIdx.x
    s[t] = a[t]
    if t < 16:
        cuda.syncwarp(0x0000FFFF)
        out[t] = s[15 - t]
    else:
        cuda.syncwarp(0xFFFF0000)
        out[t] = s[47 - t]


@cuda.jit
def masks_that_do_not_meet(out, a):
    s = cuda.shared.array(32, numba.float32)
    t = cuda.threadIdx.x
    s[t] = a[t]
    if t < 16:
        cuda.syncwarp(0x0000FFFF)
    else:
        cuda.syncwarp(0xFFFF0000)
    out[t] = s[31 - t]


@cuda.jit
def masks_that_chain(out, a):
    s = cuda.shared.array(32, numba.float32)
    t = cuda.threadIdx.x
    if t < 8:
        s[t] = a[t]
    if t < 16:
        cuda.syncwarp(0x0000FFFF)
    if t >= 8 and t < 24:
        cuda.syncwarp(0x00FFFF00)
    if t >= 16 and t < 24:
        out[t] = s[t - 16]


@cuda.jit
def syncwarp_is_not_for_two_warps(out, a):
    s = cuda.shared.array(64, numba.float32)
    t = cuda.threadIdx.x
    s[t] = a[t]
    cuda.syncwarp()
    out[t] = s[63 - t]


@cuda.jit
def shuffle_orders_no_memory(out, a):
    s = cuda.shared.array(32, numba.float32)
    t = cuda.threadIdx.x
    s[t] = a[t]
    v = cuda.shfl_xor_sync(FULL, a[t], 1)
    out[t] = s[t ^ 1] + v


@cuda.jit
def shuffles(out, a):
    t = cuda.grid(1)
    v = a[t]
    for d in (16, 8, 4, 2, 1):
        v += cuda.shfl_xor_sync(FULL, v, d)
    out[t] = v


@cuda.jit
def histogram(bins, a):
    mine = cuda.shared.array(32, numba.int32)
    t = cuda.threadIdx.x
    if t < 32:
        mine[t] = 0
    cuda.syncthreads()
    cuda.atomic.add(mine, a[cuda.grid(1)], 1)
    cuda.syncthreads()
    if t < 32:
        cuda.atomic.add(bins, t, mine[t])


@cuda.jit
def histogram_read_too_early(bins, a):
    mine = cuda.shared.array(32, numba.int32)
    t = cuda.threadIdx.x
    if t < 32:
        mine[t] = 0
    cuda.syncthreads()
    cuda.atomic.add(mine, a[cuda.grid(1)], 1)
    if t < 32:
        cuda.atomic.add(bins, t, mine[t])


@cuda.jit
def histogram_not_cleared(bins, a):
    mine = cuda.shared.array(32, numba.int32)
    t = cuda.threadIdx.x
    cuda.atomic.add(mine, a[cuda.grid(1)], 1)
    cuda.syncthreads()
    if t < 32:
        cuda.atomic.add(bins, t, mine[t])


@cuda.jit
def exchange_clears(out, a):
    mine = cuda.shared.array(32, numba.int32)
    t = cuda.threadIdx.x
    cuda.atomic.exch(mine, t, 0)
    cuda.syncthreads()
    cuda.atomic.add(mine, a[t], 1)
    cuda.syncthreads()
    out[t] = mine[t]


@cuda.jit
def read_before_written(out, a):
    s = cuda.shared.array(64, numba.float32)
    t = cuda.threadIdx.x
    out[t] = s[t]
    cuda.syncthreads()
    s[t] = a[t]


@cuda.jit
def halo_not_written(out, a):
    s = cuda.shared.array(66, numba.float32)
    t = cuda.threadIdx.x
    s[t + 1] = a[t]
    cuda.syncthreads()
    out[t] = s[t] + s[t + 1] + s[t + 2]


@cuda.jit
def halo(out, a):
    s = cuda.shared.array(66, numba.float32)
    t = cuda.threadIdx.x
    s[t + 1] = a[t]
    if t == 0:
        s[0] = 0
        s[65] = 0
    cuda.syncthreads()
    out[t] = s[t] + s[t + 1] + s[t + 2]


@cuda.jit
def barrier_in_a_branch(out, a):
    t = cuda.threadIdx.x
    if t < 16:
        cuda.syncthreads()
    out[t] = a[t]


@cuda.jit
def barrier_after_a_return(out, a):
    t = cuda.threadIdx.x
    if t >= 40:
        return
    out[t] = a[t]
    cuda.syncthreads()


@cuda.jit
def syncwarp_after_a_return(out, a):
    s = cuda.shared.array(64, numba.float32)
    t = cuda.threadIdx.x
    if t >= 40:
        return
    s[t] = a[t]
    cuda.syncwarp()
    out[t] = s[t ^ 1]


@cuda.jit
def shuffle_after_a_return(out, a):
    t = cuda.threadIdx.x
    if t >= 40:
        return
    out[t] = cuda.shfl_down_sync(FULL, a[t], 1)


@cuda.jit
def two_barriers_for_two_halves(out, a):
    t = cuda.threadIdx.x
    if t < 32:
        out[t] = a[t]
        cuda.syncthreads()
    else:
        cuda.syncthreads()
        out[t] = a[t]


@cuda.jit
def barrier_in_a_uniform_branch(out, a, n):
    s = cuda.shared.array(64, numba.float32)
    t = cuda.threadIdx.x
    s[t] = a[t]
    if n > 0:
        cuda.syncthreads()
    out[t] = s[63 - t]


@cuda.jit
def two_blocks_one_element(out, a):
    i = cuda.grid(1)
    if cuda.threadIdx.x == 0:
        out[0] = a[i]


@cuda.jit
def blocks_overlap(out, a):
    i = cuda.blockIdx.x * 24 + cuda.threadIdx.x
    out[i] = a[i]


@cuda.jit
def block_reads_what_another_writes(out, a):
    i = cuda.grid(1)
    a[i] = i
    cuda.syncthreads()
    out[i] = a[(i + 32) % 64]


@cuda.jit
def blocks_read_the_same(out, a):
    i = cuda.grid(1)
    out[i] = a[cuda.threadIdx.x] + a[31]


@cuda.jit
def blocks_count_with_atomics(out, a):
    cuda.atomic.add(out, 0, a[cuda.grid(1)])


@cuda.jit
def atomic_and_plain(out, a):
    i = cuda.grid(1)
    cuda.atomic.add(out, 0, 1)
    a[i] = out[0]


@cuda.jit
def last_block_adds_up(out, part, a, count):
    last = cuda.shared.array(1, numba.int32)
    t = cuda.threadIdx.x
    if t == 0:
        part[cuda.blockIdx.x] = a[cuda.blockIdx.x]
        cuda.threadfence()
        last[0] = cuda.atomic.add(count, 0, 1) == cuda.gridDim.x - 1
    cuda.syncthreads()
    if last[0] and t == 0:
        total = numba.float32(0)
        for k in range(cuda.gridDim.x):
            total += part[k]
        out[0] = total


@cuda.jit
def last_block_without_a_fence(out, part, a, count):
    last = cuda.shared.array(1, numba.int32)
    t = cuda.threadIdx.x
    if t == 0:
        part[cuda.blockIdx.x] = a[cuda.blockIdx.x]
        last[0] = cuda.atomic.add(count, 0, 1) == cuda.gridDim.x - 1
    cuda.syncthreads()
    if last[0] and t == 0:
        total = numba.float32(0)
        for k in range(cuda.gridDim.x):
            total += part[k]
        out[0] = total


@cuda.jit
def spin_lock(out, lock, a):
    while cuda.atomic.cas(lock, 0, 0, 1) != 0:
        pass
    cuda.threadfence()
    out[0] += a[cuda.grid(1)]
    cuda.threadfence()
    cuda.atomic.exch(lock, 0, 0)


@cuda.jit
def unlocked_read(out, lock, a):
    while cuda.atomic.cas(lock, 0, 0, 1) != 0:
        pass
    out[0] += a[cuda.grid(1)]
    cuda.threadfence()
    cuda.atomic.exch(lock, 0, 0)
    a[cuda.grid(1)] = out[0]


@cuda.jit
def in_place(a):
    i = cuda.grid(1)
    a[i] = 2 * a[i]


@cuda.jit
def shift_in_place(a):
    i = cuda.grid(1)
    if i + 1 < a.size:
        a[i] = a[i + 1]


@cuda.jit
def scan(out, a):
    s = cuda.shared.array(64, numba.float32)
    t = cuda.threadIdx.x
    s[t] = a[t]
    cuda.syncthreads()
    d = 1
    while d < 64:
        v = s[t - d] if t >= d else numba.float32(0)
        cuda.syncthreads()
        s[t] += v
        cuda.syncthreads()
        d *= 2
    out[t] = s[t]


@cuda.jit
def scan_in_place(out, a):
    s = cuda.shared.array(64, numba.float32)
    t = cuda.threadIdx.x
    s[t] = a[t]
    cuda.syncthreads()
    d = 1
    while d < 64:
        if t >= d:
            s[t] += s[t - d]
        cuda.syncthreads()
        d *= 2
    out[t] = s[t]


@cuda.jit
def two_arrays_in_one_room(out, a):
    x = cuda.shared.array(64, numba.float32)
    y = x.view(numba.int32)
    t = cuda.threadIdx.x
    x[t] = a[t]
    y[63 - t] = t
    out[t] = x[t]


@cuda.jit
def wide_and_narrow(out, a):
    s = cuda.shared.array(64, numba.float32)
    t = cuda.threadIdx.x
    wide = s.view(numba.float64)
    s[t] = a[t]
    if t < 32:
        out[t] = wide[t]


RACES = {
    "sum_without_atomic": (sum_without_atomic, 1, 32, lambda: (z(1), f(32)), "race", "atomic"),
    "reverse_without_barrier": (reverse_without_barrier, 1, 64, lambda: (z(64), f(64)), "race", "syncthreads"),
    "all_write_one": (all_write_one, 1, 32, lambda: (z(1), f(32)), "race", "one thread"),
    "half_words_of_one_word": (half_words_of_one_word, 1, 64, lambda: (z(64), f(64)), "race", "sync"),
    "loop_without_second_barrier": (loop_without_second_barrier, 1, 64, lambda: (z(256), f(256)), "race", "round"),
    "ping_pong_same_side": (ping_pong_same_side, 1, 64, lambda: (z(256), f(256)), "race", "round"),
    "prefetch_without_barrier": (prefetch_without_barrier, 1, 64, lambda: (z(256), f(256)), "race", "sync"),
    "tree_without_barrier": (tree_without_barrier, 1, 128, lambda: (z(1), f(128)), "race", "syncthreads"),
    "warp_synchronous": (warp_synchronous, 1, 64, lambda: (z(1), f(64)), "race", "syncwarp"),
    "warp_with_one_syncwarp_too_few": (
        warp_with_one_syncwarp_too_few,
        1,
        32,
        lambda: (z(32), f(32)),
        "race",
        "syncwarp",
    ),
    "masks_that_do_not_meet": (masks_that_do_not_meet, 1, 32, lambda: (z(32), f(32)), "race", "syncwarp"),
    "syncwarp_is_not_for_two_warps": (
        syncwarp_is_not_for_two_warps,
        1,
        64,
        lambda: (z(64), f(64)),
        "race",
        "syncthreads",
    ),
    "shuffle_orders_no_memory": (shuffle_orders_no_memory, 1, 32, lambda: (z(32), f(32)), "race", "syncwarp"),
    "histogram_read_too_early": (histogram_read_too_early, 1, 64, lambda: (z(32, I32), z(64, I32)), "race", "barrier"),
    "histogram_not_cleared": (histogram_not_cleared, 1, 64, lambda: (z(32, I32), z(64, I32)), "unwritten", "noise"),
    "read_before_written": (read_before_written, 1, 64, lambda: (z(64), f(64)), "unwritten", "noise"),
    "halo_not_written": (halo_not_written, 1, 64, lambda: (z(64), f(64)), "unwritten", "noise"),
    "barrier_in_a_branch": (barrier_in_a_branch, 1, 32, lambda: (z(32), f(32)), "barrier", "branch"),
    "barrier_after_a_return": (barrier_after_a_return, 1, 64, lambda: (z(64), f(64)), "barrier", "return"),
    "shuffle_after_a_return": (shuffle_after_a_return, 1, 64, lambda: (z(64), f(64)), "barrier", "return"),
    "two_barriers_for_two_halves": (two_barriers_for_two_halves, 1, 64, lambda: (z(64), f(64)), "barrier", "branch"),
    "without the barrier": (barrier_in_a_uniform_branch, 1, 64, lambda: (z(64), f(64), 0), "race", "syncthreads"),
    "two_blocks_one_element": (two_blocks_one_element, 2, 32, lambda: (z(1), f(64)), "race", "each block"),
    "blocks_overlap": (blocks_overlap, 2, 32, lambda: (z(64), f(64)), "race", "each block"),
    "block_reads_what_another_writes": (
        block_reads_what_another_writes,
        2,
        32,
        lambda: (z(64), f(64)),
        "race",
        "second kernel",
    ),
    "atomic_and_plain": (atomic_and_plain, 1, 32, lambda: (z(1), f(32)), "race", "both atomic"),
    "last_block_without_a_fence": (
        last_block_without_a_fence,
        4,
        32,
        lambda: (z(1), z(4), f(4), z(1, I32)),
        "race",
        "second kernel",
    ),
    "unlocked_read": (unlocked_read, 1, 32, lambda: (z(1), z(1, I32), f(32)), "race", ""),
    "shift_in_place": (shift_in_place, 1, 64, lambda: (f(64),), "race", "sync"),
    "scan_in_place": (scan_in_place, 1, 64, lambda: (z(64), f(64)), "race", "sync"),
    "two_arrays_in_one_room": (two_arrays_in_one_room, 1, 64, lambda: (z(64), f(64)), "race", "sync"),
    "wide_and_narrow": (wide_and_narrow, 1, 64, lambda: (z(64), f(64)), "race", "sync"),
}
"""name -> kernel, grid, block, arguments, the kind of what is found, a word of the remedy."""

CLEAN = {
    "syncwarp_after_a_return": (syncwarp_after_a_return, 1, 64, lambda: (z(64), f(64))),
    "reverse": (reverse, 1, 64, lambda: (z(64), f(64))),
    "same_word_read": (same_word_read, 2, 32, lambda: (z(64), f(64))),
    "same_bank_other_words": (same_bank_other_words, 1, 32, lambda: (z(32), f(32))),
    "neighbours_of_one_word": (neighbours_of_one_word, 1, 128, lambda: (z(128), f(128))),
    "loop_with_second_barrier": (loop_with_second_barrier, 1, 64, lambda: (z(256), f(256))),
    "ping_pong": (ping_pong, 1, 64, lambda: (z(256), f(256))),
    "prefetch": (prefetch, 1, 64, lambda: (z(256), f(256))),
    "tree": (tree, 1, 128, lambda: (z(1), f(128))),
    "tree_that_ends_in_a_warp": (tree_that_ends_in_a_warp, 1, 64, lambda: (z(1), f(64))),
    "warp_with_syncwarp": (warp_with_syncwarp, 1, 32, lambda: (z(32), f(32))),
    "half_warps_with_masks": (half_warps_with_masks, 1, 32, lambda: (z(32), f(32))),
    "masks_that_chain": (masks_that_chain, 1, 32, lambda: (z(32), f(32))),
    "shuffles": (shuffles, 2, 64, lambda: (z(128), f(128))),
    "histogram": (histogram, 2, 64, lambda: (z(32, I32), np.arange(128, dtype=I32) % 5)),
    "exchange_clears": (exchange_clears, 1, 32, lambda: (z(32, I32), z(32, I32))),
    "halo": (halo, 1, 64, lambda: (z(64), f(64))),
    "with the barrier": (barrier_in_a_uniform_branch, 1, 64, lambda: (z(64), f(64), 1)),
    "blocks_read_the_same": (blocks_read_the_same, 2, 32, lambda: (z(64), f(32))),
    "blocks_count_with_atomics": (blocks_count_with_atomics, 2, 32, lambda: (z(1), f(64))),
    "last_block_adds_up": (last_block_adds_up, 4, 32, lambda: (z(1), z(4), f(4), z(1, I32))),
    "spin_lock": (spin_lock, 2, 32, lambda: (z(1), z(1, I32), f(64))),
    "in_place": (in_place, 2, 32, lambda: (f(64),)),
    "scan": (scan, 1, 64, lambda: (z(64), f(64))),
}
"""name -> kernel, grid, block, arguments: nothing is wrong with these."""
