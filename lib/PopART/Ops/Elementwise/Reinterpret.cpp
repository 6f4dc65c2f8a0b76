// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bits of numbers as other numbers, on the device: what BitCast becomes
// where its types have one word of the same size there. Floats are Double here,
// which --precision fp16 leaves alone and the device keeps as float32.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"

namespace populus::popir {

namespace {

class Reinterpret final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    return {{*fromOnnx(static_cast<int>(attributes().getInt("to", 0))),
             inputShape(0)}};
  }

  void lower(Lowering &lowering) const override {
    lowering.setOutput(*this, lowering.input(*this, 0).reinterpret(
                                  deviceType(output().info.type)));
  }
};

const RegisterInternalOp<Reinterpret> registration("Reinterpret");

} // namespace

} // namespace populus::popir
