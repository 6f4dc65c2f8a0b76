// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loop(count, condition, carried…, invariant…) runs a graph repeatedly:
//   arguments  iteration number, carried values, loop invariants
//   results    condition (with `conditional`), carried values, collected values
// Carried results are the carried arguments of the next iteration. Collected
// results are stacked by the operator, one row for each iteration. If the graph
// writes to an invariant operand, the next iteration sees the change.
// `trip_count` is the number of iterations, or its upper bound if the operator
// has the operand `count`.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Control/CallingOp.h"
#include "lib/PopART/Ops/Control/LoopGradient.h"

#include <fmt/format.h>
#include <poplar/Tensor.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>

#include <algorithm>

namespace populus::popir {

namespace {

using poplar::program::Sequence;
namespace pe = popops::expr;

class Loop final : public CallingOp {
public:
  explicit Loop(OpSpec spec)
      : CallingOp(std::move(spec)),
        carriedCount(attributes().getInt("carried", 0)),
        tripCount(attributes().getInt("trip_count", -1)),
        isConditional(attributes().getInt("conditional", 0) != 0) {
    if (carriedCount < 0)
      failInput("its attribute 'carried' is negative");
  }

  std::vector<TensorInfo> infer() const override {
    checkOperands();
    const Graph &body = callee();
    const std::size_t carried = count(Carried);
    checkCount(body, 1 + inputs().size() - FirstCarried);
    for (std::size_t i = FirstCarried; i != inputs().size(); ++i)
      checkArgument(body, 1 + i - FirstCarried, input(i).info);
    if (body.results().size() < firstResult() + carried)
      failInput(fmt::format("graph '{}' returns {} results; it has to return "
                            "{}what is carried, {} results",
                            body.name, body.results().size(),
                            isConditional ? "a condition, and " : "", carried));
    if (isConditional)
      checkOne(body.results()[0].value->info, DataType::Bool,
               "the condition that its graph returns");
    std::vector<TensorInfo> infos;
    for (std::size_t i = 0; i != body.results().size() - firstResult(); ++i) {
      TensorInfo info = body.results()[firstResult() + i].value->info;
      if (i < carried)
        checkArgument(body, 1 + i, info);
      else
        info.shape.insert(info.shape.begin(), rows());
      infos.push_back(std::move(info));
    }
    return infos;
  }

  std::vector<Passed> passed() const override {
    std::vector<Passed> list;
    addPassed(list, everything(), callees().front());
    return list;
  }
  std::size_t firstResult() const override { return isConditional ? 1 : 0; }
  std::size_t numCarried() const override {
    return static_cast<std::size_t>(carriedCount);
  }

  poplar::Tensor createInput(Lowering &lowering,
                             std::size_t index) const override {
    return index < FirstCarried
               ? poplar::Tensor()
               : lowering.createArgument(callee(), 1 + index - FirstCarried);
  }

  void lower(Lowering &lowering) const override {
    if (isDecidedBefore() && tripCount == 0)
      return lowerWithoutIterations(lowering);
    std::vector<const Value *> operands = {nullptr};
    operands.insert(operands.end(), inputs().begin() + FirstCarried,
                    inputs().end());
    const CalledFunction &function = lowering.function(callee(), operands);
    copyIn(lowering, function, everything());
    const std::vector<poplar::Tensor> stacks = makeStacks(lowering, function);
    if (countsIterations())
      setCounter(lowering, function);
    const Sequence iteration =
        lowering.nested([&] { addIteration(lowering, function, stacks); });
    addRepeat(lowering, function, iteration);
    copyBack(lowering, function, everything());
    for (std::size_t i = 0; i != outputs().size(); ++i)
      if (hasOutput(i))
        lowering.setOutput(*this,
                           i < count(Carried)
                               ? copied(lowering, function.parameters[1 + i], i)
                               : stacks[i - count(Carried)],
                           i);
  }

  void differentiate(Gradients &g) const override {
    if (!isDecidedBefore())
      failUnsupported("it has no gradient, for its number of iterations is "
                      "computed when the model runs");
    differentiateLoop(g, FirstCarried, count(Carried), tripCount);
  }

private:
  enum Operand : std::size_t { Count, Condition, FirstCarried };
  enum Kind { Carried, Collected };

  std::size_t count(Kind kind) const {
    return kind == Carried
               ? numCarried()
               : callee().results().size() - firstResult() - numCarried();
  }
  Range everything() const {
    return {FirstCarried, 1, inputs().size() - FirstCarried};
  }

  void checkOne(const TensorInfo &info, DataType type, const char *what) const {
    if (info.type != type || info.numElements() != 1)
      failInput(fmt::format("{} is {}; it has to be one {}", what,
                            toString(info), popir::name(type)));
  }

  void checkOperands() const {
    if (inputs().size() < FirstCarried + numCarried())
      failInput(fmt::format("it carries {} values, and has {} operands",
                            numCarried(), inputs().size()));
    if (callee().arguments().empty())
      failInput("its graph has no argument for the number of the iteration");
    const TensorInfo &number = callee().arguments()[0]->info;
    if (number.type != DataType::Int64)
      checkOne(number, DataType::Int32, "argument 0 of its graph");
    if (hasInput(Count) && input(Count).info.type != DataType::Int64)
      checkOne(input(Count).info, DataType::Int32, "its number of iterations");
    if (hasInput(Condition))
      checkOne(input(Condition).info, DataType::Bool, "its condition");
    if (!hasInput(Count) && tripCount < 0 && !isConditional)
      failInput("it has neither a number of iterations nor a condition");
  }

  /// Without iterations, results are the carried operands and empty stacks.
  void lowerWithoutIterations(Lowering &lowering) const {
    for (std::size_t i = 0; i != outputs().size(); ++i) {
      if (!hasOutput(i))
        continue;
      if (i < count(Carried)) {
        const poplar::Tensor operand = lowering.input(*this, FirstCarried + i);
        lowering.setOutput(*this, copied(lowering, operand, i), i);
        continue;
      }
      const TensorInfo &info = output(i).info;
      lowering.setOutput(
          *this,
          lowering.graph().addVariable(
              deviceType(info.type),
              std::vector<std::size_t>(info.shape.begin(), info.shape.end()),
              lowering.debug(*this)),
          i);
    }
  }

  /// The number of rows of collected results.
  std::int64_t rows() const {
    if (tripCount < 0 || hasInput(Count) || isConditional ||
        hasInput(Condition))
      failUnsupported("it collects results, and its number of iterations is "
                      "computed when the model runs; shapes have to be known "
                      "before");
    return tripCount;
  }

  bool isDecidedBefore() const {
    return !hasInput(Count) && !isConditional && !hasInput(Condition);
  }

  bool countsIterations() const {
    return !callee().arguments()[0]->uses().empty() || count(Collected) != 0 ||
           (!isDecidedBefore() && (hasInput(Count) || tripCount >= 0));
  }

  /// The tensor of the iteration number, an argument of the graph.
  static poplar::Tensor counter(const CalledFunction &function) {
    return function.parameters[0].flatten();
  }

  void setCounter(Lowering &lowering, const CalledFunction &function) const {
    const poplar::Tensor zero = lowering.addConstant(
        HostTensor::scalar(DataType::Int32, 0), lowering.debug(*this));
    lowering.addCopy(zero.flatten(), counter(function), lowering.debug(*this));
  }

  std::vector<poplar::Tensor> makeStacks(Lowering &lowering,
                                         const CalledFunction &function) const {
    std::vector<poplar::Tensor> stacks;
    for (std::size_t i = 0; i != count(Collected); ++i) {
      const poplar::Tensor row =
          function.results[firstResult() + count(Carried) + i].expand({0});
      stacks.push_back(popops::createSliceableTensorFromSlice(
          lowering.graphOf(row), row, {0}, {static_cast<std::size_t>(rows())},
          lowering.debug(*this)));
    }
    return stacks;
  }

  void addIteration(Lowering &lowering, const CalledFunction &function,
                    const std::vector<poplar::Tensor> &stacks) const {
    const poplar::DebugContext debug = lowering.debug(*this);
    lowering.program().add(poplar::program::Call(function.code, debug));
    for (std::size_t i = 0; i != stacks.size(); ++i)
      popops::dynamicUpdate(
          lowering.graphOf(stacks[i]), stacks[i],
          function.results[firstResult() + count(Carried) + i].expand({0}),
          counter(function).reinterpret(poplar::UNSIGNED_INT), {0}, {1},
          lowering.program(), debug);
    carry(lowering, function);
    if (countsIterations())
      popops::mapInPlace(lowering.graphOf(counter(function)),
                         pe::_1 + pe::Const(1), {counter(function)},
                         lowering.program(), debug);
  }

  /// Copies carried results to the arguments of the next iteration. A result
  /// that aliases an argument (as in a swap) is copied out first.
  void carry(Lowering &lowering, const CalledFunction &function) const {
    std::vector<poplar::Tensor> values;
    for (std::size_t i = 0; i != count(Carried); ++i) {
      const std::size_t index = firstResult() + i;
      values.push_back(function.ownsResult[index]
                           ? function.results[index]
                           : copied(lowering, function.results[index], i));
    }
    for (std::size_t i = 0; i != values.size(); ++i)
      lowering.addCopy(values[i], function.parameters[1 + i],
                       lowering.debug(*this));
  }

  poplar::Tensor copied(Lowering &lowering, const poplar::Tensor &tensor,
                        std::size_t result) const {
    const std::string name =
        hasOutput(result) ? output(result).name : this->name();
    poplar::Tensor copy = lowering.graph().clone(tensor, name);
    lowering.addCopy(tensor, copy, lowering.debug(*this));
    return copy;
  }

  void addRepeat(Lowering &lowering, const CalledFunction &function,
                 const Sequence &iteration) const {
    const poplar::DebugContext debug = lowering.debug(*this);
    if (isDecidedBefore()) {
      if (tripCount > 0)
        lowering.program().add(poplar::program::Repeat(
            static_cast<unsigned>(tripCount), iteration, debug));
      return;
    }
    poplar::Graph &graph = lowering.graph();
    poplar::Tensor goesOn =
        graph.addVariable(poplar::BOOL, {1}, {debug, "goesOn"});
    graph.setTileMapping(goesOn, 0);
    const poplar::Tensor first =
        hasInput(Condition)
            ? lowering.input(*this, Condition).flatten()
            : lowering.addConstant(HostTensor::scalar(DataType::Bool, 1), debug)
                  .flatten();
    lowering.addCopy(first, goesOn, debug);
    Sequence body = iteration;
    if (isConditional)
      body.add(poplar::program::Copy(function.results[0].flatten(), goesOn,
                                     false, debug));
    const Sequence check =
        lowering.nested([&] { addLimits(lowering, function, goesOn); });
    lowering.program().add(
        poplar::program::RepeatWhileTrue(check, goesOn[0], body, debug));
  }

  /// Ends the loop at the largest number of iterations.
  void addLimits(Lowering &lowering, const CalledFunction &function,
                 const poplar::Tensor &goesOn) const {
    const auto limit = [&](const poplar::Tensor &count) {
      popops::mapInPlace(lowering.graph(), pe::_1 && (pe::_2 < pe::_3),
                         {goesOn, counter(function), count}, lowering.program(),
                         lowering.debug(*this));
    };
    if (hasInput(Count))
      limit(lowering.input(*this, Count).flatten());
    if (tripCount >= 0)
      limit(lowering
                .addConstant(HostTensor::scalar(DataType::Int32,
                                                static_cast<double>(tripCount)),
                             lowering.debug(*this))
                .flatten());
  }

  std::int64_t carriedCount, tripCount;
  bool isConditional;
};

const RegisterInternalOp<Loop> registration("Loop");

} // namespace

} // namespace populus::popir
