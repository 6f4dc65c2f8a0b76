// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node that occurs in several places is lowered once, and its step is shared.
// The same holds for compute sets of equal Execute nodes and for bodies of
// functions.

#include "lib/Poplar/Lowering/ProgramLowering.h"

#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Graph/NodeKinds.h"
#include "lib/Poplar/Lowering/CopyLowering.h"
#include "lib/Poplar/Lowering/ProgramUses.h"
#include "lib/Poplar/Lowering/StraightLine.h"
#include "lib/Poplar/Support/Types.h"
#include "runtime/Format/SequenceKinds.h"

#include <algorithm>
#include <unordered_map>

namespace poplar::core {

namespace rt = populus::runtime;
using rt::Step;
using rt::StepKind;

namespace {

class ProgramLowering {
public:
  ProgramLowering(Draft &draft, ArrayRef<program::Program> programs)
      : draft(draft), graph(draft.graph), uses(graph, programs), merging(graph),
        computeSets(graph.computeSets.size(), None),
        functions(graph.functions.size(), None) {
    addStreams();
    addRemoteBuffers();
    addHostFunctions();
  }

  std::uint32_t lower(const program::Program &program);
  void lowerHostHandles();

private:
  std::uint32_t lowerNode(const ProgramNode &node);
  std::uint32_t lowerSequence(const ProgramNode &node);
  void lowerChildren(const ProgramNode &node, StraightLine &line,
                     std::vector<std::uint32_t> &steps);
  static void takeSteps(StraightLine &line, std::vector<std::uint32_t> &steps);
  void enterProgram();
  std::uint32_t lowerLoneCopy(const ProgramNode &node);
  std::uint32_t requireComputeSet(const ProgramNode &node);
  void addCopy(const ProgramNode &node, StraightLine &line);
  std::uint32_t lowerExecute(const ProgramNode &node);
  std::uint32_t lowerCall(const ProgramNode &node);
  std::uint32_t lowerStreamCopy(const ProgramNode &node, StepKind kind);
  std::uint32_t lowerRemoteCopy(const ProgramNode &node, StepKind kind);
  std::uint32_t lowerHostCall(const ProgramNode &node);
  std::uint32_t lowerWriteUndef(const ProgramNode &node);
  std::uint32_t lowerByReplica(const ProgramNode &node, Step step);
  void addStreams();
  void addRemoteBuffers();
  void addHostFunctions();
  /// A tensor that each of the replicas of `what` transfers.
  std::uint32_t transferred(const ProgramNode &node, const Tensor &tensor,
                            std::uint32_t replicas, const std::string &what,
                            bool mayShare);

  std::uint32_t addStep(Step step) {
    draft.exe.steps.push_back(std::move(step));
    return static_cast<std::uint32_t>(draft.exe.steps.size() - 1);
  }
  std::uint32_t addLeaf(StepKind kind, const std::string &name,
                        std::uint32_t index) {
    Step step;
    step.kind = kind;
    step.name = name;
    step.index = index;
    return addStep(std::move(step));
  }
  std::uint32_t addSequence(const std::string &name,
                            std::vector<std::uint32_t> children) {
    if (children.size() == 1)
      return children.front();
    Step step;
    step.name = name;
    step.children = std::move(children);
    return addStep(std::move(step));
  }
  /// Makes a block even for a single child, so that profiles show it.
  std::uint32_t addBlock(const std::string &name,
                         std::vector<std::uint32_t> children) {
    Step step;
    step.index = static_cast<std::uint32_t>(rt::SequenceKind::Block);
    step.name = name;
    step.children = std::move(children);
    return addStep(std::move(step));
  }
  std::uint32_t tensorOf(const Tensor &tensor) {
    return draft.addTensor(Access::view(draft.graph, tensor));
  }

  Draft &draft;
  const GraphImpl &graph;
  const ProgramUses uses;
  ComputeSetMerging merging;
  std::unordered_map<const ProgramNode *, std::uint32_t> lowered;
  std::vector<std::uint32_t> computeSets; // steps
  std::vector<std::uint32_t> functions;   // steps
  unsigned depth = 0;
};

/// Limit of the nesting depth. No program needs more, and recursive functions
/// reach it.
constexpr unsigned DeepestProgram = 2000;

void ProgramLowering::enterProgram() {
  if (++depth > DeepestProgram)
    throw graph_recursion_error("programs are nested more than " +
                                std::to_string(DeepestProgram) +
                                " deep; does a function call itself?");
}

std::uint32_t ProgramLowering::lower(const program::Program &program) {
  const ProgramNode &node = *Access::node(program);
  const auto known = lowered.find(&node);
  if (known != lowered.end())
    return known->second;
  enterProgram();
  const std::uint32_t step = lowerNode(node);
  --depth;
  lowered.emplace(&node, step);
  return step;
}

/// Lowers a sequence. Nested sequences are inlined unless they are blocks.
std::uint32_t ProgramLowering::lowerSequence(const ProgramNode &node) {
  StraightLine line(draft, merging);
  std::vector<std::uint32_t> steps;
  lowerChildren(node, line, steps);
  takeSteps(line, steps);
  return node.flag ? addBlock(node.name, std::move(steps))
                   : addSequence(node.name, std::move(steps));
}

void ProgramLowering::takeSteps(StraightLine &line,
                                std::vector<std::uint32_t> &steps) {
  const std::vector<std::uint32_t> more = line.finish();
  steps.insert(steps.end(), more.begin(), more.end());
}

/// Lowers the children of a node. A program that is used in several places is
/// lowered separately, so that all uses share it.
void ProgramLowering::lowerChildren(const ProgramNode &node, StraightLine &line,
                                    std::vector<std::uint32_t> &steps) {
  for (const program::Program &program : node.children) {
    const ProgramNode &child = *Access::node(program);
    const bool isOwn = uses.isUsedOnce(child);
    if (isOwn && child.kind == ProgramNode::Sequence && !child.flag) {
      enterProgram();
      lowerChildren(child, line, steps);
      --depth;
    } else if (isOwn && (child.kind == ProgramNode::Copy ||
                         child.kind == ProgramNode::CrossReplica)) {
      addCopy(child, line);
    } else if (isOwn && child.kind == ProgramNode::Execute) {
      line.execute(requireComputeSet(child));
    } else {
      takeSteps(line, steps);
      steps.push_back(lower(program));
    }
  }
}

/// A copy that is not part of a sequence.
std::uint32_t ProgramLowering::lowerLoneCopy(const ProgramNode &node) {
  StraightLine line(draft, merging);
  addCopy(node, line);
  return addSequence(node.name, line.finish());
}

void ProgramLowering::addCopy(const ProgramNode &node, StraightLine &line) {
  const TensorView &from = Access::view(draft.graph, node.source);
  const TensorView &to = Access::view(draft.graph, node.tensor);
  line.copy(from, to, [this, &node, &from, &to](ExchangeMerger &exchanges) {
    const std::string name = node.name.empty() ? "copy" : node.name;
    if (node.kind == ProgramNode::Copy)
      lowerCopy(draft, exchanges, name, from, to);
    else
      lowerReplicaCopies(draft, exchanges, name, node.replicaCopies);
  });
}

std::uint32_t ProgramLowering::requireComputeSet(const ProgramNode &node) {
  if (node.index >= graph.computeSets.size())
    throw control_program_error(
        "Execute" + (node.name.empty() ? "" : " '" + node.name + "'") +
        ": there is no such compute set");
  return node.index;
}

std::uint32_t ProgramLowering::lowerExecute(const ProgramNode &node) {
  std::uint32_t &step = computeSets[requireComputeSet(node)];
  if (step != None)
    return step;
  StraightLine line(draft, merging);
  line.execute(node.index);
  step = addSequence(graph.computeSets[node.index].name, line.finish());
  return step;
}

std::uint32_t ProgramLowering::lowerCall(const ProgramNode &node) {
  if (node.index >= graph.functions.size())
    throw control_program_error(
        "Call" + (node.name.empty() ? "" : " '" + node.name + "'") +
        ": there is no such function");
  if (functions[node.index] == None)
    functions[node.index] = lower(graph.functions[node.index]);
  return addLeaf(StepKind::Call, node.name, functions[node.index]);
}

/// Adds all streams of the graph with their numbers, used or not, because a
/// host program may connect every stream that it made.
void ProgramLowering::addStreams() {
  for (const auto &data : graph.streams) {
    rt::Stream stream;
    stream.handle = data->handle;
    stream.direction = data->kind == DataStreamType::HostToDeviceFIFO
                           ? rt::StreamDirection::HostToDevice
                           : rt::StreamDirection::DeviceToHost;
    stream.type = elementType(data->type);
    stream.numElements = data->numElements;
    stream.replicas = data->replicas;
    stream.broadcast = data->broadcast;
    draft.exe.streams.push_back(std::move(stream));
  }
}

void ProgramLowering::addRemoteBuffers() {
  for (const auto &data : graph.remoteBuffers)
    draft.exe.remoteBuffers.push_back({data->handle, elementType(data->type),
                                       data->numElements, data->repeats,
                                       data->replicas});
}

void ProgramLowering::addHostFunctions() {
  for (const auto &data : graph.hostFunctions) {
    rt::HostFunction function;
    function.handle = data->handle;
    function.replicas = data->replicas;
    const auto add = [](const std::vector<HostFunctionArgument> &from,
                        std::vector<rt::HostFunctionArgument> &to) {
      for (const HostFunctionArgument &argument : from)
        to.push_back(
            {elementType(std::get<0>(argument)), std::get<1>(argument)});
    };
    add(data->inputs, function.inputs);
    add(data->outputs, function.outputs);
    draft.exe.hostFunctions.push_back(std::move(function));
  }
}

std::uint32_t ProgramLowering::transferred(const ProgramNode &node,
                                           const Tensor &tensor,
                                           std::uint32_t replicas,
                                           const std::string &what,
                                           bool mayShare) {
  const TensorView &view = Access::view(draft.graph, tensor);
  const std::uint32_t own = draft.replicasOf(view);
  if (own != replicas && !(mayShare && own == 1))
    throw graph_replication_error(
        std::string(kindName(node.kind)) + ": " + what + " has " +
        std::to_string(replicas) + " replicas, but " + tensor.getDebugStr() +
        " has " + std::to_string(own) + "; add both to the same graph");
  return draft.addTensor(view, replicas);
}

std::uint32_t ProgramLowering::lowerRemoteCopy(const ProgramNode &node,
                                               StepKind kind) {
  const RemoteBufferData &data = *Access::data(node.remote);
  const std::string what = "remote buffer '" + data.handle + "'";
  if (data.id >= graph.remoteBuffers.size() ||
      graph.remoteBuffers[data.id].get() != &data)
    throw control_program_error(what + " belongs to another graph");
  Step step;
  step.kind = kind;
  step.name = node.name;
  step.index = data.id;
  step.tensor = transferred(node, node.tensor, data.replicas, what, false);
  if (node.source.valid())
    step.tensors.push_back(
        transferred(node, node.source, data.replicas, what, true));
  return addStep(std::move(step));
}

std::uint32_t ProgramLowering::lowerHostCall(const ProgramNode &node) {
  const HostFunctionData &data = *Access::data(node.hostFunction);
  const std::string what = "host function '" + data.handle + "'";
  if (data.id >= graph.hostFunctions.size() ||
      graph.hostFunctions[data.id].get() != &data)
    throw control_program_error(what + " belongs to another graph");
  Step step;
  step.kind = StepKind::HostCall;
  step.name = node.name;
  step.index = data.id;
  for (const Tensor &tensor : node.tensors)
    step.tensors.push_back(
        transferred(node, tensor, data.replicas, what,
                    step.tensors.size() < data.inputs.size()));
  return addStep(std::move(step));
}

/// WriteUndef runs nothing. It ends the liveness of a tensor's value.
std::uint32_t ProgramLowering::lowerWriteUndef(const ProgramNode &node) {
  const std::uint32_t step =
      addLeaf(StepKind::Sequence, node.name,
              static_cast<std::uint32_t>(rt::SequenceKind::WriteUndef));
  const TensorView &view = Access::view(draft.graph, node.tensor);
  if (node.tensor.containsAliases())
    return step;
  std::vector<PlaceRun> &undefined = draft.undefined[step];
  for (std::uint32_t r = 0; r != draft.replicasOf(view); ++r) {
    const std::vector<PlaceRun> places = draft.storage.placesOf(view, r);
    undefined.insert(undefined.end(), places.begin(), places.end());
  }
  return step;
}

/// Lowers a node for one tensor to a step for each replica.
std::uint32_t ProgramLowering::lowerByReplica(const ProgramNode &node,
                                              Step step) {
  const TensorView &view = Access::view(draft.graph, node.tensor);
  const std::uint32_t replicas = draft.replicasOf(view);
  std::vector<std::uint32_t> steps;
  for (std::uint32_t r = 0; r != replicas; ++r) {
    Step one = step;
    one.tensor = draft.addTensorOf(view, r);
    if (replicas != 1 && step.kind == StepKind::Print)
      one.name += " (replica " + std::to_string(r) + ")";
    steps.push_back(addStep(std::move(one)));
  }
  return addSequence(node.name, std::move(steps));
}

std::uint32_t ProgramLowering::lowerStreamCopy(const ProgramNode &node,
                                               StepKind kind) {
  const StreamData &data = *Access::data(node.stream);
  if (data.id >= graph.streams.size() || graph.streams[data.id].get() != &data)
    throw control_program_error("stream '" + data.handle +
                                "' belongs to another graph");
  // The first copy gives the stream the shape that users see.
  rt::Stream &stream = draft.exe.streams[data.id];
  if (stream.shape.empty())
    for (std::size_t extent : Access::view(draft.graph, node.tensor).shape())
      stream.shape.push_back(extent);
  Step step;
  step.kind = kind;
  step.name = node.name;
  step.index = data.id;
  step.tensor = transferred(node, node.tensor, data.replicas,
                            "stream '" + data.handle + "'",
                            kind == StepKind::DeviceToStream);
  return addStep(std::move(step));
}

std::uint32_t ProgramLowering::lowerNode(const ProgramNode &node) {
  Step step;
  step.name = node.name;
  step.kind = factsOf(node.kind).step.value_or(StepKind::Sequence);
  switch (node.kind) {
  case ProgramNode::Sequence:
    return lowerSequence(node);
  case ProgramNode::Execute:
    return lowerExecute(node);
  case ProgramNode::Copy:
  case ProgramNode::CrossReplica:
    return lowerLoneCopy(node);
  case ProgramNode::StreamToDevice:
  case ProgramNode::DeviceToStream:
    return lowerStreamCopy(node, step.kind);
  case ProgramNode::Call:
    return lowerCall(node);
  case ProgramNode::Print:
    step.name = node.text;
    step.values = node.values;
    return lowerByReplica(node, std::move(step));
  case ProgramNode::RemoteToDevice:
  case ProgramNode::DeviceToRemote:
    return lowerRemoteCopy(node, step.kind);
  case ProgramNode::HostCall:
    return lowerHostCall(node);
  case ProgramNode::FloatControl:
    step.values = node.values;
    if (node.tensor.valid())
      step.tensors.push_back(tensorOf(node.tensor));
    return addStep(std::move(step));
  case ProgramNode::AssumeEqual:
    return addSequence(node.name, {});
  case ProgramNode::WriteUndef:
    return lowerWriteUndef(node);
  case ProgramNode::CycleStamp:
    step.index = node.index;
    return lowerByReplica(node, std::move(step));
  case ProgramNode::Repeat:
    step.index = node.index;
    break;
  case ProgramNode::RepeatWhile:
    step.index = node.flag ? 1 : 0;
    break;
  case ProgramNode::Switch:
    step.values = node.values;
    break;
  case ProgramNode::Sync:
    step.index = static_cast<std::uint32_t>(node.sync);
    break;
  case ProgramNode::Abort:
  case ProgramNode::AbortIf:
    step.name = node.text;
    break;
  case ProgramNode::If:
  case ProgramNode::FloatRestore:
  case ProgramNode::ReadSeeds:
  case ProgramNode::WriteSeeds:
    break;
  }
  if (node.tensor.valid())
    step.tensor = tensorOf(node.tensor);
  for (const program::Program &child : node.children)
    step.children.push_back(lower(child));
  return addStep(std::move(step));
}

void ProgramLowering::lowerHostHandles() {
  for (const HostHandle &handle : graph.hostHandles)
    draft.exe.hostTensors.push_back({handle.handle,
                                     draft.addTensor(handle.tensor),
                                     handle.readable, handle.writable});
}

} // namespace

void lowerPrograms(Draft &draft, ArrayRef<program::Program> programs) {
  ProgramLowering lowering(draft, programs);
  for (const program::Program &program : programs)
    draft.exe.programs.push_back(lowering.lower(program));
  lowering.lowerHostHandles();
}

} // namespace poplar::core
