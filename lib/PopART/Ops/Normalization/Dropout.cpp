// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dropout. In inference it is the identity, and the mask is all true. In
// training it zeroes each element with probability `ratio` and scales the
// others by 1 / (1 - ratio). Training expands it to ordinary operators, so the
// gradient uses the same mask.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpBuilder.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"

#include <fmt/format.h>

#include <algorithm>

namespace populus::popir {

namespace {

class Dropout final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    drops(); // what it depends on has to be known
    // Until opset 9 the mask has the type of the data.
    DataType maskType = version() < 10 ? input(0).info.type : DataType::Bool;
    return {input(0).info, {maskType, inputShape(0)}};
  }

  void lower(Lowering &lowering) const override {
    if (hasInput(2) && drops())
      failUnsupported("it is in training mode, and the program does not train; "
                      "export the model for inference");
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

  bool isIdentity() const override {
    return !hasOutput(1) && !(hasInput(2) && drops());
  }

  std::vector<Value *> trainingForm(GraphBuilder &b) const override {
    if (!drops())
      return {};
    Value &x = *inputs()[0];
    const Shape maskShape = attributes().has("shape")
                                ? attributes().getInts("shape")
                                : inputShape(0);
    Value &numbers = b.op("RandomUniform", {}, {{"shape", maskShape}});
    const double kept = 1 - ratio();
    Value &isKept = b.op("Less", {&numbers, &b.scalar(DataType::Float, kept)});
    Value &factor = b.mul(b.cast(isKept, x.info.type), 1 / kept);
    Value &mask = b.expand(isKept, inputShape(0));
    return {&b.mul(x, factor), &b.cast(mask, infer()[1].type)};
  }

  /// Only an inactive Dropout remains; trainingForm has expanded the others.
  void differentiate(Gradients &g) const override {
    g.set(0, g.dy());
    g.endRest();
  }

private:
  double ratio() const {
    if (hasInput(1) && input(1).info.numElements() != 1)
      failInput(fmt::format("its ratio {} is not one number",
                            toString(inputShape(1))));
    const double ratio =
        hasInput(1) ? constantInput(1, "ratio").toDoubles().at(0)
                    : static_cast<double>(attributes().getFloat("ratio", 0.5f));
    if (!(ratio >= 0 && ratio < 1))
      failInput(fmt::format("its ratio is {}. Please use a value in the "
                            "interval [0,1)",
                            ratio));
    return ratio;
  }
  /// True if it drops elements in training; a model may switch it off.
  bool drops() const {
    if (ratio() == 0)
      return false;
    return !hasInput(2) ||
           constantInput(2, "training_mode").toInts().at(0) != 0;
  }
};

const RegisterOp<Dropout> registration("Dropout", {6, 7, 10, 12, 13, 22});
const RegisterOp<Dropout> shaped("ShapedDropout", {1}, "ai.graphcore", 1);

} // namespace

} // namespace populus::popir
