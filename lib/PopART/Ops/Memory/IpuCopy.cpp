// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IpuCopy: its operand on the operator's own IPU. Models have none; the pass
// IpuCopies makes them.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"

#include <poplar/Tensor.hpp>

namespace populus::popir {

namespace {

class IpuCopy final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override { return {input(0).info}; }
  bool ownsResult() const override { return true; }
  void lower(Lowering &lowering) const override {
    lowering.setOutput(
        *this, lowering.copiedHere(lowering.input(*this, 0), output().name));
  }
};

const RegisterInternalOp<IpuCopy> registration("IpuCopy");

} // namespace

} // namespace populus::popir
