// clang-format off
// Constraints of which nothing can come are warned of; the others are kept.
// RUN: popc %s --target=ipu2 -o %t.gp 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: gp-dump %t.gp --vertices | FileCheck %s --check-prefix=KEPT
// RUN: not popc %s -DMETADATA --target=ipu2 -o %t.2.gp 2>&1 | FileCheck %s --check-prefix=METADATA

#include <poplar/Vertex.hpp>

using namespace poplar;

// KEPT: vertex Good
class [[poplar::constraint("elem(*a) != elem(*b)", "elem(**lists) != elem(*b)", "region(*a) != region(*b)")]]
    Good : public Vertex {
  Output<Vector<float>> a, b;
  Vector<Input<Vector<float>>> lists;
  bool compute() { return true; }
};

// CHECK: constraints.cpp:[[@LINE+1]]:54: warning: the constraint "elem(*a) != elem(*c)" names 'c', which is no field of vertex class 'Misnamed'
class [[poplar::constraint("elem(*a) != elem(*c)")]] Misnamed : public Vertex {
  Output<Vector<float>> a, b;
  bool compute() { return true; }
};

// CHECK: [[@LINE+1]]:54: warning: the constraint "bank(*a) != elem(*b)" of vertex class 'Misspelt' is not understood; write "elem(*a) != elem(*b)" of two fields
class [[poplar::constraint("bank(*a) != elem(*b)")]] Misspelt : public Vertex {
  Output<Vector<float>> a, b;
  bool compute() { return true; }
};

#ifdef METADATA
class Metadata : public Vertex {
  Input<Vector<half>> in;
  Output<unsigned> out;
  // METADATA: error: static assertion failed {{.*}}only edges of quarters have metadata
  // METADATA: constraints.cpp:[[@LINE+1]]:
  bool compute() { *out = in.getMetadata(); return true; }
};
#endif
