// HalfPrecision: what is float becomes float16; indices and coordinates do not.
// RUN: popir-opt %s --pass-pipeline=HalfPrecision --verify-each | FileCheck %s
// CHECK:      graph main(%x: float16 2, %i: float 2) {
// CHECK-NEXT:   %c: float16 2 = constant [0.5, 65504.0]
// CHECK-NEXT:   %a: float16 2 = Mul-14(%x, %c) {}
// CHECK-NEXT:   %n: float 2 = Neg-13(%i) {}
// CHECK-NEXT:   %j: int32 2 = Cast-13(%n) {to=6}
// CHECK-NEXT:   %b: float16 2 = Gather-13(%a, %j) {}
// CHECK-NEXT:   return b = %b: float16 2
graph main(%x: float 2, %i: float 2) {
  %c: float 2 = constant [0.5, 1e+06]
  %a: float 2 = Mul-14(%x, %c) {}
  %n: float 2 = Neg-13(%i) {}
  %j: int32 2 = Cast-13(%n) {to=6}
  %b: float 2 = Gather-13(%a, %j) {}
  return b = %b: float 2
}
