// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dropout, which does nothing in inference: the output is the input, the mask
// is true throughout.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"

#include <algorithm>

namespace populus::popir {

namespace {

class Dropout final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    // In training mode it is known only where nothing is dropped.
    bool isTraining =
        hasInput(2) && constantInput(2, "training_mode").toInts().at(0) != 0;
    if (isTraining && ratio() != 0)
      failUnsupported("training mode is not supported; export the model for "
                      "inference");
    // Until opset 9 the mask has the type of the data.
    DataType maskType = version() < 10 ? input(0).info.type : DataType::Bool;
    return {input(0).info, {maskType, inputShape(0)}};
  }

  void lower(Lowering &lowering) const override {
    lowering.setOutput(*this, lowering.input(*this, 0));
    if (!hasOutput(1))
      return;
    HostTensor ones(
        {DataType::UInt8, output(1).info.shape},
        std::vector<std::byte>(output(1).info.numElements(), std::byte(1)));
    HostTensor mask = ones.convertedTo(output(1).info.type);
    lowering.setOutput(
        *this, lowering.addConstant(mask, {lowering.debug(*this), "mask"}), 1);
  }

  bool isIdentity() const override { return !hasOutput(1); }

private:
  double ratio() const {
    return hasInput(1) ? constantInput(1, "ratio").toDoubles().at(0) : 0.5;
  }
};

const RegisterOp<Dropout> registration("Dropout", {6, 7, 10, 12, 13, 22});
const RegisterOp<Dropout> shaped("ShapedDropout", {1}, "ai.graphcore");

} // namespace

} // namespace populus::popir
