// What Hopper's units do, case by case: TMA tiles, matrix descriptors, pipelines. Cases come in as lines, results go out as JSON.
//
//   hopper tiles < cases        id item rank sizes.. box.. span base start..       sizes and boxes fastest mode first
//   hopper descriptors < cases  id type operand major bits start                  bits: the 64 bits without a start address
//   hopper rates < cases        as descriptors; cycles of one wgmma
//   hopper pipelines < cases    id loop stages mma tile_bytes threads
//
// Built by hopper.py. One line of JSON for each case; a case that ends in an illegal instruction ends the program.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <cuda.h>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                  \
  do {                                                                                               \
    cudaError_t status_ = (call);                                                                    \
    if (status_ != cudaSuccess) {                                                                    \
      std::fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));           \
      std::exit(3);                                                                                  \
    }                                                                                                \
  } while (0)

__device__ uint32_t shared_address(void const* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

// ---------------------------------------------------------------- barriers and copies

__device__ void barrier_init(uint64_t* bar, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(count));
}
__device__ void barrier_expect(uint64_t* bar, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(bar)), "r"(bytes) : "memory");
}
__device__ void barrier_arrive(uint64_t* bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(bar)) : "memory");
}
__device__ void barrier_wait(uint64_t* bar, int phase) {
  asm volatile(
      "{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@done bra.uni READY;\n"
      "bra.uni AGAIN;\nREADY:\n}" ::"r"(shared_address(bar)), "r"(phase) : "memory");
}
__device__ void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ void fence_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

__device__ void tma_load(CUtensorMap const* map, uint64_t* bar, void* to, int rank, int const* at) {
  uint32_t const d = shared_address(to), b = shared_address(bar);
  uint64_t const m = reinterpret_cast<uint64_t>(map);
#define LOAD(n, list, ...)                                                                                              \
  asm volatile("cp.async.bulk.tensor." #n "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " list \
               "], [%2];" ::"r"(d), "l"(m), "r"(b), __VA_ARGS__ : "memory")
  if (rank == 1) LOAD(1, "{%3}", "r"(at[0]));
  if (rank == 2) LOAD(2, "{%3, %4}", "r"(at[0]), "r"(at[1]));
  if (rank == 3) LOAD(3, "{%3, %4, %5}", "r"(at[0]), "r"(at[1]), "r"(at[2]));
  if (rank == 4) LOAD(4, "{%3, %4, %5, %6}", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]));
#undef LOAD
}

__device__ void bulk_load(void* to, void const* from, uint32_t bytes, uint64_t* bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(bar))
               : "memory");
}

// ---------------------------------------------------------------- tiles

struct Start {
  int at[4];
};

__global__ void load_tile(const __grid_constant__ CUtensorMap map, int rank, Start start, int base, int span, int bytes,
                          uint8_t* out) {
  extern __shared__ uint8_t raw[];
  __shared__ alignas(8) uint64_t bar;
  uint8_t* memory = raw + (1024 - shared_address(raw) % 1024) % 1024;
  for (int i = threadIdx.x; i < span; i += blockDim.x) memory[i] = 0xFF;
  if (threadIdx.x == 0) {
    barrier_init(&bar, 1);
    fence_init();
  }
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    barrier_expect(&bar, bytes);
    tma_load(&map, &bar, memory + base, rank, start.at);
  }
  barrier_wait(&bar, 0);
  __syncthreads();
  for (int i = threadIdx.x; i < span; i += blockDim.x) out[i] = memory[i];
}

using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, cuuint64_t const*, cuuint64_t const*,
                            cuuint32_t const*, cuuint32_t const*, CUtensorMapInterleave, CUtensorMapSwizzle,
                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

Encode encoder() {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result;
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result));
  return reinterpret_cast<Encode>(found);
}

CUtensorMap make_map(void* data, int item, int rank, std::vector<uint64_t> const& sizes, std::vector<uint32_t> const& box,
                     int span, bool* good) {
  CUtensorMap map;
  std::vector<cuuint64_t> strides;
  uint64_t stride = (sizes[0] * item + 15) / 16 * 16;
  for (int i = 1; i < rank; ++i) {
    strides.push_back(stride);
    stride *= sizes[i];
  }
  strides.push_back(stride);
  std::vector<cuuint32_t> steps(rank, 1);
  auto type = item == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
              : item == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
              : item == 4 ? CU_TENSOR_MAP_DATA_TYPE_UINT32
                          : CU_TENSOR_MAP_DATA_TYPE_UINT64;
  auto swizzle = span == 0    ? CU_TENSOR_MAP_SWIZZLE_NONE
                 : span == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                 : span == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                              : CU_TENSOR_MAP_SWIZZLE_128B;
  CUresult done = encoder()(&map, type, rank, data, sizes.data(), strides.data(), box.data(), steps.data(),
                            CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  *good = done == CUDA_SUCCESS;
  return map;
}

void tiles() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream in(line);
    int id, item, rank, span, base;
    if (!(in >> id >> item >> rank)) continue;
    std::vector<uint64_t> sizes(rank);
    std::vector<uint32_t> box(rank);
    for (auto& x : sizes) in >> x;
    for (auto& x : box) in >> x;
    in >> span >> base;
    Start start{};
    for (int i = 0; i < rank; ++i) in >> start.at[i];
    uint64_t const pitch = (sizes[0] * item + 15) / 16 * 16;
    uint64_t rows = 1, high = 1, count = 1;
    for (int i = 1; i < rank; ++i) rows *= sizes[i], high *= box[i];
    count = rows * sizes[0];
    int const row_bytes = span ? span : box[0] * item;
    int const memory = base + int(high) * row_bytes;
    // An element of 1 byte says its number in three digits, one a load; wider ones say number + 1. 0: zero; all ones: untouched.
    int const passes = item == 1 ? 3 : 1;
    std::vector<long long> held(memory / item, 0);
    bool good = true;
    for (int pass = 0; pass < passes && good; ++pass) {
      std::vector<uint8_t> host(rows * pitch, 0);
      for (uint64_t n = 0; n < count; ++n) {
        uint64_t digit = n;
        for (int i = 0; i < pass; ++i) digit /= 250;
        uint64_t const value = item == 1 ? 1 + digit % 250 : n + 1;
        std::memcpy(host.data() + n / sizes[0] * pitch + n % sizes[0] * item, &value, item);
      }
      uint8_t *device, *out;
      CHECK(cudaMalloc(&device, host.size()));
      CHECK(cudaMalloc(&out, memory));
      CHECK(cudaMemcpy(device, host.data(), host.size(), cudaMemcpyHostToDevice));
      CUtensorMap map = make_map(device, item, rank, sizes, box, span, &good);
      if (good) {
        CHECK(cudaFuncSetAttribute(load_tile, cudaFuncAttributeMaxDynamicSharedMemorySize, memory + 1024));
        load_tile<<<1, 128, memory + 1024>>>(map, rank, start, base, memory, int(high) * box[0] * item, out);
        CHECK(cudaDeviceSynchronize());
        std::vector<uint8_t> back(memory);
        CHECK(cudaMemcpy(back.data(), out, memory, cudaMemcpyDeviceToHost));
        long long scale = 1;
        for (int i = 0; i < pass; ++i) scale *= 250;
        for (int i = 0; i < memory / item; ++i) {
          uint64_t value = 0;
          std::memcpy(&value, back.data() + i * item, item);
          uint64_t const ones = item == 8 ? ~0ull : (1ull << 8 * item) - 1;
          long long const said = value == ones ? -1 : value == 0 ? -2 : (long long)value - 1;
          held[i] = said < 0 ? said : (pass ? held[i] : 0) + said * scale;
        }
      }
      CHECK(cudaFree(device));
      CHECK(cudaFree(out));
    }
    std::printf("{\"id\":%d,\"made\":%s,\"smem\":[", id, good ? "true" : "false");
    if (good)
      for (size_t i = 0; i < held.size(); ++i) std::printf("%s%lld", i ? "," : "", held[i]);
    std::printf("]}\n");
    std::fflush(stdout);
  }
}

// ---------------------------------------------------------------- descriptors

__device__ void wgmma_arrive() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
__device__ void wgmma_wait() { asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); }

// Sums must not be used before the wait: the compiler sees them change here.
__device__ void pin(float& x) { asm volatile("" : "+f"(x)::"memory"); }
__device__ void pin(int& x) { asm volatile("" : "+r"(x)::"memory"); }

#define D4 "{%0, %1, %2, %3}"
#define D32                                                                                                          \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, " \
  "%24, %25, %26, %27, %28, %29, %30, %31}"
#define R4(c, d) c(d[0]), c(d[1]), c(d[2]), c(d[3])
#define R32(c, d)                                                                                                  \
  R4(c, d), c(d[4]), c(d[5]), c(d[6]), c(d[7]), c(d[8]), c(d[9]), c(d[10]), c(d[11]), c(d[12]), c(d[13]), c(d[14]), \
      c(d[15]), c(d[16]), c(d[17]), c(d[18]), c(d[19]), c(d[20]), c(d[21]), c(d[22]), c(d[23]), c(d[24]), c(d[25]), \
      c(d[26]), c(d[27]), c(d[28]), c(d[29]), c(d[30]), c(d[31])

enum Type { F16, E4M3, S8, TF32 };

// D(64 x 8) = A B from shared memory; D(64 x 64) = A B with A in registers. MN: the operand under test is MN-major.
template <Type T, bool MN>
struct Wgmma;

#define WGMMA(T, MN, SUM, c, name, tail_a, tail_b)                                                                    \
  template <>                                                                                                         \
  struct Wgmma<T, MN> {                                                                                               \
    using Sum = SUM;                                                                                                  \
    static __device__ void a(SUM (&d)[4], uint64_t da, uint64_t db) {                                                 \
      asm volatile("wgmma.mma_async.sync.aligned.m64n8" name " " D4 ", %4, %5, 1" tail_a ";"                          \
                   : R4("+" c, d)                                                                                     \
                   : "l"(da), "l"(db));                                                                               \
    }                                                                                                                 \
    static __device__ void b(SUM (&d)[32], uint32_t const (&r)[4], uint64_t db) {                                     \
      asm volatile("wgmma.mma_async.sync.aligned.m64n64" name " " D32 ", {%32, %33, %34, %35}, %36, 1" tail_b ";"     \
                   : R32("+" c, d)                                                                                    \
                   : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(db));                                            \
    }                                                                                                                 \
  };
WGMMA(F16, false, float, "f", "k16.f32.f16.f16", ", 1, 1, 0, 0", ", 1, 1, 0")
WGMMA(F16, true, float, "f", "k16.f32.f16.f16", ", 1, 1, 1, 0", ", 1, 1, 1")
WGMMA(E4M3, false, float, "f", "k32.f32.e4m3.e4m3", ", 1, 1", ", 1, 1")
WGMMA(TF32, false, float, "f", "k8.f32.tf32.tf32", ", 1, 1", ", 1, 1")
WGMMA(S8, false, int, "r", "k32.s32.s8.s8", "", "")

constexpr int REGION = 48 * 1024;  // bytes of the operand under test
constexpr int UNIT = 2048;         // bytes of the unit operand beside it

template <Type T>
struct Kind {
  static constexpr int item = T == F16 ? 2 : T == TF32 ? 4 : 1;
  static constexpr int k = 32 / item;
  static constexpr int base = T == E4M3 ? 16 : T == S8 ? 100 : 1024;  // digits that the type holds exactly
  static constexpr int digits = T == E4M3 ? 4 : T == S8 ? 3 : 2;
};

// The bits of a small whole number.
template <Type T>
__device__ uint32_t bits_of(int n) {
  if (T == S8) return n;
  uint32_t const f = __float_as_uint(float(n));
  if (T == TF32) return f;
  int const e = int(f >> 23) - 127, mantissa_bits = T == F16 ? 10 : 3, bias = T == F16 ? 15 : 7;
  if (n == 0) return 0;
  return uint32_t(e + bias) << mantissa_bits | (f >> (23 - mantissa_bits) & ((1u << mantissa_bits) - 1));
}

template <Type T>
__device__ void put(uint8_t* at, uint32_t bits) {
  if (Kind<T>::item == 1) *at = bits;
  if (Kind<T>::item == 2) *reinterpret_cast<uint16_t*>(at) = bits;
  if (Kind<T>::item == 4) *reinterpret_cast<uint32_t*>(at) = bits;
}

template <Type T, bool MN, bool B>
__global__ void __launch_bounds__(128) read_operand(uint64_t bits, int start, int* out) {
  extern __shared__ uint8_t raw[];
  using K = Kind<T>;
  using W = Wgmma<T, MN>;
  uint8_t* region = raw + (1024 - shared_address(raw) % 1024) % 1024;
  uint8_t* unit = region + REGION;
  int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint64_t const tested = bits + (uint64_t(shared_address(region) + start) >> 4);
  uint64_t const known = (uint64_t(shared_address(unit)) >> 4) | (uint64_t(128 >> 4) << 16) | (uint64_t(256 >> 4) << 32);
  int scale = 1;
  for (int digit = 0; digit < K::digits; ++digit, scale *= K::base) {
    for (int i = threadIdx.x; i < REGION / K::item; i += 128) put<T>(region + i * K::item, bits_of<T>(i / scale % K::base));
    for (int first = 0; first < (B ? 1 : K::k); first += 8) {
      // A under test: B holds 1 at (n, k = first + n), K-major without swizzle, 128 bytes from core matrix to core matrix.
      for (int i = threadIdx.x; i < 8 * K::k; i += 128) {
        int const n = i / K::k, k = i % K::k, per = 16 / K::item;
        put<T>(unit + n * 16 + k / per * 128 + k % per * K::item, bits_of<T>(k == first + n));
      }
      __syncthreads();
      fence_async();
      __syncthreads();
      if constexpr (B) {
        typename W::Sum d[32] = {};
        uint32_t a[4];  // A holds 1 at (m, k = m), in registers: rows lane / 4 and + 8, bytes 4 (lane % 4) and + 16
        for (int r = 0; r < 4; ++r) {
          int const m = 16 * warp + lane / 4 + 8 * (r & 1);
          a[r] = 0;
          for (int e = 0; e < 4 / K::item; ++e) {
            int const k = (lane % 4 * 4 + 16 * (r >> 1)) / K::item + e;
            a[r] |= bits_of<T>(k == m) << (8 * K::item * e);
          }
        }
        wgmma_arrive();
        W::b(d, a, tested);
        wgmma_commit();
        wgmma_wait();
        for (int i = 0; i < 32; ++i) pin(d[i]);
        for (int i = 0; i < 32; ++i) {
          int const m = 16 * warp + lane / 4 + 8 * (i / 2 % 2), n = lane % 4 * 2 + i % 2 + 8 * (i / 4);
          if (m < K::k) out[n * K::k + m] = (digit ? out[n * K::k + m] : 0) + int(d[i]) * scale;
        }
      } else {
        typename W::Sum d[4] = {};
        wgmma_arrive();
        W::a(d, tested, known);
        wgmma_commit();
        wgmma_wait();
        for (int i = 0; i < 4; ++i) pin(d[i]);
        for (int i = 0; i < 4; ++i) {
          int const m = 16 * warp + lane / 4 + 8 * (i / 2), k = first + lane % 4 * 2 + i % 2;
          out[m * K::k + k] = (digit ? out[m * K::k + k] : 0) + int(d[i]) * scale;
        }
      }
      __syncthreads();
    }
  }
}

// The cycles of 8 * times wgmma on eight accumulators, one warpgroup.
template <Type T, bool MN>
__global__ void __launch_bounds__(128) time_operand(uint64_t bits, int start, int times, float* out) {
  extern __shared__ uint8_t raw[];
  uint8_t* region = raw + (1024 - shared_address(raw) % 1024) % 1024;
  for (int i = threadIdx.x; i < REGION + UNIT; i += 128) region[i] = 0;
  uint64_t const tested = bits + (uint64_t(shared_address(region) + start) >> 4);
  uint64_t const known =
      (uint64_t(shared_address(region + REGION)) >> 4) | (uint64_t(128 >> 4) << 16) | (uint64_t(256 >> 4) << 32);
  typename Wgmma<T, MN>::Sum d[8][4] = {};
  __syncthreads();
  fence_async();
  __syncthreads();
  long long const before = clock64();
  wgmma_arrive();
#pragma unroll 1
  for (int i = 0; i < times; ++i)
#pragma unroll
    for (int j = 0; j < 8; ++j) Wgmma<T, MN>::a(d[j], tested, known);
  wgmma_commit();
  wgmma_wait();
  for (int j = 0; j < 8; ++j)
    for (int i = 0; i < 4; ++i) pin(d[j][i]);
  long long const took = clock64() - before;
  float sum = 0;
  for (int j = 0; j < 8; ++j)
    for (int i = 0; i < 4; ++i) sum += float(d[j][i]);
  if (threadIdx.x == 0) out[0] = float(took) + (sum == 1.5f);
}

template <Type T, bool MN>
void run_operand(int id, bool b, bool rate, uint64_t bits, int start) {
  int const size = REGION + UNIT + 1024;
  int* out;
  CHECK(cudaMalloc(&out, 64 * 64 * sizeof(int)));
  CHECK(cudaMemset(out, 0, 64 * 64 * sizeof(int)));
  auto kernel = b ? read_operand<T, MN, true> : read_operand<T, MN, false>;
  if (rate) {
    CHECK(cudaFuncSetAttribute(time_operand<T, MN>, cudaFuncAttributeMaxDynamicSharedMemorySize, size));
    float* times = reinterpret_cast<float*>(out);
    for (int i = 0; i < 3; ++i) {  // the first is for warming up; the second has 128, the third 640
      time_operand<T, MN><<<1, 128, size>>>(bits, start, i == 2 ? 80 : 16, times + i);
    }
  } else {
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, size));
    kernel<<<1, 128, size>>>(bits, start, out);
  }
  CHECK(cudaDeviceSynchronize());
  std::vector<int> back(64 * Kind<T>::k);
  CHECK(cudaMemcpy(back.data(), out, back.size() * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(out));
  if (rate) {
    float cycles[3];
    std::memcpy(cycles, back.data(), sizeof cycles);
    std::printf("{\"id\":%d,\"cycles\":%.2f}\n", id, (cycles[2] - cycles[1]) / 512);
  } else {
    std::printf("{\"id\":%d,\"element\":[", id);
    for (size_t i = 0; i < back.size(); ++i) std::printf("%s%d", i ? "," : "", back[i]);
    std::printf("]}\n");
  }
  std::fflush(stdout);
}

void descriptors(bool rate) {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream in(line);
    int id, start;
    std::string type, operand, major;
    uint64_t bits;
    if (!(in >> id >> type >> operand >> major >> bits >> start)) continue;
    bool const b = operand == "B";
    if (type == "f16" && major == "MN") run_operand<F16, true>(id, b, rate, bits, start);
    else if (type == "f16") run_operand<F16, false>(id, b, rate, bits, start);
    else if (type == "e4m3") run_operand<E4M3, false>(id, b, rate, bits, start);
    else if (type == "s8") run_operand<S8, false>(id, b, rate, bits, start);
    else run_operand<TF32, false>(id, b, rate, bits, start);
  }
}

// ---------------------------------------------------------------- pipelines

__device__ void spin(int cycles) {
  if (cycles <= 0) return;
  long long const until = clock64() + cycles;
  while (clock64() < until) {
  }
}

__device__ void copy16(void* to, void const* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}
__device__ void copies_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N>
__device__ void copies_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

// All threads copy and multiply: tile k + S - 1 is asked for when tile k has arrived.
template <int S>
__global__ void together(uint8_t const* from, int tile, int tiles, int mma, long long* took) {
  extern __shared__ __align__(1024) uint8_t memory[];
  auto issue = [&](int k) {
    if (k < tiles)
      for (int i = threadIdx.x * 16; i < tile; i += blockDim.x * 16)
        copy16(memory + k % S * tile + i, from + size_t(k) * tile + i);
    copies_commit();
  };
  __syncthreads();
  long long const before = clock64();
  if constexpr (S == 1) {
    for (int k = 0; k < tiles; ++k) {
      issue(k);
      copies_wait<0>();
      __syncthreads();
      spin(mma);
      __syncthreads();
    }
  } else {
    for (int k = 0; k < S - 1; ++k) issue(k);
    for (int k = 0; k < tiles; ++k) {
      copies_wait<S - 2>();
      __syncthreads();
      issue(k + S - 1);
      spin(mma);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) took[0] = clock64() - before;
}

// A warp of its own copies, as soon as a stage is free; the others multiply. TENSOR: a box of a matrix instead of a run of bytes.
template <int S, bool TENSOR>
__global__ void producer(const __grid_constant__ CUtensorMap map, uint8_t const* from, int tile, int tiles, int mma,
                         long long* took) {
  extern __shared__ __align__(1024) uint8_t memory[];
  __shared__ alignas(8) uint64_t full[S], empty[S];
  int const workers = blockDim.x - 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < S; ++s) {
      barrier_init(&full[s], 1);
      barrier_init(&empty[s], workers);
    }
    fence_init();
  }
  __syncthreads();
  long long const before = clock64();
  if (int(threadIdx.x) >= workers) {
    if (int(threadIdx.x) == workers) {
      for (int k = 0; k < tiles; ++k) {
        int const s = k % S;
        if (k >= S) barrier_wait(&empty[s], (k / S - 1) & 1);
        barrier_expect(&full[s], tile);
        if constexpr (TENSOR) {
          int const at[4] = {0, k * (tile / 128), 0, 0};
          for (int row = 0; row < tile / 128; row += 128) {
            int const here[4] = {0, at[1] + row, 0, 0};
            tma_load(&map, &full[s], memory + s * tile + row * 128, 2, here);
          }
        } else {
          bulk_load(memory + s * tile, from + size_t(k) * tile, tile, &full[s]);
        }
      }
    }
  } else {
    for (int k = 0; k < tiles; ++k) {
      int const s = k % S;
      barrier_wait(&full[s], k / S & 1);
      spin(mma);
      barrier_arrive(&empty[s]);
    }
    if (threadIdx.x == 0) took[0] = clock64() - before;
  }
}

template <int S>
void run_pipeline(std::string const& loop, int tile, int tiles, int threads, int mma, uint8_t* from, CUtensorMap const& map,
                  long long* took) {
  int const size = S * tile;
  if (loop == "together") {
    CHECK(cudaFuncSetAttribute(together<S>, cudaFuncAttributeMaxDynamicSharedMemorySize, size));
    together<S><<<1, threads, size>>>(from, tile, tiles, mma, took);
  } else if (loop == "producer tensor") {
    CHECK(cudaFuncSetAttribute(producer<S, true>, cudaFuncAttributeMaxDynamicSharedMemorySize, size));
    producer<S, true><<<1, threads + 32, size>>>(map, from, tile, tiles, mma, took);
  } else {
    CHECK(cudaFuncSetAttribute(producer<S, false>, cudaFuncAttributeMaxDynamicSharedMemorySize, size));
    producer<S, false><<<1, threads + 32, size>>>(map, from, tile, tiles, mma, took);
  }
}

void pipelines() {
  int const most = 192;
  std::string line;
  long long* took;
  CHECK(cudaMalloc(&took, sizeof(long long)));
  while (std::getline(std::cin, line)) {
    std::istringstream in(line);
    int id, stages, mma, tile, threads;
    std::string loop, word;
    if (!(in >> id >> loop >> stages >> mma >> tile >> threads)) continue;
    std::string const name = loop == "tensor" ? "producer tensor" : loop;
    uint8_t* from;
    CHECK(cudaMalloc(&from, size_t(most) * tile));
    CHECK(cudaMemset(from, 1, size_t(most) * tile));
    bool good = true;
    CUtensorMap map = make_map(from, 2, 2, {64, uint64_t(most) * tile / 128}, {64, uint32_t(std::min(tile / 128, 128))}, 128, &good);
    if (!good) std::exit(4);
    auto cycles = [&](int tiles) {
      std::vector<long long> found;
      for (int i = 0; i < 9; ++i) {
        switch (stages) {
#define CASE(S) \
  case S: run_pipeline<S>(name, tile, tiles, threads, mma, from, map, took); break;
          CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6)
#undef CASE
        }
        CHECK(cudaDeviceSynchronize());
        long long one;
        CHECK(cudaMemcpy(&one, took, sizeof one, cudaMemcpyDeviceToHost));
        found.push_back(one);
      }
      std::sort(found.begin(), found.end());
      return found[4];
    };
    cycles(most);
    long long const first = cycles(1), few = cycles(64), many = cycles(most);
    std::printf("{\"id\":%d,\"cycles_a_tile\":%.1f,\"first_tile\":%lld}\n", id, double(many - few) / (most - 64), first);
    std::fflush(stdout);
    CHECK(cudaFree(from));
  }
}

int main(int argc, char** argv) {
  std::string const what = argc > 1 ? argv[1] : "";
  if (what == "tiles") tiles();
  else if (what == "descriptors") descriptors(false);
  else if (what == "rates") descriptors(true);
  else if (what == "pipelines") pipelines();
  else {
    std::fprintf(stderr, "say tiles, descriptors, rates or pipelines\n");
    return 2;
  }
  return 0;
}
