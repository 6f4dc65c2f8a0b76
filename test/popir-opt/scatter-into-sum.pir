// Rows scattered onto zeros and then added are scattered onto the other addend.
// RUN: popir-opt %s --pass-pipeline=ScatterIntoSum,InPlace --verify-each | FileCheck %s

// The rows go to the other operand, in its memory.
// CHECK:      graph table(%x: float 5x4, %places: int64 2x1, %rows: float 2x4) {
// CHECK:        %a: float 5x4 = Exp-13(%x) {}
// CHECK-NEXT:   %sum: float 5x4 = ScatterND-18(%a, %places, %rows) {reduction="add"} inplace=0
// CHECK-NEXT:   return sum = %sum: float 5x4
graph table(%x: float 5x4, %places: int64 2x1, %rows: float 2x4) {
  %zero: float scalar = constant [0]
  %shape: int64 2 = constant [5, 4]
  %zeros: float 5x4 = Expand-13(%zero, %shape) {}
  %scattered: float 5x4 = ScatterND-18(%zeros, %places, %rows) {reduction="add"}
  %a: float 5x4 = Exp-13(%x) {}
  %sum: float 5x4 = Sum-13(%scattered, %a) {}
  return sum = %sum: float 5x4
}

// With three operands, the two others are added first.
// CHECK:      graph three(
// CHECK:        %sum/rest: float 5 = Sum-13(%x, %y) {}
// CHECK-NEXT:   %sum: float 5 = ScatterElements-18(%sum/rest, %places, %rows) {reduction="add"} inplace=0
graph three(%x: float 5, %y: float 5, %places: int64 2, %rows: float 2) {
  %zeros: float 5 = constant [0, 0, 0, 0, 0]
  %scattered: float 5 = ScatterElements-18(%zeros, %places, %rows) {reduction="add"}
  %sum: float 5 = Sum-13(%x, %scattered, %y) {}
  return sum = %sum: float 5
}

// It stays where it is not zeros that the rows go to, where they replace
// something, where it is read once more, and where the other operand is smaller.
// CHECK:      graph others(
// CHECK-COUNT-4: Add-14
graph others(%x: float 5, %places: int64 2, %rows: float 2, %one: float 1) {
  %ones: float 5 = constant [1, 0, 0, 0, 0]
  %zeros: float 5 = constant [0, 0, 0, 0, 0]
  %onOnes: float 5 = ScatterElements-18(%ones, %places, %rows) {reduction="add"}
  %a: float 5 = Add-14(%x, %onOnes) {}
  %replaced: float 5 = ScatterElements-18(%zeros, %places, %rows) {}
  %b: float 5 = Add-14(%x, %replaced) {}
  %twice: float 5 = ScatterElements-18(%zeros, %places, %rows) {reduction="add"}
  %c: float 5 = Add-14(%x, %twice) {}
  %spread: float 5 = ScatterElements-18(%zeros, %places, %rows) {reduction="add"}
  %d: float 5 = Add-14(%one, %spread) {}
  return a = %a: float 5
  return b = %b: float 5
  return c = %c: float 5
  return d = %d: float 5
  return twice = %twice: float 5
}

// No memory is changed that another operand is part of.
// CHECK:      graph shared(
// CHECK:        %sum: float 4x2 = ScatterND-18(%a, %places, %part) {reduction="add"}{{$}}
graph shared(%x: float 4x2, %places: int64 2x1) {
  %a: float 4x2 = Exp-13(%x) {}
  %starts: int64 1 = constant [0]
  %ends: int64 1 = constant [2]
  %part: float 2x2 = Slice-13(%a, %starts, %ends) {}
  %sum: float 4x2 = ScatterND-18(%a, %places, %part) {reduction="add"}
  return sum = %sum: float 4x2
}
