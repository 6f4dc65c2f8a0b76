// The text form: what is printed can be read again, and gives the same text.
// RUN: popir-opt %s | FileCheck %s
// RUN: popir-opt %s -o %t.pir && popir-opt - < %t.pir | cmp - %t.pir

// CHECK: variable @w: float 2x2 = [1.0, 0.5, -0.0, 1e-20]
variable @w: float 2x2 = [1.0, 0.5, -0.0, 1e-20]
// CHECK-NEXT: variable @"a: b": float16 scalar = zeros
variable @"a: b": float16 scalar = zeros

// CHECK-NEXT: graph half(%x: float 2x2) {
// CHECK-NEXT:   %two: float scalar = constant [2.0]
// CHECK-NEXT:   %y: float 2x2 = Div-14(%x, %two) {} "halve"
// CHECK-NEXT:   return y = %y: float 2x2
// CHECK-NEXT: }
graph half(%x: float 2x2) {
  %two: float scalar = constant [2.0]
  %y: float 2x2 = Div-14(%x, %two) {} "halve"
  return y = %y: float 2x2
}

// CHECK-NEXT: graph "main graph"(%"x:0": float 2x2, %mask: bool 2) {
// CHECK-NEXT:   %w: float 2x2 = variable @w
// CHECK-NEXT:   %inf: float16 3 = constant [inf, -inf, 65504.0]
// CHECK-NEXT:   %nan: float 1 = constant base64 "AADAfw=="
// CHECK-NEXT:   %ints: int64 2 = constant [-9223372036854775808, 3]
// CHECK-NEXT:   ^0 %a: float 2x2 = MatMul-13(%"x:0", %w) {} "say \"a\"" ipu=1 stage=2 phase=3 io-tiles
// CHECK-NEXT:   %b: float 2x2 = ai.graphcore.Call-1 @half(%a) {} after=^0
// CHECK-NEXT:   %c: float 2x2 = ai.graphcore.Fused-1(%b, %a) {} inplace=0 with (%p: float 2x2, %q: float 2x2) {
// CHECK-NEXT:     %r: float 2x2 = Add-14(%p, %q) {}
// CHECK-NEXT:     %s: float 2x2 = LeakyRelu-16(%r) {alpha=0.25}
// CHECK-NEXT:     return s = %s: float 2x2
// CHECK-NEXT:   }
// CHECK-NEXT:   %d: float 2x2 = Identity-16(%c) {alpha=1e+20, l=floats[], n=ints[], p=[0, 1], q=[0.5, inf], s=["a", "\x0a"], t=tensor int32 2 [1, 2]}
// CHECK-NEXT:   return "the result" = %d: float 2x2
// CHECK-NEXT: }
graph "main graph"(%"x:0": float 2x2, %mask: bool 2) {
  %w: float 2x2 = variable @w
  %inf: float16 3 = constant [inf, -inf, 65504.0]
  %nan: float 1 = constant base64 "AADAfw=="
  %ints: int64 2 = constant [-9223372036854775808, 3]
  ^7 %a: float 2x2 = MatMul-13(%"x:0", %w) {} "say \"a\"" io-tiles phase=3 stage=2 ipu=1
  %b: float 2x2 = ai.graphcore.Call-1 @half(%a) {} after=^7
  %c: float 2x2 = ai.graphcore.Fused-1(%b, %a) {} inplace=0 with (%p: float 2x2, %q: float 2x2) {
    %r: float 2x2 = Add-14(%p, %q) {}
    %s: float 2x2 = LeakyRelu-16(%r) {alpha=0.25}
    return s = %s: float 2x2
  }
  %d: float 2x2 = Identity-16(%c) {alpha=1e+20, l=floats[], n=ints[], p=[0, 1], q=[0.5, inf], s=["a", "\x0a"], t=tensor int32 2 [1, 2]}
  return "the result" = %d: float 2x2
}

// CHECK-NEXT: program step = @"main graph"
program step = @"main graph"

// Elided elements cannot be parsed.
// RUN: sed 's/\[1.0, 0.5, -0.0, 1e-20\]/elided/' %t.pir | not popir-opt 2>&1 | FileCheck %s --check-prefix=ELIDED
// ELIDED: popir-opt: error: <stdin>:1:{{[0-9]+}}: the elements were left out when this was printed
