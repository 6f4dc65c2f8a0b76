// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A number of an optimizer, for all weights and for weights with their own.

#ifndef POPULUS_INCLUDE_POPART_OPTIMIZERVALUEMAP_HPP
#define POPULUS_INCLUDE_POPART_OPTIMIZERVALUEMAP_HPP

#include <popart/names.hpp>
#include <popart/optimizervalue.hpp>

#include <map>

namespace popart {

class OptimizerValueMap {
public:
  explicit OptimizerValueMap(OptimizerValue value) : everywhere(value) {}

  OptimizerValue get(const TensorId &weight) const {
    std::map<TensorId, OptimizerValue>::const_iterator own = map.find(weight);
    return own == map.end() ? everywhere : own->second;
  }
  OptimizerValue getDefault() const { return everywhere; }
  bool hasSpecific(const TensorId &weight) const {
    return map.count(weight) != 0;
  }
  bool hasSpecific() const { return !map.empty(); }
  const std::map<TensorId, OptimizerValue> &getSpecifics() const { return map; }
  /// Returns true if each number of `other` can take the place of this map's
  /// one. Throws otherwise.
  bool validReplacement(const OptimizerValueMap &other) const {
    everywhere.validReplacement(other.everywhere);
    if (map.size() != other.map.size())
      throw optimizer_replacement_error(
          "{} weights have numbers of their own, and {} in the replacement",
          map.size(), other.map.size());
    for (const auto &item : map) {
      if (!other.hasSpecific(item.first))
        throw optimizer_replacement_error(
            "'{}' has a number of its own, and none in the replacement",
            item.first);
      item.second.validReplacement(other.get(item.first));
    }
    return true;
  }
  void insertSpecific(const TensorId &weight, OptimizerValue value) {
    map[weight] = value;
  }

private:
  OptimizerValue everywhere;
  std::map<TensorId, OptimizerValue> map;
};

} // namespace popart

#endif
