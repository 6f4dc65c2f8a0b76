// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RandomNormal, RandomUniform, and the two that take the shape of a tensor. The
// numbers follow from the program's seed, from the number of batches before,
// and from which of the model's operators it is. With the attribute `seed` they
// follow from that instead of the program's seed.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Support/Error.h"

#include <poprand/RandomGen.hpp>
#include <poputil/TileMapping.hpp>

#include <bit>

namespace populus::popir {

namespace {

class RandomOp : public DeviceOp {
public:
  explicit RandomOp(OpSpec newSpec) : DeviceOp(std::move(newSpec)) {
    if (attributes().has("dtype") && !givenType())
      failUnsupported("its dtype is not supported");
  }

  bool isStateful() const override { return true; }
  bool needsInputValues() const override { return false; }

  std::vector<TensorInfo> infer() const override {
    TensorInfo info{
        givenType().value_or(isLike() ? input(0).info.type : DataType::Float),
        isLike() ? inputShape(0) : attributes().getInts("shape")};
    if (!isFloatingPoint(info.type))
      failInput("its results are not floating point");
    return {info};
  }

  void lower(Lowering &lowering) const override {
    poplar::Graph &graph = lowering.graph();
    poplar::Type type = deviceType(output().info.type);
    poplar::Tensor reference = graph.addVariable(
        type, toPoplar(output().info.shape), lowering.debug(*this));
    poputil::mapTensorLinearly(graph, reference);
    const Lowering::Randomness source = lowering.randomness(ownSeed());
    lowering.setOutput(*this, draw(lowering, source, reference));
  }

protected:
  double parameter(const char *name, float fallback) const {
    return attributes().getFloat(name, fallback);
  }

private:
  virtual poplar::Tensor draw(Lowering &lowering,
                              const Lowering::Randomness &source,
                              const poplar::Tensor &reference) const = 0;

  bool isLike() const { return spec().numInputs == 1; }

  std::optional<DataType> givenType() const {
    if (!attributes().has("dtype"))
      return std::nullopt;
    return fromOnnx(static_cast<int>(attributes().getInt("dtype", 0)));
  }

  std::optional<std::uint32_t> ownSeed() const {
    if (!attributes().has("seed"))
      return std::nullopt;
    return std::bit_cast<std::uint32_t>(attributes().getFloat("seed", 0));
  }
};

class RandomNormal final : public RandomOp {
public:
  using RandomOp::RandomOp;

private:
  poplar::Tensor draw(Lowering &lowering, const Lowering::Randomness &source,
                      const poplar::Tensor &reference) const override {
    return poprand::normal(lowering.graph(), &source.seed, source.modifier,
                           reference, reference.elementType(),
                           parameter("mean", 0), parameter("scale", 1),
                           lowering.program(), lowering.debug(*this));
  }
};

class RandomUniform final : public RandomOp {
public:
  using RandomOp::RandomOp;

private:
  poplar::Tensor draw(Lowering &lowering, const Lowering::Randomness &source,
                      const poplar::Tensor &reference) const override {
    return poprand::uniform(lowering.graph(), &source.seed, source.modifier,
                            reference, reference.elementType(),
                            parameter("low", 0), parameter("high", 1),
                            lowering.program(), lowering.debug(*this));
  }
};

const RegisterOp<RandomNormal> normal("RandomNormal", {1, 22});
const RegisterOp<RandomNormal> normalLike("RandomNormalLike", {1, 22});
const RegisterOp<RandomUniform> uniform("RandomUniform", {1, 22});
const RegisterOp<RandomUniform> uniformLike("RandomUniformLike", {1, 22});

} // namespace

} // namespace populus::popir
