// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ReplicatedAllReduce, ReplicatedReduceScatter and ReplicatedAllGather: what
// replicas do together. The replicas of a group are `__group_stride` apart and
// `__group_size` many; a group of one, the default, leaves values as they are.
// For two replicas that have [1, 2, 3] and [10, 20, 30]:
//
//   all-reduce (Add)       [11, 22, 33] in both
//   reduce-scatter (Add)   [11, 22] and [33, 0]: parts of equal size
//   all-gather             [1, 2, 3, 10, 20, 30] in both

#include "lib/PopART/IR/Annotations.h"
#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"

#include <gcl/Collectives.hpp>
#include <popops/ElementWise.hpp>

#include <fmt/format.h>

namespace populus::popir {

namespace {

using gcl::CollectiveOperator;

class Collective : public DeviceOp {
public:
  explicit Collective(OpSpec newSpec) : DeviceOp(std::move(newSpec)) {
    if (size() < 1 || stride() < 1)
      failInput(fmt::format("a group of {} replicas, {} apart, is not possible",
                            size(), stride()));
    constexpr auto Last = static_cast<std::int64_t>(CollectiveOperator::LOCAL);
    if (reductionNumber() < 0 || reductionNumber() > Last)
      failInput(
          fmt::format("there is no collective operator {}", reductionNumber()));
  }

  bool ownsResult() const override { return !isIdentity(); }
  /// Its members have to reach it together, so it is never computed twice or
  /// left out in one of two calls.
  bool isStateful() const override { return size() != 1; }

protected:
  std::int64_t size() const {
    return attributes().getInt(annotations::GroupSize, 1);
  }
  std::int64_t stride() const {
    return attributes().getInt(annotations::GroupStride, 1);
  }
  CollectiveOperator reduction() const {
    return static_cast<CollectiveOperator>(reductionNumber());
  }

  gcl::CommGroup group(Lowering &lowering) const {
    const std::int64_t replicas = lowering.graph().getReplicationFactor();
    if (replicas % (size() * stride()) != 0)
      failInput(fmt::format("groups of {} replicas, {} apart, do not divide "
                            "the {} replicas of the program",
                            size(), stride(), replicas));
    return {gcl::CommGroupType::CONSECUTIVE, static_cast<unsigned>(size()),
            static_cast<unsigned>(stride())};
  }

  /// The sum of squares is one even of a single value.
  poplar::Tensor ofOneReplica(Lowering &lowering) const {
    const poplar::Tensor x = lowering.input(*this, 0);
    if (reduction() != CollectiveOperator::SQUARE_ADD)
      return x;
    return popops::square(lowering.graph(), x, lowering.program(),
                          lowering.debug(*this));
  }

  void checkReduction() const {
    if (reduction() == CollectiveOperator::MEAN &&
        !isFloatingPoint(input(0).info.type))
      failInput(fmt::format("a mean is of floats, not of {}",
                            toString(input(0).info)));
  }

  /// Gradients of what a group adds up come from the whole group.
  Value &sameOf(Gradients &g, const char *type, Value &x) const {
    return g.opLike(type, {&x}, attributes(), "ai.graphcore");
  }
  void needGradient(bool exists) const {
    if (!exists)
      failUnsupported("it has no gradient with this collective operator");
  }

private:
  std::int64_t reductionNumber() const {
    return attributes().getInt(annotations::CollectiveOperator, 0);
  }
};

class AllReduce final : public Collective {
public:
  using Collective::Collective;

  std::vector<TensorInfo> infer() const override {
    checkReduction();
    return {input(0).info};
  }
  bool isIdentity() const override {
    return reduction() == CollectiveOperator::LOCAL ||
           (size() == 1 && reduction() != CollectiveOperator::SQUARE_ADD);
  }
  void lower(Lowering &lowering) const override {
    if (size() == 1 || reduction() == CollectiveOperator::LOCAL)
      return lowering.setOutput(*this, ofOneReplica(lowering));
    lowering.setOutput(*this, gcl::allReduceCrossReplica(
                                  lowering.graph(), lowering.input(*this, 0),
                                  reduction(), lowering.program(),
                                  group(lowering), lowering.debug(*this)));
  }
  void differentiate(Gradients &g) const override {
    if (isIdentity())
      return g.set(0, g.dy());
    needGradient(reduction() == CollectiveOperator::ADD ||
                 reduction() == CollectiveOperator::MEAN);
    g.set(0, sameOf(g, "ReplicatedAllReduce", g.dy()));
  }
};

class ReduceScatter final : public Collective {
public:
  using Collective::Collective;

  std::vector<TensorInfo> infer() const override {
    checkReduction();
    const std::int64_t count = input(0).info.numElements();
    return {{input(0).info.type, {(count + size() - 1) / size()}}};
  }
  void lower(Lowering &lowering) const override {
    if (size() == 1)
      return lowering.setOutput(*this, ofOneReplica(lowering).flatten());
    lowering.setOutput(*this,
                       gcl::reduceScatterCrossReplica(
                           lowering.graph(), lowering.input(*this, 0).flatten(),
                           reduction(), lowering.program(), group(lowering),
                           lowering.debug(*this)));
  }
  void differentiate(Gradients &g) const override {
    needGradient(reduction() == CollectiveOperator::ADD);
    const std::int64_t count = g.x().info.numElements();
    Value &all = sameOf(g, "ReplicatedAllGather", g.dy());
    g.set(0, g.reshape(g.slice(all, 0, 0, count), g.shape()));
  }
};

/// One behind the other along the first dimension.
class AllGather final : public Collective {
public:
  using Collective::Collective;

  std::vector<TensorInfo> infer() const override {
    Shape shape = inputShape(0);
    if (shape.empty())
      shape.push_back(1);
    shape[0] *= size();
    return {{input(0).info.type, shape}};
  }
  void lower(Lowering &lowering) const override {
    poplar::Tensor x = lowering.input(*this, 0);
    if (size() != 1)
      x = gcl::allGatherCrossReplica(lowering.graph(), x, lowering.program(),
                                     group(lowering), lowering.debug(*this));
    lowering.setOutput(*this, x.reshape(toPoplar(output().info.shape)));
  }
  void differentiate(Gradients &g) const override {
    g.set(0,
          g.reshape(sameOf(g, "ReplicatedReduceScatter", g.dy()), g.shape()));
  }
};

const RegisterOp<AllReduce> allReduce("ReplicatedAllReduce", {1},
                                      "ai.graphcore", 1);
const RegisterOp<ReduceScatter> reduceScatter("ReplicatedReduceScatter", {1},
                                              "ai.graphcore", 1);
const RegisterOp<AllGather> allGather("ReplicatedAllGather", {1},
                                      "ai.graphcore", 1);

} // namespace

} // namespace populus::popir
