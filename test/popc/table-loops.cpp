// A look-up of bytes whose table is not written stores words of four of them.
// RUN: popc --target=ipu2 -O2 -S %s -o - | FileCheck %s
// RUN: popc --target=ipu2 -Os -S %s -o - | FileCheck %s --check-prefix=SMALL

#include <poplar/Vertex.hpp>

using namespace poplar;
using Byte = unsigned char;

// The ends of arrays are compared before it; a loop byte by byte is there for
// when they overlap.
class LookUp : public Vertex {
public:
  Input<Vector<Byte, VectorLayout::SPAN, 4>> in, table;
  Output<Vector<Byte, VectorLayout::SPAN, 4>> out;
  // CHECK-LABEL: __runCodelet_LookUp:
  // CHECK-DAG:   add {{.*}}, 256
  // CHECK-DAG:   cmpult
  // CHECK:       rpt {{.*}}, 11 ;
  // CHECK-COUNT-4: ldz8step
  // CHECK:       st32step
  // CHECK:       .size __runCodelet_LookUp,
  // SMALL-LABEL: __runCodelet_LookUp:
  // SMALL-NOT:   cmpult
  // SMALL:       .size __runCodelet_LookUp,
  bool compute() {
    for (unsigned i = 0; i != out.size(); ++i)
      out[i] = table[in[i]];
    return true;
  }
};

// The table is the array that is written: no copy of the loop.
class InPlace : public Vertex {
public:
  InOut<Vector<Byte, VectorLayout::SPAN, 4>> x;
  // CHECK-LABEL: __runCodelet_InPlace:
  // CHECK-NOT:   shuf8x8lo
  // CHECK:       .size __runCodelet_InPlace,
  bool compute() {
    for (unsigned i = 0; i != x.size(); ++i)
      x[i] = x[x[i]];
    return true;
  }
};
