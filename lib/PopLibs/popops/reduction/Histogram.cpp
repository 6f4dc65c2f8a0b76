// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts for each level the elements at or above it; neighbouring counts differ
// by what is between the levels.

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <popops/GatherStatistics.hpp>
#include <popops/Reduce.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popops {
namespace {

bool parseFloatResult(const OptionFlags &options) {
  bool floatResult = false, ignored = false;
  poplibs::OptionSpec({{"useFloatArithmetic",
                        poplibs::OptionHandler::createWithBool(floatResult)},
                       {"useFloatArithmeticWithUnsignedIntOutput",
                        poplibs::OptionHandler::createWithBool(ignored)}})
      .parse(options);
  return floatResult;
}

/// Counts as UNSIGNED_INT.
Tensor countRanges(Graph &graph, const Tensor &input, const Tensor &levels,
                   bool absolute, Sequence &prog, const DebugContext &dc) {
  if (levels.rank() != 1 || levels.numElements() == 0 ||
      levels.elementType() != input.elementType())
    throw poplibs_error("popops::histogram: levels of shape " +
                        levels.shapeToString() + " and type " +
                        levels.elementType().toString() +
                        "; they must be a vector of the input's type, " +
                        input.elementType().toString());
  const Tensor flat =
      absolute ? abs(graph, input, prog, dc).flatten() : input.flatten();
  const Tensor all =
      graph.addVariable(UNSIGNED_INT, {1}, VariableMappingMethod::LINEAR, dc);
  fill<unsigned>(graph, all, prog, static_cast<unsigned>(flat.numElements()),
                 dc);
  std::vector<Tensor> above{all};
  for (std::size_t i = 0; i != levels.numElements(); ++i) {
    const Tensor reached = gteq(graph, flat, levels.slice(i, i + 1), prog, dc);
    above.push_back(reduce(graph, cast(graph, reached, UNSIGNED_INT, prog, dc),
                           {0}, Operation::ADD, prog, dc)
                        .reshape({1}));
  }
  const Tensor from = concat(above);
  const std::size_t last = levels.numElements();
  const Tensor between =
      sub(graph, from.slice(0, last), from.slice(1, last + 1), prog, dc);
  return concat(between, from.slice(last, last + 1));
}

} // namespace

Tensor histogram(Graph &graph, const Tensor &input, const Tensor &levels,
                 bool absoluteOfInput, Sequence &prog,
                 const DebugContext &debugContext, const OptionFlags &options) {
  const bool floatResult = parseFloatResult(options);
  const DebugContext dc(debugContext, "Histogram");
  const Tensor counts =
      countRanges(graph, input, levels, absoluteOfInput, prog, dc);
  return floatResult ? cast(graph, counts, FLOAT, prog, dc) : counts;
}

void histogram(Graph &graph, const Tensor &input, Tensor &output,
               bool updateOutput, const Tensor &levels, bool absoluteOfInput,
               Sequence &prog, const DebugContext &debugContext,
               const OptionFlags &options) {
  parseFloatResult(options);
  const DebugContext dc(debugContext, "Histogram");
  const Tensor counts =
      cast(graph, countRanges(graph, input, levels, absoluteOfInput, prog, dc),
           output.elementType(), prog, dc);
  if (output.shape() != counts.shape())
    throw poplibs_error("popops::histogram: an output of shape " +
                        output.shapeToString() + " for " +
                        std::to_string(levels.numElements()) + " levels");
  if (updateOutput)
    addInPlace(graph, output, counts, prog, dc);
  else
    prog.add(Copy(counts, output, false, dc));
}

} // namespace popops
