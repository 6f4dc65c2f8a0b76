// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base of operators that exist only on constants: they compute shapes and
// tables, and are folded when the model is imported.

#ifndef POPULUS_LIB_POPART_OPS_CONSTANTS_CONSTANTONLYOP_H
#define POPULUS_LIB_POPART_OPS_CONSTANTS_CONSTANTONLYOP_H

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/DeviceOp.h"

namespace populus::popir {

class ConstantOnlyOp : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  bool runsOnDevice() const final { return false; }
  void lower(Lowering &) const final {
    failUnsupported("it is supported on constants only, and its inputs are "
                    "computed when the model runs");
  }
};

} // namespace populus::popir

#endif
