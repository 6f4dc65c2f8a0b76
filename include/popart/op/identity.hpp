// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Identity.

#ifndef POPULUS_INCLUDE_POPART_OP_IDENTITY_HPP
#define POPULUS_INCLUDE_POPART_OP_IDENTITY_HPP

#include <popart/gradoperators.hpp>
#include <popart/op/builtin.hpp>

#include <map>
#include <memory>
#include <vector>

namespace popart {

class IdentityOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(IdentityOp, UnaryOp, "ai.onnx", "Identity")
};

/// The gradient of a result is that of the operand.
class IdentityGradOp : public IdentityOp {
public:
  explicit IdentityGradOp(const IdentityOp &forward)
      : IdentityOp(Onnx::GradOperators::IdentityGrad, forward.getSettings()) {}
  IdentityGradOp(const OperatorIdentifier &opid, const Op::Settings &settings)
      : IdentityOp(opid, settings) {}
  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new IdentityGradOp(*this));
  }
  const std::vector<GradInOutMapper> &gradInputInfo() const override {
    static const std::vector<GradInOutMapper> info = {
        {0, 0, GradOpInType::GradOut}};
    return info;
  }
  const std::map<int, int> &gradOutToNonGradIn() const override {
    static const std::map<int, int> info = {{0, 0}};
    return info;
  }
};

} // namespace popart

#endif
