// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operator that calls a graph of the module. What is called is lowered
// once, as a function (Lowering/Functions.cpp).

#include "lib/PopART/Ops/Call.h"

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"

#include <fmt/format.h>
#include <poplar/Tensor.hpp>

namespace populus::popir {

namespace {

class Call final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    if (callees().size() != 1)
      failInput("it does not name the graph that it calls");
    const Graph &callee = *callees()[0];
    if (callee.arguments().size() != inputs().size())
      failInput(fmt::format("graph '{}' has {} arguments, and gets {}",
                            callee.name, callee.arguments().size(),
                            inputs().size()));
    for (std::size_t i = 0; i != inputs().size(); ++i)
      if (input(i).info != callee.arguments()[i]->info)
        failInput(fmt::format(
            "argument {} of graph '{}' is {}, and gets {}", i, callee.name,
            toString(callee.arguments()[i]->info), toString(input(i).info)));
    std::vector<TensorInfo> infos;
    for (const GraphResult &result : callee.results())
      infos.push_back(result.value->info);
    return infos;
  }

  poplar::Tensor createInput(Lowering &lowering,
                             std::size_t index) const override {
    return lowering.createArgument(*this, index);
  }

  void lower(Lowering &lowering) const override { lowering.call(*this); }
};

const RegisterInternalOp<Call> registration("Call");

} // namespace

std::unique_ptr<Op> makeCall(const std::string &name, Graph &callee) {
  OpSpec spec;
  spec.id = newestOf("ai.graphcore", "Call");
  spec.name = name;
  spec.numInputs = callee.arguments().size();
  spec.numOutputs = callee.results().size();
  std::unique_ptr<Op> call = createOp(std::move(spec));
  call->setCallees({&callee});
  return call;
}

} // namespace populus::popir
