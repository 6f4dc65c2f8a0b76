// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A number of an optimizer. A constant is compiled into the program; any other
// number can be changed between steps by Session::updateOptimizerFromHost.

#ifndef POPULUS_INCLUDE_POPART_OPTIMIZERVALUE_HPP
#define POPULUS_INCLUDE_POPART_OPTIMIZERVALUE_HPP

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
