// Code that supervisors and workers call uses only instructions of both; the
// device library's integer and memory functions are examples.
// RUN: popc --target=ipu2 -O2 -S %s -o - | FileCheck %s

// CHECK-LABEL: copyWords:
// CHECK-NOT: rpt
// CHECK-NOT: $a
// CHECK: br $m10
extern "C" __attribute__((target("both"))) void
copyWords(int *__restrict to, const int *__restrict from, unsigned count) {
  for (unsigned i = 0; i != count; ++i)
    to[i] = from[i] + 1;
}

struct Pairs {
  long long words[4];
};

// CHECK-LABEL: copyPairs:
// CHECK-NOT: $a
// CHECK: br $m10
extern "C" __attribute__((target("both"))) void copyPairs(Pairs *to,
                                                          const Pairs *from) {
  *to = *from;
}

// CHECK-LABEL: where:
// CHECK: $m12
// CHECK: br $m10
extern "C" __attribute__((target("both"))) unsigned where() {
  return __builtin_ipu_is_worker_mode();
}

// CHECK-LABEL: whereWorker:
// CHECK: setzi $m0, 1
extern "C" unsigned whereWorker() { return __builtin_ipu_is_worker_mode(); }
