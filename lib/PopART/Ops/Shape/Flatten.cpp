// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flatten: reshapes to a matrix [dimensions before an axis, dimensions from it
// on].

#include "lib/PopART/Ops/Shape/ViewOp.h"

#include "lib/PopART/Ops/Shape/Shapes.h"

namespace populus::popir {

namespace {

class Flatten final : public ViewOp {
public:
  using ViewOp::ViewOp;

private:
  Shape newShape() const override {
    const Shape &shape = inputShape(0);
    std::int64_t rank = input(0).info.rank();
    std::int64_t axis =
        normalAxis(*this, attributes().getInt("axis", 1), rank, 1);
    return {product(shape, 0, axis), product(shape, axis, rank)};
  }
};

const RegisterOp<Flatten> registration("Flatten",
                                       {1, 9, 11, 13, 21, 23, 24, 25});

} // namespace

} // namespace populus::popir
