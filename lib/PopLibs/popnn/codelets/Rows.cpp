// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that have short rows whole: softmax, the negative log likelihood of
// a label, and its gradient. They compute in float; a softmax may be of halves.

#include <poplar/Vertex.hpp>

#include <cstdint>

using namespace poplar;

namespace popnn {

/// Sets a row to scale * exp(row - largest) / sum(exp(row - largest)).
inline void softmaxRow(float *row, unsigned columns, float largest,
                       float scale) {
  float sum = 0;
  for (unsigned i = 0; i != columns; ++i) {
    const float term = __builtin_expf(row[i] - largest);
    row[i] = term;
    sum += term;
  }
  for (unsigned i = 0; i != columns; ++i)
    row[i] = row[i] / sum * scale;
}

/// Halves go by twos where words begin, for one alone takes reading its word,
/// too; so terms are computed again rather than stored.
inline void softmaxRow(half *row, unsigned columns, float largest,
                       float scale) {
  float sum = 0;
  for (unsigned i = 0; i != columns; ++i)
    sum += __builtin_expf(float(row[i]) - largest);
  const float factor = scale / sum;
  const auto term = [=](half x) {
    return half(__builtin_expf(float(x) - largest) * factor);
  };
  if (reinterpret_cast<std::uintptr_t>(row) % sizeof(half2) != 0) {
    *row = term(*row);
    ++row;
    --columns;
  }
  half2 *pair = reinterpret_cast<half2 *>(row);
  for (unsigned i = 0; i != columns / 2; ++i)
    pair[i] = half2{term(pair[i][0]), term(pair[i][1])};
  if (columns % 2 != 0)
    row[columns - 1] = term(row[columns - 1]);
}

/// data = scale * exp(data - max) / sum(exp(data - max)), row by row.
template <typename T> class SoftmaxRows : public Vertex {
public:
  InOut<Vector<T, VectorLayout::ONE_PTR>> data;
  unsigned rows;
  unsigned columns;
  float scale;

  __attribute__((always_inline)) bool compute() {
    T *row = &data[0];
    for (unsigned r = 0; r != rows; ++r, row += columns) {
      float largest = row[0];
      for (unsigned i = 1; i != columns; ++i)
        largest = __builtin_fmaxf(largest, row[i]);
      softmaxRow(row, columns, largest, scale);
    }
    return true;
  }
};
template class SoftmaxRows<float>;
template class SoftmaxRows<half>;

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
