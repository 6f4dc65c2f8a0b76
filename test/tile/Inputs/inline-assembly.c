// See inline-assembly.test.

#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef unsigned uint2 __attribute__((ext_vector_type(2)));

_Alignas(16) float from[8] = {1, 2, 3, 4, 5, 6, 7, 8};
_Alignas(16) float to[8];

static uint64_t pack(const void *first, const void *second, void *third) {
  uint64_t packed;
  __asm__("tapack %0, %1, %2, %3"
          : "=r"(packed)
          : "r"(first), "r"(second), "r"(third));
  return packed;
}

int main() {
  uint32_t a = (uint32_t)from, b = (uint32_t)to;
  uint64_t low = (a & 0x1fffff) | b << 21,
           high = (a & 0x1fffff) | (b >> 11 & 0x3ff) << 21;
  printf("packed %d\n", pack(from, from, to) == (high << 32 | low));

  // Copies two pairs: both addresses are in the operand, and move.
  uint64_t addresses = pack(from, from, to);
  float2 values;
  __asm__ volatile("ld64 %0, %1, $m15, 0" : "=r"(values) : "r"(from));
  __asm__ volatile("ldst64pace %0, %0, %1+=, $m15, 0"
                   : "+r"(values), "+r"(addresses));
  uint2 words;
  memcpy(&words, &addresses, sizeof(words));
  __asm__ volatile("st64pace %0, %1+=, $m15, 0"
                   :
                   : "r"(values), "r"(words)
                   : "memory");
  printf("copied %.1f %.1f %.1f %.1f %.1f\n", to[0], to[1], to[2], to[3],
         to[4]);

  float4 quad = {1.5f, -2, from[3], from[4]};
  half4 halves;
  __asm__("f32v4tof16 %0, %1" : "=r"(halves) : "r"(quad));
  printf("halves %.1f %.1f %.1f %.1f\n", (float)halves[0], (float)halves[1],
         (float)halves[2], (float)halves[3]);

  // A scalar is the lower half of a register.
  static _Float16 many[4] = {1.5f, 2, 3, 4};
  _Float16 loaded16, sum = 3;
  __asm__("ldb16 %0, $m15, %1, 1" : "=r"(loaded16) : "r"(many), "m"(many));
  __asm__("f16v2add %0, %0, %1" : "+r"(sum) : "r"((_Float16)0.25f));
  float wide;
  __asm__("f16tof32 %0, %1" : "=r"(wide) : "r"(many[2]));
  printf("half %.1f %.2f %.1f\n", (float)loaded16, (float)sum, wide);

  // In memory: variables of the stack, near and far, and others.
  struct {
    int many[2000], last;
  } local;
  int near = 4, hidden = 5, loaded;
  __asm__ volatile("" : "+m"(hidden), "+m"(local));
  __asm__ volatile("st32 %1, %0" : "=m"(local.last) : "r"(near + hidden));
  __asm__("ld32 %0, %1" : "=r"(loaded) : "m"(local.last));
  float value;
  __asm__("ld32 %0, %1" : "=r"(value) : "m"(from[6]));
  printf("memory %d %.1f\n", loaded, value);
}
