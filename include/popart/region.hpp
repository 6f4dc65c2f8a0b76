// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of tensors, in which operators describe modifications and aliases. The
// compiler only distinguishes a whole tensor from nothing.

#ifndef POPULUS_INCLUDE_POPART_REGION_HPP
#define POPULUS_INCLUDE_POPART_REGION_HPP

#include <popart/names.hpp>

#include <functional>
#include <ostream>
#include <vector>

namespace popart {
namespace view {

enum class AccessType { None = 0, Read = 1, Write = 2, ReadWrite = 3, N = 4 };

/// A block of elements from `lower` to before `upper`.
class Region {
public:
  Region(const std::vector<std::int64_t> &lower,
         const std::vector<std::int64_t> &upper,
         AccessType access = AccessType::None)
      : lowerBound(lower), upperBound(upper), access(access) {}

  static Region getFull(const Shape &shape,
                        AccessType access = AccessType::ReadWrite) {
    return Region(Shape(shape.size(), 0), shape, access);
  }
  static Region getEmpty(std::int64_t rank) {
    Region empty(Shape(static_cast<std::size_t>(rank), 0),
                 Shape(static_cast<std::size_t>(rank), 0));
    empty.isNothing = true;
    return empty;
  }

  int rank() const { return static_cast<int>(lowerBound.size()); }
  bool isEmpty() const { return isNothing || nelms() == 0; }
  std::int64_t nelms() const {
    std::int64_t count = isNothing ? 0 : 1;
    for (std::size_t i = 0; i != lowerBound.size(); ++i)
      count *= upperBound[i] - lowerBound[i];
    return count;
  }
  const std::vector<std::int64_t> &getLower() const { return lowerBound; }
  const std::vector<std::int64_t> &getUpper() const { return upperBound; }
  AccessType getAccessType() const { return access; }
  void setAccessType(AccessType type) { access = type; }
  bool operator==(const Region &other) const {
    return isNothing == other.isNothing && lowerBound == other.lowerBound &&
           upperBound == other.upperBound;
  }
  bool operator!=(const Region &other) const { return !(*this == other); }

private:
  std::vector<std::int64_t> lowerBound, upperBound;
  AccessType access;
  bool isNothing = false;
};

using Regions = std::vector<Region>;
using RegMap = std::function<Regions(const Region &)>;

} // namespace view
} // namespace popart

#endif
