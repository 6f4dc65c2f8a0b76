// clang-format off
// Errors in a vertex class look like Clang's errors in C++.
// RUN: not popc %s --target=cpu,ipu2 -o %t.gp 2>&1 | FileCheck %s
// RUN: not popc %s -DMODES --target=cpu,ipu2 -o %t.gp 2>&1 | FileCheck %s --check-prefix=MODES
// RUN: not test -e %t.gp

#include <poplar/Vertex.hpp>

using namespace poplar;

#ifdef MODES
class ForWorkers : public SupervisorVertex {
  // MODES: [[@LINE+1]]:18: error: compute function of supervisor vertex 'ForWorkers' cannot be compiled for workers; leave the attribute out, or derive the class from poplar::Vertex
  __attribute__((target("worker"))) bool compute() { return true; }
};
// MODES: 1 error generated.
#else

// CHECK: vertex-errors.cpp:[[@LINE+1]]:7: error: vertex class 'NoCompute' has no compute function; add 'bool compute()'
class NoCompute : public Vertex {
public:
  Input<float> x;
};

// CHECK: [[@LINE+1]]:7: error: vertex class 'NoMulti' has no compute function; add 'bool compute(unsigned workerId)'
class NoMulti : public MultiVertex {};

class Parameter : public Vertex {
  // CHECK: [[@LINE+1]]:8: error: compute function of vertex class 'Parameter' must be declared as 'bool compute()', returning bool or void
  bool compute(int);
};

class Returns : public Vertex {
  // CHECK: [[@LINE+1]]:7: error: compute function of vertex class 'Returns' must be
  int compute() { return 0; }
};

class NoWorker : public MultiVertex {
  // CHECK: [[@LINE+1]]:8: error: compute function of vertex class 'NoWorker' must be declared as 'bool compute(unsigned workerId)'
  bool compute() { return true; }
};

struct Pair {
  int a, b;
};
namespace ns {
class Fields : public Vertex {
  // CHECK: [[@LINE+1]]:8: error: Field 'ns::Fields.pair' has unsupported field type 'Pair'; give each member a field of its own, or connect the bytes as Vector<unsigned char>
  Pair pair;
  // CHECK: [[@LINE+1]]:15: error: Field 'ns::Fields.input' has unsupported field type 'Input<Pair>'
  Input<Pair> input;
  // CHECK: [[@LINE+1]]:7: error: Field 'ns::Fields.array' has unsupported field type 'int[4]'; use Vector<>
  int array[4];
  // CHECK: [[@LINE+1]]:10: error: Field 'ns::Fields.pointer' has unsupported field type 'float *'; connect a tensor with Input<>, Output<> or InOut<>
  float *pointer;
  // CHECK: [[@LINE+1]]:40: error: Field 'ns::Fields.deep' has unsupported field type 'Vector<Vector<Input<Vector<float>>>>'; a list has one level: Vector<Input<Vector<>>>
  Vector<Vector<Input<Vector<float>>>> deep;
  // CHECK: [[@LINE+1]]:7: error: Field 'ns::Fields.bits' has unsupported field type 'int'; a field must have a place of its own
  int bits : 3;
  // CHECK: [[@LINE+1]]:10: error: Field 'ns::Fields.wide' has unsupported field type 'double'; use float
  double wide;
#ifndef __IPU__
  // CHECK: [[@LINE+1]]:34: error: Field 'ns::Fields.eight' has unsupported field type 'Vector<Input<Vector<quarter>>>'; only Input<>, Output<> and InOut<> of one quarter or one Vector<quarter> have a place for metadata
  Vector<Input<Vector<quarter>>> eight;
#endif
  // CHECK: [[@LINE+1]]:31: error: Field 'ns::Fields.crossed' has unsupported field type 'Input<Vector<Input<float>>>'; a list has one level
  Input<Vector<Input<float>>> crossed;
  bool compute() { return true; }
};
} // namespace ns

// CHECK: [[@LINE+1]]:7: error: vertex class 'Virtual' has virtual functions or virtual bases
class Virtual : public Vertex {
  virtual bool compute() { return true; }
};

namespace A {
struct B : Vertex {
  bool compute() { return true; }
};
} // namespace A
// CHECK: [[@LINE+1]]:8: error: vertex types 'A::B' and 'A__B' have the same entry symbol '__runCodelet_A__B'
struct A__B : Vertex {
  bool compute() { return true; }
};

struct Flag : Vertex {
  // CHECK: [[@LINE+1]]:21: error: isExternalCodelet must be a constant true or false
  static const bool isExternalCodelet;
  bool compute() { return true; }
};

// CHECK: [[@LINE+1]]:7: error: vertex class 'TwoBases' derives from more than one vertex base
class TwoBases : public Vertex, public MultiVertex {
  bool compute() { return true; }
};

class Named : public Vertex {
public:
  Input<float> x;
  bool compute() { return true; }
};
class Renamed : public Named {
  // CHECK: [[@LINE+1]]:14: error: vertex class 'Renamed' has two fields 'x', one of them from a base class; the graph knows them by name, so rename one
  Input<int> x;
  bool compute() { return true; }
};
// Once, though two targets were compiled for.
// CHECK-NOT: error:
// CHECK: 19 errors generated.
#endif
