// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beam search decoding: each sequence of a batch is the work of one vertex.

#include <popnn/CTCInference.hpp>

#include <popnn/LogSoftmax.hpp>
#include <popops/Cast.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popnn {
namespace ctc_infer {
namespace {

void checkOptions(const OptionFlags &options) {
  using poplibs::OptionHandler;
  unsigned choice = 0, groups = 0;
  double proportion = 0;
  poplibs::OptionSpec(
      {{"partialsType", OptionHandler::createWithEnum(choice, {{"float", 0u}})},
       {"availableMemoryProportion",
        OptionHandler::createWithDouble(proportion)},
       {"sortStageGroups", OptionHandler::createWithInteger(groups)}})
      .parse(options);
}

void check(const Tensor &data, const Tensor &lengths, unsigned blankClass,
           unsigned beamwidth, unsigned topPaths) {
  const bool real = data.elementType() == FLOAT || data.elementType() == HALF;
  if (data.rank() != 3 || !real || data.numElements() == 0 ||
      lengths.shape() != std::vector<std::size_t>{data.dim(1)} ||
      blankClass >= data.dim(2))
    throw poplibs_error("popnn::ctc_infer: data of shape " +
                        data.shapeToString() + " and type " +
                        data.elementType().toString() + ", lengths of shape " +
                        lengths.shapeToString() + ", blank class " +
                        std::to_string(blankClass) +
                        "; they must be [time, batch, classes] of float or "
                        "half, [batch], and a class");
  if (beamwidth == 0 || topPaths == 0 || topPaths > beamwidth)
    throw poplibs_error("popnn::ctc_infer: " + std::to_string(topPaths) +
                        " labels of a beam of " + std::to_string(beamwidth) +
                        "; there must be at least one, and no more than beams");
}

/// Bundles: a beam is compared with the others for each class.
std::size_t searchBundles(std::size_t times, std::size_t classes,
                          std::size_t width) {
  return 100 + times * width * (classes * (155 + 5 * width) + 350 + 45 * width);
}

} // namespace

ctc::Plan plan(const Graph &, const Type &inType, unsigned batchSize,
               unsigned maxTime, unsigned numClasses, unsigned,
               const OptionFlags &options) {
  checkOptions(options);
  return {inType, inType, batchSize, maxTime, maxTime, numClasses};
}

Tensor createDataInput(Graph &graph, const Type &type, std::size_t batchSize,
                       std::size_t maxTime, std::size_t numClasses,
                       const ctc::Plan &, const DebugContext &debugContext) {
  const Tensor bySequence = graph.addVariable(
      type, {batchSize, maxTime, numClasses}, {debugContext, "data"});
  poputil::mapTensorLinearly(graph, bySequence, 1, maxTime * numClasses);
  return bySequence.dimRoll(1, 0);
}

std::tuple<Tensor, Tensor, Tensor> beamSearchDecoderLogProbabilities(
    Graph &graph, const Tensor &logProbs, const Tensor &dataLengths,
    Sequence &prog, unsigned blankClass, unsigned beamwidth, unsigned topPaths,
    const ctc::Plan &, const DebugContext &debugContext,
    const OptionFlags &options) {
  checkOptions(options);
  check(logProbs, dataLengths, blankClass, beamwidth, topPaths);
  const DebugContext dc(debugContext, "CtcBeamSearch");
  const Type type = logProbs.elementType();
  const std::string name =
      poputil::templateVertex("popnn::CtcBeamSearch", type);
  if (!graph.hasCodelet(name))
    throw poplibs_error("popnn::ctc_infer: there is no " + name +
                        "; popnn::addCodelets(graph) has not been called");
  const std::size_t times = logProbs.dim(0), batch = logProbs.dim(1),
                    classes = logProbs.dim(2);
  const Tensor lengths = dataLengths.elementType() == UNSIGNED_INT
                             ? dataLengths
                             : popops::cast(graph, dataLengths, INT, prog, dc)
                                   .reinterpret(UNSIGNED_INT);
  const auto make = [&](const Type &ofType, std::vector<std::size_t> shape,
                        const char *what) {
    shape.insert(shape.begin(), batch);
    return graph.addVariable(ofType, shape, {dc, what});
  };
  const Tensor probs = make(FLOAT, {topPaths}, "probabilities");
  const Tensor labelLengths = make(UNSIGNED_INT, {topPaths}, "lengths");
  const Tensor labels = make(UNSIGNED_INT, {topPaths, times}, "labels");
  const Tensor nodes =
      make(UNSIGNED_INT, {2 * (1 + times * beamwidth)}, "nodes");
  const Tensor beams = make(UNSIGNED_INT, {6 * beamwidth}, "beams");
  const Tensor scores = make(FLOAT, {4 * beamwidth}, "scores");
  const ComputeSet cs = graph.addComputeSet(dc);
  for (std::size_t b = 0; b != batch; ++b) {
    const unsigned tile = b % graph.getTarget().getNumTiles();
    const VertexRef v =
        graph.addVertex(cs, name,
                        {{"logProbs", logProbs.slice(b, b + 1, 1).flatten()},
                         {"length", lengths[b]},
                         {"nodes", nodes[b]},
                         {"beams", beams[b]},
                         {"scores", scores[b]},
                         {"negLogProbs", probs[b]},
                         {"lengths", labelLengths[b]},
                         {"labels", labels[b].flatten()}});
    graph.setInitialValue(v["times"], times);
    graph.setInitialValue(v["classes"], classes);
    graph.setInitialValue(v["blank"], blankClass);
    graph.setInitialValue(v["width"], beamwidth);
    graph.setInitialValue(v["paths"], topPaths);
    graph.setPerfEstimate(v, searchBundles(times, classes, beamwidth));
    graph.setTileMapping(v, tile);
    for (const Tensor &t : {probs, labelLengths, labels, nodes, beams, scores})
      graph.setTileMapping(t[b], tile);
  }
  prog.add(Execute(cs, dc));
  return std::make_tuple(
      type == FLOAT ? probs : popops::cast(graph, probs, type, prog, dc),
      labelLengths, labels);
}

std::tuple<Tensor, Tensor, Tensor> beamSearchDecoderLogits(
    Graph &graph, const Tensor &logits, const Tensor &dataLengths,
    Sequence &prog, unsigned blankClass, unsigned beamwidth, unsigned topPaths,
    const ctc::Plan &plan, const DebugContext &debugContext,
    const OptionFlags &options) {
  check(logits, dataLengths, blankClass, beamwidth, topPaths);
  return beamSearchDecoderLogProbabilities(
      graph, logSoftmax(graph, logits, prog, debugContext), dataLengths, prog,
      blankClass, beamwidth, topPaths, plan, debugContext, options);
}

} // namespace ctc_infer
} // namespace popnn
