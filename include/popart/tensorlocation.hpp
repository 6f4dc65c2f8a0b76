// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places of tensors: on the tiles, or in the host's memory; whole, or a part on
// each replica.

#ifndef POPULUS_INCLUDE_POPART_TENSORLOCATION_HPP
#define POPULUS_INCLUDE_POPART_TENSORLOCATION_HPP

#include <popart/commgroup.hpp>
#include <popart/tileset.hpp>

#include <cstdint>
#include <ostream>
#include <vector>

namespace popart {

enum class TensorStorage { OffChip = 0, OnChip };
enum class ReplicatedTensorSharding { Off = 0, On };

struct TensorLocation {
  TensorLocation() {}
  TensorLocation(TensorStorage storage) : storage(storage) {}
  TensorLocation(TensorStorage storage, ReplicatedTensorSharding sharding)
      : storage(storage), replicatedTensorSharding(sharding) {}
  TensorLocation(TensorStorage storage, TileSet loadTileSet,
                 TileSet storageTileSet, ReplicatedTensorSharding sharding)
      : storage(storage), loadTileSet(loadTileSet),
        storageTileSet(storageTileSet), replicatedTensorSharding(sharding) {}
  TensorLocation(TensorStorage storage, TileSet loadTileSet,
                 TileSet storageTileSet, ReplicatedTensorSharding sharding,
                 CommGroup shardingDomain)
      : storage(storage), loadTileSet(loadTileSet),
        storageTileSet(storageTileSet), replicatedTensorSharding(sharding),
        shardingDomain(shardingDomain) {}

  bool operator==(const TensorLocation &other) const {
    return storage == other.storage && loadTileSet == other.loadTileSet &&
           storageTileSet == other.storageTileSet &&
           replicatedTensorSharding == other.replicatedTensorSharding &&
           shardingDomain == other.shardingDomain;
  }
  bool operator!=(const TensorLocation &other) const {
    return !(*this == other);
  }

  bool isRemote() const { return storage == TensorStorage::OffChip; }
  /// The members as numbers.
  std::vector<std::int64_t> serialize() const {
    return {static_cast<std::int64_t>(storage),
            static_cast<std::int64_t>(loadTileSet),
            static_cast<std::int64_t>(storageTileSet),
            static_cast<std::int64_t>(replicatedTensorSharding),
            static_cast<std::int64_t>(shardingDomain.type),
            static_cast<std::int64_t>(shardingDomain.replicaGroupSize)};
  }

  TensorStorage storage = TensorStorage::OnChip;
  /// Tiles that load a tensor that is off chip, and tiles that keep one that is
  /// on the chip.
  TileSet loadTileSet = TileSet::Compute;
  TileSet storageTileSet = TileSet::Compute;
  ReplicatedTensorSharding replicatedTensorSharding =
      ReplicatedTensorSharding::Off;
  /// Replicas among which a tensor is divided.
  CommGroup shardingDomain;
};

inline std::ostream &operator<<(std::ostream &out, TensorStorage storage) {
  return out << (storage == TensorStorage::OnChip ? "OnChip" : "OffChip");
}
inline std::ostream &operator<<(std::ostream &out,
                                ReplicatedTensorSharding sharding) {
  return out << (sharding == ReplicatedTensorSharding::On ? "On" : "Off");
}
inline std::ostream &operator<<(std::ostream &out,
                                const TensorLocation &location) {
  return out << "(" << location.storage << ", "
             << (location.loadTileSet == TileSet::IO ? "IO" : "Compute") << ", "
             << (location.storageTileSet == TileSet::IO ? "IO" : "Compute")
             << ", " << location.replicatedTensorSharding << ")";
}

} // namespace popart

#endif
