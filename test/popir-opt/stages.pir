// OrderStages and StashStages: the order of a pipeline's stages, and what a
// stage restores.
// RUN: popir-opt %s --pass-pipeline=OrderStages,AssignIpus,IpuCopies,StashStages --num-ipus 2 --verify-each | FileCheck %s
// RUN: not popir-opt %s --pass-pipeline=StashStages --num-ipus 2 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: popir-opt: error: node Exp-13 '': it has no pipeline stage; run OrderStages before

variable @w: float 2 = [1.0, 2.0]

// The weight, and what only depends on it (%h), are the same in all
// micro-batches. %a goes to the next IPU one stage later, so it needs no stash;
// the last stage, on the first IPU, restores it, and the argument. The stage of
// %h is that of its first reader.
// CHECK:      graph main(%x: float 2) {
// CHECK-NEXT:   %w: float 2 = variable @w
// CHECK-NEXT:   %h: float 2 = Exp-13(%w) {} ipu=0 stage=0
// CHECK-NEXT:   %a: float 2 = Mul-14(%x, %h) {} ipu=0 stage=0
// CHECK-NEXT:   %e: float 2 = Neg-13(%x) {} ipu=0 stage=0
// CHECK-NEXT:   %a_c1: float 2 = ai.graphcore.IpuCopy-1(%a) {} "a_c1" ipu=1 stage=1
// CHECK-NEXT:   %b: float 2 = Tanh-13(%a_c1) {} ipu=1 stage=1
// CHECK-NEXT:   %Restored___x: float 2 = ai.graphcore.Restore-1(%x) {depth=2} "Restored___x" ipu=0 stage=2
// CHECK-NEXT:   %d: float 2 = Mul-14(%Restored___x, %h) {} ipu=0 stage=2
// CHECK-NEXT:   %b_c0: float 2 = ai.graphcore.IpuCopy-1(%b) {} "b_c0" ipu=0 stage=2
// CHECK-NEXT:   %Restored___a: float 2 = ai.graphcore.Restore-1(%a) {depth=2} "Restored___a" ipu=0 stage=2
// CHECK-NEXT:   %c: float 2 = Add-14(%b_c0, %Restored___a) {} ipu=0 stage=2
graph main(%x: float 2) {
  %w: float 2 = variable @w
  %h: float 2 = Exp-13(%w) {} ipu=0
  %a: float 2 = Mul-14(%x, %h) {} ipu=0 stage=0
  %b: float 2 = Tanh-13(%a) {} ipu=1 stage=1
  %d: float 2 = Mul-14(%x, %h) {} ipu=0 stage=2
  %e: float 2 = Neg-13(%x) {} ipu=0 stage=0
  %c: float 2 = Add-14(%b, %a) {} ipu=0 stage=2
  return c = %c: float 2
  return d = %d: float 2
  return e = %e: float 2
}
