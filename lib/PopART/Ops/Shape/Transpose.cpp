// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transpose: dimension i of the result is dimension perm[i] of the input. On
// the device this is a view.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace populus::popir {

namespace {

class Transpose final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    Shape shape;
    for (unsigned dim : permutation())
      shape.push_back(inputShape(0)[dim]);
    return {{input(0).info.type, shape}};
  }

  std::optional<std::vector<HostTensor>> evaluate() const override {
    const HostTensor &from = *input(0).constant();
    HostTensor result(infer()[0]);
    std::vector<std::int64_t> fromSteps = strides(from.shape());
    std::vector<std::int64_t> toSteps = strides(result.shape());
    std::vector<unsigned> order = permutation();
    std::size_t bytes = sizeOf(from.type());
    for (std::int64_t to = 0; to != result.numElements(); ++to) {
      std::int64_t source = 0;
      for (std::size_t i = 0; i != order.size(); ++i)
        source += to / toSteps[i] % result.shape()[i] * fromSteps[order[i]];
      std::memcpy(result.bytes().data() + to * bytes,
                  from.bytes().data() + source * bytes, bytes);
    }
    return std::vector{std::move(result)};
  }

  void lower(Lowering &lowering) const override {
    lowering.setOutput(*this,
                       lowering.input(*this, 0).dimShuffle(permutation()));
  }

  void differentiate(Gradients &g) const override {
    const std::vector<unsigned> order = permutation();
    std::vector<std::int64_t> inverse(order.size());
    for (std::size_t i = 0; i != order.size(); ++i)
      inverse[order[i]] = static_cast<std::int64_t>(i);
    g.set(0, g.transpose(g.dy(), inverse));
  }

  bool isIdentity() const override {
    std::vector<unsigned> order = permutation();
    return std::is_sorted(order.begin(), order.end());
  }

private:
  std::vector<unsigned> permutation() const {
    std::int64_t rank = input(0).info.rank();
    std::vector<unsigned> order(rank);
    std::iota(order.rbegin(), order.rend(), 0);
    if (!attributes().has("perm"))
      return order;
    std::vector<std::int64_t> perm = attributes().getInts("perm");
    std::vector<std::int64_t> sorted = normalAxes(*this, perm, rank);
    if (static_cast<std::int64_t>(sorted.size()) != rank)
      failInput("perm does not name each dimension once");
    for (std::int64_t i = 0; i != rank; ++i)
      order[i] = static_cast<unsigned>(normalAxis(*this, perm[i], rank));
    return order;
  }
};

const RegisterOp<Transpose> registration("Transpose", {1, 13, 21, 23, 24, 25});

} // namespace

} // namespace populus::popir
