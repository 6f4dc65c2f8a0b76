// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program classes: each constructor checks what it is given and makes a
// node.

#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Graph/ProgramNode.h"
#include "lib/Poplar/Graph/Quarters.h"

#include <algorithm>
#include <ostream>
#include <utility>

namespace poplar {

using core::Access;
using core::ProgramNode;

namespace program {

namespace {

std::shared_ptr<ProgramNode> make(ProgramNode::Kind kind,
                                  const DebugContext &context) {
  auto node = std::make_shared<ProgramNode>();
  node->kind = kind;
  node->name = context.getPathName();
  return node;
}

std::string where(const ProgramNode &node) {
  return std::string(core::kindName(node.kind)) +
         (node.name.empty() ? "" : " '" + node.name + "'");
}

void requireSameElements(const ProgramNode &node, std::size_t from,
                         const Type &fromType, std::size_t to,
                         const Type &toType) {
  if (from != to)
    throw control_program_error(
        where(node) + ": the source has " + std::to_string(from) +
        " elements, the destination " + std::to_string(to));
  if (fromType != toType)
    throw control_program_error(
        where(node) + ": the source's elements are " + fromType.toString() +
        ", the destination's " + toType.toString() +
        "; cast, or use Tensor::reinterpret to copy bits");
}

void requireWriteable(const ProgramNode &node, const Tensor &tensor) {
  if (tensor.containsConstant())
    throw control_program_error(where(node) + ": the destination " +
                                tensor.getDebugStr() + " has constants in it");
  if (tensor.containsAliases())
    throw control_program_error(
        where(node) + ": an element appears twice in the destination " +
        tensor.getDebugStr());
}

std::shared_ptr<ProgramNode> makeCopy(const Tensor &src, const Tensor &dst,
                                      const DebugContext &context) {
  auto node = make(ProgramNode::Copy, context);
  node->source = src;
  node->tensor = dst;
  requireSameElements(*node, src.numElements(), src.elementType(),
                      dst.numElements(), dst.elementType());
  requireWriteable(*node, dst);
  core::requireSameMetadata(where(*node), src, dst);
  return node;
}

std::shared_ptr<ProgramNode> makeDataTransfer(ProgramNode::Kind kind,
                                              const DataStream &stream,
                                              const Tensor &tensor,
                                              const DebugContext &context) {
  auto node = make(kind, context);
  if (!Access::data(stream))
    throw control_program_error(
        where(*node) + ": the stream was never assigned; make it with "
                       "Graph::addHostToDeviceFIFO or addDeviceToHostFIFO");
  node->stream = stream;
  node->tensor = tensor;
  const bool toDevice = stream.type() == DataStreamType::HostToDeviceFIFO;
  if (toDevice != (kind == ProgramNode::StreamToDevice))
    throw control_program_error(where(*node) + ": stream '" + stream.handle() +
                                "' goes the other way");
  if (kind == ProgramNode::StreamToDevice)
    requireWriteable(*node, tensor);
  requireSameElements(*node, stream.numElements(), stream.elementType(),
                      tensor.numElements(), tensor.elementType());
  return node;
}

/// Adds a copy of the metadata of quarters if it can change.
std::shared_ptr<ProgramNode> makeStreamCopy(ProgramNode::Kind kind,
                                            const DataStream &stream,
                                            const Tensor &tensor,
                                            const DebugContext &context) {
  auto data = makeDataTransfer(kind, stream, tensor, context);
  const auto metadata = core::metadataStream(where(*data), stream, tensor);
  if (!metadata)
    return data;
  auto both = make(ProgramNode::Sequence, context);
  both->children = {Access::program(std::move(data)),
                    Access::program(makeDataTransfer(
                        kind, *metadata, tensor.getMetadata(), context))};
  return both;
}

std::shared_ptr<ProgramNode> makeRemoteCopy(ProgramNode::Kind kind,
                                            const RemoteBuffer &buffer,
                                            const Tensor &tensor,
                                            const Tensor *offset,
                                            const DebugContext &context) {
  auto node = make(kind, context);
  node->remote = buffer;
  node->tensor = tensor;
  const std::string name =
      where(*node) + ": remote buffer '" + buffer.handle() + "' ";
  if (tensor.elementType() != buffer.elementType())
    throw control_program_error(
        name + "has elements of type " + buffer.elementType().toString() +
        ", the tensor of type " + tensor.elementType().toString());
  const std::size_t elements = tensor.numElements();
  if (offset) {
    node->source = *offset;
    if (offset->elementType() != UNSIGNED_INT && offset->elementType() != INT)
      throw control_program_error(where(*node) + ": the offset is of type " +
                                  offset->elementType().toString() +
                                  ", but must be UNSIGNED_INT");
    if (elements != buffer.numElements() * offset->numElements())
      throw control_program_error(
          name + "has rows of " + std::to_string(buffer.numElements()) +
          " elements, so " + std::to_string(offset->numElements()) +
          " offsets do not go with a tensor of " + std::to_string(elements));
  } else if (elements != buffer.numElements() &&
             elements != buffer.numElements() * buffer.getRepeats()) {
    throw control_program_error(
        name + "has " + std::to_string(buffer.getRepeats()) + " rows of " +
        std::to_string(buffer.numElements()) + " elements, the tensor has " +
        std::to_string(elements));
  }
  if (kind == ProgramNode::RemoteToDevice)
    requireWriteable(*node, tensor);
  return node;
}

std::shared_ptr<ProgramNode> makeHostCall(const HostFunction &function,
                                          ArrayRef<Tensor> inputs,
                                          ArrayRef<Tensor> outputs,
                                          const DebugContext &context) {
  auto node = make(ProgramNode::HostCall, context);
  function.getId(); // throws where there is none
  node->hostFunction = function;
  const core::HostFunctionData &data = *Access::data(function);
  const auto add = [&](ArrayRef<Tensor> tensors,
                       const std::vector<HostFunctionArgument> &arguments,
                       const char *kind) {
    const std::string name =
        where(*node) + " of '" + data.handle + "': " + kind;
    if (tensors.size() != arguments.size())
      throw control_program_error(name +
                                  "s: " + std::to_string(tensors.size()) +
                                  " were given, but the function has " +
                                  std::to_string(arguments.size()));
    for (std::size_t i = 0; i != tensors.size(); ++i) {
      const Tensor &tensor = tensors[i];
      const Type type = std::get<0>(arguments[i]);
      const std::size_t elements = std::get<1>(arguments[i]);
      if (tensor.elementType() != type || tensor.numElements() != elements)
        throw control_program_error(name + " " + std::to_string(i) + " is " +
                                    tensor.getDebugStr() + ", but must have " +
                                    std::to_string(elements) +
                                    " elements of type " + type.toString());
      node->tensors.push_back(tensor);
    }
  };
  add(inputs, data.inputs, "input");
  add(outputs, data.outputs, "output");
  for (std::size_t i = 0; i != outputs.size(); ++i) {
    requireWriteable(*node, outputs[i]);
    for (std::size_t k = 0; k != i; ++k)
      if (outputs[k].intersectsWith(outputs[i]))
        throw control_program_error(where(*node) + " of '" + data.handle +
                                    "': outputs " + std::to_string(k) +
                                    " and " + std::to_string(i) +
                                    " have elements in common");
  }
  return node;
}

/// Throws unless a control tensor is a scalar.
void requireScalar(const ProgramNode &node, const Tensor &tensor) {
  if (tensor.numElements() != 1)
    throw control_program_error(
        where(node) + ": the tensor that decides has shape " +
        tensor.shapeToString() + ", but must have one element");
  const Type type = tensor.elementType();
  if (type.isFloatingPoint())
    throw control_program_error(
        where(node) + ": the tensor that decides is of type " +
        type.toString() + ", but must be BOOL or an integer");
}

std::shared_ptr<ProgramNode> makeWhile(bool value, const Program &condition,
                                       const Tensor &predicate,
                                       const Program &body,
                                       const DebugContext &context) {
  auto node = make(ProgramNode::RepeatWhile, context);
  node->flag = value;
  node->tensor = predicate;
  node->children = {condition, body};
  requireScalar(*node, predicate);
  return node;
}

/// A node that only its program refers to, so that it can be changed.
void makeUnique(std::shared_ptr<ProgramNode> &node) {
  if (node.use_count() != 1)
    node = std::make_shared<ProgramNode>(*node);
}

} // namespace

namespace {

/// Node that all moved-from programs share. A program that is added to gets a
/// node of its own.
const std::shared_ptr<ProgramNode> &emptyNode() {
  static const auto node = std::make_shared<ProgramNode>();
  return node;
}

} // namespace

Program::Program() : node(std::make_shared<ProgramNode>()) {}
Program::Program(const Program &other) = default;
// A program that was moved from is empty, not invalid.
Program::Program(Program &&other) noexcept
    : node(std::exchange(other.node, emptyNode())) {}
Program &Program::operator=(const Program &other) = default;
Program &Program::operator=(Program &&other) noexcept {
  node = std::exchange(other.node, emptyNode());
  return *this;
}
Program::~Program() = default;

bool Program::isEmpty() const {
  return node->kind == ProgramNode::Sequence && node->children.empty();
}

Sequence::Sequence(const DebugContext &context)
    : Program(make(ProgramNode::Sequence, context)) {}
Sequence::Sequence(std::initializer_list<Program> programs,
                   const DebugContext &context)
    : Sequence(context) {
  node->children.assign(programs.begin(), programs.end());
}
Sequence::Sequence(const std::vector<Program> &programs,
                   const DebugContext &context)
    : Sequence(context) {
  node->children = programs;
}

void Sequence::add(const Program &program) {
  const Program added = program; // `program` may be this sequence
  makeUnique(node);
  node->children.push_back(added);
}

Execute::Execute(ComputeSet computeSet, const DebugContext &context)
    : Program(make(ProgramNode::Execute, context)) {
  node->index = computeSet.getId();
}

Copy::Copy(const Tensor &src, const Tensor &dst, bool,
           const DebugContext &context)
    : Program(makeCopy(src, dst, context)) {}
Copy::Copy(const Tensor &src, const Tensor &dst, const DebugContext &context)
    : Program(makeCopy(src, dst, context)) {}
Copy::Copy(const Tensor &src, const Tensor &dst, const char *name)
    : Copy(src, dst, DebugContext(name)) {}
Copy::Copy(const DataStream &stream, const Tensor &dst, bool,
           const DebugContext &context)
    : Copy(stream, dst, context) {}
Copy::Copy(const DataStream &stream, const Tensor &dst,
           const DebugContext &context)
    : Program(
          makeStreamCopy(ProgramNode::StreamToDevice, stream, dst, context)) {}
Copy::Copy(const DataStream &stream, const Tensor &dst, const char *name)
    : Copy(stream, dst, DebugContext(name)) {}
Copy::Copy(const Tensor &src, const DataStream &stream, bool,
           const DebugContext &context)
    : Copy(src, stream, context) {}
Copy::Copy(const Tensor &src, const DataStream &stream,
           const DebugContext &context)
    : Program(
          makeStreamCopy(ProgramNode::DeviceToStream, stream, src, context)) {}
Copy::Copy(const Tensor &src, const DataStream &stream, const char *name)
    : Copy(src, stream, DebugContext(name)) {}
Copy::Copy(const RemoteBuffer &buffer, const Tensor &dst,
           const DebugContext &context)
    : Program(makeRemoteCopy(ProgramNode::RemoteToDevice, buffer, dst, nullptr,
                             context)) {}
Copy::Copy(const RemoteBuffer &buffer, const Tensor &dst, const Tensor &offset,
           const DebugContext &context)
    : Program(makeRemoteCopy(ProgramNode::RemoteToDevice, buffer, dst, &offset,
                             context)) {}
Copy::Copy(const Tensor &src, const RemoteBuffer &buffer,
           const DebugContext &context)
    : Program(makeRemoteCopy(ProgramNode::DeviceToRemote, buffer, src, nullptr,
                             context)) {}
Copy::Copy(const Tensor &src, const RemoteBuffer &buffer, const Tensor &offset,
           const DebugContext &context)
    : Program(makeRemoteCopy(ProgramNode::DeviceToRemote, buffer, src, &offset,
                             context)) {}

namespace {

std::shared_ptr<ProgramNode> makeCodeCopy(const FunctionBuffer &buffer,
                                          Function function,
                                          const DebugContext &context) {
  auto node = make(ProgramNode::Sequence, context);
  if (buffer.function() == Function() || buffer.function() != function)
    throw control_program_error(
        "Copy" + (node->name.empty() ? "" : " '" + node->name + "'") +
        ": the function buffer was not made for this function "
        "(Graph::addFunctionBuffer)");
  return node;
}

} // namespace

Copy::Copy(const FunctionBuffer &buffer, const Function &function,
           const DebugContext &debugContext)
    : Program(makeCodeCopy(buffer, function, debugContext)) {}
Copy::Copy(const Function &function, const FunctionBuffer &buffer,
           const DebugContext &debugContext)
    : Copy(buffer, function, debugContext) {}

CrossReplicaCopy::CrossReplicaCopy(
    const Tensor &src, const Tensor &dst,
    const std::map<unsigned, unsigned> &replicaMap, const DebugContext &context)
    : Program(makeCopy(src, dst, context)) {
  node->kind = ProgramNode::CrossReplica;
  node->replicaCopies = {{src, dst, replicaMap}};
  std::vector<unsigned> receivers;
  for (const auto &entry : replicaMap)
    receivers.push_back(entry.second);
  std::sort(receivers.begin(), receivers.end());
  const auto twice = std::adjacent_find(receivers.begin(), receivers.end());
  if (twice != receivers.end())
    throw control_program_error(where(*node) + ": replica " +
                                std::to_string(*twice) + " receives twice");
}

Repeat::Repeat(unsigned count, const Program &body, const DebugContext &context)
    : Program(make(ProgramNode::Repeat, context)) {
  node->index = count;
  node->children = {body};
}

RepeatWhileTrue::RepeatWhileTrue(const Program &condition,
                                 const Tensor &predicate, const Program &body,
                                 const DebugContext &context)
    : Program(makeWhile(true, condition, predicate, body, context)) {}
RepeatWhileFalse::RepeatWhileFalse(const Program &condition,
                                   const Tensor &predicate, const Program &body,
                                   const DebugContext &context)
    : Program(makeWhile(false, condition, predicate, body, context)) {}

If::If(const Tensor &predicate, const Program &trueBody,
       const Program &falseBody, const DebugContext &context)
    : Program(make(ProgramNode::If, context)) {
  node->tensor = predicate;
  node->children = {trueBody, falseBody};
  requireScalar(*node, predicate);
}

Switch::Switch(const Tensor &control, const Program &defaultCase,
               const DebugContext &context)
    : Program(make(ProgramNode::Switch, context)) {
  node->tensor = control;
  node->children = {defaultCase};
  requireScalar(*node, control);
  if (control.elementType() != INT && control.elementType() != UNSIGNED_INT)
    throw control_program_error(
        where(*node) + ": the tensor that decides is of type " +
        control.elementType().toString() + ", but must be INT or UNSIGNED_INT");
}
Switch::Switch(const Tensor &control, const DebugContext &context)
    : Switch(control, Sequence(), context) {}
Switch::Switch(const Tensor &control, const Cases &cases,
               const DebugContext &context)
    : Switch(control, cases, Sequence(), context) {}
Switch::Switch(const Tensor &control, const Cases &cases,
               const Program &defaultCase, const DebugContext &context)
    : Switch(control, defaultCase, context) {
  for (const auto &entry : cases)
    add(entry.first, entry.second);
}

Switch &Switch::add(std::int32_t value, const Program &body) {
  const Program added = body;
  if (node->kind != ProgramNode::Switch)
    throw control_program_error("a case was added to a Switch whose contents "
                                "were moved to another program");
  makeUnique(node);
  for (std::int32_t known : node->values)
    if (known == value)
      throw control_program_error(where(*node) + ": there are two cases for " +
                                  std::to_string(value));
  node->values.push_back(value);
  node->children.insert(node->children.end() - 1, added);
  return *this;
}

Call::Call(Function function, const DebugContext &context)
    : Program(make(ProgramNode::Call, context)) {
  node->index = function.getId();
}
Call::Call(const HostFunction &function, ArrayRef<Tensor> inputs,
           ArrayRef<Tensor> outputs, const DebugContext &context)
    : Program(makeHostCall(function, inputs, outputs, context)) {}

PrintTensor::PrintTensor(StringRef title, const Tensor &tensor,
                         const DebugContext &context)
    : Program(make(ProgramNode::Print, context)) {
  node->text = title;
  node->tensor = tensor;
  core::refuseQuarters(Access::view(tensor).type, where(*node));
}
PrintTensor::PrintTensor(StringRef title, const Tensor &tensor,
                         const PrintTensorFmt &fmt, const DebugContext &context)
    : PrintTensor(title, tensor, context) {
  // In the order of runtime::PrintFormat.
  node->values = {static_cast<std::int32_t>(fmt.summariseThreshold),
                  static_cast<std::int32_t>(fmt.edgeItems),
                  static_cast<std::int32_t>(fmt.maxLineWidth),
                  static_cast<std::int32_t>(fmt.digits),
                  static_cast<std::int32_t>(fmt.floatFormat),
                  fmt.separator,
                  fmt.openBracket,
                  fmt.closeBracket};
}
PrintTensor::PrintTensor(const Tensor &tensor, const DebugContext &context)
    : PrintTensor(context.getPathName(), tensor, context) {}

WriteUndef::WriteUndef(const Tensor &tensor, const DebugContext &context)
    : Program(make(ProgramNode::WriteUndef, context)) {
  node->tensor = tensor;
}

Sync::Sync(SyncType type, const DebugContext &context)
    : Program(make(ProgramNode::Sync, context)) {
  node->sync = type;
}

Abort::Abort(const DebugContext &context) : Abort(std::string(), context) {}
Abort::Abort(const std::string &message, const DebugContext &context)
    : Program(make(ProgramNode::Abort, context)) {
  node->text = message;
}

AbortOnCondition::AbortOnCondition(const Tensor &predicate,
                                   const std::string &message,
                                   const DebugContext &context)
    : Program(make(ProgramNode::AbortIf, context)) {
  node->tensor = predicate;
  node->text = message;
  requireScalar(*node, predicate);
}
AbortOnCondition::AbortOnCondition(const Tensor &predicate,
                                   const DebugContext &context)
    : AbortOnCondition(predicate, std::string(), context) {}

ErrorProgram::ErrorProgram(StringRef message, const Tensor &tensor,
                           const DebugContext &context)
    : Program(Sequence({PrintTensor(message, tensor, context),
                        Abort(message.cloneAsString(), context)},
                       context)) {}

AssumeEqualAcrossReplicas::AssumeEqualAcrossReplicas(
    const Tensor &tensor, const DebugContext &context)
    : Program(make(ProgramNode::AssumeEqual, context)) {
  node->tensor = tensor;
  Access::view(tensor);
}

Block::Block(const Program &program, StringRef name)
    : Program(make(ProgramNode::Sequence, DebugContext(name))) {
  node->flag = true;
  node->children.push_back(program);
}

} // namespace program

namespace {

void dumpNode(const core::GraphImpl &graph, const ProgramNode &node,
              unsigned depth, std::ostream &out) {
  out << std::string(2 * depth, ' ') << core::kindName(node.kind);
  if (!node.name.empty())
    out << " '" << node.name << "'";
  if (node.kind == ProgramNode::Execute &&
      node.index < graph.computeSets.size())
    out << ' ' << graph.computeSets[node.index].name;
  if (node.kind == ProgramNode::Repeat)
    out << ' ' << node.index;
  if (node.source.valid())
    out << ' ' << node.source << " ->";
  if (node.tensor.valid())
    out << ' ' << node.tensor;
  out << '\n';
  for (const program::Program &child : node.children)
    dumpNode(graph, *Access::node(child), depth + 1, out);
}

} // namespace

void dumpProgram(const Graph &graph, const program::Program &program,
                 std::ostream &out) {
  dumpNode(Access::impl(graph), *Access::node(program), 0, out);
}

} // namespace poplar
