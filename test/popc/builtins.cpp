// The builtins, by their full names and by those that ipu_builtins.h overloads.
// RUN: popc --target=ipu2 -O2 -Wall -Werror -S %s -o - | FileCheck %s
// RUN: popc --target=ipu2 -O0 -Wall -Werror -c %s -o %t.o
// RUN: not popc --target=ipu2 -DVARIABLE -c %s -o %t.2.o 2> %t.variable
// RUN: FileCheck %s --check-prefix=VARIABLE < %t.variable
// RUN: not popc --target=ipu2 -DLARGE -c %s -o %t.2.o 2> %t.large
// RUN: FileCheck %s --check-prefix=LARGE < %t.large
// RUN: not ls %t.2.o

#include <ipu_intrinsics>
#include <poplar/TileConstants.hpp>

#define FUNCTION extern "C" __attribute__((noinline))
#define SUPERVISOR __attribute__((target("supervisor")))

#ifdef VARIABLE
// VARIABLE: builtins.cpp:[[#@LINE + 2]]:
// VARIABLE-SAME: argument to '__builtin_ipu_uget' must be a constant integer
unsigned variable(unsigned i) { return __builtin_ipu_uget(i); }
#endif
#ifdef LARGE
// LARGE: the constant operand of this builtin must be at most 255
unsigned large() { return __builtin_ipu_get(300); }
#endif

// CHECK-LABEL: lanes:
// CHECK-DAG: f32absadd
// CHECK-DAG: f32max
// CHECK-DAG: f32v2absmax
// CHECK-DAG: f32v2cmplt
// CHECK-DAG: f16v2min
// CHECK-DAG: f16v2cmpge
// CHECK-DAG: f16v4cmpeq
// CHECK-DAG: f16v4absadd
FUNCTION void lanes(float f, float2 v, half2 h, half4 q, float2 *out,
                    half4 *o) {
  float a = __builtin_ipu_max(__builtin_ipu_absadd(f, f), f);
  *out = __builtin_ipu_cmplt(__builtin_ipu_absmax(v, v), (float2){a, a});
  half2 m = __builtin_ipu_cmpge(__builtin_ipu_min(h, h), h);
  o[1] = __builtin_shufflevector(m, m, 0, 1, 0, 1);
  *o = __builtin_ipu_absadd(__builtin_ipu_f16v4cmpeq(q, q), q);
}

// CHECK-LABEL: functions:
// CHECK-DAG: f16v2exp
// CHECK-DAG: f16v2ln
// CHECK-DAG: f16v2sigm
// CHECK-DAG: f32exp
// CHECK-DAG: f32sigm
FUNCTION float functions(half2 h, float f, half2 *out) {
  *out = __builtin_ipu_sigm(__builtin_ipu_ln(__builtin_ipu_exp(h)));
  return __builtin_ipu_sigm(__builtin_ipu_exp(f));
}

// CHECK-LABEL: others:
// CHECK-DAG: f32clamp
// CHECK-DAG: f16v4clamp
// CHECK-DAG: f16v4sum
// CHECK-DAG: f16v2sum
// CHECK-DAG: f16v4maxc
// CHECK-DAG: f16v2maxc
// CHECK-DAG: f32v2class
// CHECK-DAG: f32int {{.*}}, 3
FUNCTION int others(float f, float2 v, half4 q, half2 h, float2 *out) {
  float c = __builtin_ipu_clamp(f, v);
  half4 d = __builtin_ipu_clamp(q, h);
  *out = __builtin_ipu_f16v4sum(d);
  c += __builtin_ipu_f16v2sum(h);
  c += (float)__builtin_ipu_f16v2maxc(__builtin_ipu_f16v4maxc(d));
  short2 k = __builtin_ipu_class(v);
  return k[0] + k[1] + (int)__builtin_ipu_f32int(c, TFPU_ROUND_ZERO);
}

// CHECK-LABEL: bits:
// CHECK: andc64
// CHECK: not64
// CHECK: roll32
// CHECK: sort4x32hi
FUNCTION float2 bits(float2 x, float2 y) {
  float2 a = __builtin_ipu_not_v2f32(__builtin_ipu_andc_v2f32(x, y));
  return __builtin_ipu_sort4x32hi(__builtin_ipu_roll32(a, y), x);
}

// The state of the accumulators is not a memory access: loads share the slots.
// CHECK-LABEL: dot:
// CHECK: uput $FP_CLR
// CHECK: {{[{].*ld64.*;.*f32v2mac}}
// CHECK: f32v2gina {{.*}}, 0
FUNCTION float dot(const float2 *x, const float2 *y) {
  __builtin_ipu_uput(1 << CSR_W_FP_CLR__ZAACC__SHIFT,
                     CSR_W_FP_CLR__INDEX & CSR_UPPER_MASK);
  __builtin_ipu_f32v2mac(x[0], y[0]);
  __builtin_ipu_f32v2mac(x[1], y[1]);
  __builtin_ipu_f32v2mac(x[2], y[2]);
  float2 sums = __builtin_ipu_f32v2gina((float2){0, 0}, 0);
  return sums[0] + sums[1];
}

// Four floats and eight halves are in four registers.
// CHECK-LABEL: quads:
// CHECK: f32v4acc $a{{0:3|4:7}}
// CHECK: f32v4absacc $a{{0:3|4:7}}
// CHECK: f32v4sqacc $a{{0:3|4:7}}
// CHECK: f16v8acc $a{{0:3|4:7}}
// CHECK: f16v8absacc $a{{0:3|4:7}}
// CHECK: f16v8sqacc $a{{0:3|4:7}}
FUNCTION void quads(const float4 *x, const half8 *y) {
  __builtin_ipu_f32v4acc(x[0]);
  __builtin_ipu_f32v4absacc(x[1]);
  __builtin_ipu_f32v4sqacc(x[2]);
  __builtin_ipu_f16v8acc(y[0]);
  __builtin_ipu_f16v8absacc(y[1]);
  __builtin_ipu_f16v8sqacc(y[2]);
}

// The operands of axpy change places: scale times the second one.
// CHECK-LABEL: scaled:
// CHECK: uput $TAS
// CHECK: f32v2axpy {{.*}}, $a2:3, $a0:1
// CHECK: f32v2axpy {{.*}}, $a2:3, $a0:1
FUNCTION float2 scaled(float2 x, float2 y, float scale) {
  __builtin_ipu_uputf(scale, CSR_W_TAS__INDEX);
  __builtin_ipu_f32v2axpy(x, y);
  return __builtin_ipu_f32v2axpy(x, y);
}

// CHECK-LABEL: matrix:
// CHECK: f16v4hihoamp
// CHECK: f16v4sisoamp
// CHECK: f32sisoamp
FUNCTION float2 matrix(half4 x, half2 h, float2 p, half2 *out) {
  *out = __builtin_ipu_f16v4hihoamp(x, h, TAMP_F16V4_E4_P0);
  p = __builtin_ipu_f16v4sisoamp(x, p, TAMP_F16V4_E4_P1);
  return __builtin_ipu_f32sisoamp(p[0], p, TAMP_F32_E4_P0);
}

// CHECK-LABEL: random:
// CHECK-DAG: urand64
// CHECK-DAG: f32sufromui
// CHECK-DAG: f16v2sufromui
// CHECK-DAG: f32v2grand
// CHECK-DAG: f32v2rmask
FUNCTION float2 random(float *f, half2 *h, unsigned long long *u) {
  *u = __builtin_ipu_urand64();
  *f = __builtin_ipu_urand_f32();
  *h = __builtin_ipu_urand_f16();
  return __builtin_ipu_f32v2rmask(__builtin_ipu_f32v2grand(), *f);
}

// CHECK-LABEL: weights:
// CHECK: put 80, $m0
// CHECK: ld64putcs 4
// CHECK: ld128putcs 8
// CHECK: get $m0, 96
FUNCTION SUPERVISOR unsigned weights(const void *from) {
  __builtin_ipu_put((unsigned)from, CSR_S_CCCSLOAD__INDEX);
  __builtin_ipu_ld64putcs(4);
  __builtin_ipu_ld128putcs(8);
  return __builtin_ipu_get_scount_l() + __builtin_ipu_is_worker_mode();
}

// The same by the names of the namespace.
// CHECK-LABEL: names:
// CHECK-DAG: f32v2cmplt
// CHECK-DAG: f16v4clamp
// CHECK-DAG: f16v4absmax
// CHECK-DAG: urand32
// CHECK-DAG: shuf8x8lo
FUNCTION float2 names(float2 v, half4 q, half2 h, half4 *o, unsigned *u) {
  *o = ipu::absmax(ipu::clamp(q, h), q);
  *u = ipu::shuf8x8lo(ipu::urand32(), ipu::get_worker_id());
  return ipu::cmplt(v, ipu::cmpge(v, v));
}

// CHECK-LABEL: integers:
// CHECK: roll8l
FUNCTION unsigned integers(unsigned x, unsigned y, void *p, uint2 *out) {
  *out = __builtin_ipu_tapack(p, p, p);
  return __builtin_ipu_roll8l(__builtin_ipu_andc_i32(x, y), y);
}
