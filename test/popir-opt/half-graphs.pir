// HalfPrecision converts graphs that others call, too. What a graph gets and
// returns is float16, but for what has to be exact: %at is carried by a loop
// and becomes an index, %total is written by the graph that gets it.
// RUN: popir-opt %s --pass-pipeline=HalfPrecision --verify-each | FileCheck %s
// CHECK:      variable @weights: float 2x2 = zeros
// CHECK-NEXT: variable @total: float 2 = zeros
// CHECK-NEXT: graph step(%i: int32 scalar, %state: float16 2, %at: float scalar, %weights: float16 2x2, %total: float 2) {
// CHECK-NEXT:   %one: float scalar = constant [1.0]
// CHECK-NEXT:   %total/float16: float16 2 = Cast-{{.*}}(%total) {to=10} "total/float16"
// CHECK-NEXT:   %next: float16 2 = MatMul-13(%state, %weights) {}
// CHECK-NEXT:   %there: float scalar = Add-14(%at, %one) {}
// CHECK-NEXT:   %sum: float16 2 = Add-14(%total/float16, %next) {}
// CHECK-NEXT:   %sum/float: float 2 = Cast-{{.*}}(%sum) {to=1} "sum/float"
// CHECK-NEXT:   %written: float 2 = ai.graphcore.CopyVarUpdate-1(%total, %sum/float) {}
// CHECK-NEXT:   return next = %next: float16 2
// CHECK-NEXT:   return there = %there: float scalar
// CHECK-NEXT:   return row = %next: float16 2
// CHECK-NEXT: }
// CHECK-NEXT: graph yes(%a: float16 2) {
// CHECK-NEXT:   return a = %a: float16 2
// CHECK-NEXT: }
// CHECK-NEXT: graph no(%b: float16 2) {
// CHECK-NEXT:   %y: float16 2, %mean: float 1 = LayerNormalization-17(%b, %b) {}
// CHECK-NEXT:   %mean/float16: float16 1 = Cast-{{.*}}(%mean) {to=10} "mean/float16"
// CHECK-NEXT:   return y = %y: float16 2
// CHECK-NEXT: }
// CHECK-NEXT: graph main(%x: float16 2, %start: float scalar, %choice: bool scalar, %table: float16 8x2) {
// CHECK-NEXT:   %weights: float 2x2 = variable @weights
// CHECK-NEXT:   %total: float 2 = variable @total
// CHECK-NEXT:   %weights/float16: float16 2x2 = Cast-{{.*}}(%weights) {to=10} "weights/float16"
// CHECK-NEXT:   %state: float16 2, %end: float scalar, %rows: float16 5x2 = ai.graphcore.Loop-1 @step(_, _, %x, %start, %weights/float16, %total) {carried=2, modified=[5], trip_count=5}
// CHECK-NEXT:   %index: int32 scalar = Cast-13(%end) {to=6}
// CHECK-NEXT:   %row: float16 2 = Gather-13(%table, %index) {}
// CHECK-NEXT:   %chosen: float16 2 = ai.graphcore.If-1 @yes @no(%choice, %row, %state) {then_inputs=1}
// CHECK-NEXT:   return chosen = %chosen: float16 2
// CHECK-NEXT:   return rows = %rows: float16 5x2
// CHECK-NEXT: }
// CHECK-NEXT: program step = @main
variable @weights: float 2x2 = zeros
variable @total: float 2 = zeros
graph step(%i: int32 scalar, %state: float 2, %at: float scalar, %weights: float 2x2, %total: float 2) {
  %one: float scalar = constant [1.0]
  %next: float 2 = MatMul-13(%state, %weights) {}
  %there: float scalar = Add-14(%at, %one) {}
  %sum: float 2 = Add-14(%total, %next) {}
  %written: float 2 = ai.graphcore.CopyVarUpdate-1(%total, %sum) {}
  return next = %next: float 2
  return there = %there: float scalar
  return row = %next: float 2
}
graph yes(%a: float 2) {
  return a = %a: float 2
}
graph no(%b: float 2) {
  %y: float 2, %mean: float 1 = LayerNormalization-17(%b, %b) {}
  return y = %y: float 2
}
graph main(%x: float 2, %start: float scalar, %choice: bool scalar, %table: float 8x2) {
  %weights: float 2x2 = variable @weights
  %total: float 2 = variable @total
  %state: float 2, %end: float scalar, %rows: float 5x2 = ai.graphcore.Loop-1 @step(_, _, %x, %start, %weights, %total) {carried=2, modified=[5], trip_count=5}
  %index: int32 scalar = Cast-13(%end) {to=6}
  %row: float 2 = Gather-13(%table, %index) {}
  %chosen: float 2 = ai.graphcore.If-1 @yes @no(%choice, %row, %state) {then_inputs=1}
  return chosen = %chosen: float 2
  return rows = %rows: float 5x2
}
program step = @main
