// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ten small programs against PopLibs, written as its users write them: options,
// planning caches, names for debugging as strings, braces where a type is
// known. Each prints the sum of its result.

#include <cstdio>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/Norms.hpp>
#include <poplin/codelets.hpp>
#include <popnn/BatchNorm.hpp>
#include <popnn/GroupNorm.hpp>
#include <popnn/Gru.hpp>
#include <popnn/InstanceNorm.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/LogSoftmax.hpp>
#include <popnn/Loss.hpp>
#include <popnn/Lstm.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popnn/codelets.hpp>
#include <popops/AllTrue.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/Expr.hpp>
#include <popops/Fill.hpp>
#include <popops/Gather.hpp>
#include <popops/Loop.hpp>
#include <popops/NaN.hpp>
#include <popops/Pad.hpp>
#include <popops/Rearrange.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Scatter.hpp>
#include <popops/Sort.hpp>
#include <popops/TopK.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>
#include <poprand/RandomGen.hpp>
#include <poprand/codelets.hpp>
#include <poputil/Broadcast.hpp>
#include <poputil/GraphFunction.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <vector>
using namespace poplar;
using namespace poplar::program;
namespace pe = popops::expr;

namespace {

/// Matrix products with options and a cache.
Tensor product(Graph &graph, Sequence &prog) {
  poplin::PlanningCache cache;
  poplin::matmul::PlanningCache mmCache;
  OptionFlags opts{{"partialsType", "float"},
                   {"availableMemoryProportion", "0.4"},
                   {"fullyConnectedPass", "INFERENCE_FWD"}};
  opts.set("enableFastReduce", "true");
  auto A = poplin::createMatMulInputLHS(graph, FLOAT, {32, 64}, {64, 48}, "A",
                                        opts, &mmCache);
  auto B = poplin::createMatMulInputRHS(graph, FLOAT, FLOAT, {32, 64}, {64, 48},
                                        "B", opts, &mmCache);
  popops::fill(graph, A, prog, 1.0f, "one");
  popops::fill<float>(graph, B, prog, 2, "two");
  Tensor C = poplin::matMul(graph, A, B, prog, FLOAT, "C", opts, &mmCache);
  Tensor D = poplin::matMul(graph, A, B, prog, {"D"}, opts);
  poplin::matMulAcc(graph, C, 0.5f, A, B, prog, "acc", opts, &mmCache);
  popops::addInPlace(graph, C, D, prog);
  return C;
}

/// A convolution, its bias, an activation and a pool.
Tensor network(Graph &graph, Sequence &prog) {
  poplin::PlanningCache cache;
  OptionFlags convOpts{{"pass", "INFERENCE_FWD"},
                       {"partialsType", "float"},
                       {"partialsType.interTile", "float"}};
  poplin::ConvParams params{
      FLOAT,
      FLOAT,
      1,
      {14, 14},
      {3, 3},
      3,
      8,
      1,
      poplin::ConvParams::InputTransform{
          {0, 0}, {0, 0}, {1, 1}, {1, 1}, {1, 1}, {false, false}},
      poplin::ConvParams::InputTransform{
          {0, 0}, {0, 0}, {1, 1}, {0, 0}, {0, 0}, {false, false}},
      poplin::ConvParams::OutputTransform{
          {0, 0}, {0, 0}, {2, 2}, {0, 0}, {0, 0}}};
  Tensor in = poplin::createInput(graph, params, "in", convOpts, &cache);
  Tensor w = poplin::createWeights(graph, params, "w", convOpts, &cache);
  popops::fill(graph, in, prog, 0.5f);
  popops::fill(graph, w, prog, 0.25f);
  Tensor out = poplin::convolution(graph, in, w, params, false, prog, "conv",
                                   convOpts, &cache);
  Tensor b = poplin::createBiases(graph, out, "biases");
  popops::zero(graph, b, prog, "zeroBias");
  poplin::addBias(graph, out, b, prog, "bias");
  popnn::nonLinearityInPlace(graph, popnn::NonLinearityType::RELU, out, prog,
                             "relu");
  popnn::pooling::PoolParams pool(popnn::PoolingType::MAX, {7, 7}, {2, 2},
                                  {2, 2}, {0, 0}, {0, 0}, 8, 1, FLOAT);
  out = popnn::pooling::pool(graph, pool, out, prog, "pool",
                             {{"optimizeForSpeed", "true"}});
  return out;
}

/// Softmax, cross entropy, accuracy.
Tensor loss(Graph &graph, Sequence &prog) {
  Tensor act = graph.addVariable(FLOAT, {4, 10}, "act");
  poputil::mapTensorLinearly(graph, act);
  popops::fill(graph, act, prog, 0.1f);
  Tensor probs = popnn::nonLinearity(
      graph, popnn::NonLinearityType::SOFTMAX_STABLE, act, prog, "sm");
  Tensor labels = graph.addConstant<unsigned>(UNSIGNED_INT, {4}, {1, 2, 3, 4});
  graph.setTileMapping(labels, 0);
  Tensor deltas = graph.clone(probs, "deltas"),
         loss = graph.addVariable(FLOAT, {4}, "loss"),
         correct = graph.addVariable(UNSIGNED_INT, {}, "nc");
  graph.setTileMapping(loss, 0);
  graph.setTileMapping(correct, 0);
  popops::zero(graph, correct, prog);
  prog.add(popnn::calcLoss(graph, probs, labels, loss, deltas, correct,
                           popnn::CROSS_ENTROPY_LOSS, "loss"));
  prog.add(popnn::calcAccuracy(graph, probs, labels, correct));
  Tensor a = popnn::argMax(graph, probs, prog);
  auto mm = popnn::maxAndArgMax(graph, probs, prog);
  Tensor ls = popnn::logSoftmax(graph, act, prog);
  return popops::reduce(graph, loss, {0}, popops::Operation::ADD, prog,
                        "total");
}

/// Four normalisations, one after the other.
Tensor norms(Graph &graph, Sequence &prog) {
  Tensor x = graph.addVariable(FLOAT, {2, 8, 4, 4}, "x");
  poputil::mapTensorLinearly(graph, x);
  popops::fill(graph, x, prog, 3.0f);
  auto st = popnn::bn::batchNormStatistics(graph, x, 1e-5f, prog, false, true,
                                           FLOAT, "stats");
  auto gb = poplin::createNormParams(graph, x);
  popops::fill(graph, gb.first, prog, 1.0f);
  popops::zero(graph, gb.second, prog);
  auto y = popnn::bn::batchNormalise(graph, x, gb.first, gb.second, st.first,
                                     st.second, prog, "bn")
               .first;
  OptionFlags strided{{"groupNormStridedChannelGrouping", "false"}};
  auto gs = popnn::gn::groupNormStatistics(graph, y, 1e-5f, prog, 2, false,
                                           false, FLOAT, "gn", strided);
  y = popnn::gn::groupNormalise(graph, y, gb.first, gb.second, gs.first,
                                gs.second, prog, "gn", strided)
          .first;
  auto lsx = popnn::ln::layerNormStatistics(graph, y, 1e-5f, prog, false);
  y = popnn::ln::layerNormalise(graph, y, gb.first, gb.second, lsx.first,
                                lsx.second, prog)
          .first;
  auto is = popnn::in::instanceNormStatistics(graph, y, 1e-5f, prog, false);
  return popnn::in::instanceNormalise(graph, y, gb.first, gb.second, is.first,
                                      is.second, prog)
      .first;
}

/// Both recurrent layers.
Tensor recurrent(Graph &graph, Sequence &prog) {
  poplin::PlanningCache cache;
  popnn::lstm::LstmParams params(FLOAT, 2, 5, {8, 16});
  params.outputFullSequence = false;
  OptionFlags o{{"inferenceOnly", "true"}, {"partialsType", "float"}};
  Tensor in = popnn::lstm::createInput(graph, params, "in", o, &cache);
  popops::fill(graph, in, prog, 0.5f);
  auto state = popnn::lstm::createInitialState(graph, params, "st", o, &cache);
  popnn::lstm::zeroInitialState(graph, state, prog, "zero");
  auto w = popnn::lstm::createWeights(graph, params, "w", o, &cache);
  popops::fill(graph, w.inputWeights, prog, 0.1f);
  popops::fill(graph, w.outputWeights, prog, 0.1f);
  popops::zero(graph, w.biases, prog);
  auto r = popnn::lstm::lstmFwd(graph, params, state, in, w, nullptr, prog,
                                "fwd", o, &cache);
  popnn::gru::GruParams gp(FLOAT, 2, 5, {8, 16});
  auto gi = popnn::gru::createInput(graph, gp, "gi");
  popops::fill(graph, gi, prog, 0.5f);
  auto gst = popnn::gru::createInitialState(graph, gp, "gs");
  popops::zero(graph, gst, prog);
  auto gw = popnn::gru::createWeights(graph, gp, "gw");
  popops::fill(graph, gw.inputWeights, prog, 0.1f);
  popops::fill(graph, gw.outputWeights, prog, .1f);
  popops::zero(graph, gw.biases, prog);
  Tensor gf = popnn::gru::gruFwd(graph, gp, gst, gi, gw, nullptr, prog, "gru");
  return concat(r.first.flatten(), gf.flatten());
}

/// Slices of a table, its updates, the largest elements of its rows.
Tensor tables(Graph &graph, Sequence &prog) {
  OptionFlags so{{"usedForSlice", "true"},
                 {"usedForUpdate", "true"},
                 {"operationForUpdate", "add"}};
  auto plan = popops::embedding::plan(graph, FLOAT, 100, 16, {8}, so);
  Tensor t = popops::createSliceableTensor(graph, FLOAT, {100, 16}, {0}, {1},
                                           plan, so, "table");
  popops::fill(graph, t, prog, 1.5f);
  Tensor idx = popops::createIndicesTensor(graph, {0}, 8, plan, so, "idx");
  popops::iota(graph, idx.flatten(), 3u, prog);
  Tensor s = popops::multiSlice(graph, t, idx, {0}, {1}, prog, plan, so, "ms");
  Tensor scale = graph.addConstant<float>(FLOAT, {}, 0.5f);
  graph.setTileMapping(scale, 0);
  popops::multiUpdateAdd(graph, t, s, idx, scale, {0}, {1}, prog, plan, so,
                         "mua");
  Tensor off = graph.addConstant<unsigned>(UNSIGNED_INT, {1}, 5u);
  graph.setTileMapping(off, 0);
  Tensor ds = popops::dynamicSlice(graph, t, off, {0}, {2}, prog, "ds");
  popops::dynamicUpdate(graph, t, ds, off, {0}, {2}, prog, "du");
  Tensor g =
      popops::gather(graph, t, idx.flatten(), 0, prog, popops::GatherParams{});
  auto tk = popops::topKWithPermutation(
      graph, prog, t,
      popops::TopKParams(3, true, popops::SortOrder::DESCENDING));
  Tensor so2 = popops::sort(graph, g, 1, prog);
  return tk.first;
}

/// Expressions of halves, with conversions.
Tensor expressions(Graph &graph, Sequence &prog) {
  Tensor a = graph.addVariable(HALF, {33}, "a"),
         b = graph.addVariable(HALF, {33}, "b");
  poputil::mapTensorLinearly(graph, a);
  poputil::mapTensorLinearly(graph, b);
  popops::fill(graph, a, prog, 1.0f);
  popops::fill(graph, b, prog, 2.0f);
  Tensor c = popops::map(
      graph,
      pe::Select(pe::_1 + pe::_2, pe::_1 * pe::Const(2.0f), pe::_1 > pe::_2),
      {a, b}, prog, "sel");
  popops::mapInPlace(graph, pe::Max(pe::_1, pe::Const(0)), {c}, prog);
  popops::mapInPlace(
      graph, pe::Cast(pe::Cast(pe::_1, FLOAT) / pe::Cast(pe::_2, FLOAT), HALF),
      {c, b}, prog);
  popops::scaledAddTo(graph, c, a, 0.5f, prog, "sa");
  popops::scaledSubtractFrom(graph, c, b, 0.25f, prog);
  Tensor f = popops::cast(graph, c, FLOAT, prog, "cast");
  Tensor m = popops::gt(graph, f, 0.5f, prog);
  Tensor all = popops::allTrue(graph, m, prog);
  Tensor nan = popops::hasNaN(graph, f, prog);
  std::vector<pe::Any> many{pe::_1 + 1.0f, pe::Tanh(pe::_1)};
  auto outs = popops::map(graph, many, {f}, prog);
  return outs[1];
}

/// Random numbers and dropout.
Tensor randomNumbers(Graph &graph, Sequence &prog) {
  Tensor seed = graph.addConstant<unsigned>(UNSIGNED_INT, {2}, {7u, 42u});
  graph.setTileMapping(seed, 0);
  Tensor ref = graph.addVariable(FLOAT, {100}, "ref");
  poputil::mapTensorLinearly(graph, ref);
  poprand::setSeed(graph, seed, 5, prog, "seed");
  Tensor u =
      poprand::uniform(graph, &seed, 0, ref, FLOAT, -1.0, 1.0, prog, "u");
  Tensor n = poprand::normal(graph, nullptr, 0, ref, HALF, 0.0, 1.0, prog);
  Tensor tn = poprand::truncatedNormal(graph, &seed, 1, ref, FLOAT, 0.0, 1.0,
                                       2.0, prog);
  Tensor be = poprand::bernoulli(graph, &seed, 1, ref, FLOAT, 0.3, prog);
  return poprand::dropout(graph, &seed, 1, u, ref, 0.8, 1.25, prog, "drop");
}

/// Loops, functions, padding.
Tensor loops(Graph &graph, Sequence &prog) {
  Tensor acc = graph.addVariable(FLOAT, {4}, "acc");
  graph.setTileMapping(acc, 1);
  popops::zero(graph, acc, prog);
  prog.add(popops::countedLoop(
      graph, 0, 10, 2,
      [&](const Tensor &i) {
        Sequence s;
        popops::addInPlace(graph, acc, popops::cast(graph, i, FLOAT, s), s);
        return s;
      },
      "loop"));
  using namespace poputil;
  graphfn::VoidFunction f(
      graph, {graphfn::inout(acc, "acc"), graphfn::input(acc, "b")},
      [&](std::vector<Tensor> &args, Sequence &s) {
        popops::mulInPlace(graph, args[0], args[1], s);
      });
  std::vector<Tensor> args{acc, acc.reverse(0)};
  f(args, prog);
  Tensor p = popops::pad(graph, acc, std::vector<std::ptrdiff_t>{1},
                         std::vector<std::ptrdiff_t>{2}, 9.0f);
  p = popops::pad(p, 1, 1, 0, popops::padding::Type::REFLECT);
  Tensor x = acc, y = p.slice(0, 1);
  broadcastToMatch(x, y);
  return duplicate(graph, p, prog, "dup");
}

/// Reductions of all forms, one hot.
Tensor reductions(Graph &graph, Sequence &prog) {
  Tensor t = graph.addVariable(FLOAT, {6, 7, 8}, "t");
  poputil::mapTensorLinearly(graph, t);
  popops::fill(graph, t, prog, 0.5f);
  Tensor scale = graph.addConstant<float>(FLOAT, {}, 0.5f);
  graph.setTileMapping(scale, 0);
  Tensor out = graph.addVariable(FLOAT, {7}, "out");
  graph.setTileMapping(out, 2);
  popops::zero(graph, out, prog);
  popops::reduceWithOutput(graph, t, out, {0, 2},
                           {popops::Operation::ADD, true, scale}, prog, "r");
  popops::reduceWithOutput(
      graph, t, out, {0, 2},
      popops::ReduceParams(popops::Operation::SQUARE_ADD, true), prog, "r",
      {{"accumType.interTile", "float"}});
  std::vector<ComputeSet> css;
  popops::reduceWithOutput(graph, t, out, {0, 2}, {popops::Operation::MAX}, css,
                           "css");
  for (const auto &cs : css)
    prog.add(Execute(cs));
  Tensor h = popops::reduce(graph, t, HALF, {1}, {popops::Operation::ADD}, prog,
                            "toHalf");
  Tensor oh = graph.addVariable(FLOAT, {3, 5}, "oh");
  poputil::mapTensorLinearly(graph, oh);
  Tensor ix = graph.addConstant<unsigned>(UNSIGNED_INT, {3}, {0, 4, 2});
  graph.setTileMapping(ix, 0);
  popops::encodeOneHot(graph, ix, oh, prog, "oh");
  return concat(out, oh.flatten());
}

Device makeDevice(const std::string &kind) {
  constexpr unsigned Tiles = 16;
  if (kind == "cpu")
    return Device::createCPUDevice();
  if (kind == "ipu")
    return DeviceManager::createDeviceManager()
        .getDevices(TargetType::IPU, 1)
        .at(0)
        .createVirtualDevice(Tiles);
  IPUModel model;
  model.tilesPerIPU = Tiles;
  return model.createDevice();
}

const struct {
  const char *name;
  Tensor (*build)(Graph &, Sequence &);
} Programs[] = {
    {"product", product},
    {"network", network},
    {"loss", loss},
    {"norms", norms},
    {"recurrent", recurrent},
    {"tables", tables},
    {"expressions", expressions},
    {"random numbers", randomNumbers},
    {"loops", loops},
    {"reductions", reductions},
};

} // namespace

int main(int argc, char **argv) {
  Device device = makeDevice(argc > 1 ? argv[1] : "model");
  for (const auto &entry : Programs) {
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    popnn::addCodelets(graph);
    poprand::addCodelets(graph);
    Sequence prog;
    Tensor result = entry.build(graph, prog);
    if (result.elementType() != FLOAT)
      result = popops::cast(graph, result, FLOAT, prog);
    graph.createHostRead("result", result);
    Engine engine(graph, prog);
    engine.load(device);
    engine.run();
    std::vector<float> values(result.numElements());
    engine.readTensor("result", values.data(), values.data() + values.size());
    double sum = 0;
    for (float value : values)
      sum += value;
    std::printf("%s: %zu elements, sum %.3f\n", entry.name, values.size(), sum);
  }
}
