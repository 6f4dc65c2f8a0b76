// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BitCast: the bits of numbers as numbers of another type of the same size. Of
// constants all types will do. The device has no words of 8 or 64 bits, and
// halves alone of 16.

#include "lib/PopART/Import/Decomposition.h"

#include <fmt/format.h>

#include <algorithm>

namespace populus::popir {

namespace {

/// Types of which several are in a byte, or have no bits of their own.
bool isPacked(DataType type) {
  return type == DataType::Int4 || type == DataType::UInt4 ||
         type == DataType::Int2 || type == DataType::UInt2 ||
         type == DataType::Float4E2M1;
}

HostTensor reinterpreted(const HostTensor &value, DataType type) {
  HostTensor result({type, value.shape()});
  std::ranges::copy(value.bytes(), result.bytes().begin());
  return result;
}

std::vector<Value *> bitCast(Expansion &e) {
  const std::int64_t number = e.attributes().getInt("to", 0);
  const std::optional<DataType> to = fromOnnx(static_cast<int>(number));
  Value &x = e.input(0);
  const DataType from = x.info.type;
  if (!to)
    e.failUnsupported("it converts to a type that is not supported");
  if (from == *to)
    return {&e.op("Identity", {&x})};
  if (sizeOf(from) != sizeOf(*to) || isPacked(from) != isPacked(*to))
    e.failInput(
        fmt::format("{} and {} have not the same size", name(from), name(*to)));
  if (x.isConstant() && !isPacked(from))
    return {&e.constant(reinterpreted(*x.constant(), *to))};
  const bool areIntegers = !isFloatingPoint(from) && !isFloatingPoint(*to);
  if (areIntegers && !isPacked(from) && sizeOf(from) <= 4)
    return {&e.cast(x, *to)}; // wraps around
  if (sizeOf(from) != 4)
    e.failUnsupported(fmt::format(
        "{} becomes {} when the model runs; types of 32 bits can do that, "
        "others in constants",
        name(from), name(*to)));
  const DataType wide = *to == DataType::Float ? DataType::Double : *to;
  Value &words = from == DataType::Float ? e.cast(x, DataType::Double) : x;
  Value &bits = e.op("Reinterpret", {&words},
                     {{"to", std::int64_t(toOnnx(wide))}}, "ai.graphcore");
  return {&e.cast(bits, *to)};
}

const RegisterDecomposition decompositions[] = {{"BitCast", {26}, bitCast}};

} // namespace

} // namespace populus::popir
