// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tutorial 7 of the user guide: a matrix is multiplied by a vector, with each
// row split into segments whose products are added up in a second step. The
// number of segments is the one with the smallest estimate of cycles.
// Usage: matrix-vector numRows numCols

#include "../matrix-vector.hpp"
#include "../device.hpp"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <algorithm>
#include <iostream>
#include <limits>
#include <vector>

using namespace poplar;
using namespace poplar::program;

static unsigned divideUp(std::size_t a, std::size_t b) {
  return static_cast<unsigned>((a + b - 1) / b);
}

/// Instructions that a worker issues for a dot product, or a sum, of `count`
/// elements: as many as a vector has at once, and five to begin and end.
static unsigned vertexCycles(const Graph &graph, unsigned count) {
  return divideUp(count, graph.getTarget().getFloatVectorWidth()) + 5;
}

/// Cycles of the tile that has most vertices: its workers take turns.
static unsigned computeCycles(const Graph &graph, std::size_t numVertices,
                              unsigned elementsPerVertex) {
  const Target &target = graph.getTarget();
  const unsigned workers = target.getNumWorkerContexts();
  const unsigned perTile = divideUp(numVertices, target.getNumTiles());
  return divideUp(perTile, workers) * workers *
         vertexCycles(graph, elementsPerVertex);
}

static unsigned exchangeCycles(const Graph &graph, unsigned numElements) {
  return divideUp(numElements * sizeof(float),
                  graph.getTarget().getExchangeBytesPerCycle());
}

struct Cost {
  unsigned compute, exchange, reduceExchange, reduceCompute;
  unsigned total() const {
    return compute + exchange + reduceExchange + reduceCompute;
  }
};

/// The cost of both steps when each row is split in `colAxisSplit` segments.
static Cost estimateCycles(const Graph &graph, unsigned numRows,
                           unsigned numCols, unsigned colAxisSplit) {
  const unsigned segment = divideUp(numCols, colAxisSplit);
  const unsigned rowsPerTile =
      divideUp(numRows, graph.getTarget().getNumTiles());
  Cost cost;
  cost.compute =
      computeCycles(graph, std::size_t(numRows) * colAxisSplit, segment);
  cost.exchange = exchangeCycles(graph, segment);
  cost.reduceExchange = exchangeCycles(graph, rowsPerTile * colAxisSplit);
  cost.reduceCompute = computeCycles(graph, numRows, colAxisSplit);
  return cost;
}

static unsigned calcOptimalColAxisSplit(const Graph &graph, unsigned numRows,
                                        unsigned numCols) {
  unsigned best = 1, worstCost = 0;
  Cost bestCost = estimateCycles(graph, numRows, numCols, 1);
  for (unsigned split = 1; split < numCols; ++split) {
    const Cost cost = estimateCycles(graph, numRows, numCols, split);
    worstCost = std::max(worstCost, cost.total());
    if (cost.total() < bestCost.total()) {
      best = split;
      bestCost = cost;
    }
  }
  std::cout << "Best split chosen:\ncolsAxisSplit=" << best
            << ", total cost=" << bestCost.total()
            << " (compute cost=" << bestCost.compute
            << ", exchange cost=" << bestCost.exchange
            << ",\n                                reduce exchange cost="
            << bestCost.reduceExchange
            << ",\n                                reduce compute cost="
            << bestCost.reduceCompute << ")\nWorst cost seen: " << worstCost
            << "\n";
  return best;
}

/// Adds vertices to the graph that multiply `matrix` by `in`, and returns the
/// program that runs them. Each segment has tiles of its own, so that a tile
/// needs one segment of the vector only.
static Program buildMultiplyProgram(Graph &graph, Tensor matrix, Tensor in,
                                    Tensor out) {
  const std::size_t numTiles = graph.getTarget().getNumTiles();
  const std::size_t numRows = matrix.dim(0), numCols = matrix.dim(1);

  // Get the optimal column axis split to split the number of columns
  // into partial sums
  const unsigned colAxisSplit = calcOptimalColAxisSplit(
      graph, static_cast<unsigned>(numRows), static_cast<unsigned>(numCols));

  // Create a tensor to hold the intermediate calculated partial sums
  Tensor partials =
      graph.addVariable(FLOAT, {numRows, colAxisSplit}, "partials");

  // Create a compute set to hold the vertices to perform the partial sum
  // calculations.
  ComputeSet mulCS = graph.addComputeSet("mulCS");

  // Create a vertex for each segment, for each row.
  for (unsigned i = 0; i < colAxisSplit; ++i) {
    const std::size_t beginCol = i * numCols / colAxisSplit;
    const std::size_t endCol = (i + 1) * numCols / colAxisSplit;
    const std::size_t firstTile = i * numTiles / colAxisSplit;
    const std::size_t tiles =
        std::max<std::size_t>((i + 1) * numTiles / colAxisSplit - firstTile, 1);
    Tensor segment = in.slice(beginCol, endCol);
    graph.setTileMapping(segment, static_cast<unsigned>(firstTile));
    for (unsigned row = 0; row < numRows; ++row) {
      Tensor rowSegment = matrix[row].slice(beginCol, endCol);
      VertexRef v = graph.addVertex(
          mulCS, "DotProductVertex",
          {{"a", rowSegment}, {"b", segment}, {"out", partials[row][i]}});
      const unsigned tile =
          static_cast<unsigned>(firstTile + row * tiles / numRows);
      graph.setTileMapping(rowSegment, tile);
      graph.setTileMapping(partials[row][i], tile);
      graph.setTileMapping(v, tile);
      graph.setCycleEstimate(
          v, vertexCycles(graph, static_cast<unsigned>(endCol - beginCol)));
    }
  }

  // Create a compute set to calculate the reduction.
  ComputeSet reduceCS = graph.addComputeSet("reduceCS");

  // For each output element create a vertex.
  for (unsigned row = 0; row < numRows; ++row) {
    VertexRef v = graph.addVertex(reduceCS, "ReduceVertex",
                                  {{"in", partials[row]}, {"out", out[row]}});
    const unsigned tile = static_cast<unsigned>(row * numTiles / numRows);
    graph.setTileMapping(out[row], tile);
    graph.setTileMapping(v, tile);
    graph.setCycleEstimate(v, vertexCycles(graph, colAxisSplit));
  }

  return Sequence(Execute(mulCS), Execute(reduceCS));
}

int main(int argc, char **argv) {
  const MatrixSize size = readSize(argc, argv);

  std::cout << "Creating environment (compiling vertex programs)\n";
  Device device = getTutorialDevice("ipu1");
  Graph graph(device.getTarget());
  graph.addCodelets("matrix-mul-codelets.cpp");

  std::cout << "Constructing compute graph and control program\n";
  const unsigned numRows = size.rows, numCols = size.cols;
  Tensor matrix = graph.addVariable(FLOAT, {numRows, numCols}, "matrix");
  Tensor inputVector = graph.addVariable(FLOAT, {numCols}, "inputVector");
  Tensor outputVector = graph.addVariable(FLOAT, {numRows}, "outputVector");
  Program mulProg =
      buildMultiplyProgram(graph, matrix, inputVector, outputVector);

  // Host access is not part of the program, so that its cycles are those of the
  // multiplication.
  graph.createHostWrite("matrix", matrix);
  graph.createHostWrite("inputVector", inputVector);
  graph.createHostRead("outputVector", outputVector);

  Engine engine(graph, mulProg);
  engine.load(device);
  const std::vector<float> hMatrix =
      makeNumbers(std::size_t(numRows) * numCols, 1);
  const std::vector<float> hInput = makeNumbers(numCols, 2);
  std::vector<float> hOutput(numRows);
  engine.writeTensor("matrix", hMatrix.data());
  engine.writeTensor("inputVector", hInput.data());

  std::cout << "Running graph program to multiply matrix by vector\n";
  engine.run();
  engine.readTensor("outputVector", hOutput.data());
  const int status = checkResult(size, hMatrix, hInput, hOutput);

  const ProfileValue profile = engine.getExecutionProfile();
  if (const ProfileValue *simulation = profile.getOrNull("simulation"))
    std::cout << "Program cycles: " << (*simulation)["cycles"].asUint() << "\n";
  return status;
}
