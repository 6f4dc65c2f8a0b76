// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AveragePool: the mean of each window, over its elements in the field or, with
// count_include_pad, over those in the padding too.

#include "lib/PopART/Ops/Windows/PoolOp.h"

#include <popops/ElementWise.hpp>

#include <algorithm>

namespace populus::popir {

namespace {

class AveragePool final : public PoolOp {
public:
  using PoolOp::PoolOp;

  void lower(Lowering &lowering) const override {
    if (!countsPadding() && !poolsByTaps()) {
      lowering.setOutput(*this, pool(lowering, popnn::PoolingType::AVG,
                                     lowering.input(*this, 0)));
      return;
    }
    poplar::Tensor result =
        pool(lowering, popnn::PoolingType::SUM, lowering.input(*this, 0));
    poplar::Tensor scale =
        lowering.addConstant(scales().convertedTo(output().info.type),
                             {lowering.debug(*this), "scale"});
    popops::mulInPlace(lowering.graph(), result, scale, lowering.program(),
                       lowering.debug(*this));
    lowering.setOutput(*this, result);
  }

  void differentiate(Gradients &g) const override {
    Value &scale = g.constant(scales().convertedTo(output().info.type));
    g.set(0, sumPoolGradient(g, *this, g.mul(g.dy(), scale)));
  }

private:
  bool countsPadding() const {
    return attributes().getInt("count_include_pad", 0) != 0;
  }

  /// For each element of the result, 1 / the number of counted elements of its
  /// window: in the field and, with count_include_pad, in the padding. Windows
  /// that rounding up pushes beyond the padding have fewer.
  HostTensor scales() const {
    Window w = window();
    Shape field = fieldOf(*this, inputShape(0));
    std::vector<float> values;
    std::int64_t count = numElements(w.output);
    for (std::int64_t i = 0; i != count; ++i) {
      std::int64_t size = 1, rest = i;
      for (std::size_t dim = w.rank(); dim-- > 0;) {
        std::int64_t begin =
            rest % w.output[dim] * w.strides[dim] - w.padLower[dim];
        rest /= w.output[dim];
        std::int64_t first = countsPadding() ? -w.padLower[dim] : 0;
        std::int64_t last =
            field[dim] + (countsPadding() ? w.padUpper[dim] : 0);
        std::int64_t count = 0;
        for (std::int64_t tap = 0; tap != w.kernel[dim]; ++tap) {
          std::int64_t place = begin + tap * w.dilations[dim];
          count += place >= first && place < last;
        }
        size *= count;
      }
      values.push_back(size == 0 ? 0 : 1.0f / static_cast<float>(size));
    }
    bool isUniform = std::all_of(values.begin(), values.end(),
                                 [&](float v) { return v == values[0]; });
    if (isUniform && !values.empty())
      return HostTensor::ofFloats({}, {values[0]});
    return HostTensor::ofFloats(w.output, values);
  }
};

const RegisterOp<AveragePool> registration("AveragePool",
                                           {1, 7, 10, 11, 19, 22});

} // namespace

} // namespace populus::popir
