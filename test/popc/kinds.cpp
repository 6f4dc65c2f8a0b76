// Supervisor and multi-vertices, attributes of placement and mode, external codelets.
// RUN: popc %s -o %t.gp 2>&1 | FileCheck %s --check-prefix=WARNING
// RUN: not popc %s -Werror -o %t.2.gp 2>&1 | FileCheck %s --check-prefix=ERROR
// WARNING-COUNT-1: warning: the constraint "region(*a) == region(*b)" of vertex class 'Banks' is not understood
// WARNING-NOT: warning:
// ERROR: error: the constraint "region(*a) == region(*b)"
// RUN: gp-dump --vertices --symbols %t.gp | FileCheck %s

#include <poplar/Vertex.hpp>

using namespace poplar;

// CHECK-LABEL: vertex Banks (worker)
// CHECK:   constraint elem(*a) != elem(*b)
// CHECK:   constraint region(*a) == region(*b)
class [[poplar::constraint("elem(*a) != elem(*b)",
                           "region(*a) == region(*b)")]] Banks
    : public Vertex {
public:
  Input<Vector<float>> a;
  Output<Vector<float>> b;
  bool compute() { return true; }
};

// CHECK-LABEL: vertex BanksOf<float> (worker)
// CHECK:   constraint elem(**a) != elem(*b)
template <typename T>
class [[poplar::constraint("elem(**a) != elem(*b)")]] BanksOf : public Vertex {
public:
  Vector<Input<Vector<T>>> a;
  Output<Vector<T>> b;
  bool compute() { return true; }
};
template class BanksOf<float>;

// A supervisor's code for the IPU, a worker's for the host.
// CHECK-LABEL: vertex ByTarget (supervisor)
#ifdef __IPU__
#define SUPERVISOR_CODE true
#else
#define SUPERVISOR_CODE false
#endif
class ByTarget : public SupervisorVertexIf<SUPERVISOR_CODE> {
public:
  Output<unsigned> out;
#ifdef __IPU__
  __attribute__((target("supervisor")))
#endif
  bool compute() {
    *out = 1;
    return true;
  }
};

// External code serves the IPU targets; here compute() does.
// CHECK-LABEL: vertex External<false> (worker)
// CHECK-LABEL: vertex External<true> (worker, external)
template <bool Flag> class External : public Vertex {
public:
  static const bool isExternalCodelet = Flag;
  Input<float> a;
  bool compute() { return true; }
};
template class External<false>;
template class External<true>;

// CHECK-LABEL: vertex Multi (multi)
class Multi : public MultiVertex {
public:
  Output<Vector<unsigned>> out;
  bool compute(unsigned workerId) {
    for (unsigned i = workerId; i < out.size(); i += numWorkers())
      out[i] = workerId;
    return true;
  }
};

// CHECK-LABEL: vertex Super (supervisor)
class Super : public SupervisorVertexIf<true> {
public:
  Output<unsigned> out;
  __attribute__((target("supervisor"))) bool compute() {
    *out = 1;
    return true;
  }
};
// CHECK: __runCodelet_External___true in .text
