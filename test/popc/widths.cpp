// Types that are as wide as the target has them: 32 bits on a tile, 64 on the
// host. Each target has its own.
// RUN: popc %s -o %t.gp
// RUN: gp-dump %t.gp --json | FileCheck %s
// Archives of single targets are merged to the same.
// RUN: popc %s --target=cpu -o %t.cpu.gp
// RUN: popc %s --target=ipu1,ipu2,ipu21 -o %t.ipu.gp
// RUN: popc %t.cpu.gp %t.ipu.gp -o %t.merged.gp
// RUN: gp-dump %t.merged.gp --json | FileCheck %s

// CHECK: "name": "count"
// CHECK: "element": "unsigned int"
// CHECK: "element": "unsigned long long"
// CHECK-NEXT: "min_align": 8
// CHECK: "name": "offsets"
// CHECK: "element": "long"
// CHECK: "element": "long long"
// The same type, with another alignment.
// CHECK: "name": "nodes"
// CHECK: "element": "char"
// CHECK: "min_align": 4
// CHECK: "element": "char"
// CHECK-NEXT: "min_align": 8
// The state has the bytes of each place.
// CHECK: "name": "limit"
// CHECK-NOT: "element": "unsigned long long"

#include <poplar/Vertex.hpp>

struct Node {
  Node *next;
  virtual int value() const { return 1; }
};

class Widths : public poplar::Vertex {
public:
  poplar::Input<size_t> count;
  poplar::Input<poplar::Vector<long>> offsets;
  // The alignment of a structure with pointers differs, too.
  poplar::Input<
      poplar::Vector<char, poplar::VectorLayout::SPAN, alignof(Node)>>
      nodes;
  size_t limit;
  poplar::Output<unsigned> out;

  bool compute() {
    *out = unsigned(limit + nodes.size());
    for (size_t i = 0; i != *count; ++i)
      *out += unsigned(offsets[i]);
    return true;
  }
};
