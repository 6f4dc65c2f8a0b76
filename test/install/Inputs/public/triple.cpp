#include <poplar/Vertex.hpp>

class Triple : public poplar::Vertex {
public:
  poplar::Input<float> factor;
  poplar::InOut<poplar::Vector<float>> data;

  bool compute() {
    for (unsigned i = 0; i != data.size(); ++i)
      data[i] *= *factor;
    return true;
  }
};
