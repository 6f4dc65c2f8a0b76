// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Identity: its input.

#include "lib/PopART/Ops/Shape/ViewOp.h"

namespace populus::popir {

namespace {

class Identity final : public ViewOp {
public:
  using ViewOp::ViewOp;

private:
  Shape newShape() const override { return inputShape(0); }
};

const RegisterOp<Identity> registration("Identity",
                                        {1, 13, 14, 16, 19, 21, 23, 24, 25});

} // namespace

} // namespace populus::popir
