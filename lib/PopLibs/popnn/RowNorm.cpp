// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalisation of rows. The rows are copied to a new variable and normalised
// in place there.
//
// If there are many rows, a worker has whole rows, and one compute set does
// everything. Otherwise rows are cut into parts:
//
//    compute set 1   part 0 -> moments   part 1 -> moments   part 2 -> moments
//    compute set 2   each part: combine the row's moments, then normalise
//
// Each worker of the second compute set combines the few moments of its row
// itself. Combining them once per row would take another step and another
// exchange.
//
// The number of parts is the cheapest according to the costs of the vertices.

#include "lib/PopLibs/poputil/Partition.h"

#include <popnn/RowNorm.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>

using namespace poplar;
using namespace poplar::program;
using poplibs::ceilDiv;
using poplibs::Chunks;
using poputil::poplibs_error;

namespace popnn {
namespace {

/// Parts and the elements of workers begin at multiples of it: 8 bytes.
constexpr std::size_t Grain = 4;

/// Bundles of a vertex: once, for each of its rows, and for each block of
/// elements, which is two floats or four halves.
struct Bundles {
  unsigned once, row, block;
};

// Measured on the emulated tile, by [halves][centre][parameters].
constexpr Bundles PartMoments[2][2] = {{{21, 0, 2}, {38, 0, 5}},
                                       {{19, 0, 6}, {46, 0, 15}}};
constexpr Bundles RowPart[2][2][3] = {
    {{{42, 0, 1}, {49, 0, 2}, {59, 0, 3}},
     {{104, 0, 2}, {107, 0, 4}, {118, 0, 7}}},
    {{{36, 0, 6}, {55, 0, 8}, {66, 0, 10}},
     {{94, 0, 11}, {106, 0, 12}, {116, 0, 14}}}};
constexpr Bundles WholeRows[2][2][3] = {
    {{{25, 30, 5}, {39, 46, 6}, {46, 54, 7}},
     {{27, 52, 10}, {59, 67, 11}, {65, 77, 12}}},
    {{{49, 29, 14}, {71, 44, 15}, {85, 54, 16}},
     {{53, 54, 26}, {75, 69, 27}, {90, 78, 28}}}};

/// Costs of vertices in bundles of a worker.
struct Costs {
  bool isHalf, centre;
  unsigned parameters;

  std::size_t blockSize() const { return isHalf ? 4 : 2; }
  std::size_t blocks(std::size_t count) const { return count / blockSize(); }
  /// Elements behind the last whole block are taken one by one for the moments,
  /// and at once to be normalised.
  std::size_t leftForMoments(std::size_t count) const {
    return count % blockSize() * (isHalf && centre ? 8 : 4);
  }
  std::size_t leftToApply(std::size_t count) const {
    return count % blockSize() == 0 ? 0 : isHalf ? 36 : 8;
  }
  std::size_t ofParts(std::size_t parts) const {
    return centre ? 3 * parts : parts / 2;
  }
  std::size_t join(std::size_t parts) const {
    return (centre ? 73 : 25) + ofParts(parts);
  }
  std::size_t partMoments(std::size_t count) const {
    const Bundles &b = PartMoments[isHalf][centre];
    return b.once + b.block * blocks(count) + leftForMoments(count);
  }
  std::size_t rowPart(std::size_t count, std::size_t parts) const {
    const Bundles &b = RowPart[isHalf][centre][parameters];
    return b.once + ofParts(parts) + b.block * blocks(count) +
           leftToApply(count);
  }
  std::size_t wholeRows(std::size_t rows, std::size_t count) const {
    const Bundles &b = WholeRows[isHalf][centre][parameters];
    return b.once + rows * (b.row + b.block * blocks(count) +
                            leftForMoments(count) + leftToApply(count));
  }
};

/// A second compute set with its exchange and syncs, in bundles.
constexpr std::size_t StepBundles = 70;

/// Division of rows, and the tiles of the parts.
struct Division {
  std::size_t numRows;
  Chunks parts;
  std::size_t partsPerTile;
  std::size_t workers;

  bool isWhole() const { return parts.parts() == 1; }
  std::size_t tileOf(std::size_t row, std::size_t part) const {
    return (row * parts.parts() + part) / partsPerTile;
  }
  std::size_t workersPerPart() const {
    return std::max<std::size_t>(1, workers / partsPerTile);
  }
  /// The elements of a part that workers take.
  Chunks chunks(std::size_t part) const {
    const std::size_t count = parts.size(part);
    const std::size_t each = ceilDiv(count, workersPerPart());
    return {count, ceilDiv(each, Grain) * Grain};
  }
  std::size_t stride() const { return parts.parts() * parts.each; }
};

Division divided(const Target &target, std::size_t rows, std::size_t count,
                 std::size_t numParts) {
  const std::size_t each = ceilDiv(ceilDiv(count, numParts), Grain) * Grain;
  const Chunks parts{count, each};
  return {rows, parts, ceilDiv(rows * parts.parts(), target.getNumTiles()),
          target.getNumWorkerContexts()};
}

std::size_t bundlesOf(const Division &d, const Costs &costs) {
  const std::size_t each = ceilDiv(d.partsPerTile, d.workers);
  if (d.isWhole())
    return costs.wholeRows(each, d.parts.extent);
  return each * (costs.partMoments(d.parts.each) +
                 costs.rowPart(d.chunks(0).each, d.parts.parts())) +
         StepBundles;
}

Division chooseDivision(const Target &target, std::size_t rows,
                        std::size_t count, const Costs &costs) {
  Division best = divided(target, rows, count, 1);
  const std::size_t most =
      target.getTargetType() == TargetType::CPU ? 1 : ceilDiv(count, Grain);
  for (std::size_t n : poplibs::candidateParts(ceilDiv(count, Grain), most)) {
    const Division d = divided(target, rows, count, n);
    if (bundlesOf(d, costs) < bundlesOf(best, costs))
      best = d;
  }
  return best;
}

/// The operands and the steps of one normalisation.
class Normalisation {
public:
  Normalisation(Graph &graph, const Tensor &rows, const Tensor &scale,
                const Tensor &shift, const RowNormParams &params,
                const DebugContext &debug)
      : graph(graph), params(params), debug(debug), type(rows.elementType()),
        costs{type == HALF, params.centre,
              scale.valid() + unsigned(shift.valid())},
        division(
            chooseDivision(graph.getTarget(), rows.dim(0), rows.dim(1), costs)),
        offset(poputil::chooseMappingOffset(graph.getTarget().getNumTiles(),
                                            rows.shape())),
        none(graph.addVariable(type, {0})), scale(scale.valid() ? scale : none),
        shift(shift.valid() ? shift : none) {}

  RowNormResult build(const Tensor &rows, Sequence &prog) {
    x = graph.addVariable(type, {rows.dim(0), division.stride()},
                          {debug, "rows"});
    forParts([&](std::size_t row, std::size_t part) {
      graph.setTileMapping(x[row].slice(part * division.parts.each,
                                        (part + 1) * division.parts.each),
                           tileOf(row, part));
    });
    const Tensor out = x.slice(0, rows.dim(1), 1);
    prog.add(Copy(rows, out, false, {debug, "rows"}));
    if (division.isWhole())
      return wholeRows(out, prog);
    const Tensor moments = findMoments(prog);
    return normaliseParts(out, moments, prog);
  }

private:
  std::size_t tileOf(std::size_t row, std::size_t part) const {
    return (division.tileOf(row, part) + offset) %
           graph.getTarget().getNumTiles();
  }
  template <class F> void forParts(F f) const {
    for (std::size_t row = 0; row != division.numRows; ++row)
      for (std::size_t part = 0; part != division.parts.parts(); ++part)
        f(row, part);
  }
  std::string name(const char *vertex) const {
    return poputil::templateVertex(vertex, type, params.centre,
                                   costs.parameters);
  }
  static float share(std::size_t count) {
    return 1 / static_cast<float>(count);
  }

  /// Elements of a row, which are the parameters' too.
  void connectElements(const VertexRef &v, const Tensor &elements,
                       std::size_t begin, std::size_t count) {
    graph.connect(v["x"], elements);
    const auto of = [&](const Tensor &t) {
      return t.numElements() == 0 ? t : t.slice(begin, begin + count);
    };
    graph.connect(v["scale"], of(scale));
    graph.connect(v["shift"], of(shift));
    graph.setInitialValue(v["count"], static_cast<unsigned>(count));
  }

  RowNormResult wholeRows(const Tensor &out, Sequence &prog) {
    const std::size_t numRows = division.numRows, count = division.parts.extent;
    const Tensor statistics =
        graph.addVariable(FLOAT, {numRows, 2}, {debug, "statistics"});
    const ComputeSet cs = graph.addComputeSet({debug, "Normalise"});
    for (std::size_t first = 0; first != numRows;) {
      const std::size_t behind =
          std::min(numRows, first + division.partsPerTile);
      const Chunks workers = Chunks::ofParts(behind - first, division.workers);
      for (std::size_t w = 0; w != workers.parts(); ++w) {
        const std::size_t begin = first + workers.begin(w);
        const std::size_t end = first + workers.end(w);
        const std::size_t tile = tileOf(begin, 0);
        const VertexRef v = graph.addVertex(cs, name("popnn::NormaliseRows"));
        connectElements(v, x.slice(begin, end).flatten(), 0, count);
        graph.connect(v["out"], statistics.slice(begin, end).flatten());
        graph.setInitialValue(v["rows"], static_cast<unsigned>(end - begin));
        graph.setInitialValue(v["stride"],
                              static_cast<unsigned>(division.stride()));
        graph.setInitialValue(v["share"], share(count));
        graph.setInitialValue(v["epsilon"], params.epsilon);
        graph.setPerfEstimate(v, costs.wholeRows(end - begin, count));
        graph.setTileMapping(v, tile);
        graph.setTileMapping(statistics.slice(begin, end), tile);
      }
      first = behind;
    }
    prog.add(Execute(cs, debug));
    return result(out, statistics);
  }

  /// [rows, parts, 3], or 1 without a mean.
  Tensor findMoments(Sequence &prog) {
    const Tensor moments = graph.addVariable(
        FLOAT,
        {division.numRows, division.parts.parts(), params.centre ? 3u : 1u},
        {debug, "moments"});
    const ComputeSet cs = graph.addComputeSet({debug, "Moments"});
    const std::string vertex =
        poputil::templateVertex("popnn::RowPartMoments", type, params.centre);
    forParts([&](std::size_t row, std::size_t part) {
      const std::size_t tile = tileOf(row, part);
      const std::size_t count = division.parts.size(part);
      const VertexRef v = graph.addVertex(cs, vertex);
      graph.connect(v["in"], x[row].slice(division.parts.begin(part),
                                          division.parts.end(part)));
      graph.connect(v["out"], moments[row][part]);
      graph.setInitialValue(v["count"], static_cast<unsigned>(count));
      graph.setInitialValue(v["share"], share(count));
      graph.setPerfEstimate(v, costs.partMoments(count));
      graph.setTileMapping(v, tile);
      graph.setTileMapping(moments[row][part], tile);
    });
    prog.add(Execute(cs, debug));
    return moments;
  }

  void connectMoments(const VertexRef &v, const Tensor &ofRow) {
    const Chunks &parts = division.parts;
    const Tensor byKind = ofRow.transpose();
    const Tensor missing = graph.addVariable(FLOAT, {0});
    graph.connect(v["bases"], params.centre ? byKind[0] : missing);
    graph.connect(v["rests"], params.centre ? byKind[1] : missing);
    graph.connect(v["squares"], byKind[params.centre ? 2 : 0]);
    graph.setInitialValue(v["parts"], static_cast<unsigned>(parts.parts()));
    graph.setInitialValue(v["size"], static_cast<float>(parts.each));
    graph.setInitialValue(v["last"],
                          static_cast<float>(parts.size(parts.parts() - 1)));
    graph.setInitialValue(v["share"], share(parts.extent));
    graph.setInitialValue(v["epsilon"], params.epsilon);
  }

  RowNormResult normaliseParts(const Tensor &out, const Tensor &moments,
                               Sequence &prog) {
    const ComputeSet cs = graph.addComputeSet({debug, "Normalise"});
    const std::string vertex = name("popnn::NormaliseRowPart");
    forParts([&](std::size_t row, std::size_t part) {
      const Chunks chunks = division.chunks(part);
      for (std::size_t c = 0; c != chunks.parts(); ++c) {
        const std::size_t begin = division.parts.begin(part) + chunks.begin(c);
        const std::size_t count = chunks.size(c);
        const VertexRef v = graph.addVertex(cs, vertex);
        connectElements(v, x[row].slice(begin, begin + count), begin, count);
        connectMoments(v, moments[row]);
        graph.setPerfEstimate(v, costs.rowPart(count, division.parts.parts()));
        graph.setTileMapping(v, tileOf(row, part));
      }
    });
    Tensor statistics;
    if (params.statistics)
      statistics = joinMoments(cs, moments);
    prog.add(Execute(cs, debug));
    return result(out, statistics);
  }

  Tensor joinMoments(const ComputeSet &cs, const Tensor &moments) {
    const Tensor statistics =
        graph.addVariable(FLOAT, {division.numRows, 2}, {debug, "statistics"});
    const std::string vertex =
        poputil::templateVertex("popnn::JoinRowMoments", params.centre);
    for (std::size_t row = 0; row != division.numRows; ++row) {
      const VertexRef v = graph.addVertex(cs, vertex);
      connectMoments(v, moments[row]);
      graph.connect(v["out"], statistics[row]);
      graph.setPerfEstimate(v, costs.join(division.parts.parts()));
      graph.setTileMapping(v, tileOf(row, 0));
      graph.setTileMapping(statistics[row], tileOf(row, 0));
    }
    return statistics;
  }

  RowNormResult result(const Tensor &out, const Tensor &statistics) const {
    if (!params.statistics)
      return {out, {}, {}};
    const Tensor byKind = statistics.transpose();
    return {out, byKind[0], byKind[1]};
  }

  Graph &graph;
  const RowNormParams &params;
  const DebugContext debug;
  const Type type;
  const Costs costs;
  const Division division;
  const std::size_t offset;
  const Tensor none, scale, shift;
  Tensor x;
};

void check(const Tensor &rows, const Tensor &scale, const Tensor &shift) {
  const Type type = rows.elementType();
  if (rows.rank() != 2 || (type != FLOAT && type != HALF))
    throw poplibs_error("popnn::normaliseRows: rows are floats or halves of "
                        "the shape [rows, elements], not " +
                        type.toString() + " of the shape " +
                        rows.shapeToString());
  for (const Tensor &t : {scale, shift})
    if (t.valid() &&
        (t.rank() != 1 || t.dim(0) != rows.dim(1) || t.elementType() != type))
      throw poplibs_error("popnn::normaliseRows: a scale or shift of type " +
                          t.elementType().toString() + " and shape " +
                          t.shapeToString() + " does not fit rows of type " +
                          type.toString() + " and shape " +
                          rows.shapeToString());
  if (shift.valid() && !scale.valid())
    throw poplibs_error("popnn::normaliseRows: a shift needs a scale");
}

/// Rows without elements have no mean.
RowNormResult withoutElements(Graph &graph, const Tensor &rows) {
  const Tensor none = graph.addConstant<float>(FLOAT, {1}, std::nanf(""))
                          .broadcast(static_cast<unsigned>(rows.dim(0)), 0);
  return {graph.addVariable(rows.elementType(), rows.shape()), none, none};
}

} // namespace

RowNormResult normaliseRows(Graph &graph, const Tensor &rows,
                            const Tensor &scale, const Tensor &shift,
                            const RowNormParams &params, Sequence &prog,
                            const DebugContext &debugContext) {
  check(rows, scale, shift);
  const DebugContext debug(debugContext, "RowNorm");
  if (rows.numElements() == 0)
    return withoutElements(graph, rows);
  return Normalisation(graph, rows, scale, shift, params, debug)
      .build(rows, prog);
}

} // namespace popnn
