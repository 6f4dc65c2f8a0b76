// Operators that move streams and buffers stay where they are, though nobody
// reads what they give; those that draw from a seed go.
// RUN: popir-opt %s --pass-pipeline=MergeDuplicateOps,Prune --verify-each | FileCheck %s

// CHECK-COUNT-2: HostLoad-1
// CHECK: RemoteStore-1(%rows, %at, %a)
// CHECK: RemoteLoad-1
// CHECK: HostStore-1
// CHECK-NOT: SplitSeed
// CHECK-NOT: SeededNormal
// CHECK: SeededUniform

variable @rows: float 3x2 = zeros
graph main() {
  %seed: uint32 2 = constant [1, 2]
  %at: int32 1 = constant [1]
  %rows: float 3x2 = variable @rows
  %a: float 2 = ai.graphcore.HostLoad-1() {stream="x", shape=[2], data_type=1}
  %b: float 2 = ai.graphcore.HostLoad-1() {stream="x", shape=[2], data_type=1}
  ai.graphcore.RemoteStore-1(%rows, %at, %a) {}
  %c: float 2 = ai.graphcore.RemoteLoad-1(%rows, %at) {}
  ai.graphcore.HostStore-1(%c) {stream="y"}
  %d: uint32 3x2 = ai.graphcore.SplitSeed-1(%seed) {count=3}
  %e: float 4 = ai.graphcore.SeededNormal-1(%seed) {shape=[4], data_type=1}
  %f: float 4 = ai.graphcore.SeededUniform-1(%seed) {shape=[4], data_type=1}
  return f = %f: float 4
}
program step = @main
