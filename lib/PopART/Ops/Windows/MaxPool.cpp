// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MaxPool: the largest element of each window and, if the model asks for
// Indices, its flat index in the input. With indices, a loop over the taps of
// the window keeps the larger element and its offset in the window; the index
// of the window's first element is added at the end.

#include "lib/PopART/Ops/Shape/Shapes.h"
#include "lib/PopART/Ops/Windows/PoolOp.h"

#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

namespace populus::popir {

namespace {

namespace expr = popops::expr;

class MaxPool final : public PoolOp {
public:
  using PoolOp::PoolOp;

  std::vector<TensorInfo> infer() const override {
    std::vector<TensorInfo> result = PoolOp::infer();
    if (spec().numOutputs > 1)
      result.push_back({DataType::Int64, result[0].shape});
    return result;
  }

  void lower(Lowering &lowering) const override {
    if (hasOutput(1))
      lowerWithIndices(lowering);
    else
      lowering.setOutput(*this, pool(lowering, popnn::PoolingType::MAX,
                                     lowering.input(*this, 0)));
  }

  void differentiate(Gradients &g) const override {
    g.set(0, maxPoolGradient(g));
  }

private:
  bool worksOnIntegers() const override { return true; }

  /// Strides of the returned indices: of a row-major field or, with
  /// storage_order 1, of a column-major one.
  std::vector<std::int64_t> indexSteps() const {
    Shape shape = inputShape(0);
    if (attributes().getInt("storage_order", 0) == 0)
      return strides(shape);
    std::reverse(shape.begin() + 2, shape.end());
    std::vector<std::int64_t> steps = strides(shape);
    std::reverse(steps.begin() + 2, steps.end());
    return steps;
  }

  /// The offset of a tap from the window's first element.
  std::int64_t offsetOf(std::int64_t tap, const Window &w,
                        const std::vector<std::int64_t> &steps) const {
    std::int64_t offset = 0;
    for (std::size_t i = w.rank(); i-- > 0; tap /= w.kernel[i])
      offset += tap % w.kernel[i] * w.dilations[i] * steps[i + 2];
    return offset;
  }

  void lowerWithIndices(Lowering &lowering) const {
    poplar::Graph &graph = lowering.graph();
    poplar::program::Sequence &program = lowering.program();
    poplar::DebugContext debug = lowering.debug(*this);
    Window w = window();
    std::vector<std::int64_t> steps = indexSteps();
    poplar::Tensor field = padded(lowering, lowering.input(*this, 0),
                                  -std::numeric_limits<double>::infinity());
    poplar::Tensor first = elementsAt(field, 0);
    poplar::Tensor value = graph.clone(first, debug);
    program.add(poplar::program::Copy(first, value, false, debug));
    poplar::Tensor place = graph.clone(poplar::INT, value, {debug, "indices"});
    popops::zero(graph, place, program, debug);
    for (std::int64_t tap = 1; tap != numElements(w.kernel); ++tap) {
      poplar::Tensor other = elementsAt(field, tap);
      expr::Const offset(static_cast<int>(offsetOf(tap, w, steps)));
      popops::mapInPlace(
          graph, expr::Select(offset, expr::_1, expr::Gt(expr::_3, expr::_2)),
          {place, value, other}, program, debug);
      popops::mapInPlace(graph, expr::BinaryOpType::MAXIMUM, value, other,
                         program, debug);
    }
    addWindowPlaces(lowering, place, w, steps);
    lowering.setOutput(*this, value);
    lowering.setOutput(*this, place, 1);
  }

  /// Adds the index of each window's first element.
  void addWindowPlaces(Lowering &lowering, const poplar::Tensor &place,
                       const Window &w,
                       const std::vector<std::int64_t> &steps) const {
    for (std::size_t dim = 0; dim != place.rank(); ++dim) {
      std::vector<std::size_t> shape(place.rank(), 1);
      shape[dim] = place.dim(dim);
      std::vector<std::int64_t> starts(shape[dim]);
      for (std::size_t i = 0; i != starts.size(); ++i) {
        auto at = static_cast<std::int64_t>(i);
        starts[i] =
            (dim < 2 ? at : at * w.strides[dim - 2] - w.padLower[dim - 2]) *
            steps[dim];
      }
      poplar::Tensor table = lowering.addConstant(
          HostTensor::ofInts(starts).convertedTo(DataType::Int32),
          {lowering.debug(*this), "starts"});
      popops::addInPlace(lowering.graph(), place, table.reshape(shape),
                         lowering.program(), lowering.debug(*this));
    }
  }
};

const RegisterOp<MaxPool> registration("MaxPool", {1, 8, 10, 11, 12, 22});

} // namespace

} // namespace populus::popir
