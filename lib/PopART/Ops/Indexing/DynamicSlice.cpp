// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices at offsets known only at run time, of Graphcore's domain. DynamicSlice
// reads a slice; DynamicUpdate, DynamicAdd and DynamicZero return the tensor
// with the slice changed. The index has one element for each sliced axis.
// Elements outside the tensor read as zero and are not written.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Indexing/Indexing.h"
#include "lib/PopART/Support/Error.h"

#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>

#include <set>

namespace populus::popir {

namespace {

class DynamicOp : public DeviceOp {
public:
  explicit DynamicOp(OpSpec newSpec) : DeviceOp(std::move(newSpec)) {
    for (std::int64_t axis : attributes().getInts("axes"))
      axes.push_back(static_cast<std::size_t>(axis));
    for (std::int64_t size : attributes().getInts("sizes"))
      sizes.push_back(static_cast<std::size_t>(size));
    if (axes.empty() || axes.size() != sizes.size() ||
        std::set(axes.begin(), axes.end()).size() != axes.size())
      failInput("its axes and sizes are not lists of the same length, with "
                "every axis once");
  }

  /// Distributes the tensor such that each tile has a part of every slice.
  poplar::Tensor createInput(Lowering &lowering,
                             std::size_t index) const override {
    if (index != Whole)
      return poplar::Tensor();
    return popops::createSliceableTensor(
        lowering.graph(), deviceType(input(Whole).info.type),
        toPoplar(inputShape(Whole)), axes, sizes, 0, lowering.debug(*this));
  }

protected:
  enum Input { Whole, Index, Slice };

  Shape sliceShape() const {
    Shape shape = inputShape(Whole);
    for (std::size_t i = 0; i != axes.size(); ++i) {
      if (axes[i] >= shape.size() ||
          sizes[i] > static_cast<std::uint64_t>(shape[axes[i]]))
        failInput(fmt::format("it slices {} elements of axis {} of the shape "
                              "{}",
                              sizes[i], axes[i], toString(shape)));
      shape[axes[i]] = static_cast<std::int64_t>(sizes[i]);
    }
    const TensorInfo &index = input(Index).info;
    bool isIndex = index.type == DataType::Int32 ||
                   index.type == DataType::UInt32 ||
                   index.type == DataType::Int64;
    if (!isIndex ||
        index.numElements() != static_cast<std::int64_t>(axes.size()))
      failInput(fmt::format("its index is {}; it needs {} integers",
                            toString(index), axes.size()));
    return shape;
  }

  /// Adds an operator of this family with the same offset.
  Value &samePlace(Gradients &g, const char *type,
                   std::vector<Value *> operands) const {
    return g.opLike(type, std::move(operands), attributes(), "ai.graphcore");
  }

  poplar::Tensor offset(Lowering &lowering) const {
    return lowering.input(*this, Index).flatten();
  }

  poplar::Tensor read(Lowering &lowering) const {
    return popops::dynamicSlice(lowering.graph(), lowering.input(*this, Whole),
                                offset(lowering), axes, sizes,
                                lowering.program(), lowering.debug(*this));
  }

  std::vector<std::size_t> axes, sizes;
};

class DynamicSlice final : public DynamicOp {
public:
  using DynamicOp::DynamicOp;

  std::vector<TensorInfo> infer() const override {
    return {{input(Whole).info.type, sliceShape()}};
  }
  void lower(Lowering &lowering) const override {
    lowering.setOutput(*this, read(lowering));
  }
  void differentiate(Gradients &g) const override {
    g.set(Whole,
          samePlace(g, "DynamicUpdate",
                    {&g.zerosLike(input(Whole).info), &g.x(Index), &g.dy()}));
  }
};

/// Operators that return the tensor with one slice changed.
class DynamicChange : public DynamicOp {
public:
  using DynamicOp::DynamicOp;

  std::vector<TensorInfo> infer() const override {
    Shape shape = sliceShape();
    if (takesSlice() &&
        input(Slice).info != TensorInfo{input(Whole).info.type, shape})
      failInput(fmt::format("its slice is {}; it needs the shape {} and the "
                            "type of the tensor",
                            toString(input(Slice).info), toString(shape)));
    return {input(Whole).info};
  }
  void lower(Lowering &lowering) const override {
    poplar::Tensor result =
        changeableCopy(lowering, *this, lowering.input(*this, Whole));
    popops::dynamicUpdate(lowering.graph(), result, newSlice(lowering),
                          offset(lowering), axes, sizes, lowering.program(),
                          lowering.debug(*this));
    lowering.setOutput(*this, result);
  }
  bool ownsResult() const override { return true; }
  bool canComputeInPlace(std::size_t operand) const override {
    return operand == Whole;
  }
  void differentiate(Gradients &g) const override {
    g.set(Whole, keepsOld()
                     ? g.dy()
                     : samePlace(g, "DynamicZero", {&g.dy(), &g.x(Index)}));
    if (takesSlice() && g.wants(Slice))
      g.set(Slice, samePlace(g, "DynamicSlice", {&g.dy(), &g.x(Index)}));
  }

private:
  /// True if the result depends on the old slice.
  virtual bool keepsOld() const { return false; }
  virtual bool takesSlice() const { return true; }
  virtual poplar::Tensor newSlice(Lowering &lowering) const = 0;
};

class DynamicUpdate final : public DynamicChange {
public:
  using DynamicChange::DynamicChange;

private:
  poplar::Tensor newSlice(Lowering &lowering) const override {
    return lowering.input(*this, Slice);
  }
};

class DynamicAdd final : public DynamicChange {
public:
  using DynamicChange::DynamicChange;

private:
  bool keepsOld() const override { return true; }
  poplar::Tensor newSlice(Lowering &lowering) const override {
    return popops::add(lowering.graph(), read(lowering),
                       lowering.input(*this, Slice), lowering.program(),
                       lowering.debug(*this));
  }
};

class DynamicZero final : public DynamicChange {
public:
  using DynamicChange::DynamicChange;

private:
  bool takesSlice() const override { return false; }
  poplar::Tensor newSlice(Lowering &lowering) const override {
    poplar::Tensor slice = read(lowering);
    popops::zero(lowering.graph(), slice, lowering.program(),
                 lowering.debug(*this));
    return slice;
  }
};

const RegisterOp<DynamicSlice> slice("DynamicSlice", {1}, "ai.graphcore", 2);
const RegisterOp<DynamicUpdate> update("DynamicUpdate", {1}, "ai.graphcore", 3);
const RegisterOp<DynamicAdd> add("DynamicAdd", {1}, "ai.graphcore", 3);
const RegisterOp<DynamicZero> zero("DynamicZero", {1}, "ai.graphcore", 2);

} // namespace

} // namespace populus::popir
