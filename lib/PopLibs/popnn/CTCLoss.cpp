// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forward-backward algorithm of connectionist temporal classification. The
// label of a sequence, with blanks around and between its classes, has 2 L + 1
// symbols. For example, label `a b` over four times, one of its paths:
//
//    symbols    _  a  _  b  _
//    time 0        *                at each time a path emits its symbol and
//    time 1        *                stays, goes to the next one, or skips a
//    time 2              *          blank between different classes; it ends
//    time 3              *          at the last class or the last blank
//
//    forward [t, s]   log of the probability of all paths up to symbol s at t
//    backward [t, s]  the same from symbol s at t to the end
//    share [t, s]     exp(forward + backward - emission - total): the
//                     probability that a path is at symbol s at time t
//
// Forward and backward are loops over time. Both count the emission at t, so it
// is subtracted once. A class may be several symbols, so the gradient adds up
// shares by class: a product with the one-hot matrix [symbols, classes].

#include <popnn/CTCLoss.hpp>

#include <poplin/MatMul.hpp>
#include <popnn/LogSoftmax.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/Fill.hpp>
#include <popops/Loop.hpp>
#include <popops/Reduce.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <limits>
#include <ostream>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popnn {
namespace ctc {
namespace {

namespace pe = popops::expr;

/// Stands for the logarithm of 0. Sums of a few of them are finite.
constexpr float LogOfZero = -1e30f;
/// Lower bound of the logarithm of a path's probability.
constexpr float LogOfNothing = -1e28f;

struct CalcOptions {
  bool includeSoftmaxGradient = true;
  bool zeroInfinity = false;

  explicit CalcOptions(const OptionFlags &options) {
    using poplibs::OptionHandler;
    double tolerance;
    bool reducedGradient = false;
    poplibs::OptionSpec(
        {{"includeSoftmaxGradient",
          OptionHandler::createWithBool(includeSoftmaxGradient)},
         {"zeroInfinity", OptionHandler::createWithBool(zeroInfinity)},
         {"zeroInfinityRelTolerance",
          OptionHandler::createWithDouble(tolerance)},
         {"returnReducedCodeletGradient",
          OptionHandler::createWithBool(reducedGradient)}})
        .parse(options);
    if (reducedGradient)
      throw poplibs_error("popnn::ctc: returnReducedCodeletGradient is not "
                          "supported");
  }
};

/// One call: all tensors that do not change over time are [batch, symbols] or
/// [batch, 1], integers of type INT.
class Calculation {
public:
  Calculation(Graph &graph, const Tensor &logProbsIn, const Tensor &labels,
              const Tensor &dataLengths, const Tensor &labelLengths,
              unsigned blankClass, Sequence &prog, const DebugContext &dc)
      : graph(graph), prog(prog), dc(dc) {
    check(logProbsIn, labels, dataLengths, labelLengths, blankClass);
    times = logProbsIn.dim(0);
    batch = logProbsIn.dim(1);
    classes = logProbsIn.dim(2);
    symbols = 2 * labels.dim(1) + 1;
    // Infinite logarithms would make differences that are not numbers.
    logProbs = popops::map(
        graph, pe::Max(pe::Cast(pe::_1, FLOAT), pe::Const(LogOfZero)),
        {logProbsIn}, prog, dc);
    lengths = integers(dataLengths).expand({1});
    lastSymbol = popops::map(graph, pe::_1 * pe::Const(2),
                             {integers(labelLengths).expand({1})}, prog, dc);
    places = graph.addVariable(INT, {symbols}, {dc, "places"});
    poputil::mapTensorLinearly(graph, places);
    popops::iota(graph, places, 0, prog, dc);
    spreadLabels(integers(labels), static_cast<int>(blankClass));
    emit();
  }

  /// Minus the logarithms, [batch].
  Tensor loss() {
    runForward();
    // At the last blank or the last class.
    const Tensor ends =
        popops::map(graph,
                    pe::Select(pe::_1, pe::Const(LogOfZero),
                               pe::Equal(pe::_2, pe::_3) ||
                                   pe::Equal(pe::_2 + pe::Const(1), pe::_3)),
                    {last, places, lastSymbol}, prog, dc);
    total =
        popops::reduce(graph, ends, {1}, popops::Operation::LOG_ADD, prog, dc)
            .expand({1});
    return popops::neg(graph, total, prog, dc).squeeze({1});
  }

  /// The gradient with respect to the logarithms, after loss().
  Tensor gradient() {
    runBackward();
    // forward and backward both have the emission at their time.
    const Tensor shares =
        popops::map(graph, pe::Exp(pe::_1 + pe::_2 - pe::_3 - pe::_4),
                    {forward, backward, emission, total.expand({0})}, prog, dc);
    // By sequence: [times, symbols] times [symbols, classes].
    const Tensor chosen =
        graph.addVariable(FLOAT, {batch * symbols, classes}, {dc, "classes"});
    poputil::mapTensorLinearly(graph, chosen);
    popops::encodeOneHot(graph, symbolClass.flatten().reinterpret(UNSIGNED_INT),
                         chosen, prog, dc);
    const Tensor byClass =
        poplin::matMulGrouped(graph, shares.dimShuffle({1, 0, 2}),
                              chosen.reshape({batch, symbols, classes}), prog,
                              FLOAT, dc)
            .dimShuffle({1, 0, 2});
    return popops::map(
        graph, pe::Select(-pe::_1, pe::Const(0.0f), pe::Lt(pe::_2, pe::_3)),
        {byClass, timeNumbers(), lengths}, prog, dc);
  }

  /// [times, 1, 1]
  Tensor timeNumbers() {
    if (!numbers.valid()) {
      numbers = graph.addVariable(INT, {times}, {dc, "times"});
      poputil::mapTensorLinearly(graph, numbers);
      popops::iota(graph, numbers, 0, prog, dc);
    }
    return numbers.reshape({times, 1, 1});
  }

  Tensor logProbs, lengths, total;

private:
  static void check(const Tensor &logProbs, const Tensor &labels,
                    const Tensor &dataLengths, const Tensor &labelLengths,
                    unsigned blankClass) {
    const auto isReal = [](const Type &type) {
      return type == FLOAT || type == HALF;
    };
    if (logProbs.rank() != 3 || !isReal(logProbs.elementType()) ||
        labels.rank() != 2 || labels.dim(0) != logProbs.dim(1) ||
        dataLengths.shape() != std::vector<std::size_t>{logProbs.dim(1)} ||
        labelLengths.shape() != dataLengths.shape() || logProbs.dim(0) == 0 ||
        blankClass >= logProbs.dim(2))
      throw poplibs_error(
          "popnn::ctc: data of shape " + logProbs.shapeToString() +
          " and type " + logProbs.elementType().toString() +
          ", labels of shape " + labels.shapeToString() +
          ", lengths of shapes " + dataLengths.shapeToString() + " and " +
          labelLengths.shapeToString() + ", blank class " +
          std::to_string(blankClass) +
          "; they must be [time, batch, classes] of float or half, [batch, "
          "label], twice [batch], and a class");
  }

  Tensor integers(const Tensor &t) const {
    return popops::cast(graph, t, INT, prog, dc);
  }

  /// Blanks around the classes of the labels.
  void spreadLabels(const Tensor &labels, int blankClass) {
    symbolClass = graph.addVariable(INT, {batch, symbols}, {dc, "symbols"});
    poputil::mapTensorLinearly(graph, symbolClass);
    popops::fill(graph, symbolClass, prog, blankClass, dc);
    if (symbols == 1)
      return;
    prog.add(Copy(labels, symbolClass.slice(1, symbols, 1).subSample(2, 1),
                  false, dc));
    // A class may follow another one without a blank between.
    const Tensor other = popops::map(graph, pe::NotEqual(pe::_1, pe::_2),
                                     {symbolClass.slice(2, symbols, 1),
                                      symbolClass.slice(0, symbols - 2, 1)},
                                     prog, dc);
    const Tensor no = graph.addConstant<bool>(BOOL, {batch, 2}, false, dc);
    poputil::mapTensorLinearly(graph, no);
    skips = popops::map(graph,
                        pe::_1 && pe::NotEqual(pe::_2, pe::Const(blankClass)),
                        {concat(no, other, 1), symbolClass}, prog, dc);
  }

  /// [times, batch, symbols]
  void emit() {
    // By sequence a table of classes, whose rows have all times.
    const Tensor table = logProbs.dimShuffle({1, 2, 0});
    emission =
        popops::groupedMultiSlice(
            graph, table, symbolClass.reinterpret(UNSIGNED_INT).expand({2}),
            {0}, {1}, prog, popops::SlicePlan(), {}, dc)
            .squeeze({2})
            .dimShuffle({2, 0, 1});
  }

  /// \p t moved by \p n symbols, up or down, with nothing moved in.
  Tensor shifted(const Tensor &t, std::size_t n, bool up) const {
    const std::size_t kept = n < symbols ? symbols - n : 0;
    const Tensor fill =
        graph.addConstant<float>(FLOAT, {batch, symbols - kept}, LogOfZero, dc);
    poputil::mapTensorLinearly(graph, fill);
    return up ? concat(fill, t.slice(0, kept, 1), 1)
              : concat(t.slice(symbols - kept, symbols, 1), fill, 1);
  }

  /// log(exp(a) + exp(b) + exp(c)), where all may be nothing.
  Tensor logSum(const std::vector<Tensor> &terms, Sequence &body) const {
    std::vector<Tensor> rows;
    for (const Tensor &t : terms)
      rows.push_back(t.expand({0}));
    return popops::reduce(graph, concat(rows), {0}, popops::Operation::LOG_ADD,
                          body, dc);
  }

  Tensor sliceAt(const Tensor &t, const Tensor &time, Sequence &body) const {
    return popops::dynamicSlice(graph, t, time, {0}, {1}, body, dc)[0];
  }

  Tensor newState() const {
    const Tensor t = graph.addVariable(FLOAT, {batch, symbols}, {dc, "state"});
    poputil::mapTensorLinearly(graph, t);
    return t;
  }

  Tensor newRecord() const {
    return popops::createSliceableTensor(graph, FLOAT, {times, batch, symbols},
                                         {0}, {1}, 0, {dc, "record"});
  }

  void runForward() {
    last = newState();
    forward = newRecord();
    // At time 0, the first blank or the first class.
    popops::mapWithOutput(
        graph,
        pe::Select(pe::_1, pe::Const(LogOfZero), pe::Lt(pe::_2, pe::Const(2))),
        {emission[0], places}, last, prog, dc);
    prog.add(Copy(last, forward[0], false, dc));
    if (times == 1)
      return;
    prog.add(popops::countedLoop(
        graph, 1, times, 1,
        [&](const Tensor &step) {
          Sequence body;
          const Tensor time = step.reshape({1});
          std::vector<Tensor> ways{last, shifted(last, 1, true)};
          if (skips.valid())
            ways.push_back(popops::map(
                graph, pe::Select(pe::_1, pe::Const(LogOfZero), pe::_2),
                {shifted(last, 2, true), skips}, body, dc));
          const Tensor sum = logSum(ways, body);
          // After the end, what was last stays.
          const Tensor next = popops::map(
              graph,
              pe::Select(pe::Max(pe::_1 + pe::_2, pe::Const(LogOfZero)), pe::_3,
                         pe::Lt(pe::Cast(pe::_4, INT), pe::_5)),
              {sum, sliceAt(emission, time, body), last, time, lengths}, body,
              dc);
          body.add(Copy(next, last, false, dc));
          popops::dynamicUpdate(graph, forward, last.expand({0}), time, {0},
                                {1}, body, dc);
          return body;
        },
        dc));
  }

  void runBackward() {
    const Tensor state = newState();
    backward = newRecord();
    popops::fill(graph, state, prog, LogOfZero, dc);
    Tensor skipsTo;
    if (skips.valid()) {
      // From a symbol to the one after the next.
      const Tensor no = graph.addConstant<bool>(BOOL, {batch, 2}, false, dc);
      poputil::mapTensorLinearly(graph, no);
      skipsTo = concat(skips.slice(2, symbols, 1), no, 1);
    }
    prog.add(popops::countedLoop(
        graph, times,
        [&](const Tensor &step) {
          Sequence body;
          const Tensor time = popops::map(
              graph, pe::Const(static_cast<unsigned>(times - 1)) - pe::_1,
              {step.reshape({1})}, body, dc);
          std::vector<Tensor> ways{state, shifted(state, 1, false)};
          if (skipsTo.valid())
            ways.push_back(popops::map(
                graph, pe::Select(pe::_1, pe::Const(LogOfZero), pe::_2),
                {shifted(state, 2, false), skipsTo}, body, dc));
          const Tensor sum = logSum(ways, body);
          // At the last time of a sequence all ways begin, at its ends.
          const Tensor begin = popops::map(
              graph,
              pe::Select(
                  pe::Select(pe::Const(0.0f), pe::Const(LogOfZero),
                             pe::Equal(pe::_2, pe::_3) ||
                                 pe::Equal(pe::_2 + pe::Const(1), pe::_3)),
                  pe::_1,
                  pe::Equal(pe::Cast(pe::_4, INT) + pe::Const(1), pe::_5)),
              {sum, places, lastSymbol, time, lengths}, body, dc);
          popops::mapWithOutput(
              graph,
              pe::Select(pe::Max(pe::_1 + pe::_2, pe::Const(LogOfZero)),
                         pe::Const(LogOfZero),
                         pe::Lt(pe::Cast(pe::_3, INT), pe::_4)),
              {begin, sliceAt(emission, time, body), time, lengths}, state,
              body, dc);
          popops::dynamicUpdate(graph, backward, state.expand({0}), time, {0},
                                {1}, body, dc);
          return body;
        },
        dc));
  }

  Graph &graph;
  Sequence &prog;
  const DebugContext &dc;
  std::size_t times, batch, classes, symbols;
  Tensor lastSymbol, places, symbolClass, emission, numbers;
  /// True if a symbol may follow the symbol before the last; invalid if there
  /// is only one symbol.
  Tensor skips;
  Tensor last, forward, backward;
};

/// Replaces losses that stand for infinity by 0 if the options say so,
/// otherwise by infinity.
Tensor finishedLoss(Graph &graph, const Tensor &loss, const Type &outType,
                    const CalcOptions &options, Sequence &prog,
                    const DebugContext &dc) {
  const double other =
      options.zeroInfinity ? 0 : std::numeric_limits<double>::infinity();
  // Not cast with the others: a float's infinity is the largest half.
  return popops::map(graph,
                     pe::Select(pe::Cast(pe::_1, outType),
                                pe::Const(other, outType),
                                pe::Lt(pe::_1, pe::Const(-LogOfNothing))),
                     {loss}, prog, dc);
}

Tensor lossOf(Graph &graph, const Type &outType, const Tensor &logProbs,
              const Tensor &labels, const Tensor &dataLengths,
              const Tensor &labelLengths, Sequence &prog, unsigned blankClass,
              const DebugContext &dc, const OptionFlags &options) {
  const CalcOptions parsed(options);
  Calculation calculation(graph, logProbs, labels, dataLengths, labelLengths,
                          blankClass, prog, dc);
  return finishedLoss(graph, calculation.loss(), outType, parsed, prog, dc);
}

std::pair<Tensor, Tensor>
lossAndGradientOf(Graph &graph, const Type &outType, const Tensor &logProbs,
                  const Tensor &labels, const Tensor &dataLengths,
                  const Tensor &labelLengths, Sequence &prog,
                  unsigned blankClass, const DebugContext &dc,
                  const OptionFlags &options) {
  const CalcOptions parsed(options);
  Calculation calculation(graph, logProbs, labels, dataLengths, labelLengths,
                          blankClass, prog, dc);
  const Tensor loss = calculation.loss();
  Tensor gradient = calculation.gradient();
  if (parsed.includeSoftmaxGradient)
    gradient = popops::map(graph,
                           pe::Select(pe::_1 + pe::Exp(pe::_2), pe::Const(0.0f),
                                      pe::Lt(pe::_3, pe::_4)),
                           {gradient, calculation.logProbs,
                            calculation.timeNumbers(), calculation.lengths},
                           prog, dc);
  // There is no way to the label: nothing to go by.
  gradient = popops::map(graph,
                         pe::Select(pe::_1, pe::Const(0.0f),
                                    pe::Gt(pe::_2, pe::Const(LogOfNothing))),
                         {gradient, calculation.total}, prog, dc);
  return {finishedLoss(graph, loss, outType, parsed, prog, dc),
          popops::cast(graph, gradient, outType, prog, dc)};
}

} // namespace

std::ostream &operator<<(std::ostream &out, const Plan &plan) {
  return out << "{" << plan.inType << ", " << plan.outType << ", batch "
             << plan.batchSize << ", time " << plan.maxTime << ", label "
             << plan.maxLabelLength << ", classes " << plan.numClasses << "}";
}

Plan plan(const Graph &, const Type &inType, const Type &outType,
          std::size_t batchSize, std::size_t maxTime,
          std::size_t maxLabelLength, std::size_t numClasses,
          const OptionFlags &options) {
  using poplibs::OptionHandler;
  double proportion;
  bool flag;
  std::string text;
  poplibs::OptionSpec(
      {{"partialsType", OptionHandler::createWithString(text)},
       {"enableReducedClassesInLabel", OptionHandler::createWithBool(flag)},
       {"availableMemoryProportion",
        OptionHandler::createWithDouble(proportion)},
       {"planConstraints", OptionHandler::createWithString(text)}})
      .parse(options);
  return {inType, outType, batchSize, maxTime, maxLabelLength, numClasses};
}

Tensor createDataInput(Graph &graph, const Type &type, std::size_t batchSize,
                       std::size_t maxTime, std::size_t numClasses,
                       const Plan &, const DebugContext &debugContext) {
  return graph.addVariable(type, {maxTime, batchSize, numClasses},
                           VariableMappingMethod::LINEAR, debugContext);
}

Tensor createLabelsInput(Graph &graph, const Type &type, std::size_t batchSize,
                         std::size_t maxLabelLength, const Plan &,
                         const DebugContext &debugContext) {
  return graph.addVariable(type, {batchSize, maxLabelLength},
                           VariableMappingMethod::LINEAR, debugContext);
}

std::pair<Tensor, Tensor> calcLossAndGradientLogProbabilities(
    Graph &graph, const Type &outType, const Tensor &logProbs,
    const Tensor &labels, const Tensor &dataLengths, const Tensor &labelLengths,
    Sequence &prog, unsigned blankClass, const Plan &,
    const DebugContext &debugContext, const OptionFlags &options) {
  const DebugContext dc(debugContext, "CTCLossAndGradient");
  return lossAndGradientOf(graph, outType, logProbs, labels, dataLengths,
                           labelLengths, prog, blankClass, dc, options);
}

std::pair<Tensor, Tensor> calcLossAndGradientLogits(
    Graph &graph, const Type &outType, const Tensor &logits,
    const Tensor &labels, const Tensor &dataLengths, const Tensor &labelLengths,
    Sequence &prog, unsigned blankClass, const Plan &,
    const DebugContext &debugContext, const OptionFlags &options) {
  const DebugContext dc(debugContext, "CTCLossAndGradient");
  return lossAndGradientOf(graph, outType, logSoftmax(graph, logits, prog, dc),
                           labels, dataLengths, labelLengths, prog, blankClass,
                           dc, options);
}

Tensor calcCTCLossLogProbabilities(Graph &graph, const Type &outType,
                                   const Tensor &logProbs, const Tensor &labels,
                                   const Tensor &dataLengths,
                                   const Tensor &labelLengths, Sequence &prog,
                                   unsigned blankClass, const Plan &,
                                   const DebugContext &debugContext,
                                   const OptionFlags &options) {
  const DebugContext dc(debugContext, "CTCLoss");
  return lossOf(graph, outType, logProbs, labels, dataLengths, labelLengths,
                prog, blankClass, dc, options);
}

Tensor calcCTCLossLogits(Graph &graph, const Type &outType,
                         const Tensor &logits, const Tensor &labels,
                         const Tensor &dataLengths, const Tensor &labelLengths,
                         Sequence &prog, unsigned blankClass, const Plan &,
                         const DebugContext &debugContext,
                         const OptionFlags &options) {
  const DebugContext dc(debugContext, "CTCLoss");
  return lossOf(graph, outType, logSoftmax(graph, logits, prog, dc), labels,
                dataLengths, labelLengths, prog, blankClass, dc, options);
}

} // namespace ctc
} // namespace popnn
