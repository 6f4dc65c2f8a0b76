// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands are made on graphs that are thrown away: they are laid out by the
// plan, which stays in the cache.

#include <poplin/ConvPreplan.hpp>
#include <poplin/FullyConnected.hpp>
#include <poputil/exceptions.hpp>
#include <pvti/pvti.hpp>

#include <tuple>

using namespace poplar;

namespace poplin {
namespace {

template <class Params> void checkParams(const Params &params) {
  if (!std::get<0>(params) || !std::get<2>(params))
    throw poputil::poplibs_error(
        "poplin::preplan: target and options must not be null");
}

} // namespace

bool operator<(const MatMulParams &a, const MatMulParams &b) {
  return std::tie(a.inputType, a.outputType, a.aShape, a.bShape) <
         std::tie(b.inputType, b.outputType, b.aShape, b.bShape);
}

void preplanConvolutions(const std::set<ConvPlanParams> &convs,
                         PlanningCache &cache) {
  for (const ConvPlanParams &conv : convs) {
    checkParams(conv);
    Graph scratch(*std::get<0>(conv));
    createWeights(scratch, std::get<1>(conv), "preplan", *std::get<2>(conv),
                  &cache);
  }
}

void preplanConvolutions(Graph &, const std::set<ConvPlanParams> &convs,
                         PlanningCache &cache) {
  preplanConvolutions(convs, cache);
}

void preplanMatMuls(const std::set<MatMulPlanParams> &matmuls,
                    PlanningCache &cache) {
  for (const MatMulPlanParams &matmul : matmuls) {
    checkParams(matmul);
    const MatMulParams &params = std::get<1>(matmul);
    Graph scratch(*std::get<0>(matmul));
    createMatMulGroupedInputRHS(scratch, params.inputType, params.outputType,
                                params.aShape, params.bShape, "preplan",
                                *std::get<2>(matmul), &cache);
  }
}

void preplan(const std::set<ConvPlanParams> &convs,
             const std::set<MatMulPlanParams> &matmuls, PlanningCache &cache) {
  const pvti::Tracepoint span(&pvti::tracePoplar, "poplin::preplan");
  preplanConvolutions(convs, cache);
  preplanMatMuls(matmuls, cache);
}

namespace fc {

std::vector<std::pair<MatMulParams, OptionFlags>>
getMatMulPrePlanParameters(FullyConnectedParams p, OptionFlags matmulOptions,
                           Type type, bool inferenceOnly) {
  const auto product = [&](std::size_t rows, std::size_t depth,
                           std::size_t columns, const char *pass) {
    OptionFlags options = matmulOptions;
    options.set("fullyConnectedPass", pass);
    return std::make_pair(MatMulParams{type,
                                       type,
                                       {p.numGroups, rows, depth},
                                       {p.numGroups, depth, columns}},
                          options);
  };
  if (inferenceOnly)
    return {product(p.batchSize, p.inputSize, p.outputSize, "INFERENCE_FWD")};
  return {product(p.batchSize, p.inputSize, p.outputSize, "TRAINING_FWD"),
          product(p.batchSize, p.outputSize, p.inputSize, "TRAINING_BWD"),
          product(p.inputSize, p.batchSize, p.outputSize, "TRAINING_WU")};
}

} // namespace fc
} // namespace poplin
