// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalisations. They compute in the type of stash_type, float32.

#include "lib/PopART/Import/Decomposition.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace populus::popir {

namespace {

/// The type of the first stage. Double is computed as float32 on the device,
/// and --precision fp16 does not convert it.
DataType stashType(const Expansion &e) {
  const std::int64_t number = e.attributes().getInt("stash_type", 1);
  const std::optional<DataType> type = fromOnnx(static_cast<int>(number));
  if (!type || !isFloatingPoint(*type))
    e.failInput(
        fmt::format("its stash_type {} is no floating point type", number));
  return *type == DataType::Float ? DataType::Double : *type;
}

std::vector<Value *> groupNormalization(Expansion &e) {
  Value &x = e.input(0);
  if (x.info.rank() < 2)
    e.failInput(
        fmt::format("its input {} has no channels", toString(x.info.shape)));
  return {&e.op("GroupNormalization", {&x, &e.input(1), &e.input(2)},
                {{"num_groups", e.attributes().getInt("num_groups", 1)},
                 {"epsilon", e.attributes().getFloat("epsilon", 1e-5F)}},
                "ai.graphcore")};
}

std::vector<Value *> rmsNormalization(Expansion &e) {
  Value &given = e.input(0);
  const std::int64_t rank = given.info.rank();
  std::vector<std::int64_t> axes(
      rank - e.normalAxis(e.attributes().getInt("axis", -1), rank));
  std::iota(axes.begin(), axes.end(),
            rank - static_cast<std::int64_t>(axes.size()));
  Value &x = e.cast(given, stashType(e));
  Value &mean = e.reduce("ReduceMean", e.mul(x, x), axes);
  Value &epsilon =
      e.scalar(x.info.type, e.attributes().getFloat("epsilon", 1e-5F));
  Value &root = e.op("Sqrt", {&e.add(mean, epsilon)});
  Value &scale = e.input(1);
  Value &normal = e.cast(e.div(x, root), scale.info.type);
  return {&e.mul(normal, scale)};
}

/// If all elements are 0, so is the result. The selection precedes the root, so
/// that the root's gradient stays finite.
std::vector<Value *> lpNormalization(Expansion &e) {
  Value &x = e.input(0);
  const std::int64_t p = e.attributes().getInt("p", 2);
  if (p != 1 && p != 2)
    e.failInput(fmt::format("p is {}, and has to be 1 or 2", p));
  const std::int64_t axis =
      e.normalAxis(e.attributes().getInt("axis", -1), x.info.rank());
  Value &norm = e.reduce(p == 1 ? "ReduceL1" : "ReduceL2", x, {axis});
  Value &isZero = e.op("Equal", {&norm, &e.scalar(x.info.type, 0)});
  return {
      &e.div(x, e.op("Where", {&isZero, &e.scalar(x.info.type, 1), &norm}))};
}

const RegisterDecomposition decompositions[] = {
    {"GroupNormalization", {21}, groupNormalization},
    {"RMSNormalization", {23}, rmsNormalization},
    {"LpNormalization", {1, 22}, lpNormalization}};

} // namespace

} // namespace populus::popir
