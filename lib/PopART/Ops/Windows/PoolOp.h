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
  /// The shape of what the windows slide over.
  virtual Shape pooledShape() const { return inputShape(0); }
  Window window() const;
  /// MAX, SUM or AVG of each window. AVG is there only where !poolsByTaps().
  poplar::Tensor pool(Lowering &lowering, popnn::PoolingType type,
                      const poplar::Tensor &x) const;
  virtual bool worksOnIntegers() const { return false; }
  /// Whether popnn lacks this pool: windows with gaps, fields of three and more
  /// dimensions, integers. Then one tap of the window after the other is worked
  /// in.
  bool poolsByTaps() const;
  /// The input with the window's padding: `value` all around.
  poplar::Tensor padded(Lowering &lowering, const poplar::Tensor &x,
                        double value) const;
  /// Of a padded input, the elements that tap number `tap` of the window meets;
  /// it has the shape of the result.
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
/// The gradient of the windows' largest elements: each element that has the
/// value of a window's result gets the whole of that window's gradient.
Value &maxPoolGradient(Gradients &g);

} // namespace populus::popir

#endif
