// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ConvTranspose: the adjoint of a convolution. It convolves the input, with
// zeros inserted by the strides, with the reversed kernel.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Shape/Shapes.h"
#include "lib/PopART/Ops/Windows/Window.h"

#include <fmt/format.h>
#include <poplin/Convolution.hpp>

namespace populus::popir {

namespace {

class ConvTranspose final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    const Shape &x = inputShape(0), &w = inputShape(1);
    Shape field = fieldOf(*this, x);
    if (w.size() != x.size() || w[0] != x[1] || groups() < 1 ||
        w[0] % groups() != 0)
      failInput(fmt::format("input {}, weights {} and {} groups do not go "
                            "together",
                            toString(x), toString(w), groups()));
    Shape result = {x[0], w[1] * groups()};
    for (const Dimension &dim : dimensions())
      result.push_back(dim.output);
    if (hasInput(2) && inputShape(2) != Shape{result[1]})
      failInput(fmt::format("its bias has the shape {} for {} channels",
                            toString(inputShape(2)), result[1]));
    return {{input(0).info.type, result}};
  }

  bool ownsResult() const override { return true; }

  double codeValue() const override { return 1; }
  void lower(Lowering &lowering) const override {
    if (output().info.numElements() == 0) // padding may take all that there is
      return lowering.setOutput(
          *this, lowering.addConstant(HostTensor(output().info),
                                      {lowering.debug(*this), "none"}));
    const Shape &x = inputShape(0), &w = inputShape(1);
    std::size_t perGroup = w[0] / groups();
    // [groups * in, out, kernel…] as [groups, out, in, kernel…].
    std::vector<std::size_t> shape = {static_cast<std::size_t>(groups()),
                                      perGroup};
    for (std::size_t i = 1; i != w.size(); ++i)
      shape.push_back(w[i]);
    poplar::Tensor weights = lowering.input(*this, 1).reshape(shape);
    std::vector<unsigned> order(shape.size());
    for (unsigned i = 0; i != order.size(); ++i)
      order[i] = i;
    std::swap(order[1], order[2]);
    const poplar::Tensor in = lowering.input(*this, 0);
    const poplar::Tensor kernels = weights.dimShuffle(order);
    const poplin::ConvParams conv = params(x, perGroup);
    const poplar::OptionFlags options =
        lowering.productOptions(*this, {{"pass", "INFERENCE_FWD"}});
    lowering.setOutput(
        *this, hasInput(2)
                   ? poplin::convolutionWithBias(lowering.graph(), in, kernels,
                                                 lowering.input(*this, 2), conv,
                                                 lowering.program(),
                                                 lowering.debug(*this), options)
                   : poplin::convolution(lowering.graph(), in, kernels, conv,
                                         false, lowering.program(),
                                         lowering.debug(*this), options));
  }

  /// The adjoint is a convolution of the gradient, cropped to the full result.
  void differentiate(Gradients &g) const override {
    std::vector<std::int64_t> strides, dilations, pads, upper, cut = {0, 0};
    for (const Dimension &dim : dimensions()) {
      strides.push_back(dim.stride);
      dilations.push_back(dim.dilation);
      pads.push_back(dim.cutLower);
      upper.push_back(std::max<std::int64_t>(dim.cutUpper, 0));
      cut.push_back(std::min<std::int64_t>(dim.cutUpper, 0));
      if (dim.cutLower < 0)
        failUnsupported("it begins before its full result; such a form has no "
                        "gradient");
    }
    pads.insert(pads.end(), upper.begin(), upper.end());
    Value &dy = g.pad(g.dy(), std::vector<std::int64_t>(cut.size()), cut);
    if (g.wants(0))
      g.set(0, g.op("Conv", {&dy, &g.x(1)},
                    {{"strides", strides},
                     {"dilations", dilations},
                     {"pads", pads},
                     {"group", groups()}}));
    if (g.wants(1))
      g.set(1, g.op("ConvWeightGrad", {&dy, &g.x(0)},
                    {{"strides", strides},
                     {"dilations", dilations},
                     {"pads", pads},
                     {"group", groups()},
                     {"weights_shape", inputShape(1)}},
                    "ai.graphcore"));
    if (g.wants(2))
      g.set(2, g.sumOfChannels(g.dy()));
  }

private:
  struct Dimension {
    std::int64_t kernel, stride, dilation, output;
    /// Elements cropped from the full result at both ends.
    std::int64_t cutLower, cutUpper;
  };

  std::int64_t groups() const { return attributes().getInt("group", 1); }

  static constexpr std::int64_t LargestExtent = 1 << 24;

  std::vector<std::int64_t> list(const char *name, std::size_t size,
                                 std::int64_t fallback) const {
    std::vector<std::int64_t> values = attributes().getInts(name);
    if (values.empty())
      values.assign(size, fallback);
    if (values.size() != size)
      failInput(fmt::format("{} has {} entries and needs {}", name,
                            values.size(), size));
    for (std::int64_t value : values)
      if (value < fallback || value > LargestExtent)
        failInput(fmt::format("{} has the entry {}, which is not possible",
                              name, value));
    return values;
  }

  std::vector<Dimension> dimensions() const {
    Shape field = fieldOf(*this, inputShape(0));
    std::size_t rank = field.size();
    std::vector<std::int64_t> strides = list("strides", rank, 1);
    std::vector<std::int64_t> dilations = list("dilations", rank, 1);
    std::vector<std::int64_t> extra = list("output_padding", rank, 0);
    std::vector<std::int64_t> pads = list("pads", 2 * rank, 0);
    std::vector<std::int64_t> wanted = attributes().getInts("output_shape");
    if (wanted.size() > rank) // with batch and channels
      wanted.erase(wanted.begin(), wanted.end() - rank);
    if (!wanted.empty() && wanted.size() != rank)
      failInput(fmt::format("output_shape has {} entries and needs {}",
                            wanted.size(), rank));
    for (const Shape &extents :
         {field, wanted, Shape(inputShape(1).begin() + 2, inputShape(1).end())})
      for (std::int64_t extent : extents)
        if (extent < 0 || extent > LargestExtent)
          failInput(fmt::format("its shapes have the extent {}, which is not "
                                "possible",
                                extent));
    std::string autoPad = attributes().getString("auto_pad", "NOTSET");
    bool isSame = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
    std::vector<Dimension> result;
    for (std::size_t i = 0; i != rank; ++i) {
      std::int64_t kernel = inputShape(1)[i + 2];
      std::int64_t span = (kernel - 1) * dilations[i] + 1;
      std::int64_t full = (field[i] - 1) * strides[i] + span;
      std::int64_t output = full + extra[i] - pads[i] - pads[i + rank];
      if (isSame)
        output = field[i] * strides[i];
      if (autoPad == "VALID")
        output = full + extra[i];
      if (!wanted.empty())
        output = wanted.at(i);
      std::int64_t lower = pads[i];
      if (isSame || !wanted.empty()) {
        // The larger half is in front; negative padding is what is missing.
        const std::int64_t total = full + extra[i] - output;
        const std::int64_t half = total >> 1;
        lower = autoPad == "SAME_UPPER" ? half : total - half;
      }
      if (autoPad == "VALID" && wanted.empty())
        lower = 0;
      if (field[i] < 1 || kernel < 1 || output < 0)
        failInput(fmt::format("its output has {} elements in dimension {}",
                              output, i));
      result.push_back({kernel, strides[i], dilations[i], output, lower,
                        full - lower - output});
    }
    return result;
  }

  poplin::ConvParams params(const Shape &x, std::size_t perGroup) const {
    std::vector<Dimension> dims = dimensions();
    poplin::ConvParams::InputTransform in(dims.size()), kernel(dims.size());
    poplin::ConvParams::OutputTransform out(dims.size());
    std::vector<std::size_t> kernelShape;
    for (std::size_t i = 0; i != dims.size(); ++i) {
      const Dimension &dim = dims[i];
      std::int64_t reach = (dim.kernel - 1) * dim.dilation;
      in.dilation[i] = static_cast<unsigned>(dim.stride);
      in.paddingLower[i] = static_cast<unsigned>(
          std::max<std::int64_t>(0, reach - dim.cutLower));
      in.paddingUpper[i] = static_cast<unsigned>(
          std::max<std::int64_t>(0, reach - dim.cutUpper));
      // More elements are cropped than the kernel extends beyond the input.
      out.truncationLower[i] = static_cast<unsigned>(
          std::max<std::int64_t>(0, dim.cutLower - reach));
      out.truncationUpper[i] = static_cast<unsigned>(
          std::max<std::int64_t>(0, dim.cutUpper - reach));
      kernel.dilation[i] = static_cast<unsigned>(dim.dilation);
      kernel.flip[i] = true;
      kernelShape.push_back(dim.kernel);
    }
    poplar::Type type = deviceType(input(0).info.type);
    return poplin::ConvParams(type, type, x[0], toPoplar(fieldOf(*this, x)),
                              kernelShape, perGroup, inputShape(1)[1], groups(),
                              in, kernel, out);
  }
};

const RegisterOp<ConvTranspose> registration("ConvTranspose", {1, 11, 22});

} // namespace

} // namespace populus::popir
