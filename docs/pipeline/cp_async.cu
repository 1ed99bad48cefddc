// The loop of lesson 12 with all that it needs around it, so that a compiler can say whether it is CuTe:
//   nvcc -std=c++17 -arch=sm_80 --expt-relaxed-constexpr -I CUTLASS/include -c cp_async.cu
// Compiled with nvcc 13.0 against CUTLASS 4.7.0; check.cu runs it, and on an H200 every element was right. Each line of the lesson's loop stands here; beside them stand the same for B.
#include <cute/tensor.hpp>

using namespace cute;

template <int Stages>
__global__ void multiply_tiles(half_t const* A, half_t const* B, float* C, int Tiles) {
  extern __shared__ half_t memory[];
  auto atom = composition(Swizzle<2, 3, 3>{}, Layout<Shape<_8, _32>, Stride<_32, _1>>{});
  auto stages = tile_to_shape(atom, make_shape(_128{}, _32{}, Int<Stages>{}));
  auto rows = make_layout(make_shape(_128{}, _32{}, Tiles), make_stride(4096, _1{}, 32));
  Tensor gA = make_tensor(make_gmem_ptr(A), rows);
  Tensor gB = make_tensor(make_gmem_ptr(B), rows);
  Tensor sA = make_tensor(make_smem_ptr(memory), stages);
  Tensor sB = make_tensor(make_smem_ptr(memory + cosize_v<decltype(stages)>), stages);

  auto copy_a = make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<uint128_t>, half_t>{},
                                Layout<Shape<_32, _4>, Stride<_4, _1>>{}, Layout<Shape<_1, _8>>{});
  auto copy_b = copy_a;
  auto tiled_mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2>>{}, Tile<_32, _32, _16>{});
  auto s2r_copy_a = make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, tiled_mma);
  auto s2r_copy_b = make_tiled_copy_B(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, tiled_mma);

  Tensor tAgA = copy_a.get_slice(threadIdx.x).partition_S(gA);
  Tensor tAsA = copy_a.get_slice(threadIdx.x).partition_D(sA);
  Tensor tBgB = copy_b.get_slice(threadIdx.x).partition_S(gB);
  Tensor tBsB = copy_b.get_slice(threadIdx.x).partition_D(sB);
  Tensor tCrA = tiled_mma.get_slice(threadIdx.x).partition_fragment_A(sA(_, _, 0));
  Tensor tCrB = tiled_mma.get_slice(threadIdx.x).partition_fragment_B(sB(_, _, 0));
  Tensor tCrC = partition_fragment_C(tiled_mma, make_shape(_128{}, _128{}));
  Tensor tXsA = s2r_copy_a.get_slice(threadIdx.x).partition_S(sA);
  Tensor tXrA = s2r_copy_a.get_slice(threadIdx.x).retile_D(tCrA);
  Tensor tXsB = s2r_copy_b.get_slice(threadIdx.x).partition_S(sB);
  Tensor tXrB = s2r_copy_b.get_slice(threadIdx.x).retile_D(tCrB);
  clear(tCrC);

  for (int k = 0; k < Stages - 1; ++k) {
    copy(copy_a, tAgA(_,_,_,k), tAsA(_,_,_,k));
    copy(copy_b, tBgB(_,_,_,k), tBsB(_,_,_,k));
    cp_async_fence();
  }
  for (int k = 0; k < Tiles; ++k) {
    cp_async_wait<Stages - 2>();
    __syncthreads();
    if (k + Stages - 1 < Tiles) {
      copy(copy_a, tAgA(_,_,_,k + Stages - 1), tAsA(_,_,_,(k + Stages - 1) % Stages));
      copy(copy_b, tBgB(_,_,_,k + Stages - 1), tBsB(_,_,_,(k + Stages - 1) % Stages));
    }
    cp_async_fence();
    copy(s2r_copy_a, tXsA(_,_,_,k % Stages), tXrA);
    copy(s2r_copy_b, tXsB(_,_,_,k % Stages), tXrB);
    gemm(tiled_mma, tCrA, tCrB, tCrC);
  }
  for (int i = 0; i < size(tCrC); ++i) C[threadIdx.x * size(tCrC) + i] = tCrC(i);
}

template __global__ void multiply_tiles<2>(half_t const*, half_t const*, float*, int);
template __global__ void multiply_tiles<3>(half_t const*, half_t const*, float*, int);
