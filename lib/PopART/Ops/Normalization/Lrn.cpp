// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LRN: each element is divided by a power of the sum of squares over
// neighbouring channels.

#include "lib/PopART/Ops/Elementwise/Elementwise.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

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

  /// With y = x base^-beta, an element also moves the results of the channels
  /// in whose windows it lies.
  void differentiate(Gradients &g) const override {
    const double beta = attributes().getFloat("beta", 0.75f);
    const double share =
        attributes().getFloat("alpha", 1e-4f) / static_cast<double>(size());
    const std::int64_t before = (size() - 1) / 2, after = size() / 2;
    Value &x = g.x();
    Value &base = g.add(g.mul(windowSum(g, g.square(x), before, after), share),
                        attributes().getFloat("bias", 1));
    Value &direct =
        g.mul(g.dy(), g.op("Pow", {&base, &g.scalar(x.info.type, -beta)}));
    Value &around = windowSum(g, g.div(g.mul(direct, x), base), after, before);
    g.set(0, g.sub(direct, g.mul(g.mul(x, around), 2 * beta * share)));
  }

private:
  /// For each channel the sum from `before` channels before it to `after`
  /// channels behind it.
  Value &windowSum(Gradients &g, Value &x, std::int64_t before,
                   std::int64_t after) const {
    const Shape &shape = x.info.shape;
    std::vector<Value *> parts;
    for (std::int64_t shift = std::max(-before, -shape[1]);
         shift <= std::min(after, shape[1]); ++shift) {
      std::vector<std::int64_t> begin(shape.size()), end(shape.size());
      begin[1] = -shift;
      end[1] = shift;
      parts.push_back(&g.pad(x, begin, end));
    }
    return g.op("Sum", std::move(parts));
  }

  std::int64_t size() const { return attributes().getInt("size", 0); }
};

const RegisterOp<Lrn> registration("LRN", {1, 13});

} // namespace

} // namespace populus::popir
