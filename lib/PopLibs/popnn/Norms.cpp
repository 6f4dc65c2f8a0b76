// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batch and group normalisation in terms of poplin's parts. For groups, the
// activations are seen as [channels of a group, N * groups, field]: then a
// group is what a channel is to batch normalisation.

#include <popnn/BatchNorm.hpp>
#include <popnn/GroupNorm.hpp>
#include <popnn/Norms.hpp>

#include <poplin/Norms.hpp>
#include <popops/ElementWise.hpp>
#include <popops/ScaledAdd.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popnn {
namespace {

template <class Scale>
void updateParams(Graph &graph, const Tensor &gammaDelta,
                  const Tensor &betaDelta, const Scale &scale,
                  const Tensor &gamma, const Tensor &beta, Sequence &prog,
                  const DebugContext &debugContext) {
  const DebugContext dc(debugContext, "ParamUpdate");
  popops::scaledAddTo(graph, gamma, gammaDelta, scale, prog, dc);
  popops::scaledAddTo(graph, beta, betaDelta, scale, prog, dc);
}

/// Returns true if adjacent channels are in different groups.
bool parseStrided(const OptionFlags &options) {
  bool strided = true;
  poplibs::OptionSpec({{"groupNormStridedChannelGrouping",
                        poplibs::OptionHandler::createWithBool(strided)}})
      .parse(options);
  return strided;
}

/// Activations seen by groups, and back.
class GroupView {
public:
  GroupView(const Tensor &acts, std::size_t numGroups,
            const OptionFlags &options)
      : shape(acts.shape()), groups(numGroups), strided(parseStrided(options)) {
    if (acts.rank() < 2 || groups == 0 || shape[1] % groups != 0)
      throw poplibs_error("popnn: " + std::to_string(groups) +
                          " groups of the channels of activations of shape " +
                          acts.shapeToString());
  }

  /// [N, C, ...] to [C / groups, N * groups, field].
  Tensor toGroups(const Tensor &acts) const {
    if (acts.shape() != shape)
      throw poplibs_error("popnn: activations of shape " +
                          acts.shapeToString() + " where others have " +
                          "another shape");
    return strided
               ? acts.reshape({shape[0], shape[1] / groups, groups, field()})
                     .dimShuffle({1, 0, 2, 3})
                     .flatten(1, 3)
               : acts.reshape({shape[0], groups, shape[1] / groups, field()})
                     .dimShuffle({2, 0, 1, 3})
                     .flatten(1, 3);
  }

  Tensor fromGroups(const Tensor &t) const {
    const Tensor split = t.reshapePartial(1, 2, {shape[0], groups});
    return (strided ? split.dimShuffle({1, 0, 2, 3})
                    : split.dimShuffle({1, 2, 0, 3}))
        .reshape(shape);
  }

private:
  std::vector<std::size_t> shape;
  std::size_t groups;
  const bool strided;

  std::size_t field() const {
    std::size_t product = 1;
    for (std::size_t i = 2; i < shape.size(); ++i)
      product *= shape[i];
    return product;
  }
};

/// The view that the number of statistics belongs to.
GroupView viewOf(const Tensor &acts, const Tensor &statistic,
                 const OptionFlags &options) {
  const std::size_t batch = acts.rank() == 0 ? 0 : acts.dim(0);
  return GroupView(acts, batch == 0 ? 1 : statistic.numElements() / batch,
                   options);
}

void noOptions(const OptionFlags &options) {
  poplibs::OptionSpec({}).parse(options);
}

} // namespace

std::uint64_t getNormFwdFlops(std::size_t statisticsSize,
                              std::size_t numActsElements,
                              bool computeEstimates) {
  // Sums and sums of squares, and the variance and its root from them; then a
  // difference, two products and a sum.
  return (computeEstimates ? 3 * numActsElements + 5 * statisticsSize : 0) +
         4 * numActsElements;
}

std::uint64_t getNormBwdFlops(std::size_t statisticsSize,
                              std::size_t numActsElements) {
  // Counts the operations of normGradients and normStatisticsGradients.
  return 8 * numActsElements + 2 * statisticsSize;
}

std::uint64_t getNormWuFlops(std::size_t, std::size_t numActsElements) {
  return 3 * numActsElements;
}

namespace bn {

std::pair<Tensor, Tensor>
batchNormStatistics(Graph &graph, const Tensor acts, float eps, Sequence &prog,
                    bool unbiasedVarEstimate, bool stableAlgo,
                    const Type &partialsType, const DebugContext &debugContext,
                    const OptionFlags &options) {
  noOptions(options);
  return poplin::normStatistics(graph, acts, eps, prog, unbiasedVarEstimate,
                                stableAlgo, partialsType,
                                {debugContext, "BatchNorm"});
}

Tensor batchNormWhiten(Graph &graph, const Tensor &acts, const Tensor &mean,
                       const Tensor &invStdDev, Sequence &prog,
                       const DebugContext &debugContext,
                       const OptionFlags &options) {
  noOptions(options);
  return poplin::normWhiten(graph, acts, mean, invStdDev, prog,
                            {debugContext, "BatchNorm"});
}

std::pair<Tensor, Tensor>
batchNormalise(Graph &graph, const Tensor &acts, const Tensor &gamma,
               const Tensor &beta, const Tensor &mean, const Tensor &invStdDev,
               Sequence &prog, const DebugContext &debugContext,
               const OptionFlags &options) {
  const Tensor whitened = batchNormWhiten(graph, acts, mean, invStdDev, prog,
                                          debugContext, options);
  return {poplin::normalise(graph, whitened, gamma, beta, prog,
                            {debugContext, "BatchNorm"}),
          whitened};
}

Tensor batchNormalise(Graph &graph, const Tensor &acts,
                      const Tensor &combinedMultiplicand, const Tensor &addend,
                      Sequence &prog, const DebugContext &debugContext,
                      const OptionFlags &options) {
  noOptions(options);
  return poplin::normalise(graph, acts, combinedMultiplicand, addend, prog,
                           {debugContext, "BatchNorm"});
}

std::pair<Tensor, Tensor> batchNormParamGradients(
    Graph &graph, const Tensor &acts, const Tensor &gradsIn, const Tensor &mean,
    const Tensor &iStdDev, Sequence &prog, const Type &partialsType,
    const DebugContext &debugContext, const OptionFlags &options) {
  const Tensor whitened =
      batchNormWhiten(graph, acts, mean, iStdDev, prog, debugContext, options);
  return batchNormParamGradients(graph, whitened, gradsIn, prog, partialsType,
                                 debugContext, options);
}

std::pair<Tensor, Tensor> batchNormParamGradients(
    Graph &graph, const Tensor &actsWhitened, const Tensor &gradsIn,
    Sequence &prog, const Type &partialsType, const DebugContext &debugContext,
    const OptionFlags &options) {
  noOptions(options);
  return poplin::normParamGradients(graph, actsWhitened, gradsIn, prog,
                                    partialsType, {debugContext, "BatchNorm"});
}

Tensor batchNormGradients(Graph &graph, const Tensor &acts,
                          const Tensor &gradsIn, const Tensor &mean,
                          const Tensor &invStdDev, const Tensor &gamma,
                          Sequence &prog, const Type &partialsType,
                          const DebugContext &debugContext,
                          const OptionFlags &options) {
  const Tensor whitened = batchNormWhiten(graph, acts, mean, invStdDev, prog,
                                          debugContext, options);
  return batchNormGradients(graph, whitened, gradsIn, invStdDev, gamma, prog,
                            partialsType, debugContext, options);
}

Tensor batchNormGradients(Graph &graph, const Tensor &actsWhitened,
                          const Tensor &gradsIn, const Tensor &invStdDev,
                          const Tensor &gamma, Sequence &prog,
                          const Type &partialsType,
                          const DebugContext &debugContext,
                          const OptionFlags &options) {
  noOptions(options);
  const DebugContext dc(debugContext, "BatchNorm");
  const Tensor grads = poplin::normGradients(graph, gradsIn, gamma, prog, dc);
  return poplin::normStatisticsGradients(graph, actsWhitened, grads, invStdDev,
                                         prog, partialsType, dc);
}

std::pair<Tensor, Tensor> distributedBatchNormStatistics(
    Graph &replicatedGraph, const Tensor acts, float eps, Sequence &prog,
    bool unbiasedVarEstimate,
    poplin::DistributedNormReduceCallback reduceCallback,
    unsigned normBatchSize, bool stableAlgo, const Type &partialsType,
    const DebugContext &debugContext, const OptionFlags &options) {
  noOptions(options);
  return poplin::distributedNormStatistics(
      replicatedGraph, acts, eps, prog, unbiasedVarEstimate,
      std::move(reduceCallback), normBatchSize, stableAlgo, partialsType,
      {debugContext, "BatchNorm"});
}

Tensor distributedBatchNormGradients(
    Graph &replicatedGraph, const Tensor &acts, const Tensor &gradsIn,
    const Tensor &mean, const Tensor &invStdDev, const Tensor &gamma,
    Sequence &prog, poplin::DistributedNormReduceCallback reduceCallback,
    unsigned normBatchSize, const Type &partialsType,
    const DebugContext &debugContext, const OptionFlags &options) {
  const Tensor whitened = batchNormWhiten(
      replicatedGraph, acts, mean, invStdDev, prog, debugContext, options);
  return distributedBatchNormGradients(replicatedGraph, whitened, gradsIn,
                                       invStdDev, gamma, prog,
                                       std::move(reduceCallback), normBatchSize,
                                       partialsType, debugContext, options);
}

Tensor distributedBatchNormGradients(
    Graph &replicatedGraph, const Tensor &actsWhitened, const Tensor &gradsIn,
    const Tensor &invStdDev, const Tensor &gamma, Sequence &prog,
    poplin::DistributedNormReduceCallback reduceCallback,
    unsigned normBatchSize, const Type &partialsType,
    const DebugContext &debugContext, const OptionFlags &options) {
  noOptions(options);
  const DebugContext dc(debugContext, "BatchNorm");
  const Tensor grads =
      poplin::normGradients(replicatedGraph, gradsIn, gamma, prog, dc);
  return poplin::distributedNormStatisticsGradients(
      replicatedGraph, actsWhitened, grads, invStdDev, prog,
      std::move(reduceCallback), normBatchSize, partialsType, dc);
}

void batchNormParamUpdate(Graph &graph, const Tensor &gammaDelta,
                          const Tensor &betaDelta, float scale, Tensor &gamma,
                          Tensor &beta, Sequence &prog,
                          const DebugContext &debugContext,
                          const OptionFlags &options) {
  noOptions(options);
  updateParams(graph, gammaDelta, betaDelta, scale, gamma, beta, prog,
               debugContext);
}

void batchNormParamUpdate(Graph &graph, const Tensor &gammaDelta,
                          const Tensor &betaDelta, const Tensor &scale,
                          Tensor &gamma, Tensor &beta, Sequence &prog,
                          const DebugContext &debugContext,
                          const OptionFlags &options) {
  noOptions(options);
  updateParams(graph, gammaDelta, betaDelta, scale, gamma, beta, prog,
               debugContext);
}

} // namespace bn

namespace gn {

std::pair<Tensor, Tensor>
groupNormStatistics(Graph &graph, const Tensor acts, float eps, Sequence &prog,
                    unsigned numGroups, bool unbiasedVarEstimate,
                    bool stableAlgo, const Type &partialsType,
                    const DebugContext &debugContext,
                    const OptionFlags &options) {
  const GroupView view(acts, numGroups, options);
  return poplin::normStatistics(graph, view.toGroups(acts), eps, prog,
                                unbiasedVarEstimate, stableAlgo, partialsType,
                                {debugContext, "GroupNorm"});
}

Tensor groupNormWhiten(Graph &graph, const Tensor &acts, const Tensor &mean,
                       const Tensor &invStdDev, Sequence &prog,
                       const DebugContext &debugContext,
                       const OptionFlags &options) {
  const GroupView view = viewOf(acts, mean, options);
  return view.fromGroups(poplin::normWhiten(graph, view.toGroups(acts), mean,
                                            invStdDev, prog,
                                            {debugContext, "GroupNorm"}));
}

std::pair<Tensor, Tensor>
groupNormalise(Graph &graph, const Tensor &acts, const Tensor &gamma,
               const Tensor &beta, const Tensor &mean, const Tensor &invStdDev,
               Sequence &prog, const DebugContext &debugContext,
               const OptionFlags &options) {
  const Tensor whitened = groupNormWhiten(graph, acts, mean, invStdDev, prog,
                                          debugContext, options);
  return {poplin::normalise(graph, whitened, gamma, beta, prog,
                            {debugContext, "GroupNorm"}),
          whitened};
}

std::pair<Tensor, Tensor> groupNormParamGradients(
    Graph &graph, const Tensor &acts, const Tensor &gradsIn, const Tensor &mean,
    const Tensor &iStdDev, Sequence &prog, const Type &partialsType,
    const DebugContext &debugContext, const OptionFlags &options) {
  const Tensor whitened =
      groupNormWhiten(graph, acts, mean, iStdDev, prog, debugContext, options);
  return groupNormParamGradients(graph, whitened, gradsIn, prog, partialsType,
                                 debugContext, options);
}

std::pair<Tensor, Tensor> groupNormParamGradients(
    Graph &graph, const Tensor &actsWhitened, const Tensor &gradsIn,
    Sequence &prog, const Type &partialsType, const DebugContext &debugContext,
    const OptionFlags &options) {
  const GroupView check(actsWhitened, 1, options);
  return poplin::normParamGradients(graph, actsWhitened, gradsIn, prog,
                                    partialsType, {debugContext, "GroupNorm"});
}

Tensor groupNormGradients(Graph &graph, const Tensor &acts,
                          const Tensor &gradsIn, const Tensor &mean,
                          const Tensor &invStdDev, const Tensor &gamma,
                          Sequence &prog, const Type &partialsType,
                          const DebugContext &debugContext,
                          const OptionFlags &options) {
  const Tensor whitened = groupNormWhiten(graph, acts, mean, invStdDev, prog,
                                          debugContext, options);
  return groupNormGradients(graph, whitened, gradsIn, invStdDev, gamma, prog,
                            partialsType, debugContext, options);
}

Tensor groupNormGradients(Graph &graph, const Tensor &actsWhitened,
                          const Tensor &gradsIn, const Tensor &invStdDev,
                          const Tensor &gamma, Sequence &prog,
                          const Type &partialsType,
                          const DebugContext &debugContext,
                          const OptionFlags &options) {
  const DebugContext dc(debugContext, "GroupNorm");
  const GroupView view = viewOf(actsWhitened, invStdDev, options);
  const Tensor grads = poplin::normGradients(graph, gradsIn, gamma, prog, dc);
  return view.fromGroups(poplin::normStatisticsGradients(
      graph, view.toGroups(actsWhitened), view.toGroups(grads), invStdDev, prog,
      partialsType, dc));
}

void groupNormParamUpdate(Graph &graph, const Tensor &gammaDelta,
                          const Tensor &betaDelta, float scale, Tensor &gamma,
                          Tensor &beta, Sequence &prog,
                          const DebugContext &debugContext,
                          const OptionFlags &options) {
  parseStrided(options);
  updateParams(graph, gammaDelta, betaDelta, scale, gamma, beta, prog,
               debugContext);
}

void groupNormParamUpdate(Graph &graph, const Tensor &gammaDelta,
                          const Tensor &betaDelta, const Tensor &scale,
                          Tensor &gamma, Tensor &beta, Sequence &prog,
                          const DebugContext &debugContext,
                          const OptionFlags &options) {
  parseStrided(options);
  updateParams(graph, gammaDelta, betaDelta, scale, gamma, beta, prog,
               debugContext);
}

} // namespace gn
} // namespace popnn
