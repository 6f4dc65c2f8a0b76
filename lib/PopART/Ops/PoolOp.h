// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base of MaxPool and AveragePool: a window slides over each channel of a field
// of one or two dimensions.

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

protected:
  Window window() const;
  poplar::Tensor pool(Lowering &lowering, popnn::PoolingType type) const;
};

} // namespace popart

#endif
