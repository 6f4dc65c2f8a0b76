// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The anchors that a step returns, and its number of batches.

#ifndef POPULUS_INCLUDE_POPART_DATAFLOW_HPP
#define POPULUS_INCLUDE_POPART_DATAFLOW_HPP

#include <popart/names.hpp>
#include <popart/tileset.hpp>

#include <map>
#include <string>
#include <vector>

namespace popart {

enum class AnchorReturnTypeId { Final = 0, EveryN, All, Sum };
enum class ExchangeStrategy {
  JustInTime = 0,
  OverlapInnerLoop,
  OverlapLoops,
  OverlapStep
};
/// Says whether replicas get parts of an input or all of it. There is one
/// replica.
enum class ReplicatedStreamMode { Replicate = 0, Broadcast };

/// Selects the batches of a step that an anchor returns: "All", the "Final"
/// one, "EveryN" with a period, or their "Sum". Case does not matter.
class AnchorReturnType {
public:
  AnchorReturnType() : AnchorReturnType("All") {}
  AnchorReturnType(
      const std::string &type, TileSet tileSet = TileSet::Compute,
      ExchangeStrategy exchangeStrategy = ExchangeStrategy::JustInTime);
  /// The period is used by EveryN only.
  AnchorReturnType(
      const std::string &type, int returnPeriod,
      TileSet tileSet = TileSet::Compute,
      ExchangeStrategy exchangeStrategy = ExchangeStrategy::JustInTime);

  AnchorReturnTypeId id() const { return typeId; }
  /// Returns the period of EveryN. Any other type is an error.
  ReturnPeriod rp() const;
  const std::string &str() const { return text; }
  TileSet tileSet() const { return tiles; }
  ExchangeStrategy exchangeStrategy() const { return strategy; }

private:
  std::string text;
  AnchorReturnTypeId typeId;
  int period = 0;
  TileSet tiles;
  ExchangeStrategy strategy;
};

using AnchorReturnTypeMap = std::map<TensorId, AnchorReturnType>;

class DataFlow {
public:
  DataFlow() : DataFlow(1) {}
  explicit DataFlow(int batchesPerStep);
  DataFlow(int batchesPerStep, const AnchorReturnTypeMap &anchors);
  DataFlow(int batchesPerStep, const std::vector<TensorId> &anchors,
           const AnchorReturnType &returnType = AnchorReturnType("All"));

  bool isAnchored(const TensorId &id) const { return map.count(id) != 0; }
  const std::vector<TensorId> &anchors() const { return ids; }
  int nAnchors() const { return static_cast<int>(ids.size()); }
  int batchesPerStep() const { return batches; }
  void setBatchesPerStep(int batchesPerStep);
  AnchorReturnType art(const TensorId &id) const;
  const AnchorReturnTypeMap &getAnchorReturnTypeMap() const { return map; }
  /// Returns the number of times that a step returns the anchor.
  unsigned numOutFetchesPerRepl(const TensorId &id) const;

private:
  int batches;
  AnchorReturnTypeMap map;
  std::vector<TensorId> ids;
};

} // namespace popart

#endif
