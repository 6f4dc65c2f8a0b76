// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CopyVarUpdate(variable, value) copies a value to a variable; the result is
// the variable's memory. The copy is omitted if the value was computed in place
// (pass InPlace). Training creates these operators; models may contain them.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/IR/VarUpdate.h"
#include "lib/PopART/Lowering/Lowering.h"

#include <fmt/format.h>

#include <algorithm>

namespace populus::popir {

namespace {

/// True if two tensors are the same elements of the same variables.
bool isSameMemory(const poplar::Tensor &a, const poplar::Tensor &b) {
  return std::ranges::equal(a.getVarRegions(), b.getVarRegions(),
                            [](const auto &x, const auto &y) {
                              return x.var == y.var && x.interval == y.interval;
                            });
}

class CopyVarUpdate final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    if (input(1).info != input(0).info)
      failInput(fmt::format("it writes {} into a variable that is {}",
                            toString(input(1).info), toString(input(0).info)));
    return {input(0).info};
  }
  OperandEffect effect(std::size_t operand) const override {
    return {operand == 1, operand == 0 && !isWritten()};
  }
  bool hasEffect() const override { return true; }
  /// The old contents of the variable have no gradient.
  void differentiate(Gradients &g) const override {
    g.set(1, g.dy());
    g.endRest();
  }
  bool mayAlias(std::size_t, std::size_t operand) const override {
    return operand == 0;
  }

  void lower(Lowering &lowering) const override {
    const poplar::Tensor variable = lowering.input(*this, 0);
    const poplar::Tensor value = lowering.input(*this, 1);
    if (!isSameMemory(variable, value))
      lowering.program().add(
          poplar::program::Copy(value, variable, false, lowering.debug(*this)));
    if (hasOutput(0))
      lowering.setOutput(*this, variable);
  }

private:
  /// True if the value was computed in the variable's memory.
  bool isWritten() const {
    const Op *producer = hasInput(1) ? input(1).producer() : nullptr;
    return producer && producer->inPlace() && input(1).resultNumber() == 0 &&
           producer->inputs()[*producer->inPlace()] == inputs()[0];
  }
};

const RegisterOp<CopyVarUpdate> registration(VarUpdateType, {1}, "ai.graphcore",
                                             2);

} // namespace

} // namespace populus::popir
