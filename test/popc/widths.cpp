// Types that are as wide as the target has them: for one target they are like any
// other; values of the state may differ; and edges that differ are explained.
// RUN: popc %s --target=ipu2 -DEDGES -o %t.gp
// RUN: popc %s --target=ipu1,ipu2 -DEDGES -o %t.gp
// RUN: popc %s -o %t.gp
// RUN: not popc %s --target=cpu,ipu2 -DEDGES -o %t.2.gp 2>&1 | FileCheck %s
// CHECK: error: field 'count' of vertex type 'Widths' at widths.cpp:13 has elements of 8 bytes for cpu and of 4 for ipu2: size_t, long and their like
// CHECK-SAME: use unsigned
// RUN: not test -e %t.2.gp

#include <poplar/Vertex.hpp>

class Widths : public poplar::Vertex {
public:
#ifdef EDGES
  poplar::Input<size_t> count;
  poplar::Input<poplar::Vector<long>> offsets;
#endif
  size_t limit;
  poplar::Output<unsigned> out;

  bool compute() {
    *out = unsigned(limit);
#ifdef EDGES
    for (size_t i = 0; i != *count; ++i)
      *out += unsigned(offsets[i]);
#endif
    return true;
  }
};
