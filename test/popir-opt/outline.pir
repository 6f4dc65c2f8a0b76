// SubgraphOutline: layers that repeat become calls; weights that differ are
// arguments.
// RUN: popir-opt %s --pass-pipeline=SubgraphOutline --no-outline-copy-cost-pruning --verify-each | FileCheck %s
// RUN: popir-opt %s --pass-pipeline=SubgraphOutline --outline-threshold 9 | FileCheck %s --check-prefix=NONE
// NONE-NOT: Call

// CHECK:      graph "call_subgraph(0)"(%x: float 2x2, %v: float 2x2) {
// CHECK-NEXT:   %a: float 2x2 = MatMul-13(%x, %v) {}
// CHECK-NEXT:   %b: float 2x2 = Relu-14(%a) {}
// CHECK-NEXT:   return b = %b: float 2x2
// CHECK:      graph main(%x: float 2x2) {
// CHECK:        %b: float 2x2 = ai.graphcore.Call-1 @"call_subgraph(0)"(%x, %v)
// CHECK-NEXT:   %d: float 2x2 = ai.graphcore.Call-1 @"call_subgraph(0)"(%b, %w)
// CHECK-NEXT:   return y = %d: float 2x2
graph main(%x: float 2x2) {
  %v: float 2x2 = constant [1.0, 2.0, 3.0, 4.0]
  %w: float 2x2 = constant [5.0, 6.0, 7.0, 8.0]
  %a: float 2x2 = MatMul-13(%x, %v) {}
  %b: float 2x2 = Relu-14(%a) {}
  %c: float 2x2 = MatMul-13(%b, %w) {}
  %d: float 2x2 = Relu-14(%c) {}
  return y = %d: float 2x2
}
