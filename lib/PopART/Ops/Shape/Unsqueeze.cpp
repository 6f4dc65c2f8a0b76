// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unsqueeze: inserts dimensions of extent 1, which the axes number in the
// result.

#include "lib/PopART/Ops/Shape/ViewOp.h"

#include "lib/PopART/Ops/Shape/Shapes.h"

#include <algorithm>

namespace populus::popir {

namespace {

class Unsqueeze final : public ViewOp {
public:
  using ViewOp::ViewOp;

private:
  Shape newShape() const override {
    std::vector<std::int64_t> axes =
        axesOf(*this).value_or(std::vector<std::int64_t>());
    const Shape &shape = inputShape(0);
    std::int64_t rank = shape.size() + axes.size();
    axes = normalAxes(*this, axes, rank);
    Shape result;
    auto next = shape.begin();
    for (std::int64_t i = 0; i != rank; ++i)
      result.push_back(
          std::binary_search(axes.begin(), axes.end(), i) ? 1 : *next++);
    return result;
  }
};

const RegisterOp<Unsqueeze> registration("Unsqueeze",
                                         {1, 11, 13, 21, 23, 24, 25});

} // namespace

} // namespace populus::popir
