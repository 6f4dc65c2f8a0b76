// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --precision fp16: float tensors become float16, also the inputs and the
// results. It is not one of the patterns, for it changes what is computed. It
// runs after them, so that folding is done in float32.
//
// The beginning of a deep convolutional network stays in float32: what is
// rounded there goes through all the layers that follow, each of which may
// enlarge the error, while what is rounded in the last layers is hardly
// noticed (docs/performance.md has the figures). So do indices and coordinates,
// which halves hold only up to 2048.

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

/// The operators that stay float32: those before \p position, and those that
/// compute what others read as integers or coordinates, back to products of
/// matrices. In halves integers above 2048 are not exact.
std::set<const Op *> floatOps(const Graph &graph, std::size_t position) {
  std::set<const Op *> result;
  std::vector<const Op *> work;
  const auto visit = [&](const Tensor *tensor) {
    if (!tensor || tensor->info.type != DataType::Float || !tensor->producer)
      return;
    if (tensor->producer->codeValue() < 1 &&
        result.insert(tensor->producer).second)
      work.push_back(tensor->producer);
  };
  for (const auto &op : graph.ops())
    for (std::size_t i = 0; i != op->inputs().size(); ++i)
      if (op->needsFloat32(i))
        visit(op->inputs()[i]);
  while (!work.empty()) {
    const Op *op = work.back();
    work.pop_back();
    std::ranges::for_each(op->inputs(), visit);
  }
  for (std::size_t i = 0; i != position; ++i)
    result.insert(graph.ops()[i].get());
  return result;
}

/// Tells the operators that read a tensor as float32 from the others, and gives
/// each kind its own copy.
class Separation {
public:
  Separation(Graph &graph, std::size_t position)
      : graph(graph), position(position), ops(floatOps(graph, position)) {}

  /// Returns the tensors that stay float32.
  std::set<const Tensor *> run() {
    for (const auto &op : graph.ops())
      for (const auto *list : {&op->inputs(), &op->outputs()})
        for (Tensor *tensor : *list)
          add(tensor);
    for (Tensor *tensor : tensors) {
      const bool isFloat = inFloat.count(tensor) != 0;
      const std::vector<Reader> others = readersOf(*tensor, !isFloat);
      if (!others.empty())
        convertFor(*tensor, others,
                   isFloat ? DataType::Float16 : DataType::Float);
    }
    return inFloat;
  }

private:
  struct Reader {
    Op *op;
    std::size_t index;
  };

  bool readsFloat(const Op &op, std::size_t index) const {
    return ops.count(&op) != 0 || op.needsFloat32(index);
  }

  /// The readers on the device, of one kind.
  std::vector<Reader> readersOf(const Tensor &tensor, bool ofFloat) const {
    std::vector<Reader> readers;
    std::set<Op *> seen;
    for (Op *op : tensor.consumers)
      if (seen.insert(op).second)
        for (std::size_t i = 0; i != op->inputs().size(); ++i)
          if (op->inputs()[i] == &tensor && !op->readsOnHost(i) &&
              readsFloat(*op, i) == ofFloat)
            readers.push_back({op, i});
    return readers;
  }

  /// What is computed has the type of who computes it; inputs and weights are
  /// float32 where one reader wants that.
  void add(Tensor *tensor) {
    if (!tensor || tensor->info.type != DataType::Float ||
        !known.insert(tensor).second)
      return;
    const bool isFloat = tensor->producer ? ops.count(tensor->producer) != 0
                                          : !readersOf(*tensor, true).empty();
    if (isFloat)
      inFloat.insert(tensor);
    if (isFloat || !readersOf(*tensor, true).empty())
      tensors.push_back(tensor);
  }

  /// After who computes the tensor, but not among the first operators.
  std::size_t placeAfter(const Tensor &tensor) const {
    if (!tensor.producer)
      return position;
    const auto producer =
        std::ranges::find_if(graph.ops(), [&](const auto &op) {
          return op.get() == tensor.producer;
        });
    return std::max<std::size_t>(position, producer - graph.ops().begin() + 1);
  }

  void convertFor(Tensor &tensor, const std::vector<Reader> &readers,
                  DataType type) {
    const std::string name =
        graph.uniqueName(fmt::format("{}/{}", tensor.name, popart::name(type)));
    Tensor *copy;
    if (tensor.isConstant()) {
      copy = &graph.addConstant(name, toHalf(*tensor.value, tensor.name));
    } else {
      copy = &graph.addTensor(name, {type, tensor.info.shape});
      OpSpec cast{newestOf("", "Cast"), name, {}, 1, 1};
      cast.attributes.set("to", std::int64_t(toOnnx(type)));
      graph.insertOp(placeAfter(tensor), createOp(std::move(cast)), {&tensor},
                     {copy});
    }
    if (type == DataType::Float)
      inFloat.insert(copy);
    for (const Reader &reader : readers)
      graph.replaceInput(*reader.op, reader.index, copy);
  }

  Graph &graph;
  std::size_t position;
  std::set<const Op *> ops;
  std::set<const Tensor *> known, inFloat;
  std::vector<Tensor *> tensors; // to look at, in the order of the graph
};

} // namespace

void convertToHalf(Graph &graph, std::optional<std::size_t> floatConvolutions) {
  const std::size_t convolutions =
      std::ranges::count_if(graph.ops(), isConvolution);
  const std::set<const Tensor *> inFloat =
      Separation(graph, opsUpToConvolutions(graph, floatConvolutions.value_or(
                                                       convolutions / 3)))
          .run();
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
