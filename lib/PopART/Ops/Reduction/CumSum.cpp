// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CumSum: prefix sums along a constant axis. Each step doubles the distance of
// the added elements, so that a row of n elements takes log2(n) steps:
//   1 2 3 4  ->  1 3 5 7  ->  1 3 6 10

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <popops/ElementWise.hpp>

namespace populus::popir {

namespace {

class CumSum final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    axis();
    return {input(0).info};
  }

  /// Folds int64, the type of shapes; smaller integers could overflow.
  std::optional<std::vector<HostTensor>> evaluate() const override {
    if (input(0).info.type != DataType::Int64 &&
        input(0).info.type != DataType::UInt64)
      return std::nullopt;
    const Shape &shape = inputShape(0);
    const std::int64_t extent = shape[axis()], step = strides(shape)[axis()];
    const bool backwards = attributes().getInt("reverse", 0) != 0;
    const bool isExclusive = attributes().getInt("exclusive", 0) != 0;
    HostTensor result = *input(0).constant();
    const auto at = result.as<std::uint64_t>(); // wraps
    for (std::int64_t first = 0; first != result.numElements(); ++first) {
      if (first / step % extent != 0)
        continue;
      std::uint64_t sum = 0;
      for (std::int64_t i = 0; i != extent; ++i) {
        std::uint64_t &x = at[first + (backwards ? extent - 1 - i : i) * step];
        const std::uint64_t before = sum;
        sum += x;
        x = isExclusive ? before : sum;
      }
    }
    return std::vector{std::move(result)};
  }

  void lower(Lowering &lowering) const override {
    poplar::Tensor x = lowering.input(*this, 0);
    unsigned dim = axis();
    bool backwards = attributes().getInt("reverse", 0) != 0;
    if (backwards)
      x = x.reverse(dim);
    if (attributes().getInt("exclusive", 0) != 0 && x.dim(dim) != 0)
      x = poplar::concat(zeros(lowering, x.slice(0, 1, dim).shape()),
                         x.slice(0, x.dim(dim) - 1, dim), dim);
    std::size_t extent = x.dim(dim);
    for (std::size_t step = 1; step < extent; step *= 2)
      x = poplar::concat(x.slice(0, step, dim),
                         popops::add(lowering.graph(),
                                     x.slice(step, extent, dim),
                                     x.slice(0, extent - step, dim),
                                     lowering.program(), lowering.debug(*this)),
                         dim);
    lowering.setOutput(*this, backwards ? x.reverse(dim) : x);
  }

  void differentiate(Gradients &g) const override {
    const std::int64_t turned = attributes().getInt("reverse", 0) == 0;
    g.set(0, g.op("CumSum", {&g.dy(), &g.x(1)},
                  {{"exclusive", attributes().getInt("exclusive", 0)},
                   {"reverse", turned}}));
  }

private:
  unsigned axis() const {
    std::vector<std::int64_t> value = constantInput(1, "axis").toInts();
    if (value.size() != 1)
      failInput("its axis is not one number");
    return static_cast<unsigned>(
        normalAxis(*this, value[0], input(0).info.rank()));
  }

  poplar::Tensor zeros(Lowering &lowering,
                       const std::vector<std::size_t> &shape) const {
    Shape extents(shape.begin(), shape.end());
    return lowering.addConstant(HostTensor({output().info.type, extents}),
                                {lowering.debug(*this), "zero"});
  }
};

const RegisterOp<CumSum> registration("CumSum", {11, 14});

} // namespace

} // namespace populus::popir
