// A loop in inline assembly that aligns nothing gets its body to a multiple of 8
// bytes, wherever the compiler has put what stands before it; one that looks after
// its place is left as it is.
// RUN: popc %s --target=ipu2 -c -o %t.0.o
// RUN: popc %s --target=ipu2 -c '-DBEFORE="nop\n"' -o %t.1.o
// RUN: popc %s --target=ipu2 -O0 -c -o %t.2.o
// RUN: popc %s --target=ipu2 -S -o %t.s
// RUN: popc %t.s --target=ipu2 -c -o %t.3.o
// RUN: %{llvm-objdump} -d %t.0.o | FileCheck %s
// RUN: %{llvm-objdump} -d %t.1.o | FileCheck %s
// RUN: not popc %s --target=ipu2 -c '-DBEFORE=".align 8\nnop\nnop\n"' -o %t.4.o 2>&1 | FileCheck %s --check-prefix=OWN
// CHECK: { rpt {{.*}}, 0x1 ; fnop }
// CHECK-NEXT: {{[08]}}: {{.*}}{ ld64step
// OWN: error: the body of this rpt does not begin at a multiple of 8 bytes

#include <poplar/Vertex.hpp>

#ifndef BEFORE
#define BEFORE ""
#endif

class Doubles : public poplar::Vertex {
public:
  poplar::InOut<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> x;
  unsigned pairs;

  bool compute() {
    float *to = &x[0];
    const float *from = to;
    asm volatile(BEFORE "rpt %[n], (2f-1f)/8-1\n"
                        "1:\n"
                        "{ ld64step $a0:1, $mzero, %[from]+=, 1\n"
                        "  fnop }\n"
                        "{ nop\n"
                        "  f32v2add $a0:1, $a0:1, $a0:1 }\n"
                        "2:\n"
                        "st64step $a0:1, $mzero, %[to]+=, 1\n"
                 : [to] "+r"(to), [from] "+r"(from)
                 : [n] "r"(pairs)
                 : "$a0:1", "memory");
    return true;
  }
};
