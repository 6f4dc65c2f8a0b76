// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LRN: each element is divided by a power of the sum of squares over
// neighbouring channels.

#include "lib/PopART/Ops/Elementwise.h"
#include "lib/PopART/Ops/Shapes.h"

#include <fmt/format.h>
#include <popops/ElementWise.hpp>
#include <popops/Pad.hpp>

namespace populus::popir {

namespace {

class Lrn final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    if (inputShape(0).size() < 2)
      failInput("its input has no channels");
    if (size() < 1 || size() > (1 << 16))
      failInput(fmt::format("size {} is not possible", size()));
    return {input(0).info};
  }

  bool ownsResult() const override { return true; }

  void lower(Lowering &lowering) const override {
    poplar::Graph &graph = lowering.graph();
    poplar::program::Sequence &program = lowering.program();
    poplar::DebugContext debug = lowering.debug(*this);
    poplar::Tensor x = lowering.input(*this, 0);
    poplar::Tensor squares = popops::square(graph, x, program, debug);
    poplar::Tensor padded =
        popops::pad(graph, squares, (size() - 1) / 2, size() / 2, 1, 0.0f);
    poplar::Tensor sum =
        popops::mul(graph, squares, 0.0f, program, {debug, "sum"});
    for (std::int64_t i = 0; i != size(); ++i)
      popops::addInPlace(graph, sum, padded.slice(i, i + x.dim(1), 1), program,
                         {debug, "sum"});
    auto constant = [&](const char *name, float fallback, double factor = 1) {
      return expr::Const(attributes().getFloat(name, fallback) * factor,
                         x.elementType());
    };
    expr::Any base =
        constant("bias", 1) +
        expr::_2 * constant("alpha", 1e-4f, 1.0 / static_cast<double>(size()));
    lowering.setOutput(
        *this,
        popops::map(graph, expr::_1 / expr::Pow(base, constant("beta", 0.75f)),
                    {x, sum}, program, debug));
  }

private:
  std::int64_t size() const { return attributes().getInt("size", 0); }
};

const RegisterOp<Lrn> registration("LRN", {1, 13});

} // namespace

} // namespace populus::popir
