// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ScatterReduce and the grouped operators of Graphcore's domain against plain
// loops.

#include "lib/PopART/Support/Error.h"
#include "test/unit/PopART/ModelBuilder.h"

#include <gtest/gtest.h>

#include <cmath>

namespace populus::popir::test {
namespace {

constexpr int Int32 = onnx::TensorProto::INT32;
const MachineOptions Machines[] = {{"cpu", "cpu"}, {"ipu2", "ipu", 1, 3}};

double combine(const std::string &kind, double a, double b) {
  return kind == "Sum"   ? a + b
         : kind == "Mul" ? a * b
         : kind == "Max" ? std::max(a, b)
         : kind == "Min" ? std::min(a, b)
                         : b;
}

TEST(GroupedIndexing, ScatterReduce) {
  const Array x = randomArray({4, 3}, 91), begin = randomArray({2, 3}, 92);
  const Array rows{{4}, {1, 0, 1, 1}};
  Array each{{4, 3}, {0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1}};
  for (const MachineOptions &machine : Machines)
    for (const char *kind : {"Sum", "Mul", "Max", "Min"}) {
      Array byRow = begin, byElement = begin;
      for (std::int64_t i = 0; i != 4; ++i)
        for (std::int64_t k = 0; k != 3; ++k) {
          double &row = byRow({std::int64_t(rows.values[i]), k});
          row = combine(kind, row, x({i, k}));
          double &element = byElement({std::int64_t(each({i, k})), k});
          element = combine(kind, element, x({i, k}));
        }
      const std::vector<Attr> attributes = {
          {"axis", 0}, {"axis_size", 2}, {"reduction", kind}};
      expectClose(runGraphcore("ScatterReduce", {x, {rows, Int32}, begin},
                               attributes, machine),
                  byRow);
      expectClose(runGraphcore("ScatterReduce", {x, {each, Int32}, begin},
                               attributes, machine),
                  byElement);
    }
  // Without a beginning; the last axis; an index that nothing has.
  const Array columns{{3}, {2, 0, 2}};
  Array sums{{4, 3}, std::vector<double>(12)};
  for (std::int64_t i = 0; i != 4; ++i)
    for (std::int64_t k = 0; k != 3; ++k)
      sums({i, std::int64_t(columns.values[k])}) += x({i, k});
  expectClose(
      runGraphcore("ScatterReduce", {x, {columns, Int32}}, {{"axis_size", 3}}),
      sums);
  EXPECT_THROW(runGraphcore("ScatterReduce", {x, {Array{{2}, {0, 1}}, Int32}},
                            {{"axis_size", 3}}),
               Error);
}

TEST(GroupedIndexing, GroupedScatterReduce) {
  const Array x = randomArray({2, 4, 3}, 93);
  const Array rows{{2, 4}, {1, 0, 1, 1, 2, 2, 0, 1}};
  Array wanted{{2, 3, 3}, std::vector<double>(18)};
  for (std::int64_t g = 0; g != 2; ++g)
    for (std::int64_t i = 0; i != 4; ++i)
      for (std::int64_t k = 0; k != 3; ++k)
        wanted({g, std::int64_t(rows({g, i})), k}) += x({g, i, k});
  for (const MachineOptions &machine : Machines)
    expectClose(runGraphcore("GroupedScatterReduce", {x, {rows, Int32}},
                             {{"axis", 1}, {"axis_size", 3}, {"group_size", 2}},
                             machine),
                wanted);
}

TEST(GroupedIndexing, GroupedGather) {
  const Array x = randomArray({2, 3, 4, 5}, 94);
  const Array places{{2, 2, 3}, {0, 3, 1, 2, 2, 0, 1, 1, 3, 0, 2, 3}};
  Array wanted{{2, 3, 2, 3, 5}, std::vector<double>(180)};
  for (std::int64_t g = 0; g != 2; ++g)
    for (std::int64_t i = 0; i != 3; ++i)
      for (std::int64_t a = 0; a != 2; ++a)
        for (std::int64_t b = 0; b != 3; ++b)
          for (std::int64_t k = 0; k != 5; ++k)
            wanted({g, i, a, b, k}) =
                x({g, i, std::int64_t(places({g, a, b})), k});
  for (const MachineOptions &machine : Machines)
    expectClose(runGraphcore("GroupedGather", {x, {places, Int32}},
                             {{"axis", 2}, {"group_size", 2}}, machine),
                wanted);
  EXPECT_THROW(runGraphcore("GroupedGather", {x, {places, Int32}},
                            {{"axis", 2}, {"group_size", 3}}),
               Error);
}

TEST(GroupedIndexing, SequenceSlice) {
  const Array source = randomArray({6, 2}, 95),
              target = randomArray({5, 2}, 96);
  const Array lengths{{2}, {2, 1}}, from{{2}, {3, 0}}, to{{2}, {1, 4}};
  for (std::int64_t zero : {0, 1}) {
    Array wanted = target;
    if (zero)
      wanted.values.assign(10, 0);
    for (std::int64_t s = 0; s != 2; ++s)
      for (std::int64_t i = 0; i != std::int64_t(lengths.values[s]); ++i)
        for (std::int64_t k = 0; k != 2; ++k)
          wanted({std::int64_t(to.values[s]) + i, k}) =
              source({std::int64_t(from.values[s]) + i, k});
    for (const MachineOptions &machine : Machines)
      expectClose(
          runGraphcore(
              "SequenceSlice",
              {source, target, {lengths, Int32}, {from, Int32}, {to, Int32}},
              {{"zeroUnused", zero}}, machine),
          wanted);
  }
}

} // namespace
} // namespace populus::popir::test
