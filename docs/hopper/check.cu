// Runs the kernel of producer.cu on a Hopper GPU: is the product right, and how long does it take?
//
//     nvcc -std=c++17 -arch=sm_90a --expt-relaxed-constexpr -I <cutlass>/include check.cu -lcuda -o check && ./check
//
// The elements are small whole numbers, so that every product is exact and any order of sums gives the same floats.

#include "producer.cu"

#include <cstdio>
#include <vector>

__global__ void reference(int M, int N, int K, half_t const *A, half_t const *B, float *out) {
  int n = blockIdx.x * blockDim.x + threadIdx.x, m = blockIdx.y;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += float(A[size_t(m) * K + k]) * float(B[size_t(n) * K + k]);
  out[size_t(m) * N + n] = sum;
}

int check(int M, int N, int K) {
  std::vector<half_t> a(size_t(M) * K), b(size_t(N) * K);
  unsigned state = 1;
  auto draw = [&] { return half_t(float(int((state = state * 1664525u + 1013904223u) >> 29)) - 3.0f); };
  for (auto &x : a) x = draw();
  for (auto &x : b) x = draw();
  half_t *A, *B;
  float *C, *R;
  cudaMalloc(&A, a.size() * 2), cudaMalloc(&B, b.size() * 2);
  cudaMalloc(&C, size_t(M) * N * 4), cudaMalloc(&R, size_t(M) * N * 4);
  cudaMemcpy(A, a.data(), a.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(B, b.data(), b.size() * 2, cudaMemcpyHostToDevice);
  cudaMemset(C, 0xff, size_t(M) * N * 4);
  launch(M, N, K, A, B, C);
  reference<<<dim3(N / 128, M), 128>>>(M, N, K, A, B, R);
  std::vector<float> c(size_t(M) * N), r(size_t(M) * N);
  cudaMemcpy(c.data(), C, c.size() * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(r.data(), R, r.size() * 4, cudaMemcpyDeviceToHost);
  if (auto error = cudaGetLastError(); error != cudaSuccess) return std::printf("%s\n", cudaGetErrorString(error)), 1;
  size_t wrong = 0;
  for (size_t i = 0; i < c.size(); ++i) wrong += c[i] != r[i];
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  float best = 1e9;
  for (int run = 0; run < 20; ++run) {
    float ms;
    cudaEventRecord(begin);
    launch(M, N, K, A, B, C);
    cudaEventRecord(end), cudaEventSynchronize(end), cudaEventElapsedTime(&ms, begin, end);
    best = ms < best ? ms : best;
  }
  std::printf("%5d x %5d x %5d: %zu of %zu elements differ, best of 20: %.3f ms, %.0f TFLOP/s\n", M, N, K, wrong, c.size(),
              best, 2.0 * M * N * K / best / 1e9);
  cudaFree(A), cudaFree(B), cudaFree(C), cudaFree(R);
  return wrong != 0;
}

int main() {
  int failed = 0;
  for (int k : {64, 128, 192, 256, 320, 4096}) failed += check(128, 128, k);  // fewer tiles than stages, as many, more
  failed += check(256, 384, 1024) + check(4096, 4096, 4096);
  return failed;
}
