// The entry points of the IPU targets, and what C++ may use there.
// RUN: popc %s --target=ipu2 -S -o - | FileCheck %s
// RUN: popc %s --target=ipu2 -emit-llvm -o - | FileCheck %s --check-prefix=IR
// RUN: popc %s --target=cpu,ipu2 -o %t.gp
// RUN: gp-dump --vertices --symbols %t.gp | FileCheck %s --check-prefix=GP

#include <ipu_builtins.h>
#include <poplar/Vertex.hpp>

#if defined(__IPU__) && __IPU_ARCH_VERSION__ != 2
#error "__IPU_ARCH_VERSION__"
#endif

using namespace poplar;

// The state is where $m13 points; the result goes to the exit instruction.
// CHECK-LABEL: __runCodelet_Returns:
// CHECK: ld32 {{.*}}$m13
// CHECK: exitnz
// IR: define {{.*}}zeroext i1 @__runCodelet_Returns() {{.*}}[[WORKER:#[0-9]+]]
class Returns : public Vertex {
public:
  Input<int> in;
  bool compute() { return *in == 3; }
};

// CHECK-LABEL: __runCodelet_Void:
// CHECK: exit{{n?}}z
// IR: define {{.*}}void @__runCodelet_Void()
class Void : public Vertex {
public:
  Output<int> out;
  void compute() { *out = 3; }
};

// A store through a field does not alias the vertex's own state: the loop does
// not load it again.
// CHECK-LABEL: __runCodelet_Scale:
// CHECK: ld32 {{.*}}$m13, $m15, 2
// CHECK: rpt
// CHECK-NOT: $m13
// CHECK: exitnz
class Scale : public Vertex {
public:
  InOut<Vector<float>> data;
  float factor;
  bool compute() {
    for (unsigned i = 0; i < data.size(); ++i)
      data[i] *= factor;
    return true;
  }
};

// Each worker is told its number.
// CHECK-LABEL: __runCodelet_Multi:
// CHECK: get $m{{[0-9]+}}, 1
// CHECK: exit
class Multi : public MultiVertex {
public:
  Output<Vector<unsigned>> out;
  bool compute(unsigned worker) {
    out[worker] = worker;
    return true;
  }
};

// A supervisor is called, with the state in $m0, and returns.
// CHECK-LABEL: __runCodelet_Super:
// CHECK: ld32 {{.*}}$m0
// CHECK-NOT: exit
// CHECK: br $m10
// IR: define {{.*}} @__runCodelet_Super(ptr {{.*}}[[SUPERVISOR:#[0-9]+]]
class Super : public SupervisorVertex {
public:
  Output<Vector<unsigned>> out;
  __attribute__((target("supervisor"))) bool compute() {
    out[0] = 1;
    return true;
  }
};

// Inline assembly with a bundle, and builtins.
// CHECK-LABEL: __runCodelet_Inline:
// CHECK: {
// CHECK: exit
class Inline : public Vertex {
public:
  Output<unsigned> out;
  bool compute() {
#ifdef __IPU__
    unsigned x = __builtin_ipu_get_worker_id();
    asm volatile("{ add %0, %0, 1\n fnop }" : "+r"(x));
    *out = x;
#endif
    return true;
  }
};

// GP: vertex External (worker, external)
class External : public Vertex {
public:
  static const bool isExternalCodelet = true;
  Output<unsigned> out;
  bool compute() { return true; }
};
// IR-DAG: attributes [[WORKER]] = {{.*}}"ipu-entry"="worker"
// IR-DAG: attributes [[SUPERVISOR]] = {{.*}}"ipu-entry"="supervisor"

// Only the host has compiled code of an external codelet.
// GP-LABEL: object of {{.*}} for cpu
// GP: __runCodelet_External in .text
// GP-LABEL: object of {{.*}} for ipu2
// GP-NOT: __runCodelet_External
