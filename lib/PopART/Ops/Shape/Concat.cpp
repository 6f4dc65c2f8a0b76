// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Concat: joins tensors along an axis. On the device this is a view.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>

#include <algorithm>

namespace populus::popir {

namespace {

class Concat final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    if (inputs().empty())
      failInput("it has no inputs");
    TensorInfo result = input(0).info;
    std::int64_t dim = axis();
    for (std::size_t i = 1; i != inputs().size(); ++i) {
      checkInput(input(i).info, dim);
      result.shape[dim] += inputShape(i)[dim];
    }
    return {result};
  }

  std::optional<std::vector<HostTensor>> evaluate() const override {
    HostTensor result(infer()[0]);
    std::int64_t dim = axis();
    std::byte *to = result.bytes().data();
    std::int64_t outer = product(result.shape(), 0, dim);
    for (std::int64_t row = 0; row != outer; ++row)
      for (std::size_t i = 0; i != inputs().size(); ++i) {
        const HostTensor &from = *input(i).constant();
        std::size_t bytes = product(from.shape(), dim, from.shape().size()) *
                            sizeOf(from.type());
        std::copy_n(from.bytes().data() + row * bytes, bytes, to);
        to += bytes;
      }
    return std::vector{std::move(result)};
  }

  void lower(Lowering &lowering) const override {
    std::vector<poplar::Tensor> parts;
    for (std::size_t i = 0; i != inputs().size(); ++i)
      parts.push_back(lowering.input(*this, i));
    lowering.setOutput(*this,
                       poplar::concat(parts, static_cast<unsigned>(axis())));
  }

  void differentiate(Gradients &g) const override {
    std::int64_t begin = 0;
    for (std::size_t i = 0; i != inputs().size(); ++i) {
      const std::int64_t end = begin + inputShape(i)[axis()];
      if (g.wants(i))
        g.set(i, g.slice(g.dy(), axis(), begin, end));
      begin = end;
    }
  }

  bool isIdentity() const override { return inputs().size() == 1; }

private:
  std::int64_t axis() const {
    // Version 1 has the default 1; later the attribute is required.
    return normalAxis(*this, attributes().getInt("axis", 1),
                      input(0).info.rank());
  }

  void checkInput(const TensorInfo &info, std::int64_t dim) const {
    TensorInfo wanted = input(0).info;
    if (info.rank() == wanted.rank())
      wanted.shape[dim] = info.shape[dim];
    if (info != wanted)
      failInput(fmt::format("it joins {} and {} along axis {}",
                            toString(input(0).info), toString(info), dim));
  }
};

const RegisterOp<Concat> registration("Concat", {1, 4, 11, 13});

} // namespace

} // namespace populus::popir
