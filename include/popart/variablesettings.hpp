// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which replicas have the same value of a weight, and whose values come back.

#ifndef POPULUS_INCLUDE_POPART_VARIABLESETTINGS_HPP
#define POPULUS_INCLUDE_POPART_VARIABLESETTINGS_HPP

#include <popart/commgroup.hpp>

namespace popart {

enum class VariableRetrievalMode {
  /// The value of the first replica of each group.
  OnePerGroup = 0,
  /// Not supported.
  AllReduceReplicas,
  /// The values of all replicas.
  AllReplicas
};

/// By default all replicas have the same value, and one comes back. With
/// several groups the weight's data has a value for each group in front.
class VariableSettings {
public:
  VariableSettings() {}
  VariableSettings(CommGroup group) : group(group) {}
  VariableSettings(VariableRetrievalMode mode) : mode(mode) {}
  VariableSettings(CommGroup group, VariableRetrievalMode mode)
      : group(group), mode(mode) {}
  /// Replicas of a group are `stride` apart.
  VariableSettings(unsigned stride, unsigned groupSize,
                   VariableRetrievalMode mode)
      : group(CommGroupType::Consecutive, groupSize), stride(stride),
        mode(mode) {}

  CommGroup getSharedVariableDomain() const { return group; }
  VariableRetrievalMode getRetrievalMode() const { return mode; }
  /// 1 unless it was given.
  unsigned getStride() const { return stride; }

private:
  CommGroup group;
  unsigned stride = 1;
  VariableRetrievalMode mode = VariableRetrievalMode::OnePerGroup;
};

} // namespace popart

#endif
