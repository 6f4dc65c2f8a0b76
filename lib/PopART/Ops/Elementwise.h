// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bases of elementwise operators. A unary one (Relu) says only how it is
// lowered, and computes with float; a binary one (Add) also what it computes on
// constants, since shape arithmetic uses it.

#ifndef POPULUS_LIB_POPART_OPS_ELEMENTWISE_H
#define POPULUS_LIB_POPART_OPS_ELEMENTWISE_H

#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Registry.h"

namespace popart {

class UnaryOp : public Op {
public:
  using Op::Op;

  std::vector<TensorInfo> infer() const final;
  void lower(Lowering &lowering) const final;

private:
  virtual poplar::Tensor apply(Lowering &lowering, poplar::Tensor x) const = 0;
};

class BinaryOp : public Op {
public:
  using Op::Op;

  std::vector<TensorInfo> infer() const override;
  std::optional<std::vector<HostTensor>> evaluate() const final;
  void lower(Lowering &lowering) const final;

private:
  virtual poplar::Tensor apply(Lowering &lowering, poplar::Tensor a,
                               poplar::Tensor b) const = 0;
  virtual double compute(double a, double b) const = 0;
  virtual std::int64_t compute(std::int64_t a, std::int64_t b) const = 0;

  /// The shape of the second operand. Before opset 7 an attribute could line it
  /// up with dimensions other than the last.
  Shape rightShape() const;
};

/// Integer arithmetic that wraps around, as devices do.
template <class Function>
std::int64_t wrapping(std::int64_t a, std::int64_t b, Function f) {
  return static_cast<std::int64_t>(
      f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}

} // namespace popart

#endif
