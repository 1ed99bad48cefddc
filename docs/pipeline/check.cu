// Runs the kernel of cp_async.cu on a GPU from sm_80 on: is the product right, with two stages and with three?
//
//     nvcc -std=c++17 -arch=sm_80 --expt-relaxed-constexpr -I <cutlass>/include check.cu -o check && ./check
//
// A and B are 128 x 4096 halves, of which the first 32 * Tiles columns are multiplied. Small whole numbers: the sums are exact.

#include "cp_async.cu"

#include <cstdio>
#include <vector>

template <int Stages>
int check(int tiles) {
  std::vector<half_t> a(128 * 4096), b(128 * 4096);
  unsigned state = 1;
  auto draw = [&] { return half_t(float(int((state = state * 1664525u + 1013904223u) >> 29)) - 3.0f); };
  for (auto &x : a) x = draw();
  for (auto &x : b) x = draw();
  half_t *A, *B;
  float *C;
  cudaMalloc(&A, a.size() * 2), cudaMalloc(&B, b.size() * 2), cudaMalloc(&C, 128 * 128 * 4);
  cudaMemcpy(A, a.data(), a.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(B, b.data(), b.size() * 2, cudaMemcpyHostToDevice);
  cudaMemset(C, 0xff, 128 * 128 * 4);
  int bytes = 2 * Stages * 128 * 32 * 2;
  cudaFuncSetAttribute(multiply_tiles<Stages>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  multiply_tiles<Stages><<<1, 128, bytes>>>(A, B, C, tiles);
  std::vector<float> c(128 * 128);
  cudaMemcpy(c.data(), C, c.size() * 4, cudaMemcpyDeviceToHost);
  if (auto error = cudaGetLastError(); error != cudaSuccess) return std::printf("%s\n", cudaGetErrorString(error)), 1;
  auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2>>{}, Tile<_32, _32, _16>{});
  int wrong = 0;
  for (int thread = 0; thread < 128; ++thread) {  // each thread wrote its values one after the other
    auto owns = mma.get_slice(thread).partition_C(make_identity_tensor(make_shape(_128{}, _128{})));
    for (int i = 0; i < size(owns); ++i) {
      float sum = 0;
      for (int k = 0; k < 32 * tiles; ++k)
        sum += float(a[get<0>(owns(i)) * 4096 + k]) * float(b[get<1>(owns(i)) * 4096 + k]);
      wrong += c[thread * size(owns) + i] != sum;
    }
  }
  std::printf("%d stages, %2d tiles: %d of %d elements differ\n", Stages, tiles, wrong, 128 * 128);
  cudaFree(A), cudaFree(B), cudaFree(C);
  return wrong != 0;
}

int main() {
  int failed = 0;
  for (int tiles : {2, 3, 4, 5, 16, 128}) failed += check<2>(tiles) + check<3>(tiles);
  return failed;
}
