// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scaled additions of all types against double: what is computed between must
// neither overflow nor lose what the result could hold.

#include "Harness.h"

#include <popops/ScaledAdd.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace test;

POPLIBS_INSTANTIATE_ON("cpu", "model7", "ipu7");

namespace {

std::string sum(Program &p, const Type &aType, const Values &a,
                const Type &bType, const Values &b, float scale) {
  const Tensor ta = p.input(aType, {a.size()}, a);
  popops::scaledAddTo(p.graph, ta, p.input(bType, {b.size()}, b), scale,
                      p.prog);
  return p.output(ta);
}

} // namespace

TEST_P(OnDevices, Integers) {
  Program p(GetParam());
  const Values a{1, -2, 30, 40, 0}, b{5, 6, -7, 8, -9};
  const auto ints = sum(p, INT, a, INT, b, 3);
  const auto naturals =
      sum(p, UNSIGNED_INT, {1, 2, 3}, UNSIGNED_INT, {7, 8, 4000000000.0}, 1);
  const Tensor c = p.input(INT, {5}, a), d = p.input(INT, {5}, b);
  popops::scaledAddTo(p.graph, c, d, p.input(INT, {}, {-2}), p.prog);
  const auto byTensor = p.output(c);
  const Tensor e = p.input(UNSIGNED_INT, {2}, {100, 200});
  popops::scaledSubtractFrom(p.graph, e, p.input(UNSIGNED_INT, {2}, {3, 4}),
                             p.input(UNSIGNED_INT, {1}, {10}), p.prog);
  const auto difference = p.output(e);
  const Tensor f = p.input(INT, {5}, a);
  popops::scaledAddTo(p.graph, f, 2.0f, d, -1.0f, p.prog);
  const auto both = p.output(f);
  p.run();
  Values expected, byTwo, combined;
  for (std::size_t i = 0; i != a.size(); ++i) {
    expected.push_back(a[i] + 3 * b[i]);
    byTwo.push_back(a[i] - 2 * b[i]);
    combined.push_back(2 * a[i] - b[i]);
  }
  EXPECT_EQ(p.result(ints), expected);
  EXPECT_EQ(p.result(naturals), Values({8, 10, 4000000003.0}));
  EXPECT_EQ(p.result(byTensor), byTwo);
  EXPECT_EQ(p.result(difference), Values({70, 160}));
  EXPECT_EQ(p.result(both), combined);
}

TEST_P(OnDevices, MixedTypes) {
  Program p(GetParam());
  // No half could hold these.
  const auto large = sum(p, HALF, {1, 2}, FLOAT, {1e6, -3e7}, 1e-5f);
  const auto small = sum(p, HALF, {1, 2}, FLOAT, {1e-7, 3e-7}, 1e7f);
  const auto wide = sum(p, FLOAT, {1, 2}, HALF, {0.5, -3}, 0.25f);
  const Tensor average = p.input(HALF, {3}, {1000, 2000, -3});
  popops::scaledAddTo(p.graph, average, p.input({}, {0.9999}),
                      p.input(HALF, {3}, {3000, 40000, 2}),
                      p.input({}, {0.0001}), p.prog);
  const auto averaged = p.output(average);
  const Tensor moved = p.input(HALF, {2}, {1, 1});
  popops::scaledAddTo(p.graph, moved, 1e-4f, p.input(HALF, {2}, {5, 9}), 1e-4f,
                      p.prog,
                      popops::ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY);
  const auto movedBy = p.output(moved);
  p.run();
  expectNear(p.result(large), {11, -298}, 1e-3);
  expectNear(p.result(small), {2, 5}, 1e-3);
  expectNear(p.result(wide), {1.125, 1.25});
  // To the nearest half.
  expectNear(p.result(averaged), {1000, 2004, -3}, 0, 1e-3);
  // 1.0004 is nearer to 1, 1.0008 to the next half.
  expectNear(p.result(movedBy), {1, 1.0009765625}, 0, 1e-7);
}

TEST_P(OnDevices, OperandsThatOverlap) {
  Program p(GetParam());
  const Tensor a = p.input({4}, {1, 2, 3, 4});
  popops::scaledAddTo(p.graph, a, 2.0f, a.reverse(0), 1.0f, p.prog);
  const Tensor b = p.input(INT, {4}, {1, 2, 3, 4});
  popops::scaledAddTo(p.graph, b, b.reverse(0), 10.0f, p.prog);
  const auto real = p.output(a), integer = p.output(b);
  p.run();
  EXPECT_EQ(p.result(real), Values({6, 7, 8, 9}));
  EXPECT_EQ(p.result(integer), Values({41, 32, 23, 14}));
}

TEST(ScaledAdd, Refusals) {
  Program p("cpu");
  const Tensor real = p.input({2}, {1, 2});
  const Tensor ints = p.input(INT, {2}, {1, 2});
  const Tensor naturals = p.input(UNSIGNED_INT, {2}, {1, 2});
  const Tensor flags = p.input(BOOL, {2}, {1, 0});
  const Tensor half = p.input({}, {0.5});
  using poputil::poplibs_error;
  EXPECT_THROW(popops::scaledAddTo(p.graph, ints, ints, 0.5f, p.prog),
               poplibs_error);
  EXPECT_THROW(popops::scaledAddTo(p.graph, ints, ints, half, p.prog),
               poplibs_error);
  EXPECT_THROW(popops::scaledAddTo(p.graph, ints, real, 1.0f, p.prog),
               poplibs_error);
  EXPECT_THROW(popops::scaledAddTo(p.graph, real, ints, 1.0f, p.prog),
               poplibs_error);
  EXPECT_THROW(popops::scaledAddTo(p.graph, ints, naturals, 1.0f, p.prog),
               poplibs_error);
  EXPECT_THROW(popops::scaledAddTo(p.graph, flags, flags, 1.0f, p.prog),
               poplibs_error);
  EXPECT_THROW(popops::scaledAddTo(p.graph, real, real[0], 1.0f, p.prog),
               poplibs_error);
}
