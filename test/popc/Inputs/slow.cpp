// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that --check-codelets warns of; slow.txt has the places.
#include <poplar/Vertex.hpp>
using namespace poplar;

static int calls;

class Slow : public MultiVertex {
public:
  Input<Vector<float>> in;
  Output<Vector<unsigned char>> bytes;
  InOut<poplar::Vector<half, poplar::VectorLayout::ONE_PTR>> halves;
  Output<float> total;
  unsigned divisor;
  bool compute(unsigned worker) {
    float sum = 0;
    for (unsigned i = worker; i < bytes.size(); i += numWorkers()) {
      bytes[i] = in[i] * 2.5 + 1;
      sum += in[i];
      sum += in[i / divisor];
    }
    for (unsigned long long i = 0; i != 4; ++i)
      halves[i] += half(1);
    *total = sum;
    ++calls;
    return true;
  }
};
class Same : public MultiVertex {
public:
  InOut<Vector<float>> x;
  bool compute(unsigned) {
    for (unsigned i = 0; i != x.size(); ++i)
      x[i] *= 2.0; // NOLINT
    if (x[0] > 1.5)
      x[0] = 0;
    return true;
  }
};
