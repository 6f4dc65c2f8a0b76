// clang-format off
// A codelet may not use what a constructor sets, also where that is not its own object;
// constructors of objects that no codelet uses are not its business.
// RUN: not popc %s -O2 --target=ipu2 -o %t.gp 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: popc %s -O2 -DNOT_USED --target=cpu,ipu2 -o %t.gp

#include <poplar/Vertex.hpp>

// CHECK: :[[@LINE+1]]:5: error: a constructor of a global object would have to set 'setByOther', which a codelet uses, and constructors do not run before codelets; give it a constant initialiser
int setByOther;
int notByOther = 5;
int other(int);
struct Setter { Setter() { setByOther = other(3); } } setter;

class Other : public poplar::Vertex {
  poplar::Output<int> out;
  bool compute() {
#ifdef NOT_USED
    *out = notByOther;
#else
    *out = notByOther + setByOther;
#endif
    return true;
  }
};
