// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random tensors: one vertex for each run of the result on a tile.

#include "lib/PopLibs/poprand/State.h"

#include <popops/ElementWise.hpp>
#include <popops/ElementWiseUtil.hpp>
#include <poprand/RandomGen.hpp>
#include <poputil/Broadcast.hpp>
#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>
#include <limits>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace poprand {
namespace {

namespace pe = popops::expr;

bool isReal(const Type &type) { return type == FLOAT || type == HALF; }

[[noreturn]] void unsupported(const char *function, const Type &type) {
  throw poplibs_error(std::string(function) + ": not for elements of type " +
                      type.toString());
}

void checkSeed(const Tensor &seed) {
  if (seed.elementType() != UNSIGNED_INT || seed.numElements() != 2)
    throw poplibs_error("poprand: a seed of shape " + seed.shapeToString() +
                        " and type " + seed.elementType().toString() +
                        "; it must be two elements of type unsigned int");
}

/// The seed of a function, which moves the graph's own state on.
class Seed {
public:
  Seed(Graph &graph, const Tensor *masterSeed, Sequence &prog,
       const DebugContext &debugContext)
      : graph(graph), prog(prog), debugContext(debugContext),
        own(masterSeed == nullptr), tensor(own ? stateOf(graph) : *masterSeed) {
    checkSeed(tensor);
  }
  ~Seed() {
    if (own)
      popops::mapInPlace(graph, pe::_1 + pe::Const(1u), {tensor.slice(1, 2)},
                         prog, {debugContext, "Advance"});
  }
  Seed(const Seed &) = delete;
  Seed &operator=(const Seed &) = delete;

  Tensor get() const { return tensor.flatten(); }

private:
  Graph &graph;
  Sequence &prog;
  const DebugContext &debugContext;
  const bool own;
  const Tensor tensor;
};

/// Adds vertices that fill \p out; \p setParameters sets the fields that are
/// not common to all.
template <class F>
void addVertices(Graph &graph, const std::string &name, const Tensor &out,
                 const Tensor &seed, std::uint32_t modifier, unsigned bundles,
                 Sequence &prog, const DebugContext &debugContext,
                 F setParameters) {
  if (!graph.hasCodelet(name))
    throw poplibs_error("poprand: there is no vertex " + name +
                        ", or poprand::addCodelets(graph) has not been called");
  const Tensor flat = out.flatten();
  const ComputeSet cs = graph.addComputeSet({debugContext, "Random"});
  const auto mapping = graph.getTileMapping(flat);
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    for (const std::vector<Interval> &runs :
         poputil::splitRegionsBetweenWorkers(graph.getTarget(), mapping[tile],
                                             4, 8)) {
      std::vector<unsigned> starts, lengths;
      for (const Interval &run : runs) {
        starts.push_back(static_cast<unsigned>(run.begin()));
        lengths.push_back(static_cast<unsigned>(run.size()));
      }
      const VertexRef v = graph.addVertex(cs, name);
      graph.connect(v["seed"], seed);
      graph.connect(v["out"], concat(flat.slices(runs)));
      graph.setInitialValue(v["starts"], starts);
      graph.setInitialValue(v["lengths"], lengths);
      graph.setInitialValue(v["modifier"], modifier);
      setParameters(v);
      graph.setPerfEstimate(
          v, 60 + bundles * poputil::intervalSequenceNumElements(runs));
      graph.setTileMapping(v, tile);
    }
  prog.add(Execute(cs, debugContext));
}

/// Bundles for an element.
unsigned costOf(const char *distribution) {
  const std::string name = distribution;
  return name == "UNIFORM" || name == "CHOICE" ? 28 : 174;
}

Tensor random(Graph &graph, const Tensor *masterSeed, std::uint32_t modifier,
              const Tensor &reference, const Type &type,
              const char *distribution, double a, double b, double c,
              Sequence &prog, const DebugContext &debugContext) {
  const Tensor out = popops::createOutputForElementWiseOp(graph, {reference},
                                                          type, debugContext);
  const Seed seed(graph, masterSeed, prog, debugContext);
  const std::string name = poputil::templateVertex(
      "poprand::Random", std::string("poprand::Distribution::") + distribution,
      type);
  addVertices(graph, name, out, seed.get(), modifier, costOf(distribution),
              prog, debugContext, [&](VertexRef v) {
                graph.setInitialValue(v["a"], static_cast<float>(a));
                graph.setInitialValue(v["b"], static_cast<float>(b));
                graph.setInitialValue(v["c"], static_cast<float>(c));
              });
  return out;
}

void checkProbability(const char *function, double probability) {
  if (!(probability >= 0 && probability <= 1))
    throw poplibs_error(std::string(function) + ": a probability of " +
                        std::to_string(probability));
}

Tensor uniformInteger(Graph &graph, const Tensor *masterSeed,
                      std::uint32_t modifier, const Tensor &reference,
                      const Type &type, double minVal, double maxVal,
                      Sequence &prog, const DebugContext &debugContext) {
  const double least = type == INT ? std::numeric_limits<int>::min() : 0;
  const double most = type == INT ? std::numeric_limits<int>::max()
                                  : std::numeric_limits<unsigned>::max();
  if (std::ceil(minVal) < least || std::floor(maxVal) > most)
    throw poplibs_error("poprand::uniform: the interval does not fit in "
                        "elements of type " +
                        type.toString());
  const auto low = static_cast<long long>(std::ceil(minVal));
  const auto high = static_cast<long long>(std::floor(maxVal));
  const Tensor out = popops::createOutputForElementWiseOp(graph, {reference},
                                                          type, debugContext);
  const Seed seed(graph, masterSeed, prog, debugContext);
  addVertices(graph, "poprand::RandomInteger", out.reinterpret(UNSIGNED_INT),
              seed.get(), modifier, 30, prog, debugContext, [&](VertexRef v) {
                graph.setInitialValue(v["low"], static_cast<unsigned>(low));
                graph.setInitialValue(v["range"],
                                      static_cast<unsigned>(high - low + 1));
              });
  return out;
}

} // namespace

Tensor uniform(Graph &graph, const Tensor *masterSeed,
               std::uint32_t seedModifier, const Tensor &reference,
               const Type &outType, double minVal, double maxVal,
               Sequence &prog, const DebugContext &debugContext) {
  if (!(minVal <= maxVal))
    throw poplibs_error("poprand::uniform: the interval from " +
                        std::to_string(minVal) + " to " +
                        std::to_string(maxVal));
  const DebugContext dc(debugContext, "Uniform");
  if (outType == INT || outType == UNSIGNED_INT)
    return uniformInteger(graph, masterSeed, seedModifier, reference, outType,
                          minVal, maxVal, prog, dc);
  if (!isReal(outType))
    unsupported("poprand::uniform", outType);
  return random(graph, masterSeed, seedModifier, reference, outType, "UNIFORM",
                minVal, maxVal, 0, prog, dc);
}

Tensor logUniform(Graph &graph, const Tensor *masterSeed,
                  std::uint32_t seedModifier, const Tensor &reference,
                  const Type &outType, double minVal, double maxVal,
                  Sequence &prog, double, const DebugContext &debugContext) {
  if (!(minVal > 0 && minVal <= maxVal))
    throw poplibs_error("poprand::logUniform: the interval from " +
                        std::to_string(minVal) + " to " +
                        std::to_string(maxVal) + "; it must be positive");
  if (!isReal(outType))
    unsupported("poprand::logUniform", outType);
  return random(graph, masterSeed, seedModifier, reference, outType,
                "LOG_UNIFORM", std::log(minVal), std::log(maxVal), 0, prog,
                {debugContext, "LogUniform"});
}

Tensor bernoulli(Graph &graph, const Tensor *masterSeed,
                 std::uint32_t seedModifier, const Tensor &reference,
                 const Type &outType, double prob, Sequence &prog,
                 const DebugContext &debugContext) {
  checkProbability("poprand::bernoulli", prob);
  return random(graph, masterSeed, seedModifier, reference, outType, "CHOICE",
                1, prob, 0, prog, {debugContext, "Bernoulli"});
}

Tensor normal(Graph &graph, const Tensor *masterSeed,
              std::uint32_t seedModifier, const Tensor &reference,
              const Type &outType, double mean, double stdDev, Sequence &prog,
              const DebugContext &debugContext) {
  if (!isReal(outType))
    unsupported("poprand::normal", outType);
  return random(graph, masterSeed, seedModifier, reference, outType, "NORMAL",
                mean, stdDev, 0, prog, {debugContext, "Normal"});
}

Tensor truncatedNormal(Graph &graph, const Tensor *masterSeed,
                       std::uint32_t seedModifier, const Tensor &reference,
                       const Type &outType, double mean, double stdDev,
                       double alpha, Sequence &prog,
                       const DebugContext &debugContext) {
  if (!isReal(outType))
    unsupported("poprand::truncatedNormal", outType);
  // Drawing again and again until a number fits takes too long below this.
  if (!(alpha >= 0.1))
    throw poplibs_error("poprand::truncatedNormal: cut off at " +
                        std::to_string(alpha) +
                        " standard deviations; it must be at least 0.1");
  return random(graph, masterSeed, seedModifier, reference, outType,
                "TRUNCATED_NORMAL", mean, stdDev, alpha, prog,
                {debugContext, "TruncatedNormal"});
}

namespace {

/// in times a mask of the reference's shape, written to a tensor like \p like.
Tensor applyMask(Graph &graph, const Tensor *masterSeed,
                 std::uint32_t seedModifier, const Tensor &in,
                 const Tensor &reference, double keepProbability, double scale,
                 const Tensor &like, Sequence &prog, const DebugContext &dc) {
  checkProbability("poprand::dropout", keepProbability);
  if (!isReal(in.elementType()))
    unsupported("poprand::dropout", in.elementType());
  const Tensor mask =
      random(graph, masterSeed, seedModifier, reference, in.elementType(),
             "CHOICE", scale, keepProbability, 0, prog, dc);
  const Tensor out =
      popops::createOutputForElementWiseOp(graph, {like}, in.elementType(), dc);
  popops::mapWithOutput(graph, pe::_1 * pe::_2, {in, mask}, out, prog,
                        {dc, "Mask"});
  return out;
}

} // namespace

Tensor dropout(Graph &graph, const Tensor *masterSeed,
               std::uint32_t seedModifier, const Tensor &in,
               const Tensor &reference, double keepProbability, double scale,
               bool outputClonesRef, Sequence &prog,
               const DebugContext &debugContext) {
  if (in.shape() != reference.shape())
    throw poplibs_error("poprand::dropout: input of shape " +
                        in.shapeToString() + ", reference of shape " +
                        reference.shapeToString());
  const DebugContext dc(debugContext, "Dropout");
  return applyMask(graph, masterSeed, seedModifier, in, reference,
                   keepProbability, scale, outputClonesRef ? reference : in,
                   prog, dc);
}

Tensor dropout(Graph &graph, const Tensor *masterSeed,
               std::uint32_t seedModifier, const Tensor &in,
               const Tensor &reference, double keepProbability, double scale,
               Sequence &prog, const DebugContext &debugContext) {
  return dropout(graph, masterSeed, seedModifier, in, reference,
                 keepProbability, scale, true, prog, debugContext);
}

Tensor shapedDropout(Graph &graph, const Tensor *masterSeed,
                     std::uint32_t seedModifier, const Tensor &in,
                     const Tensor &reference, double keepProbability,
                     double scale, Sequence &prog,
                     const DebugContext &debugContext) {
  if (!poputil::canBroadcastToMatch(in, reference))
    throw poplibs_error(
        "poprand::shapedDropout: a mask of shape " + reference.shapeToString() +
        " does not stretch to an input of shape " + in.shapeToString());
  const DebugContext dc(debugContext, "ShapedDropout");
  return applyMask(graph, masterSeed, seedModifier, in, reference,
                   keepProbability, scale, in, prog, dc);
}

void setSeed(Graph &graph, const Tensor &masterSeed, std::uint32_t seedModifier,
             Sequence &prog, const DebugContext &debugContext) {
  checkSeed(masterSeed);
  const DebugContext dc(debugContext, "SetSeed");
  const Tensor state = stateOf(graph);
  prog.add(Copy(masterSeed.flatten(), state, false, dc));
  popops::mapInPlace(
      graph, pe::BitwiseXor(pe::_1, pe::Const(seedModifier * 0x9e3779b9u)),
      {state.slice(0, 1)}, prog, dc);
}

Tensor getHwSeeds(Graph &graph, Sequence &prog,
                  const DebugContext &debugContext) {
  return poputil::duplicate(graph, stateOf(graph), prog,
                            {debugContext, "HwSeeds"});
}

void setHwSeeds(Graph &graph, const Tensor &hwSeeds, Sequence &prog,
                const DebugContext &debugContext) {
  checkSeed(hwSeeds);
  prog.add(Copy(hwSeeds.flatten(), stateOf(graph), false,
                {debugContext, "SetHwSeeds"}));
}

} // namespace poprand
