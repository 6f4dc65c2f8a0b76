#include <algorithm>
#include <cmath>
#include <poplar/Vertex.hpp>

using namespace poplar;

class Axpy : public Vertex {
public:
  Input<Vector<float>> x;
  InOut<Vector<float, VectorLayout::ONE_PTR, 4>> y;
  const float a;
  void compute() {
    for (unsigned i = 0; i != x.size(); ++i)
      y[i] += a * x[i];
  }
};

class Sums : public Vertex {
public:
  Vector<Input<Vector<float>>> in;
  Output<Vector<float>> out;
  bool compute() {
    for (unsigned i = 0; i != in.size(); ++i) {
      out[i] = 0;
      for (float value : in[i])
        out[i] += std::max(std::sqrt(value * value), 0.0f);
    }
    return true;
  }
};

class Fails : public Vertex {
public:
  bool compute() { return false; }
};
