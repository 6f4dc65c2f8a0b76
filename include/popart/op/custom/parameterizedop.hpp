// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operator whose attributes are a structure of parameters. DerivedOp has a
// static function defaultOperatorId(); Params has
// appendAttributes(OpSerialiserBase &) and a static makeFromAttributes(const
// Attributes &).

#ifndef POPULUS_INCLUDE_POPART_OP_CUSTOM_PARAMETERIZEDOP_HPP
#define POPULUS_INCLUDE_POPART_OP_CUSTOM_PARAMETERIZEDOP_HPP

#include <popart/op.hpp>
#include <popart/opmanager.hpp>

#include <map>
#include <memory>

namespace popart {

template <class DerivedOp, class Params> class ParameterizedOp : public Op {
public:
  using ParamsType = Params;

  ParameterizedOp(const OperatorIdentifier &opid, const Params &params,
                  const Op::Settings &settings)
      : Op(opid, settings), parameters(params) {}
  ParameterizedOp(const Params &params, const Op::Settings &settings)
      : Op(DerivedOp::defaultOperatorId(), settings), parameters(params) {}
  /// An operator with the parameters of another one: its gradient.
  template <class OtherOp>
  explicit ParameterizedOp(const ParameterizedOp<OtherOp, Params> &other)
      : Op(DerivedOp::defaultOperatorId(), other.getSettings()),
        parameters(other.params()) {}
  ParameterizedOp(const ParameterizedOp &) = default;

  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(
        new DerivedOp(static_cast<const DerivedOp &>(*this)));
  }
  void appendAttributes(OpSerialiserBase &os) const override {
    Op::appendAttributes(os);
    parameters.appendAttributes(os);
  }
  void appendOutlineAttributes(OpSerialiserBase &os) const override {
    Op::appendOutlineAttributes(os);
    parameters.appendAttributes(os);
  }
  float getSubgraphValue() const override { return getHighSubgraphValue(); }
  bool requiresRandomSeed() const override { return false; }

  const Params &params() const { return parameters; }

  /// Adds the operator to a graph, with operands and results by name.
  static DerivedOp *createOpInGraph(Graph &graph,
                                    const std::map<InIndex, TensorId> &in,
                                    const std::map<OutIndex, TensorId> &out,
                                    const OperatorIdentifier &opid,
                                    const Params &params,
                                    const Op::Settings &settings) {
    return graph.createConnectedOp<DerivedOp>(in, out, opid, params, settings);
  }
  static DerivedOp *createOpInGraph(Graph &graph,
                                    const std::map<InIndex, TensorId> &in,
                                    const std::map<OutIndex, TensorId> &out,
                                    const Params &params,
                                    const Op::Settings &settings) {
    return createOpInGraph(graph, in, out, DerivedOp::defaultOperatorId(),
                           params, settings);
  }

  static std::unique_ptr<Op>
  createOpFromCreatorInfo(const OpCreatorInfo &info) {
    return std::unique_ptr<Op>(new DerivedOp(
        info.opid, Params::makeFromAttributes(info.attributes), info.settings));
  }

private:
  Params parameters;
};

} // namespace popart

#endif
