// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reinterprets bits on the device. The import lowers BitCast to it if both
// types have the same size on the device. Floats are Double here, which the
// device holds as float32 and --precision fp16 does not convert.

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
