// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interface in which operators describe aliases between results and operands.
// The compiler assumes that any result may alias any operand, so these
// descriptions have no effect.

#ifndef POPULUS_INCLUDE_POPART_ALIAS_ALIASMODEL_HPP
#define POPULUS_INCLUDE_POPART_ALIAS_ALIASMODEL_HPP

#include <popart/names.hpp>

#include <poprithms/memory/inplace/proposal.hpp>

#include <vector>

namespace popart {

class Op;
class Tensor;

class AliasModel {
public:
  /// The operator computes its result elementwise from one operand (of that
  /// index, or 0) or from two, and may write it to their memory.
  void insertUnaryModifier(const Op &, InIndex) {}
  void insertUnaryModifier0(const Op &) {}
  void insertBinaryModifier(const Op &) {}
  void insertNG2aryModifier(const Op &, unsigned) {}
  /// The result is the operand under another shape.
  template <class ViewChange>
  void insertViewChange(ViewChange, const Tensor &, bool) {}

  /// The gate of an operator: the point at which it may share memory.
  poprithms::memory::inplace::OpId getGate(OpId id) const {
    return poprithms::memory::inplace::OpId(id);
  }
};

} // namespace popart

#endif
