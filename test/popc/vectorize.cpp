// Loops over aligned arrays use vectors, at every level from -O2 on; the
// alignment is that of the field. The scalar in the vertex's state is loaded
// once.
//
// RUN: popc --target=ipu2 -O2 -S %s -o - | FileCheck %s
// RUN: popc --target=ipu2 -O3 -S %s -o - | FileCheck %s
// RUN: popc --target=ipu2 -O3 -ffast-math -S %s -o %t.S
// RUN: FileCheck %s --check-prefix=FAST < %t.S

#include <ipudef.h>
#include <poplar/Vertex.hpp>

using namespace poplar;
template <typename T> using Aligned = Vector<T, VectorLayout::SPAN, 8>;
template <typename T>
using AlignedPointer = Vector<T, VectorLayout::ONE_PTR, 8>;

// CHECK-LABEL: __runCodelet_Saxpy___float:
// CHECK: uput $TAS
// CHECK: { ld2xst64pace {{.*}} ; f32v2axpy
// CHECK: Lfunc_end
// CHECK-LABEL: __runCodelet_Saxpy___half:
// CHECK: ld64
// CHECK: f16v4mul {{.*}}:BL
// CHECK: f16v4add
// CHECK: st64
// CHECK: Lfunc_end
template <typename T> class Saxpy : public Vertex {
public:
  Input<Aligned<T>> x;
  InOut<AlignedPointer<T>> y;
  T a;

  bool compute() {
    for (unsigned i = 0; i != x.size(); ++i)
      y[i] += a * x[i];
    return true;
  }
};
template class Saxpy<float>;
template class Saxpy<half>;

// CHECK-LABEL: __runCodelet_Relu___float:
// CHECK: f32v2max {{.*}}, $a14:15
// CHECK: Lfunc_end
// CHECK-LABEL: __runCodelet_Relu___half:
// CHECK: f16v4max {{.*}}, $a14:15
// CHECK: Lfunc_end
template <typename T> class Relu : public Vertex {
public:
  Input<Aligned<T>> x;
  Output<AlignedPointer<T>> y;

  bool compute() {
    for (unsigned i = 0; i != x.size(); ++i)
      y[i] = x[i] > 0 ? x[i] : T(0);
    return true;
  }
};
template class Relu<float>;
template class Relu<half>;

// A cast.
// CHECK-LABEL: __runCodelet_ToHalf:
// CHECK: ld64
// CHECK: f32v2tof16
// CHECK: Lfunc_end
class ToHalf : public Vertex {
public:
  Input<Aligned<float>> x;
  Output<AlignedPointer<half>> y;

  bool compute() {
    for (unsigned i = 0; i != x.size(); ++i)
      y[i] = half(x[i]);
    return true;
  }
};

// Without a stated alignment vectors do not pay.
// CHECK-LABEL: __runCodelet_Unaligned:
// CHECK-NOT: f32v2
// CHECK: Lfunc_end
class Unaligned : public Vertex {
public:
  Input<Vector<float>> x;
  Output<Vector<float>> y;

  bool compute() {
    for (unsigned i = 0; i != x.size(); ++i)
      y[i] = x[i] * 3;
    return true;
  }
};

// The order of a sum is kept unless it may be changed.
// CHECK-LABEL: __runCodelet_Sum:
// CHECK-NOT: f32v2add
// CHECK: Lfunc_end
// FAST-LABEL: __runCodelet_Sum:
// FAST: f32v2add
// FAST: Lfunc_end
class Sum : public Vertex {
public:
  Input<Aligned<float>> x;
  Output<float> y;

  bool compute() {
    float sum = 0;
    for (unsigned i = 0; i != x.size(); ++i)
      sum += x[i];
    *y = sum;
    return true;
  }
};

// Neighbours that are computed alike become a vector.
// CHECK-LABEL: __runCodelet_Neighbours:
// CHECK: f32v2mul
// CHECK: Lfunc_end
class Neighbours : public Vertex {
public:
  Input<AlignedPointer<float>> x;
  Output<AlignedPointer<float>> y;

  bool compute() {
    float a = x[0] * x[2] + 1, b = x[1] * x[3] + 2;
    y[0] = a;
    y[1] = b;
    return true;
  }
};
