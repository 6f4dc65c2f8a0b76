// Remarks of the optimiser and of the code generator, at the lines of the source.
//
// RUN: popc --target=ipu2 -O2 -S %s -o %t.s -Rpass=loop-vectorize 2>&1 | FileCheck %s --check-prefix=PASS
// RUN: popc --target=ipu2 -O2 -S %s -o %t.s -Rpass=ipu-hardware-loops 2>&1 | FileCheck %s --check-prefix=RPT
// RUN: popc --target=ipu2 -O2 -S %s -o %t.s -Rpass-missed=.* 2>&1 | FileCheck %s --check-prefix=MISSED
// RUN: popc --target=ipu2 -O2 -S %s -o %t.s 2>&1 | count 0
// RUN: popc --target=ipu2 -O2 -S %s -o %t.s -Rpass=loop-vectorize --diagnostics=json 2>&1 | FileCheck %s --check-prefix=JSON

#include <poplar/Vertex.hpp>
using namespace poplar;

class Scale : public Vertex {
public:
  InOut<Vector<float, VectorLayout::SPAN, 8>> x;
  float a;

  bool compute() {
    // PASS: remarks.cpp:[[#@LINE+2]]:5: remark: vectorized loop (vectorization width: 2, {{.*}} [-Rpass=loop-vectorize]
    // RPT: remarks.cpp:{{[0-9]+}}:{{[0-9]+}}: remark: rpt of 1 bundles; iterations overlap in 3 stages; loads and stores are one instruction [-Rpass=ipu-hardware-loops]
    for (unsigned i = 0; i != x.size(); ++i)
      x[i] *= a;
    return true;
  }
};
// JSON: "text": "vectorized loop

class Search : public Vertex {
public:
  Input<Vector<int>> x;
  Output<unsigned> where;

  bool compute() {
    unsigned i = 0;
    // MISSED: remarks.cpp:[[#@LINE+1]]:{{[0-9]+}}: remark: loop is no rpt: {{.*}} [-Rpass-missed=ipu-hardware-loops]
    while (x[i] != 7)
      ++i;
    *where = i;
    return true;
  }
};
