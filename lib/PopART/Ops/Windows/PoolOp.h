// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base of MaxPool, AveragePool and LpPool: a window slides over each channel of
// a field.

#ifndef POPULUS_LIB_POPART_OPS_WINDOWS_POOLOP_H
#define POPULUS_LIB_POPART_OPS_WINDOWS_POOLOP_H

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Windows/Window.h"

#include <popnn/Pooling.hpp>

namespace populus::popir {

class PoolOp : public DeviceOp {
public:
  explicit PoolOp(OpSpec spec);

  std::vector<TensorInfo> infer() const override;
  bool ownsResult() const final { return true; }

protected:
  /// The shape of the field that the windows slide over.
  virtual Shape pooledShape() const { return inputShape(0); }
  Window window() const;
  /// MAX, SUM or AVG of each window; AVG only if !poolsByTaps().
  poplar::Tensor pool(Lowering &lowering, popnn::PoolingType type,
                      const poplar::Tensor &x) const;
  virtual bool worksOnIntegers() const { return false; }
  /// True if popnn lacks this pool (dilated windows, fields of three or more
  /// dimensions, integers), so it is computed tap by tap.
  bool poolsByTaps() const;
  /// The input with the window's padding, filled with `value`.
  poplar::Tensor padded(Lowering &lowering, const poplar::Tensor &x,
                        double value) const;
  /// The elements of a padded input under tap number `tap` of all windows; the
  /// view has the shape of the result.
  poplar::Tensor elementsAt(const poplar::Tensor &padded,
                            std::int64_t tap) const;

  popnn::pooling::PoolParams params(popnn::PoolingType type,
                                    const poplar::Type &elementType) const;

private:
  poplar::Tensor poolByTaps(Lowering &lowering, popnn::PoolingType type,
                            const poplar::Tensor &x) const;
};

// PoolGradients.cpp.

/// The gradient of the windows' sums, from that of the results.
Value &sumPoolGradient(Gradients &g, const Op &pool, Value &dy);
/// The gradient of the windows' largest elements. Each element that has the
/// value of a window's result gets the whole of that window's gradient, or,
/// with PyTorch's ties, the first of them.
Value &maxPoolGradient(Gradients &g);

} // namespace populus::popir

#endif
