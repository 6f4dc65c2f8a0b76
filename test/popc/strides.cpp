// A column of a matrix: the store moves its pointer, also where most registers are in use.
// RUN: popc --target=ipu2 -O2 -S %s -o - | FileCheck %s
// RUN: popc --target=ipu2 -Os -S %s -o - | FileCheck %s --check-prefix=SMALL

#include <poplar/Vertex.hpp>

class Transpose : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<poplar::Vector<float>> out;
  unsigned short rows, columns;
  // CHECK-LABEL: __runCodelet_Transpose:
  // CHECK:      shrs [[STRIDE:\$m[0-9]+]], $m{{[0-9]+}}, 2
  // CHECK:      rpt {{.*}}, 1
  // CHECK-NEXT: ld32step $a0, $m15, $m{{[0-9]+}}+=, 1
  // CHECK-NEXT: st32step $a0, $m15, $m{{[0-9]+}}+=, [[STRIDE]]
  // SMALL-NOT:  shrs
  bool compute() {
    for (unsigned i = 0; i != rows; ++i)
      for (unsigned j = 0; j != columns; ++j)
        out[j * rows + i] = in[i * columns + j];
    return true;
  }
};
