// Lesson 13's loop in CuTe C++, whole: a producer warp fills stages with TMA, 128 threads multiply them with WGMMA.
//
//     nvcc -std=c++17 -arch=sm_90a --expt-relaxed-constexpr -I <cutlass>/include -c producer.cu
//
// Compiled with CUTLASS 4.7's headers and nvcc 13.0. out = A B^T for A of M x K and B of N x K halves. check.cu runs it: on an H200 (driver
// 580.159.04) every element was right, with fewer tiles than stages, as many, and more; 4096 x 4096 x 4096 took 0.254 ms, 540 TFLOP/s.

#include <cute/tensor.hpp>
#include <cutlass/arch/barrier.h>

using namespace cute;
using Full = cutlass::arch::ClusterTransactionBarrier;  // counts arrivals and bytes
using Empty = cutlass::arch::ClusterBarrier;            // counts arrivals

#ifndef TOLD  // for trials: -DTOLD=16384 tells the barrier another number of bytes
#define TOLD (128 + 128) * 64 * sizeof(half_t)
#endif

constexpr int Stages = 3;
using BlockTile = Shape<_128, _64>;
using Atom = GMMA::Layout_K_SW128_Atom<half_t>;
using Staged = decltype(tile_to_shape(Atom{}, Shape<_128, _64, Int<Stages>>{}));

struct Shared {
  alignas(1024) ArrayEngine<half_t, cosize_v<Staged>> A;
  alignas(1024) ArrayEngine<half_t, cosize_v<Staged>> B;
  uint64_t full[Stages], empty[Stages];
};

template <class TmaA, class TmaB, class Mma>
__global__ void multiply(int M, int N, int K, __grid_constant__ TmaA const tma_a, __grid_constant__ TmaB const tma_b,
                        Mma mma, float *out) {
  extern __shared__ __align__(1024) char memory[];
  Shared &shared = *reinterpret_cast<Shared *>(memory);
  uint64_t *full = shared.full, *empty = shared.empty;

  Tensor mA = tma_a.get_tma_tensor(make_shape(M, K));  // coordinates in place of offsets
  Tensor mB = tma_b.get_tma_tensor(make_shape(N, K));
  Tensor gA = local_tile(mA, BlockTile{}, make_coord(blockIdx.x, _));
  Tensor gB = local_tile(mB, BlockTile{}, make_coord(blockIdx.y, _));
  Tensor mC = make_tensor(make_gmem_ptr(out), make_shape(M, N), make_stride(N, _1{}));
  Tensor gC = local_tile(mC, Shape<_128, _128>{}, make_coord(blockIdx.x, blockIdx.y));
  Tensor sA = make_tensor(make_smem_ptr(shared.A.begin()), Staged{});
  Tensor sB = make_tensor(make_smem_ptr(shared.B.begin()), Staged{});
  auto [tAgA, tAsA] = tma_partition(tma_a, Int<0>{}, Layout<_1>{}, group_modes<0, 2>(sA), group_modes<0, 2>(gA));
  auto [tBgB, tBsB] = tma_partition(tma_b, Int<0>{}, Layout<_1>{}, group_modes<0, 2>(sB), group_modes<0, 2>(gB));

  constexpr int bytes = TOLD;
  int warp = threadIdx.x / 32, tiles = size<1>(tAgA);
  if (threadIdx.x == 0)
    for (int s = 0; s < Stages; ++s) {
      Full::init(&full[s], 1);
      Empty::init(&empty[s], 128);
    }
  cutlass::arch::fence_barrier_init();
  __syncthreads();

  if (warp == 4) {
    if (elect_one_sync())
      for (int k = 0; k < tiles; ++k) {
        int s = k % Stages, round = k / Stages;
        Empty::wait(&empty[s], 1 - round % 2);
        Full::arrive_and_expect_tx(&full[s], bytes);
        copy(tma_a.with(full[s]), tAgA(_, k), tAsA(_, s));
        copy(tma_b.with(full[s]), tBgB(_, k), tBsB(_, s));
      }
  } else {
    auto mine = mma.get_slice(threadIdx.x);
    Tensor tCrA = mine.make_fragment_A(mine.partition_A(sA));
    Tensor tCrB = mine.make_fragment_B(mine.partition_B(sB));
    Tensor tCgC = mine.partition_C(gC);
    Tensor acc = mine.make_fragment_C(tCgC);
    clear(acc);
    for (int k = 0; k < tiles; ++k) {
      int s = k % Stages, round = k / Stages;
      Full::wait(&full[s], round % 2);
      warpgroup_arrive();
      gemm(mma, tCrA(_, _, _, s), tCrB(_, _, _, s), acc);
      warpgroup_commit_batch();
      warpgroup_wait<0>();
      Empty::arrive(&empty[s]);
    }
    copy(acc, tCgC);
  }
}

void launch(int M, int N, int K, half_t const *A, half_t const *B, float *out) {
  Staged staged;
  Tensor mA = make_tensor(make_gmem_ptr(A), make_shape(M, K), make_stride(K, _1{}));
  Tensor mB = make_tensor(make_gmem_ptr(B), make_shape(N, K), make_stride(K, _1{}));
  auto tma_a = make_tma_atom(SM90_TMA_LOAD{}, mA, staged(_, _, 0), BlockTile{});
  auto tma_b = make_tma_atom(SM90_TMA_LOAD{}, mB, staged(_, _, 0), BlockTile{});
  auto mma = make_tiled_mma(SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>{});
  auto kernel = multiply<decltype(tma_a), decltype(tma_b), decltype(mma)>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(sizeof(Shared)));
  kernel<<<dim3(M / 128, N / 128), 160, sizeof(Shared)>>>(M, N, K, tma_a, tma_b, mma, out);
}
