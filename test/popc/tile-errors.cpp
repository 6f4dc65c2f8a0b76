// clang-format off
// C++ features that a tile lacks are errors with their location in the source, if they
// remain after optimisation and a vertex reaches them.
// RUN: rm -f %t.gp
// RUN: not popc %s -O2 --target=cpu,ipu2 -o %t.gp 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not test -e %t.gp
// RUN: popc %s --target=cpu -o %t.cpu.gp

#include <poplar/Vertex.hpp>

using namespace poplar;

struct Object { int value; Object(); };
Object opaque;
struct Folded { int value; constexpr Folded(int value) : value(value * 2) {} };
Folded folded(3);
struct Destroyed { int value = 1; ~Destroyed(); };
Destroyed destroyed;
Object unneeded;
// CHECK: tile-errors.cpp:[[@LINE-6]]:8: error: the constructor or destructor of global object 'opaque' would have to run outside of codelets, which does not happen on a tile; make its initialiser a constant expression, or make it local to a function
// CHECK: tile-errors.cpp:[[@LINE-3]]:11: error: the constructor or destructor of global object 'destroyed'
class Globals : public Vertex {
  Output<int> out;
  bool compute() { *out = opaque.value + destroyed.value; return true; }
};

extern int (*pointer)(int);
class Indirect : public Vertex {
  Output<int> out;
  // CHECK: :[[@LINE+1]]:8: error: 'Indirect::compute' calls through a pointer, and no function of that type has its address taken in this source
  bool compute() { *out = pointer(1); return true; }
};

namespace ns {
int even(int n);
// CHECK: :[[@LINE+1]]:31: error: 'ns::odd' calls 'ns::even', which calls 'ns::odd' again; a tile's stack has a fixed size, so recursion is not possible; use a loop
__attribute__((noinline)) int odd(int n) { return n == 0 ? 0 : even(n - 1) + 1; }
// CHECK: :[[@LINE+1]]:31: note: 'ns::even' is here
__attribute__((noinline)) int even(int n) { return n == 0 ? 1 : odd(n - 1) * 2; }
}
// CHECK: :[[@LINE+12]]:8: note: 'ns::odd' is called by 'Recursive::compute'
// CHECK: :[[@LINE+2]]:5: error: 'fibonacci' calls itself;
// CHECK-NEXT: int fibonacci(
int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
// Recursion that is evaluated at compile time, becomes a loop, or is unused is fine.
constexpr int log2(int n) { return n < 2 ? 0 : 1 + log2(n / 2); }
static int sum(int n) { return n == 0 ? 0 : n + sum(n - 1); }
int unused(int n) { return n < 2 ? n : unused(n - 1) + unused(n - 2); }

class Recursive : public Vertex {
  Output<int> out;
  int n;
  bool compute() {
    *out = ns::odd(n) + fibonacci(n) + log2(1024) + sum(n) + folded.value;
    return true;
  }
};

class Deep : public Vertex {
  Output<int> out;
  int n;
  // CHECK: :[[@LINE+2]]:8: error: this codelet needs {{8[0-9]+}} bytes of stack, more than the {{[0-9]+}} that a context of ipu{{[12]}} can have; move large local arrays to fields of the vertex
  // CHECK: :[[@LINE+1]]:8: note: the largest part, {{8[0-9]+}} bytes, is the frame of 'Deep::compute'
  bool compute() {
    volatile int local[20000];
    for (int i = 0; i != 20000; ++i)
      local[i] = n;
    *out = local[n];
    return true;
  }
};
