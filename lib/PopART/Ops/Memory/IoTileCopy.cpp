// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IoTileCopy: its operand on the operator's own tiles, which are the I/O tiles
// (Placement::ioTiles) or those that compute.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"

#include <poplar/Tensor.hpp>

namespace populus::popir {

namespace {

class IoTileCopy final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override { return {input(0).info}; }
  bool ownsResult() const override { return true; }
  void differentiate(Gradients &g) const override { g.set(0, g.dy()); }
  void lower(Lowering &lowering) const override {
    const poplar::Tensor source = lowering.input(*this, 0);
    lowering.addCopy(source, lowering.createVariable(output()),
                     lowering.debug(*this));
  }
};

const RegisterInternalOp<IoTileCopy> registration("IoTileCopy");

} // namespace

} // namespace populus::popir
