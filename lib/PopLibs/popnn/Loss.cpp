// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses as elementwise expressions and a sum over each row. Sums are kept in
// float.

#include <popnn/Loss.hpp>

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/Reduce.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popnn {
namespace {

namespace pe = popops::expr;

bool areClasses(const Tensor &expected) {
  return expected.elementType() == INT ||
         expected.elementType() == UNSIGNED_INT;
}

void checkExpected(const Tensor &outputs, const Tensor &expected) {
  if (outputs.rank() != 2 ||
      (outputs.elementType() != FLOAT && outputs.elementType() != HALF))
    throw poplibs_error("popnn: a loss of outputs of shape " +
                        outputs.shapeToString() + " and type " +
                        outputs.elementType().toString() +
                        "; they must be [batch, classes] of float or half");
  const bool fits =
      areClasses(expected)
          ? expected.rank() == 1 && expected.dim(0) == outputs.dim(0)
          : expected.shape() == outputs.shape() &&
                expected.elementType() == outputs.elementType();
  if (!fits)
    throw poplibs_error("popnn: expected results of shape " +
                        expected.shapeToString() + " and type " +
                        expected.elementType().toString() +
                        " for outputs of shape " + outputs.shapeToString() +
                        "; they must be integers [batch], or of the shape and "
                        "type of the outputs");
}

Tensor asUnsigned(const Tensor &classes) {
  return classes.reinterpret(UNSIGNED_INT);
}

/// The expected distribution; classes become one-hot rows.
Tensor distribution(Graph &graph, const Tensor &outputs, const Tensor &expected,
                    Sequence &prog, const DebugContext &debugContext) {
  if (!areClasses(expected))
    return expected;
  const Tensor encoded = graph.clone(outputs, {debugContext, "expected"});
  popops::encodeOneHot(graph, asUnsigned(expected), encoded, prog,
                       debugContext);
  return encoded;
}

/// Rows that are left out have no gradient.
void maskDeltas(Graph &graph, const Tensor &deltas, const Tensor &expected,
                Sequence &prog, const DebugContext &debugContext) {
  if (!areClasses(expected))
    return;
  popops::mapInPlace(
      graph,
      pe::_1 * pe::Cast(pe::NotEqual(pe::_2, pe::Const(MASKED_LABEL_CODE)),
                        deltas.elementType()),
      {deltas, asUnsigned(expected).expand({1})}, prog, {debugContext, "Mask"});
}

void sumRows(Graph &graph, const Tensor &terms, const Tensor &loss,
             Sequence &prog, const DebugContext &debugContext) {
  popops::reduceWithOutput(graph, terms, loss, {1}, {popops::Operation::ADD},
                           prog, {debugContext, "Sum"});
}

/// Scales that are absent are 1.
struct Scales {
  Tensor deltas, outputs;
};

void crossEntropy(Graph &graph, const Tensor &outputs, const Tensor &expected,
                  const Tensor &loss, const Tensor &deltas,
                  const Scales &scales, Sequence &prog,
                  const DebugContext &dc) {
  const Type type = outputs.elementType();
  const Tensor e = distribution(graph, outputs, expected, prog, dc);
  const float epsilon = type == HALF ? EPS_LOG_N_HALF : EPS_LOG_N_FLOAT;
  const pe::Any logs = pe::Log(pe::_1 + pe::Const(epsilon, type));
  Tensor terms;
  if (!scales.outputs.valid()) {
    terms = popops::map(graph, pe::Neg(pe::Mul(pe::_2, logs)), {outputs, e},
                        prog, {dc, "Terms"});
    popops::mapWithOutput(graph, pe::_1 - pe::_2, {outputs, e}, deltas, prog,
                          {dc, "Deltas"});
  } else {
    const Tensor scale = scales.outputs.reshape({});
    terms = popops::map(
        graph, pe::Neg(pe::Mul(pe::_2, pe::Sub(logs, pe::Log(pe::_3)))),
        {outputs, e, scale}, prog, {dc, "Terms"});
    popops::mapWithOutput(graph, pe::_1 / pe::_3 - pe::_2, {outputs, e, scale},
                          deltas, prog, {dc, "Deltas"});
  }
  sumRows(graph, terms, loss, prog, dc);
}

void sumSquared(Graph &graph, const Tensor &outputs, const Tensor &expected,
                const Tensor &loss, const Tensor &deltas, Sequence &prog,
                const DebugContext &dc) {
  const Tensor e = distribution(graph, outputs, expected, prog, dc);
  popops::mapWithOutput(graph, pe::_1 - pe::_2, {outputs, e}, deltas, prog,
                        {dc, "Deltas"});
  const pe::Const half(0.5, outputs.elementType());
  const Tensor terms = popops::map(graph, half * pe::Square(pe::_1), {deltas},
                                   prog, {dc, "Terms"});
  sumRows(graph, terms, loss, prog, dc);
}

void addLoss(Graph &graph, const Tensor &outputs, const Tensor &expected,
             const Tensor &loss, const Tensor &deltas, const Scales &scales,
             LossType lossType, Sequence &prog, const DebugContext &dc) {
  checkExpected(outputs, expected);
  const Type type = outputs.elementType();
  if (loss.shape() != std::vector<std::size_t>{outputs.dim(0)} ||
      deltas.shape() != outputs.shape() || loss.elementType() != type ||
      deltas.elementType() != type)
    throw poplibs_error("popnn::calcLoss: a loss of shape " +
                        loss.shapeToString() + " and deltas of shape " +
                        deltas.shapeToString() + " for outputs of shape " +
                        outputs.shapeToString() +
                        "; shapes and types must agree");
  if (lossType == CROSS_ENTROPY_LOSS)
    crossEntropy(graph, outputs, expected, loss, deltas, scales, prog, dc);
  else if (scales.outputs.valid())
    throw poplibs_error("popnn::calcLoss: scales are for the cross-entropy "
                        "loss only");
  else
    sumSquared(graph, outputs, expected, loss, deltas, prog, dc);
  if (scales.deltas.valid())
    popops::mulInPlace(graph, deltas, scales.deltas.reshape({}), prog,
                       {dc, "Scale"});
  maskDeltas(graph, deltas, expected, prog, dc);
}

void addAccuracy(Graph &graph, const Tensor &outputs, const Tensor &expected,
                 const Tensor &numCorrect, Sequence &prog,
                 const DebugContext &dc) {
  checkExpected(outputs, expected);
  if (numCorrect.numElements() != 1 || numCorrect.elementType() != UNSIGNED_INT)
    throw poplibs_error("popnn::calcAccuracy: the number of correct results "
                        "must be one element of type unsigned int, it has "
                        "shape " +
                        numCorrect.shapeToString() + " and type " +
                        numCorrect.elementType().toString());
  const Tensor actual = argMax(graph, outputs, prog, dc);
  const Tensor wanted = areClasses(expected)
                            ? asUnsigned(expected)
                            : argMax(graph, expected, prog, dc);
  const Tensor correct =
      popops::map(graph, pe::Cast(pe::Equal(pe::_1, pe::_2), UNSIGNED_INT),
                  {actual, wanted}, prog, {dc, "Correct"});
  popops::reduceWithOutput(graph, correct, numCorrect.reshape({}), {0},
                           {popops::Operation::ADD, true}, prog,
                           {dc, "NumCorrect"});
}

} // namespace

Program calcLoss(Graph &graph, const Tensor &modelOutputs,
                 const Tensor &expected, const Tensor &loss,
                 const Tensor &deltas, const Tensor &deltasScale,
                 const Tensor &modelOutputScaling, LossType lossType,
                 const DebugContext &debugContext) {
  const DebugContext dc(debugContext, "Loss");
  Sequence prog({}, dc);
  addLoss(graph, modelOutputs, expected, loss, deltas,
          {deltasScale, modelOutputScaling}, lossType, prog, dc);
  return prog;
}

Program calcLoss(Graph &graph, const Tensor &modelOutputs,
                 const Tensor &expected, const Tensor &loss,
                 const Tensor &deltas, LossType lossType,
                 const DebugContext &debugContext) {
  const DebugContext dc(debugContext, "Loss");
  Sequence prog({}, dc);
  addLoss(graph, modelOutputs, expected, loss, deltas, {}, lossType, prog, dc);
  return prog;
}

Program calcLoss(Graph &graph, const Tensor &modelOutputs,
                 const Tensor &expected, const Tensor &loss,
                 const Tensor &deltas, const Tensor &deltasScale,
                 const Tensor &modelOutputScaling, const Tensor &numCorrect,
                 LossType lossType, const DebugContext &debugContext) {
  Sequence prog;
  prog.add(calcLoss(graph, modelOutputs, expected, loss, deltas, deltasScale,
                    modelOutputScaling, lossType, debugContext));
  prog.add(
      calcAccuracy(graph, modelOutputs, expected, numCorrect, debugContext));
  return prog;
}

Program calcLoss(Graph &graph, const Tensor &modelOutputs,
                 const Tensor &expected, const Tensor &loss,
                 const Tensor &deltas, const Tensor &numCorrect,
                 LossType lossType, const DebugContext &debugContext) {
  Sequence prog;
  prog.add(calcLoss(graph, modelOutputs, expected, loss, deltas, lossType,
                    debugContext));
  prog.add(
      calcAccuracy(graph, modelOutputs, expected, numCorrect, debugContext));
  return prog;
}

Program calcAccuracy(Graph &graph, const Tensor &modelOutputs,
                     const Tensor &expected, const Tensor &numCorrect,
                     const DebugContext &debugContext) {
  const DebugContext dc(debugContext, "Accuracy");
  Sequence prog({}, dc);
  addAccuracy(graph, modelOutputs, expected, numCorrect, prog, dc);
  return prog;
}

} // namespace popnn
