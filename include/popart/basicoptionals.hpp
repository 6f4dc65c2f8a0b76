// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An optional value by its older name.

#ifndef POPULUS_INCLUDE_POPART_BASICOPTIONALS_HPP
#define POPULUS_INCLUDE_POPART_BASICOPTIONALS_HPP

#include <popart/vendored/optional.hpp>

#include <cstdint>
#include <ostream>
#include <string>

namespace popart {

/// The number keeps optionals of one type apart that mean different things.
template <class T, std::uint32_t V = 0>
class BasicOptional : public nonstd::optional<T> {
public:
  using nonstd::optional<T>::optional;
  BasicOptional() {}
};

template <class T, std::uint32_t V>
std::ostream &operator<<(std::ostream &out, const BasicOptional<T, V> &value) {
  return value ? out << *value : out << "none";
}

using OptionalVGraphId = nonstd::optional<std::int64_t>;
using OptionalPipelineStage = nonstd::optional<std::int64_t>;
using OptionalExecutionPhase = nonstd::optional<std::int64_t>;
using OptionalBatchSerializedPhase = nonstd::optional<std::int64_t>;

} // namespace popart

#endif
