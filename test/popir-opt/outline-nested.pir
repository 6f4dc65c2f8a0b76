// SubgraphOutline: functions call functions, and graphs share them. The layer
// that comes three times has a product that comes twice, and what the loop runs
// has it, too.
// RUN: popir-opt %s --pass-pipeline=SubgraphOutline --no-outline-copy-cost-pruning --verify-each | FileCheck %s

// CHECK:      graph [[PRODUCT:"call_subgraph\([0-9]+\)"]](%{{.*}}: float 2x2, %{{.*}}: float 2x2) {
// CHECK-NEXT:   {{.*}} = {{.*}}MatMul
// CHECK-NEXT:   {{.*}} = {{.*}}Relu
// CHECK-NEXT:   return
// CHECK:      graph body(
// CHECK-NEXT:   {{.*}} = {{.*}}Call-1 @[[PRODUCT]]
// CHECK-NEXT:   return
// CHECK:      graph [[LAYER:"call_subgraph\([0-9]+\)"]](
// CHECK-NEXT:   {{.*}} = {{.*}}Call-1 @[[PRODUCT]]
// CHECK-NEXT:   {{.*}} = {{.*}}Call-1 @[[PRODUCT]]
// CHECK-NEXT:   {{.*}} = {{.*}}Softmax
// CHECK-NEXT:   {{.*}} = {{.*}}Gemm
// CHECK-NEXT:   {{.*}} = {{.*}}Gemm
// CHECK-NEXT:   return
// CHECK:      graph main(
// CHECK-NEXT:   {{.*}} = {{.*}}Call-1 @[[LAYER]]
// CHECK-NEXT:   {{.*}} = {{.*}}Call-1 @[[LAYER]]
// CHECK-NEXT:   {{.*}} = {{.*}}Call-1 @[[LAYER]]
// CHECK-NEXT:   {{.*}} = {{.*}}Loop-1 @body
graph body(%i: int32 scalar, %x: float 2x2, %w: float 2x2) {
  %p: float 2x2 = MatMul-13(%x, %w) {}
  %q: float 2x2 = Relu-14(%p) {}
  return next = %q: float 2x2
}
graph main(%x: float 2x2, %v: float 2x2, %w: float 2x2) {
  %a0: float 2x2 = MatMul-13(%x, %v) {}
  %b0: float 2x2 = Relu-14(%a0) {}
  %c0: float 2x2 = MatMul-13(%b0, %w) {}
  %d0: float 2x2 = Relu-14(%c0) {}
  %e0: float 2x2 = Softmax-13(%d0) {}
  %f0: float 2x2 = Gemm-13(%e0, %v, %w) {}
  %g0: float 2x2 = Gemm-13(%f0, %w, %v) {transB=1}
  %a1: float 2x2 = MatMul-13(%g0, %v) {}
  %b1: float 2x2 = Relu-14(%a1) {}
  %c1: float 2x2 = MatMul-13(%b1, %w) {}
  %d1: float 2x2 = Relu-14(%c1) {}
  %e1: float 2x2 = Softmax-13(%d1) {}
  %f1: float 2x2 = Gemm-13(%e1, %v, %w) {}
  %g1: float 2x2 = Gemm-13(%f1, %w, %v) {transB=1}
  %a2: float 2x2 = MatMul-13(%g1, %v) {}
  %b2: float 2x2 = Relu-14(%a2) {}
  %c2: float 2x2 = MatMul-13(%b2, %w) {}
  %d2: float 2x2 = Relu-14(%c2) {}
  %e2: float 2x2 = Softmax-13(%d2) {}
  %f2: float 2x2 = Gemm-13(%e2, %v, %w) {}
  %g2: float 2x2 = Gemm-13(%f2, %w, %v) {transB=1}
  %k: float 2x2 = ai.graphcore.Loop-1 @body(_, _, %g2, %v) {carried=1, trip_count=5}
  return y = %k: float 2x2
}
