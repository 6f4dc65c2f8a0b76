// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reshape: the same elements with another, constant shape. An extent of 0 is
// copied from the input (unless allowzero is set); one extent of -1 is
// inferred.

#include "lib/PopART/Ops/Shape/ViewOp.h"

#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>

#include <algorithm>

namespace populus::popir {

namespace {

class Reshape final : public ViewOp {
public:
  using ViewOp::ViewOp;

private:
  Shape newShape() const override {
    Shape shape = id().domain.empty() ? constantInput(1, "shape").toInts()
                                      : attributes().getInts("shape");
    const Shape wanted = shape;
    if (attributes().getInt("allowzero", 0) == 0)
      copyZeros(shape);
    fillRest(shape);
    std::optional<std::int64_t> count = checkedNumElements(shape, 1);
    if (!count || *count != input(0).info.numElements())
      failInput(fmt::format("a tensor of shape {} cannot have the shape [{}]",
                            toString(inputShape(0)), fmt::join(wanted, ", ")));
    return shape;
  }

  void copyZeros(Shape &shape) const {
    for (std::size_t i = 0; i != shape.size(); ++i)
      if (shape[i] == 0) {
        if (i >= inputShape(0).size())
          failInput(fmt::format("extent {} of its shape is 0, but the input "
                                "has only {} dimensions",
                                i, inputShape(0).size()));
        shape[i] = inputShape(0)[i];
      }
  }

  void fillRest(Shape &shape) const {
    auto rest = std::find(shape.begin(), shape.end(), -1);
    if (rest == shape.end())
      return;
    *rest = 1;
    std::optional<std::int64_t> others = checkedNumElements(shape, 1);
    if (others.value_or(0) > 0)
      *rest = input(0).info.numElements() / *others;
  }
};

const RegisterOp<Reshape> registration("Reshape",
                                       {5, 13, 14, 19, 21, 23, 24, 25});
const RegisterOp<Reshape> graphcore("Reshape", {1}, "ai.graphcore", 1);

} // namespace

} // namespace populus::popir
