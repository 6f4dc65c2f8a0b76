// The operators of an exported layer normalisation become one operator.

// RUN: popir-opt %s --pass-pipeline=FuseNorms --verify-each | FileCheck %s

// CHECK-LABEL: graph layer
// CHECK-NOT:     Sqrt
// CHECK:         %y: float 2x4 = LayerNormalization-17(%x, %w, %b) {axis=1, epsilon={{.*}}} "last"
// CHECK-NEXT:    return y
graph layer(%x: float 2x4, %w: float 4, %b: float 4) {
  %two: float scalar = constant [2.0]
  %epsilon: float scalar = constant [1e-05]
  %mean: float 2x1 = ReduceMean-13(%x) {axes=[-1]}
  %d: float 2x4 = Sub-14(%x, %mean) {}
  %dd: float 2x4 = Pow-13(%d, %two) {}
  %var: float 2x1 = ReduceMean-13(%dd) {axes=[-1]}
  %sum: float 2x1 = Add-14(%var, %epsilon) {}
  %root: float 2x1 = Sqrt-13(%sum) {}
  %n: float 2x4 = Div-14(%d, %root) {}
  %s: float 2x4 = Mul-14(%n, %w) {}
  %y: float 2x4 = Add-14(%s, %b) {} "last"
  return y = %y: float 2x4
}

// Other ways to write it, over two dimensions, and without parameters.
// CHECK-LABEL: graph forms
// CHECK-NOT:     Sqrt
// CHECK:         %n: float 2x3x4 = LayerNormalization-17(%x) {axis=1
// CHECK-NEXT:    %y: float 2x3x4 = Mul-14(%n, %x) {}
// CHECK-NEXT:    return y
graph forms(%x: float 2x3x4) {
  %axes: int64 2 = constant [2, 1]
  %epsilon: float 1 = constant [1e-05]
  %mean: float 2x1x1 = ReduceMean-18(%x, %axes) {}
  %d: float 2x3x4 = Sub-14(%x, %mean) {}
  %dd: float 2x3x4 = Mul-14(%d, %d) {}
  %var: float 2x1x1 = ReduceMean-18(%dd, %axes) {}
  %sum: float 2x1x1 = Add-14(%epsilon, %var) {}
  %root: float 2x1x1 = Sqrt-13(%sum) {}
  %inverse: float 2x1x1 = Reciprocal-13(%root) {}
  %n: float 2x3x4 = Mul-14(%inverse, %d) {}
  %y: float 2x3x4 = Mul-14(%n, %x) {}
  return y = %y: float 2x3x4
}

// A float16 norm, computed in float between two casts.
// CHECK-LABEL: graph rms
// CHECK-NOT:     Sqrt
// CHECK:         %y: float16 2x4 = ai.graphcore.RmsNorm-1(%x, %w) {axis=1, epsilon={{.*}}}
// CHECK-NEXT:    return y
graph rms(%x: float16 2x4, %w: float16 4) {
  %one: float scalar = constant [1.0]
  %two: float scalar = constant [2.0]
  %epsilon: float scalar = constant [1e-06]
  %f: float 2x4 = Cast-13(%x) {to=1}
  %ff: float 2x4 = Pow-13(%f, %two) {}
  %mean: float 2x1 = ReduceMean-13(%ff) {axes=[1]}
  %sum: float 2x1 = Add-14(%mean, %epsilon) {}
  %root: float 2x1 = Sqrt-13(%sum) {}
  %inverse: float 2x1 = Div-14(%one, %root) {}
  %n: float 2x4 = Mul-14(%f, %inverse) {}
  %h: float16 2x4 = Cast-13(%n) {to=10}
  %y: float16 2x4 = Mul-14(%w, %h) {}
  return y = %y: float16 2x4
}

// Norms with other readers in between stay; so do means over other dimensions.
// CHECK-LABEL: graph kept
// CHECK-NOT:     Norm
// CHECK:         return y
// CHECK-LABEL: graph first
// CHECK-NOT:     Norm
// CHECK:         return y
// CHECK-LABEL: graph other
// CHECK-NOT:     Norm
// CHECK:         return y
graph kept(%x: float 2x4) {
  %epsilon: float scalar = constant [1e-05]
  %mean: float 2x1 = ReduceMean-13(%x) {axes=[-1]}
  %d: float 2x4 = Sub-14(%x, %mean) {}
  %dd: float 2x4 = Mul-14(%d, %d) {}
  %var: float 2x1 = ReduceMean-13(%dd) {axes=[-1]}
  %sum: float 2x1 = Add-14(%var, %epsilon) {}
  %root: float 2x1 = Sqrt-13(%sum) {}
  %y: float 2x4 = Div-14(%d, %root) {}
  return y = %y: float 2x4
  return var = %var: float 2x1
}
graph first(%x: float 2x4) {
  %epsilon: float scalar = constant [1e-05]
  %mean: float 1x4 = ReduceMean-13(%x) {axes=[0]}
  %d: float 2x4 = Sub-14(%x, %mean) {}
  %dd: float 2x4 = Mul-14(%d, %d) {}
  %var: float 1x4 = ReduceMean-13(%dd) {axes=[0]}
  %sum: float 1x4 = Add-14(%var, %epsilon) {}
  %root: float 1x4 = Sqrt-13(%sum) {}
  %y: float 2x4 = Div-14(%d, %root) {}
  return y = %y: float 2x4
}
// The variance is of something else.
graph other(%x: float 2x4, %z: float 2x4) {
  %epsilon: float scalar = constant [1e-05]
  %zz: float 2x4 = Mul-14(%z, %z) {}
  %var: float 2x1 = ReduceMean-13(%zz) {axes=[-1]}
  %sum: float 2x1 = Add-14(%var, %epsilon) {}
  %root: float 2x1 = Sqrt-13(%sum) {}
  %y: float 2x4 = Div-14(%x, %root) {}
  return y = %y: float 2x4
}
