// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pad: elements added on both sides of every dimension, with a constant or with
// elements of the tensor; negative amounts cut off. Amounts are attributes in
// version 2, constant inputs later. On the device this is a view.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"

#include <fmt/format.h>
#include <popops/Pad.hpp>

#include <algorithm>

namespace populus::popir {

namespace {

class Pad final : public DeviceOp {
public:
  explicit Pad(OpSpec spec) : DeviceOp(std::move(spec)) {
    if (mode() != "constant" && mode() != "edge" && mode() != "reflect")
      failUnsupported(fmt::format("mode \"{}\" is not supported", mode()));
  }

  std::vector<TensorInfo> infer() const override {
    std::vector<std::int64_t> amounts = pads();
    Shape shape = inputShape(0);
    for (std::size_t i = 0; i != shape.size(); ++i) {
      std::int64_t lower = amounts[i], upper = amounts[i + shape.size()];
      checkAmounts(shape[i], lower, upper);
      shape[i] += lower + upper;
    }
    return {{input(0).info.type, shape}};
  }

  void lower(Lowering &lowering) const override {
    std::vector<std::int64_t> amounts = pads();
    std::size_t rank = inputShape(0).size();
    std::vector<std::ptrdiff_t> lower(amounts.begin(), amounts.begin() + rank);
    std::vector<std::ptrdiff_t> upper(amounts.begin() + rank, amounts.end());
    poplar::Tensor x = lowering.input(*this, 0);
    if (mode() == "constant")
      x = popops::pad(lowering.graph(), x, lower, upper, value(lowering),
                      popops::padding::MappingMethod::EDGE);
    else
      x = popops::pad(x, lower, upper,
                      mode() == "edge" ? popops::padding::Type::EDGE
                                       : popops::padding::Type::REFLECT);
    lowering.setOutput(*this, x);
  }

  bool isIdentity() const override {
    std::vector<std::int64_t> amounts = pads();
    return std::all_of(amounts.begin(), amounts.end(),
                       [](std::int64_t amount) { return amount == 0; });
  }

private:
  std::string mode() const {
    return attributes().getString("mode", "constant");
  }

  std::vector<std::int64_t> pads() const {
    std::vector<std::int64_t> result =
        version() == 2 ? attributes().getInts("pads")
                       : constantInput(1, "list of pads").toInts();
    if (result.size() != 2 * inputShape(0).size())
      failInput(fmt::format("it has {} pads for {} dimensions; it needs two "
                            "for each",
                            result.size(), inputShape(0).size()));
    return result;
  }

  void checkAmounts(std::int64_t extent, std::int64_t lower,
                    std::int64_t upper) const {
    constexpr std::int64_t Largest = std::int64_t(1) << 31;
    bool isPossible = lower > -Largest && lower < Largest && upper > -Largest &&
                      upper < Largest && lower + upper + extent >= 0 &&
                      lower >= -extent && upper >= -extent;
    if (mode() == "reflect")
      isPossible &= lower < extent && upper < extent;
    if (mode() == "edge")
      isPossible &= extent > 0 || (lower <= 0 && upper <= 0);
    if (!isPossible)
      failInput(fmt::format("an extent of {} cannot be padded by {} and {} "
                            "(mode {})",
                            extent, lower, upper, mode()));
  }

  poplar::Tensor value(Lowering &lowering) const {
    if (hasInput(2))
      return lowering.input(*this, 2).reshape({});
    return lowering.addScalar(
        *this, version() == 2 ? attributes().getFloat("value", 0) : 0);
  }
};

const RegisterOp<Pad> registration("Pad", {2, 11, 13});

} // namespace

} // namespace populus::popir
