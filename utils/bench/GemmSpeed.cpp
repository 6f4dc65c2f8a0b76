// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures one matrix product on an emulated IPU: modelled speed, its share of
// what the matrix units can do, the memory of the fullest tile, and the host's
// time to build and compile it. The operands are whole numbers so small that
// all sums are exact in every type, and every result is checked: both sides are
// multiplied with a random vector in double. utils/bench/gemm runs many and
// prints the table.
//
// usage: GemmSpeed TARGET float|half|half-partials GROUPS ROWS DEPTH COLUMNS
//                  [PROPORTION]

#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>
#include <string>
#include <vector>

using namespace poplar;

namespace {

double seconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct Case {
  std::string target;
  bool isHalf, halfPartials;
  std::size_t groups, rows, depth, columns;
  std::string proportion;

  Type type() const { return isHalf ? HALF : FLOAT; }
  double products() const {
    return static_cast<double>(groups) * rows * depth * columns;
  }
};

using Values = std::vector<double>;

Values wholeNumbers(std::size_t count, unsigned seed, int limit) {
  std::mt19937 random(seed);
  Values values(count);
  for (double &value : values)
    value = static_cast<int>(random() % (2 * limit + 1)) - limit;
  return values;
}

/// Values as the device has them, and back.
std::vector<char> toDevice(const Target &target, const Type &type,
                           const Values &values) {
  std::vector<char> bytes(values.size() * target.getTypeSize(type));
  if (type == HALF) {
    copyDoubleToDeviceHalf(target, values.data(), bytes.data(), values.size());
  } else {
    const std::vector<float> floats(values.begin(), values.end());
    std::memcpy(bytes.data(), floats.data(), bytes.size());
  }
  return bytes;
}

Values fromDevice(const Target &target, const Type &type,
                  const std::vector<char> &bytes) {
  Values values(bytes.size() / target.getTypeSize(type));
  if (type == HALF) {
    copyDeviceHalfToDouble(target, bytes.data(), values.data(), values.size());
  } else {
    std::vector<float> floats(values.size());
    std::memcpy(floats.data(), bytes.data(), bytes.size());
    std::copy(floats.begin(), floats.end(), values.begin());
  }
  return values;
}

/// A matrix [rows][columns] times a vector.
Values times(const double *matrix, std::size_t rows, const Values &vector) {
  Values result(rows);
  for (std::size_t i = 0; i != rows; ++i, matrix += vector.size())
    for (std::size_t j = 0; j != vector.size(); ++j)
      result[i] += matrix[j] * vector[j];
  return result;
}

/// Returns true if C x = A (B x) for a random vector x in all groups.
bool isRight(const Case &c, const Values &A, const Values &B, const Values &C) {
  const Values x = wholeNumbers(c.columns, 3, 1000);
  for (std::size_t g = 0; g != c.groups; ++g) {
    const Values product =
        times(&A[g * c.rows * c.depth], c.rows,
              times(&B[g * c.depth * c.columns], c.depth, x));
    if (times(&C[g * c.rows * c.columns], c.rows, x) != product)
      return false;
  }
  return true;
}

/// Peak number of products per cycle of the target's matrix units: four times
/// as many for halves as for floats.
double peakProducts(const Target &target, const Type &type) {
  return static_cast<double>(target.getNumTiles()) *
         target.getNumConvUnits(FLOAT, FLOAT) *
         target.getConvUnitInputLoadElemsPerCycle(FLOAT) *
         (type == HALF ? 4 : 1);
}

std::size_t fullestTile(const ProfileValue &profile) {
  std::size_t most = 0;
  for (const ProfileValue &bytes :
       profile["memory"]["byTile"]["totalIncludingGaps"].asVector())
    most = std::max<std::size_t>(most, bytes.asUint());
  return most;
}

int run(const Case &c) {
  const Device device =
      Device::createSimulatorDevice(Target::createIPUTarget(1, c.target));
  const double begin = seconds();
  Graph graph(device.getTarget());
  poplin::addCodelets(graph);
  popops::addCodelets(graph);
  const std::vector<std::size_t> aShape{c.groups, c.rows, c.depth};
  const std::vector<std::size_t> bShape{c.groups, c.depth, c.columns};
  const OptionFlags options{{"partialsType", c.halfPartials ? "half" : "float"},
                            {"availableMemoryProportion", c.proportion}};
  poplin::PlanningCache cache;
  const Tensor a = poplin::createMatMulGroupedInputLHS(
      graph, c.type(), c.type(), aShape, bShape, "a", options, &cache);
  const Tensor b = poplin::createMatMulGroupedInputRHS(
      graph, c.type(), c.type(), aShape, bShape, "b", options, &cache);
  program::Sequence program;
  const Tensor out = poplin::matMulGrouped(graph, a, b, program, c.type(),
                                           "product", options, &cache);
  graph.createHostWrite("a", a);
  graph.createHostWrite("b", b);
  graph.createHostRead("out", out);
  if (std::getenv("GEMM_PLAN"))
    poplin::matMulGroupedReportPlan(std::cerr, graph, c.type(), c.type(),
                                    aShape, bShape, options, &cache);
  Engine engine(graph, program);
  const double compiled = seconds() - begin;
  engine.load(device);
  const Target &target = device.getTarget();
  // Sums of products of halves stay below 2,048.
  const int limit = c.isHalf ? 1 : 2;
  const Values A = wholeNumbers(a.numElements(), 1, limit);
  const Values B = wholeNumbers(b.numElements(), 2, limit);
  const std::vector<char> aBytes = toDevice(target, c.type(), A);
  const std::vector<char> bBytes = toDevice(target, c.type(), B);
  engine.writeTensor("a", aBytes.data(), aBytes.data() + aBytes.size());
  engine.writeTensor("b", bBytes.data(), bBytes.data() + bBytes.size());
  engine.run();
  std::vector<char> result(out.numElements() * target.getTypeSize(c.type()));
  engine.readTensor("out", result.data(), result.data() + result.size());
  const bool right = isRight(c, A, B, fromDevice(target, c.type(), result));
  const double cycles =
      engine.getExecutionProfile()["simulation"]["cycles"].asDouble();
  const double flops =
      2 * c.products() / cycles * target.getTileClockFrequency();
  const double kibibytes = fullestTile(engine.getGraphProfile()) / 1024.0;
  std::printf("%.0f | %.1f | %.1f %% | %.0f KiB | %.1f s | %s\n", cycles,
              flops / 1e12,
              100 * c.products() / cycles / peakProducts(target, c.type()),
              kibibytes, compiled, right ? "right" : "WRONG");
  return right ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 7 && argc != 8) {
    std::fprintf(stderr, "usage: GemmSpeed TARGET float|half|half-partials "
                         "GROUPS ROWS DEPTH COLUMNS [PROPORTION]\n");
    return 2;
  }
  const std::string type = argv[2];
  const auto number = [&](int i) {
    return std::strtoull(argv[i], nullptr, 10);
  };
  try {
    return run({argv[1], type != "float", type == "half-partials", number(3),
                number(4), number(5), number(6), argc == 8 ? argv[7] : "0.6"});
  } catch (const graph_memory_allocation_error &error) {
    std::fprintf(stderr, "GemmSpeed: %s\n", error.what());
    return 4;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "GemmSpeed: %s\n", error.what());
    return 1;
  }
}
