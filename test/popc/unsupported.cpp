// clang-format off
// What the code generator does not support is said at the function that asks for it.
// RUN: rm -f %t.gp
// RUN: not popc %s --target=ipu2 -o %t.gp 2>&1 | FileCheck %s
// RUN: not test -e %t.gp

#include <poplar/Vertex.hpp>

class Asking : public poplar::Vertex {
public:
  poplar::Output<unsigned> out;
  // CHECK-DAG: unsupported.cpp:[[@LINE+1]]:8: error: get_tile_id is for supervisor code; a worker cannot read it
  bool compute() {
    *out = __builtin_ipu_get_tile_id();
    return true;
  }
};

extern "C" int other(int x);
// CHECK-DAG: unsupported.cpp:[[@LINE+1]]:16: error: a call is marked musttail, and calls never become jumps on an IPU
extern "C" int jumps(int x) { [[clang::musttail]] return other(x); }
