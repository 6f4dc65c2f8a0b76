// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NormalizeImage of Graphcore's domain: (x * scale - offset) * factor for each
// of the three channels, the last dimension; a fourth channel of zeros is
// appended.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <popops/Cast.hpp>
#include <popops/NormaliseImage.hpp>

namespace populus::popir {

namespace {

class NormalizeImage final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    const Shape &image = inputShape(0);
    if (image.empty() || image.back() != 3 || inputShape(1) != Shape{3} ||
        inputShape(2) != Shape{3})
      failInput(fmt::format("its image {}, offsets {} and scales {} are not of "
                            "three channels",
                            toString(image), toString(inputShape(1)),
                            toString(inputShape(2))));
    if (!isFloatingPoint(input(1).info.type))
      failInput("its offsets are not floating point");
    checkSameTypes(*this, 1, 3);
    Shape shape = image;
    shape.back() = 4;
    return {{input(1).info.type, shape}};
  }

  void lower(Lowering &lowering) const override {
    const poplar::Type type = deviceType(output().info.type);
    poplar::Tensor image = lowering.input(*this, 0);
    if (image.elementType() != type) // bytes, which are wider on the device
      image = popops::cast(lowering.graph(), image, type, lowering.program(),
                           lowering.debug(*this));
    lowering.setOutput(
        *this, popops::normaliseImage(
                   lowering.graph(), lowering.program(), image,
                   attributes().getFloat("scale", 1), lowering.input(*this, 1),
                   lowering.input(*this, 2), lowering.debug(*this)));
  }

  /// Offsets and scales describe the images and are no weights (as in PopART),
  /// so there is no gradient.
  void differentiate(Gradients &g) const override {
    const std::int64_t dim = input(0).info.rank() - 1;
    Value &dy = g.slice(g.dy(), dim, 0, 3);
    if (isFloatingPoint(input(0).info.type))
      g.set(0,
            g.cast(g.mul(g.mul(dy, g.x(2)), attributes().getFloat("scale", 1)),
                   input(0).info.type));
    for (std::size_t i : {1, 2})
      if (!input(i).producer())
        g.end(i);
  }
};

const RegisterOp<NormalizeImage> registration("NormalizeImage", {1},
                                              "ai.graphcore", 3);

} // namespace

} // namespace populus::popir
