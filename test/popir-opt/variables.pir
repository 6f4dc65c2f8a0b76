// Variables that operators write.

// The new value of a variable is computed in its memory, where nobody reads the
// old one later.
// RUN: popir-opt %s --pass-pipeline=InPlace --verify-each | FileCheck %s --check-prefix=INPLACE
// INPLACE: variable @w: float 4 = [1.0, 2.0, 3.0, 4.0]
// INPLACE-NEXT: variable @v: float 4 like @w = zeros
variable @w: float 4 = [1.0, 2.0, 3.0, 4.0]
variable @v: float 4 like @w = zeros

// INPLACE-LABEL: graph update
// INPLACE:         %a: float 4 = Sub-14(%w, %g) {} inplace=0
// INPLACE-NEXT:    ai.graphcore.CopyVarUpdate-1(%w, %a)
graph update(%g: float 4) {
  %w: float 4 = variable @w
  %a: float 4 = Sub-14(%w, %g) {}
  %b: float 4 = ai.graphcore.CopyVarUpdate-1(%w, %a) {}
  return b = %b: float 4
}

// INPLACE-LABEL: graph readLater
// INPLACE:         %a: float 4 = Sub-14(%w, %g) {}
// INPLACE-NEXT:    %old: float 4 = Neg-13(%w) {}
graph readLater(%g: float 4) {
  %w: float 4 = variable @w
  %a: float 4 = Sub-14(%w, %g) {}
  %old: float 4 = Neg-13(%w) {}
  %b: float 4 = ai.graphcore.CopyVarUpdate-1(%w, %a) {}
  return old = %old: float 4
}

// So is a view of the old value that goes to the host.
// INPLACE-LABEL: graph returned
// INPLACE:         %a: float 4 = Sub-14(%w, %g) {}{{$}}
graph returned(%g: float 4) {
  %w: float 4 = variable @w
  %shape: int64 2 = constant [2, 2]
  %old: float 2x2 = Reshape-14(%w, %shape) {}
  %a: float 4 = Sub-14(%w, %g) {}
  %b: float 4 = ai.graphcore.CopyVarUpdate-1(%w, %a) {}
  return old = %old: float 2x2
}

// A value that is written to another variable stays apart from both.
// INPLACE-LABEL: graph other
// INPLACE:         %a: float 4 = Sub-14(%w, %g) {}
// INPLACE-NEXT:    %b: float 4 = ai.graphcore.CopyVarUpdate-1(%v, %a)
graph other(%g: float 4) {
  %w: float 4 = variable @w
  %v: float 4 = variable @v
  %a: float 4 = Sub-14(%w, %g) {}
  %b: float 4 = ai.graphcore.CopyVarUpdate-1(%v, %a) {}
  return b = %b: float 4
}

// Intermediate values of the new value are computed in place, too; their last
// reader precedes the update.
// INPLACE-LABEL: graph leading
// INPLACE:         %sum: float 4 = Add-14(%v, %g) {} inplace=0
// INPLACE-NEXT:    %a: float 4 = Sub-14(%w, %sum) {} inplace=0
// INPLACE:         %next: float 4 = Mul-14(%sum, %g) {} inplace=0
graph leading(%g: float 4) {
  %w: float 4 = variable @w
  %v: float 4 = variable @v
  %sum: float 4 = Add-14(%v, %g) {}
  %a: float 4 = Sub-14(%w, %sum) {}
  %b: float 4 = ai.graphcore.CopyVarUpdate-1(%w, %a) {}
  %next: float 4 = Mul-14(%sum, %g) {}
  %c: float 4 = ai.graphcore.CopyVarUpdate-1(%v, %next) {}
  return b = %b: float 4
}

// Not if it is read behind the update, even by way of a view,
// INPLACE-LABEL: graph leadingReadLater
// INPLACE:         %sum: float 4 = Add-14(%v, %g) {}{{$}}
// INPLACE:         %next: float 4 = Mul-14(%sum, %g) {}{{$}}
graph leadingReadLater(%g: float 4) {
  %v: float 4 = variable @v
  %shape: int64 2 = constant [2, 2]
  %sum: float 4 = Add-14(%v, %g) {}
  %view: float 2x2 = Reshape-14(%sum, %shape) {}
  %next: float 4 = Mul-14(%sum, %g) {}
  %c: float 4 = ai.graphcore.CopyVarUpdate-1(%v, %next) {}
  %late: float 2x2 = Neg-13(%view) {}
  return late = %late: float 2x2
}

// or if the old value is read behind its first step.
// INPLACE-LABEL: graph leadingFromOld
// INPLACE:         %sum: float 4 = Add-14(%v, %g) {}{{$}}
// INPLACE-NEXT:    %next: float 4 = Mul-14(%v, %sum) {} inplace=0
graph leadingFromOld(%g: float 4) {
  %v: float 4 = variable @v
  %sum: float 4 = Add-14(%v, %g) {}
  %next: float 4 = Mul-14(%v, %sum) {}
  %c: float 4 = ai.graphcore.CopyVarUpdate-1(%v, %next) {}
  return c = %c: float 4
}

// The new value in a variable's memory is not overwritten after the update.
// INPLACE-LABEL: graph readOfNew
// INPLACE:         %next: float 4 = Mul-14(%v, %g) {} inplace=0
// INPLACE:         %late: float 4 = Neg-13(%next) {}{{$}}
graph readOfNew(%g: float 4) {
  %v: float 4 = variable @v
  %next: float 4 = Mul-14(%v, %g) {}
  %c: float 4 = ai.graphcore.CopyVarUpdate-1(%v, %next) {}
  %late: float 4 = Neg-13(%next) {}
  return late = %late: float 4
}

// So does what is read last before the update.
// INPLACE-LABEL: graph readOfNewBefore
// INPLACE:         %next: float 4 = Mul-14(%v, %g) {} inplace=0
// INPLACE-NEXT:    %early: float 4 = Neg-13(%next) {}{{$}}
graph readOfNewBefore(%g: float 4) {
  %v: float 4 = variable @v
  %next: float 4 = Mul-14(%v, %g) {}
  %early: float 4 = Neg-13(%next) {}
  %c: float 4 = ai.graphcore.CopyVarUpdate-1(%v, %next) {}
  return early = %early: float 4
}

// Only the last of two readers overwrites a value.
// INPLACE-LABEL: graph twoReaders
// INPLACE:         %b: float 4 = Neg-13(%a) {}{{$}}
// INPLACE-NEXT:    %c: float 4 = Mul-14(%a, %g) {} inplace=0
graph twoReaders(%g: float 4) {
  %a: float 4 = Tanh-13(%g) {}
  %b: float 4 = Neg-13(%a) {}
  %c: float 4 = Mul-14(%a, %g) {}
  return b = %b: float 4
  return c = %c: float 4
}

// A reader of a variable is not moved behind its update.
// RUN: popir-opt %s --pass-pipeline=ElementwiseFusion --verify-each | FileCheck %s --check-prefix=FUSION
// FUSION-LABEL: graph fused
// FUSION:         %old: float 4 = Neg-13(%w) {}
// FUSION-NEXT:    ai.graphcore.CopyVarUpdate-1(%w, %g)
// FUSION-NEXT:    %sum: float 4 = Add-14(%old, %g)
graph fused(%g: float 4) {
  %w: float 4 = variable @w
  %old: float 4 = Neg-13(%w) {}
  %b: float 4 = ai.graphcore.CopyVarUpdate-1(%w, %g) {}
  %sum: float 4 = Add-14(%old, %g) {}
  return sum = %sum: float 4
}

