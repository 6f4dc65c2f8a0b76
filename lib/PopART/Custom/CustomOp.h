// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The IR's proxy of a custom operator (popart::Op). For each query, a new
// instance of the program's operator is created, in a graph of its own with the
// current operands, so that no cached state of it can be outdated.

#ifndef POPULUS_LIB_POPART_CUSTOM_CUSTOMOP_H
#define POPULUS_LIB_POPART_CUSTOM_CUSTOMOP_H

#include "lib/PopART/Custom/Builtins.h"
#include "lib/PopART/Lowering/DeviceOp.h"

#include <popart/op.hpp>

namespace populus::popir {

/// An instance of a custom operator, and its graph.
struct CustomInstance {
  popart::Ir ir;
  popart::Graph graph{ir};
  std::unique_ptr<popart::Op> op;
};

class CustomOp final : public DeviceOp {
public:
  /// A proxy of a registered operator, or of a copy of `prototype`.
  explicit CustomOp(OpSpec spec,
                    std::shared_ptr<const popart::Op> prototype = {});

  std::vector<TensorInfo> infer() const override;
  void lower(Lowering &lowering) const override;
  poplar::Tensor createInput(Lowering &lowering,
                             std::size_t index) const override;
  void differentiate(Gradients &gradients) const override;

  /// A copy of the program's operator, without edges.
  std::unique_ptr<popart::Op> programOp() const { return known().clone(); }

  OperandEffect effect(std::size_t operand) const override;
  bool needsFloat32(std::size_t operand) const override;
  bool hasEffect() const override;
  bool isStateful() const override;
  bool isIdentity() const override;
  double codeValue() const override;

protected:
  std::unique_ptr<Op> remake(OpSpec spec) const override;

private:
  std::unique_ptr<CustomInstance> instance() const;
  /// The instance of the last inference.
  const popart::Op &known() const;
  void connect(CustomInstance &instance) const;
  void checkTypes() const;
  /// Calls `function`; errors of the program's operator become this one's.
  template <class Function> auto translated(Function &&function) const {
    try {
      return function();
    } catch (const popart::error &error) {
      failInput(error.what());
    }
  }

  popart::OperatorIdentifier opid;
  std::shared_ptr<const popart::Op> prototype;
  mutable std::unique_ptr<CustomInstance> last;
};

/// The compiler's operator for one that a program has made, without edges: one
/// of PopART's for a class of <popart/op/...> without a lowering of its own.
/// Throws a popart::error if there is none.
std::unique_ptr<Op> makeReal(const popart::Op &made, const Edges &edges);

/// The creator for the table of operators.
std::unique_ptr<Op> createCustomOp(OpSpec spec);

} // namespace populus::popir

#endif
