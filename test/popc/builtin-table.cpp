// Every builtin of the published tables compiles, each with the types that it is
// documented with, and no header but poplar/Vertex.hpp.
// RUN: popc --target=ipu1,ipu2,ipu21 -Wall -Werror %s -o %t.gp
// RUN: popc --target=ipu2 -O0 -Wall -Werror -c %s -o %t.o
// RUN: popc --target=ipu2 -S %s -o - | FileCheck %s

#include <poplar/Vertex.hpp>

#define F extern "C" __attribute__((noinline))
#define SUPERVISOR __attribute__((target("supervisor")))

// CHECK-LABEL: gina:
// CHECK-DAG: f32v2gina {{.*}}, 1
// CHECK-DAG: f16v2gina {{.*}}, 0
// CHECK-DAG: f32v2gina {{.*}}, 4
F half2 gina(float2 v, half2 h, float2 *o) {
  *o = __builtin_ipu_gina(v, 1);
  // A comma in braces is no end of an operand.
  o[2] = __builtin_ipu_gina(float2{0.f, 0.f}, 4);
  o[1] = __builtin_ipu_f32v2gina(v, 0);
  h = __builtin_ipu_f16v2gina(h, 0);
  return __builtin_ipu_gina(h, 0);
}

F int bits(int i, float f, float2 v, float2 *o) {
  *o = __builtin_ipu_or_v2f32(
      __builtin_ipu_and_v2f32(v, v),
      __builtin_ipu_andc_v2f32(v, __builtin_ipu_not_v2f32(v)));
  o[1][0] = __builtin_ipu_or_f32(__builtin_ipu_and_f32(f, f),
                                 __builtin_ipu_andc_f32(f, f));
  o[1][1] = __builtin_ipu_not_f32(f);
  return __builtin_ipu_or_i32(__builtin_ipu_and_i32(i, 5),
                              __builtin_ipu_andc_i32(i, 9));
}

template <typename T> static inline T lanes(T x, T y) {
  x = __builtin_ipu_absadd(__builtin_ipu_absmax(x, y), __builtin_ipu_min(x, y));
  x = __builtin_ipu_max(x, __builtin_ipu_cmpeq(x, y));
  x = __builtin_ipu_max(__builtin_ipu_cmpge(x, y), __builtin_ipu_cmpgt(x, y));
  return __builtin_ipu_max(__builtin_ipu_cmple(x, y),
                           __builtin_ipu_max(__builtin_ipu_cmplt(x, y),
                                             __builtin_ipu_cmpne(x, y)));
}
F float lanesF(float x, float y) { return lanes(x, y); }
F float2 lanesV(float2 x, float2 y) { return lanes(x, y); }
F half2 lanesH(half2 x, half2 y) { return lanes(x, y); }
F half4 lanesQ(half4 x, half4 y) { return lanes(x, y); }

F float sums(half2 h, half4 q, float2 *o, half2 *m) {
  *o = __builtin_ipu_f16v4sum(q) + __builtin_ipu_sum(q);
  *m = __builtin_ipu_f16v4maxc(q) + __builtin_ipu_maxc(q);
  const half n = __builtin_ipu_f16v2maxc(h) + __builtin_ipu_maxc(h);
  return __builtin_ipu_f16v2sum(h) + __builtin_ipu_sum(h) + n;
}

F half4 clamps(half2 h, half4 q, float2 v, float f, float2 *o, half2 *p) {
  *p = __builtin_ipu_clamp(h, h);
  *o = __builtin_ipu_clamp(v, v) + __builtin_ipu_clamp(f, v);
  return __builtin_ipu_clamp(q, h);
}

F short4 classes(half2 h, half4 q, float2 v, float f, int2 *i, short2 *s) {
  *s = __builtin_ipu_class(h) + __builtin_ipu_class(v);
  *s += __builtin_ipu_isnan(h) | __builtin_ipu_isinf(h);
  *i = __builtin_ipu_isnan(v) | __builtin_ipu_isinf(v) |
       __builtin_ipu_isfinite(v);
  i[1][0] = __builtin_ipu_class(f) + __builtin_ipu_isnan(f) +
            __builtin_ipu_isinf(f) + __builtin_ipu_isfinite(f);
  return __builtin_ipu_class(q) + __builtin_ipu_isfinite(q);
}

F half2 functions(half2 h, float f, float *o) {
  *o = __builtin_ipu_exp(f) + __builtin_ipu_exp2(f) + __builtin_ipu_ln(f) +
       __builtin_ipu_log2(f) + __builtin_ipu_sigm(f) + __builtin_ipu_tanh(f);
  return __builtin_ipu_exp(h) + __builtin_ipu_exp2(h) + __builtin_ipu_ln(h) +
         __builtin_ipu_log2(h) + __builtin_ipu_sigm(h) + __builtin_ipu_tanh(h);
}

F float2 accumulators(half2 h, half4 q, half8 e, float f, float2 v, float4 w) {
  __builtin_ipu_f16v2cmac(h, h);
  __builtin_ipu_f16v4cmac(q, q);
  __builtin_ipu_cmac(h, h);
  __builtin_ipu_cmac(q, q);
  __builtin_ipu_mac(f, f);
  __builtin_ipu_mac(v, v);
  __builtin_ipu_acc(q);
  __builtin_ipu_acc(e);
  __builtin_ipu_acc(w);
  __builtin_ipu_absacc(q);
  __builtin_ipu_absacc(e);
  __builtin_ipu_absacc(w);
  __builtin_ipu_sqacc(e);
  __builtin_ipu_sqacc(w);
  __builtin_ipu_f32v2aop(v, v, 0);
  return __builtin_ipu_f32v2axpy(v, v) + __builtin_ipu_axpy(v, v);
}

F half4 randoms(float2 v, half4 q, float f, float2 *o, half2 *h, unsigned *u) {
  *u = __builtin_ipu_urand32() + unsigned(__builtin_ipu_urand64());
  *h = __builtin_ipu_f16v2grand() + __builtin_ipu_urand_f16();
  *o = __builtin_ipu_f32v2grand() + __builtin_ipu_f32v2rmask(v, f) +
       __builtin_ipu_rmask(v, __builtin_ipu_urand_f32());
  return __builtin_ipu_f16v4rmask(q, f) + __builtin_ipu_rmask(q, f);
}

// A float goes to a register as it is.
// CHECK-LABEL: workerRegisters:
// CHECK: uput $TAS, $a0
F unsigned workerRegisters(float f, unsigned u) {
  __builtin_ipu_uput(f, CSR_W_TAS__INDEX & CSR_UPPER_MASK);
  __builtin_ipu_uput(8, CSR_W_FP_CLR__INDEX);
  __builtin_ipu_uput(u, CSR_W_FP_CTL__INDEX & CSR_W_WSR__CTXTID_M1__MASK);
  __builtin_ipu_uputf(f, CSR_W_TAS__INDEX);
  f = __builtin_ipu_ugetf(CSR_W_TAS__INDEX);
  return __builtin_ipu_uget(CSR_W_FP_STS__INDEX) + unsigned(f) +
         __builtin_ipu_get(CSR_W_WSR__INDEX) + __builtin_ipu_get_worker_id() +
         __builtin_ipu_get_scount_l() + __builtin_ipu_get_scount_u() +
         unsigned(__builtin_ipu_get_vertex_base()) +
         __builtin_ipu_is_worker_mode();
}

F SUPERVISOR unsigned supervisorRegisters(const void *p) {
  __builtin_ipu_put((unsigned)p, CSR_S_CCCSLOAD__INDEX);
  __builtin_ipu_ld64putcs(0);
  __builtin_ipu_ld128putcs(2);
  return __builtin_ipu_get(CSR_S_FP_ICTL__INDEX) + __builtin_ipu_get_tile_id();
}

// A literal 0 is an address.
F uint2 packs(const float *a, float *b) {
  return __builtin_ipu_tapack(a, b, 0) + __builtin_ipu_tapack(0, a, a);
}

F float2 permutes(float2 v, unsigned u, unsigned *o) {
  *o = __builtin_ipu_roll8l(u, u) + __builtin_ipu_roll8r(u, 1) +
       __builtin_ipu_shuf8x8hi(u, u) + __builtin_ipu_shuf8x8lo(u, u) +
       __builtin_ipu_sort8x8hi(u, u) + __builtin_ipu_sort8x8lo(u, u) +
       __builtin_ipu_sort8(u) + __builtin_ipu_swap8(u) +
       __builtin_ipu_bitrev8(u) + __builtin_ipu_cms(u);
  return __builtin_ipu_roll32(v, v) + __builtin_ipu_sort4x32hi(v, v) +
         __builtin_ipu_sort4x32lo(v, v);
}

F half4 engines(float f, float2 v, half2 h, half4 q, float2 *o, half2 *p) {
  o[0] = __builtin_ipu_f32sisoamp(f, v, TAMP_F32_E4_P0);
  o[1] = __builtin_ipu_f16v4sisoamp(q, v, TAMP_F16V4_E4_P1);
  p[0] = __builtin_ipu_f16v4hihoamp(q, h, TAMP_F16V4_E2_P0);
  o[2] = __builtin_ipu_f16v4sisoslic(q, v, TSLIC_F16V4_1x4_W0);
  p[1] = __builtin_ipu_f16v4hihoslic(q, h, TSLIC_F16V4_1x4_W1);
  return __builtin_ipu_f16v4gacc();
}

F float conversions(half h, half2 p, float f, float2 v, float2 *o, half2 *q) {
  *o = __builtin_ipu_f16v2tof32(p);
  *q = __builtin_ipu_f32v2tof16(v) + __builtin_ipu_f32tof16(f);
  return __builtin_ipu_f16tof32(h) + __builtin_ipu_f32int(f, TFPU_ROUND_ZERO);
}
