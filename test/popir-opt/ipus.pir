// AssignIpus and IpuCopies: who runs where, and what is copied.
// RUN: popir-opt %s --pass-pipeline=AssignIpus,IpuCopies --num-ipus 2 --verify-each | FileCheck %s
// RUN: popir-opt %s --pass-pipeline=AssignIpus,IpuCopies --verify-each | FileCheck %s --check-prefix=ONE
// RUN: not popir-opt %s --pass-pipeline=AssignIpus --num-ipus 1000 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: popir-opt: error: --num-ipus

// A graph that is called on two IPUs is there twice.
// CHECK:      graph twice/ipu1(%a: float 2) {
// CHECK-NEXT:   %b: float 2 = Add-14(%a, %a) {} ipu=1
// CHECK:      graph twice(%a: float 2) {
// CHECK-NEXT:   %b: float 2 = Add-14(%a, %a) {} ipu=0
graph twice(%a: float 2) {
  %b: float 2 = Add-14(%a, %a) {}
  return b = %b: float 2
}

// CHECK:      graph main(%x: float 2) {
// CHECK-NEXT:   %a: float 2 = Exp-13(%x) {} ipu=0
// CHECK-NEXT:   %b: float 2 = ai.graphcore.Call-1 @twice(%a) {} ipu=0
// CHECK-NEXT:   %a_c1: float 2 = ai.graphcore.IpuCopy-1(%a) {} "a_c1" ipu=1
// CHECK-NEXT:   %c: float 2 = ai.graphcore.Call-1 @twice/ipu1(%a_c1) {} ipu=1
// CHECK-NEXT:   %b_c1: float 2 = ai.graphcore.IpuCopy-1(%b) {} "b_c1" ipu=1
// CHECK-NEXT:   %d: float 2 = Add-14(%b_c1, %c) {} ipu=1
// CHECK-NEXT:   %e: float 2 = Mul-14(%d, %b_c1) {} ipu=1

// ONE-NOT: ipu
graph main(%x: float 2) {
  %a: float 2 = Exp-13(%x) {} ipu=0
  %b: float 2 = ai.graphcore.Call-1 @twice(%a) {}
  %c: float 2 = ai.graphcore.Call-1 @twice(%a) {} ipu=1
  %d: float 2 = Add-14(%b, %c) {}
  %e: float 2 = Mul-14(%d, %b) {}
  return e = %e: float 2
}
