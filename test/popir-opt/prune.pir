// Prune: what no result depends on goes, also graphs and variables.
// RUN: popir-opt %s --pass-pipeline=Prune --verify-each | FileCheck %s

// CHECK-NOT: @unused
variable @unused: float 2 = zeros
// CHECK: variable @w
variable @w: float 2 = zeros

// CHECK-NOT: graph nobody
graph nobody(%x: float 2) {
  %v: float 2 = variable @unused
  %y: float 2 = Add-14(%x, %v) {}
  return y = %y: float 2
}

// CHECK:      graph main(%x: float 2) {
// CHECK-NEXT:   %w: float 2 = variable @w
// CHECK-NEXT:   %y: float 2 = Add-14(%x, %w) {}
// CHECK-NEXT:   return y
graph main(%x: float 2) {
  %c: float 1 = constant [3.0]
  %w: float 2 = variable @w
  %a: float 2 = Mul-14(%x, %c) {}
  %b: float 2 = Exp-13(%a) {}
  %y: float 2 = Add-14(%x, %w) {}
  return y = %y: float 2
}
program step = @main
