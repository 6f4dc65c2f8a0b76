// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products and convolutions of random shapes with a random bound on the memory
// of their plans, from one that no plan keeps to plenty. Each is compiled for
// an emulated IPU and run; all its results are compared with sums in double,
// which are exact, for the operands are small whole numbers. What the compiled
// program has on its fullest tile beside operands and results is compared with
// what the plan said. BoundedPlanTest has a few dozen, utils/bench/random-plans
// runs thousands.

#ifndef POPULUS_TEST_UNIT_POPLIBS_RANDOMPLANS_H
#define POPULUS_TEST_UNIT_POPLIBS_RANDOMPLANS_H

#include "ConvChecks.h"

#include "lib/PopLibs/poplin/planning/MatMulPlan.h"

#include <nlohmann/json.hpp>
#include <poplin/MatMul.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace test {

/// The outcome of a plan.
struct PlanOutcome {
  std::string description;
  bool right = false;
  /// Bytes on the fullest tile: the bound, as planned, and in the program.
  double bound = 0, planned = 0, used = 0;
  std::size_t steps = 1, parts = 1;

  bool isBounded() const { return planned <= bound; }
  /// True if the program needs at most 10 % more than planned, not counting
  /// padding, and buffers so small that all compute sets keep them in one place
  /// (1/64 of a tile).
  bool keepsWord() const {
    constexpr double Share = 0.1, Small = 638976 / 64;
    return used <= planned * (1 + Share) + Small;
  }
};

class RandomPlan {
public:
  /// \p kind of device: "ipu" or "model".
  explicit RandomPlan(unsigned seed, std::string kind = "ipu")
      : random(seed), kind(std::move(kind)) {}

  PlanOutcome run() { return number(0, 1) ? product() : convolution(); }

private:
  std::mt19937 random;
  const std::string kind;
  std::ostringstream text;
  PlanOutcome outcome;
  std::string device;
  unsigned tiles = 0;
  poplar::Type type = poplar::FLOAT;
  bool halfSums = false;
  double proportion = 1;

  std::size_t number(std::size_t low, std::size_t high) {
    return low + random() % (high - low + 1);
  }
  /// Mostly multiples of the matrix unit's groups.
  std::size_t extent(std::size_t most) {
    const std::size_t n = number(1, most);
    return number(0, 2) ? (n + 15) / 16 * 16 : n;
  }

  /// Few tiles have no room for many operands, all the less if they are
  /// rearranged.
  std::size_t numberOfGroups() {
    return tiles < 16 || number(0, 3) ? 1 : number(2, 5);
  }

  void chooseSetting() {
    static const unsigned numbers[] = {3, 4, 7, 16, 24};
    tiles = numbers[number(0, 4)];
    device = kind + std::to_string(tiles);
    const std::size_t types = number(0, 2);
    type = types == 0 ? poplar::FLOAT : poplar::HALF;
    halfSums = types == 2;
    proportion = std::pow(2.0, -static_cast<double>(number(0, 40)) / 4);
    text << device << " " << type.toString() << (halfSums ? " half sums" : "")
         << " " << proportion << ": ";
  }

  poplar::OptionFlags options() const {
    return {{"availableMemoryProportion", std::to_string(proportion)},
            {"partialsType", halfSums ? "half" : "float"}};
  }
  poplin::CostModel model(const poplar::Graph &graph) const {
    return {graph.getTarget(), type, std::stod(std::to_string(proportion)),
            halfSums};
  }

  Values operand(const Shape &shape, unsigned seed) {
    return randomIntegers(test::product(shape), -1, 1, seed);
  }

  PlanOutcome product() {
    chooseSetting();
    const poplin::MatMulShape s{numberOfGroups(), extent(180), extent(400),
                                extent(180)};
    text << s.groups << " x " << s.rows << " x " << s.depth << " x "
         << s.columns;
    Program p(device);
    const Shape aShape{s.groups, s.rows, s.depth};
    const Shape bShape{s.groups, s.depth, s.columns};
    const poplin::CostModel cost = model(p.graph);
    const poplin::MatMulPlan plan = poplin::planMatMul(s, cost);
    outcome.bound =
        cost.beside(poplin::operandBytes(poplin::convolutionOf(s), cost))
            .bytesAvailable;
    outcome.planned = plan.memory;
    outcome.parts = plan.serial.parts;
    outcome.steps = plan.convolution.inSteps;
    const poplar::Tensor a = poplin::createMatMulGroupedInputLHS(
        p.graph, type, type, aShape, bShape, "operand", options());
    const poplar::Tensor b = poplin::createMatMulGroupedInputRHS(
        p.graph, type, type, aShape, bShape, "operand", options());
    const Values av = operand(aShape, 1), bv = operand(bShape, 2);
    p.write(a, av);
    p.write(b, bv);
    const poplar::Tensor out = poplin::matMulGrouped(
        p.graph, a, b, p.prog, type, "product", options());
    Values expected(s.groups * s.rows * s.columns);
    for (std::size_t g = 0; g != s.groups; ++g)
      for (std::size_t i = 0; i != s.rows; ++i)
        for (std::size_t k = 0; k != s.depth; ++k)
          for (std::size_t j = 0; j != s.columns; ++j)
            expected[(g * s.rows + i) * s.columns + j] +=
                av[(g * s.rows + i) * s.depth + k] *
                bv[(g * s.depth + k) * s.columns + j];
    return finish(p, out, expected);
  }

  PlanOutcome convolution() {
    chooseSetting();
    const std::size_t kernel = number(0, 1) ? 3 : 1;
    const bool padded = kernel == 3 && number(0, 1);
    const std::size_t groups = numberOfGroups();
    const std::size_t batch = number(1, 4);
    const Shape field{number(3, 14), number(3, 14)};
    const ConvParams params = withTypes(
        test::params(batch, field, {kernel, kernel}, extent(80), extent(100),
                     groups, padded ? transforms::padded : In{}, {},
                     number(0, 3) ? Out{} : transforms::strided),
        type, type);
    text << params.batchSize << " x " << params.numConvGroups << " x "
         << params.inputChannelsPerConvGroup << " x "
         << params.outputChannelsPerConvGroup << ", " << field[0] << " x "
         << field[1] << ", kernel " << kernel << (padded ? " padded" : "");
    Program p(device);
    const poplin::ConvShape s = poplin::convShape(params);
    const poplin::CostModel cost = model(p.graph);
    const poplin::ConvPlan plan = poplin::planConv(s, cost);
    outcome.bound = cost.beside(poplin::operandBytes(s, cost)).bytesAvailable;
    outcome.planned = plan.memory();
    outcome.parts = plan.serial.parts;
    outcome.steps = plan.inSteps;
    const poplar::Tensor in = groupedInput(p.graph, params, plan.width.in);
    const poplar::Tensor weights =
        poplin::createWeights(p.graph, params, "operand", options());
    const Values iv = operand(inShape(params), 1);
    const Values wv = operand(weightsShape(params), 2);
    p.write(in, iv);
    p.write(weights, wv);
    const poplar::Tensor out = poplin::convolution(
        p.graph, in, weights, params, false, p.prog, "conv", options());
    return finish(p, out, reference(params, iv, wv));
  }

  /// An input as other convolutions leave it: channels in groups, if that is
  /// possible.
  poplar::Tensor groupedInput(poplar::Graph &graph, const ConvParams &params,
                              std::size_t width) const {
    const std::size_t channels = params.inputChannelsPerConvGroup;
    if (channels % width != 0)
      width = 1;
    const poplar::Tensor t = graph.addVariable(
        type,
        {params.batchSize, params.numConvGroups, channels / width,
         params.inputFieldShape[0], params.inputFieldShape[1], width},
        "operand");
    poputil::mapTensorLinearly(graph, t, 1, width);
    return t.dimShuffle({0, 1, 2, 5, 3, 4}).reshape(inShape(params));
  }

  PlanOutcome finish(Program &p, const poplar::Tensor &out,
                     const Values &expected) {
    const std::string file =
        (std::filesystem::temp_directory_path() /
         ("random-plan-" + std::to_string(::getpid()) + ".json"))
            .string();
    p.engineOptions.set("debug.loweredVarDumpFile", file);
    outcome.right = p.valuesOf(out) == expected;
    outcome.used = usedOn(file);
    std::remove(file.c_str());
    outcome.description = text.str();
    return outcome;
  }

  /// Bytes on the fullest tile, except operands and results, which share memory
  /// with nothing.
  static double usedOn(const std::string &file) {
    std::ifstream in(file);
    std::map<unsigned, std::vector<std::pair<std::size_t, std::size_t>>> tiles;
    for (const auto &place : nlohmann::json::parse(in)) {
      const std::string name = place["name"];
      const std::size_t begin = place["address"], bytes = place["bytes"];
      const bool isResult =
          name.ends_with("/out") && place["alwaysLive"].get<bool>();
      if (name != "operand" && !isResult && !name.ends_with("/Zeros"))
        tiles[place["tile"]].emplace_back(begin, begin + bytes);
    }
    std::size_t most = 0;
    for (auto &[tile, ranges] : tiles) {
      std::sort(ranges.begin(), ranges.end());
      std::size_t bytes = 0, end = 0;
      for (const auto &[first, last] : ranges) {
        bytes += std::max(last, end) - std::max(first, end);
        end = std::max(end, last);
      }
      most = std::max(most, bytes);
    }
    return static_cast<double>(most);
  }
};

} // namespace test

#endif
