// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the tests of recurrent layers: the data of a layer, the products
// that its units consist of, and gradients as differences. References compute
// step by step in double.

#ifndef POPULUS_TEST_UNIT_POPLIBS_RECURRENTREFERENCE_H
#define POPULUS_TEST_UNIT_POPLIBS_RECURRENTREFERENCE_H

#include "Harness.h"

namespace test {

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

inline double dot(const Values &a, const Values &b) {
  double sum = 0;
  for (std::size_t i = 0; i != a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}

/// The gradient of a function of \p parameter by central differences.
template <class F> Values differences(Values &parameter, F function) {
  constexpr double Step = 1e-5;
  Values gradient;
  for (double &value : parameter) {
    const double at = value;
    value = at + Step;
    const double above = function();
    value = at - Step;
    const double below = function();
    value = at;
    gradient.push_back((above - below) / (2 * Step));
  }
  return gradient;
}

/// The data of a layer with \p units units, whose weights are [units][rows]
/// [out] and biases [units][2][out], the second ones for the state.
struct RecurrentLayer {
  std::size_t steps, batch, in, out, units;
  Values input, inputWeights, outputWeights, biases, state;

  RecurrentLayer(std::size_t steps, std::size_t batch, std::size_t in,
                 std::size_t out, std::size_t units)
      : steps(steps), batch(batch), in(in), out(out), units(units),
        input(randomValues(steps * batch * in, -1, 1, 1)),
        inputWeights(randomValues(units * in * out, -1, 1, 2)),
        outputWeights(randomValues(units * out * out, -1, 1, 3)),
        biases(randomValues(units * 2 * out, -1, 1, 4)),
        state(randomValues(batch * out, -1, 1, 5)) {}

  double inputProduct(std::size_t t, std::size_t b, std::size_t unit,
                      std::size_t o) const {
    double sum = 0;
    for (std::size_t i = 0; i != in; ++i)
      sum += input[(t * batch + b) * in + i] *
             inputWeights[(unit * in + i) * out + o];
    return sum;
  }
  double stateProduct(const Values &h, std::size_t b, std::size_t unit,
                      std::size_t o) const {
    double sum = 0;
    for (std::size_t i = 0; i != out; ++i)
      sum += h[b * out + i] * outputWeights[(unit * out + i) * out + o];
    return sum;
  }
};

} // namespace test

#endif
