// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base class of the losses among PopART's operators.

#ifndef POPULUS_INCLUDE_POPART_OP_LOSS_HPP
#define POPULUS_INCLUDE_POPART_OP_LOSS_HPP

#include <popart/op/builtin.hpp>
#include <popart/reductiontype.hpp>

#include <string>

namespace popart {

class LossOp : public BuiltinOp {
public:
  using BuiltinOp::BuiltinOp;
  static OutIndex getOutIndex() { return 0; }

  ReductionType getReductionType() const {
    const std::string name =
        attributes().getAttribute<Attributes::String>("reduction", "Mean");
    return name == "Sum"    ? ReductionType::Sum
           : name == "Mean" ? ReductionType::Mean
                            : ReductionType::NoReduction;
  }

protected:
  /// The attribute of a kind of reduction.
  static Attributes reducing(ReductionType reduction,
                             Attributes attributes = {}) {
    attributes.setAttribute(
        "reduction", std::string(reduction == ReductionType::Sum    ? "Sum"
                                 : reduction == ReductionType::Mean ? "Mean"
                                                                    : "None"));
    return attributes;
  }
};

} // namespace popart

#endif
