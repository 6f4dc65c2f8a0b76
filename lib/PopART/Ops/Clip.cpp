// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clip: limits the elements to [min, max]. The limits are attributes in version
// 6, later inputs; either may be absent.

#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Registry.h"

#include <fmt/format.h>
#include <popops/ElementWise.hpp>

namespace popart {

namespace {

class Clip final : public Op {
public:
  using Op::Op;

  std::vector<TensorInfo> infer() const override {
    for (std::size_t i : {1, 2})
      if (hasInput(i) && input(i).info.numElements() != 1)
        failInput(fmt::format("its limit {} is not a scalar",
                              toString(input(i).info)));
    return {input(0).info};
  }

  void lower(Lowering &lowering) const override {
    poplar::Tensor result = lowering.input(*this, 0);
    if (std::optional<poplar::Tensor> low = limit(lowering, 1, "min"))
      result = popops::max(lowering.graph(), result, *low, lowering.program(),
                           {lowering.debug(*this), "min"});
    if (std::optional<poplar::Tensor> high = limit(lowering, 2, "max"))
      result = popops::min(lowering.graph(), result, *high, lowering.program(),
                           {lowering.debug(*this), "max"});
    lowering.setOutput(*this, result);
  }

  bool isIdentity() const override {
    return version() == 6 ? !attributes().has("min") && !attributes().has("max")
                          : !hasInput(1) && !hasInput(2);
  }

private:
  std::optional<poplar::Tensor> limit(Lowering &lowering, std::size_t index,
                                      const char *name) const {
    if (hasInput(index)) {
      const Tensor &tensor = input(index);
      return (tensor.isConstant()
                  ? lowering.addConstant(*tensor.value,
                                         {lowering.debug(*this), name})
                  : lowering.get(tensor))
          .reshape({});
    }
    if (version() != 6 || !attributes().has(name))
      return std::nullopt;
    return lowering.addConstant(
        HostTensor::ofFloats({}, {attributes().getFloat(name, 0)}),
        {lowering.debug(*this), name});
  }
};

const RegisterOp<Clip> registration("Clip", {6, 11, 12, 13});

} // namespace

} // namespace popart
