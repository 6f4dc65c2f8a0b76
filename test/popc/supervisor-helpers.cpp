// clang-format off
// Callees of a supervisor are compiled for supervisors, inlined or not; workers
// call another copy, compiled for workers.
// RUN: popc --target=ipu2 -O2 -S %s -o - | FileCheck %s
// RUN: popc --target=ipu2 -O0 -S %s -o - | FileCheck %s --check-prefix=PLAIN

#include <poplar/Vertex.hpp>

using namespace poplar;

__attribute__((noinline)) float halve(float x) { return 0.5f * x; }
__attribute__((noinline)) float reduce(float x) { return halve(halve(x)); }

// CHECK-LABEL: _Z5halvef:
// CHECK: f32mul $a0, $a0
// CHECK-LABEL: _Z6reducef:
// CHECK: call $m10, _Z5halvef{{$}}
// CHECK-LABEL: _Z6reducef.supervisor:
// CHECK-NOT: $a
// CHECK: call $m10, _Z5halvef.supervisor
// CHECK-LABEL: _Z5halvef.supervisor:
// CHECK-NOT: $a
// CHECK: call $m10, __mulsf3
// CHECK-LABEL: __runCodelet_Supervising:
// CHECK-NOT: $a
// CHECK: call $m10, _Z6reducef.supervisor
class Supervising : public SupervisorVertex {
  InOut<float> x;
  bool compute() { *x = reduce(*x); return true; }
};
// CHECK-LABEL: __runCodelet_Working:
// CHECK: call $m10, _Z6reducef{{$}}
class Working : public Vertex {
  InOut<float> x;
  bool compute() { *x = reduce(*x); return true; }
};

// Not only the optimiser brings the accessors of fields along.
// PLAIN-LABEL: _ZN11Supervising7computeEv:
// PLAIN-NOT: $a
// PLAIN: call $m10, {{.*}}ElementEdge{{.*}}.supervisor
// PLAIN: call $m10, _Z6reducef.supervisor
// PLAIN-LABEL: _ZN7Working7computeEv:
// PLAIN: call $m10, _Z6reducef{{$}}
// PLAIN-LABEL: _Z5halvef.supervisor:
// PLAIN-NOT: $a
// PLAIN: call $m10, __mulsf3
// PLAIN-LABEL: __runCodelet_Supervising:
// PLAIN: call $m10, _ZN11Supervising7computeEv
