// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices to be debugged.

#include <poplar/Vertex.hpp>

using namespace poplar;

__attribute__((noinline)) float square(float x) {
  float result = x * x;
  return result;
}

class Squares : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  float bias;

  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i) {
      float y = square(in[i]);
      out[i] = y + bias;
    }
    return true;
  }
};

// Six workers at once.
class Shares : public MultiVertex {
public:
  InOut<Vector<int>> data;

  bool compute(unsigned worker) {
    for (unsigned i = worker; i < data.size(); i += numWorkers())
      data[i] += worker;
    return true;
  }
};

class Ratio : public Vertex {
public:
  Input<float> above, below;
  Output<float> quotient;

  bool compute() {
    *quotient = *above / *below;
    return true;
  }
};

class Wild : public Vertex {
public:
  Input<unsigned> address;
  Output<int> value;

  bool compute() {
    int *pointer = reinterpret_cast<int *>(*address);
    *value = *pointer;
    return true;
  }
};
