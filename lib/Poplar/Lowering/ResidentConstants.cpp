// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates are found by their writers; their liveness shows that they are
// read only after the copies. An exchange takes as long as its slowest tile. So
// keeping copies must relieve the tile with the largest share, and costs memory
// on all tiles.

#include "lib/Poplar/Lowering/ResidentConstants.h"

#include "lib/Poplar/Lowering/Accesses.h"
#include "lib/Poplar/Lowering/Require.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace poplar::core {

namespace rt = populus::runtime;

namespace {

/// Calls function(destination, source, bytes) for each destination of useful
/// copies. Broadcasts to buffers are not useful.
template <typename Function>
void forEachCopy(const Draft &draft, Function function) {
  const Exchanges &exchanges = draft.exchanges;
  exchanges.forEachPiece([&](const Piece &piece) {
    if (!piece.isBroadcast())
      return function(piece.to, piece.from, piece.bytes);
    if (exchanges.goesToOperands(piece.broadcast))
      for (Place receiver : exchanges.receiversOf(piece.broadcast))
        function(Place{receiver.block, receiver.offset + piece.to.offset},
                 piece.from, piece.bytes);
  });
}

/// Initial data of blocks.
class DataIndex {
public:
  explicit DataIndex(const std::vector<PlacedData> &data) : data(data) {
    std::sort(this->data.begin(), this->data.end(),
              [](const PlacedData &a, const PlacedData &b) {
                return a.place < b.place;
              });
  }

  /// Calls function(payload, offset in it, bytes) for each part of the initial
  /// data at a place.
  template <typename Function>
  void forEachPart(Place place, std::uint32_t bytes, Function function) const {
    auto entry = std::upper_bound(
        data.begin(), data.end(), place,
        [](Place p, const PlacedData &d) { return p < d.place; });
    if (entry != data.begin())
      --entry;
    while (bytes != 0) {
      require(entry != data.end() && entry->place.block == place.block &&
                  entry->place.offset <= place.offset &&
                  place.offset < entry->place.offset + entry->bytes,
              "constants have data wherever they are copied from");
      const std::uint32_t skipped = place.offset - entry->place.offset;
      const std::uint32_t part = std::min(bytes, entry->bytes - skipped);
      function(entry->payload, entry->offset + skipped, part);
      place.offset += part;
      bytes -= part;
      ++entry;
    }
  }

private:
  std::vector<PlacedData> data;
};

/// Adds data blocks. Bytes are copied to a new payload if many data blocks
/// would take more memory.
class DataWriter {
public:
  explicit DataWriter(Draft &draft) : draft(draft), exe(draft.exe) {}

  void begin(std::uint32_t newBlock) {
    block = newBlock;
    parts.clear();
  }

  void add(std::uint32_t offset, std::uint32_t payload, std::uint64_t from,
           std::uint32_t bytes) {
    if (!parts.empty()) {
      PlacedData &last = parts.back();
      if (last.payload == payload && last.place.offset + last.bytes == offset &&
          last.offset + last.bytes == from) {
        last.bytes += bytes;
        return;
      }
    }
    parts.push_back({{block, offset}, payload, bytes, from});
  }

  void finish() {
    const std::uint64_t bytes = parts.back().place.offset + parts.back().bytes;
    if (parts.size() * sizeof(PlacedData) > bytes)
      makeWhole(bytes);
    draft.data.insert(draft.data.end(), parts.begin(), parts.end());
  }

private:
  /// Replaces all parts by one payload; equal payloads share their bytes.
  void makeWhole(std::uint64_t size) {
    std::vector<std::uint8_t> bytes(size);
    for (const PlacedData &part : parts)
      std::copy_n(exe.payloads[part.payload].bytes.begin() +
                      static_cast<std::ptrdiff_t>(part.offset),
                  part.bytes, bytes.begin() + part.place.offset);
    if (own == None) {
      own = static_cast<std::uint32_t>(exe.payloads.size());
      exe.payloads.emplace_back().name = "rearranged";
    }
    std::vector<std::uint8_t> &all = exe.payloads[own].bytes;
    const std::size_t hash = std::hash<std::string_view>()(
        {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
    const auto [first, last] = known.equal_range(hash);
    const auto equal = std::find_if(first, last, [&](const auto &entry) {
      return entry.second + size <= all.size() &&
             std::equal(bytes.begin(), bytes.end(),
                        all.begin() +
                            static_cast<std::ptrdiff_t>(entry.second));
    });
    const std::uint64_t offset = equal == last ? all.size() : equal->second;
    if (equal == last) {
      known.emplace(hash, offset);
      all.insert(all.end(), bytes.begin(), bytes.end());
    }
    parts = {{{block, 0}, own, static_cast<std::uint32_t>(size), offset}};
  }

  Draft &draft;
  rt::Executable &exe;
  std::uint32_t block = None;
  std::vector<PlacedData> parts;
  std::uint32_t own = None; // payload
  std::unordered_multimap<std::size_t, std::uint64_t> known;
};

} // namespace

ResidentConstants::ResidentConstants(
    const Draft &draft, const Liveness &liveness,
    const std::vector<std::uint32_t> &placeOf) {
  findCandidates(draft, liveness, placeOf);
  collectFills(draft);
  // Equal constants have their bytes in one of them.
  for (Fill &fill : fills)
    if (placeOf[fill.source.block] != None)
      fill.source.block = placeOf[fill.source.block];
  dropContradictions();
  makeGroups(draft);
}

/// Finds blocks with initial data that neither programs nor the host change.
std::vector<bool> ResidentConstants::findData(const Draft &draft) const {
  const std::vector<Block> &blocks = draft.storage.blocks();
  std::vector<bool> data(blocks.size());
  for (std::size_t i = 0; i != blocks.size(); ++i)
    data[i] = blocks[i].variable != None &&
              !draft.graph.variables[blocks[i].variable].data.empty();
  for (const rt::HostTensor &handle : draft.exe.hostTensors) {
    const rt::Range range = draft.exe.tensors[handle.tensor].segments;
    for (std::uint32_t i = 0; handle.writable && i != range.count; ++i)
      data[draft.segments[range.first + i].place.block] = false;
  }
  return data;
}

void ResidentConstants::findCandidates(
    const Draft &draft, const Liveness &liveness,
    const std::vector<std::uint32_t> &placeOf) {
  const std::vector<Block> &blocks = draft.storage.blocks();
  const Writers writers = findWriters(draft);
  candidates.resize(blocks.size());
  for (std::uint32_t i = 0; i != blocks.size(); ++i)
    candidates[i] = writers.copies[i] && !writers.others[i] &&
                    !liveness.isAlwaysLive(i) && placeOf[i] == None;
  for (std::uint32_t owner : placeOf)
    if (owner != None)
      candidates[owner] = false;
  std::vector<bool> data = findData(draft);
  for (std::size_t i = 0; i != blocks.size(); ++i)
    if (writers.copies[i] || writers.others[i])
      data[i] = false;
  forEachCopy(draft, [&](Place to, Place source, std::uint32_t) {
    if (!data[source.block])
      candidates[to.block] = false;
  });
}

void ResidentConstants::collectFills(const Draft &draft) {
  forEachCopy(draft, [&](Place to, Place source, std::uint32_t bytes) {
    if (candidates[to.block])
      fills.push_back({to.block, to.offset, bytes, source});
  });
  std::sort(fills.begin(), fills.end(), [](const Fill &a, const Fill &b) {
    return std::tie(a.block, a.offset, a.bytes, a.source) <
           std::tie(b.block, b.offset, b.bytes, b.source);
  });
}

/// Drops blocks to which copies bring different bytes.
void ResidentConstants::dropContradictions() {
  std::size_t kept = 0;
  for (const Fill &fill : fills) {
    const Fill *last = kept == 0 ? nullptr : &fills[kept - 1];
    if (!last || last->block != fill.block ||
        last->offset + last->bytes <= fill.offset)
      fills[kept++] = fill;
    else if (last->offset != fill.offset || last->bytes != fill.bytes ||
             last->source != fill.source)
      candidates[fill.block] = false;
  }
  fills.resize(kept);
  std::erase_if(fills, [&](const Fill &f) { return !candidates[f.block]; });
}

void ResidentConstants::makeGroups(const Draft &draft) {
  const std::vector<Block> &blocks = draft.storage.blocks();
  std::map<std::uint64_t, Group> byKey;
  for (std::size_t i = 0; i != fills.size(); ++i) {
    const std::uint32_t id = fills[i].block;
    if (i != 0 && fills[i - 1].block == id)
      continue;
    const Block &block = blocks[id];
    const std::uint64_t key =
        block.operandsOf != None
            ? block.operandsOf
            : draft.exe.computeSets.size() + block.variable;
    Group &group = byKey[key];
    group.key = key;
    group.total += block.bytes;
    group.largest = std::max(group.largest, block.bytes);
    group.blocks.push_back(id);
  }
  for (auto &[key, group] : byKey)
    groups.push_back(std::move(group));
  std::sort(groups.begin(), groups.end(), [](const Group &a, const Group &b) {
    const double forByteOfA = double(a.largest) / double(a.total);
    const double forByteOfB = double(b.largest) / double(b.total);
    return std::tie(forByteOfB, a.total, a.key) <
           std::tie(forByteOfA, b.total, b.key);
  });
}

std::vector<std::uint32_t>
ResidentConstants::choose(const Draft &draft,
                          std::vector<std::uint64_t> room) const {
  const std::vector<Block> &blocks = draft.storage.blocks();
  // Size with the worst case of the alignment.
  const auto bytesOf = [&](std::uint32_t id) {
    return alignUp(blocks[id].bytes, WordBytes) + blocks[id].align;
  };
  std::vector<std::uint32_t> chosen;
  for (const Group &group : groups) {
    if (!std::all_of(group.blocks.begin(), group.blocks.end(),
                     [&](std::uint32_t id) {
                       return bytesOf(id) <= room[blocks[id].tile];
                     }))
      continue;
    for (std::uint32_t id : group.blocks) {
      room[blocks[id].tile] -= bytesOf(id);
      chosen.push_back(id);
    }
  }
  return chosen;
}

std::span<const ResidentConstants::Fill>
ResidentConstants::fillsOf(std::uint32_t block) const {
  const auto [first, last] = std::equal_range(
      fills.begin(), fills.end(), Fill{block, 0, 0, {}},
      [](const Fill &a, const Fill &b) { return a.block < b.block; });
  return {first, last};
}

void ResidentConstants::keep(Draft &draft,
                             std::span<const std::uint32_t> blocks) const {
  if (blocks.empty())
    return;
  const DataIndex data(draft.data);
  DataWriter writer(draft);
  std::vector<bool> kept(candidates.size());
  for (std::uint32_t id : blocks) {
    kept[id] = true;
    writer.begin(id);
    for (const Fill &fill : fillsOf(id)) {
      std::uint32_t offset = fill.offset;
      data.forEachPart(
          fill.source, fill.bytes,
          [&](std::uint32_t payload, std::uint64_t from, std::uint32_t bytes) {
            writer.add(offset, payload, from, bytes);
            offset += bytes;
          });
    }
    writer.finish();
  }
  draft.dropCopiesTo(kept);
}

} // namespace poplar::core
