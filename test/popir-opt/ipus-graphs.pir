// A graph whose operators name several IPUs runs on these, for all callers; its
// operands are copied to where it reads them.
// RUN: popir-opt %s --pass-pipeline=AssignIpus,IpuCopies --num-ipus 2 --verify-each | FileCheck %s

// CHECK:      graph both(%a: float 2, %b: float 2) {
// CHECK-NEXT:   %c: float 2 = Exp-13(%a) {} ipu=0
// CHECK-NEXT:   %c_c1: float 2 = ai.graphcore.IpuCopy-1(%c) {} "c_c1" ipu=1
// CHECK-NEXT:   %d: float 2 = Add-14(%c_c1, %b) {} ipu=1
graph both(%a: float 2, %b: float 2) {
  %c: float 2 = Exp-13(%a) {} ipu=0
  %d: float 2 = Add-14(%c, %b) {} ipu=1
  return c = %c: float 2
  return d = %d: float 2
}

// A graph that names one IPU runs there, with the operator that calls it.
// CHECK:      graph second(%a: float 2) {
// CHECK-NEXT:   %b: float 2 = Neg-13(%a) {} ipu=1
graph second(%a: float 2) {
  %b: float 2 = Neg-13(%a) {} ipu=1
  return b = %b: float 2
}

// CHECK:      graph main(%x: float 2) {
// CHECK-NEXT:   %y: float 2 = Log-13(%x) {} ipu=0
// CHECK-NEXT:   %y_c1: float 2 = ai.graphcore.IpuCopy-1(%y) {} "y_c1" ipu=1
// CHECK-NEXT:   %c: float 2, %d: float 2 = ai.graphcore.Call-1 @both(%y, %y_c1) {} ipu=0
// CHECK-NEXT:   %c2: float 2, %d2: float 2 = ai.graphcore.Call-1 @both(%c, %d) {} ipu=0
// CHECK-NEXT:   %e: float 2 = ai.graphcore.Call-1 @second(%d2) {} ipu=1
graph main(%x: float 2) {
  %y: float 2 = Log-13(%x) {} ipu=0
  %c: float 2, %d: float 2 = ai.graphcore.Call-1 @both(%y, %y) {} ipu=0
  %c2: float 2, %d2: float 2 = ai.graphcore.Call-1 @both(%c, %d) {} ipu=0
  %e: float 2 = ai.graphcore.Call-1 @second(%d2) {} ipu=0
  return e = %e: float 2
}
