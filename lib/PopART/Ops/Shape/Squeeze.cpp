// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Squeeze: drops dimensions of extent 1, the given ones or all.

#include "lib/PopART/Ops/Shape/ViewOp.h"

#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>

#include <algorithm>

namespace populus::popir {

namespace {

class Squeeze final : public ViewOp {
public:
  using ViewOp::ViewOp;

private:
  Shape newShape() const override {
    const Shape &shape = inputShape(0);
    Shape result;
    std::optional<std::vector<std::int64_t>> axes = axesOf(*this);
    if (!axes) {
      std::remove_copy(shape.begin(), shape.end(), std::back_inserter(result),
                       1);
      return result;
    }
    axes = normalAxes(*this, *axes, input(0).info.rank());
    for (std::int64_t i = 0; i != input(0).info.rank(); ++i) {
      bool isDropped = std::binary_search(axes->begin(), axes->end(), i);
      if (isDropped && shape[i] != 1)
        failInput(fmt::format("it drops dimension {} of the shape {}, whose "
                              "extent is not 1",
                              i, toString(shape)));
      if (!isDropped)
        result.push_back(shape[i]);
    }
    return result;
  }
};

const RegisterOp<Squeeze> registration("Squeeze", {1, 11, 13, 21, 23, 24, 25});

} // namespace

} // namespace populus::popir
