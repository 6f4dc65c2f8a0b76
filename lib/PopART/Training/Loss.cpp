// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of losses.

#include "lib/PopART/Training/Loss.h"

#include "lib/PopART/IR/OpBuilder.h"
#include "lib/PopART/Support/Error.h"

namespace populus::popir {

const std::vector<LossKind> &lossKinds() {
  static const std::vector<LossKind> kinds = {
      {"nll", Loss::Nll, true},
      {"softmax-nll", Loss::SoftmaxNll, true},
      {"l1", Loss::L1, true},
      {"mse", Loss::Mse, true},
      {"identity", Loss::Identity, false},
  };
  return kinds;
}

namespace {

bool hasClasses(Loss::Kind kind) {
  return kind == Loss::Nll || kind == Loss::SoftmaxNll;
}

/// The labels, of the type and shape that the loss wants.
Value &labelsOf(Graph &graph, const Loss &loss, const TensorInfo &output) {
  TensorInfo wanted = output;
  if (hasClasses(loss.kind)) {
    if (output.shape.empty())
      fail(ErrorKind::Usage, "--loss: '{}' is a scalar, which has no classes",
           loss.output);
    wanted.type = DataType::Int32;
    wanted.shape.pop_back();
  }
  Value *labels = graph.findValue(loss.labels);
  if (!labels)
    return graph.addArgument(loss.labels, wanted);
  const bool fits =
      isFloatingPoint(labels->info.type) == isFloatingPoint(wanted.type);
  if (labels->info.shape != wanted.shape || !fits)
    fail(ErrorKind::Usage, "--loss: the labels '{}' are {}, and {} is needed",
         loss.labels, toString(labels->info), toString(wanted));
  return *labels;
}

} // namespace

std::string addLoss(Module &module, const Loss &loss) {
  Graph &graph = module.main();
  Value *output = graph.findValue(loss.output);
  if (!output)
    fail(ErrorKind::Usage, "--loss: the model has no tensor '{}'", loss.output);
  if (!isFloatingPoint(output->info.type))
    fail(ErrorKind::Usage, "--loss: '{}' is {}, which is not floating point",
         loss.output, toString(output->info));
  GraphBuilder b(graph, "loss");
  if (output->info.type == DataType::Float16) // losses are sums and logarithms
    output = &b.cast(*output, DataType::Float);
  Attributes attributes;
  attributes.set("reduction", std::string(loss.isMean ? "Mean" : "Sum"));
  const char *type = "IdentityLoss";
  std::vector<Value *> inputs = {output};
  if (loss.kind != Loss::Identity) {
    Value &labels = labelsOf(graph, loss, output->info);
    if (hasClasses(loss.kind)) {
      type = "Nll";
      inputs.push_back(&labels);
      if (loss.ignored)
        attributes.set("ignoreIndex", *loss.ignored);
    } else {
      inputs = {&b.sub(*output, labels)};
    }
  }
  if (loss.kind == Loss::SoftmaxNll)
    inputs[0] = &b.op("Softmax", {output}, {{"axis", std::int64_t(-1)}});
  if (loss.kind == Loss::L1)
    type = "L1";
  if (loss.kind == Loss::Mse)
    inputs = {&b.square(*inputs[0])};
  Value &result = b.opLike(type, inputs, std::move(attributes), "ai.graphcore");
  graph.rename(result, graph.uniqueName("loss"));
  return result.name;
}

} // namespace populus::popir
