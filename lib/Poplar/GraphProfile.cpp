// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Engine::getGraphProfile: the figures of lib/Profile under the names that the
// user guide gives them. What is not known here (sizes of exchange code,
// liveness) is left out.

#include <poplar/Engine.hpp>

#include "lib/Poplar/EngineImpl.h"
#include "lib/Poplar/Lowering/Lowering.h"
#include "lib/Poplar/ProfilePrograms.h"
#include "lib/Poplar/Report.h"
#include "lib/Profile/GraphFigures.h"
#include "runtime/Target/TargetInfo.h"
#include "runtime/Target/Timing.h"

#include <algorithm>

namespace poplar {

namespace rt = populus::runtime;
namespace profile = populus::profile;

namespace core {

const char *programType(const rt::Step &step) {
  switch (step.kind) {
  case rt::StepKind::Sequence:
    return "Sequence";
  case rt::StepKind::Execute:
    return "OnTileExecute";
  case rt::StepKind::Exchange:
    return "DoExchange";
  case rt::StepKind::StreamToDevice:
  case rt::StepKind::DeviceToStream:
  case rt::StepKind::Print:
    return "StreamCopy";
  case rt::StepKind::Repeat:
    return "Repeat";
  case rt::StepKind::RepeatWhile:
    return "RepeatWhile";
  case rt::StepKind::If:
    return "IfElse";
  case rt::StepKind::Switch:
    return "Switch";
  case rt::StepKind::Call:
    return "Call";
  case rt::StepKind::Sync:
    return "Sync";
  case rt::StepKind::Abort:
    return "Abort";
  case rt::StepKind::AbortIf:
    return "AbortIf";
  case rt::StepKind::CycleStamp:
    return "CycleStamp";
  case rt::StepKind::RemoteToDevice:
  case rt::StepKind::DeviceToRemote:
    return "RemoteCopy";
  case rt::StepKind::HostCall:
    return "HostFunction";
  case rt::StepKind::FloatControl:
  case rt::StepKind::FloatRestore:
    return "SetFloatingPointBehaviour";
  case rt::StepKind::ReadSeeds:
    return "GetHwSeeds";
  case rt::StepKind::WriteSeeds:
    return "SetHwSeeds";
  }
  return "Unknown";
}

std::vector<std::uint32_t> hostExchangeSteps(const rt::Executable &executable) {
  std::vector<std::uint32_t> steps;
  for (std::uint32_t i = 0; i != executable.steps.size(); ++i)
    if (executable.steps[i].kind == rt::StepKind::StreamToDevice ||
        executable.steps[i].kind == rt::StepKind::DeviceToStream)
      steps.push_back(i);
  return steps;
}

namespace {

/// By MemoryCategory.
const char *const CategoryNames[] = {
    "variable",          "constant",
    "message",           "outputEdge",
    "rearrangement",     "vertexInstanceState",
    "vertexFieldData",   "vertexCode",
    "controlCode",       "internalExchangeCode",
    "hostExchangeCode",  "stack",
    "sharedDataStorage",
};
static_assert(std::size(CategoryNames) ==
              static_cast<std::size_t>(rt::MemoryCategory::Count));

} // namespace

const char *profileName(rt::MemoryCategory category) {
  return CategoryNames[static_cast<std::size_t>(category)];
}

} // namespace core

namespace {

template <typename T> ProfileValue listOf(const std::vector<T> &values) {
  return ProfileValue::Vector(values.begin(), values.end());
}

const char *deviceName(rt::DeviceKind kind) {
  switch (kind) {
  case rt::DeviceKind::Cpu:
    return "CPU";
  case rt::DeviceKind::IpuModel:
    return "IPU_MODEL";
  case rt::DeviceKind::Ipu:
    break;
  }
  return "IPU";
}

ProfileValue targetProfile(const rt::Executable &exe) {
  const rt::TargetInfo info = rt::targetOf(exe);
  const std::uint64_t tileBytes = info.isIpu() ? info.bytesPerTile() : 0;
  return ProfileValue::Map{
      {"type", deviceName(exe.device)},
      {"architecture", exe.target},
      {"numIPUs", exe.numIpus},
      {"tilesPerIPU", exe.tilesPerIpu},
      {"numTiles", exe.numTiles()},
      {"bytesPerTile", tileBytes},
      {"bytesPerIPU", tileBytes * exe.tilesPerIpu},
      {"totalMemory", tileBytes * exe.numTiles()},
      {"clockFrequency", info.clockHz},
      // All tiles wait equally long in the timing model.
      {"minSyncDelay", info.isIpu() ? rt::timing::internalSyncCycles(info) : 0},
      {"relativeSyncDelayByTile",
       ProfileValue::Vector(exe.tilesPerIpu, ProfileValue(0))},
  };
}

ProfileValue graphCounts(const rt::Executable &exe) {
  ProfileValue::Map counts{{"numVertices", exe.vertices.size()},
                           {"numComputeSets", exe.computeSets.size()}};
  const auto addCount = [&](const char *name, const char *key) {
    const auto known = exe.metadata.find(key);
    if (known != exe.metadata.end())
      counts[name] = std::stoull(known->second);
  };
  addCount("numVars", core::NumVariablesKey);
  addCount("numEdges", core::NumEdgesKey);
  return counts;
}

ProfileValue vertexTypeProfile(const rt::Executable &exe) {
  ProfileValue::Vector names, sizes;
  for (const rt::VertexType &type : exe.vertexTypes) {
    names.push_back(type.name);
    sizes.push_back(type.stateBytes);
  }
  return ProfileValue::Map{{"names", std::move(names)},
                           {"sizes", std::move(sizes)}};
}

ProfileValue computeSetProfile(const rt::Executable &exe) {
  ProfileValue::Vector names, counts, types;
  ProfileValue::Vector active, activeByType, cycles;
  for (const rt::ComputeSet &set : exe.computeSets) {
    const profile::ComputeSetFigures figures = profile::figuresOf(exe, set);
    ProfileValue::Vector setCounts, setTypes;
    ProfileValue::Vector byType(exe.vertexTypes.size(), ProfileValue(0));
    for (const auto &type : figures.types) {
      setCounts.push_back(type.count);
      setTypes.push_back(type.type);
      byType[type.type] = type.activeCycles;
    }
    names.push_back(set.name);
    counts.push_back(std::move(setCounts));
    types.push_back(std::move(setTypes));
    active.push_back(listOf(figures.activeCyclesByTile));
    activeByType.push_back(std::move(byType));
    cycles.push_back(listOf(figures.cyclesByTile));
  }
  ProfileValue::Map sets{{"names", std::move(names)},
                         {"vertexCounts", std::move(counts)},
                         {"vertexTypes", std::move(types)}};
  if (exe.device == rt::DeviceKind::IpuModel)
    sets["cycleEstimates"] =
        ProfileValue::Map{{"activeCyclesByTile", std::move(active)},
                          {"activeCyclesByVertexType", std::move(activeByType)},
                          {"cyclesByTile", std::move(cycles)}};
  return sets;
}

/// The lists of exchanges; `cyclesName` is what their cycles are called.
class ExchangeLists {
public:
  void add(const std::string &name, const profile::ExchangeFigures &figures) {
    names.push_back(name);
    received.push_back(listOf(figures.bytesReceivedByTile));
    sent.push_back(listOf(figures.bytesSentByTile));
    cycles.push_back(listOf(figures.cyclesByTile));
  }
  ProfileValue take(const char *cyclesName) {
    return ProfileValue::Map{{"names", std::move(names)},
                             {"bytesReceivedByTile", std::move(received)},
                             {"bytesSentByTile", std::move(sent)},
                             {cyclesName, std::move(cycles)}};
  }

private:
  ProfileValue::Vector names, received, sent, cycles;
};

ProfileValue exchangeProfile(const rt::Executable &exe) {
  ExchangeLists lists;
  for (const rt::Exchange &exchange : exe.exchanges)
    lists.add(exchange.name, profile::figuresOf(exe, exchange));
  return lists.take("cyclesByTile");
}

ProfileValue hostExchangeProfile(const rt::Executable &exe) {
  ExchangeLists lists;
  for (std::uint32_t step : core::hostExchangeSteps(exe))
    lists.add(exe.streams[exe.steps[step].index].handle,
              profile::figuresOfStream(exe, exe.steps[step]));
  return lists.take("estimatedCyclesByTile");
}

/// The steps, which are numbered as in the executable.
class ProgramTable {
public:
  explicit ProgramTable(const rt::Executable &exe)
      : exe(exe), hostExchanges(core::hostExchangeSteps(exe)) {
    for (const rt::Step &step : exe.steps)
      if (step.kind == rt::StepKind::Call)
        functions.push_back(step.index);
    std::sort(functions.begin(), functions.end());
    functions.erase(std::unique(functions.begin(), functions.end()),
                    functions.end());
  }

  ProfileValue programs() const {
    ProfileValue::Vector list;
    for (std::uint32_t i = 0; i != exe.steps.size(); ++i)
      list.push_back(program(i));
    return list;
  }
  ProfileValue functionPrograms() const { return listOf(functions); }

private:
  ProfileValue program(std::uint32_t id) const {
    const rt::Step &step = exe.steps[id];
    ProfileValue::Map entry{{"type", core::programType(step)}};
    if (!step.name.empty())
      entry["name"] = step.name;
    if (!step.children.empty())
      entry["children"] = listOf(step.children);
    if (step.kind == rt::StepKind::Execute)
      entry["computeSet"] = step.index;
    else if (step.kind == rt::StepKind::Exchange)
      entry["exchange"] = step.index;
    else if (step.kind == rt::StepKind::Call)
      entry["target"] = position(functions, step.index);
    else if (step.kind == rt::StepKind::StreamToDevice ||
             step.kind == rt::StepKind::DeviceToStream)
      entry["exchange"] = position(hostExchanges, id);
    return entry;
  }

  static std::uint64_t position(const std::vector<std::uint32_t> &sorted,
                                std::uint32_t value) {
    return static_cast<std::uint64_t>(
        std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
  }

  const rt::Executable &exe;
  std::vector<std::uint32_t> hostExchanges;
  std::vector<std::uint32_t> functions;
};

ProfileValue memoryProfile(const rt::Executable &exe) {
  const profile::MemoryFigures figures = profile::memoryFigures(exe);
  ProfileValue::Map byCategory;
  for (std::size_t c = 0;
       c != static_cast<std::size_t>(rt::MemoryCategory::Count); ++c)
    if (figures.byCategory[c] != 0)
      byCategory[core::profileName(static_cast<rt::MemoryCategory>(c))] =
          ProfileValue::Map{{"total", listOf(figures.byCategoryAndTile[c])}};
  return ProfileValue::Map{
      {"byCategory", std::move(byCategory)},
      {"overlapped", figures.overlapped},
      {"afterOverlapping", figures.afterOverlapping},
      {"byTile", ProfileValue::Map{{"total", listOf(figures.totalByTile)},
                                   {"totalIncludingGaps",
                                    listOf(figures.includingGapsByTile)}}},
      {"byVertexType", ProfileValue::Map{{"totalVertexDataBytes",
                                          listOf(profile::stateBytes(exe))}}},
      {"tilesOutOfMemory", figures.tilesOutOfMemory},
  };
}

/// Lists of ranges are flat: begin, end, begin, end, ...
ProfileValue livenessProfile(const core::VariableLiveness &liveness) {
  ProfileValue::Vector parts;
  for (const core::VariableLiveness::Part &part : liveness.parts) {
    ProfileValue::Vector tiles, moments;
    for (const auto &range : part.tiles) {
      tiles.push_back(range.begin);
      tiles.push_back(range.end);
    }
    for (const core::LiveInterval &interval : part.intervals) {
      moments.push_back(interval.first);
      moments.push_back(interval.last);
    }
    parts.push_back(ProfileValue::Map{{"variable", part.variable},
                                      {"bytes", part.bytes},
                                      {"tiles", std::move(tiles)},
                                      {"moments", std::move(moments)}});
  }
  return ProfileValue::Map{{"variables", listOf(liveness.names)},
                           {"parts", std::move(parts)},
                           {"programs", listOf(liveness.stepAt)}};
}

} // namespace

ProfileValue core::graphProfile(const rt::Executable &exe,
                                const VariableLiveness *liveness) {
  const ProgramTable table(exe);
  ProfileValue::Map profile{
      {"target", targetProfile(exe)},
      {"graph", graphCounts(exe)},
      {"vertexTypes", vertexTypeProfile(exe)},
      {"computeSets", computeSetProfile(exe)},
      {"exchanges", exchangeProfile(exe)},
      {"hostExchanges", hostExchangeProfile(exe)},
      {"programs", table.programs()},
      {"controlPrograms", listOf(exe.programs)},
      {"functionPrograms", table.functionPrograms()},
      {"memory", memoryProfile(exe)},
  };
  if (liveness)
    profile["liveness"] = livenessProfile(*liveness);
  return profile;
}

ProfileValue Engine::getGraphProfile() {
  return core::graphProfile(*held().executable, held().liveness.get());
}

} // namespace poplar
