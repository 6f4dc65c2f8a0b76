// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers that follow from a tensor, a seed of two unsigned numbers:
// SeededNormal and SeededUniform draw numbers, SplitSeed makes several seeds of
// one. The same seed gives the same numbers. With the attribute `modifier`
// operators of one seed draw others.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"

#include <fmt/format.h>
#include <poprand/RandomGen.hpp>
#include <poputil/TileMapping.hpp>

#include <limits>

namespace populus::popir {

namespace {

class SeededOp : public DeviceOp {
public:
  using DeviceOp::DeviceOp;
  bool ownsResult() const override { return true; }

protected:
  void checkSeed() const {
    const TensorInfo &seed = input(0).info;
    if (seed != TensorInfo{DataType::UInt32, {2}})
      failInput(
          fmt::format("its seed is {}; it needs uint32 2", toString(seed)));
  }
  std::uint32_t modifier() const {
    return static_cast<std::uint32_t>(attributes().getInt("modifier", 0));
  }
};

class SeededNumbers final : public SeededOp {
public:
  using SeededOp::SeededOp;

  std::vector<TensorInfo> infer() const override {
    checkSeed();
    const std::int64_t number = attributes().getInt("data_type", 1);
    const std::optional<DataType> type = fromOnnx(static_cast<int>(number));
    if (!type || !isFloatingPoint(*type))
      failUnsupported(fmt::format("its data_type {} is not supported", number));
    return {{*type, attributes().getInts("shape")}};
  }
  void lower(Lowering &lowering) const override {
    poplar::Graph &graph = lowering.graph();
    const poplar::Type type = deviceType(output().info.type);
    poplar::Tensor reference = graph.addVariable(
        type, toPoplar(output().info.shape), lowering.debug(*this));
    poputil::mapTensorLinearly(graph, reference);
    const poplar::Tensor seed = lowering.input(*this, 0);
    const double first = attributes().getFloat("first", 0);
    const double second = attributes().getFloat("second", 1);
    lowering.setOutput(
        *this,
        id().type == "SeededNormal"
            ? poprand::normal(graph, &seed, modifier(), reference, type, first,
                              second, lowering.program(), lowering.debug(*this))
            : poprand::uniform(graph, &seed, modifier(), reference, type, first,
                               second, lowering.program(),
                               lowering.debug(*this)));
  }
};

class SplitSeed final : public SeededOp {
public:
  using SeededOp::SeededOp;

  std::vector<TensorInfo> infer() const override {
    checkSeed();
    return {{DataType::UInt32, {attributes().getInt("count", 2), 2}}};
  }
  void lower(Lowering &lowering) const override {
    poplar::Graph &graph = lowering.graph();
    poplar::Tensor reference = graph.addVariable(
        poplar::INT, toPoplar(output().info.shape), lowering.debug(*this));
    graph.setTileMapping(reference, 0);
    const poplar::Tensor seed = lowering.input(*this, 0);
    // The modifier keeps them apart from the numbers of other operators.
    lowering.setOutput(
        *this,
        poprand::uniform(graph, &seed, ~modifier(), reference, poplar::INT,
                         std::numeric_limits<std::int32_t>::min(),
                         std::numeric_limits<std::int32_t>::max(),
                         lowering.program(), lowering.debug(*this))
            .reinterpret(poplar::UNSIGNED_INT));
  }
};

const RegisterInternalOp<SeededNumbers> normal("SeededNormal");
const RegisterInternalOp<SeededNumbers> uniform("SeededUniform");
const RegisterInternalOp<SplitSeed> split("SplitSeed");

} // namespace

} // namespace populus::popir
