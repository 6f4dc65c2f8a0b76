// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the gradients to count, counts their large elements, and updates the
// scale factor.

#include "lib/PopART/Training/LossScaling.h"

#include "lib/PopART/IR/Float16.h"
#include "lib/PopART/IR/OpBuilder.h"
#include "lib/PopART/IR/VarUpdate.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Training/Updates.h"

#include <algorithm>
#include <unordered_set>

namespace populus::popir {

namespace {

/// Prefix of operator names.
constexpr const char *Stem = "AutomaticLossScale";

bool multiplies(const Op &op) {
  const std::string &type = op.id().type;
  return type == "Conv" || type == "ConvTranspose" || type == "MultiConv" ||
         type == "MatMul" || type == "Gemm";
}

/// True if the value is a factor of a matrix product or convolution.
bool isFactor(const Value &value) {
  return std::ranges::any_of(value.uses(), [](const Use &use) {
    const bool isAddend = use.user->id().type == "Gemm" && use.operand == 2;
    return multiplies(*use.user) && !isAddend;
  });
}

/// The value that a view (reshape, slice) is a view of; null if the value is
/// computed. A broadcast, which has more elements, is no view.
const Value *sourceOf(const Value &value) {
  const Op *op = value.producer();
  const bool shows =
      op && !op->inputs().empty() && op->inputs()[0] && op->mayAlias(0, 0) &&
      op->input(0).info.numElements() >= value.info.numElements();
  return shows ? &op->input(0) : nullptr;
}

/// Selects the gradients of `main` that are counted.
class Tracked {
public:
  Tracked(const Graph &main, const GradientMap &gradients,
          const AutomaticLossScaling &settings)
      : main(main), gradients(gradients), settings(settings) {}

  std::vector<Value *> find() const {
    std::vector<Value *> result =
        settings.tracking == AutomaticLossScaling::Named ? named() : chosen();
    std::erase_if(result, [](const Value *gradient) {
      return gradient->info.type != DataType::Float16;
    });
    if (result.empty())
      fail(ErrorKind::Usage, "[AutomaticLossScale transform] No tracked "
                             "gradient tensors of type fp16 were found.");
    return result;
  }

private:
  std::vector<Value *> named() const {
    std::vector<Value *> result;
    for (const std::string &name : settings.names) {
      const Value *value = main.findValue(name);
      const auto found = value ? gradients.find(value) : gradients.end();
      if (found == gradients.end())
        fail(ErrorKind::Usage,
             "[AutomaticLossScale transform] the tensor '{}' of toTrackTensors "
             "has no gradient",
             name);
      result.push_back(found->second);
    }
    return result;
  }

  /// True if a gradient is a view of another gradient.
  static bool isView(const Value &gradient,
                     const std::unordered_set<const Value *> &all) {
    const Op *sum = gradient.producer();
    const Value *value =
        sum && sum->inputs().size() == 1 ? sum->inputs()[0] : nullptr;
    while (value && (value = sourceOf(*value)))
      if (all.contains(value))
        return true;
    return false;
  }

  std::vector<Value *> chosen() const {
    std::unordered_set<const Value *> all;
    for (const auto &[value, gradient] : gradients)
      all.insert(gradient);
    std::vector<Value *> result;
    for (const Value &value : main.values())
      if (const auto found = gradients.find(&value);
          found != gradients.end() &&
          (settings.tracking == AutomaticLossScaling::Products
               ? isFactor(value)
               : !isView(*found->second, all)))
        result.push_back(found->second);
    return result;
  }

  const Graph &main;
  const GradientMap &gradients;
  const AutomaticLossScaling &settings;
};

/// Numbers of gradient elements above the edge, and not above it.
struct Counts {
  Value *above = nullptr, *below = nullptr;
};

/// Counts one run of the graph. NaN counts as above the edge.
Counts count(Graph &graph, const std::vector<Value *> &gradients, double edge,
             unsigned replicas) {
  std::vector<Value *> parts;
  double total = 0;
  for (Value *gradient : gradients) {
    GraphBuilder b(graph, Stem, gradient->producer()->placement());
    Value &limit = b.scalar(DataType::Float16, edge);
    Value &isBelow = b.op("LessOrEqual", {&b.op("Abs", {gradient}), &limit});
    Value &sum = b.reduceAll("ReduceSum", b.cast(isBelow, DataType::Int32));
    parts.push_back(&b.cast(sum, DataType::Float));
    total += static_cast<double>(gradient->info.numElements());
  }
  GraphBuilder b(graph, Stem);
  Value &below = allReduce(b, b.op("Sum", parts), replicas, false);
  return {&b.from(total * replicas, below), &below};
}

/// The variables that accumulate counts over runs.
Counts keptIn(Graph &graph) {
  return {&useScalarVariable(graph, "AutomaticLossScaleProxy___above", 0),
          &useScalarVariable(graph, "AutomaticLossScaleProxy___below", 0)};
}

void write(Graph &graph, const Counts &kept, const Counts &counts) {
  addVarUpdate(graph, *kept.above, *counts.above);
  addVarUpdate(graph, *kept.below, *counts.below);
}

Counts add(GraphBuilder &b, const Counts &a, const Counts &c) {
  return {&b.add(*a.above, *c.above), &b.add(*a.below, *c.below)};
}

/// Counts the batch. Returns true if the factor changes after it: after the
/// first batch, and then every `period` batches. Null: after every batch.
Value *periodEnds(GraphBuilder &b, unsigned period) {
  if (period == 1)
    return nullptr;
  Value &batches =
      useScalarVariable(b.graph(), "AutomaticLossScaleProxy___batches", 0);
  Value &zero = b.scalar(DataType::Float, 0), &next = b.add(batches, 1);
  Value &isWhole =
      b.op("GreaterOrEqual", {&next, &b.scalar(DataType::Float, period)});
  Value &moves = b.op("Equal", {&batches, &zero});
  addVarUpdate(b.graph(), batches, b.select(isWhole, zero, next));
  return &moves;
}

/// Initial counts of the next batch: zero at the end of a period.
Counts left(GraphBuilder &b, const Counts &counts, Value *ends) {
  Value &none = b.scalar(DataType::Float, 0);
  if (!ends)
    return {&none, &none};
  return {&b.select(*ends, none, *counts.above),
          &b.select(*ends, none, *counts.below)};
}

/// The factor after these counts. It does not grow beyond the range of the
/// loss's type.
Value &moved(GraphBuilder &b, Value &factor, const Counts &counts,
             double threshold, double largest) {
  Value &share = b.div(*counts.above, b.add(*counts.above, *counts.below));
  Value &isTooLarge =
      b.op("Greater", {&share, &b.scalar(DataType::Float, threshold)});
  Value &scaling =
      b.mul(useScalarVariable(b.graph(), LossScaling, 1), b.mul(factor, 2));
  Value &canGrow = b.op("LessOrEqual", {&b.op("Abs", {&scaling}),
                                        &b.scalar(DataType::Float, largest)});
  return b.select(isTooLarge, b.mul(factor, 0.5),
                  b.select(canGrow, b.mul(factor, 2), factor));
}

} // namespace

void check(const AutomaticLossScaling &settings) {
  auto isShare = [](double value) { return value >= 0 && value <= 1; };
  if (!isShare(settings.threshold))
    fail(ErrorKind::Usage,
         "Out of range value for 'thresholdUpperCountProportion'. The current "
         "value is {}, but it should be between 0 and 1 inclusive.",
         settings.threshold);
  if (!isShare(settings.binEdge))
    fail(ErrorKind::Usage,
         "[AutomaticLossScale transform] Out of range value for "
         "'binEdgeLocation'. The current value is {}, but it should be between "
         "0 and 1 inclusive.",
         settings.binEdge);
  if (settings.period == 0)
    fail(ErrorKind::Usage, "[AutomaticLossScale transform] Out of range value "
                           "for 'updatePeriod'. It should be 1 or more.");
}

void addAutomaticLossScaling(Graph &main, Graph &update,
                             const GradientMap &gradients, double largest,
                             const AutomaticLossScaling &settings,
                             unsigned replicas) {
  const bool accumulates = &main != &update;
  const bool keepsCounts = accumulates || settings.period > 1;
  Counts counts = count(main, Tracked(main, gradients, settings).find(),
                        settings.binEdge * Float16::Largest, replicas);
  if (keepsCounts) {
    GraphBuilder adder(main, Stem);
    counts = add(adder, keptIn(main), counts);
  }
  if (accumulates) {
    write(main, keptIn(main), counts);
    counts = keptIn(update);
  }
  GraphBuilder b(update, Stem);
  Value *ends = periodEnds(b, settings.period);
  Value &factor = useScalarVariable(update, LossScaleFactor, 1);
  Value &next = moved(b, factor, counts, settings.threshold, largest);
  addVarUpdate(update, factor, ends ? b.select(*ends, next, factor) : next);
  if (keepsCounts)
    write(update, keptIn(update), left(b, counts, ends));
}

} // namespace populus::popir
