// clang-format off
// Library functions that codelets cannot call, and objects too large for the fixed
// stack, are errors with their location in the source, if a vertex reaches them.
// RUN: rm -f %t.gp
// RUN: not popc %s -O2 --target=cpu,ipu2 -o %t.gp 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not test -e %t.gp
// RUN: popc %s --target=cpu -o %t.cpu.gp
// RUN: popc %s -O2 -DOWN_HEAP --target=ipu2 -c -o %t.o
// A function of another input is not the libraries'.
// RUN: echo 'char pool[64]; void *malloc(unsigned size) { return pool + size; }' > %t.heap.c
// RUN: popc %s %t.heap.c -O2 -w -DOTHER_HEAP --target=cpu,ipu2 -o %t.both.gp
// RUN: popc %t.heap.c -w --target=ipu2 -o %t.heap.gp
// RUN: popc %s %t.heap.gp -O2 -DOTHER_HEAP --target=ipu2 -o %t.both.gp
// RUN: not popc %s %t.heap.c -w -O2 --target=ipu2 -o %t.gp 2>&1 | FileCheck %s --check-prefix=OTHERS
// OTHERS-NOT: calls 'malloc'
// OTHERS: calls 'operator new[](unsigned int)'
// RUN: not popc %s -O2 -DSANITIZED -fsanitize=address --target=ipu2 -o %t.gp 2>&1 | FileCheck %s --check-prefix=SANITIZED

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <print.h>
#include <poplar/Vertex.hpp>
#include <vector>

using namespace poplar;

#if defined(OWN_HEAP) || defined(OTHER_HEAP)
#ifdef OWN_HEAP
char pool[1024];
unsigned used;
extern "C" __attribute__((noinline)) void *malloc(size_t size) { return pool + (used += size); }
#endif
class Allocating : public Vertex {
  Output<float> out;
  bool compute() { *out = *static_cast<float *>(malloc(4)); return true; }
};
#elif defined(SANITIZED)
class Checked : public Vertex {
  Output<float> out;
  // SANITIZED: :[[@LINE+1]]:8: error: 'Checked::compute' calls '__asan_{{.*}}', which is part of a run-time library that does not exist for a tile; leave out the option that asks for it
  bool compute() { *out = 1; return true; }
};
#else
class Heap : public Vertex {
  Output<float> out;
  Input<int> count;
  bool compute() {
    // CHECK-DAG: :[[@LINE+1]]:42: error: 'Heap::compute' calls 'malloc', which takes memory while it runs, and a codelet has no heap; use a field of the vertex, whose size the graph knows, or an array on the stack
    auto *numbers = static_cast<float *>(malloc(*count));
    numbers[0] = *count;
    *out = numbers[*count - 1];
    free(numbers);
    return true;
  }
};

class New : public Vertex {
  Output<float> out;
  Input<int> count;
  bool compute() {
    // CHECK-DAG: :[[@LINE+1]]:22: error: 'New::compute' calls 'operator new[](unsigned int)', which takes memory
    float *numbers = new float[*count];
    numbers[0] = *count;
    *out = numbers[*count - 1];
    delete[] numbers;
    return true;
  }
};

class Container : public Vertex {
  Output<float> out;
  Input<int> count;
  // CHECK-DAG: :[[@LINE+1]]:8: error: 'Container::compute' calls 'operator new(unsigned int)'
  bool compute() {
    std::vector<float> numbers(*count, 1);
    *out = numbers[*count - 1];
    return true;
  }
};

class Large : public Vertex {
  Output<float> out;
  Input<Vector<float>> in;
  // A std::function allocates captures beyond its own few words.
  // CHECK-DAG: :[[@LINE+1]]:8: error: 'Large::compute' calls 'operator new(unsigned int)', which takes memory
  bool compute() {
    float kept[8];
    for (unsigned i = 0; i != 8; ++i)
      kept[i] = in[i];
    std::function<float(int)> pick = [kept](int i) { return kept[i]; };
    if (in.size() > 8)
      pick = [kept](int i) { return -kept[i]; };
    *out = pick(in.size() % 8);
    return true;
  }
};

class Virtual : public Vertex {
  Output<float> out;
  Input<int> which;
  struct Function { virtual float of(float x) const = 0; };
  struct Sine : Function { float of(float x) const override { return std::sin(x); } };
  struct Root : Function { float of(float x) const override { return std::sqrt(x); } };
  bool compute() {
    // CHECK-DAG: :[[@LINE+1]]:63: error: 'Virtual::compute' calls 'operator new(unsigned int)', which takes memory
    const Function *chosen = *which ? static_cast<Function *>(new Sine) : new Root;
    *out = chosen->of(1);
    return true;
  }
};

class Unnamed : public Vertex {
  Output<float> out;
  Input<unsigned> address;
  struct Function { virtual double of(char x, short y) const = 0; };
  // CHECK-DAG: :[[@LINE+1]]:8: error: 'Unnamed::compute' calls through a pointer, and no function of that type has its address taken in this source
  bool compute() { *out = reinterpret_cast<const Function *>(*address)->of('a', 2); return true; }
};

class Reader : public Vertex {
  Output<int> out;
  // CHECK-DAG: :[[@LINE+1]]:27: error: 'Reader::compute' calls 'fopen', and a codelet has neither files nor input; connect the data to a field
  bool compute() { *out = fopen("name", "r") != nullptr; return true; }
};

class Printing : public SupervisorVertex {
  Output<int> out;
  bool compute() {
    // CHECK-DAG: :[[@LINE+1]]:5: error: 'Printing::compute' calls 'printf', which is code for workers, and a supervisor cannot run it; call it in a worker vertex
    printf("%d\n", *out);
    return true;
  }
};

class Rooting : public SupervisorVertex {
  InOut<float> x;
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: error: 'Rooting::compute' calls 'sqrtf', which is code for workers
  bool compute() { *x = std::sqrt(*x); return true; }
};

class Array : public Vertex {
  Output<int> out;
  // CHECK-DAG: :[[@LINE+1]]:8: error: 'Array::compute' has an array on the stack whose size is known only when it runs, so its stack cannot be computed; give it a constant size, or make it a field of the vertex
  bool compute() {
    volatile int numbers[*out];
    numbers[0] = 1;
    *out = numbers[*out - 1];
    return true;
  }
};

// The first is unreachable; the optimiser removes the second.
int *unused() { return new int; }
class Removed : public Vertex {
  Output<int> out;
  bool compute() {
    auto *number = new int(3);
    *out = *number;
    delete number;
    return true;
  }
};
#endif
