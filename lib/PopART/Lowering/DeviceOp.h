// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The base of operators that become part of a tile program. It holds the
// functions for lowering, because the IR is independent of devices.

#ifndef POPULUS_LIB_POPART_LOWERING_DEVICEOP_H
#define POPULUS_LIB_POPART_LOWERING_DEVICEOP_H

#include "lib/PopART/IR/Graph.h"
#include "lib/PopART/IR/Op.h"

namespace poplar {
class Tensor;
}

namespace populus::popir {

class Lowering;

class DeviceOp : public Op {
public:
  using Op::Op;

  /// Adds the operator to the tile program.
  virtual void lower(Lowering &lowering) const = 0;

  /// Creates the variable of an input that is a weight or a graph input, in the
  /// layout that suits the operator; an invalid tensor if any layout will do.
  virtual poplar::Tensor createInput(Lowering &lowering,
                                     std::size_t index) const;
};

} // namespace populus::popir

#endif
