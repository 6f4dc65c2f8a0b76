// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a report from an executable's tables and its compiler's record.
// ReportRuns.cpp adds executions.

#include "lib/Profile/ReportBuilder.h"

#include "lib/Profile/CodeFacts.h"
#include "lib/Profile/DebugTree.h"
#include "lib/Profile/ExchangeMatrix.h"
#include "lib/Profile/GraphFigures.h"
#include "lib/Profile/Rows.h"
#include "runtime/Session/ExchangePlan.h"
#include "runtime/Session/TensorIo.h"
#include "runtime/Support/Version.h"
#include "runtime/Target/Timing.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace populus::profile {

using namespace runtime;

bool isHostExchange(const Step &step) {
  return step.kind == StepKind::StreamToDevice ||
         step.kind == StepKind::DeviceToStream;
}

namespace {

std::uint64_t sumOf(const ByTile &numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t(0));
}

/// The path of a step in the debug tree.
const std::string &pathOf(const Executable &exe, const Step &step) {
  switch (step.kind) {
  case StepKind::Execute:
    return exe.computeSets[step.computeSet()].name;
  case StepKind::Exchange:
    return exe.exchanges[step.exchange()].name;
  default:
    return step.name;
  }
}

class Builder {
public:
  explicit Builder(const Executable &exe) : exe(exe), rows(report) {}

  report::Report build() {
    addFacts();
    addRecorded();
    addTarget();
    addVertexTypes();
    for (const ComputeSet &set : exe.computeSets)
      addComputeSet(set);
    for (const Exchange &exchange : exe.exchanges)
      addExchange(exchange);
    addPrograms();
    addMemory();
    addMetrics();
    addMatrix(report, exe, {});
    return std::move(report);
  }

private:
  void addFacts() {
    report.set_version(Version);
    report.set_package_hash(PackageHash);
    const auto fact = [&](const char *key) -> const std::string * {
      const auto known = exe.metadata.find(key);
      return known == exe.metadata.end() ? nullptr : &known->second;
    };
    if (const std::string *model = fact("model"))
      report.set_model(*model);
    report.set_num_vertices(exe.vertices.size());
    if (const auto *count = fact("variables"))
      report.set_num_variables(std::strtoull(count->c_str(), nullptr, 10));
    if (const auto *count = fact("edges"))
      report.set_num_edges(std::strtoull(count->c_str(), nullptr, 10));
    if (const std::string *message = fact("out of memory"))
      report.mutable_memory()->set_message(*message);
  }

  /// Adds the compilers' record. A damaged record is ignored, because the
  /// executable runs without it.
  void addRecorded() {
    const auto known = exe.metadata.find(RecordedKey);
    if (known == exe.metadata.end() || !recorded.ParseFromString(known->second))
      return;
    report.mutable_operators()->Swap(recorded.mutable_operators());
    if (recorded.has_liveness())
      report.mutable_liveness()->Swap(recorded.mutable_liveness());
  }

  void addTarget() {
    const TargetInfo info = targetOf(exe);
    report::Target &target = *report.mutable_target();
    target.set_device(static_cast<std::uint32_t>(exe.device));
    target.set_name(exe.target);
    target.set_ipus(exe.numIpus);
    target.set_tiles_per_ipu(exe.tilesPerIpu);
    target.set_clock_hz(info.clockHz);
    addReplicas(target);
    if (!info.isIpu())
      return;
    target.set_bytes_per_tile(info.bytesPerTile());
    target.set_plain_bytes_per_tile(info.regions[0].size());
    target.set_sync_cycles(timing::internalSyncCycles(info));
    target.set_exchange_bytes_per_cycle(info.exchangeBytesPerCycle);
    // Products of the matrix units with all accumulators.
    target.set_products_per_cycle(8 * info.accumulatorSets);
    target.set_half_products_per_cycle(32 * info.accumulatorSets);
  }

  void addReplicas(report::Target &target) const {
    const auto number = [&](const char *key) -> std::uint32_t {
      const auto known = exe.metadata.find(key);
      return known == exe.metadata.end()
                 ? 0
                 : std::strtoul(known->second.c_str(), nullptr, 10);
    };
    std::uint32_t replicas = std::max(1u, number(ReplicasKey));
    for (const Stream &stream : exe.streams)
      replicas = std::max(replicas, stream.replicas);
    target.set_replicas(replicas);
    target.set_replica_tiles(std::min(number(ReplicaTilesKey), exe.numTiles()));
  }

  void addVertexTypes() {
    for (const VertexType &type : exe.vertexTypes) {
      report::VertexType &entry = *report.add_vertex_types();
      entry.set_name(type.name);
      entry.set_kind(static_cast<std::uint32_t>(type.kind));
      entry.set_state_bytes(type.stateBytes);
      std::uint32_t values = 0, pointers = 0;
      for (const FieldInfo &field : type.fields)
        (field.access == FieldAccess::Value ? values : pointers) += field.bytes;
      entry.set_field_bytes(values);
      entry.set_pointer_bytes(pointers);
    }
    for (const Vertex &vertex : exe.vertices) {
      report::VertexType &entry =
          *report.mutable_vertex_types(static_cast<int>(vertex.type));
      entry.set_count(entry.count() + 1);
    }
    if (exe.device == DeviceKind::Ipu)
      addCode();
    for (const report::Recorded::VertexSize &size : recorded.vertex_sizes())
      setSize(size);
  }

  void setSize(const report::Recorded::VertexSize &size) {
    for (report::VertexType &type : *report.mutable_vertex_types())
      if (type.name() == size.name()) {
        type.set_state_bytes(size.state_bytes());
        type.set_field_bytes(size.field_bytes());
        type.set_pointer_bytes(size.pointer_bytes());
        type.set_code_bytes(size.code_bytes());
      }
  }

  void addCode() {
    std::vector<bool> isDone(exe.vertexTypes.size());
    for (const TileVertices &list : exe.tileVertices)
      for (std::uint32_t i = 0; i != list.vertices.count; ++i) {
        const Vertex &vertex = exe.vertices[list.vertices.first + i];
        if (isDone[vertex.type])
          continue;
        isDone[vertex.type] = true;
        const TileSetup &setup = exe.tileSetups[exe.tileSetup[list.tile]];
        describeCode(
            exe.images[setup.image], vertex.entry,
            *report.mutable_vertex_types(static_cast<int>(vertex.type)));
      }
  }

  void addComputeSet(const ComputeSet &set) {
    const ComputeSetFigures figures = figuresOf(exe, set);
    report::ComputeSet &entry = *report.add_compute_sets();
    entry.set_name(set.name);
    entry.set_tiles(set.tiles.count);
    for (std::uint32_t i = 0; i != set.tiles.count; ++i) {
      const std::uint32_t ipu =
          exe.tileVertices[set.tiles.first + i].tile / exe.tilesPerIpu;
      if (entry.ipus_size() == 0 || entry.ipus(entry.ipus_size() - 1) != ipu)
        entry.add_ipus(ipu);
    }
    entry.set_cycles_row(rows.add(figures.cyclesByTile));
    entry.set_active_row(rows.add(figures.activeCyclesByTile));
    for (const ComputeSetFigures::TypeCount &type : figures.types) {
      report::VertexCount &count = *entry.add_types();
      count.set_type(type.type);
      count.set_count(type.count);
      count.set_active_cycles(type.activeCycles);
      count.set_count_row(rows.add(type.byTile));
    }
  }

  void addFigures(const ExchangeFigures &figures, report::Exchange &entry) {
    entry.set_received_row(rows.add(figures.bytesReceivedByTile));
    entry.set_sent_row(rows.add(figures.bytesSentByTile));
    entry.set_cycles_row(rows.add(figures.cyclesByTile));
  }

  void addExchange(const Exchange &exchange) {
    report::Exchange &entry = *report.add_exchanges();
    const ExchangeFigures figures = figuresOf(exe, exchange);
    entry.set_name(exchange.name);
    addFigures(figures, entry);
    const RowFacts received = factsOf(report, entry.received_row());
    entry.set_bytes(received.sum);
    entry.set_most_received(received.most);
    entry.set_most_tile(received.mostTile);
    entry.set_local_bytes(figures.localBytes);
    entry.set_sends(figures.sends);
    entry.set_receives(figures.receives);
    if (exe.numIpus == 1)
      return;
    std::uint64_t links = 0;
    for (const auto &[ipu, traffic] : linkTrafficOf(exe, exchange))
      links += traffic.receivedBytes;
    entry.set_link_bytes(links);
  }

  std::uint32_t addHostExchange(const Step &step) {
    const auto number =
        static_cast<std::uint32_t>(report.host_exchanges_size());
    report::Exchange &entry = *report.add_host_exchanges();
    const ExchangeFigures figures = figuresOfStream(exe, step);
    entry.set_name(exe.streams[step.stream()].handle);
    addFigures(figures, entry);
    entry.set_bytes(sumOf(figures.bytesReceivedByTile) +
                    sumOf(figures.bytesSentByTile));
    const RowFacts most = factsOf(report, step.kind == StepKind::StreamToDevice
                                              ? entry.received_row()
                                              : entry.sent_row());
    entry.set_most_received(most.most);
    entry.set_most_tile(most.mostTile);
    return number;
  }

  void addPrograms() {
    DebugTree tree(report);
    for (const Step &step : exe.steps) {
      report::Program &program = *report.add_programs();
      program.set_kind(static_cast<std::uint32_t>(step.kind));
      program.set_name(step.name);
      for (std::uint32_t child : step.children)
        program.add_children(child);
      program.set_index(isHostExchange(step) ? addHostExchange(step)
                                             : step.index);
      if (step.children.empty() && step.kind != StepKind::Sequence)
        for (std::uint32_t op : tree.operatorsOf(pathOf(exe, step)))
          program.add_operators(op);
    }
    for (std::uint32_t root : exe.programs)
      report.add_control_programs(root);
  }

  void addMemory() {
    const MemoryFigures figures = memoryFigures(exe);
    report::Memory &memory = *report.mutable_memory();
    for (std::size_t c = 0; c != figures.byCategory.size(); ++c) {
      if (figures.byCategory[c] == 0 && !recordedIn(c))
        continue;
      report::CategoryMemory &category = *memory.add_categories();
      category.set_category(static_cast<std::uint32_t>(c));
      category.set_row(rows.add(figures.byCategoryAndTile[c]));
    }
    memory.set_total_row(rows.add(figures.totalByTile));
    memory.set_gaps_row(rows.add(figures.includingGapsByTile));
    memory.set_overlapped(figures.overlapped);
    memory.set_after_overlapping(figures.afterOverlapping);
    memory.set_overlapped_row(rows.add(figures.overlappedByTile));
    memory.set_after_overlapping_row(rows.add(figures.afterOverlappingByTile));
    memory.set_tiles_out_of_memory(figures.tilesOutOfMemory);
    addRegions(memory);
  }

  /// Adds metrics of the compilation.
  void addMetrics() {
    const auto add = [&](const char *name, std::size_t number) {
      report::Metric &metric = *report.add_metrics();
      metric.set_name(name);
      metric.set_value(static_cast<double>(number));
    };
    std::size_t codeBytes = 0;
    for (const CodeImage &image : exe.images)
      codeBytes += image.bytes.size();
    add("numCodeImages", exe.images.size());
    add("codeImageBytes", codeBytes);
    add("numExchanges", exe.exchanges.size());
    add("numExchangePieces", exe.copyPieces.size());
    add("numExchangePatterns", exe.copyPatterns.size());
    add("numBroadcasts", exe.broadcasts.size());
    add("numPrograms", exe.steps.size());
    if (exe.remoteBuffers.empty())
      return;
    std::size_t remoteBytes = 0;
    for (const RemoteBuffer &buffer : exe.remoteBuffers)
      remoteBytes += buffer.numElements * sizeOf(buffer.type) * buffer.numRows *
                     buffer.replicas;
    add("numRemoteBuffers", exe.remoteBuffers.size());
    add("remoteBufferBytes", remoteBytes);
  }

  bool recordedIn(std::size_t category) const {
    return std::any_of(
        recorded.regions().begin(), recorded.regions().end(),
        [&](const auto &use) { return use.category() == category; });
  }

  /// Six rows for each category: three regions, own memory and shared memory.
  void addRegions(report::Memory &memory) {
    if (recorded.regions_size() == 0)
      return;
    constexpr std::size_t Regions = 3;
    for (report::CategoryMemory &category : *memory.mutable_categories()) {
      std::vector<ByTile> uses(2 * Regions, ByTile(exe.numTiles()));
      for (const report::Recorded::Region &use : recorded.regions())
        if (use.category() == category.category() && use.region() < Regions &&
            use.tile() < exe.numTiles())
          uses[2 * use.region() + use.overlapped()][use.tile()] += use.bytes();
      for (const ByTile &use : uses)
        category.add_region_rows(rows.add(use));
    }
    std::vector<ByTile> totals(Regions, ByTile(exe.numTiles()));
    // Memory that several blocks share has a category of its own, so single
    // blocks that share it are not counted.
    constexpr auto Shared = static_cast<std::uint32_t>(MemoryCategory::Count);
    for (const report::Recorded::Region &use : recorded.regions())
      if ((!use.overlapped() || use.category() == Shared) &&
          use.region() < Regions && use.tile() < exe.numTiles())
        totals[use.region()][use.tile()] += use.bytes();
    for (const ByTile &total : totals)
      memory.add_region_rows(rows.add(total));
  }

  const Executable &exe;
  report::Report report;
  report::Recorded recorded;
  RowTable rows;
};

} // namespace

report::Report describeProgram(const Executable &executable) {
  return Builder(executable).build();
}

} // namespace populus::profile
