// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that have short rows whole: softmax, the negative log likelihood of
// a label, and its gradient. All are of floats.

#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popnn {

/// data = scale * exp(data - max) / sum(exp(data - max)), row by row.
class SoftmaxRows : public Vertex {
public:
  InOut<Vector<float, VectorLayout::ONE_PTR>> data;
  unsigned rows;
  unsigned columns;
  float scale;

  bool compute() {
    float *row = &data[0];
    for (unsigned r = 0; r != rows; ++r, row += columns) {
      float largest = row[0];
      for (unsigned i = 1; i != columns; ++i)
        largest = __builtin_fmaxf(largest, row[i]);
      float sum = 0;
      for (unsigned i = 0; i != columns; ++i) {
        const float term = __builtin_expf(row[i] - largest);
        row[i] = term;
        sum += term;
      }
      for (unsigned i = 0; i != columns; ++i)
        row[i] = row[i] / sum * scale;
    }
    return true;
  }
};

/// The loss of each row, of logarithms of probabilities or of these.
template <bool OfLogarithms> class LogLikelihood : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR>> p;
  Input<Vector<int, VectorLayout::ONE_PTR>> labels;
  Output<Vector<float>> loss;
  unsigned columns;

  bool compute() {
    const float *row = &p[0];
    for (unsigned r = 0; r != loss.size(); ++r, row += columns) {
      const unsigned label = static_cast<unsigned>(labels[r]);
      float result = 0;
      if (label < columns)
        result = OfLogarithms
                     ? -row[label]
                     : -__builtin_logf(__builtin_fmaxf(row[label], 1e-7f));
      loss[r] = result;
    }
    return true;
  }
};
template class LogLikelihood<false>;
template class LogLikelihood<true>;

/// By logits, by logarithms of probabilities, or by these.
template <bool ByLogits, bool ByLogarithms>
class LogLikelihoodGradient : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR>> p;
  Input<Vector<int, VectorLayout::ONE_PTR>> labels;
  Input<Vector<float>> deltas;
  Output<Vector<float, VectorLayout::ONE_PTR>> out;
  unsigned columns;

  bool compute() {
    const float *row = &p[0];
    float *result = &out[0];
    for (unsigned r = 0; r != deltas.size();
         ++r, row += columns, result += columns) {
      const float delta = deltas[r];
      for (unsigned i = 0; i != columns; ++i)
        result[i] = ByLogits ? row[i] * delta : 0.0f;
      const unsigned label = static_cast<unsigned>(labels[r]);
      if (label >= columns)
        continue;
      if (ByLogits)
        result[label] = (row[label] - 1.0f) * delta;
      else if (ByLogarithms)
        result[label] = -delta;
      else
        result[label] = -delta / __builtin_fmaxf(row[label], 1e-10f);
    }
    return true;
  }
};
template class LogLikelihoodGradient<true, false>;
template class LogLikelihoodGradient<false, true>;
template class LogLikelihoodGradient<false, false>;

} // namespace popnn
