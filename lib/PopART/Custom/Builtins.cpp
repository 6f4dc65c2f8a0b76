// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The public proxy class of each operator, and its shape inference by the
// compiler.

#include "lib/PopART/Custom/Builtins.h"

#include "lib/PopART/Custom/Conversions.h"
#include "lib/PopART/Custom/Registry.h"
#include "lib/PopART/IR/Module.h"
#include "lib/PopART/IR/OpBuilder.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Support/Error.h"

#include <popart/op/abs.hpp>
#include <popart/op/add.hpp>
#include <popart/op/cast.hpp>
#include <popart/op/ceil.hpp>
#include <popart/op/collectives/replicatedallgather.hpp>
#include <popart/op/collectives/replicatedallreduce.hpp>
#include <popart/op/collectives/replicatedreducescatter.hpp>
#include <popart/op/concat.hpp>
#include <popart/op/conv.hpp>
#include <popart/op/cos.hpp>
#include <popart/op/div.hpp>
#include <popart/op/dropout.hpp>
#include <popart/op/erf.hpp>
#include <popart/op/exp.hpp>
#include <popart/op/floor.hpp>
#include <popart/op/gather.hpp>
#include <popart/op/gelu.hpp>
#include <popart/op/groupnorm.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/identityloss.hpp>
#include <popart/op/l1.hpp>
#include <popart/op/leakyrelu.hpp>
#include <popart/op/log.hpp>
#include <popart/op/logsoftmax.hpp>
#include <popart/op/matmul.hpp>
#include <popart/op/max.hpp>
#include <popart/op/min.hpp>
#include <popart/op/mul.hpp>
#include <popart/op/negate.hpp>
#include <popart/op/nll.hpp>
#include <popart/op/pow.hpp>
#include <popart/op/reciprocal.hpp>
#include <popart/op/relu.hpp>
#include <popart/op/reshape.hpp>
#include <popart/op/sigmoid.hpp>
#include <popart/op/sign.hpp>
#include <popart/op/sin.hpp>
#include <popart/op/slice.hpp>
#include <popart/op/softmax.hpp>
#include <popart/op/sqrt.hpp>
#include <popart/op/subtract.hpp>
#include <popart/op/sum.hpp>
#include <popart/op/tanh.hpp>
#include <popart/op/transpose.hpp>

#include <algorithm>

namespace populus::popir {

namespace {

using Factory = std::unique_ptr<popart::Op> (*)(
    const popart::OperatorIdentifier &id, const popart::Op::Settings &settings,
    const popart::Attributes &attributes);

template <class T>
std::unique_ptr<popart::Op> make(const popart::OperatorIdentifier &id,
                                 const popart::Op::Settings &settings,
                                 const popart::Attributes &attributes) {
  return std::make_unique<T>(id, settings, attributes);
}

/// By domain and type.
using Classes = std::map<std::string, Factory>;

template <class... Ts> Classes tableOf() {
  return {{Ts::standardName(), &make<Ts>}...};
}

const Classes &classes() {
  using namespace popart;
  static const Classes table =
      tableOf<AbsOp, AddOp, CastOp, CeilOp, ConcatOp, ConvOp, CosOp, DivOp,
              DropoutOp, ErfOp, ExpOp, FloorOp, GatherOp, GeluOp, GroupNormOp,
              IdentityLossOp, IdentityOp, L1Op, LeakyReluOp, LogOp,
              LogSoftmaxOp, MatMulOp, MaxOp, MinOp, MulOp, NegateOp, NllOp,
              PowOp, ReciprocalOp, ReluOp, ReplicatedAllGatherOp,
              ReplicatedAllReduceOp, ReplicatedReduceScatterOp, ReshapeOp,
              SigmoidOp, SignOp, SinOp, SliceOp, SoftmaxOp, SqrtOp, SubtractOp,
              SumOp, TanhOp, TransposeOp>();
  return table;
}

} // namespace

popart::OperatorIdentifier toPublic(const OperatorId &id) {
  return {id.domain, id.type, id.version};
}

OperatorId fromPublic(const popart::OperatorIdentifier &id) {
  return {id.domain == "ai.onnx" ? "" : id.domain, id.type, id.version};
}

std::unique_ptr<popart::Op> makeStandIn(const popart::OperatorIdentifier &id,
                                        const popart::Op::Settings &settings,
                                        const popart::Attributes &attributes) {
  const auto found = classes().find(id.domain + "." + id.type);
  if (found != classes().end())
    return found->second(id, settings, attributes);
  return std::make_unique<popart::BuiltinOp>(id.domain, id.type, id, settings,
                                             attributes);
}

Edges edgesOf(const popart::Op &op) {
  return {static_cast<std::size_t>(op.input->maxIndex() + 1),
          static_cast<std::size_t>(op.output->maxIndex() + 1)};
}

std::unique_ptr<Op> makeFromStandIn(const popart::BuiltinOp &op,
                                    const Edges &edges) {
  const OperatorId id = fromPublic(op.standard());
  if (!findOp(id))
    return nullptr;
  OpSpec spec;
  spec.id = id;
  spec.name = op.name().empty() ? id.type : op.name();
  spec.attributes = fromPublic(op.attributes());
  spec.numInputs = edges.inputs;
  spec.numOutputs = edges.outputs;
  return createOp(std::move(spec));
}

/// Sets the types and shapes that the compiler infers.
static void infer(popart::BuiltinOp &op) {
  std::unique_ptr<Op> made = makeFromStandIn(op, edgesOf(op));
  if (!made)
    throw popart::error("there is no operator {}", op.standard());
  Module module;
  Graph &graph = module.addGraph("shapes");
  std::vector<Value *> operands(op.input->maxIndex() + 1, nullptr);
  for (const auto &[index, tensor] : op.input->tensorMap()) {
    const std::optional<TensorInfo> info = fromPublic(tensor->info);
    if (!info)
      throw popart::error("'{}' is of type {}, which the compiler has not",
                          tensor->id, tensor->info);
    const std::string name = graph.uniqueName(tensor->id);
    if (tensor->hasTensorData()) {
      const auto *bytes =
          static_cast<const std::byte *>(tensor->tensorData()->data());
      operands[index] = &graph.addConstant(
          name,
          HostTensor(*info, {bytes, bytes + tensor->tensorData()->size()}));
    } else {
      operands[index] = &graph.addArgument(name, *info);
    }
  }
  const std::vector<TensorInfo> infos =
      graph.addOp(std::move(made), operands, {}).infer();
  for (const auto &[index, tensor] : op.output->tensorMap())
    tensor->info = toPublic(infos.at(static_cast<std::size_t>(index)));
}

} // namespace populus::popir

namespace popart {

OperatorIdentifier BuiltinOp::standard() const {
  using namespace populus::popir;
  if (opid.domain == standardDomain && opid.type == standardType)
    return opid;
  return toPublic(newestOf(standardDomain == "ai.onnx" ? "" : standardDomain,
                           standardType));
}

void BuiltinOp::setup() {
  try {
    populus::popir::infer(*this);
  } catch (const populus::popir::Error &failure) {
    throw error("{}", failure.what());
  }
}

std::unique_ptr<Op> OpManager::createOp(const OperatorIdentifier &opid,
                                        Graph &graph, const std::string &name,
                                        const Attributes &attributes) {
  using namespace populus::popir;
  const Op::Settings settings(graph, name);
  if (const CustomDefinition *custom = findCustom(opid);
      custom && custom->factory) {
    const std::vector<Tensor *> operands;
    const std::vector<TensorId> results;
    return custom->factory(
        OpCreatorInfo(opid, settings, attributes, operands, results));
  }
  if (!findOp(fromPublic(opid)))
    throw error("No class for {}", opid);
  return makeStandIn(opid, settings, attributes);
}

} // namespace popart
