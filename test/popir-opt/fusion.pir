// ElementwiseFusion: chains become one operator with a body; InPlace then takes
// the memory of what nobody reads any more.
// RUN: popir-opt %s --pass-pipeline=ElementwiseFusion,InPlace --verify-each | FileCheck %s

// CHECK:      graph chain(%x: float 4, %row: float 4) {
// CHECK-NEXT:   %m: float 4 = Softmax-13(%x) {}
// CHECK-NEXT:   %c: float 4 = ai.graphcore.Fused-1(%m, %row) {} "c" inplace=0 with (%m: float 4, %row: float 4) {
// CHECK-NEXT:     %two: float scalar = constant [2.0]
// CHECK-NEXT:     %a: float 4 = Mul-14(%m, %two) {} "a"
// CHECK-NEXT:     %b: float 4 = Add-14(%a, %row) {} "b"
// CHECK-NEXT:     %c: float 4 = Relu-14(%b) {} "c"
// CHECK-NEXT:     return c = %c: float 4
// CHECK-NEXT:   }
// CHECK-NEXT:   return c = %c: float 4
graph chain(%x: float 4, %row: float 4) {
  %two: float scalar = constant [2.0]
  %m: float 4 = Softmax-13(%x) {}
  %a: float 4 = Mul-14(%m, %two) {} "a"
  %b: float 4 = Add-14(%a, %row) {} "b"
  %c: float 4 = Relu-14(%b) {} "c"
  return c = %c: float 4
}

// A result that is read twice, or returned, or smaller, is computed once.
// CHECK-LABEL: graph apart
// CHECK-NOT:     Fused
// CHECK:         %a: float 4 = Exp-13(%x) {}
// CHECK-NEXT:    %b: float 4 = Add-14(%a, %a) {} inplace=0
// CHECK-NEXT:    %s: float 1 = Exp-13(%y) {}
// CHECK-NEXT:    %d: float 4 = Mul-14(%b, %s) {}
// CHECK-NEXT:    return
graph apart(%x: float 4, %y: float 1) {
  %a: float 4 = Exp-13(%x) {}
  %b: float 4 = Add-14(%a, %a) {}
  %s: float 1 = Exp-13(%y) {}
  %d: float 4 = Mul-14(%b, %s) {}
  return b = %b: float 4
  return d = %d: float 4
}

// Arguments, constants, variables and views keep their memory.
// CHECK-LABEL: graph others
// CHECK-NOT:     inplace
graph others(%x: float 4) {
  %v: float 4 = constant [1.0, 2.0, 3.0, 4.0]
  %s: int64 2 = constant [2, 2]
  %a: float 4 = Add-14(%x, %v) {}
  %b: float 2x2 = Reshape-14(%a, %s) {}
  %c: float 2x2 = Softmax-13(%b) {}
  %d: float 2x2 = Neg-13(%b) {}
  return c = %c: float 2x2
  return d = %d: float 2x2
}

// Several chains, one behind the other: what the first leaves is an operand of
// the next.
// CHECK-LABEL: graph several
// CHECK-COUNT-4: Fused-1
// CHECK-NOT:     Fused-1
graph several(%x: float 2x2, %w: float 2x2) {
  %a: float 2x2 = Neg-13(%x) {}
  %b: float 2x2 = Relu-14(%a) {}
  %c: float 2x2 = MatMul-13(%b, %w) {}
  %d: float 2x2 = Add-14(%c, %b) {}
  %e: float 2x2 = Relu-14(%d) {}
  %f: float 2x2 = MatMul-13(%e, %w) {}
  %g: float 2x2 = Add-14(%f, %e) {}
  %h: float 2x2 = Relu-14(%g) {}
  %i: float 2x2 = MatMul-13(%h, %w) {}
  %j: float 2x2 = Add-14(%i, %h) {}
  %k: float 2x2 = Relu-14(%j) {}
  return k = %k: float 2x2
}

// A value with its own memory is overwritten, although a later value may share
// memory with a constant.
// CHECK-LABEL: graph norms
// CHECK:         %b: float 2x4 = Neg-13(%a) {} inplace=0
graph norms(%x: float 2x4) {
  %scale: float 4 = constant [1.0, 2.0, 3.0, 4.0]
  %a: float 2x4 = Softmax-13(%x) {}
  %b: float 2x4 = Neg-13(%a) {}
  %n: float 2x4 = LayerNormalization-17(%b, %scale) {}
  %m: float 2x4 = LayerNormalization-17(%n, %scale) {}
  return m = %m: float 2x4
}

// Conversions are computed with what follows; those of weights have a layout to
// give.
// CHECK-LABEL: graph casts
// CHECK:         %h: float16 4 = Cast-28(%w)
// CHECK-NEXT:    Fused-1(%x, %h)
// CHECK:           Cast-28(%x)
// CHECK-NEXT:      Add-14
// CHECK-NEXT:      Cast-28
// CHECK-NEXT:      Cast-28(%x)
// CHECK-NEXT:      Cast-28(%i)
// CHECK-NEXT:      Mul-14
// CHECK-NEXT:      return
variable @w: float 4 = [1.0, 2.0, 3.0, 4.0]
graph casts(%x: float 4) {
  %w: float 4 = variable @w
  %h: float16 4 = Cast-28(%w) {to=10}
  %i: int8 4 = Cast-28(%x) {to=3}
  %j: float 4 = Cast-28(%i) {to=1}
  %a: float16 4 = Cast-28(%x) {to=10}
  %b: float16 4 = Add-14(%a, %h) {}
  %c: float 4 = Cast-28(%b) {to=1}
  %d: float 4 = Mul-14(%c, %j) {}
  return d = %d: float 4
}
