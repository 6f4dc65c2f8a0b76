// The preparation of a weight runs on the IPU of the weight's reader, and a later
// reader of a large weight runs on the weight's IPU.
// RUN: popir-opt %s --pass-pipeline=AssignIpus,IpuCopies --num-ipus 2 --verify-each | FileCheck %s

variable @table: float 1000x64 = zeros
variable @layer: float 64x64 = zeros
variable @last: float 64x64 = zeros

// The whole table, for a product of 2 rows with it, is not copied; the layers
// between stay apart.
// CHECK:      graph tied(%x: int32 2) {
// CHECK:        %half: float16 1000x64 = Cast-13(%table) {to=10} ipu=0
// CHECK-NEXT:   %layerHalf: float16 64x64 = Cast-13(%layer) {to=10} ipu=1
// CHECK-NEXT:   %lastHalf: float16 64x64 = Cast-13(%last) {to=10} ipu=1
// CHECK-NEXT:   %rows: float16 2x64 = Gather-13(%half, %x) {axis=0} ipu=0
// CHECK-NEXT:   %rows_c1: float16 2x64 = ai.graphcore.IpuCopy-1(%rows) {} "rows_c1" ipu=1
// CHECK-NEXT:   %y: float16 2x64 = MatMul-13(%rows_c1, %layerHalf) {} ipu=1
// CHECK-NEXT:   %z: float16 2x64 = MatMul-13(%y, %lastHalf) {} ipu=1
// CHECK-NEXT:   %turned: float16 64x1000 = Transpose-13(%half) {perm=[1, 0]} ipu=0
// CHECK-NEXT:   %z_c0: float16 2x64 = ai.graphcore.IpuCopy-1(%z) {} "z_c0" ipu=0
// CHECK-NEXT:   %words: float16 2x1000 = MatMul-13(%z_c0, %turned) {} ipu=0
// CHECK-NEXT:   %shares: float16 2x1000 = Softmax-13(%words) {axis=-1} ipu=0
graph tied(%x: int32 2) {
  %table: float 1000x64 = variable @table
  %layer: float 64x64 = variable @layer
  %last: float 64x64 = variable @last
  %half: float16 1000x64 = Cast-13(%table) {to=10}
  %layerHalf: float16 64x64 = Cast-13(%layer) {to=10}
  %lastHalf: float16 64x64 = Cast-13(%last) {to=10}
  %rows: float16 2x64 = Gather-13(%half, %x) {axis=0}
  %y: float16 2x64 = MatMul-13(%rows, %layerHalf) {}
  %z: float16 2x64 = MatMul-13(%y, %lastHalf) {}
  %turned: float16 64x1000 = Transpose-13(%half) {perm=[1, 0]}
  %words: float16 2x1000 = MatMul-13(%z, %turned) {}
  %shares: float16 2x1000 = Softmax-13(%words) {axis=-1}
  return shares = %shares: float16 2x1000
}
