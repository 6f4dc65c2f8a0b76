// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Description of plans before a program exists: the plan in words, its
// estimated cost, and a comparison with the peak of the matrix units.

#include "lib/PopLibs/poplin/convolution/ConvFold.h"
#include "lib/PopLibs/poplin/convolution/ConvOperands.h"
#include "lib/PopLibs/poplin/convolution/ConvPhases.h"
#include "lib/PopLibs/poplin/convolution/DiagonalGroups.h"
#include "lib/PopLibs/poplin/planning/MatrixForm.h"
#include "lib/PopLibs/poplin/planning/PlanningCacheImpl.h"

#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <ostream>

using namespace poplar;

namespace poplin {
namespace {

/// A convolution in its planned form, and its costs. The plan's own cost
/// includes a penalty for exceeding the available memory, which is not part of
/// the reported cycles.
struct Planned {
  ConvShape shape;
  ConvPlan plan;
  PlanCosts costs;

  Planned(const Graph &graph, ConvParams params, const OptionFlags &options,
          PlanningCache *cache) {
    const Options parsed = parseConvOptions(options, params.outputType);
    params.validate();
    params = plannedParams(params);
    while (params.getNumFieldDims() > MaxFieldDims)
      params = foldParams(params);
    shape = convShape(params);
    plan = getConvPlan(graph, shape, params.inputType, parsed, cache);
    const CostModel model(graph.getTarget(), params.inputType,
                          parsed.availableMemoryProportion, parsed.halfSums);
    const double penalty =
        model.beside(operandBytes(shape, model)).memory(plan.memory());
    costs = {static_cast<std::size_t>(std::max(0.0, plan.cost - penalty)),
             static_cast<std::size_t>(plan.memory())};
  }
};

const char *nameOf(ConvMethod method) {
  switch (method) {
  case ConvMethod::Matrix:
    return "matrix unit";
  case ConvMethod::Channelwise:
    return "channel by channel";
  default:
    return "direct";
  }
}

const char *nameOf(SerialSplit::Dim dim) {
  switch (dim) {
  case SerialSplit::Groups:
    return "groups";
  case SerialSplit::OutChannels:
    return "output channels";
  default:
    return "batch";
  }
}

const char *foldName(KernelFold fold) {
  switch (fold) {
  case KernelFold::All:
    return ", taps of the kernel as channels";
  case KernelFold::Rows:
    return ", taps of the kernel's columns as channels";
  default:
    return "";
  }
}

template <class Parts>
void print(std::ostream &out, const char *name, const Parts &partition) {
  out << "  " << name << ": " << partition.extent << " in " << partition.parts
      << (partition.parts == 1 ? " part\n" : " parts\n");
}

void print(std::ostream &out, const ConvPlan &plan) {
  out << "  method: " << nameOf(plan.method) << foldName(plan.fold)
      << (plan.halfSums ? ", sums in half" : "") << "\n";
  if (plan.groupsTogether != 1)
    out << "  groups taken for one: " << plan.groupsTogether << "\n";
  if (plan.width.in != 1 || plan.width.out != 1)
    out << "  channels in groups of: " << plan.width.in << " (input), "
        << plan.width.out << " (output)\n";
  if (plan.serial.parts != 1)
    out << "  one after the other: " << plan.serial.parts << " parts of the "
        << nameOf(plan.serial.dim) << "\n";
  print(out, "output channels", plan.outChannels);
  if (plan.method == ConvMethod::Matrix)
    print(out, "positions", plan.positions);
  else
    print(out, "rows", plan.rows);
  if (plan.method == ConvMethod::Channelwise)
    print(out, "columns", plan.columns);
  print(out, "input channels", plan.inChannels);
  if (plan.inSteps != 1)
    out << "  each of them in " << plan.inSteps << " steps\n";
  out << "  blocks on tiles: " << plan.tiles.pieces << ", at most "
      << plan.tiles.piecesPerTile() << " on one of " << plan.tiles.tiles
      << "\n";
}

/// Products of elements along a dimension of the field.
std::uint64_t productsAlong(const ConvParams &params, unsigned dim) {
  std::uint64_t products = 0;
  for (unsigned out = 0; out != params.getOutputSize(dim); ++out)
    for (unsigned tap = 0; tap != params.kernelShape[dim]; ++tap)
      products += getInputIndex(dim, out, tap, params) != ~0U;
  return products;
}

/// The products that the matrix units of a target make in a cycle.
double productsPerCycle(const Target &target, const Type &type) {
  return static_cast<double>(target.getNumTiles()) *
         target.getNumConvUnits(type, FLOAT) *
         target.getConvUnitInputLoadElemsPerCycle(type);
}

std::vector<std::size_t> grouped(std::vector<std::size_t> shape) {
  shape.insert(shape.begin(), 1);
  return shape;
}

} // namespace

void reportPlanInfo(std::ostream &out, const Graph &graph,
                    const ConvParams &params, const OptionFlags &options,
                    PlanningCache *cache) {
  const Planned planned(graph, params, options, cache);
  out << params << "plan:\n";
  print(out, planned.plan);
  out << "  estimated cycles: " << planned.costs.cycles
      << "\n  estimated memory: " << planned.costs.memory << " bytes\n";
}

void reportWeightUpdatePlanInfo(std::ostream &out, const Graph &graph,
                                const ConvParams &fwdParams,
                                const OptionFlags &fwdOptions,
                                PlanningCache *cache) {
  reportPlanInfo(out, graph, getWeightUpdateParams(fwdParams), fwdOptions,
                 cache);
}

PlanCosts reportPlanEstimatedCosts(const Graph &graph, const ConvParams &params,
                                   const OptionFlags &options,
                                   PlanningCache *cache) {
  return Planned(graph, params, options, cache).costs;
}

std::uint64_t getFwdFlops(const ConvParams &params) {
  std::uint64_t products = params.batchSize * params.numConvGroups *
                           params.inputChannelsPerConvGroup *
                           params.outputChannelsPerConvGroup;
  for (unsigned dim = 0; dim != params.getNumFieldDims(); ++dim)
    products *= productsAlong(params, dim);
  return 2 * products;
}

std::uint64_t getBwdFlops(const ConvParams &params) {
  return getFwdFlops(params);
}

std::uint64_t getWuFlops(const ConvParams &params) {
  return getFwdFlops(params);
}

double getFwdPerfectCycleCount(const Graph &graph, const ConvParams &params) {
  return static_cast<double>(getFwdFlops(params)) / 2 /
         productsPerCycle(graph.getTarget(), params.inputType);
}

double getBwdPerfectCycleCount(const Graph &graph, const ConvParams &params) {
  return getFwdPerfectCycleCount(graph, params);
}

double getWuPerfectCycleCount(const Graph &graph, const ConvParams &params) {
  return getFwdPerfectCycleCount(graph, params);
}

void matMulGroupedReportPlan(std::ostream &out, const Graph &graph,
                             const Type &inputType, const Type &outputType,
                             const std::vector<std::size_t> &aShape,
                             const std::vector<std::size_t> &bShape,
                             const OptionFlags &options, PlanningCache *cache) {
  const Options parsed = parseMatMulOptions(options, outputType);
  if (aShape.size() != 3 || bShape.size() != 3 || aShape[0] != bShape[0] ||
      aShape[2] != bShape[1])
    throw poputil::poplibs_error("poplin::matMulReportPlan: the shapes do not "
                                 "go together; they must be [G,M,K] and "
                                 "[G,K,N]");
  const MatMulShape shape{aShape[0], aShape[1], aShape[2], bShape[2]};
  const MatMulPlan plan = getMatMulPlan(graph, shape, inputType, parsed, cache);
  out << "product of " << inputType << " to " << outputType
      << "\n  groups: " << shape.groups << "\n  rows: " << shape.rows
      << "\n  depth: " << shape.depth << "\n  columns: " << shape.columns
      << "\nplan:\n";
  if (plan.convolution.method == ConvMethod::Matrix) {
    print(out, plan.convolution);
    return;
  }
  out << "  method: direct\n";
  print(out, "rows", plan.rows);
  print(out, "columns", plan.columns);
  print(out, "depth", plan.depth);
}

void matMulReportPlan(std::ostream &out, const Graph &graph,
                      const Type &inputType, const Type &outputType,
                      const std::vector<std::size_t> &aShape,
                      const std::vector<std::size_t> &bShape,
                      const OptionFlags &options, PlanningCache *cache) {
  matMulGroupedReportPlan(out, graph, inputType, outputType, grouped(aShape),
                          grouped(bShape), options, cache);
}

} // namespace poplin
