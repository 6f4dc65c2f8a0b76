// RUN: popir-opt %s --pass-pipeline=AssignIpus,IpuCopies --num-ipus 2 --verify-each | FileCheck %s

// A constant is on each IPU, for the compiler may have to know it.
// CHECK:      graph constants(%x: float 2x2) {
// CHECK:        %sum: float 2x1 = ReduceSum-13(%x, %axes) {keepdims=1} ipu=0
// CHECK:        %all: float 1x1 = ReduceSum-13({{.*}}, %{{.*}}axes_c1) {keepdims=1} ipu=1
graph constants(%x: float 2x2) {
  %axes: int64 1 = constant [1]
  %sum: float 2x1 = ReduceSum-13(%x, %axes) {keepdims=1} ipu=0
  %turned: float 1x2 = Transpose-13(%sum) {} ipu=1
  %all: float 1x1 = ReduceSum-13(%turned, %axes) {keepdims=1} ipu=1
  return all = %all: float 1x1
}
