// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MultiConv of Graphcore's domain: independent convolutions in one operator.
// Its inputs are data and weights of each in turn; its attributes are
// concatenated lists of all convolutions. The convolutions run one after the
// other, so attributes on sharing tiles (planType, perConvReservedTiles,
// cycleBackOff) have no effect. Differentiation expands it to Convs.

#include "lib/PopART/IR/Annotations.h"
#include "lib/PopART/IR/OpBuilder.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <poplin/Convolution.hpp>

#include <algorithm>

namespace populus::popir {

namespace {

class MultiConv final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    if (inputs().empty() || inputs().size() % 2 != 0)
      failInput("its inputs are not data and weights in turn");
    std::vector<TensorInfo> infos;
    for (std::size_t i = 0; i != inputs().size() / 2; ++i) {
      check(i);
      checkExtents(i);
      const poplin::ConvParams conv = params(i);
      Shape shape = {inputShape(2 * i)[0], inputShape(2 * i + 1)[0]};
      for (unsigned dim = 0; dim != conv.getNumFieldDims(); ++dim)
        shape.push_back(static_cast<std::int64_t>(conv.getOutputSize(dim)));
      infos.push_back({input(2 * i).info.type, shape});
    }
    return infos;
  }

  poplar::Tensor createInput(Lowering &lowering,
                             std::size_t index) const override {
    const std::size_t i = index / 2;
    if (index % 2 == 0)
      return poplin::createInput(lowering.graph(), params(i),
                                 {lowering.debug(*this), "input"},
                                 options(lowering, i));
    return poplin::createWeights(lowering.graph(), params(i),
                                 {lowering.debug(*this), "weights"},
                                 options(lowering, i))
        .reshape(toPoplar(inputShape(index)));
  }

  std::vector<Value *> trainingForm(GraphBuilder &b) const override {
    std::vector<Value *> results;
    for (std::size_t i = 0; i != inputs().size() / 2; ++i) {
      Value &x = *inputs()[2 * i], &w = *inputs()[2 * i + 1];
      Value &y = b.opLike("Conv", {&spread(b, x, i), &w}, convAttributes(i));
      results.push_back(&padded(b, y, i));
    }
    return results;
  }

  double codeValue() const override {
    return static_cast<double>(inputs().size() / 2);
  }

  void lower(Lowering &lowering) const override {
    for (std::size_t i = 0; i != inputs().size() / 2; ++i) {
      const poplin::ConvParams conv = params(i);
      std::vector<std::size_t> shape = {conv.numConvGroups,
                                        conv.outputChannelsPerConvGroup,
                                        conv.inputChannelsPerConvGroup};
      shape.insert(shape.end(), conv.kernelShape.begin(),
                   conv.kernelShape.end());
      lowering.setOutput(
          *this,
          poplin::convolution(lowering.graph(), lowering.input(*this, 2 * i),
                              lowering.input(*this, 2 * i + 1).reshape(shape),
                              conv, false, lowering.program(),
                              lowering.debug(*this), options(lowering, i)),
          i);
    }
  }

private:
  /// Attributes with an element for each convolution.
  static constexpr const char *MemoryLists = "availableMemoryProportions";
  static constexpr const char *PartialsLists = "partialsTypes";

  void check(std::size_t i) const {
    const Shape &x = inputShape(2 * i), &w = inputShape(2 * i + 1);
    if (!isFloatingPoint(input(2 * i).info.type) || x.size() < 3 ||
        w.size() != x.size() || x[1] < 1 || numElements(w) < 1 ||
        x[1] % w[1] != 0 || w[0] % (x[1] / w[1]) != 0)
      failInput(fmt::format("its data {} and weights {} do not go together",
                            toString(x), toString(w)));
    checkSameTypes(*this, 2 * i, 2 * i + 2);
  }

  /// The padded data must be at least as large as the kernel.
  void checkExtents(std::size_t i) const {
    const Shape &x = inputShape(2 * i), &w = inputShape(2 * i + 1);
    const std::size_t rank = x.size() - 2;
    const std::vector<unsigned> pads = numbers("pads", i, 2, 0),
                                spread = numbers("inDilations", i, 1, 1),
                                dilations = numbers("dilations", i, 1, 1);
    auto dilated = [](std::int64_t extent, unsigned dilation) {
      return extent == 0 ? 0 : (extent - 1) * dilation + 1;
    };
    for (std::size_t dim = 0; dim != rank; ++dim)
      if (dilated(x[dim + 2], spread[dim]) + pads[dim] + pads[rank + dim] <
          dilated(w[dim + 2], dilations[dim]))
        failInput(fmt::format("its kernel {} is larger than the data {}",
                              toString(w), toString(x)));
  }

  /// The sublist of convolution `i`, of a list with `perDim` numbers for each
  /// field dimension.
  std::vector<unsigned> numbers(const char *name, std::size_t i,
                                std::size_t perDim, unsigned fallback) const {
    auto size = [&](std::size_t k) {
      return (inputShape(2 * k).size() - 2) * perDim;
    };
    const std::vector<std::int64_t> all = attributes().getInts(name);
    if (all.empty())
      return std::vector<unsigned>(size(i), fallback);
    std::size_t begin = 0, total = 0;
    for (std::size_t k = 0; k != inputs().size() / 2; ++k) {
      begin += k < i ? size(k) : 0;
      total += size(k);
    }
    for (std::int64_t number : all)
      if (all.size() != total || number < static_cast<int>(fallback) ||
          number > (1 << 20))
        failInput(
            fmt::format("{} does not have {} possible numbers", name, total));
    return {all.begin() + begin, all.begin() + begin + size(i)};
  }

  std::vector<std::int64_t> ints(const char *name, std::size_t i,
                                 std::size_t perDim, unsigned fallback) const {
    const std::vector<unsigned> list = numbers(name, i, perDim, fallback);
    return {list.begin(), list.end()};
  }

  /// The attributes of convolution `i` that exist in Conv.
  Attributes convAttributes(std::size_t i) const {
    Attributes conv;
    for (const char *name :
         {annotations::AvailableMemory, annotations::PartialsType})
      if (const auto own = attributes().all().find(name);
          own != attributes().all().end())
        conv.set(name, own->second);
    conv.set("group", inputShape(2 * i)[1] / inputShape(2 * i + 1)[1]);
    conv.set("pads", ints("pads", i, 2, 0));
    conv.set("strides", ints("strides", i, 1, 1));
    conv.set("dilations", ints("dilations", i, 1, 1));
    if (const auto memory = attributes().getFloats(MemoryLists);
        i < memory.size())
      conv.set(annotations::AvailableMemory, memory[i]);
    if (const auto partials = attributes().getStrings(PartialsLists);
        i < partials.size())
      conv.set(annotations::PartialsType, partials[i]);
    return conv;
  }

  /// Inserts zeros between elements, as inDilations says.
  Value &spread(GraphBuilder &b, Value &x, std::size_t i) const {
    const std::vector<std::int64_t> dilations = ints("inDilations", i, 1, 1);
    Value *result = &x;
    for (std::size_t dim = 0; dim != dilations.size(); ++dim) {
      const std::int64_t by = dilations[dim];
      const auto axis = static_cast<std::int64_t>(dim) + 2;
      Shape shape = result->info.shape;
      if (by == 1 || shape[axis] == 0)
        continue;
      const std::int64_t end = (shape[axis] - 1) * by + 1;
      Value &column = b.unsqueeze(*result, {axis + 1});
      std::vector<std::int64_t> none(shape.size() + 1), behind = none;
      behind[axis + 1] = by - 1;
      shape[axis] *= by;
      result =
          &b.slice(b.reshape(b.pad(column, none, behind), shape), axis, 0, end);
    }
    return *result;
  }

  /// Pads the result with zeros, as outPads says.
  Value &padded(GraphBuilder &b, Value &y, std::size_t i) const {
    const std::vector<std::int64_t> pads = ints("outPads", i, 2, 0);
    if (std::ranges::all_of(pads, [](std::int64_t pad) { return pad == 0; }))
      return y;
    const std::size_t rank = pads.size() / 2;
    std::vector<std::int64_t> lower(2), upper(2);
    lower.insert(lower.end(), pads.begin(), pads.begin() + rank);
    upper.insert(upper.end(), pads.begin() + rank, pads.end());
    return b.pad(y, lower, upper);
  }

  poplin::ConvParams params(std::size_t i) const {
    const Shape &x = inputShape(2 * i), &w = inputShape(2 * i + 1);
    const std::size_t rank = x.size() - 2;
    const auto groups = static_cast<std::size_t>(x[1] / w[1]);
    poplin::ConvParams::InputTransform input(rank), kernel(rank);
    poplin::ConvParams::OutputTransform output(rank);
    const std::vector<unsigned> pads = numbers("pads", i, 2, 0);
    const std::vector<unsigned> outPads = numbers("outPads", i, 2, 0);
    input.paddingLower.assign(pads.begin(), pads.begin() + rank);
    input.paddingUpper.assign(pads.begin() + rank, pads.end());
    input.dilation = numbers("inDilations", i, 1, 1);
    kernel.dilation = numbers("dilations", i, 1, 1);
    output.stride = numbers("strides", i, 1, 1);
    output.paddingLower.assign(outPads.begin(), outPads.begin() + rank);
    output.paddingUpper.assign(outPads.begin() + rank, outPads.end());
    const poplar::Type type = deviceType(this->input(2 * i).info.type);
    return poplin::ConvParams(type, type, x[0],
                              toPoplar(Shape(x.begin() + 2, x.end())),
                              toPoplar(Shape(w.begin() + 2, w.end())), w[1],
                              w[0] / groups, groups, input, kernel, output);
  }

  poplar::OptionFlags options(const Lowering &lowering, std::size_t i) const {
    poplar::OptionFlags flags =
        lowering.productOptions(*this, {{"pass", "INFERENCE_FWD"}});
    const std::vector<float> memory = attributes().getFloats(MemoryLists);
    if (i < memory.size())
      flags.set("availableMemoryProportion", std::to_string(memory[i]));
    const std::vector<std::string> partials =
        attributes().getStrings(PartialsLists);
    if (i < partials.size())
      flags.set("partialsType", partials[i]);
    return flags;
  }
};

const RegisterOp<MultiConv> registration("MultiConv", {1}, "ai.graphcore");

} // namespace

} // namespace populus::popir
