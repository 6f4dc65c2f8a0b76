// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CtcBeamSearchDecoder of Graphcore's domain: beam search for the most probable
// label sequences under connectionist temporal classification (CTC). It keeps
// the best `beam_width` sequences from each time step to the next.
//
// A beam is a label sequence with two log probabilities: of its alignments that
// end in a blank, and of those that end in its last label. A step keeps a beam
// (by a blank, or its last label again) or extends it by a label. Example: with
// beams "a" and "ab", extending "a" by `b` is added to "ab", so that beams stay
// distinct. The best candidates survive. Unused beams have probability zero.
//
// Results: negative log probabilities of the `top_paths` best sequences, best
// first; their lengths; their labels, padded with blanks.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Ops/Elementwise/Expressions.h"
#include "lib/PopART/Ops/Indexing/Indexing.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <poplin/MatMul.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Loop.hpp>
#include <popops/Reduce.hpp>
#include <popops/TopK.hpp>
#include <poputil/Util.hpp>

#include <algorithm>
#include <limits>

namespace populus::popir {

namespace {

using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Sequence;

/// The state of all beams: [N, W]; labels are [N, W, T].
struct Beams {
  Tensor blankEnd, labelEnd; // log probabilities
  Tensor last, length, labels;
};

/// One time step, added to `program`.
class Step {
public:
  Step(poplar::Graph &graph, Sequence &program,
       const poplar::DebugContext &debug, const Beams &beams, int blank)
      : graph(graph), program(program), debug(debug), beams(beams),
        blank(blank), batch(beams.labels.dim(0)), width(beams.labels.dim(1)),
        steps(beams.labels.dim(2)) {}

  /// Advances by the class log probabilities [N, C]. `goesOn` [N, 1] is true
  /// for sequences that have not ended; `places` counts from 0.
  void run(const Tensor &logs, const Tensor &goesOn, const Tensor &places) {
    const std::size_t count = logs.dim(1);
    const Tensor classes = places.slice(0, count);
    total = map(logSum(expr::_1, expr::_2), {beams.blankEnd, beams.labelEnd});
    const Tensor isLast =
        map(expr::Equal(expr::_1, expr::_2), {beams.last.expand({2}), classes});
    const Tensor lastLog =
        reduce(map(expr::Select(expr::_1, expr::Const(LogOfZero), expr::_2),
                   {logs.expand({1}), isLast}),
               popops::Operation::MAX);
    const Tensor joined = joins();
    const Tensor blankEnd =
        map(expr::Select(expr::_1 + expr::_2, expr::_3, expr::_4),
            {total, logs.slice(blank, blank + 1, 1), beams.blankEnd, goesOn});
    const Tensor labelEnd = map(
        expr::Select(logSum(expr::_1 + expr::_2, expr::_3), expr::_1, expr::_4),
        {beams.labelEnd, lastLog, joining(lastLog, joined), goesOn});
    const Tensor extended = extensions(logs, classes, isLast, joined, goesOn)
                                .reshape({batch, width * count});
    const Tensor staying =
        map(logSum(expr::_1, expr::_2), {blankEnd, labelEnd});
    choose(poplar::concat(staying, extended, 1), blankEnd, labelEnd,
           static_cast<int>(count), places);
  }

private:
  Tensor map(const expr::Expr &value, const std::vector<Tensor> &operands) {
    return popops::map(graph, value, operands, program, debug);
  }
  /// Reduces and removes the last dimension.
  Tensor reduce(const Tensor &x, popops::Operation operation) {
    return popops::reduce(graph, x, {x.rank() - 1}, {operation}, program,
                          debug);
  }

  /// [N, j, i]: true if beam j is beam i plus one label. The two then differ in
  /// exactly one place, since sequences are padded with blanks. Unused beams
  /// join nothing.
  Tensor joins() {
    const Tensor differs =
        map(expr::Cast(expr::NotEqual(expr::_1, expr::_2), poplar::FLOAT),
            {beams.labels.expand({2}), beams.labels.expand({1})});
    return map(
        expr::And(expr::And(expr::Equal(expr::_1, expr::Const(1.0F)),
                            expr::Equal(expr::_2, expr::_3 + expr::Const(1))),
                  expr::Gt(expr::_4, expr::Const(0.1F * LogOfZero))),
        {reduce(differs, popops::Operation::ADD), beams.length.expand({2}),
         beams.length.expand({1}), total.expand({2})});
  }

  /// [N, j]: the log probability that another beam turns into beam j.
  Tensor joining(const Tensor &lastLog, const Tensor &joined) {
    return reduce(
        map(expr::Select(expr::_1 +
                             expr::Select(expr::_2, expr::_3,
                                          expr::Equal(expr::_4, expr::_5)),
                         expr::Const(LogOfZero), expr::_6),
            {lastLog.expand({2}), beams.blankEnd.expand({1}), total.expand({1}),
             beams.last.expand({2}), beams.last.expand({1}), joined}),
        popops::Operation::MAX);
  }

  /// [N, i, C]: log probabilities of extensions that are not beams yet. To
  /// repeat its last label, a beam must end in a blank.
  Tensor extensions(const Tensor &logs, const Tensor &classes,
                    const Tensor &isLast, const Tensor &joined,
                    const Tensor &goesOn) {
    const expr::Any asFloat = expr::Cast(expr::_1, poplar::FLOAT);
    const Tensor taken = poplin::matMulGrouped(
        graph, map(asFloat, {joined}).dimShuffle({0, 2, 1}),
        map(asFloat, {isLast}), program, poplar::FLOAT, debug);
    const expr::Any before = expr::Select(expr::_2, expr::_3, expr::_4);
    const expr::Any isOpen =
        expr::And(expr::And(expr::Equal(expr::_5, expr::Const(0.0F)),
                            expr::NotEqual(expr::_6, expr::Const(blank))),
                  expr::_7);
    return map(expr::Select(expr::_1 + before, expr::Const(LogOfZero), isOpen),
               {logs.expand({1}), beams.blankEnd.expand({2}), total.expand({2}),
                isLast, taken, classes, goesOn.expand({2})});
  }

  /// Selects the best candidates as the new beams. Candidates are the kept
  /// beams, then the extended ones, beam by beam.
  void choose(const Tensor &candidates, const Tensor &blankEnd,
              const Tensor &labelEnd, int count, const Tensor &places) {
    const auto [values, chosen] = popops::topKWithPermutation(
        graph, program, candidates,
        {static_cast<unsigned>(width), true, popops::SortOrder::DESCENDING},
        debug);
    const expr::Const w(static_cast<int>(width)), c(count);
    const Tensor choice = map(expr::Cast(expr::_1, poplar::INT), {chosen});
    const Tensor stays = map(expr::Lt(expr::_1, w), {choice});
    const Tensor label = map(expr::Rem(expr::_1 - w, c), {choice});
    const Tensor rows =
        map(expr::Cast(expr::Select(expr::_1, (expr::_1 - w) / c, expr::_2) +
                           expr::_3 * w,
                       poplar::UNSIGNED_INT),
            {choice, stays, places.slice(0, batch).expand({1})});
    const Tensor numbers =
        rowsOf(poplar::concat({beams.labels, beams.length.expand({2}),
                               beams.last.expand({2})},
                              2),
               rows);
    const Tensor logs = rowsOf(
        poplar::concat(blankEnd.expand({2}), labelEnd.expand({2}), 2), rows);
    const Tensor length = column(numbers, steps);
    set(beams.blankEnd,
        map(expr::Select(expr::_1, expr::Const(LogOfZero), expr::_2),
            {column(logs, 0), stays}));
    set(beams.labelEnd, map(expr::Select(expr::_1, expr::_2, expr::_3),
                            {column(logs, 1), values, stays}));
    set(beams.last, map(expr::Select(expr::_1, expr::_2, expr::_3),
                        {column(numbers, steps + 1), label, stays}));
    set(beams.length,
        map(expr::Select(expr::_1, expr::_1 + expr::Const(1), expr::_2),
            {length, stays}));
    set(beams.labels,
        map(expr::Select(expr::_1, expr::_2,
                         expr::And(expr::Not(expr::_3),
                                   expr::Equal(expr::_4, expr::_5))),
            {label.expand({2}), numbers.slice(0, steps, 2), stays.expand({2}),
             length.expand({2}), places.slice(0, steps)}));
  }

  /// Rows [N, W] of a table [N, W, columns].
  Tensor rowsOf(const Tensor &table, const Tensor &rows) {
    return popops::multiSlice(graph, table.flatten(0, 2),
                              rows.flatten().expand({1}), {0}, {1}, program,
                              popops::SlicePlan(), {}, debug)
        .reshape(table.shape());
  }
  static Tensor column(const Tensor &table, std::size_t index) {
    return table.slice(index, index + 1, 2).squeeze({2});
  }
  void set(const Tensor &state, const Tensor &value) {
    program.add(Copy(value, state, false, debug));
  }

  poplar::Graph &graph;
  Sequence &program;
  const poplar::DebugContext &debug;
  const Beams &beams;
  const int blank;
  const std::size_t batch, width, steps;
  Tensor total; // [N, W]: log probabilities of the beams
};

class CtcBeamSearch final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    const Shape &p = inputShape(LogProbabilities);
    if (p.size() != 3 || p[0] < 1 || p[1] < 1 ||
        inputShape(Lengths) != Shape{p[1]})
      failInput(fmt::format("log probabilities {} and lengths {} do not go "
                            "together; they are [T, N, C] and [N]",
                            toString(p), toString(inputShape(Lengths))));
    if (blank() < 0 || blank() >= p[2])
      failInput(fmt::format("its blank {} is not a class", blank()));
    if (width() < 1 || paths() < 1 || paths() > width())
      failInput(
          fmt::format("it cannot give {} paths of {} beams", paths(), width()));
    return {{input(0).info.type, {p[1], paths()}},
            {DataType::UInt32, {p[1], paths()}},
            {DataType::UInt32, {p[1], paths(), p[0]}}};
  }

  void lower(Lowering &lowering) const override {
    const Beams beams = firstBeams(lowering);
    addSteps(lowering, beams);
    const auto best = static_cast<std::size_t>(paths());
    const Tensor cost =
        mapped(lowering, *this,
               expr::Select(expr::Const(std::numeric_limits<float>::infinity()),
                            -expr::_1,
                            expr::Lt(expr::_1, expr::Const(0.1F * LogOfZero))),
               {mapped(lowering, *this, logSum(expr::_1, expr::_2),
                       {beams.blankEnd, beams.labelEnd})});
    const Tensor results[] = {cost, beams.length, beams.labels};
    for (std::size_t i = 0; i != 3; ++i)
      if (hasOutput(i))
        lowering.setOutput(
            *this,
            popops::cast(lowering.graph(), results[i].slice(0, best, 1),
                         deviceType(output(i).info.type), lowering.program(),
                         lowering.debug(*this)),
            i);
  }

private:
  enum Input : std::size_t { LogProbabilities, Lengths };

  std::int64_t blank() const { return attributes().getInt("blank", 0); }
  std::int64_t width() const { return attributes().getInt("beam_width", 100); }
  std::int64_t paths() const { return attributes().getInt("top_paths", 1); }

  /// A variable that is `value` everywhere.
  Tensor variable(Lowering &lowering, const Shape &shape, DataType type,
                  double value) const {
    return poputil::duplicate(lowering.graph(),
                              filled(lowering, *this, shape, type, value),
                              lowering.program(), lowering.debug(*this));
  }

  /// Only the empty sequence; all other beams are unused.
  Beams firstBeams(Lowering &lowering) const {
    const std::int64_t steps = inputShape(0)[0], batch = inputShape(0)[1];
    const Shape shape = {batch, width()};
    const auto none = static_cast<double>(LogOfZero);
    Tensor first = filled(lowering, *this, {batch, 1}, DataType::Float, 0);
    if (width() > 1)
      first = poplar::concat(
          first,
          filled(lowering, *this, {batch, width() - 1}, DataType::Float, none),
          1);
    const auto noLabel = static_cast<double>(blank());
    return {
        poputil::duplicate(lowering.graph(), first, lowering.program(),
                           lowering.debug(*this)),
        variable(lowering, shape, DataType::Float, none),
        variable(lowering, shape, DataType::Int32, noLabel),
        variable(lowering, shape, DataType::Int32, 0),
        variable(lowering, {batch, width(), steps}, DataType::Int32, noLabel)};
  }

  void addSteps(Lowering &lowering, const Beams &beams) const {
    poplar::Graph &graph = lowering.graph();
    const poplar::DebugContext debug = lowering.debug(*this);
    const Shape &shape = inputShape(LogProbabilities);
    // Clamp log(0), so that arithmetic stays finite.
    const Tensor logs =
        mapped(lowering, *this, expr::Max(expr::_1, expr::Const(LogOfZero)),
               {castInput(lowering, *this, LogProbabilities, poplar::FLOAT)});
    const Tensor lengths =
        castInput(lowering, *this, Lengths, poplar::INT).expand({1});
    const Tensor counting = countingRow(
        lowering, *this,
        static_cast<std::size_t>(std::max({shape[0], shape[1], shape[2]})));
    if (shape[0] != 0)
      lowering.program().add(popops::countedLoop(
          graph, static_cast<std::size_t>(shape[0]),
          [&](const Tensor &index) {
            Sequence body;
            const Tensor now = popops::dynamicSlice(
                graph, logs, index.reshape({1}), {0}, {1}, body, debug)[0];
            const Tensor goesOn = popops::map(
                graph, expr::Lt(expr::Cast(expr::_1, poplar::INT), expr::_2),
                {index.reshape({1, 1}), lengths}, body, debug);
            Step(graph, body, debug, beams, static_cast<int>(blank()))
                .run(now, goesOn, counting);
            return body;
          },
          debug));
  }
};

const RegisterOp<CtcBeamSearch> registration("CtcBeamSearchDecoder", {1},
                                             "ai.graphcore", 2);

} // namespace

} // namespace populus::popir
