// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base classes of lowerings that programs derive theirs from.

#include <popart/op/gather.hpp>
#include <popart/popx/op/collectives/collectivesx.hpp>
#include <popart/popx/op/gatherx.hpp>

#include <popops/Gather.hpp>

namespace popart::popx {

poplar::Tensor GatherBaseOpx::gather(poplar::program::Sequence &program,
                                     const poplar::Tensor &data,
                                     const poplar::Tensor &indices,
                                     std::int64_t axis) const {
  const auto rank = static_cast<std::int64_t>(data.rank());
  if (axis < -rank || axis >= rank)
    throw error("{} has no axis {}", data.shapeToString(), axis);
  const auto place = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
  const poplar::Tensor list =
      indices.flatten().reinterpret(poplar::UNSIGNED_INT);
  std::vector<std::size_t> shape = data.shape();
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(place));
  const std::vector<std::size_t> &inner = indices.shape();
  // popops::gather() has one dimension for all indices.
  const poplar::Tensor rows =
      popops::gather(graph(), data, list, static_cast<unsigned>(place), program,
                     popops::GatherParams(), debugContext("gather"));
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(place),
               inner.begin(), inner.end());
  return rows.reshape(shape);
}

void GatherOpx::grow(poplar::program::Sequence &program) const {
  const auto *op = dynamic_cast<const GatherOp *>(op_p);
  const std::int64_t axis =
      op ? op->attributes().getAttribute<Attributes::Int>("axis", 0) : 0;
  setOutTensor(GatherOp::outIndex(),
               gather(program, getInTensor(GatherOp::dataInIndex()),
                      getInTensor(GatherOp::indicesInIndex()), axis));
}

gcl::CollectiveOperator toGclCollectiveOperator(CollectiveOperator op) {
  switch (op) {
  case CollectiveOperator::Add:
    return gcl::CollectiveOperator::ADD;
  case CollectiveOperator::Mean:
    return gcl::CollectiveOperator::MEAN;
  case CollectiveOperator::Mul:
    return gcl::CollectiveOperator::MUL;
  case CollectiveOperator::Min:
    return gcl::CollectiveOperator::MIN;
  case CollectiveOperator::Max:
    return gcl::CollectiveOperator::MAX;
  case CollectiveOperator::LogicalAnd:
    return gcl::CollectiveOperator::LOGICAL_AND;
  case CollectiveOperator::LogicalOr:
    return gcl::CollectiveOperator::LOGICAL_OR;
  case CollectiveOperator::SquareAdd:
    return gcl::CollectiveOperator::SQUARE_ADD;
  case CollectiveOperator::Local:
    return gcl::CollectiveOperator::LOCAL;
  }
  throw error("there is no such collective operator");
}

gcl::CommGroup toGclCommGroup(const ReplicaGrouping &grouping) {
  return {gcl::CommGroupType::CONSECUTIVE, grouping.getGroupSize(),
          grouping.getStride()};
}

gcl::CommGroup toGclCommGroup(const CommGroup &group) {
  switch (group.type) {
  case CommGroupType::All:
    return {};
  case CommGroupType::Consecutive:
    return {gcl::CommGroupType::CONSECUTIVE, group.replicaGroupSize};
  case CommGroupType::Orthogonal:
    return {gcl::CommGroupType::ORTHOGONAL, group.replicaGroupSize};
  case CommGroupType::None:
    break;
  }
  throw error("replicas of a group None are alone, and GCL has no such group");
}

} // namespace popart::popx
