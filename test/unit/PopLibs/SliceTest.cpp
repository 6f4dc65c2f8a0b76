// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices, updates, gathers and scatters at run-time indices.

#include "Harness.h"

#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Gather.hpp>
#include <popops/Scatter.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

using namespace poplar;
using namespace test;
using popops::SlicePlan;

namespace {

std::size_t flatIndex(const Shape &shape, const Shape &index) {
  std::size_t flat = 0;
  for (std::size_t i = 0; i != shape.size(); ++i)
    flat = flat * shape[i] + index[i];
  return flat;
}

/// t[offsets..., of sizes] along dims; other dimensions whole.
Values sliced(const Shape &shape, const Values &t, const Shape &offsets,
              const Shape &dims, const Shape &sizes) {
  Shape result = shape;
  for (std::size_t i = 0; i != dims.size(); ++i)
    result[dims[i]] = sizes[i];
  Values out;
  forEachIndex(result, [&](Shape index) {
    for (std::size_t i = 0; i != dims.size(); ++i)
      index[dims[i]] += offsets[i];
    out.push_back(t[flatIndex(shape, index)]);
  });
  return out;
}

void update(const Shape &shape, Values &t, const Values &s,
            const Shape &offsets, const Shape &dims, const Shape &sizes) {
  Shape part = shape;
  for (std::size_t i = 0; i != dims.size(); ++i)
    part[dims[i]] = sizes[i];
  std::size_t at = 0;
  forEachIndex(part, [&](Shape index) {
    for (std::size_t i = 0; i != dims.size(); ++i)
      index[dims[i]] += offsets[i];
    t[flatIndex(shape, index)] = s[at++];
  });
}

struct DynamicCase {
  Type type;
  Shape shape, dims, sizes, offsets;
};

const DynamicCase DynamicCases[] = {
    {FLOAT, {7, 5}, {0}, {1}, {6}},
    {FLOAT, {7, 5}, {1}, {3}, {2}},
    {HALF, {9, 3, 5}, {1}, {1}, {2}},
    {HALF, {6, 7}, {0, 1}, {2, 3}, {3, 4}},
    {INT, {4, 3, 5}, {2, 0}, {2, 1}, {1, 3}},
    {BOOL, {11, 3}, {0}, {4}, {7}},
    {UNSIGNED_INT, {1}, {0}, {1}, {0}},
    {FLOAT, {300, 33}, {0}, {1}, {217}},
};

Values contents(const Type &type, const Shape &shape) {
  return type == BOOL ? randomIntegers(product(shape), 0, 1)
                      : randomIntegers(product(shape), 0, 1000);
}

} // namespace

POPLIBS_INSTANTIATE();

TEST_P(OnDevices, DynamicSliceAndUpdate) {
  Program p(GetParam());
  std::vector<std::string> slices, laidOut, updates;
  for (const DynamicCase &c : DynamicCases) {
    const Values in = contents(c.type, c.shape);
    const Tensor t = p.input(c.type, c.shape, in);
    const Tensor offset = p.input(UNSIGNED_INT, {c.dims.size()},
                                  Values(c.offsets.begin(), c.offsets.end()));
    const Tensor s =
        popops::dynamicSlice(p.graph, t, offset, c.dims, c.sizes, p.prog);
    slices.push_back(p.output(s));
    const Tensor created = popops::createSliceableTensor(
        p.graph, c.type, c.shape, c.dims, c.sizes);
    p.write(created, in);
    laidOut.push_back(p.output(popops::dynamicSlice(p.graph, created, offset,
                                                    c.dims, c.sizes, p.prog)));
    const Tensor first =
        p.input(UNSIGNED_INT, {c.dims.size()}, Values(c.dims.size(), 0));
    popops::dynamicUpdate(p.graph, created, s, first, c.dims, c.sizes, p.prog);
    updates.push_back(p.output(created));
  }
  p.run();
  for (std::size_t i = 0; i != slices.size(); ++i) {
    SCOPED_TRACE(i);
    const DynamicCase &c = DynamicCases[i];
    Values in = contents(c.type, c.shape);
    const Values expected = sliced(c.shape, in, c.offsets, c.dims, c.sizes);
    expectNear(p.result(slices[i]), expected);
    expectNear(p.result(laidOut[i]), expected);
    update(c.shape, in, expected, Shape(c.dims.size(), 0), c.dims, c.sizes);
    expectNear(p.result(updates[i]), in);
  }
}

TEST_P(OnDevices, MultiSliceAndUpdate) {
  const struct {
    Type type;
    Shape shape;
    std::size_t dim, size;
    Values offsets;
  } Cases[] = {
      {FLOAT, {50, 6}, 0, 1, {3, 49, 0, 3, 17}},
      {HALF, {50, 7}, 0, 1, {3, 49, 0, 3, 17}},
      {HALF, {50, 12}, 0, 1, {3, 49, 0, 3, 17}},
      {HALF, {20, 6}, 0, 3, {3, 17, 0}},
      {FLOAT, {3, 20, 5}, 1, 2, {18, 0, 7}},
      {INT, {1000, 1}, 0, 1, randomIntegers(64, 0, 999)},
      {UNSIGNED_INT, {5, 2}, 0, 1, randomIntegers(300, 0, 4)},
      {HALF, {1, 1}, 0, 1, {0}},
      {FLOAT, {400, 16}, 0, 1, randomIntegers(20, 0, 399)},
  };
  Program p(GetParam());
  std::vector<std::string> slices, replaced, added, largest, products;
  const SlicePlan plan;
  for (const auto &c : Cases) {
    const Values in = randomIntegers(product(c.shape), 0, 20);
    const Tensor t = p.input(c.type, c.shape, in);
    const Tensor created = popops::createSliceableTensor(
        p.graph, c.type, c.shape, {c.dim}, {c.size}, plan, {});
    p.write(created, in);
    const Tensor offsets =
        p.input(UNSIGNED_INT, {c.offsets.size(), 1}, c.offsets);
    const Tensor s = popops::multiSlice(p.graph, created, offsets, {c.dim},
                                        {c.size}, p.prog, plan, {});
    slices.push_back(p.output(s));
    slices.push_back(p.output(popops::multiSlice(p.graph, t, offsets, {c.dim},
                                                 {c.size}, p.prog, plan, {})));
    Shape updatesShape = c.shape;
    updatesShape[c.dim] = c.size;
    updatesShape.insert(updatesShape.begin(), c.offsets.size());
    const Tensor updates = p.input(
        c.type, updatesShape, randomIntegers(product(updatesShape), 0, 3, 7));
    popops::multiUpdate(p.graph, t, updates, offsets, {c.dim}, {c.size}, p.prog,
                        plan, {});
    replaced.push_back(p.output(t));
    const Tensor scale = p.graph.addConstant<float>(c.type, {}, 2.0f);
    p.graph.setTileMapping(scale, 0);
    popops::multiUpdateAdd(p.graph, created, updates, offsets, scale, {c.dim},
                           {c.size}, p.prog, plan, {});
    added.push_back(p.output(created));
    const Tensor max = p.input(c.type, c.shape, in);
    popops::multiUpdateMax(p.graph, max, updates, offsets, {c.dim}, {c.size},
                           p.prog, plan, {});
    largest.push_back(p.output(max));
  }
  p.run();
  for (std::size_t i = 0; i != added.size(); ++i) {
    SCOPED_TRACE(i);
    const auto &c = Cases[i];
    const Values in = randomIntegers(product(c.shape), 0, 20);
    Shape part = c.shape;
    part[c.dim] = c.size;
    const Values updates =
        randomIntegers(product(part) * c.offsets.size(), 0, 3, 7);
    Values expected, set = in, sum = in, max = in;
    std::size_t at = 0;
    for (double offset : c.offsets)
      forEachIndex(part, [&](Shape index) {
        index[c.dim] += static_cast<std::size_t>(offset);
        const std::size_t place = flatIndex(c.shape, index);
        expected.push_back(in[place]);
        set[place] = updates[at];
        sum[place] += 2 * updates[at];
        max[place] = std::max(max[place], updates[at++]);
      });
    expectNear(p.result(slices[2 * i]), expected);
    expectNear(p.result(slices[2 * i + 1]), expected);
    expectNear(p.result(replaced[i]), set);
    expectNear(p.result(added[i]), sum);
    expectNear(p.result(largest[i]), max);
  }
}

TEST_P(OnDevices, GroupedMultiSlice) {
  const Shape shape{4, 9, 3};
  const Values in = randomValues(product(shape));
  const Values offsets = randomIntegers(4 * 5, 0, 8);
  Program p(GetParam());
  const SlicePlan plan;
  const Tensor t = popops::createGroupedSliceableTensor(
      p.graph, FLOAT, 4, {9, 3}, {0}, {1}, plan, {});
  p.write(t, in);
  const Tensor at = p.input(INT, {4, 5, 1}, offsets);
  const Tensor s =
      popops::groupedMultiSlice(p.graph, t, at, {0}, {1}, p.prog, plan, {});
  const auto slices = p.output(s);
  popops::groupedMultiUpdateMul(p.graph, t, s, at, {0}, {1}, p.prog, plan, {});
  const auto products = p.output(t);
  p.run();
  Values expected, updated = in;
  for (std::size_t g = 0; g != 4; ++g)
    for (std::size_t i = 0; i != 5; ++i)
      for (std::size_t k = 0; k != 3; ++k) {
        const std::size_t place =
            (g * 9 + static_cast<std::size_t>(offsets[g * 5 + i])) * 3 + k;
        expected.push_back(in[place]);
        updated[place] *= in[place];
      }
  expectNear(p.result(slices), expected);
  expectNear(p.result(products), updated);
}

// Rows outside of the tensor read as zeros and are not written.
TEST_P(OnDevices, OutsideIndices) {
  const Values in = randomIntegers(10 * 2, 1, 9);
  Program p(GetParam());
  const Tensor t = p.input({10, 2}, in);
  const Tensor at = p.input(UNSIGNED_INT, {3, 1}, {4, 10, 4294967295.0});
  const SlicePlan plan;
  const auto slices =
      p.output(popops::multiSlice(p.graph, t, at, {0}, {1}, p.prog, plan, {}));
  const auto remapped =
      p.output(popops::multiSlice(p.graph, t, at, {0}, {1}, p.prog, plan,
                                  {{"remapOutOfBoundIndices", "true"}}));
  popops::multiUpdate(p.graph, t, p.input({3, 1, 2}, Values(6, 77)), at, {0},
                      {1}, p.prog, plan, {});
  const auto updated = p.output(t);
  p.run();
  expectNear(p.result(slices), {in[8], in[9], 0, 0, 0, 0});
  expectNear(p.result(remapped), {in[8], in[9], in[0], in[1], in[0], in[1]});
  Values expected = in;
  expected[8] = expected[9] = 77;
  expectNear(p.result(updated), expected);
}

TEST_P(OnDevices, GatherAlongAxis) {
  const Shape shape{3, 8, 5};
  const Values in = randomValues(product(shape));
  Program p(GetParam());
  std::vector<std::string> outs;
  const Tensor indices = p.input(INT, {2, 2}, {1, 0, 2, 2});
  for (unsigned axis = 0; axis != 3; ++axis) {
    const Tensor t = popops::createGatherInput(p.graph, FLOAT, shape, axis);
    p.write(t, in);
    const Tensor out = popops::gather(p.graph, t, indices, axis, p.prog, {});
    Shape expected = shape;
    expected[axis] = 2;
    expected.insert(expected.begin() + axis, 2);
    EXPECT_EQ(out.shape(), expected);
    outs.push_back(p.output(out));
  }
  p.run();
  const std::size_t list[] = {1, 0, 2, 2};
  for (unsigned axis = 0; axis != 3; ++axis) {
    Shape result = shape;
    result[axis] = 4;
    Values expected;
    forEachIndex(result, [&](Shape index) {
      index[axis] = list[index[axis]];
      expected.push_back(in[flatIndex(shape, index)]);
    });
    expectNear(p.result(outs[axis]), expected);
  }
}

// Windows {2, 1, 3} of the input at two-dimensional indices; of the last both
// indices are out of range, and count as 0.
TEST_P(OnDevices, GatherWindows) {
  const Shape shape{4, 5, 6};
  const Values in = randomValues(product(shape));
  Program p(GetParam());
  const Tensor t = p.input(shape, in);
  const Tensor indices = p.input(UNSIGNED_INT, {3, 2}, {0, 1, 2, 4, 3, 9});
  const Tensor out = popops::gather(p.graph, t, indices, 1, {0, 2}, {2, 1, 3},
                                    {1}, {0, 1}, p.prog);
  EXPECT_EQ(out.shape(), (Shape{2, 3, 3}));
  const auto result = p.valuesOf(out);
  const std::size_t starts[3][2] = {{0, 1}, {2, 4}, {0, 0}};
  Values expected;
  for (std::size_t a = 0; a != 2; ++a)
    for (const auto &start : starts)
      for (std::size_t c = 0; c != 3; ++c)
        expected.push_back(in[flatIndex(shape, {start[0] + a, start[1], c})]);
  expectNear(result, expected);
}

// An index out of range counts as 0, whichever type and sign it has, and leaves
// the others of its vector as they are.
TEST_P(OnDevices, GatherOutOfRange) {
  const Values in = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const Values indices = {2, 7, -500, 1, 3, 2, 2147483647, -2147483648.0, 2, 2};
  for (const Type &type : {INT, UNSIGNED_INT}) {
    Program p(GetParam());
    Values given = indices;
    for (double &index : given)
      if (type == UNSIGNED_INT && index < 0)
        index += 4294967296.0;
    const Tensor out = popops::gather(p.graph, p.input({3, 3}, in),
                                      p.input(type, {5, 2}, given), 1, {1, 2},
                                      {1, 1}, {}, {0, 1}, p.prog);
    EXPECT_EQ(p.valuesOf(out), Values({7, 2, 3, 1, 9})) << type;
  }
}

TEST_P(OnDevices, Scatter) {
  Program p(GetParam());
  // Rows.
  const Values in = randomValues(6 * 4);
  const Values rows = randomValues(2 * 4, 5, 6);
  const Tensor a = p.input({6, 4}, in);
  popops::scatter(p.graph, a, p.input(INT, {2}, {4, 1}), p.input({2, 4}, rows),
                  1, {1}, {0}, {0}, p.prog);
  const auto first = p.output(a);
  // Single elements, one of them outside, and one of two to the same place.
  const Tensor b = p.input({6, 4}, in);
  popops::scatter(
      p.graph, b, p.input(UNSIGNED_INT, {4, 2}, {0, 3, 5, 0, 1, 4, 5, 0}),
      p.input({4}, {10, 11, 12, 13}), 1, {}, {0, 1}, {0, 1}, p.prog);
  const auto second = p.output(b);
  // Windows of two rows and two columns of three.
  const Tensor c = p.input({6, 4}, in);
  popops::scatter(p.graph, c, p.input(UNSIGNED_INT, {1, 1}, {3}),
                  p.input({1, 2, 2}, {1, 2, 3, 4}), 1, {1, 2}, {}, {0}, p.prog);
  const auto third = p.output(c);
  // Combined by a function.
  const Tensor d = p.input({6, 4}, in);
  popops::UpdateComputationFunc sum =
      [](Graph &graph, Tensor &held, Tensor &update, program::Sequence &prog) {
        return popops::add(graph, held, update, prog);
      };
  popops::scatter(p.graph, d, p.input(INT, {3}, {4, 1, 4}),
                  p.input({3, 4}, Values(12, 1)), 1, {1}, {0}, {0}, sum,
                  p.prog);
  const auto fourth = p.output(d);
  p.run();
  Values expected = in;
  for (std::size_t i = 0; i != 4; ++i) {
    expected[4 * 4 + i] = rows[i];
    expected[1 * 4 + i] = rows[4 + i];
  }
  expectNear(p.result(first), expected);
  expected = in;
  expected[3] = 10;
  expected[5 * 4] = 13;
  expectNear(p.result(second), expected);
  expected = in;
  expected[12] = 1, expected[13] = 2, expected[16] = 3, expected[17] = 4;
  expectNear(p.result(third), expected);
  expected = in;
  for (std::size_t i = 0; i != 4; ++i) {
    expected[4 * 4 + i] += 2;
    expected[1 * 4 + i] += 1;
  }
  expectNear(p.result(fourth), expected);
}

// Every part of the rows has room for results of all indices: too many parts,
// or indices at a time, do not fit.
TEST(Slice, ManyIndicesOfALongTable) {
  Program p("ipu16");
  const std::size_t rows = 300000, width = 2, count = 80000;
  const Tensor table = popops::createSliceableTensor(
      p.graph, INT, {rows, width}, {0}, {1}, 0, "table");
  Values values(rows * width), indices(count), expected;
  for (std::size_t i = 0; i != values.size(); ++i)
    values[i] = static_cast<double>(i);
  for (std::size_t i = 0; i != count; ++i) {
    indices[i] = static_cast<double>(i * 7919 % rows);
    expected.push_back(indices[i] * 2);
    expected.push_back(indices[i] * 2 + 1);
  }
  p.write(table, values);
  const Tensor places = p.input(UNSIGNED_INT, {count, 1}, indices);
  const Tensor result = popops::multiSlice(p.graph, table, places, {0}, {1},
                                           p.prog, SlicePlan(), {});
  EXPECT_EQ(p.valuesOf(result), expected);
}

TEST(Slice, EmptyAndErrors) {
  Program p("cpu");
  const SlicePlan plan;
  const Tensor t = p.input({4, 3}, Values(12));
  const Tensor none = p.input(UNSIGNED_INT, {0, 1}, {});
  EXPECT_EQ(
      popops::multiSlice(p.graph, t, none, {0}, {1}, p.prog, plan, {}).shape(),
      (Shape{0, 1, 3}));
  popops::multiUpdate(p.graph, t, p.graph.addVariable(FLOAT, {0, 1, 3}), none,
                      {0}, {1}, p.prog, plan, {});
  EXPECT_EQ(popops::multiSlice(p.graph, t, {1, 3}, 0, p.prog).shape(),
            (Shape{2, 1, 3}));
  const Tensor at = p.input(UNSIGNED_INT, {1}, {0});
  EXPECT_THROW(popops::dynamicSlice(p.graph, t, at, {2}, {1}, p.prog),
               poputil::poplibs_error);
  EXPECT_THROW(popops::dynamicSlice(p.graph, t, at, {0}, {5}, p.prog),
               poputil::poplibs_error);
  EXPECT_THROW(popops::dynamicSlice(p.graph, t, at, {0, 1}, {1, 1}, p.prog),
               poputil::poplibs_error);
  EXPECT_THROW(
      popops::dynamicSlice(p.graph, t, p.input({1}, {0}), {0}, {1}, p.prog),
      poputil::poplibs_error);
  EXPECT_THROW(popops::multiSlice(p.graph, t, at.expand({1}), {0}, {1}, p.prog,
                                  plan, {{"usedForSlicing", "true"}}),
               poplar::invalid_option);
  EXPECT_THROW(popops::dynamicUpdate(p.graph, t, t, at, {0}, {1}, p.prog),
               poputil::poplibs_error);
  EXPECT_THROW(popops::multiSlice(p.graph, t, {4}, 0, p.prog),
               poputil::poplibs_error);
  p.run();
}
