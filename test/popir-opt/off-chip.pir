// Variables in the host's memory: their text, and buffers that no IPU copies.
// RUN: popir-opt %s --pass-pipeline=AssignIpus,IpuCopies --num-ipus 2 --verify-each | FileCheck %s
// RUN: sed 's/remote-rows=3/remote-rows=4/' %s > %t.pir
// RUN: not popir-opt %t.pir 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: the variable 'rows' cannot be divided into 4 rows

// CHECK: variable @w: float 2{{.*}} remote-rows=1 = [1.0, 2.0]
variable @w: float 2 remote-rows=1 = [1.0, 2.0]
// CHECK: variable @rows: float 3x2 remote-rows=3 = zeros
variable @rows: float 3x2 remote-rows=3 = zeros

// CHECK:     RemoteLoad-1(%rows, %i) {} ipu=0
// CHECK-NOT: IpuCopy-1(%rows
// CHECK:     RemoteLoad-1(%rows, %i_c1) {} ipu=1
graph main(%i: int32 scalar) {
  %w: float 2 = variable @w
  %rows: float 3x2 = variable @rows
  %a: float 2 = ai.graphcore.RemoteLoad-1(%rows, %i) {} ipu=0
  %b: float 2 = ai.graphcore.RemoteLoad-1(%rows, %i) {} ipu=1
  %c: float 2 = Add-14(%b, %w) {} ipu=1
  return a = %a: float 2
  return c = %c: float 2
}
