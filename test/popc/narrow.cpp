// Loops that store bytes, shorts and bools at words that are known compute
// several and store words; where words are not known, bytes are merged one by
// one.
//
// RUN: popc --target=ipu2 -O2 -S %s -o - | FileCheck %s
// RUN: popc --target=ipu2 -O3 -S %s -o - | FileCheck %s

#include <poplar/Vertex.hpp>

using namespace poplar;
template <typename T> using In = Input<Vector<T, VectorLayout::SPAN, 8>>;
template <typename T> using Out = Output<Vector<T, VectorLayout::ONE_PTR, 8>>;
using Byte = unsigned char;

// CHECK-LABEL: __runCodelet_Invert:
// CHECK: rpt {{.*}}, 2
// CHECK-NEXT: ld32step
// CHECK-NEXT: xnor
// CHECK-NEXT: st32step
// CHECK: Lfunc_end
class Invert : public Vertex {
public:
  In<Byte> in;
  Out<Byte> out;
  bool compute() {
    for (unsigned i = 0; i != in.size(); ++i)
      out[i] = 255 - in[i];
    return true;
  }
};

// CHECK-LABEL: __runCodelet_Copy:
// CHECK: ldst64pace
// CHECK: Lfunc_end
class Copy : public Vertex {
public:
  In<Byte> in;
  Out<Byte> out;
  bool compute() {
    for (unsigned i = 0; i != in.size(); ++i)
      out[i] = in[i];
    return true;
  }
};

// CHECK-LABEL: __runCodelet_Less:
// CHECK: f32cmplt
// CHECK: shuf8x8lo
// CHECK: Lfunc_end
class Less : public Vertex {
public:
  In<float> a, b;
  Out<bool> out;
  bool compute() {
    for (unsigned i = 0; i != a.size(); ++i)
      out[i] = a[i] < b[i];
    return true;
  }
};

// A value that becomes an integer is no NaN, so its limits are a maximum and a
// minimum.
// CHECK-LABEL: __runCodelet_Quantise:
// CHECK-NOT: f32{{(v2)?}}cmp
// CHECK: f32v2max
// CHECK-NOT: f32{{(v2)?}}cmp
// CHECK: f32v2min
// CHECK: shuf8x8lo
// CHECK: Lfunc_end
class Quantise : public Vertex {
public:
  In<float> in;
  Out<signed char> out;
  float scale;
  bool compute() {
    for (unsigned i = 0; i != in.size(); ++i) {
      float v = in[i] * scale;
      v = v > 127.0f ? 127.0f : (v < -128.0f ? -128.0f : v);
      out[i] = int(__builtin_rintf(v));
    }
    return true;
  }
};

// CHECK-LABEL: __runCodelet_Shorts:
// CHECK: sort4x16lo
// CHECK: st32
// CHECK: Lfunc_end
class Shorts : public Vertex {
public:
  In<short> in;
  Out<short> out;
  bool compute() {
    for (unsigned i = 0; i != in.size(); ++i)
      out[i] = in[i] * 3;
    return true;
  }
};

// CHECK-LABEL: __runCodelet_Unaligned:
// CHECK-NOT: shuf8x8lo
// CHECK: Lfunc_end
class Unaligned : public Vertex {
public:
  Input<Vector<Byte>> in;
  Output<Vector<Byte>> out;
  bool compute() {
    for (unsigned i = 0; i != in.size(); ++i)
      out[i] = in[i] + 1;
    return true;
  }
};
