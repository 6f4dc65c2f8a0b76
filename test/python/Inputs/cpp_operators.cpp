// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of a Python module, as libraries over popxl have them: Scale
// multiplies by a parameter and has a gradient, AddTo writes its operand.

#include <popart/gradoperators.hpp>
#include <popart/op/custom/parameterizedop.hpp>
#include <popart/op/custom/parameterizedopbinder.hpp>
#include <popart/op/identity.hpp>
#include <popart/popx/op/gatherx.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/popx/popopx.hpp>

#include <popops/ElementWise.hpp>

namespace py = pybind11;
namespace pe = popops::expr;
using namespace popart;

static const OperatorIdentifier Scale = {"test.ops", "Scale", 1};
static const OperatorIdentifier ScaleGrad = {"test.ops", "ScaleGrad", 1};
static const OperatorIdentifier AddTo = {"test.ops", "AddTo", 1};
static const OperatorIdentifier Rows = {"test.ops", "Rows", 1};
static const OperatorIdentifier Pass = {"test.ops", "Pass", 1};

struct ScaleParams {
  float factor;
  void appendAttributes(OpSerialiserBase &os) const {
    os.appendAttribute("factor", factor);
  }
  static ScaleParams makeFromAttributes(const Attributes &attributes) {
    return {attributes.getAttribute<Attributes::Float>("factor")};
  }
};

class ScaleGradOp : public ParameterizedOp<ScaleGradOp, ScaleParams> {
public:
  using ParameterizedOp<ScaleGradOp, ScaleParams>::ParameterizedOp;
  static OperatorIdentifier defaultOperatorId() { return ScaleGrad; }
  void setup() override { outInfo(0) = inInfo(0); }
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

class ScaleOp : public ParameterizedOp<ScaleOp, ScaleParams> {
public:
  using ParameterizedOp<ScaleOp, ScaleParams>::ParameterizedOp;
  static OperatorIdentifier defaultOperatorId() { return Scale; }
  void setup() override { outInfo(0) = inInfo(0); }
  std::vector<std::unique_ptr<Op>> getGradOps() override {
    std::vector<std::unique_ptr<Op>> ops;
    ops.push_back(std::unique_ptr<Op>(new ScaleGradOp(*this)));
    return ops;
  }
};

template <class OP> class ScaleOpx : public popx::Opx {
public:
  ScaleOpx(Op *op, popx::Devicex *device) : Opx(op, device) {
    verifyOp<OP>(op);
  }
  void grow(poplar::program::Sequence &program) const override {
    const float factor = getOp<OP>().params().factor;
    setOutTensor(0, popops::map(graph(), pe::_1 * pe::Const(factor),
                                {getInTensor(0)}, program, debugContext()));
  }
};

/// Operators without parameters, bound by hand.
class PlainOp : public Op {
public:
  using Op::Op;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new PlainOp(*this));
  }
  void setup() override {
    outInfo(0) = inInfo(0);
    if (opid == Rows)
      outInfo(0).set(inInfo(0).dataType(), {inShape(1)[0], inShape(0)[1]});
  }
  view::Regions modifies(InIndex index) const override {
    return opid == AddTo && index == 0
               ? view::Regions{view::Region::getFull(inShape(0))}
               : Op::modifies(index);
  }
  view::Regions aliases(InIndex in, OutIndex) const override {
    return modifies(in);
  }
  std::vector<std::unique_ptr<Op>> getGradOps() override {
    if (opid != Pass)
      return Op::getGradOps();
    std::vector<std::unique_ptr<Op>> ops;
    ops.push_back(std::unique_ptr<Op>(
        new IdentityGradOp(Onnx::GradOperators::IdentityGrad, settings)));
    return ops;
  }
};

class PlainOpx : public popx::PopOpx {
public:
  using PopOpx::PopOpx;
  void grow(poplar::program::Sequence &program) const override {
    if (op_p->opid == Pass)
      return setOutTensor(0, cloneNcopy(program, getInTensor(0)));
    const poplar::Tensor &written = getInTensor(0);
    popops::addInPlace(graph(), written, getInTensor(1), program,
                       debugContext());
    setOutTensor(0, written);
  }
};

static popx::OpxCreator<ScaleOpx<ScaleOp>> scale(Scale);
static popx::OpxCreator<ScaleOpx<ScaleGradOp>> scaleGrad(ScaleGrad);
static popx::OpxCreator<PlainOpx> plain({AddTo, Pass});
static popx::OpxCreator<popx::GatherOpx> rows(Rows);

PYBIND11_MODULE(cpp_operators, module) {
  py::class_<ScaleParams>(module, "ScaleParams")
      .def(py::init([](float factor) { return ScaleParams{factor}; }))
      .def_readwrite("factor", &ScaleParams::factor);
  ir::op::makeParameterizedOpBindings<ScaleOp>(module, "Scale");
  py::class_<PlainOp, Op, std::shared_ptr<PlainOp>>(module, "Plain")
      .def_static(
          "createOpInGraph",
          [](const std::string &type, Graph &graph,
             const std::map<InIndex, TensorId> &in,
             const std::map<OutIndex, TensorId> &out,
             const Op::Settings &settings) {
            return graph.createConnectedOp<PlainOp>(
                in, out, OperatorIdentifier("test.ops", type, 1), settings);
          },
          py::return_value_policy::reference)
      .def(
          "outTensor",
          [](PlainOp &op, OutIndex index) { return op.outTensor(index); },
          py::return_value_policy::reference);
}
