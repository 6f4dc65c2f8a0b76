// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operator that calls a graph of the IR. What is called is lowered once, as
// a function (Lowering/Functions.cpp).

#include "lib/PopART/Ops/Call.h"

#include "lib/PopART/Lowering/Lowering.h"

#include <poplar/Tensor.hpp>

namespace popart {

namespace {

class Call final : public Op {
public:
  Call(OpSpec spec, std::shared_ptr<const Graph> graph)
      : Op(std::move(spec)), graph(std::move(graph)) {}

  const Graph *callee() const override { return graph.get(); }

  std::vector<TensorInfo> infer() const override {
    std::vector<TensorInfo> infos;
    for (const GraphOutput &output : graph->outputs)
      infos.push_back(output.tensor->info);
    return infos;
  }

  poplar::Tensor createInput(Lowering &lowering,
                             std::size_t index) const override {
    return lowering.createArgument(*this, index);
  }

  void lower(Lowering &lowering) const override { lowering.call(*this); }

private:
  std::shared_ptr<const Graph> graph;
};

} // namespace

std::unique_ptr<Op> makeCall(const std::string &name,
                             std::shared_ptr<const Graph> callee) {
  OpSpec spec;
  spec.id = {"ai.graphcore", "Call", 1};
  spec.name = name;
  spec.numInputs = callee->inputs.size();
  spec.numOutputs = callee->outputs.size();
  return std::make_unique<Call>(std::move(spec), std::move(callee));
}

} // namespace popart
