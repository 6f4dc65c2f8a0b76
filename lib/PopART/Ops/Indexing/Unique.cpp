// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unique of constants: the distinct elements of a tensor, or its distinct
// slices along an axis. The result's shape depends on values; for run-time
// values, Bounded/Unique.cpp returns a padded result.

#include "lib/PopART/Ops/Constants/ConstantOnlyOp.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace populus::popir {

namespace {

class Unique final : public ConstantOnlyOp {
public:
  using ConstantOnlyOp::ConstantOnlyOp;

  std::vector<TensorInfo> infer() const override {
    std::vector<TensorInfo> infos;
    for (const HostTensor &result : results())
      infos.push_back(result.info());
    return infos;
  }

  std::optional<std::vector<HostTensor>> evaluate() const override {
    return results();
  }

private:
  /// The elements as rows of slices: [slices, elements of each].
  struct Slices {
    std::int64_t outer, count, inner;
    std::vector<double> values;

    double at(std::int64_t slice, std::int64_t element) const {
      return values[(element / inner * count + slice) * inner +
                    element % inner];
    }
    /// NaN sorts behind all numbers; all NaNs are equal.
    int compare(std::int64_t a, std::int64_t b) const {
      for (std::int64_t i = 0; i != outer * inner; ++i) {
        const double x = at(a, i), y = at(b, i);
        if (x != y && !(std::isnan(x) && std::isnan(y)))
          return x < y || std::isnan(y) ? -1 : 1;
      }
      return 0;
    }
  };

  Slices slices() const {
    const HostTensor &x = constantInput(0, "input");
    const DataType type = x.type();
    if (type == DataType::UInt64 || type == DataType::Int64)
      for (std::int64_t value : x.toInts())
        if (std::abs(value) > (std::int64_t(1) << 53))
          failUnsupported("it compares integers of more than 53 bits");
    Slices result{1, x.numElements(), 1, x.toDoubles()};
    if (attributes().has("axis")) {
      const std::int64_t dim = axis();
      result = {product(x.shape(), 0, dim), x.shape()[dim],
                product(x.shape(), dim + 1, x.shape().size()),
                std::move(result.values)};
    }
    return result;
  }

  std::int64_t axis() const {
    return normalAxis(*this, attributes().getInt("axis", 0),
                      input(0).info.rank());
  }

  /// The distinct slices, their first occurrences, the inverse indices, and the
  /// counts.
  std::vector<HostTensor> results() const {
    const Slices all = slices();
    std::vector<std::int64_t> order(all.count);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) {
      return all.compare(a, b) < 0;
    });
    std::vector<std::int64_t> first, counts, group(all.count);
    for (std::size_t i = 0; i != order.size(); ++i) {
      if (i == 0 || all.compare(order[i - 1], order[i]) != 0) {
        first.push_back(order[i]);
        counts.push_back(0);
      }
      ++counts.back();
      group[order[i]] = static_cast<std::int64_t>(first.size()) - 1;
    }
    if (attributes().getInt("sorted", 1) == 0)
      inOrderOfAppearance(first, counts, group);
    return {taken(all, first), HostTensor::ofInts(first),
            HostTensor::ofInts(group), HostTensor::ofInts(counts)};
  }

  static void inOrderOfAppearance(std::vector<std::int64_t> &first,
                                  std::vector<std::int64_t> &counts,
                                  std::vector<std::int64_t> &group) {
    std::vector<std::int64_t> order(first.size()), place(first.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::int64_t i) { return first[i]; });
    std::vector<std::int64_t> newFirst, newCounts;
    for (std::size_t i = 0; i != order.size(); ++i) {
      place[order[i]] = static_cast<std::int64_t>(i);
      newFirst.push_back(first[order[i]]);
      newCounts.push_back(counts[order[i]]);
    }
    for (std::int64_t &g : group)
      g = place[g];
    first = std::move(newFirst);
    counts = std::move(newCounts);
  }

  HostTensor taken(const Slices &all,
                   const std::vector<std::int64_t> &places) const {
    const auto count = static_cast<std::int64_t>(places.size());
    Shape shape = {count};
    if (attributes().has("axis")) {
      shape = inputShape(0);
      shape[axis()] = count;
    }
    HostTensor result({DataType::Double, shape});
    for (std::int64_t i = 0; i != result.numElements(); ++i) {
      const std::int64_t slice = i / all.inner % count;
      const std::int64_t element =
          i / (all.inner * count) * all.inner + i % all.inner;
      result.as<double>()[i] = all.at(places[slice], element);
    }
    return result.convertedTo(input(0).info.type);
  }
};

const RegisterOp<Unique> registration("Unique", {11, 28});

} // namespace

} // namespace populus::popir
