// Prints results of builtins whose values are known.
#include <ipu_intrinsics>
#include <limits>
#include <poplar/TileConstants.hpp>
#include <stdio.h>

static void clearAccumulators() {
  __builtin_ipu_uput(1 << CSR_W_FP_CLR__ZAACC__SHIFT, CSR_W_FP_CLR__INDEX);
}

static void accumulators() {
  const float2 x[] = {{1, 2}, {3, 4}}, y[] = {{2, 3}, {4, 6}};
  clearAccumulators();
  for (int i = 0; i != 2; ++i)
    __builtin_ipu_f32v2mac(x[i], y[i]);
  float2 sums = __builtin_ipu_f32v2gina((float2){0, 0}, 0);
  printf("dot %g\n", sums[0] + sums[1]); // 2 + 6 + 12 + 24

  half4 h = {1, 2, 3, 4}, g = {10, 10, 10, 10};
  clearAccumulators();
  __builtin_ipu_f16v4cmac(h, g);
  __builtin_ipu_f16v2cmac(half2{h[0], h[1]}, (half2){4, 3});
  sums = __builtin_ipu_f32v2gina((float2){0, 0}, 0);
  printf("halves %g\n", sums[0] + sums[1]); // 100 + 10

  clearAccumulators();
  __builtin_ipu_uputf(2, CSR_W_TAS__INDEX);
  __builtin_ipu_f32v2axpy((float2){1, 2}, (float2){4, 6}); // 2 * 4 + 1, ...
  sums = __builtin_ipu_f32v2axpy((float2){0, 0}, (float2){0, 0});
  printf("axpy %g %g\n", sums[0], sums[1]);

  // $TAS holds two halves: 1 and 2.
  clearAccumulators();
  half2 scales = {1, 2};
  __builtin_ipu_uput(__builtin_bit_cast(unsigned, scales), CSR_W_TAS__INDEX);
  __builtin_ipu_f16v4mix((half4){1, 2, 0, 0}, (half4){2, 3, 0, 0});
  half4 mixed = __builtin_ipu_f16v4gacc();
  printf("mix %g %g\n", (float)mixed[0], (float)mixed[1]);
}

int main() {
  accumulators();
  half4 c = __builtin_ipu_clamp((half4){-5, 7, 0.5, 2}, (half2){-1, 2});
  printf("clamp %g %g %g %g\n", (float)c[0], (float)c[1], (float)c[2],
         (float)c[3]);
  float2 mask = __builtin_ipu_cmplt((float2){1, 2}, (float2){2, 2});
  mask = __builtin_ipu_and_v2f32(mask, (float2){1, 1});
  printf("mask %g %g\n", mask[0], mask[1]);
  short4 k = __builtin_ipu_class((half4){-2, 3, 0, __builtin_inff16()});
  printf("class %d %d %d %d\n", k[0], k[1], k[2], k[3]);
  printf("nan %d %d %d\n", __builtin_ipu_isnan(__builtin_nanf("")) != 0,
         __builtin_ipu_isinf(1.0f) != 0,
         __builtin_ipu_isfinite(__builtin_inff()) != 0);
  float2 s = __builtin_ipu_f16v4sum((half4){1, 2, 3, 4});
  printf("sums %g %g %g\n", s[0], s[1],
         (float)__builtin_ipu_f16v2maxc(
             __builtin_ipu_f16v4maxc((half4){1, 2, 3, 4})));
  // The third address is split over the upper bits of both words.
  uint2 t =
      __builtin_ipu_tapack((void *)0x25100, (void *)0x9020, (void *)(7 << 14));
  printf("pack %x %x %x\n", t[0] & 0x1fffff, t[1], (unsigned)(t[0] & 0x1fffff));
  unsigned long long u = __builtin_ipu_urand64();
  float f = __builtin_ipu_urand_f32();
  printf("random %d\n",
         u != __builtin_ipu_urand64() && f >= -0.5f && f <= 0.5f);
  half4 sg = ipu::sigmoid((half4){0, 1, 2, 0});
  printf("sigmoid %g %g\n", (float)sg[0], (float)sg[3]);
  float2 r = ipu::rsqrt((float2){4, 16});
  printf("rsqrt %g %g\n", r[0], r[1]);
  printf("limits %g %g %g\n", (float)std::numeric_limits<half>::max(),
         (float)std::numeric_limits<half>::lowest(), (float)1.5_h);
  return 0;
}
