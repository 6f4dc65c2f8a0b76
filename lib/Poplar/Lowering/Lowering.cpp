// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order of lowering: first programs, because they determine what is used; then
// a check of memory, so that a program that cannot fit fails before code is
// linked; then code, memory, data, and addresses.

#include "lib/Poplar/Lowering/Lowering.h"

#include "lib/Poplar/Device/DeviceAccess.h"
#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Lowering/CodeLowering.h"
#include "lib/Poplar/Lowering/Draft.h"
#include "lib/Poplar/Lowering/LivenessRecord.h"
#include "lib/Poplar/Lowering/LoweringLog.h"
#include "lib/Poplar/Lowering/Memory.h"
#include "lib/Poplar/Lowering/ProgramLowering.h"
#include "lib/Poplar/Lowering/RegionRecord.h"
#include "lib/Poplar/Lowering/Require.h"
#include "lib/Poplar/Support/Log.h"
#include "lib/Poplar/Support/Types.h"
#include "lib/Poplar/Verify/VerifyLowering.h"
#include "lib/Profile/Names.h"

#include <pvti/pvti.hpp>

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

namespace poplar::core {

namespace rt = populus::runtime;

namespace {

/// Initial contents of at least this size are separate payloads, so that they
/// can be found, shared and replaced by name.
constexpr std::size_t OwnPayloadBytes = 4096;

void addVariableData(Draft &draft, const MemoryPlan &memory) {
  std::uint32_t shared = None; // the payload of all small ones
  for (std::uint32_t id = 0; id != draft.graph.variables.size(); ++id) {
    const Variable &variable = draft.graph.variables[id];
    const auto &parts = draft.storage.partsOf(id);
    if (variable.data.empty() || parts.empty())
      continue;
    const bool isElsewhere = memory.hasOthersMemory(parts.front().place.block);
    for (const Storage::Part &part : parts)
      require(memory.hasOthersMemory(part.place.block) == isElsewhere,
              "all of a constant has the memory of another one, or nothing");
    if (isElsewhere)
      continue;
    std::uint32_t payload = shared;
    if (variable.data.size() >= OwnPayloadBytes || shared == None) {
      payload = static_cast<std::uint32_t>(draft.exe.payloads.size());
      draft.exe.payloads.emplace_back();
      if (variable.data.size() >= OwnPayloadBytes)
        draft.exe.payloads[payload].name = variable.name;
      else
        shared = payload, draft.exe.payloads[payload].name = "constants";
    }
    std::vector<std::uint8_t> &bytes = draft.exe.payloads[payload].bytes;
    const std::uint64_t start = bytes.size();
    bytes.insert(bytes.end(), variable.data.begin(), variable.data.end());
    const unsigned elementBytes = sizeOf(variable.type);
    // Replicas share the data, unless there is some for each of them.
    const std::uint64_t numElements = variable.data.size() / elementBytes;
    for (const Storage::Part &part : parts)
      draft.data.push_back(
          {part.place, payload,
           static_cast<std::uint32_t>((part.end - part.begin) * elementBytes),
           start + part.begin % numElements * elementBytes});
  }
}

/// Variables of which the host reads or writes all elements.
std::set<std::uint32_t> hostVariables(const GraphImpl &graph) {
  std::set<std::uint32_t> whole;
  for (const HostHandle &handle : graph.hostHandles) {
    std::map<std::uint32_t, std::uint64_t> elements;
    handle.tensor.forEachRun(
        [&](const Run &run) { elements[run.variable] += run.count; });
    for (const auto &[variable, count] : elements)
      if (count == graph.variables[variable].numElements)
        whole.insert(variable);
  }
  return whole;
}

/// Returns an error message if the host's data, which is always live, does not
/// fit a tile. Only large data is checked: lowering its programs takes long,
/// and the error is known before. For other programs the later check of all
/// data says more.
std::optional<std::string> checkHostData(const Draft &draft) {
  constexpr std::uint64_t Large = 64 << 20;
  if (!draft.target.info->isIpu() || draft.graph.hasReplicas)
    return std::nullopt;
  Storage storage(draft.graph);
  for (std::uint32_t variable : hostVariables(draft.graph)) {
    const Run first{variable, 0, 1, 1};
    storage.placesOf({&first, 1});
  }
  std::uint64_t total = 0;
  std::vector<std::uint64_t> bytes(draft.tiles.size());
  for (const Block &block : storage.blocks()) {
    bytes[block.tile] += alignUp(block.bytes, WordBytes);
    total += block.bytes;
  }
  if (total < Large)
    return std::nullopt;
  const auto most = std::max_element(bytes.begin(), bytes.end());
  const std::uint64_t available = draft.target.info->bytesPerTile();
  if (*most <= available)
    return std::nullopt;
  return "out of memory: tile " + std::to_string(most - bytes.begin()) +
         " needs " + std::to_string(*most) +
         " bytes for what the host reads and writes alone, " +
         std::to_string(*most - available) + " more than the " +
         std::to_string(available) +
         " bytes it has; use more IPUs, more tiles of each, or streams";
}

/// Vertex state and field data of all tiles, once their pointers are written.
void addVertexData(Draft &draft) {
  rt::Payload payload;
  payload.name = "vertices";
  const auto id = static_cast<std::uint32_t>(draft.exe.payloads.size());
  const auto add = [&](std::uint32_t block,
                       const std::vector<std::uint8_t> &bytes) {
    if (bytes.empty())
      return;
    const Block &holder = draft.storage.blocks()[block];
    draft.exe.data.push_back({holder.tile, holder.address, id,
                              static_cast<std::uint32_t>(bytes.size()),
                              payload.bytes.size()});
    payload.bytes.insert(payload.bytes.end(), bytes.begin(), bytes.end());
  };
  for (const TileDraft &tile : draft.tiles) {
    add(tile.stateBlock, tile.state);
    add(tile.fieldDataBlock, tile.fieldData);
  }
  if (!payload.bytes.empty())
    draft.exe.payloads.push_back(std::move(payload));
}

/// Lists the contents of tiles except code and stacks.
std::vector<VariablePlace> listPlaces(const GraphImpl &graph,
                                      const Storage &storage,
                                      const MemoryPlan &memory) {
  std::vector<VariablePlace> places;
  const std::vector<Block> &blocks = storage.blocks();
  for (std::uint32_t id = 0; id != blocks.size(); ++id) {
    const Block &block = blocks[id];
    if (block.bytes == 0 || memory.hasOthersMemory(id))
      continue;
    const char *kind = populus::profile::categoryName(block.category);
    places.push_back(
        {block.variable == None ? "" : graph.variables[block.variable].name,
         kind, block.tile, block.address, block.bytes,
         memory.getLiveness().isAlwaysLive(id)});
  }
  return places;
}

void addMetadata(const Draft &draft) {
  std::size_t used = 0;
  for (std::uint32_t id = 0; id != draft.graph.variables.size(); ++id)
    used += !draft.storage.partsOf(id).empty();
  auto &metadata = draft.exe.metadata;
  metadata["producer"] = "libpoplar " + versionString().cloneAsString();
  metadata[NumVariablesKey] = std::to_string(used);
  metadata[NumEdgesKey] = std::to_string(draft.numEdges);
  for (const auto &[fact, value] : draft.graph.fixedMetadata)
    metadata[fact] = std::to_string(value);
}

LoweringRecord makeRecord(Draft &draft, const MemoryPlan &memory) {
  LoweringRecord record;
  record.vertices = std::move(draft.origins);
  record.homes.resize(draft.graph.variables.size());
  for (std::uint32_t id = 0; id != record.homes.size(); ++id)
    for (const Storage::Part &part : draft.storage.partsOf(id)) {
      const Block &block = draft.storage.block(part.place);
      record.homes[id].push_back(
          {part.begin, part.end, block.tile,
           draft.storage.addressOf(part.place),
           memory.getLiveness().isAlwaysLive(part.place.block) &&
               !memory.hasOthersMemory(part.place.block)});
    }
  for (const auto &[step, places] : draft.undefined)
    record.undefSteps.insert(step);
  return record;
}

/// Runs the stages of lowering and reports progress.
class Stages {
public:
  explicit Stages(const LoweringOptions &options) : options(options) {}
  ~Stages() { logTime(); }
  void begin(const char *stage) {
    if (options.progress)
      options.progress(next, Count);
    ++next;
    logTime();
    span.reset(); // before the next one begins
    span = std::make_unique<pvti::Tracepoint>(&pvti::tracePoplar, stage);
    name = stage;
    began = Clock::now();
  }

private:
  using Clock = std::chrono::steady_clock;

  void logTime() const {
    if (!name || !isLogged(LogLevel::Debug))
      return;
    const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(
        Clock::now() - began);
    log(LogLevel::Debug, std::string("lowering: ") + name + " took " +
                             std::to_string(time.count()) + " ms");
  }

  static constexpr int Count = 4;
  const LoweringOptions &options;
  int next = 0;
  std::unique_ptr<pvti::Tracepoint> span;
  const char *name = nullptr; // of the stage that has begun
  Clock::time_point began;
};

} // namespace

Lowered lower(const GraphImpl &graph, ArrayRef<program::Program> programs,
              const LoweringOptions &options) {
  Stages stages(options);
  Lowered result{std::make_shared<rt::Executable>(), {}, {}, {}};
  rt::Executable &exe = *result.executable;
  Draft draft(graph,
              options.target ? *options.target
                             : DeviceAccess::data(graph.target),
              exe, options.threads);
  draft.recordsOrigins = options.verify || options.keepRecord;
  logGraph(graph, draft.tiles.size());

  stages.begin("lowerPrograms");
  if (!options.allowOutOfMemory)
    if (const std::optional<std::string> message = checkHostData(draft))
      throw graph_memory_allocation_error(*message);
  lowerPrograms(draft, programs);
  draft.exchanges.finish();

  stages.begin("MemoryPlan");
  MemoryPlan memory(draft);
  const auto reportFull = [&](const std::optional<std::string> &message) {
    if (!message)
      return;
    if (!options.allowOutOfMemory)
      throw graph_memory_allocation_error(*message);
    exe.metadata[OutOfMemoryKey] = *message;
    log(LogLevel::Warn, *message + " (debug.allowOutOfMemory is on)");
  };
  reportFull(memory.checkData());

  stages.begin("linkTileImages");
  std::vector<FixedMemory> fixed(draft.tiles.size());
  if (draft.isNative())
    lowerHostCode(draft);
  else
    fixed = linkTileImages(draft, options.stacks);

  stages.begin("allocateMemory");
  reportFull(memory.allocate(fixed));
  logMemory(draft.storage, memory, *draft.target.info, draft.tiles.size(),
            exe.steps.size());
  if (options.recordLiveness) {
    result.liveness = recordLiveness(graph, draft.storage, memory);
    result.liveness.regions = recordRegions(draft, memory);
  }
  if (options.listVariables)
    result.variables = listPlaces(graph, draft.storage, memory);
  addVariableData(draft, memory);
  memory.keepConstants();
  if (options.tamper)
    options.tamper(draft);
  draft.resolve();
  addVertexData(draft);
  addMetadata(draft);
  if (!draft.recordsOrigins)
    return result;
  LoweringRecord record = makeRecord(draft, memory);
  if (options.verify && !exe.metadata.contains(OutOfMemoryKey) &&
      !verifyLowering(graph, programs, exe, record))
    log(LogLevel::Warn, "the program is too long for a check of its lowering");
  if (options.keepRecord)
    result.record = std::move(record);
  return result;
}

} // namespace poplar::core
