// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The base of operators that become part of a tile program. The IR knows
// nothing of devices; what lowering asks of an operator stands here.

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

  /// Makes the variable for an input that is a weight or an input of the graph,
  /// in the layout that suits the operator; an invalid tensor where it has no
  /// wish.
  virtual poplar::Tensor createInput(Lowering &lowering,
                                     std::size_t index) const;
};

} // namespace populus::popir

#endif
