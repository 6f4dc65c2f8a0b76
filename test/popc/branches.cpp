// Innermost loops whose branches choose between cheap floats become one block,
// are vectorized, and repeat without overhead. A slope below zero is a maximum
// with the product. What branches skip stays skipped where it is not cheap.
//
// RUN: popc --target=ipu2 -O2 -S %s -o - | FileCheck %s
// RUN: popc --target=ipu2 -O3 -S %s -o - | FileCheck %s
// RUN: popc --target=ipu2 -O2 -ffast-math -S %s -o %t.S
// RUN: FileCheck %s --check-prefix=FAST < %t.S

#include <ipudef.h>
#include <poplar/Vertex.hpp>

using namespace poplar;
template <typename T> using In = Input<Vector<T, VectorLayout::SPAN, 8>>;
template <typename T> using Out = Output<Vector<T, VectorLayout::ONE_PTR, 8>>;

// CHECK-LABEL: __runCodelet_Leaky___float:
// CHECK-NOT: cmp{{lt|gt|le|ge}}
// CHECK: f32v2mul
// CHECK: f32v2max
// CHECK-NOT: atom
// CHECK: Lfunc_end
// CHECK-LABEL: __runCodelet_Leaky___half:
// CHECK: f16v4mul
// CHECK: f16v4max
// CHECK: Lfunc_end
template <typename T> class Leaky : public Vertex {
public:
  In<T> in;
  Out<T> out;
  bool compute() {
    for (unsigned i = 0; i != in.size(); ++i) {
      T x = in[i];
      if (x < 0)
        x = T(0.1f) * x;
      out[i] = x;
    }
    return true;
  }
};
template class Leaky<float>;
template class Leaky<half>;

// A NaN stays one, so the limit is a choice unless there are no NaNs.
// CHECK-LABEL: __runCodelet_LeakyLimited:
// CHECK: f32v2mul
// CHECK: f32v2max
// CHECK: f32v2cmp
// CHECK-NOT: atom
// CHECK: Lfunc_end
// FAST-LABEL: __runCodelet_LeakyLimited:
// FAST: rpt
// FAST-NOT: cmp
// FAST: f32v2max
// FAST: Lfunc_end
class LeakyLimited : public Vertex {
public:
  In<float> in;
  Out<float> out;
  bool compute() {
    for (unsigned i = 0; i != in.size(); ++i) {
      float x = in[i];
      if (x < 0)
        x = 0.1f * x;
      else if (x > 6)
        x = 6;
      out[i] = x;
    }
    return true;
  }
};

// A factor above one, or one that changes the sign, is no maximum.
// CHECK-LABEL: __runCodelet_Steep:
// CHECK-NOT: f32v2max
// CHECK: Lfunc_end
class Steep : public Vertex {
public:
  In<float> in;
  Out<float> out;
  bool compute() {
    for (unsigned i = 0; i != in.size(); ++i) {
      float x = in[i];
      if (x < 0)
        x = 1.5f * x;
      out[i] = x;
    }
    return true;
  }
};

// Many instructions are skipped: the branch stays.
// CHECK-LABEL: __runCodelet_Long:
// CHECK: atom
// CHECK-NEXT: br
// CHECK: Lfunc_end
class Long : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  bool compute() {
    for (unsigned i = 0; i != in.size(); ++i) {
      float x = in[i];
      if (x < 0)
        x = x * (x + 1) * (x + 2) * (x + 3) * (x + 4) * (x + 5);
      out[i] = x;
    }
    return true;
  }
};

// A sum in order beside stores of halves, which two at once avoid to merge.
// CHECK-LABEL: __runCodelet_Exponentials:
// CHECK: f16v2tof32
// CHECK: st64step
// CHECK: Lfunc_end
class Exponentials : public Vertex {
public:
  In<half> in;
  Out<half> out;
  Output<float> sum;
  bool compute() {
    float total = 0;
    for (unsigned i = 0; i != in.size(); ++i) {
      half e = in[i] * half(2);
      out[i] = e;
      total += float(e);
    }
    *sum = total;
    return true;
  }
};
