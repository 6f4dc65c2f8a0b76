// HalfPrecision: what is float becomes float16; indices and coordinates do not.
// Operators that say their result's type follow, or their result is converted.
// RUN: popir-opt %s --pass-pipeline=HalfPrecision --verify-each | FileCheck %s
// CHECK:      graph main(%x: float16 2, %i: float 2) {
// CHECK-NEXT:   %c: float16 2 = constant [0.5, 65504.0]
// CHECK-NEXT:   %a: float16 2 = Mul-14(%x, %c) {}
// CHECK-NEXT:   %n: float 2 = Neg-13(%i) {}
// CHECK-NEXT:   %j: int32 2 = Cast-13(%n) {to=6}
// CHECK-NEXT:   %b: float16 2 = Gather-13(%a, %j) {}
// CHECK-NEXT:   %k: float16 2 = Cast-13(%j) {to=10}
// CHECK-NEXT:   %y: float16 2, %mean: float 1 = LayerNormalization-17(%k, %c) {}
// CHECK-NEXT:   %mean/float16: float16 1 = Cast-{{.*}}(%mean) {to=10}
// CHECK-NEXT:   %z: float16 2 = Add-14(%y, %mean/float16) {}
// CHECK-NEXT:   return b = %b: float16 2
// CHECK-NEXT:   return m = %mean/float16: float16 1
// CHECK-NEXT:   return z = %z: float16 2
graph main(%x: float 2, %i: float 2) {
  %c: float 2 = constant [0.5, 1e+06]
  %a: float 2 = Mul-14(%x, %c) {}
  %n: float 2 = Neg-13(%i) {}
  %j: int32 2 = Cast-13(%n) {to=6}
  %b: float 2 = Gather-13(%a, %j) {}
  %k: float 2 = Cast-13(%j) {to=1}
  %y: float 2, %mean: float 1 = LayerNormalization-17(%k, %c) {}
  %z: float 2 = Add-14(%y, %mean) {}
  return b = %b: float 2
  return m = %mean: float 1
  return z = %z: float 2
}
