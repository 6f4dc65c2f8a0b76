// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans, maps and lowers the blur.

#include "sten/Sten.hpp"
#include "sten/EdgeMode.hpp"
#include <ostream>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popsolver/Model.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <tuple>
namespace poputil {
template <> poplar::ProfileValue toProfileValue(const sten::BlurParams &p) {
  poplar::ProfileValue::Map m;
  m.insert({"height", toProfileValue(p.height)});
  m.insert({"type", toProfileValue(p.type)});
  m.insert({"radius", toProfileValue(p.radius)});
  return m;
}
template <> struct VertexTemplateToString<sten::EdgeMode> {
  static std::string to_string(const sten::EdgeMode &e) {
    return e == sten::EdgeMode::CLAMP ? "sten::Edge::CLAMP"
                                      : "sten::Edge::ZERO";
  }
};
} // namespace poputil
namespace sten {
using namespace poplar;
using namespace poplar::program;
using namespace poputil;
bool operator<(const BlurParams &a, const BlurParams &b) {
  return std::tie(a.type, a.height, a.width, a.edge, a.radius) <
         std::tie(b.type, b.height, b.width, b.edge, b.radius);
}
std::ostream &operator<<(std::ostream &o, const BlurParams &p) {
  return o << p.type << " " << p.height << "x" << p.width;
}
struct Options {
  double availableMemoryProportion = 0.6;
  unsigned maxRows = 0;
  bool verbose = false;
  EdgeMode edge = EdgeMode::CLAMP;
  std::string name;
};
static Options parseOptions(const OptionFlags &flags) {
  Options o;
  const poplibs::OptionSpec spec{
      {"availableMemoryProportion", poplibs::OptionHandler::createWithDouble(
                                        o.availableMemoryProportion, 0., 1.)},
      {"maxRows", poplibs::OptionHandler::createWithInteger(o.maxRows)},
      {"verbose", poplibs::OptionHandler::createWithBool(o.verbose)},
      {"name", poplibs::OptionHandler::createWithString(o.name)},
      {"edge",
       poplibs::OptionHandler::createWithEnum(
           o.edge, {{"clamp", EdgeMode::CLAMP}, {"zero", EdgeMode::ZERO}})},
  };
  for (const auto &entry : flags)
    spec.parse(entry.first, entry.second);
  return o;
}
Plan getPlan(const Graph &graph, const BlurParams &params,
             const OptionFlags &flags) {
  const auto o = parseOptions(flags);
  const auto &target = graph.getTarget();
  popsolver::Model m;
  const auto rows =
      m.addVariable(1, static_cast<unsigned>(params.height), "rowSplit");
  const auto cols = m.addVariable(1, 1, "colSplit");
  const auto used = m.product({rows, cols}, "used");
  m.lessOrEqual(used, target.getNumTiles());
  if (o.maxRows)
    m.lessOrEqual(rows, o.maxRows);
  const auto per =
      m.ceildiv(m.addConstant(static_cast<unsigned>(params.height)), rows);
  const auto cost =
      m.call({per, cols}, [&](const std::vector<unsigned> &v, unsigned &out) {
        out = unsigned(v[0] * params.width * 10 / v[1] + 100);
        return true;
      });
  auto s = m.minimize({cost, used});
  if (!s.validSolution())
    throw poplibs_error("no plan");
  return {s[rows], s[cols], s[cost]};
}
Tensor createInput(Graph &graph, const BlurParams &params,
                   const DebugContext &debugContext,
                   const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(params, options));
  const auto plan = getPlan(graph, params, options);
  auto t =
      graph.addVariable(params.type, {params.height, params.width}, {di, "in"});
  const auto per = (params.height + plan.rowSplit - 1) / plan.rowSplit;
  Graph::TileToTensorMapping mapping(graph.getTarget().getNumTiles());
  for (unsigned i = 0; i * per < params.height; ++i)
    mapping[i].emplace_back(i * per * params.width,
                            std::min(params.height, (i + 1) * per) *
                                params.width);
  graph.setTileMapping(t, mapping);
  di.addOutput(t);
  return t;
}
Tensor blur(Graph &graph, const Tensor &in, const BlurParams &params,
            Sequence &prog, const DebugContext &debugContext,
            const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(in, params, options),
                                 "blur");
  const DebugNameAndId dnai{di};
  auto out = graph.clone(in, {dnai, "out"},
                         TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);
  auto cs = graph.addComputeSet({dnai, "blurCS"});
  const auto mapping = graph.getTileMapping(in);
  const auto pad =
      params.edge == EdgeMode::CLAMP
          ? poplar::concat({in.slice(0, 1), in,
                            in.slice(params.height - 1, params.height)})
          : [&] {
              auto z = graph.addConstant(params.type, {1, params.width}, 0.0f,
                                         {dnai, "z"});
              graph.setTileMapping(z, 0);
              return concat({z, in, z});
            }();
  for (unsigned tile = 0; tile < mapping.size(); ++tile) {
    if (mapping[tile].empty())
      continue;
    auto regions = graph.getSortedContiguousRegions(in, mapping[tile]);
    auto split = splitRegionsBetweenWorkers(
        graph.getTarget(), regions, static_cast<unsigned>(params.width));
    for (const auto &w : split) {
      for (const auto &rr : w)
        for (const auto &r : rr) {
          const auto y0 = r.begin() / params.width, y1 = r.end() / params.width;
          auto v = graph.addVertex(
              cs, templateVertex("sten::Blur", params.type, params.edge,
                                 params.edge == EdgeMode::ZERO));
          std::vector<Tensor> ins, outs;
          for (auto y = y0; y != y1 + 2; ++y)
            ins.push_back(pad[y]);
          for (auto y = y0; y != y1; ++y)
            outs.push_back(out[y]);
          graph.connect(v["in"], ins);
          graph.connect(v["out"], outs);
          graph.setInitialValue(v["width"], params.width);
          graph.setInitialValue(v["scale"], 1.0 / 9.0);
          graph.setTileMapping(v, tile);
        }
    }
  }
  prog.add(Execute(cs, {dnai}));
  di.addOutputs(DI_ARGS(out));
  return out;
}
} // namespace sten
