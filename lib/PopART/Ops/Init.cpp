// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Init, Zeros and ZerosLike of Graphcore's domain: tensors of zeros. What Init
// leaves undefined (init_type NoInit) is zero, too.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"

#include <fmt/format.h>

namespace populus::popir {

namespace {

class Zeros final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  bool needsInputValues() const override { return false; }

  std::vector<TensorInfo> infer() const override {
    if (id().type == "ZerosLike")
      return {input(0).info};
    const std::int64_t start = attributes().getInt("init_type", 1);
    if (start != 0 && start != 1)
      failInput(fmt::format(
          "its init_type {} is neither 0 (NoInit) nor 1 (Zero)", start));
    const std::int64_t number = attributes().getInt("data_type", 1);
    const std::optional<DataType> type = fromOnnx(static_cast<int>(number));
    if (!type)
      failUnsupported(fmt::format("its data_type {} is not supported", number));
    return {{*type, attributes().getInts("shape")}};
  }
  std::optional<std::vector<HostTensor>> evaluate() const override {
    return std::vector{HostTensor(infer()[0])};
  }
  void lower(Lowering &lowering) const override {
    lowering.setOutput(*this, lowering.addConstant(HostTensor(output().info),
                                                   lowering.debug(*this)));
  }
};

const RegisterOp<Zeros> init("Init", {1}, "ai.graphcore");
const RegisterOp<Zeros> zeros("Zeros", {1}, "ai.graphcore");
const RegisterOp<Zeros> zerosLike("ZerosLike", {1}, "ai.graphcore");

} // namespace

} // namespace populus::popir
