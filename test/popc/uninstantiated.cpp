// A template that nothing instantiates is no vertex type, which a graph would only find out later.
// RUN: popc %s --target=cpu,ipu2 -o %t.gp 2>&1 | FileCheck %s
// RUN: not popc %s --target=ipu2 -Werror -o %t.2.gp 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: popc %s --target=ipu2 -w -o %t.2.gp 2>&1 | count 0
// RUN: gp-dump %t.gp | FileCheck %s --check-prefix=TYPES

#include <poplar/Vertex.hpp>

using namespace poplar;

// CHECK: uninstantiated.cpp:[[@LINE+1]]:29: warning: vertex class template 'Forgotten' is not instantiated, so graphs cannot use it; add 'template class Forgotten<...>;'
template <typename T> class Forgotten : public Vertex {
public:
  Input<T> x;
  Output<T> y;
  bool compute() {
    *y = *x;
    return true;
  }
};

// ERROR: error: vertex class template 'Forgotten' is not instantiated
// CHECK-NOT: warning:
// Instantiated as a base of another vertex type.
template <typename T> class Parent : public Vertex {
public:
  Output<T> y;
  bool compute() {
    *y = 1;
    return true;
  }
};
class Child : public Parent<float> {};

template <typename T> class Used : public Vertex {
public:
  Output<T> y;
  bool compute() {
    *y = 2;
    return true;
  }
};
template class Used<int>;

// Not a vertex type without compute().
template <typename T> class Fields : public Vertex {
public:
  Output<T> y;
};

// TYPES-NOT: Forgotten
// TYPES: Child
// TYPES: Used<int>
