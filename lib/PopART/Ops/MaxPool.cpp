// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MaxPool: the largest element of each window.

#include "lib/PopART/Ops/PoolOp.h"

namespace popart {

namespace {

class MaxPool final : public PoolOp {
public:
  explicit MaxPool(OpSpec spec) : PoolOp(std::move(spec)) {
    if (this->spec().numOutputs > 1)
      failUnsupported("its second output (Indices) is not supported");
    if (attributes().getInt("storage_order", 0) != 0)
      failUnsupported("storage_order 1 is not supported");
  }

  void lower(Lowering &lowering) const override {
    lowering.setOutput(*this, pool(lowering, popnn::PoolingType::MAX,
                                   lowering.input(*this, 0)));
  }

private:
  bool worksOnIntegers() const override { return true; }
};

const RegisterOp<MaxPool> registration("MaxPool", {1, 8, 10, 11, 12});

} // namespace

} // namespace popart
