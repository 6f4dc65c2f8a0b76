#include <poplar/Vertex.hpp>

namespace ns {
template <typename T> class Fill : public poplar::Vertex {
public:
  Fill();
  static const bool isExternalCodelet = true;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> out;
  const T value;
  const unsigned size;
  bool compute() {
    for (unsigned i = 0; i != size; ++i)
      out[i] = value;
    return true;
  }
};
template class Fill<float>;
} // namespace ns
