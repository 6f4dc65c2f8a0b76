// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that write a variable. The compiler has updates as a whole; these
// classes are for graphs of programs, and a model that has one is refused by
// its name.

#ifndef POPULUS_INCLUDE_POPART_OP_VARUPDATE_HPP
#define POPULUS_INCLUDE_POPART_OP_VARUPDATE_HPP

#include <popart/op.hpp>

namespace popart {

class VarUpdateOp : public Op {
public:
  using Op::Op;
  static InIndex getVarToUpdateInIndex() { return 0; }
  static OutIndex getUpdatedVarOutIndex() { return 0; }

  void setup() override {
    outInfo(getUpdatedVarOutIndex()) = inInfo(getVarToUpdateInIndex());
  }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  view::Regions modifies(InIndex index) const override {
    return index == getVarToUpdateInIndex()
               ? view::Regions{view::Region::getFull(inShape(index))}
               : Op::modifies(index);
  }
  view::Regions aliases(InIndex in, OutIndex) const override {
    return modifies(in);
  }
};

class VarUpdateWithUpdaterOp : public VarUpdateOp {
public:
  using VarUpdateOp::VarUpdateOp;
  static InIndex getUpdaterInIndex() { return 1; }
};

} // namespace popart

#endif
