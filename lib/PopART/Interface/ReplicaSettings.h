// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model's settings of replicas: groups that share a weight, inputs that all
// replicas get, groups of collectives. ONNX has no place for the first two, so
// a Builder writes them into the model's metadata:
//
//   popart.variable_settings/w     Consecutive 2 1 OnePerGroup
//   popart.stream_mode/x           Broadcast
//   popart.replication_factor      4

#ifndef POPULUS_LIB_POPART_INTERFACE_REPLICASETTINGS_H
#define POPULUS_LIB_POPART_INTERFACE_REPLICASETTINGS_H

#include "lib/PopART/IR/HostTensor.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace onnx {
class ModelProto;
}

namespace popart::session {

/// Keys of the metadata; names of tensors follow the first three.
inline constexpr const char *VariableSettingsKey = "popart.variable_settings/";
inline constexpr const char *StreamModeKey = "popart.stream_mode/";
inline constexpr const char *ExchangeKey = "popart.exchange/";
inline constexpr const char *ReplicationFactorKey = "popart.replication_factor";

/// Sets an entry of a model's metadata.
void setMetadata(onnx::ModelProto &model, const std::string &key,
                 const std::string &value);

/// Replicas that have the same value of a weight.
struct VariableGroups {
  /// By replica, its group.
  std::vector<unsigned> groupOf;
  unsigned count = 1;
  bool returnsAll = false;

  /// By replica, the row of the host's data that it gets, of which there is one
  /// for each group, or, where all come back, for each replica.
  std::vector<unsigned> rowsFor(std::int64_t rows) const;
  /// The replicas whose values come back.
  std::vector<unsigned> returned() const;
  /// The host's data begins with a dimension of this extent, or has no such.
  std::int64_t rowsOnHost() const;
};

struct ReplicaSettings {
  std::map<std::string, VariableGroups> variables;
  std::set<std::string> broadcastInputs;
};

/// An Error where groups do not divide the replicas.
ReplicaSettings replicaSettings(const onnx::ModelProto &model,
                                unsigned replicas);

/// Makes the model that of one replica: weights have the value of the first
/// group, and collectives know the replicas of a group.
void useReplicas(onnx::ModelProto &model, unsigned replicas);

} // namespace popart::session

#endif
