// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A number of an optimizer. A constant is compiled into the program; any other
// number can be changed between steps by Session::updateOptimizerFromHost.

#ifndef POPULUS_INCLUDE_POPART_OPTIMIZERVALUE_HPP
#define POPULUS_INCLUDE_POPART_OPTIMIZERVALUE_HPP

#include <popart/error.hpp>

#include <utility>

namespace popart {

class OptimizerValue {
public:
  OptimizerValue() : OptimizerValue(0, true) {}
  OptimizerValue(float value) : OptimizerValue(value, true) {}
  OptimizerValue(float value, bool isConst) : number(value), fixed(isConst) {}
  OptimizerValue(const std::pair<float, bool> &value)
      : OptimizerValue(value.first, value.second) {}

  float val() const { return number; }
  bool isConst() const { return fixed; }

  /// Returns true if `other` can take this number's place in a session: a
  /// constant is compiled in and stays. Throws otherwise.
  bool validReplacement(const OptimizerValue &other) const {
    if (fixed != other.fixed)
      throw optimizer_replacement_error(
          "a number that is {} cannot be replaced by one that is {}",
          fixed ? "constant" : "not constant",
          other.fixed ? "constant" : "not constant");
    if (fixed && number != other.number)
      throw optimizer_replacement_error(
          "the constant {} cannot be replaced by {}", number, other.number);
    return true;
  }

  bool operator==(const OptimizerValue &other) const {
    return number == other.number && fixed == other.fixed;
  }
  bool operator!=(const OptimizerValue &other) const {
    return !(*this == other);
  }

private:
  float number;
  bool fixed;
};

} // namespace popart

#endif
