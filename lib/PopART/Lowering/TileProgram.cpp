// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembly of the tile program around the lowered operators.

#include "lib/PopART/Lowering/TileProgram.h"

#include "lib/PopART/Lowering/LeastMemory.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Lowering/OffChip.h"
#include "lib/PopART/Lowering/OperatorRecord.h"
#include "lib/PopART/Lowering/OverlappedLoop.h"
#include "lib/PopART/Lowering/StagedProgram.h"
#include "lib/PopART/Lowering/StochasticRounding.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Log.h"
#include "lib/Poplar/Engine/ExecutableAccess.h"
#include "lib/Profile/ReportBuilder.h"

#include <poplar/Engine.hpp>
#include <poplar/exceptions.hpp>
#include <poplin/codelets.hpp>
#include <popnn/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>
#include <poprand/codelets.hpp>
#include <pvti/pvti.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace populus::popir {

namespace {

using poplar::program::Copy;
using poplar::program::Sequence;

// Rejects operators that exist on constants only; lists all of them.
void checkDeviceSupport(const Module &module) {
  std::vector<std::string> problems;
  for (const Graph &graph : module.graphs())
    for (const Op *op : graph.ops())
      if (!op->runsOnDevice())
        problems.push_back(fmt::format(
            "node {} works on constants only, and its input is not one",
            op->describe()));
  if (!problems.empty())
    failUnsupported("{}", fmt::join(problems, "; "));
}

// Stream names are unique, and a stream has one direction.
void checkStreamNames(const Graph &ir) {
  for (const Value *input : ir.arguments())
    for (const GraphResult &output : ir.results())
      if (output.name == input->name)
        failUnsupported("'{}' is an input and a result, which is not "
                        "supported; return it through an Identity",
                        output.name);
}

// Bytes of all tiles of an IPU; nothing if there is no limit.
std::optional<std::uint64_t> memoryOfIpu(const poplar::Target &target) {
  if (target.getTargetType() == poplar::TargetType::CPU)
    return std::nullopt;
  return std::uint64_t(target.getTilesPerIPU()) * target.getBytesPerTile();
}

// A tensor has to fit on one IPU.
void checkFits(const TensorInfo &info, std::uint64_t memory,
               const std::string &what) {
  const double bytes = deviceBytes(info);
  if (bytes > static_cast<double>(memory))
    fail(ErrorKind::Memory,
         "out of memory: {} ({}) takes {:.0f} bytes, {:.3g} times the memory "
         "of all tiles of an IPU; use smaller shapes",
         what, toString(info), bytes, bytes / static_cast<double>(memory));
}

void checkFits(double bytes, std::uint64_t memory, unsigned ipus,
               const std::string &what) {
  const double all = static_cast<double>(memory) * ipus;
  if (bytes > all)
    fail(ErrorKind::Memory,
         "out of memory: {} {:.0f} bytes, {:.3g} times the memory of all "
         "tiles; use {:.0f} IPUs or more, or smaller shapes",
         what, bytes, bytes / all,
         std::ceil(bytes / static_cast<double>(memory)));
}

// Rejects a tensor, weights, or a live set that are larger than the machine.
// It runs before planning, which would take very long for such sizes.
void checkTensorsFit(const Module &module, std::uint64_t memory,
                     unsigned ipus) {
  const Graph &ir = module.main();
  for (const Value *input : ir.arguments())
    checkFits(input->info, memory, fmt::format("input '{}'", input->name));
  for (const auto &op : ir.ops())
    if (op->ownsResult() && op->hasOutput(0))
      checkFits(op->output().info, memory,
                fmt::format("the result of node {}", op->describe()));
  for (const GraphResult &output : ir.results())
    checkFits(output.value->info, memory,
              fmt::format("output '{}'", output.name));
  const LeastMemory least = leastMemory(module);
  checkFits(least.weights, memory, ipus, "the weights together take");
  if (least.where && least.largest)
    checkFits(least.total(), memory, ipus,
              fmt::format("the weights ({:.0f} bytes) and the tensors that are "
                          "live at node {} ({:.0f} bytes, '{}' the largest "
                          "with {:.0f}) take",
                          least.weights, least.where->describe(), least.live,
                          least.largest->name, least.largestLive));
}

/// Each replica has IPUs of its own.
void checkReplicas(const poplar::Target &target, unsigned replicas) {
  const unsigned ipus = target.getNumIPUs();
  if (replicas == 0 || ipus % replicas != 0)
    fail(ErrorKind::Usage,
         "For replicated graphs, the number of IPUs must be divisible by the "
         "replication factor. The device has {} of them, and the replication "
         "factor is {}.",
         ipus, replicas);
}

/// Variables need the I/O tiles that they are on, or pass through.
void checkIoTiles(const Module &module, unsigned ioTiles) {
  for (const Variable &variable : module.variables())
    if (variable.viaIoTiles && ioTiles == 0)
      fail(ErrorKind::Usage,
           "the variable '{}' is to be on the I/O tiles, or to pass through "
           "them, and the program has none",
           variable.name);
}

/// The I/O tiles of each IPU. The CPU has one tile, and none to spare.
unsigned ioTilesOf(const poplar::Target &target,
                   const ProgramOptions &options) {
  const unsigned count = options.numIoTiles;
  if (count == 0 || target.getTargetType() == poplar::TargetType::CPU)
    return 0;
  constexpr unsigned Least = 32; // as gcl::getMinIoTiles has it
  if (count < Least || count % 2 != 0 || count >= target.getTilesPerIPU())
    fail(ErrorKind::Usage,
         "{} I/O tiles (numIOTiles) are not possible on an IPU of {} tiles: "
         "their number is 0, or even, at least {}, and less than the tiles of "
         "an IPU",
         count, target.getTilesPerIPU(), Least);
  return count;
}

class Builder {
public:
  Builder(const Module &module, const poplar::Target &target,
          const ProgramOptions &options, bool keepsGenerators)
      : module(module), ir(module.main()), options(options),
        keepsGenerators(keepsGenerators),
        result{
            poplar::Graph(target, poplar::replication_factor(options.replicas)),
            {},
            {},
            {},
            {}},
        shared(result.graph, module, ioTilesOf(target, options)),
        lowering(ir, result.graph, options, shared) {}

  TileProgram run() {
    popops::addCodelets(result.graph);
    poplin::addCodelets(result.graph);
    popnn::addCodelets(result.graph);
    poprand::addCodelets(result.graph);
    for (const std::string &path : options.codelets)
      result.graph.addCodelets(path, poplar::CodeletFileType::Auto,
                               options.codeletFlags);
    Sequence beginning;
    if (options.roundsStochastically && !keepsGenerators)
      roundStochastically(result.graph, shared.useSeed(), beginning);
    beginning.add(options.pipelined ? pipelined() : sequential());
    if (keepsGenerators)
      beginning =
          keepGenerators(result.graph, options.roundsStochastically, beginning);
    result.program = beginning;
    result.operators = recordOperators(module);
    for (const auto &[name, stream] : shared.fromHost)
      result.inputs.push_back({name, stream.info});
    for (const auto &[name, stream] : shared.toHost)
      result.outputs.push_back({name, stream.info});
    if (options.mapTensors)
      result.tileMap = lowering.tileMap();
    return std::move(result);
  }

private:
  poplar::program::Program sequential() {
    MicroBatch microBatch;
    for (const Value *input : ir.arguments())
      copyIn(*input, microBatch);
    lowerOps(ir, lowering);
    microBatch.compute.add(lowering.program());
    if (shared.seed.valid())
      countBatch(microBatch.compute);
    addStreams();
    return assemble(microBatch);
  }

  /// The batches of a step, each a pipeline of its micro-batches with the
  /// update behind it; without updates, one pipeline of all.
  poplar::program::Program pipelined() {
    StagedProgram staged(ir, lowering, shared);
    for (const Value *input : ir.arguments()) {
      MicroBatch load;
      copyIn(*input, load);
      staged.addLoad(*input, load.inOrder());
    }
    const OffChipTransfers transfers(ir);
    staged.lowerOps([&](const Op &op) { lower(op, transfers, lowering); });
    addStreams();
    Sequence first, final;
    for (std::size_t i = 0; i != ir.results().size(); ++i) {
      const GraphResult &output = ir.results()[i];
      Sequence &end = staged.endOf(*output.value);
      const AnchorReturn::Kind kind = returnOf(output).kind;
      if (kind == AnchorReturn::Sum)
        addSum(i, first, end, final);
      else
        (kind == AnchorReturn::Final ? final : end)
            .add(copyOut(i, lowering.get(*output.value)).inOrder());
    }
    const Sequence update = updates();
    const bool isDivided = module.programs.size() > 1;
    Sequence batch = staged.run(options.microBatches *
                                (isDivided ? 1 : options.batchesPerStep));
    batch.add(update);
    first.add(isDivided ? repeated(options.batchesPerStep, batch) : batch);
    first.add(final);
    return first;
  }

  /// The way of an input or result. Without I/O tiles all are direct.
  HostTransfer wayOf(const std::string &name) const {
    const auto found = options.transfers.find(name);
    return found == options.transfers.end() || !lowering.hasIoTiles()
               ? HostTransfer()
               : found->second;
  }

  void copyIn(const Value &input, MicroBatch &microBatch) {
    poplar::Tensor variable = lowering.createVariable(input);
    poplar::DataStream stream = result.graph.addHostToDeviceFIFO(
        input.name, variable.elementType(), variable.numElements(),
        options.broadcastInputs.contains(input.name)
            ? poplar::ReplicatedStreamMode::BROADCAST
            : poplar::ReplicatedStreamMode::REPLICATE);
    result.inputs.push_back({input.name, input.info});
    const HostTransfer way = wayOf(input.name);
    const bool overlaps = way.overlap != HostTransfer::None;
    Sequence &first = overlaps ? microBatch.fetch : microBatch.compute;
    if (!way.viaIoTiles)
      return first.add(Copy(stream, variable));
    const poplar::Tensor onTheWay =
        lowering.addOnIoTiles(variable, input.name + "/io");
    first.add(Copy(stream, onTheWay));
    (overlaps ? microBatch.take : microBatch.compute)
        .add(Copy(onTheWay, variable));
  }

  /// Returns a value as result `index`.
  MicroBatch copyOut(std::size_t index, const poplar::Tensor &value) {
    MicroBatch parts;
    const std::string &name = ir.results()[index].name;
    const poplar::DataStream &stream = outputStreams[index];
    if (!wayOf(name).viaIoTiles) {
      parts.send.add(Copy(value, stream));
      return parts;
    }
    const poplar::Tensor onTheWay = lowering.addOnIoTiles(value, name + "/io");
    parts.give.add(Copy(value, onTheWay));
    parts.send.add(Copy(onTheWay, stream));
    return parts;
  }

  static void lower(const Op &op, const OffChipTransfers &transfers,
                    Lowering &lowering) {
    logging::debug(logging::Module::opx, "lowering {}", op.describe());
    transfers.load(op, lowering);
    lowering.lower(op);
    transfers.store(op, lowering);
  }

  static void lowerOps(const Graph &graph, Lowering &lowering) {
    const OffChipTransfers transfers(graph);
    for (const auto &op : graph.ops())
      lower(*op, transfers, lowering);
  }

  /// Counts batches in the seed, so that each draws other random numbers.
  void countBatch(Sequence &batch) {
    const poplar::Tensor batches = shared.seed.slice(1, 2);
    popops::mapInPlace(result.graph, popops::expr::_1 + popops::expr::Const(1U),
                       {batches}, batch, {SeedHandle});
  }

  /// Adds the streams of the results.
  void addStreams() {
    for (const GraphResult &output : ir.results()) {
      poplar::Tensor value = lowering.get(*output.value);
      outputStreams.push_back(result.graph.addDeviceToHostFIFO(
          output.name, value.elementType(), value.numElements()));
      result.outputs.push_back({output.name, output.value->info});
    }
  }

  AnchorReturn returnOf(const GraphResult &output) const {
    auto found = options.anchorReturns.find(output.name);
    return found == options.anchorReturns.end() ? AnchorReturn()
                                                : found->second;
  }

  /// The period N of results returned every N batches; 1 if there are none.
  unsigned returnPeriod() const {
    unsigned period = 1;
    for (const GraphResult &output : ir.results()) {
      AnchorReturn wanted = returnOf(output);
      if (wanted.kind != AnchorReturn::EveryN || wanted.n == 1)
        continue;
      if (period != 1 && period != wanted.n)
        failUnsupported("anchors with different periods (EVERYN:{} and "
                        "EVERYN:{}) are not supported; use one period",
                        period, wanted.n);
      period = wanted.n;
    }
    return period;
  }

  /// Lowers the graph of a program other than the main one.
  Sequence lowered(const Graph &graph) {
    Lowering own(graph, result.graph, options, shared);
    lowerOps(graph, own);
    return own.program();
  }

  /// The programs that follow each batch.
  Sequence updates() {
    Sequence update;
    for (const EntryProgram &program : module.programs)
      if (program.graph != &ir)
        update.add(lowered(*program.graph));
    return update;
  }

  /// Assembles a step: groups of `period` batches, each with its micro-batches
  /// and the update. Results are returned after every micro-batch, after the
  /// last batch of a group, or after the last of all.
  poplar::program::Program assemble(MicroBatch microBatch) {
    Sequence first, everyN, final;
    for (std::size_t i = 0; i != ir.results().size(); ++i)
      addReturn(i, microBatch, first, everyN, final);
    const Sequence update = updates();
    Sequence step = first;
    step.add(returnPeriod() == 1 && overlap() != HostTransfer::None
                 ? overlapped(microBatch, update)
                 : grouped(microBatch.inOrder(), everyN, update));
    step.add(final);
    return step;
  }

  /// Adds the return of a result to the part of the step that its kind asks
  /// for.
  void addReturn(std::size_t i, MicroBatch &microBatch, Sequence &first,
                 Sequence &everyN, Sequence &final) {
    const GraphResult &output = ir.results()[i];
    const AnchorReturn wanted = returnOf(output);
    if (wanted.kind == AnchorReturn::Sum)
      return addSum(i, first, microBatch.compute, final);
    const MicroBatch parts = copyOut(i, lowering.get(*output.value));
    const bool isPeriodic =
        wanted.kind == AnchorReturn::EveryN && wanted.n != 1;
    if (wanted.kind == AnchorReturn::Final || isPeriodic)
      return (isPeriodic ? everyN : final).add(parts.inOrder());
    if (wayOf(output.name).overlap == HostTransfer::None)
      return microBatch.compute.add(parts.inOrder());
    microBatch.give.add(parts.give);
    microBatch.send.add(parts.send);
  }

  /// The widest overlap of all transfers, which all have that overlap at all.
  HostTransfer::Overlap overlap() const {
    HostTransfer::Overlap widest = HostTransfer::None;
    for (const Value *input : ir.arguments())
      widest = std::max(widest, wayOf(input->name).overlap);
    for (const GraphResult &output : ir.results())
      if (returnOf(output).kind == AnchorReturn::All)
        widest = std::max(widest, wayOf(output.name).overlap);
    return widest;
  }

  /// A step with overlapping transfers. The inner loop is that of
  /// micro-batches, or of batches if each has a single micro-batch.
  Sequence overlapped(const MicroBatch &microBatch, const Sequence &update) {
    const unsigned batches = options.batchesPerStep;
    const bool isInner =
        overlap() == HostTransfer::InnerLoop && options.microBatches != 1;
    const Sequence loop =
        overlappedLoop(result.graph, microBatch, isInner ? 1 : batches,
                       options.microBatches, update);
    return isInner ? repeated(batches, loop) : loop;
  }

  /// A step of groups of batches; `everyN` ends a group.
  Sequence grouped(const Sequence &microBatch, const Sequence &everyN,
                   const Sequence &update) const {
    auto batchOf = [&](const Sequence &one) {
      Sequence batch = repeated(options.microBatches, one);
      batch.add(update);
      return batch;
    };
    const Sequence batch = batchOf(microBatch);
    unsigned period = returnPeriod();
    unsigned groups = options.batchesPerStep / period;
    unsigned rest = options.batchesPerStep % period;
    Sequence group;
    if (options.microBatches == 1 || period == 1) {
      group = repeated(period, batch);
      group.add(everyN);
    } else {
      Sequence last = microBatch;
      last.add(everyN);
      group = repeated(period - 1, batch);
      group.add(batchOf(last));
    }
    Sequence step = repeated(groups, group);
    if (rest != 0)
      step.add(repeated(rest, batch));
    return step;
  }

  /// Sums result `index` over the batches and returns it at the end.
  void addSum(std::size_t index, Sequence &first, Sequence &microBatch,
              Sequence &final) {
    poplar::Graph &graph = result.graph;
    poplar::DebugContext debug = {ir.results()[index].name + "/sum"};
    poplar::Tensor value = lowering.get(*ir.results()[index].value);
    if (value.elementType() == poplar::BOOL)
      failUnsupported("--anchor: '{}' is of type bool, which cannot be summed",
                      ir.results()[index].name);
    poplar::Tensor sum = graph.clone(value, debug);
    popops::zero(graph, sum, first, debug);
    popops::addInPlace(graph, sum, value, microBatch, debug);
    final.add(copyOut(index, sum).inOrder());
  }

  const Module &module;
  const Graph &ir;
  const ProgramOptions &options;
  bool keepsGenerators;
  TileProgram result;
  SharedLowering shared;
  Lowering lowering;
  std::vector<poplar::DataStream> outputStreams;
};

/// Runs `function` and translates errors of the libraries below to Errors.
template <class Function> auto translateErrors(Function &&function) {
  try {
    return function();
  } catch (const Error &) {
    throw;
  } catch (const std::bad_alloc &) { // no mistake of ours
    throw;
  } catch (const poplar::graph_memory_allocation_error &error) {
    fail(ErrorKind::Memory, "{}", error.what());
  } catch (const poplar::not_supported_error &error) {
    failUnsupported("{}", error.what());
  } catch (const poplar::invalid_option &error) {
    failInput("{}", error.what());
  } catch (const poplar::parse_error &error) { // of an environment variable
    failInput("{}", error.what());
  } catch (const std::exception &error) {
    fail(ErrorKind::Internal, "internal error: {}", error.what());
  }
}

/// Sets the model's shapes; the poplar graph knows only sizes.
void setStreamShapes(populus::runtime::Executable &executable,
                     const TileProgram &program) {
  using populus::runtime::StreamDirection;
  auto set = [&](const StreamInfo &info, StreamDirection direction) {
    for (populus::runtime::Stream &stream : executable.streams)
      if (stream.handle == info.name && stream.direction == direction)
        stream.shape.assign(info.info.shape.begin(), info.info.shape.end());
  };
  for (const StreamInfo &info : program.inputs)
    set(info, StreamDirection::HostToDevice);
  for (const StreamInfo &info : program.outputs)
    set(info, StreamDirection::DeviceToHost);
}

} // namespace

TileProgram lowerModule(const Module &module, const poplar::Target &target,
                        const ProgramOptions &options, bool keepsGenerators) {
  const pvti::Tracepoint span(&pvti::traceFramework,
                              "popart::popx::IrLowering::prepareGraph");
  checkDeviceSupport(module);
  const Graph &ir = module.main();
  checkStreamNames(ir);
  checkReplicas(target, options.replicas);
  checkOffChip(module);
  checkIoTiles(module, ioTilesOf(target, options));
  if (const auto memory = memoryOfIpu(target))
    checkTensorsFit(module, *memory, target.getNumIPUs() / options.replicas);
  return translateErrors(
      [&] { return Builder(module, target, options, keepsGenerators).run(); });
}

poplar::Executable compileProgram(TileProgram &program,
                                  const poplar::OptionFlags &options,
                                  const poplar::ProgressFunc &progress) {
  return translateErrors([&] {
    poplar::Executable executable = poplar::compileGraph(
        program.graph, {program.program}, options, progress);
    runtime::Executable &data = populus::access(executable);
    setStreamShapes(data, program);
    // Concatenated protobuf messages are merged by the parser.
    data.metadata[profile::RecordedKey] +=
        program.operators.SerializeAsString();
    return executable;
  });
}

} // namespace populus::popir
