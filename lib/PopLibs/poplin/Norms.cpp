// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalisations from reductions over all dimensions but the channels, and
// elementwise operations with a value for each channel.

#include <poplin/Norms.hpp>

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace poplin {
namespace {

namespace pe = popops::expr;

void checkActivations(const Tensor &acts) {
  if (acts.rank() < 2 ||
      (acts.elementType() != FLOAT && acts.elementType() != HALF))
    throw poplibs_error("poplin: normalisation of activations of shape " +
                        acts.shapeToString() + " and type " +
                        acts.elementType().toString() +
                        "; they must be [N, C, ...] of float or half");
}

/// A value for each channel, to be broadcast over the activations.
Tensor perChannel(const Tensor &t, const Tensor &acts) {
  if (t.numElements() != acts.dim(1))
    throw poplibs_error("poplin: normalisation of activations of shape " +
                        acts.shapeToString() + " with parameters of shape " +
                        t.shapeToString() +
                        "; there must be one for each channel");
  std::vector<std::size_t> shape(acts.rank() - 1, 1);
  shape[0] = acts.dim(1);
  return t.reshape(shape);
}

/// The same in the type of the activations.
Tensor channelOperand(Graph &graph, const Tensor &t, const Tensor &acts,
                      Sequence &prog, const DebugContext &dc) {
  const Tensor view = perChannel(t, acts);
  return view.elementType() == acts.elementType()
             ? view
             : popops::cast(graph, view, acts.elementType(), prog, dc);
}

std::size_t elementsPerChannel(const Tensor &acts) {
  return acts.dim(1) == 0 ? 0 : acts.numElements() / acts.dim(1);
}

/// A sum of \p count elements times this is their mean; that of none is 0.
double meanScale(double count) { return count > 0 ? 1 / count : 0; }

/// scale * the sum of each channel.
Tensor sumChannels(Graph &graph, const Tensor &t, popops::Operation op,
                   double scale, const Type &type, Sequence &prog,
                   const DebugContext &dc) {
  std::vector<std::size_t> dims;
  for (std::size_t i = 0; i != t.rank(); ++i)
    if (i != 1)
      dims.push_back(i);
  const Tensor sum = popops::reduce(graph, t, type, dims, {op}, prog, dc);
  if (scale != 1)
    popops::mapInPlace(graph, pe::_1 * pe::Const(scale, type), {sum}, prog, dc);
  return sum;
}

Tensor inType(Graph &graph, const Tensor &t, const Type &type, Sequence &prog,
              const DebugContext &dc) {
  return t.elementType() == type ? t : popops::cast(graph, t, type, prog, dc);
}

/// The replicas that have a batch between them.
class Replicas {
public:
  /// This one has it all.
  Replicas() = default;
  Replicas(const Tensor &acts, unsigned normBatchSize,
           DistributedNormReduceCallback reduceCallback)
      : reduce(std::move(reduceCallback)) {
    const std::size_t batch = acts.dim(0);
    if (batch == 0 || normBatchSize == 0 || normBatchSize % batch != 0)
      throw poplibs_error("poplin: a batch of " +
                          std::to_string(normBatchSize) +
                          " elements cannot be divided between replicas that "
                          "have " +
                          std::to_string(batch) + " each");
    count = normBatchSize / batch;
    if (count != 1 && !reduce)
      throw poplibs_error("poplin: there is no callback for reductions over " +
                          std::to_string(count) + " replicas");
  }

  /// The elements of a channel of the whole batch.
  double elements(const Tensor &acts) const {
    return static_cast<double>(elementsPerChannel(acts)) * count;
  }

  std::vector<Tensor> sum(Graph &graph, const std::vector<Tensor> &tensors,
                          Sequence &prog, const DebugContext &dc) const {
    if (count == 1)
      return tensors;
    const std::vector<Tensor> sums =
        reduce(graph, tensors, prog, count, dc, OptionFlags());
    if (sums.size() != tensors.size())
      throw poplibs_error("poplin: the callback for reductions gave " +
                          std::to_string(sums.size()) + " tensors for " +
                          std::to_string(tensors.size()));
    return sums;
  }

private:
  DistributedNormReduceCallback reduce;
  unsigned count = 1;
};

std::pair<Tensor, Tensor>
statistics(Graph &graph, const Tensor &acts, float eps, Sequence &prog,
           bool unbiasedVarEstimate, bool stableAlgo, const Type &partialsType,
           const Replicas &replicas, const DebugContext &dc) {
  const double count = replicas.elements(acts);
  const double varianceScale =
      meanScale(unbiasedVarEstimate ? count - 1 : count);
  Tensor mean = sumChannels(graph, acts, popops::Operation::ADD,
                            meanScale(count), partialsType, prog, dc);
  Tensor variance;
  if (stableAlgo) {
    mean = replicas.sum(graph, {mean}, prog, dc)[0];
    const Tensor centred = popops::sub(
        graph, acts, channelOperand(graph, mean, acts, prog, dc), prog, dc);
    variance = sumChannels(graph, centred, popops::Operation::SQUARE_ADD,
                           varianceScale, partialsType, prog, dc);
    variance = replicas.sum(graph, {variance}, prog, dc)[0];
  } else {
    variance = sumChannels(graph, acts, popops::Operation::SQUARE_ADD,
                           varianceScale, partialsType, prog, dc);
    const std::vector<Tensor> sums =
        replicas.sum(graph, {mean, variance}, prog, dc);
    mean = sums[0];
    variance = sums[1];
    // Rounding must not make it negative.
    popops::mapInPlace(
        graph,
        pe::Max(pe::_1 - pe::Square(pe::_2) *
                             pe::Const(count * varianceScale, partialsType),
                pe::Const(0.0, partialsType)),
        {variance, mean}, prog, dc);
  }
  popops::mapInPlace(
      graph,
      pe::VarianceToInvStdDev(pe::_1, pe::Const(double(eps), partialsType)),
      {variance}, prog, dc);
  const Type type = acts.elementType();
  return {inType(graph, mean, type, prog, dc),
          inType(graph, variance, type, prog, dc)};
}

Tensor statisticsGradients(Graph &graph, const Tensor &actsWhitened,
                           const Tensor &gradsIn, const Tensor &invStdDev,
                           Sequence &prog, const Type &partialsType,
                           const Replicas &replicas, const DebugContext &dc) {
  const double scale = meanScale(replicas.elements(gradsIn));
  const Tensor products = popops::mul(graph, gradsIn, actsWhitened, prog, dc);
  const std::vector<Tensor> means =
      replicas.sum(graph,
                   {sumChannels(graph, products, popops::Operation::ADD, scale,
                                partialsType, prog, dc),
                    sumChannels(graph, gradsIn, popops::Operation::ADD, scale,
                                partialsType, prog, dc)},
                   prog, dc);
  const Tensor &slope = means[0], &mean = means[1];
  const Tensor result =
      popops::mul(graph, actsWhitened,
                  channelOperand(graph, slope, gradsIn, prog, dc), prog, dc);
  popops::mapInPlace(
      graph, (pe::_2 - pe::_1) - pe::_3,
      {result, gradsIn, channelOperand(graph, mean, gradsIn, prog, dc)}, prog,
      dc);
  popops::mulInPlace(graph, result,
                     channelOperand(graph, invStdDev, gradsIn, prog, dc), prog,
                     dc);
  return result;
}

Tensor createParam(Graph &graph, const Tensor &acts, const Type &type,
                   const DebugContext &dc) {
  checkActivations(acts);
  return graph.addVariable(type, {acts.dim(1)}, VariableMappingMethod::LINEAR,
                           dc);
}

} // namespace

Tensor createNormGamma(Graph &graph, const Tensor &acts, const Type &type,
                       const DebugContext &debugContext) {
  return createParam(graph, acts, type, {debugContext, "gamma"});
}
Tensor createNormGamma(Graph &graph, const Tensor &acts,
                       const DebugContext &debugContext) {
  return createNormGamma(graph, acts, acts.elementType(), debugContext);
}
Tensor createNormBeta(Graph &graph, const Tensor &acts, const Type &type,
                      const DebugContext &debugContext) {
  return createParam(graph, acts, type, {debugContext, "beta"});
}
Tensor createNormBeta(Graph &graph, const Tensor &acts,
                      const DebugContext &debugContext) {
  return createNormBeta(graph, acts, acts.elementType(), debugContext);
}
std::pair<Tensor, Tensor> createNormParams(Graph &graph, const Tensor &acts,
                                           const DebugContext &debugContext) {
  return {createNormGamma(graph, acts, debugContext),
          createNormBeta(graph, acts, debugContext)};
}

std::pair<Tensor, Tensor>
normStatistics(Graph &graph, const Tensor &acts, float eps, Sequence &prog,
               bool unbiasedVarEstimate, bool stableAlgo,
               const Type &partialsType, const DebugContext &debugContext) {
  checkActivations(acts);
  const DebugContext dc(debugContext, "NormStatistics");
  return statistics(graph, acts, eps, prog, unbiasedVarEstimate, stableAlgo,
                    partialsType, Replicas(), dc);
}

std::pair<Tensor, Tensor> distributedNormStatistics(
    Graph &replicatedGraph, const Tensor &acts, float eps, Sequence &prog,
    bool unbiasedVarEstimate, DistributedNormReduceCallback reduceCallback,
    unsigned normBatchSize, bool stableAlgo, const Type &partialsType,
    const DebugContext &debugContext) {
  checkActivations(acts);
  const DebugContext dc(debugContext, "DistributedNormStatistics");
  return statistics(replicatedGraph, acts, eps, prog, unbiasedVarEstimate,
                    stableAlgo, partialsType,
                    Replicas(acts, normBatchSize, std::move(reduceCallback)),
                    dc);
}

Tensor normWhiten(Graph &graph, const Tensor &acts, const Tensor &mean,
                  const Tensor &iStdDev, Sequence &prog,
                  const DebugContext &debugContext) {
  checkActivations(acts);
  const DebugContext dc(debugContext, "Whiten");
  const Tensor result = popops::sub(
      graph, acts, channelOperand(graph, mean, acts, prog, dc), prog, dc);
  popops::mulInPlace(graph, result,
                     channelOperand(graph, iStdDev, acts, prog, dc), prog, dc);
  return result;
}

Tensor normalise(Graph &graph, const Tensor &actsWhitened, const Tensor &gamma,
                 const Tensor &beta, Sequence &prog,
                 const DebugContext &debugContext) {
  checkActivations(actsWhitened);
  const DebugContext dc(debugContext, "Normalise");
  const Tensor result = popops::mul(
      graph, actsWhitened, channelOperand(graph, gamma, actsWhitened, prog, dc),
      prog, dc);
  popops::addInPlace(graph, result,
                     channelOperand(graph, beta, actsWhitened, prog, dc), prog,
                     dc);
  return result;
}

std::pair<Tensor, Tensor>
normParamGradients(Graph &graph, const Tensor &actsWhitened,
                   const Tensor &gradsIn, Sequence &prog,
                   const Type &partialsType, const DebugContext &debugContext) {
  checkActivations(actsWhitened);
  const DebugContext dc(debugContext, "ParamGradients");
  const Type type = actsWhitened.elementType();
  const Tensor products = popops::mul(graph, gradsIn, actsWhitened, prog, dc);
  const Tensor gamma = sumChannels(graph, products, popops::Operation::ADD, 1,
                                   partialsType, prog, dc);
  const Tensor beta = sumChannels(graph, gradsIn, popops::Operation::ADD, 1,
                                  partialsType, prog, dc);
  return {inType(graph, gamma, type, prog, dc),
          inType(graph, beta, type, prog, dc)};
}

Tensor normGradients(Graph &graph, const Tensor &gradsIn, const Tensor &gamma,
                     Sequence &prog, const DebugContext &debugContext) {
  checkActivations(gradsIn);
  const DebugContext dc(debugContext, "NormGradients");
  return popops::mul(graph, gradsIn,
                     channelOperand(graph, gamma, gradsIn, prog, dc), prog, dc);
}

Tensor normStatisticsGradients(Graph &graph, const Tensor &actsWhitened,
                               const Tensor &gradsIn, const Tensor &invStdDev,
                               Sequence &prog, const Type &partialsType,
                               const DebugContext &debugContext) {
  checkActivations(actsWhitened);
  const DebugContext dc(debugContext, "StatisticsGradients");
  return statisticsGradients(graph, actsWhitened, gradsIn, invStdDev, prog,
                             partialsType, Replicas(), dc);
}

Tensor distributedNormStatisticsGradients(
    Graph &replicatedGraph, const Tensor &actsWhitened, const Tensor &gradsIn,
    const Tensor &invStdDev, Sequence &prog,
    DistributedNormReduceCallback reduceCallback, unsigned normBatchSize,
    const Type &partialsType, const DebugContext &debugContext) {
  checkActivations(actsWhitened);
  const DebugContext dc(debugContext, "DistributedStatisticsGradients");
  return statisticsGradients(
      replicatedGraph, actsWhitened, gradsIn, invStdDev, prog, partialsType,
      Replicas(actsWhitened, normBatchSize, std::move(reduceCallback)), dc);
}

} // namespace poplin
