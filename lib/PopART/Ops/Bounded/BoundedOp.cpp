// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common parts of bounded operators. Selected rows are compacted to the front
// by sorting their indices; an unselected row gets an index behind all others.

#include "lib/PopART/Ops/Bounded/BoundedOp.h"

#include "lib/PopART/Ops/Elementwise/Expressions.h"
#include "lib/PopART/Ops/Indexing/Indexing.h"
#include "lib/PopART/Ops/Reduction/Reduction.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <popops/Cast.hpp>
#include <popops/Sort.hpp>
#include <popops/TopK.hpp>

#include <map>

namespace populus::popir {

namespace {

// A local static, because constructors of other static objects use it.
std::map<std::string, BoundedForm> &table() {
  static std::map<std::string, BoundedForm> map;
  return map;
}

/// Up to this bound a top-k selection replaces the complete sort.
constexpr std::int64_t FewRows = 256;

} // namespace

void addBoundedForm(BoundedForm form) {
  std::string type = form.type;
  table().emplace(std::move(type), std::move(form));
}

const BoundedForm *findBoundedForm(const OperatorId &id) {
  const auto found = table().find(id.type);
  return id.domain.empty() && found != table().end() ? &found->second : nullptr;
}

std::vector<std::string> boundedTypes() {
  std::vector<std::string> types;
  for (const auto &[type, form] : table())
    types.push_back(type);
  return types;
}

std::vector<TensorInfo> BoundedOp::infer() const {
  std::vector<TensorInfo> infos;
  for (const Result &result : bounded())
    infos.push_back(result.info);
  infos.push_back({DataType::Int64, {}});
  return infos;
}

void BoundedOp::lower(Lowering &lowering) const {
  if (bound() == 0)
    lowerNothing(lowering);
  else
    lowerRows(lowering);
}

void BoundedOp::lowerNothing(Lowering &lowering) const {
  for (std::size_t i = 0; i != outputs().size(); ++i)
    if (hasOutput(i))
      setResult(lowering, i,
                filled(lowering, *this, output(i).info.shape,
                       deviceDataType(output(i).info.type), 0));
}

Shape BoundedOp::data() const {
  return attributes().has("axis") ? inputShape(0)
                                  : Shape{input(0).info.numElements()};
}

std::size_t BoundedOp::axis() const {
  if (!attributes().has("axis"))
    return 0;
  return static_cast<std::size_t>(
      normalAxis(*this, attributes().getInt("axis", 0), input(0).info.rank()));
}

void BoundedOp::setResult(Lowering &lowering, std::size_t index,
                          const poplar::Tensor &value) const {
  if (hasOutput(index))
    lowering.setOutput(*this, value.reshape(toPoplar(output(index).info.shape)),
                       index);
}

BoundedOp::Rows BoundedOp::chosen(Lowering &lowering,
                                  const poplar::Tensor &flags) const {
  poplar::Graph &graph = lowering.graph();
  const poplar::DebugContext debug = lowering.debug(*this);
  const std::size_t n = flags.numElements();
  const int none = static_cast<int>(n);
  const poplar::Tensor ones =
      popops::cast(graph, flags, poplar::INT, lowering.program(), debug);
  const poplar::Tensor count =
      reduceKeepingDims(lowering, *this, ones, {0}, popops::Operation::ADD)
          .reshape({});
  setResult(lowering, countResult(), count);
  if (bound() < mostRows())
    lowering.program().add(poplar::program::AbortOnCondition(
        mapped(lowering, *this,
               expr::Gt(expr::_1, expr::Const(static_cast<int>(bound()))),
               {count}),
        fmt::format("{} finds more than its bound of {}", describe(), bound()),
        debug));
  const poplar::Tensor keys = mapped(
      lowering, *this, expr::Select(expr::_1, expr::Const(none), expr::_2),
      {countingRow(lowering, *this, n), flags});
  const auto k = static_cast<unsigned>(bound());
  if (bound() > FewRows)
    return {popops::sort(graph, keys, 0, lowering.program(), debug).slice(0, k),
            none};
  return {
      popops::topK(graph, lowering.program(), keys,
                   popops::TopKParams(k, false, popops::SortOrder::ASCENDING),
                   debug),
      none};
}

} // namespace populus::popir
