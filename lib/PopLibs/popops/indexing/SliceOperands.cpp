// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options and indices of the slicing functions.

#include "lib/PopLibs/popops/indexing/SliceOperands.h"

#include <popops/ElementWise.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popops {

SliceOptions parseSliceOptions(const OptionFlags &options) {
  SliceOptions parsed;
  bool flag = false;
  double proportion = 0;
  std::string text;
  const auto ignoredFlag = poplibs::OptionHandler::createWithBool(flag);
  const auto choice = [&](std::vector<std::pair<std::string, bool>> names) {
    return poplibs::OptionHandler::createWithEnum(flag, std::move(names));
  };
  poplibs::OptionSpec(
      {{"usedForSlice", ignoredFlag},
       {"usedForUpdate", ignoredFlag},
       {"operationForUpdate",
        choice({{"none", false}, {"add", true}, {"max", true}, {"mul", true}})},
       {"partialType", choice({{"half", true}, {"float", false}})},
       {"availableMemoryProportion",
        poplibs::OptionHandler::createWithDouble(proportion, 0, 1)},
       {"indicesDistribution",
        choice({{"uniform", false}, {"onePoint", true}})},
       {"indicesAreSorted", ignoredFlag},
       {"validateIndices", ignoredFlag},
       {"remapOutOfBoundIndices",
        poplibs::OptionHandler::createWithBool(parsed.remapOutOfBoundIndices)},
       {"paddingIndexUsed", ignoredFlag},
       {"planConstraints", poplibs::OptionHandler::createWithString(text)},
       {"internal.alwaysIncludeBaseRearrangementCost", ignoredFlag}})
      .parse(options);
  return parsed;
}

Tensor asIndices(const Tensor &indices) {
  if (indices.elementType() == UNSIGNED_INT)
    return indices;
  if (indices.elementType() == INT)
    return indices.reinterpret(UNSIGNED_INT);
  throw poplibs_error("popops: indices have type " +
                      indices.elementType().toString() +
                      "; they must have type int or unsigned int");
}

void checkSlice(const std::vector<std::size_t> &shape,
                const std::vector<std::size_t> &dims,
                const std::vector<std::size_t> &sizes, const char *function) {
  if (dims.size() != sizes.size())
    throw poplibs_error(std::string(function) + ": " +
                        std::to_string(dims.size()) + " dimensions, " +
                        std::to_string(sizes.size()) + " sizes");
  std::vector<bool> seen(shape.size(), false);
  for (std::size_t i = 0; i != dims.size(); ++i) {
    if (dims[i] >= shape.size() || seen[dims[i]])
      throw poplibs_error(std::string(function) + ": dimension " +
                          std::to_string(dims[i]) + " of a tensor with " +
                          std::to_string(shape.size()) +
                          " dimensions does not exist or is named twice");
    seen[dims[i]] = true;
    if (sizes[i] > shape[dims[i]])
      throw poplibs_error(std::string(function) + ": a slice of " +
                          std::to_string(sizes[i]) + " of dimension " +
                          std::to_string(dims[i]) + ", which has size " +
                          std::to_string(shape[dims[i]]));
  }
}

void checkOneDim(const std::vector<std::size_t> &dims,
                 const std::vector<std::size_t> &sizes, const char *function) {
  if (dims.size() != 1 || sizes.size() != 1)
    throw poplibs_error(std::string(function) + ": slices along " +
                        std::to_string(dims.size()) +
                        " dimensions; only one is possible");
}

Tensor flattenIndices(Graph &graph, const Tensor &indices,
                      const std::vector<std::size_t> &extents, Sequence &prog,
                      const DebugContext &debugContext) {
  namespace pe = popops::expr;
  const unsigned last = indices.rank() - 1;
  const Tensor unsignedIndices = asIndices(indices);
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i != extents.size(); ++i)
    parts.push_back(unsignedIndices.slice(i, i + 1, last).squeeze({last}));
  if (parts.size() == 1)
    return parts[0];
  pe::Any row = pe::_1;
  pe::Any inside = pe::_1 < pe::Const(static_cast<unsigned>(extents[0]));
  for (unsigned i = 1; i < parts.size(); ++i) {
    const pe::Const extent(static_cast<unsigned>(extents[i]));
    const pe::PlaceHolder part(i + 1);
    row = pe::Add(pe::Mul(row, extent), part);
    inside = pe::And(inside, pe::Lt(part, extent));
  }
  return map(graph, pe::Select(row, pe::Const(0xffffffffu), inside), parts,
             prog, {debugContext, "Indices"});
}

} // namespace popops
