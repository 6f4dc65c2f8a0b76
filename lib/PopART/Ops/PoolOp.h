// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base of MaxPool, AveragePool and LpPool: a window slides over each channel of
// a field.

#ifndef POPULUS_LIB_POPART_OPS_POOLOP_H
#define POPULUS_LIB_POPART_OPS_POOLOP_H

#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Registry.h"
#include "lib/PopART/Ops/Window.h"

#include <popnn/Pooling.hpp>

namespace popart {

class PoolOp : public Op {
public:
  explicit PoolOp(OpSpec spec);

  std::vector<TensorInfo> infer() const final;
  bool ownsResult() const final { return true; }

protected:
  Window window() const;
  /// MAX, SUM or AVG of each window. AVG is there only where !poolsByTaps().
  poplar::Tensor pool(Lowering &lowering, popnn::PoolingType type,
                      const poplar::Tensor &x) const;
  virtual bool worksOnIntegers() const { return false; }
  /// Whether popnn lacks this pool: windows with gaps, fields of three and more
  /// dimensions, integers. Then one tap of the window after the other is worked
  /// in.
  bool poolsByTaps() const;

private:
  poplar::Tensor poolByTaps(Lowering &lowering, popnn::PoolingType type,
                            const poplar::Tensor &x) const;
};

} // namespace popart

#endif
