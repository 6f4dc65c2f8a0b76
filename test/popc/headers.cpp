// Every device header compiles on its own and works for the host. On a tile the
// header of halves alone brings all vector types.
// RUN: popc %s -Wall -Werror -o %t.gp
// RUN: ar p %t.gp headers.cpp.cpu.o > %t.so
// RUN: python3 %S/Inputs/call.py %t.so check | FileCheck %s
// CHECK: 42

#ifdef __IPU__
#include <poplar/HalfFloat.hpp>
static_assert(sizeof(short4) == 8 && sizeof(half4) == 8);
#endif

#include <arch/gc_tile_defines.h>
#include <ipu_builtins.h>
#include <ipu_intrinsics>
#include <ipu_memory_intrinsics>
#include <ipu_vector_math>
#include <ipudef.h>
#include <limits>
#include <poplar/Alignment.hpp>
#include <poplar/AvailableVTypes.h>
#include <poplar/FieldTypes.hpp>
#include <poplar/HalfFloat.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/InOutTypes.hpp>
#include <poplar/Loops.hpp>
#include <poplar/StackSizeDefs.hpp>
#include <poplar/TileConstants.hpp>
#include <poplar/VectorTypes.hpp>
#include <poplar/Vertex.hpp>
#include <print.h>

static_assert(sizeof(half4) == 8 && sizeof(float2) == 8 && sizeof(char4) == 4);
static_assert((CSR_W_FP_CTL__INDEX & CSR_W_WSR__CTXTID_M1__MASK) == 2);
static_assert(CTXT_WORKERS == 6);
namespace standard {
using namespace poplar;
using namespace std;
static_assert(is_integral_v<int> && !is_integral_v<half>);
} // namespace standard
static_assert(std::numeric_limits<half>::max() == 65504.0_h);
#ifdef __IPU__
static_assert(poplar::MultiVertex::numWorkers() == 6);
#else
static_assert(poplar::MultiVertex::numWorkers() == 1);
#endif

DEF_STACK_USAGE(16, "check")

extern "C" int check() {
  float values[] = {1, 2, 3, 4};
  const float *p = values;
  float sum = ipu::load_postinc(&p, 2) + *p; // 1 + 3
  float *q = values;
  ipu::store_postinc(&q, sum, 1);
  float2 v = {values[0], -q[0]};             // 4, -2
  v = ipu::fmax(ipu::fabs(v), float2{0, 0}); // 4, 2
  float2 r = ipu::rsqrt(float2{4, 1});       // 0.5, 1
  half4 h = {half(v[0]), half(v[1]), 3, 4};  // 4, 2, 3, 4
  h = h * half4{1, 2, 1, 1};                 // 4, 4, 3, 4
  float s = ipu::sigmoid(0.0f);              // 0.5
  if (poplar::IeeeHalf(1.5f).bit16() != 0x3e00 ||
      float(poplar::IeeeHalf::fromBits(0xc000)) != -2 ||
      ipu::andc(v, float2{-0.0f, -0.0f})[1] != 2 ||
      ipu::fmod(half2{5, 7}, half2{3, 4})[1] != 3 ||
      ipu::erf(half4{0, 0, 0, 0})[3] != 0)
    return 0;
  return int(h[0] + h[1] + h[2] + h[3] + 25 + r[0] + r[1] + s);
}
