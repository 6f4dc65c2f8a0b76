// Integers that are only copied go through the auxiliary file, 64 bits at once.
//
// RUN: popc --target=ipu2 -O2 -S %s -o - | FileCheck %s

#include <poplar/Vertex.hpp>

using namespace poplar;
template <typename T> using Aligned = Vector<T, VectorLayout::SPAN, 8>;

// CHECK-LABEL: __runCodelet_Copy:
// CHECK: rpt {{.*}}, 0 ; fnop
// CHECK-NEXT: ldst64pace $a0:1, $a0:1,
class Copy : public Vertex {
public:
  Output<Aligned<int>> to;
  Input<Aligned<int>> from;

  bool compute() {
    for (unsigned i = 0; i != to.size(); ++i)
      to[i] = from[i];
    return true;
  }
};

// CHECK-LABEL: __runCodelet_Fill:
// CHECK: rpt {{.*}}, 0 ; fnop
// CHECK-NEXT: st64step $a
class Fill : public Vertex {
public:
  Output<Aligned<unsigned>> to;
  unsigned value;

  bool compute() {
    for (unsigned i = 0; i != to.size(); ++i)
      to[i] = value;
    return true;
  }
};

// CHECK-LABEL: __runCodelet_Wide:
// CHECK: ldst64pace
class Wide : public Vertex {
public:
  Output<Vector<long long>> to;
  Input<Vector<long long>> from;

  bool compute() {
    long long *__restrict out = &to[0];
    const long long *__restrict in = &from[0];
    for (unsigned i = 0; i != to.size(); ++i)
      out[i] = in[i];
    return true;
  }
};

// Integers whose value is used, and volatile accesses, are not merged.
// CHECK-LABEL: __runCodelet_NotOnly:
// CHECK-NOT: st64
// CHECK-LABEL: __runCodelet_Volatile:
// CHECK-NOT: 64
// CHECK: .Lfunc_end
class NotOnly : public Vertex {
public:
  Output<Aligned<int>> to;
  Input<Aligned<int>> from;

  bool compute() {
    int sum = 0;
    for (unsigned i = 0; i != to.size(); ++i)
      sum += to[i] = from[i];
    return sum != 0;
  }
};

class Volatile : public Vertex {
public:
  Output<Aligned<int>> to;
  Input<Aligned<int>> from;

  bool compute() {
    for (unsigned i = 0; i != to.size(); ++i)
      *const_cast<volatile int *>(&to[i]) = from[i];
    return true;
  }
};
