// The codelets of the user guide, with their fields where the graph compiler will
// look for them.
// RUN: popc %s --target=cpu,ipu2 -o %t.gp
// RUN: gp-dump %t.gp | FileCheck %s

#include <poplar/Vertex.hpp>

using namespace poplar;

// Without `public:`, as printed in one edition.
class AdderVertex : public Vertex {
  Input<float> x;
  Input<float> y;
  Output<float> sum;

  bool compute() {
    *sum = x + y;
    return true;
  }
};
// CHECK:      vertex AdderVertex (worker) user-guide.cpp:11
// CHECK-NEXT:   entry __runCodelet_AdderVertex{{$}}
// CHECK-NEXT:   state on cpu: 24 bytes, alignment 8
// CHECK-NEXT:   state on ipu2: 12 bytes, alignment 4
// CHECK-NEXT:   field x: Input<float>, at 0 on cpu, 0 on ipu2{{$}}
// CHECK-NEXT:   field y: Input<float>, at 8 on cpu, 4 on ipu2{{$}}
// CHECK-NEXT:   field sum: Output<float>, at 16 on cpu, 8 on ipu2{{$}}

class DotProductVertex : public Vertex {
public:
  Input<Vector<float>> a;
  Input<Vector<float>> b;
  Output<float> out;

  bool compute() {
    float sum = 0;
    for (unsigned i = 0; i < a.size(); ++i)
      sum += a[i] * b[i];
    *out = sum;
    return true;
  }
};
// CHECK:      vertex DotProductVertex (worker)
// CHECK-NEXT:   entry __runCodelet_DotProductVertex{{$}}
// CHECK-NEXT:   state on cpu: 40 bytes, alignment 8
// CHECK-NEXT:   state on ipu2: 20 bytes, alignment 4
// CHECK-NEXT:   field a: Input<Vector<float>>, at 0 on cpu, 0 on ipu2{{$}}
// CHECK-NEXT:   field b: Input<Vector<float>>, at 16 on cpu, 8 on ipu2{{$}}
// CHECK-NEXT:   field out: Output<float>, at 32 on cpu, 16 on ipu2{{$}}

namespace ns {
template <typename T, bool Scaled> class Scale : public poplar::Vertex {
public:
  Scale();
  InOut<Vector<T, VectorLayout::ONE_PTR, 8>> data;
  const unsigned short n;
  const T factor;

  void compute() {
    for (unsigned i = 0; i != n; ++i)
      data[i] = Scaled ? data[i] * factor : data[i];
  }
};
template class Scale<float, true>;
template class Scale<half, false>;
} // namespace ns
// CHECK:      vertex SumVertex (worker)
// CHECK-NEXT:   entry __runCodelet_SumVertex{{$}}
// CHECK-NEXT:   state on cpu: 24 bytes, alignment 8
// CHECK-NEXT:   state on ipu2: 12 bytes, alignment 4
// CHECK-NEXT:   field in: Input<Vector<float>>, at 0 on cpu, 0 on ipu2{{$}}
// CHECK-NEXT:   field out: Output<float>, at 16 on cpu, 8 on ipu2{{$}}
class SumVertex : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<float> out;

  bool compute() {
    *out = 0;
    for (const auto &v : in) {
      *out += v;
    }
    return true;
  }
};
// CHECK:      vertex ns::Scale<float,true> (worker) user-guide.cpp:52
// CHECK-NEXT:   entry __runCodelet_ns__Scale___float_true{{$}}
// CHECK-NEXT:   state on cpu: 16 bytes, alignment 8
// CHECK-NEXT:   state on ipu2: 12 bytes, alignment 4
// CHECK-NEXT:   field data: InOut<Vector<float, ONE_PTR, 8>>, at 0 on cpu, 0 on ipu2{{$}}
// CHECK-NEXT:   field n: unsigned short, at 8 on cpu, 4 on ipu2{{$}}
// CHECK-NEXT:   field factor: float, at 12 on cpu, 8 on ipu2{{$}}
// CHECK:      vertex ns::Scale<half,false> (worker)
// CHECK-NEXT:   entry __runCodelet_ns__Scale___half_false{{$}}
// CHECK-NEXT:   state on cpu: 16 bytes, alignment 8
// CHECK-NEXT:   state on ipu2: 8 bytes, alignment 4
// CHECK-NEXT:   field data: InOut<Vector<half, ONE_PTR, 8>>, at 0 on cpu, 0 on ipu2{{$}}
// CHECK-NEXT:   field n: unsigned short, at 8 on cpu, 4 on ipu2{{$}}
// CHECK-NEXT:   field factor: half, at 10 on cpu, 6 on ipu2{{$}}
// CHECK-NOT:  vertex
