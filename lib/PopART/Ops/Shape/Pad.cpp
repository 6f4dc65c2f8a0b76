// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pad: extends every dimension at both ends, by a constant or by elements of
// the tensor; a negative amount crops. Amounts are attributes in version 2,
// constant inputs later, and may be for some axes only from version 18 on. On
// the device it is a view.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <popops/Pad.hpp>

#include <algorithm>

namespace populus::popir {

namespace {

class Pad final : public DeviceOp {
public:
  explicit Pad(OpSpec spec) : DeviceOp(std::move(spec)) {
    if (mode() != "constant" && mode() != "edge" && mode() != "reflect" &&
        mode() != "wrap")
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
    else if (mode() == "wrap")
      x = wrapped(x, amounts);
    else
      x = popops::pad(x, lower, upper,
                      mode() == "edge" ? popops::padding::Type::EDGE
                                       : popops::padding::Type::REFLECT);
    lowering.setOutput(*this, x);
  }

  /// Padding is cropped, and cropped elements get zero.
  void differentiate(Gradients &g) const override {
    if (mode() != "constant")
      failUnsupported("At this time, PopART does not support PadGradOp when "
                      "mode is not \"constant\".");
    const std::vector<std::int64_t> amounts = pads();
    const auto middle = amounts.begin() + input(0).info.rank();
    const std::vector<std::int64_t> before(amounts.begin(), middle),
        after(middle, amounts.end());
    std::vector<std::int64_t> notBefore = before, notAfter = after;
    for (auto *list : {&notBefore, &notAfter})
      for (std::int64_t &amount : *list)
        amount = -amount;
    Value &kept = g.pad(g.dy(), notBefore, notAfter);
    g.set(0, kept);
    if (g.wants(2)) // the sum over all that was added
      g.set(2, g.reshape(g.reduceAll("ReduceSum",
                                     g.sub(g.dy(), g.pad(kept, before, after))),
                         inputShape(2)));
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
    std::vector<std::int64_t> given =
        version() == 2 ? attributes().getInts("pads")
                       : constantInput(1, "list of pads").toInts();
    const std::vector<std::int64_t> padded = axes();
    if (given.size() != 2 * padded.size())
      failInput(fmt::format("it has {} pads for {} dimensions; it needs two "
                            "for each",
                            given.size(), padded.size()));
    const std::size_t rank = inputShape(0).size();
    std::vector<std::int64_t> result(2 * rank);
    for (std::size_t i = 0; i != padded.size(); ++i) {
      result[padded[i]] = given[i];
      result[rank + padded[i]] = given[padded.size() + i];
    }
    return result;
  }

  /// The dimensions that the amounts are for, in their order.
  std::vector<std::int64_t> axes() const {
    const std::int64_t rank = input(0).info.rank();
    std::vector<std::int64_t> result;
    if (!hasInput(3)) {
      for (std::int64_t i = 0; i != rank; ++i)
        result.push_back(i);
      return result;
    }
    for (std::int64_t axis : constantInput(3, "list of axes").toInts()) {
      result.push_back(normalAxis(*this, axis, rank));
      if (std::ranges::count(result, result.back()) != 1)
        failInput(fmt::format("it names the axis {} twice", axis));
    }
    return result;
  }

  /// Mode "wrap": the padding in front is the end of the tensor, and vice
  /// versa. Negative amounts cut it first.
  static poplar::Tensor wrapped(poplar::Tensor x,
                                const std::vector<std::int64_t> &amounts) {
    for (unsigned dim = 0; dim != x.rank(); ++dim) {
      const std::int64_t below = amounts[dim], above = amounts[x.rank() + dim];
      x = x.slice(std::max<std::int64_t>(-below, 0),
                  static_cast<std::int64_t>(x.dim(dim)) +
                      std::min<std::int64_t>(above, 0),
                  dim);
      const auto extent = static_cast<std::int64_t>(x.dim(dim));
      const std::int64_t end = extent + std::max<std::int64_t>(above, 0);
      std::vector<poplar::Tensor> parts;
      for (std::int64_t at = std::min<std::int64_t>(-below, 0); at < end;) {
        const std::int64_t place = (at % extent + extent) % extent;
        const std::int64_t count = std::min(extent - place, end - at);
        parts.push_back(x.slice(place, place + count, dim));
        at += count;
      }
      x = parts.empty() ? x.slice(0, 0, dim) : poplar::concat(parts, dim);
    }
    return x;
  }

  void checkAmounts(std::int64_t extent, std::int64_t lower,
                    std::int64_t upper) const {
    constexpr std::int64_t Largest = std::int64_t(1) << 31;
    bool isPossible = lower > -Largest && lower < Largest && upper > -Largest &&
                      upper < Largest && lower + upper + extent >= 0 &&
                      lower >= -extent && upper >= -extent;
    if (mode() == "reflect")
      isPossible &=
          (lower <= 0 || lower < extent) && (upper <= 0 || upper < extent);
    if (mode() == "edge" || mode() == "wrap")
      isPossible &= extent > 0 || (lower <= 0 && upper <= 0);
    // Nothing is left to repeat.
    if (mode() == "wrap" && (lower > 0 || upper > 0))
      isPossible &= extent + std::min<std::int64_t>({lower, upper, 0}) > 0;
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

const RegisterOp<Pad> registration("Pad", {2, 11, 13, 18, 19, 21, 23, 24, 25});

} // namespace

} // namespace populus::popir
