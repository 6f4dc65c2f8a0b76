// With -Os and -Oz a vertex is small where compute() is inlined in its entry
// point too: nothing of a loop stands outside of it, and there is no second
// loop.
//
// RUN: popc --target=ipu2 -Os -S %s -o - | FileCheck %s
// RUN: popc --target=ipu2 -Oz -S %s -o - | FileCheck %s
// RUN: popc --target=ipu2 -O2 -S %s -o - | FileCheck %s --check-prefix=FAST

#include <poplar/Vertex.hpp>

using namespace poplar;

// CHECK-NOT: f32{{.*}}mul
// CHECK: f32mul
// CHECK-NOT: f32{{.*}}mul
// FAST-LABEL: __runCodelet_Scale:
// FAST: f32v2mul
// FAST: .Lfunc_end
class Scale : public Vertex {
public:
  InOut<Vector<float, VectorLayout::SPAN, 8>> x;
  float factor;

  bool compute() {
    for (unsigned i = 0; i != x.size(); ++i)
      x[i] *= factor;
    return true;
  }
};
