// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stand-ins for PopART's own operators in the graphs of custom patterns and
// transforms. Programs can also derive operators from them, which then have the
// shape inference of the operator. The headers beside this one have the
// classes.

#ifndef POPULUS_INCLUDE_POPART_OP_BUILTIN_HPP
#define POPULUS_INCLUDE_POPART_OP_BUILTIN_HPP

#include <popart/op.hpp>

#include <memory>
#include <string>

namespace popart {

class BuiltinOp : public Op {
public:
  /// `standard` is PopART's operator, which infers the shapes.
  BuiltinOp(const std::string &standardDomain, const std::string &standardType,
            const OperatorIdentifier &opid, const Op::Settings &settings,
            const Attributes &attributes = {})
      : Op(opid, settings), standardDomain(standardDomain),
        standardType(standardType), given(attributes) {}
  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new BuiltinOp(*this));
  }
  void setup() override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }

  /// Returns the identifier of PopART's operator, which may be this operator's
  /// own.
  OperatorIdentifier standard() const;
  const Attributes &attributes() const { return given; }
  void setAttributes(const Attributes &attributes) { given = attributes; }

private:
  std::string standardDomain, standardType;
  Attributes given;
};

class UnaryOp : public BuiltinOp {
public:
  using BuiltinOp::BuiltinOp;
  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
};

class BinaryOp : public BuiltinOp {
public:
  using BuiltinOp::BuiltinOp;
  static InIndex getArg0InIndex() { return 0; }
  static InIndex getArg1InIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
};

class VariadicOp : public BuiltinOp {
public:
  using BuiltinOp::BuiltinOp;
  static OutIndex getOutIndex() { return 0; }
};

/// Members of each class that stands for PopART's operator TYPE of DOMAIN.
#define POPULUS_BUILTIN_OP(CLASS, BASE, DOMAIN, TYPE)                          \
  CLASS(const OperatorIdentifier &opid, const Op::Settings &settings,          \
        const Attributes &attributes = {})                                     \
      : BASE(DOMAIN, TYPE, opid, settings, attributes) {}                      \
  static std::string standardName() { return DOMAIN "." TYPE; }                \
  std::unique_ptr<Op> clone() const override {                                 \
    return std::unique_ptr<Op>(new CLASS(*this));                              \
  }

} // namespace popart

#endif
