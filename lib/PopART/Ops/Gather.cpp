// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gather: slices of a tensor at constant indices along an axis. With indices
// known, the device sees a view.

#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Registry.h"
#include "lib/PopART/Ops/Shapes.h"

#include <fmt/format.h>

#include <cstring>

namespace popart {

namespace {

class Gather final : public Op {
public:
  using Op::Op;

  std::vector<TensorInfo> infer() const override {
    indices();
    const Shape &data = inputShape(0);
    std::int64_t dim = axis();
    Shape shape(data.begin(), data.begin() + dim);
    shape.insert(shape.end(), inputShape(1).begin(), inputShape(1).end());
    shape.insert(shape.end(), data.begin() + dim + 1, data.end());
    return {{input(0).info.type, shape}};
  }

  std::optional<std::vector<HostTensor>> evaluate() const override {
    const HostTensor &data = *input(0).value;
    HostTensor result(infer()[0]);
    std::int64_t dim = axis(), extent = data.shape()[dim];
    std::size_t bytes = product(data.shape(), dim + 1, data.shape().size()) *
                        sizeOf(data.type());
    std::byte *to = result.bytes().data();
    for (std::int64_t row = 0; row != product(data.shape(), 0, dim); ++row)
      for (std::int64_t index : indices()) {
        std::memcpy(to, data.bytes().data() + (row * extent + index) * bytes,
                    bytes);
        to += bytes;
      }
    return std::vector{std::move(result)};
  }

  void lower(Lowering &lowering) const override {
    poplar::Tensor data = lowering.input(*this, 0);
    auto dim = static_cast<unsigned>(axis());
    std::vector<poplar::Tensor> parts;
    for (std::int64_t index : indices())
      parts.push_back(data.slice(index, index + 1, dim));
    lowering.setOutput(*this, (parts.empty() ? data.slice(0, 0, dim)
                                             : poplar::concat(parts, dim))
                                  .reshape(toPoplar(output().info.shape)));
  }

private:
  std::int64_t axis() const {
    if (input(0).info.rank() == 0)
      failInput("its data has no dimension to gather along");
    return normalAxis(*this, attributes().getInt("axis", 0),
                      input(0).info.rank());
  }

  /// In [0, extent).
  std::vector<std::int64_t> indices() const {
    std::vector<std::int64_t> result = constantInput(1, "indices").toInts();
    std::int64_t extent = inputShape(0)[axis()];
    for (std::int64_t &index : result) {
      if (index < -extent || index >= extent)
        failInput(fmt::format("index {} is out of range for extent {}", index,
                              extent));
      index += index < 0 ? extent : 0;
    }
    return result;
  }
};

const RegisterOp<Gather> registration("Gather", {1, 11, 13});

} // namespace

} // namespace popart
