// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What pools share: attributes, the shape of the result, and the call of popnn.

#include "lib/PopART/Ops/PoolOp.h"

#include "lib/PopART/Ops/Shapes.h"

#include <fmt/format.h>

#include <algorithm>

namespace popart {

PoolOp::PoolOp(OpSpec spec) : Op(std::move(spec)) {
  if (!attributes().has("kernel_shape"))
    failInput("it has no kernel_shape");
  std::vector<std::int64_t> dilations = attributes().getInts("dilations");
  if (std::any_of(dilations.begin(), dilations.end(),
                  [](std::int64_t dilation) { return dilation != 1; }))
    failUnsupported("dilations other than 1 are not supported in pools");
}

Window PoolOp::window() const {
  return makeWindow(*this, fieldOf(*this, inputShape(0)),
                    attributes().getInts("kernel_shape"));
}

std::vector<TensorInfo> PoolOp::infer() const {
  checkFloat(*this);
  const Shape &x = inputShape(0);
  Window w = window();
  if (w.rank() > 2)
    failUnsupported(fmt::format("its field has {} dimensions; one and two are "
                                "supported",
                                w.rank()));
  Shape result = {x[0], x[1]};
  result.insert(result.end(), w.output.begin(), w.output.end());
  return {{input(0).info.type, result}};
}

poplar::Tensor PoolOp::pool(Lowering &lowering, popnn::PoolingType type) const {
  const Shape &x = inputShape(0);
  Shape field = fieldOf(*this, x);
  Window w = window();
  std::vector<int> padLower, padUpper;
  for (std::size_t i = 0; i != w.rank(); ++i) {
    padLower.push_back(static_cast<int>(w.padLower[i]));
    padUpper.push_back(static_cast<int>(w.exactPadUpper(i, field[i])));
  }
  popnn::pooling::PoolParams params(
      type, toPoplar(field), toPoplar(w.kernel),
      std::vector<unsigned>(w.strides.begin(), w.strides.end()), padLower,
      padUpper, x[1], x[0], *deviceType(input(0).info.type));
  return popnn::pooling::pool(lowering.graph(), params,
                              lowering.input(*this, 0), lowering.program(),
                              lowering.debug(*this));
}

} // namespace popart
