// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// poplar::Graph: variables, constants, their initial contents, and clones.

#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Graph/Quarters.h"
#include "lib/Poplar/Support/NearestName.h"
#include "lib/Poplar/Support/Types.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <vector>

namespace poplar {

using core::Access;
using core::Run;
using core::TensorView;
using core::Variable;

namespace {

std::uint64_t product(ArrayRef<std::size_t> shape) {
  std::uint64_t result = 1;
  for (std::size_t extent : shape)
    if (__builtin_mul_overflow(result, extent, &result))
      throw tensor_creation_error("a tensor has more elements than can be "
                                  "counted");
  return result;
}

std::uint32_t newVariable(const Graph &owner, const Type &type,
                          const Tensor &metadata, ArrayRef<std::size_t> shape,
                          const DebugContext &context) {
  core::GraphImpl &graph = Access::impl(owner);
  core::requireValid(type, "a variable");
  Variable variable;
  variable.name = context.getPathName();
  if (variable.name.empty())
    variable.name = "var" + std::to_string(graph.variables.size());
  core::requireQuarters(graph, type, variable.name);
  variable.type = type;
  variable.metadata = core::checkedMetadata(graph, type, metadata);
  variable.shape.assign(shape.begin(), shape.end());
  variable.numElements = product(shape);
  variable.replication = Access::replication(owner);
  graph.variables.push_back(std::move(variable));
  return static_cast<std::uint32_t>(graph.variables.size() - 1);
}

Tensor wholeVariable(core::GraphImpl &graph, std::uint32_t id) {
  const Variable &variable = graph.variables[id];
  TensorView view(&graph, variable.type, id, variable.shape);
  view.metadata = variable.metadata;
  return Access::tensor(std::move(view));
}

/// Host values as elements of a tensor.
std::vector<std::uint8_t> convertFor(const Tensor &tensor, const void *values,
                                     std::size_t count,
                                     const TypeTraits &traits) {
  if (tensor.elementType() == QUARTER)
    return core::convertToQuarters(core::initialMetadata(tensor), values, count,
                                   traits);
  return core::convertToDevice(tensor.elementType(), values, count, traits);
}

} // namespace

Tensor Graph::addVariable(const Type &type, ArrayRef<std::size_t> shape,
                          const DebugContext &debugContext) {
  return addVariable(type, Tensor(), shape, debugContext);
}

Tensor Graph::addTensor(StringRef typeName, ArrayRef<std::size_t> shape,
                        const DebugContext &debugContext) {
  const std::string wanted = typeName.cloneAsString();
  std::vector<std::string_view> names;
  for (unsigned code = 0; code != populus::runtime::ElementTypes.size();
       ++code) {
    const auto type = static_cast<populus::runtime::ElementType>(code);
    names.push_back(populus::runtime::name(type));
    if (names.back() == wanted)
      return addVariable(core::typeOf(type), shape, debugContext);
  }
  throw type_error("there is no element type '" + wanted + "'" +
                   core::didYouMean(wanted, names));
}

Tensor Graph::addVariable(const Type &type, ArrayRef<std::size_t> shape,
                          VariableMappingMethod mappingMethod,
                          const DebugContext &debugContext) {
  return addVariable(type, Tensor(), shape, mappingMethod, debugContext);
}

Tensor Graph::addVariable(const Type &type, const Tensor &metadata,
                          ArrayRef<std::size_t> shape,
                          const DebugContext &debugContext) {
  return wholeVariable(*impl,
                       newVariable(*this, type, metadata, shape, debugContext));
}

Tensor Graph::addVariable(const Type &type, const Tensor &metadata,
                          ArrayRef<std::size_t> shape,
                          VariableMappingMethod mappingMethod,
                          const DebugContext &debugContext) {
  const Tensor tensor = addVariable(type, metadata, shape, debugContext);
  if (mappingMethod == VariableMappingMethod::NONE)
    return tensor;
  // Equal shares, of whole words so that tiles can write them alone.
  const std::size_t perWord = std::max<std::size_t>(
      1, target.getAtomicStoreGranularity() / core::sizeOf(type));
  const std::size_t elements = tensor.numElements();
  const std::size_t numTiles = target.getNumTiles();
  std::size_t share = (elements + numTiles - 1) / numTiles;
  share = (share + perWord - 1) / perWord * perWord;
  const Tensor flat = tensor.flatten();
  for (std::size_t begin = 0, tile = 0; begin < elements;
       begin += share, ++tile)
    setTileMapping(flat.slice(begin, std::min(begin + share, elements)),
                   static_cast<unsigned>(tile));
  return tensor;
}

// ---- Constants and initial values -------------------------------------------

void Graph::checkConstantSize(ArrayRef<std::size_t> shape,
                              std::size_t count) const {
  if (product(shape) > count)
    throw tensor_creation_error(
        "a constant of " + std::to_string(product(shape)) +
        " elements was given " + std::to_string(count) + " values");
}

Tensor Graph::addConstant(const Type &type, ArrayRef<std::size_t> shape,
                          const void *values, const TypeTraits &traits,
                          bool broadcast, const DebugContext &debugContext) {
  return addConstant(type, Tensor(), shape, values, traits, broadcast,
                     debugContext);
}

Tensor Graph::addConstant(const Type &type, const Tensor &metadata,
                          ArrayRef<std::size_t> shape, const void *values,
                          const TypeTraits &traits, bool broadcast,
                          const DebugContext &debugContext) {
  if (!values && product(shape) != 0)
    throw tensor_creation_error("constant '" + debugContext.getPathName() +
                                "' was given a null pointer for its values");
  const std::uint32_t id =
      newVariable(*this, type, metadata, shape, debugContext);
  const Tensor tensor = wholeVariable(*impl, id);
  Variable &variable = impl->variables[id];
  variable.isConstant = true;
  if (!broadcast) {
    variable.data = convertFor(tensor, values, variable.numElements, traits);
  } else {
    const auto value = convertFor(tensor, values, 1, traits);
    variable.data.reserve(value.size() * variable.numElements);
    for (std::uint64_t i = 0; i != variable.numElements; ++i)
      variable.data.insert(variable.data.end(), value.begin(), value.end());
  }
  return tensor;
}

namespace {
void requireHalf(const Type &type) {
  if (type != HALF)
    throw type_error("the bits of halves were given for elements of type " +
                     type.toString());
}
} // namespace

Tensor Graph::addConstantHalf(const Type &type, ArrayRef<std::size_t> shape,
                              const std::uint16_t *values,
                              const DebugContext &debugContext) {
  requireHalf(type);
  // Convert the bits like integers, then reinterpret them as halves.
  const Tensor bits = addConstant(UNSIGNED_SHORT, shape, values, debugContext);
  impl->variables.back().type = HALF;
  return bits.reinterpret(HALF);
}

Tensor Graph::addConstantHalf(const Type &type, ArrayRef<std::size_t> shape,
                              std::uint16_t value,
                              const DebugContext &debugContext) {
  const std::vector<std::uint16_t> values(product(shape), value);
  return addConstantHalf(type, shape, values.data(), debugContext);
}

Tensor Graph::addReplicationIndexConstant(const DebugContext &debugContext) {
  const Tensor index = addConstant(UNSIGNED_INT, {}, 0u, debugContext);
  // A value for each replica.
  const std::vector<std::uint32_t> values = [this] {
    std::vector<std::uint32_t> numbers(replicas);
    std::iota(numbers.begin(), numbers.end(), 0u);
    return numbers;
  }();
  impl->variables.back().data =
      core::convertToDevice(UNSIGNED_INT, values.data(), values.size(),
                            TypeTraits::make<std::uint32_t>());
  return index;
}

namespace {

/// Initial contents of a variable; of all replicas if it stands for them.
std::vector<std::uint8_t> &initialData(core::GraphImpl &graph, std::uint32_t id,
                                       unsigned bytes) {
  Variable &variable = graph.variables[id];
  if (variable.allReplicasOf == core::None) {
    variable.data.resize(variable.numElements * bytes);
    return variable.data;
  }
  Variable &one = graph.variables[variable.allReplicasOf];
  const std::size_t share = one.numElements * bytes;
  if (one.data.size() != share * one.replication.factor) {
    one.data.resize(share);
    for (std::uint32_t r = 1; r != one.replication.factor; ++r) {
      const std::vector<std::uint8_t> first(one.data.begin(),
                                            one.data.begin() + share);
      one.data.insert(one.data.end(), first.begin(), first.end());
    }
  }
  return one.data;
}

void storeInitialValue(core::GraphImpl &graph, const Tensor &tensor,
                       const std::vector<std::uint8_t> &values) {
  if (tensor.containsConstant())
    throw poplar_error("setInitialValue: " + tensor.getDebugStr() +
                       " has constants in it");
  const unsigned bytes = core::sizeOf(tensor.elementType());
  const std::uint8_t *from = values.data();
  Access::view(graph, tensor)
      .forEachInterval(
          [&](std::uint32_t id, std::uint64_t begin, std::uint64_t count) {
            std::vector<std::uint8_t> &data = initialData(graph, id, bytes);
            std::copy(from, from + count * bytes, data.begin() + begin * bytes);
            from += count * bytes;
          });
}

} // namespace

void Graph::setInitialValue(const Tensor &tensor, const void *values,
                            std::size_t count, const TypeTraits &traits) {
  const std::size_t elements = tensor.numElements();
  if (count != elements && count != 1)
    throw poplar_error("setInitialValue: " + tensor.getDebugStr() + " has " +
                       std::to_string(elements) + " elements, but " +
                       std::to_string(count) + " values were given");
  const Type type = tensor.elementType();
  std::vector<std::uint8_t> data = convertFor(tensor, values, count, traits);
  const std::size_t bytes = core::sizeOf(type);
  while (data.size() < elements * bytes)
    data.push_back(data[data.size() - bytes]);
  storeInitialValue(*impl, tensor, data);
}

void Graph::setInitialValueHalf(const Tensor &tensor,
                                ArrayRef<std::uint16_t> values) {
  requireHalf(tensor.elementType());
  setInitialValue(tensor.reinterpret(UNSIGNED_SHORT), values);
}

// ---- Clones -----------------------------------------------------------------

namespace {

/// Assigns new consecutive positions to the elements of a tensor, in the order
/// of their addresses. A repeated element gets one position.
class Compaction {
public:
  explicit Compaction(const TensorView &view) {
    view.forEachInterval(
        [&](std::uint32_t variable, std::uint64_t begin, std::uint64_t count) {
          parts.push_back({variable, begin, begin + count, 0});
        });
    std::sort(parts.begin(), parts.end(), [](const Part &a, const Part &b) {
      return std::tie(a.variable, a.begin) < std::tie(b.variable, b.begin);
    });
    std::vector<Part> joined;
    for (const Part &part : parts) {
      if (!joined.empty() && joined.back().variable == part.variable &&
          joined.back().end >= part.begin)
        joined.back().end = std::max(joined.back().end, part.end);
      else
        joined.push_back(part);
    }
    parts = std::move(joined);
    for (Part &part : parts) {
      part.newBegin = total;
      total += part.end - part.begin;
    }
  }

  struct Part {
    std::uint32_t variable;
    std::uint64_t begin, end, newBegin;
  };
  const std::vector<Part> &get() const { return parts; }
  std::uint64_t size() const { return total; }

  /// The runs of the same elements in a new variable.
  std::vector<Run> renumber(const TensorView &view, std::uint32_t id) const {
    core::RunList list;
    view.forEachRun([&](const Run &run) {
      const std::int64_t last =
          run.offset + static_cast<std::int64_t>(run.count - 1) * run.stride;
      const Part &part = find(run.variable, run.offset);
      if (last >= static_cast<std::int64_t>(part.begin) &&
          last < static_cast<std::int64_t>(part.end))
        return list.append(
            {id, moved(part, run.offset), run.stride, run.count});
      for (std::uint64_t i = 0; i != run.count; ++i) {
        const std::int64_t element =
            run.offset + static_cast<std::int64_t>(i) * run.stride;
        list.append({id, moved(find(run.variable, element), element), 1, 1});
      }
    });
    return list.take();
  }

private:
  static std::int64_t moved(const Part &part, std::int64_t element) {
    return static_cast<std::int64_t>(part.newBegin) + element -
           static_cast<std::int64_t>(part.begin);
  }
  const Part &find(std::uint32_t variable, std::int64_t element) const {
    const auto after = std::upper_bound(
        parts.begin(), parts.end(),
        std::make_pair(variable, static_cast<std::uint64_t>(element)),
        [](const auto &key, const Part &part) {
          return key < std::make_pair(part.variable, part.begin);
        });
    return *std::prev(after);
  }

  std::vector<Part> parts;
  std::uint64_t total = 0;
};

} // namespace

Tensor Graph::clone(const Tensor &tensor, const DebugContext &debugContext,
                    TensorCloneMethod method) {
  return clone(tensor.elementType(), tensor, debugContext, method);
}

Tensor Graph::clone(const Type &type, const Tensor &tensor,
                    const DebugContext &debugContext,
                    TensorCloneMethod method) {
  const bool keepsMetadata = type == QUARTER && tensor.hasMetadata();
  return clone(type, keepsMetadata ? tensor.getMetadata() : Tensor(), tensor,
               debugContext, method);
}

Tensor Graph::clone(const Tensor &metadata, const Tensor &tensor,
                    const DebugContext &debugContext,
                    TensorCloneMethod method) {
  return clone(tensor.elementType(), metadata, tensor, debugContext, method);
}

Tensor Graph::clone(const Type &type, const Tensor &metadata,
                    const Tensor &tensor, const DebugContext &debugContext,
                    TensorCloneMethod method) {
  const TensorView &view = Access::view(*impl, tensor);
  if (method == TensorCloneMethod::CREATE_NEW_ORDER ||
      (method == TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES &&
       tensor.containsAliases())) {
    const Tensor result =
        addVariable(type, metadata, tensor.shape(), debugContext);
    setTileMapping(result, getTileMapping(tensor, false, true));
    return result;
  }
  // A weight that lies in blocks is a permutation of a variable, whose elements
  // in the order of the view would be runs of a few elements each.
  const bool ofBase = view.isPermutationOfBase();
  const TensorView elements = ofBase ? view.wholeBase() : view;
  const Compaction compaction(elements);
  const std::size_t size = compaction.size();
  const std::uint32_t id = newVariable(
      *this, type, metadata, ArrayRef<std::size_t>(&size, 1), debugContext);
  for (const Compaction::Part &part : compaction.get())
    impl->forEachTile(
        part.variable, part.begin, part.end,
        [&](std::uint64_t begin, std::uint64_t end, std::uint32_t tile) {
          const std::uint64_t to = part.newBegin + (begin - part.begin);
          impl->variables[id].tiles.set(to, to + (end - begin), tile);
        });
  TensorView result(impl.get(), type, compaction.renumber(elements, id),
                    elements.shape());
  if (ofBase) {
    result.dims = view.dims;
    result.offset = view.offset;
  }
  result.metadata = impl->variables[id].metadata;
  return Access::tensor(std::move(result));
}

Tensor Graph::cloneN(const Tensor &tensor, std::size_t count,
                     const DebugContext &debugContext, TensorCloneMethod method,
                     TensorCloneDuplicationMethod duplication) {
  return cloneN(tensor.elementType(), tensor, count, debugContext, method,
                duplication);
}

// Makes separate clones, each contiguous. The other method would place the
// copies of each tile's part next to each other.
Tensor Graph::cloneN(const Type &type, const Tensor &tensor, std::size_t count,
                     const DebugContext &debugContext, TensorCloneMethod method,
                     TensorCloneDuplicationMethod) {
  if (count == 0)
    throw tensor_creation_error("cloneN: no clones of " + tensor.getDebugStr() +
                                " were asked for");
  std::vector<Tensor> clones;
  for (std::size_t i = 0; i != count; ++i)
    clones.push_back(clone(type, tensor, debugContext, method).expand({0}));
  return concat(clones);
}

Tensor Graph::findUnbroadcastTensor(const Tensor &tensor) const {
  Tensor result = tensor;
  for (unsigned d = 0; d != tensor.rank(); ++d)
    if (tensor.dim(d) > 1 &&
        result.slice(0, 1, d).broadcast(static_cast<unsigned>(tensor.dim(d)),
                                        d) == result)
      result = result.slice(0, 1, d);
  return result;
}

namespace {
void requireVariable(const core::GraphImpl &graph, VariableRef variable) {
  if (variable.id >= graph.variables.size())
    throw poplar_error("there is no variable " + std::to_string(variable.id));
}
} // namespace

Tensor Graph::getVariable(VariableRef variable) const {
  requireVariable(*impl, variable);
  return wholeVariable(*impl, variable.id);
}

bool Graph::isConstant(VariableRef variable) const {
  requireVariable(*impl, variable);
  return impl->variables[variable.id].isConstant;
}

} // namespace poplar
