// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --precision fp16: float tensors become float16, also the inputs and the
// results. It is not one of the patterns, for it changes what is computed. It
// runs after them, so that folding is done in float32.
//
// The beginning of a deep convolutional network stays in float32: what is
// rounded there goes through all the layers that follow, each of which may
// enlarge the error, while what is rounded in the last layers is hardly
// noticed (docs/performance.md has the figures).

#include "lib/PopART/IR/Float16.h"
#include "lib/PopART/IR/Op.h"
#include "lib/PopART/Ops/Registry.h"
#include "lib/PopART/Support/Log.h"
#include "lib/PopART/Transforms/Transforms.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace popart {

namespace {

bool readsOnDevice(const Op &op, const Tensor &tensor) {
  for (std::size_t i = 0; i != op.inputs().size(); ++i)
    if (op.inputs()[i] == &tensor && !op.readsOnHost(i))
      return true;
  return false;
}

/// Constants such as scales of a Resize are for the compiler only.
bool isReadOnHost(const Tensor &tensor) {
  return !tensor.consumers.empty() &&
         std::ranges::none_of(tensor.consumers, [&](const Op *op) {
           return readsOnDevice(*op, tensor);
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

bool isConvolution(const std::unique_ptr<Op> &op) {
  return op->id().type == "Conv";
}

/// The number of operators before the convolution that follows the first
/// \p count ones; all where there is none.
std::size_t opsUpToConvolutions(const Graph &graph, std::size_t count) {
  if (count == 0)
    return 0;
  std::size_t seen = 0;
  const auto next = std::ranges::find_if(graph.ops(), [&](const auto &op) {
    return isConvolution(op) && seen++ == count;
  });
  return next - graph.ops().begin();
}

/// Lets the operators in \p readers use a float16 copy of \p tensor.
void convertFor(Graph &graph, std::size_t position, Tensor &tensor,
                const std::set<Op *> &readers) {
  const std::string name = graph.uniqueName(tensor.name + "/float16");
  Tensor *copy;
  if (tensor.isConstant()) {
    copy = &graph.addConstant(name, toHalf(*tensor.value, tensor.name));
  } else {
    copy = &graph.addTensor(name, {DataType::Float16, tensor.info.shape});
    OpSpec cast{newestOf("", "Cast"), name, {}, 1, 1};
    cast.attributes.set("to", std::int64_t(toOnnx(DataType::Float16)));
    graph.insertOp(position, createOp(std::move(cast)), {&tensor}, {copy});
  }
  for (Op *reader : readers)
    for (std::size_t i = 0; i != reader->inputs().size(); ++i)
      if (reader->inputs()[i] == &tensor && !reader->readsOnHost(i))
        graph.replaceInput(*reader, i, copy);
}

/// Gives the operators from \p position on their own copies of the float
/// tensors that those before compute or read. Returns the tensors that stay
/// float.
std::set<const Tensor *> separate(Graph &graph, std::size_t position) {
  std::set<const Tensor *> inFloat;
  std::vector<Tensor *> tensors; // the same in the order of the graph
  const auto add = [&](Tensor *tensor) {
    if (tensor && tensor->info.type == DataType::Float &&
        inFloat.insert(tensor).second)
      tensors.push_back(tensor);
  };
  std::set<const Op *> before;
  for (std::size_t i = 0; i != position; ++i) {
    const Op &op = *graph.ops()[i];
    before.insert(&op);
    for (const auto *list : {&op.inputs(), &op.outputs()})
      std::ranges::for_each(*list, add);
  }
  for (Tensor *tensor : tensors) {
    std::set<Op *> readers;
    for (Op *op : tensor->consumers)
      if (before.count(op) == 0 && readsOnDevice(*op, *tensor))
        readers.insert(op);
    if (!readers.empty())
      convertFor(graph, position, *tensor, readers);
  }
  return inFloat;
}

} // namespace

void convertToHalf(Graph &graph, std::optional<std::size_t> floatConvolutions) {
  const std::size_t convolutions =
      std::ranges::count_if(graph.ops(), isConvolution);
  const std::set<const Tensor *> inFloat = separate(
      graph,
      opsUpToConvolutions(graph, floatConvolutions.value_or(convolutions / 3)));
  for (const auto &[name, tensor] : graph.tensors()) {
    if (tensor->info.type != DataType::Float || inFloat.count(tensor.get()))
      continue;
    if (!tensor->isConstant())
      tensor->info.type = DataType::Float16;
    else if (!isReadOnHost(*tensor))
      graph.makeConstant(*tensor, std::make_shared<const HostTensor>(
                                      toHalf(*tensor->value, name)));
  }
}

} // namespace popart
