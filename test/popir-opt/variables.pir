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

// What reads a variable is not computed behind its update.
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

