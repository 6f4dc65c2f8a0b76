// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Restore: a value that an earlier stage of a pipeline has computed for the
// micro-batch of the operator's own stage. `depth` is the number of stages
// between. In a program without a pipeline it is a copy. Models have none; the
// pass StashStages makes them.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Lowering/StagedProgram.h"

#include <poplar/Tensor.hpp>

namespace populus::popir {

namespace {

class Restore final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    if (attributes().getInt("depth", 0) < 1)
      failInput("its depth has to be 1 or more");
    return {input(0).info};
  }
  bool ownsResult() const override { return true; }
  void lower(Lowering &lowering) const override {
    const poplar::Tensor value = lowering.input(*this, 0);
    const poplar::Tensor copy = lowering.graph().clone(value, output().name);
    if (Stashes *stashes = lowering.stashes())
      stashes->restore(*this, lowering.graph(), value, copy,
                       lowering.program());
    else
      lowering.addCopy(value, copy, lowering.debug(*this));
    lowering.setOutput(*this, copy);
  }
};

const RegisterInternalOp<Restore> registration("Restore");

} // namespace

} // namespace populus::popir
