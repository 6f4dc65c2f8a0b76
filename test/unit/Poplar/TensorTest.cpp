// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor views against a reference that keeps a list of elements: random chains
// of operations must refer to the same elements in the same order.

#include <poplar/Graph.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace poplar;

namespace {

using Shape = std::vector<std::size_t>;
using Element = std::pair<unsigned, std::size_t>; // variable, index

/// A tensor as plainly as possible.
struct Reference {
  Shape shape;
  std::vector<Element> elements;

  std::size_t size(std::size_t from, std::size_t to) const {
    return std::accumulate(shape.begin() + from, shape.begin() + to,
                           std::size_t(1), std::multiplies<>());
  }
  Element at(const Shape &index) const {
    std::size_t position = 0;
    for (std::size_t d = 0; d != shape.size(); ++d)
      position = position * shape[d] + index[d];
    return elements[position];
  }
};

/// The tensor of a shape whose elements are found by `from`, which turns an
/// index of the result into one of the source.
template <typename From>
Reference gather(const Reference &source, const Shape &shape, From from) {
  Reference result{shape, {}};
  Shape index(shape.size());
  const std::size_t count = result.size(0, shape.size());
  for (std::size_t i = 0; i != count; ++i) {
    std::size_t rest = i;
    for (std::size_t d = shape.size(); d-- != 0;) {
      index[d] = rest % shape[d];
      rest /= shape[d];
    }
    result.elements.push_back(source.at(from(index)));
  }
  return result;
}

std::vector<Element> elementsOf(const Tensor &tensor) {
  std::vector<Element> result;
  for (const VariableInterval &part : tensor.getVarRegions())
    for (std::size_t i = part.interval.begin(); i != part.interval.end(); ++i)
      result.emplace_back(part.var.id, i);
  return result;
}

class Chain {
public:
  Chain(Graph &graph, unsigned seed) : random(seed) {
    Shape shape;
    for (int d = pick(1, 3); d != 0; --d)
      shape.push_back(pick(1, 5));
    tensor = graph.addVariable(FLOAT, shape);
    reference.shape = shape;
    const unsigned id = tensor.getVarRegions()[0].var.id;
    for (std::size_t i = 0; i != tensor.numElements(); ++i)
      reference.elements.emplace_back(id, i);
  }

  void step() {
    if (reference.elements.empty() || reference.elements.size() > 2000)
      return;
    if (reference.shape.empty())
      return apply("expand", tensor.expand({0}),
                   Reference{{1}, reference.elements});
    switch (pick(0, 9)) {
    case 0:
      return slice();
    case 1:
      return shuffle();
    case 2:
      return reshape();
    case 3:
      return broadcast();
    case 4:
      return reverse();
    case 5:
      return subSample();
    case 6:
      return concatenate();
    case 7:
      return upsample();
    case 8:
      return index();
    default:
      return expandAndSqueeze();
    }
  }

  Tensor tensor;
  Reference reference;
  std::string trace;

private:
  unsigned pick(unsigned least, unsigned most) {
    return std::uniform_int_distribution<unsigned>(least, most)(random);
  }
  unsigned pickDim() { return pick(0, tensor.rank() - 1); }

  void apply(const std::string &name, Tensor newTensor,
             Reference newReference) {
    trace += name + newTensor.shapeToString() + " ";
    tensor = newTensor;
    reference = std::move(newReference);
  }

  void slice() {
    const unsigned d = pickDim();
    const std::size_t begin = pick(0, reference.shape[d] - 1);
    const std::size_t end = pick(begin + 1, reference.shape[d]);
    Shape shape = reference.shape;
    shape[d] = end - begin;
    apply("slice", tensor.slice(begin, end, d),
          gather(reference, shape, [&](Shape i) {
            i[d] += begin;
            return i;
          }));
  }

  void shuffle() {
    std::vector<unsigned> permutation(tensor.rank());
    std::iota(permutation.begin(), permutation.end(), 0);
    std::shuffle(permutation.begin(), permutation.end(), random);
    Shape shape;
    for (unsigned d : permutation)
      shape.push_back(reference.shape[d]);
    apply("dimShuffle", tensor.dimShuffle(permutation),
          gather(reference, shape, [&](const Shape &i) {
            Shape from(i.size());
            for (std::size_t d = 0; d != i.size(); ++d)
              from[permutation[d]] = i[d];
            return from;
          }));
  }

  void reshape() {
    Shape shape;
    std::size_t rest = reference.elements.size();
    while (rest != 1) {
      std::vector<std::size_t> divisors;
      for (std::size_t n = 2; n <= rest; ++n)
        if (rest % n == 0)
          divisors.push_back(n);
      shape.push_back(divisors[pick(0, divisors.size() - 1)]);
      rest /= shape.back();
    }
    apply("reshape", tensor.reshape(shape),
          Reference{shape, reference.elements});
  }

  void broadcast() {
    const unsigned d = pickDim(), n = pick(1, 3);
    const std::size_t old = reference.shape[d];
    Shape shape = reference.shape;
    shape[d] *= n;
    apply("broadcast", tensor.broadcast(n, d),
          gather(reference, shape, [&](Shape i) {
            i[d] %= old;
            return i;
          }));
  }

  void reverse() {
    const unsigned d = pickDim();
    apply("reverse", tensor.reverse(d),
          gather(reference, reference.shape, [&](Shape i) {
            i[d] = reference.shape[d] - 1 - i[d];
            return i;
          }));
  }

  void subSample() {
    const unsigned d = pickDim(), stride = pick(1, 3);
    Shape shape = reference.shape;
    shape[d] = (shape[d] + stride - 1) / stride;
    apply("subSample", tensor.subSample(stride, d),
          gather(reference, shape, [&](Shape i) {
            i[d] *= stride;
            return i;
          }));
  }

  void upsample() {
    const unsigned d = pickDim(), scale = pick(1, 3);
    Shape shape = reference.shape;
    shape[d] *= scale;
    apply("upsample", tensor.upsample(scale, d, UpsampleMethod::REPEAT),
          gather(reference, shape, [&](Shape i) {
            i[d] /= scale;
            return i;
          }));
  }

  /// With a part of itself, so that runs of one variable meet.
  void concatenate() {
    const unsigned d = pickDim();
    const std::size_t size = reference.shape[d];
    const std::size_t begin = pick(0, size - 1);
    Shape shape = reference.shape;
    shape[d] += size - begin;
    apply("concat", concat(tensor, tensor.slice(begin, size, d), d),
          gather(reference, shape, [&](Shape i) {
            if (i[d] >= size)
              i[d] = i[d] - size + begin;
            return i;
          }));
  }

  void index() {
    const std::size_t at = pick(0, reference.shape[0] - 1);
    const Shape shape(reference.shape.begin() + 1, reference.shape.end());
    apply("index", tensor[at], gather(reference, shape, [&](Shape i) {
            i.insert(i.begin(), at);
            return i;
          }));
  }

  void expandAndSqueeze() {
    const std::size_t d = pick(0, tensor.rank());
    const Tensor expanded = tensor.expand({d});
    EXPECT_EQ(expanded.dim(d), 1u);
    apply("squeeze", expanded.squeeze({d}), reference);
  }

  std::mt19937 random;
};

TEST(Tensor, RandomChainsReferToTheRightElements) {
  Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
  for (unsigned seed = 0; seed != 400; ++seed) {
    Chain chain(graph, seed);
    for (int i = 0; i != 12; ++i) {
      chain.step();
      ASSERT_EQ(chain.tensor.shape(), chain.reference.shape) << chain.trace;
      ASSERT_EQ(elementsOf(chain.tensor), chain.reference.elements)
          << chain.trace;
    }
    std::vector<Element> sorted = chain.reference.elements;
    std::sort(sorted.begin(), sorted.end());
    const bool aliases =
        std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
    EXPECT_EQ(chain.tensor.containsAliases(), aliases) << chain.trace;
  }
}

TEST(Tensor, RandomChainsAreEqualWhereTheirElementsAre) {
  Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
  for (unsigned seed = 0; seed != 400; ++seed) {
    Chain chain(graph, seed);
    for (int i = 0; i != 12; ++i)
      chain.step();
    const Tensor &t = chain.tensor;
    const Tensor flat = t.flatten();
    EXPECT_TRUE(flat.reshape(t.shape()) == t) << chain.trace;
    if (t.numElements() < 2)
      continue;
    std::vector<Tensor> single;
    for (std::size_t i = 0; i != t.numElements(); ++i)
      single.push_back(flat.slice(i, i + 1));
    EXPECT_TRUE(concat(single) == flat) << chain.trace;
    // Another element in one place, first and last ones included.
    const auto &elements = chain.reference.elements;
    for (std::size_t i : {std::size_t(0), single.size() / 2, single.size() - 1})
      for (std::size_t other : {i == 0 ? 1 : i - 1, single.size() - 1 - i}) {
        std::vector<Tensor> changed = single;
        changed[i] = single[other];
        EXPECT_EQ(concat(changed) == flat, elements[i] == elements[other])
            << chain.trace;
      }
  }
}

// The layout of convolution results: adjacent channels, in groups.
TEST(Tensor, ChannelsInGroupsThereAndBack) {
  Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
  std::vector<Tensor> blocks;
  for (int i = 0; i != 6; ++i)
    blocks.push_back(graph.addVariable(HALF, {1, 3, 4, 5, 16}));
  const Tensor grouped =
      concat(concat(std::vector<Tensor>(blocks.begin(), blocks.begin() + 3), 1),
             concat(std::vector<Tensor>(blocks.begin() + 3, blocks.end()), 1));
  const Tensor image =
      grouped.dimShuffle({0, 1, 4, 2, 3}).reshape({2, 9 * 16, 4, 5});
  const Tensor back =
      image.reshape({2, 9, 16, 4, 5}).dimShuffle({0, 1, 3, 4, 2});
  EXPECT_TRUE(back == grouped);
  EXPECT_EQ(elementsOf(back.flatten()), elementsOf(grouped));
  // In memory order, and with rows and columns the other way round.
  EXPECT_EQ(back.flatten().getContiguousRegions().size(), blocks.size());
  std::vector<Element> expected;
  for (unsigned b = 0; b != 2; ++b)
    for (unsigned x = 5; x-- != 0;)
      for (unsigned y = 0; y != 4; ++y)
        for (unsigned c = 0; c != 9 * 16; ++c)
          for (const Element &element : elementsOf(
                   blocks[b * 3 + c / 48][0][c / 16 % 3][y][x][c % 16].reshape(
                       {1})))
            expected.push_back(element);
  EXPECT_EQ(elementsOf(image.dimShuffle({0, 3, 2, 1}).reverse(1).flatten()),
            expected);
}

class TensorTest : public ::testing::Test {
protected:
  Graph graph{Target::createIPUTarget(1, 4, "ipu2")};
};

TEST_F(TensorTest, TransposesStayCheap) {
  const Tensor matrix = graph.addVariable(FLOAT, {4096, 4096});
  const Tensor flat = matrix.transpose().flatten();
  EXPECT_EQ(flat.shape(), Shape{4096u * 4096});
  // Element 1 of the transposed matrix is element 4096 of the variable.
  EXPECT_EQ(elementsOf(flat.slice(1, 2)),
            elementsOf(matrix[1][0].reshape({1})));
}

TEST_F(TensorTest, DimRollAndPartialShuffle) {
  const Tensor t = graph.addVariable(FLOAT, {2, 3, 4, 5});
  EXPECT_EQ(t.dimRoll(2).shape(), (Shape{4, 2, 3, 5}));
  EXPECT_EQ(t.dimRoll(0, 2).shape(), (Shape{3, 4, 2, 5}));
  EXPECT_EQ(t.dimShufflePartial({3, 0}, {0, 3}).shape(), (Shape{5, 3, 4, 2}));
  EXPECT_EQ(t.reshapePartial(1, 3, {2, 6}).shape(), (Shape{2, 2, 6, 5}));
  EXPECT_EQ(t.flatten(1, 3).shape(), (Shape{2, 12, 5}));
}

TEST_F(TensorTest, ContiguousRegions) {
  const Tensor a = graph.addVariable(FLOAT, {10}, "a");
  const Tensor b = graph.addVariable(FLOAT, {10}, "b");
  const Tensor t = concat({a.slice(0, 4), a.slice(4, 6), b, a.slice(0, 1)});
  EXPECT_EQ(t.getContiguousRegions(),
            (std::vector<Interval>{{0, 6}, {6, 16}, {16, 17}}));
  EXPECT_TRUE(t.containsAliases());
  EXPECT_FALSE(t.isContiguous());
  EXPECT_TRUE(concat(a.slice(0, 5), a.slice(5, 10)).isContiguous());
}

TEST_F(TensorTest, AliasesOfInterleavedRuns) {
  const Tensor matrix = graph.addVariable(FLOAT, {4, 6}, "m");
  const Tensor columns = matrix.transpose();
  // Columns 0 and 2 are strided runs that span the same elements.
  EXPECT_FALSE(
      concat(columns.slice(0, 1), columns.slice(2, 3)).containsAliases());
  EXPECT_TRUE(
      concat(columns.slice(0, 1), columns.slice(0, 1)).containsAliases());
  EXPECT_TRUE(concat(columns[2], matrix[1]).containsAliases());
}

TEST_F(TensorTest, Constants) {
  const Tensor c = graph.addConstant<float>(HALF, {2}, {1.5f, -2.0f});
  double value = 0;
  EXPECT_TRUE(c[1].getConstantValue(&value));
  EXPECT_EQ(value, -2.0);
  EXPECT_TRUE(c.containsConstant());
  EXPECT_FALSE(c.isParallelWriteable());
}

TEST_F(TensorTest, ErrorsNameTheShape) {
  const Tensor t = graph.addVariable(FLOAT, {2, 3});
  try {
    t.slice(1, 4, 1);
    FAIL() << "a slice past the end must throw";
  } catch (const poplar_error &error) {
    EXPECT_NE(std::string(error.what()).find("{2,3}"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("[1,4)"), std::string::npos);
  }
  EXPECT_THROW(t.reshape({5}), poplar_error);
  EXPECT_THROW(t[2], poplar_error);
  EXPECT_THROW(concat(t, t.transpose(), 0), poplar_error);
  EXPECT_THROW(t.reinterpret(HALF), poplar_error);
  EXPECT_THROW(Tensor().shape(), poplar_error);
}

} // namespace
