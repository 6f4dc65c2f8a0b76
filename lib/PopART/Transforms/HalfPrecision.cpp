// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --precision fp16: all float tensors become float16, also the inputs and the
// results. It is not one of the patterns, for it changes what is computed. It
// runs after them, so that folding is done in float32.

#include "lib/PopART/IR/Float16.h"
#include "lib/PopART/IR/Op.h"
#include "lib/PopART/Support/Log.h"
#include "lib/PopART/Transforms/Transforms.h"

#include <algorithm>
#include <cmath>

namespace popart {

namespace {

/// Constants such as scales of a Resize are for the compiler only.
bool isReadOnHost(const Tensor &tensor) {
  return !tensor.consumers.empty() &&
         std::all_of(tensor.consumers.begin(), tensor.consumers.end(),
                     [&](const Op *op) {
                       for (std::size_t i = 0; i != op->inputs().size(); ++i)
                         if (op->inputs()[i] == &tensor && !op->readsOnHost(i))
                           return false;
                       return true;
                     });
}

/// What is too large becomes the largest number: masks of attention are -1e9
/// and the like, or minus infinity. The IPU's halves know no infinity, its sums
/// with one are NaN; half the largest number leaves room for what a mask is
/// added to.
HostTensor toHalf(const HostTensor &value, const std::string &name) {
  constexpr float Largest = 65504, Infinity = Largest / 2;
  HostTensor result({DataType::Float16, value.shape()});
  std::size_t clamped = 0;
  std::ranges::transform(
      value.as<float>(), result.as<Float16>().begin(), [&](float x) -> Float16 {
        if (std::abs(x) <= Largest || std::isnan(x))
          return x;
        ++clamped;
        return std::copysign(std::isinf(x) ? Infinity : Largest, x);
      });
  if (clamped != 0)
    logging::log(logging::Module::transform, logging::Level::Warn,
                 "{} elements of '{}' are too large for float16 and become "
                 "{}, infinities {}",
                 clamped, name, Largest, Infinity);
  return result;
}

} // namespace

void convertToHalf(Graph &graph) {
  for (const auto &[name, tensor] : graph.tensors()) {
    if (tensor->info.type != DataType::Float)
      continue;
    if (!tensor->isConstant())
      tensor->info.type = DataType::Float16;
    else if (!isReadOnHost(*tensor))
      graph.makeConstant(*tensor, std::make_shared<const HostTensor>(
                                      toHalf(*tensor->value, name)));
  }
}

} // namespace popart
