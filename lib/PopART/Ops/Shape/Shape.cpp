// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shape: the shape of a tensor, or a slice of it. Shapes are static, so this is
// always a constant.

#include "lib/PopART/Ops/Constants/ConstantOnlyOp.h"

#include <algorithm>

namespace populus::popir {

namespace {

class ShapeOp final : public ConstantOnlyOp {
public:
  using ConstantOnlyOp::ConstantOnlyOp;

  std::vector<TensorInfo> infer() const override { return {value().info()}; }
  std::optional<std::vector<HostTensor>> evaluate() const override {
    return std::vector{value()};
  }
  bool needsInputValues() const override { return false; }

private:
  HostTensor value() const {
    const Shape &shape = inputShape(0);
    std::int64_t begin = bound("start", 0);
    std::int64_t end = std::max(begin, bound("end", shape.size()));
    return HostTensor::ofInts({shape.begin() + begin, shape.begin() + end});
  }

  /// Bounds count from the end where negative, and are clamped.
  std::int64_t bound(const std::string &attribute,
                     std::int64_t fallback) const {
    std::int64_t rank = input(0).info.rank();
    std::int64_t value = attributes().getInt(attribute, fallback);
    return std::clamp<std::int64_t>(value < 0 ? value + rank : value, 0, rank);
  }
};

const RegisterOp<ShapeOp> registration("Shape",
                                       {1, 13, 15, 19, 21, 23, 24, 25});

} // namespace

} // namespace populus::popir
