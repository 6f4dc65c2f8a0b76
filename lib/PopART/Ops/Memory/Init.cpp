// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Init, Zeros and ZerosLike of Graphcore's domain: tensors of zeros. Undefined
// elements of Init (init_type NoInit) are zero, too.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"

#include <fmt/format.h>

#include <array>

namespace populus::popir {

namespace {

/// Types by PopART's enumerator, which nodes of Init use.
constexpr std::array<DataType, 13> TypesOfPopART = {
    DataType::UInt8, DataType::Int8,  DataType::UInt16,  DataType::Int16,
    DataType::Int32, DataType::Int64, DataType::UInt32,  DataType::UInt64,
    DataType::Bool,  DataType::Float, DataType::Float16, DataType::BFloat16,
    DataType::Double};

std::optional<DataType> typeOfPopART(std::int64_t number) {
  if (number < 0 || number >= static_cast<std::int64_t>(TypesOfPopART.size()))
    return std::nullopt;
  return TypesOfPopART[static_cast<std::size_t>(number)];
}

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
    const bool isInit = id().type == "Init";
    const std::int64_t number =
        attributes().getInt("data_type", isInit ? 9 : 1);
    const std::optional<DataType> type =
        isInit ? typeOfPopART(number) : fromOnnx(static_cast<int>(number));
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

const RegisterOp<Zeros> init("Init", {1}, "ai.graphcore", 0);
const RegisterOp<Zeros> zeros("Zeros", {1}, "ai.graphcore", 0);
const RegisterOp<Zeros> zerosLike("ZerosLike", {1}, "ai.graphcore", 1);

} // namespace

} // namespace populus::popir
