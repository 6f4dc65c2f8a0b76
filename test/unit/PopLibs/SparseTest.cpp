// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse layers and products against dense references in double, with a pattern
// that changes between runs.

#include "Harness.h"

#include <popops/Cast.hpp>
#include <popsparse/Embedding.hpp>
#include <popsparse/FullyConnected.hpp>
#include <popsparse/MatMul.hpp>
#include <popsparse/SparsePartitioner.hpp>
#include <popsparse/codelets.hpp>
#include <poputil/exceptions.hpp>

#include <set>
#include <sstream>

using namespace poplar;
using namespace test;
using namespace popsparse;
using namespace popsparse::dynamic;
using poputil::poplibs_error;

POPLIBS_INSTANTIATE_ON("cpu", "model7", "ipu7");

namespace {

constexpr std::size_t Batch = 3, Inputs = 12, Outputs = 8;

struct Pattern {
  std::array<std::size_t, 2> block;
  std::size_t blocks;
};
const Pattern Patterns[] = {{{1, 1}, 20}, {{4, 4}, 3}, {{2, 3}, 0}};

SparsityParams sparsityOf(const Pattern &pattern) {
  return {pattern.block[0] == 1 ? SparsityType::Element : SparsityType::Block,
          SparsityStructure::Unstructured, pattern.block};
}

FullyConnectedParams paramsOf(const Pattern &pattern) {
  // With room for two blocks more.
  const std::size_t values =
      (pattern.blocks + 2) * pattern.block[0] * pattern.block[1];
  return FullyConnectedParams::createWithNumNonZeroValues(
      sparsityOf(pattern), values, Batch, 1, Inputs, Outputs);
}

/// Blocks in random places, in no order.
COOMatrix<float> randomMatrix(const Pattern &pattern, unsigned seed) {
  COOMatrix<float> matrix(Outputs, Inputs, {}, {}, {}, pattern.block);
  std::mt19937 random(seed);
  std::set<std::pair<std::size_t, std::size_t>> places;
  while (places.size() != pattern.blocks) {
    const std::size_t row = random() % (Outputs / pattern.block[0]);
    const std::size_t column = random() % (Inputs / pattern.block[1]);
    if (!places.insert({row, column}).second)
      continue;
    matrix.rowIndices.push_back(row * pattern.block[0]);
    matrix.columnIndices.push_back(column * pattern.block[1]);
    for (std::size_t i = 0; i != pattern.block[0] * pattern.block[1]; ++i)
      matrix.nzValues.push_back(static_cast<float>(random() % 9) - 4);
  }
  return matrix;
}

Values denseOf(const COOMatrix<float> &matrix) {
  Values dense(Outputs * Inputs);
  const std::size_t size = matrix.getBlockSize();
  for (std::size_t i = 0; i != matrix.nzValues.size(); ++i) {
    const std::size_t block = i / size, inside = i % size;
    const std::size_t row =
        matrix.rowIndices[block] + inside / matrix.numColumnsInBlock;
    const std::size_t column =
        matrix.columnIndices[block] + inside % matrix.numColumnsInBlock;
    dense[row * Inputs + column] = matrix.nzValues[i];
  }
  return dense;
}

Values product(const Values &a, const Values &b, std::size_t m, std::size_t k,
               std::size_t n, bool transposeA, bool transposeB) {
  Values c(m * n);
  for (std::size_t i = 0; i != m; ++i)
    for (std::size_t j = 0; j != n; ++j)
      for (std::size_t x = 0; x != k; ++x)
        c[i * n + j] += (transposeA ? a[x * m + i] : a[i * k + x]) *
                        (transposeB ? b[j * k + x] : b[x * n + j]);
  return c;
}

template <class T> Values asValues(const std::vector<T> &list) {
  return Values(list.begin(), list.end());
}

/// Writes a partitioner's result to \p tensor before the program runs. The
/// harness has no 16-bit integers, so meta information is cast on the device.
template <class Data>
void writeSparse(Program &p, const SparseTensor &tensor, const Data &data) {
  program::Sequence whole;
  popops::castWithOutput(
      p.graph,
      p.input(UNSIGNED_INT, {data.metaInfo.size()}, asValues(data.metaInfo)),
      tensor.getMetaInfoTensor(), whole);
  whole.add(p.prog);
  p.prog = whole;
  p.write(tensor.getNzValuesTensor(), asValues(data.nzValues));
}

} // namespace

TEST_P(OnDevices, LayersAndGradients) {
  for (const Pattern &pattern : Patterns)
    for (const Type &type : {FLOAT, HALF}) {
      Program p(GetParam());
      popsparse::addCodelets(p.graph);
      const FullyConnectedParams params = paramsOf(pattern);
      const Partitioner<float> partitioner(params, type, p.graph.getTarget());
      const SparseTensor weights =
          createFullyConnectedWeights(p.graph, type, params, "weights");
      const Tensor activations =
          createFullyConnectedInput(p.graph, type, params, "activations");
      const Values x = randomIntegers(Batch * Inputs);
      const Values dy = randomIntegers(Batch * Outputs, -4, 4, 2);
      p.write(activations, x);
      const Tensor gradients = p.input(type, {Batch, Outputs}, dy);
      const auto out = p.output(
          fullyConnectedFwd(p.graph, weights, activations, params, p.prog));
      const auto gradA = p.output(
          fullyConnectedGradA(p.graph, weights, gradients, params, p.prog));
      const auto gradW = p.output(
          fullyConnectedSparseGradW(p.graph, weights.getMetaInfoTensor(),
                                    gradients, activations, params, p.prog));
      const COOMatrix<float> matrix = randomMatrix(pattern, 5);
      const auto data = partitioner.createSparsityDataImpl(matrix);
      ASSERT_EQ(data.nzValues.size(), params.getNumNonZeroValues());
      writeSparse(p, weights, data);
      p.run();
      const Values dense = denseOf(matrix);
      EXPECT_EQ(p.result(out),
                product(x, dense, Batch, Inputs, Outputs, false, true));
      EXPECT_EQ(p.result(gradA),
                product(dy, dense, Batch, Outputs, Inputs, false, false));
      // In the places of the values; others are zero.
      const Values full = product(dy, x, Outputs, Batch, Inputs, true, false);
      const Values values = p.result(gradW);
      SparsityDataImpl<float> places{
          data.metaInfo, std::vector<float>(values.begin(), values.end())};
      const Values got =
          denseOf(partitioner.sparsityDataImplToCOOMatrix(places));
      COOMatrix<float> ones = matrix;
      std::fill(ones.nzValues.begin(), ones.nzValues.end(), 1.0f);
      Values expected = denseOf(ones);
      for (std::size_t i = 0; i != expected.size(); ++i)
        expected[i] *= full[i];
      EXPECT_EQ(got, expected);
    }
}

TEST_P(OnDevices, SparseDenseProducts) {
  const Pattern &pattern = Patterns[1];
  const auto params = dynamic::MatMulParams::createWithNzRatio(
      sparsityOf(pattern), 0.6, 1, Outputs, Inputs, 5);
  Program p(GetParam());
  const SparseTensor lhs =
      createSparseDenseMatMulLHS(p.graph, FLOAT, params, "lhs");
  const Values b = randomIntegers(Inputs * 5), c = randomIntegers(Outputs * 5);
  const Tensor rhs = createSparseDenseMatMulRHS(p.graph, FLOAT, params, "rhs");
  p.write(rhs, b);
  const auto plain = p.output(sparseDenseMatMul(p.graph, lhs, rhs, p.prog));
  const auto transposedRhs = p.output(sparseDenseMatMul(
      p.graph, lhs, p.input({1, 5, Inputs}, b), p.prog, false, true));
  const auto transposedLhs = p.output(sparseDenseMatMul(
      p.graph, lhs, p.input({1, Outputs, 5}, c), p.prog, true));
  const COOMatrix<float> matrix = randomMatrix(pattern, 9);
  const auto data = Partitioner<float>(params, FLOAT, p.graph.getTarget())
                        .createSparsityDataImpl(matrix);
  writeSparse(p, lhs, data);
  p.run();
  const Values dense = denseOf(matrix);
  EXPECT_EQ(p.result(plain),
            product(dense, b, Outputs, Inputs, 5, false, false));
  EXPECT_EQ(p.result(transposedRhs),
            product(dense, b, Outputs, Inputs, 5, false, true));
  EXPECT_EQ(p.result(transposedLhs),
            product(dense, c, Inputs, Outputs, 5, true, false));
}

// Two groups: their rows are one sparse matrix, the activations lie side by
// side.
TEST_P(OnDevices, GroupsOfLayers) {
  constexpr std::size_t Groups = 2, Rows = Outputs / Groups;
  const Pattern &pattern = Patterns[0];
  const auto params = FullyConnectedParams::createWithNumNonZeroValues(
      sparsityOf(pattern), pattern.blocks, Batch, Groups, Inputs, Rows);
  Program p(GetParam());
  popsparse::addCodelets(p.graph);
  const Partitioner<float> partitioner(params, FLOAT, p.graph.getTarget());
  const SparseTensor weights =
      createFullyConnectedWeights(p.graph, FLOAT, params, "weights");
  const Tensor activations =
      createFullyConnectedInput(p.graph, FLOAT, params, "activations");
  ASSERT_EQ(activations.shape(), (Shape{Batch, Groups * Inputs}));
  const Values x = randomIntegers(Batch * Groups * Inputs);
  const Values dy = randomIntegers(Batch * Outputs, -4, 4, 2);
  p.write(activations, x);
  const Tensor gradients = p.input({Batch, Outputs}, dy);
  const auto out = p.output(
      fullyConnectedFwd(p.graph, weights, activations, params, p.prog));
  const auto gradA = p.output(
      fullyConnectedGradA(p.graph, weights, gradients, params, p.prog));
  const auto gradW = p.output(
      fullyConnectedSparseGradW(p.graph, weights.getMetaInfoTensor(), gradients,
                                activations, params, p.prog));
  const COOMatrix<float> matrix = randomMatrix(pattern, 7);
  const auto data = partitioner.createSparsityDataImpl(matrix);
  EXPECT_EQ(partitioner.getmetaInfoBucketElements(), data.metaInfo.size());
  writeSparse(p, weights, data);
  p.run();
  const Values dense = denseOf(matrix);
  Values y(Batch * Outputs), dx(Batch * Groups * Inputs);
  Values dw(Outputs * Inputs);
  for (std::size_t b = 0; b != Batch; ++b)
    for (std::size_t o = 0; o != Outputs; ++o)
      for (std::size_t i = 0; i != Inputs; ++i) {
        const std::size_t in = b * Groups * Inputs + o / Rows * Inputs + i;
        y[b * Outputs + o] += x[in] * dense[o * Inputs + i];
        dx[in] += dy[b * Outputs + o] * dense[o * Inputs + i];
        dw[o * Inputs + i] += dy[b * Outputs + o] * x[in];
      }
  EXPECT_EQ(p.result(out), y);
  EXPECT_EQ(p.result(gradA), dx);
  const Values values = p.result(gradW);
  for (std::size_t i = 0; i != matrix.rowIndices.size(); ++i)
    EXPECT_EQ(values[i],
              dw[matrix.rowIndices[i] * Inputs + matrix.columnIndices[i]]);
}

TEST_P(OnDevices, Embeddings) {
  for (const Pattern &pattern : Patterns)
    for (const Type &type : {FLOAT, HALF}) {
      Program p(GetParam());
      popsparse::addCodelets(p.graph);
      const FullyConnectedParams params = paramsOf(pattern);
      const SparseTensor table =
          createFullyConnectedWeights(p.graph, type, params, "table");
      // One row twice, and one that there is not.
      const Values rows{3, 0, 7, 3, Outputs};
      const Tensor indices = createIndicesTensor(p.graph, params, rows.size());
      const Tensor slices =
          createSliceTensor(p.graph, type, params, rows.size(), "slices");
      ASSERT_EQ(slices.shape(), (Shape{rows.size(), Inputs}));
      const Values updates = randomIntegers(rows.size() * Inputs);
      p.write(indices, rows);
      p.write(slices, updates);
      const auto before =
          p.output(embeddingSlice(p.graph, table, indices, p.prog, params));
      const Tensor scale = p.input(type, {}, {2});
      embeddingUpdateAdd(p.graph, table, slices, indices, scale, p.prog,
                         params);
      const auto after =
          p.output(embeddingSlice(p.graph, table, indices, p.prog, params));
      const COOMatrix<float> matrix = randomMatrix(pattern, 5);
      const auto data = Partitioner<float>(params, type, p.graph.getTarget())
                            .createSparsityDataImpl(matrix);
      writeSparse(p, table, data);
      p.run();
      COOMatrix<float> ones = matrix;
      std::fill(ones.nzValues.begin(), ones.nzValues.end(), 1.0f);
      Values dense = denseOf(matrix);
      const Values there = denseOf(ones);
      const auto expectRows = [&](const std::string &handle) {
        const Values got = p.result(handle);
        for (std::size_t i = 0; i != rows.size(); ++i)
          for (std::size_t c = 0; c != Inputs; ++c) {
            const auto row = static_cast<std::size_t>(rows[i]);
            ASSERT_EQ(got[i * Inputs + c],
                      row == Outputs ? 0 : dense[row * Inputs + c]);
          }
      };
      expectRows(before);
      for (std::size_t i = 0; i != rows.size(); ++i)
        for (std::size_t c = 0; c != Inputs && rows[i] < Outputs; ++c) {
          const std::size_t at = static_cast<std::size_t>(rows[i]) * Inputs + c;
          dense[at] += 2 * updates[i * Inputs + c] * there[at];
        }
      expectRows(after);
    }
}

TEST(Sparse, FormsOfMatrices) {
  for (const Pattern &pattern : Patterns) {
    const Partitioner<float> partitioner(paramsOf(pattern), FLOAT, Target());
    const COOMatrix<float> matrix = randomMatrix(pattern, 3);
    const Values dense = denseOf(matrix);
    const auto data = partitioner.createSparsityDataImpl(matrix);
    const auto rows = partitioner.sparsityDataImplToCSRMatrix(data);
    const auto columns = partitioner.sparsityDataImplToCSCMatrix(data);
    EXPECT_EQ(rows.rowIndices.size(), Outputs / pattern.block[0] + 1);
    EXPECT_EQ(columns.columnIndices.size(), Inputs / pattern.block[1] + 1);
    EXPECT_EQ(rows.rowIndices.back(), matrix.nzValues.size());
    for (const auto &again : {partitioner.createSparsityDataImpl(rows),
                              partitioner.createSparsityDataImpl(columns)})
      EXPECT_EQ(denseOf(partitioner.sparsityDataImplToCOOMatrix(again)), dense);
  }
}

TEST(Sparse, Refusals) {
  const Pattern &pattern = Patterns[1];
  const FullyConnectedParams params = paramsOf(pattern);
  const Partitioner<float> partitioner(params, FLOAT, Target(), {}, nullptr,
                                       "mine");
  COOMatrix<float> matrix = randomMatrix(pattern, 3);
  matrix.rowIndices[0] += 1;
  EXPECT_THROW(partitioner.createSparsityDataImpl(matrix), poplibs_error);
  matrix.rowIndices[0] = Outputs;
  EXPECT_THROW(partitioner.createSparsityDataImpl(matrix), poplibs_error);
  matrix.rowIndices[0] = matrix.rowIndices[1];
  matrix.columnIndices[0] = matrix.columnIndices[1];
  EXPECT_THROW(partitioner.createSparsityDataImpl(matrix), poplibs_error);
  EXPECT_THROW(partitioner.createSparsityDataImpl(randomMatrix({{4, 4}, 6}, 1)),
               poplibs_error);
  EXPECT_THROW(partitioner.createSparsityDataImpl(randomMatrix({{1, 1}, 2}, 1)),
               poplibs_error);
  EXPECT_THROW(FullyConnectedParams::createWithNzRatio({}, 1.5, 1, 1, 1, 1),
               poplibs_error);
  EXPECT_THROW(Partitioner<float>(
                   FullyConnectedParams::createWithNzRatio({}, 0.5, 1, 0, 1, 1),
                   FLOAT, Target()),
               poplibs_error);
  EXPECT_THROW(Partitioner<float>(params, FLOAT, Target(), {{"speed", "1"}}),
               invalid_option);
  Program p("cpu");
  const SparseTensor weights =
      createFullyConnectedWeights(p.graph, FLOAT, params);
  const Tensor t = p.input({Batch, Inputs}, Values(Batch * Inputs));
  EXPECT_THROW(fullyConnectedGradA(p.graph, weights, t, params, p.prog),
               poplibs_error);
  EXPECT_THROW(sparseDenseMatMul(p.graph,
                                 SparseTensor(weights.getMetaInfoTensor(),
                                              weights.getNzValuesTensor()),
                                 t.expand({0}), p.prog),
               poplibs_error);
  std::ostringstream text;
  text << sparsityOf(pattern);
  EXPECT_EQ(text.str(), "{Block, Unstructured, 4x4}");
}
