// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base of operators that only change the shape of a tensor: Reshape, Flatten,
// Squeeze, Unsqueeze, Identity. On the device they are views and cost nothing.

#ifndef POPULUS_LIB_POPART_OPS_SHAPE_VIEWOP_H
#define POPULUS_LIB_POPART_OPS_SHAPE_VIEWOP_H

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"

namespace populus::popir {

class ViewOp : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    return {{input(0).info.type, newShape()}};
  }
  std::optional<std::vector<HostTensor>> evaluate() const override {
    return std::vector{input(0).constant()->reshaped(newShape())};
  }
  void lower(Lowering &lowering) const override {
    lowering.setOutput(*this,
                       lowering.input(*this, 0).reshape(toPoplar(newShape())));
  }
  void differentiate(Gradients &g) const override {
    g.set(0, g.reshape(g.dy(), inputShape(0)));
  }
  double codeValue() const override { return 0; }
  bool isIdentity() const override {
    return hasOutput(0) && output().info.shape == inputShape(0);
  }

private:
  /// Must have as many elements as input 0; otherwise it throws an Error.
  virtual Shape newShape() const = 0;
};

} // namespace populus::popir

#endif
