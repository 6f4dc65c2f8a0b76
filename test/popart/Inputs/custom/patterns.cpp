// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns and transforms of a program: one of PopART's operators in the place
// of another one, own operators in the place of PopART's (one of which has one
// of PopART's as its base), two in the place of one. As a shared library it is
// the same for popart-compile.
#include "../device.hpp"

#include <popart/builder.hpp>
#include <popart/dataflow.hpp>
#include <popart/graphcoreoperators.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/op/add.hpp>
#include <popart/op/mul.hpp>
#include <popart/op/negate.hpp>
#include <popart/op/relu.hpp>
#include <popart/op/sigmoid.hpp>
#include <popart/operators.hpp>
#include <popart/opmanager.hpp>
#include <popart/patterns/pattern.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/session.hpp>
#include <popart/sgd.hpp>
#include <popart/stepio.hpp>
#include <popart/transforms/transform.hpp>
#include <popops/ElementWise.hpp>

#include <functional>
#include <iostream>
#include <typeinfo>

using popart::Op;
using popart::Tensor;
namespace pe = popops::expr;

namespace {

// ---- Operators of the program -----------------------------------------------

const popart::OperatorIdentifier Fma("patterns", "Fma", 1),
    FmaGrad("patterns", "FmaGrad", 1), TwoRelu("patterns", "TwoRelu", 1);

/// The gradient of a b + c: dy b, dy a, dy.
class FmaGradOp : public Op {
public:
  explicit FmaGradOp(const Op &forward) : Op(FmaGrad, forward.settings) {}
  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new FmaGradOp(*this));
  }
  void setup() override {
    for (int i = 0; i != 3; ++i)
      outInfo(i) = inInfo(0);
  }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  const std::vector<popart::GradInOutMapper> &gradInputInfo() const override {
    static const std::vector<popart::GradInOutMapper> info = {
        {0, 0, popart::GradOpInType::GradOut},
        {1, 0, popart::GradOpInType::In},
        {2, 1, popart::GradOpInType::In}};
    return info;
  }
  const std::map<int, int> &gradOutToNonGradIn() const override {
    static const std::map<int, int> info = {{0, 0}, {1, 1}, {2, 2}};
    return info;
  }
};

class FmaOp : public Op {
public:
  explicit FmaOp(const Op::Settings &settings) : Op(Fma, settings) {}
  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new FmaOp(*this));
  }
  void setup() override { outInfo(0) = inInfo(0); }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  std::vector<std::unique_ptr<Op>> getGradOps() override {
    std::vector<std::unique_ptr<Op>> ops;
    ops.emplace_back(new FmaGradOp(*this));
    return ops;
  }
};

/// 2 relu(x); shapes are those of Relu.
class TwoReluOp : public popart::ReluOp {
public:
  using ReluOp::ReluOp;
  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new TwoReluOp(*this));
  }
};

class FmaOpx : public popart::popx::Opx {
public:
  using Opx::Opx;
  void grow(poplar::program::Sequence &program) const override {
    setOutTensor(0,
                 popops::map(graph(), pe::_1 * pe::_2 + pe::_3,
                             {getInTensor(0), getInTensor(1), getInTensor(2)},
                             program, debugContext("fma")));
  }
};

class FmaGradOpx : public popart::popx::Opx {
public:
  using Opx::Opx;
  void grow(poplar::program::Sequence &program) const override {
    for (int i : {0, 1})
      setOutTensor(i, popops::mul(graph(), getInTensor(0), getInTensor(2 - i),
                                  program, debugContext("product")));
    setOutTensor(2, getInTensor(0));
  }
};

/// With a codelet that the session was given, if there is one.
class TwoReluOpx : public popart::popx::Opx {
public:
  using Opx::Opx;
  void grow(poplar::program::Sequence &program) const override {
    const poplar::Tensor x = getInTensor(0);
    if (!graph().hasCodelet("Twice"))
      return setOutTensor(
          0, popops::map(graph(),
                         pe::Max(pe::_1, pe::Const(0.0f)) * pe::Const(2.0f),
                         {x}, program, debugContext("twoRelu")));
    const poplar::Tensor y = graph().clone(x, debugContext("twice"));
    poplar::ComputeSet cs = graph().addComputeSet(debugContext("twice"));
    poplar::VertexRef vertex = graph().addVertex(
        cs, "Twice", {{"in", x.flatten()}, {"out", y.flatten()}});
    graph().setTileMapping(vertex, 0);
    program.add(poplar::program::Execute(cs));
    setOutTensor(0, y);
  }
};

popart::popx::OpxCreator<FmaOpx> fma(Fma);
popart::popx::OpxCreator<FmaGradOpx> fmaGrad(FmaGrad);
popart::popx::OpxCreator<TwoReluOpx> twoRelu(TwoRelu);

// ---- Patterns ---------------------------------------------------------------

/// Replaces an operator; the new one takes over its inputs and outputs.
void replace(Op *op, Op *by) {
  const std::map<int, popart::TensorId> in = op->input->tensorIdMap(),
                                        out = op->output->tensorIdMap();
  op->disconnectAllInputs();
  op->disconnectAllOutputs();
  for (const auto &item : in)
    by->connectInTensor(item.first, item.second);
  for (const auto &item : out)
    by->connectOutTensor(item.first, item.second);
  by->setup();
  op->getGraph().eraseOp(op->id);
}

class SigmoidToNegate : public popart::PreAliasPattern {
public:
  bool matches(Op *op) const override {
    return op->isConvertibleTo<popart::SigmoidOp>();
  }
  std::vector<const Tensor *> touches(Op *op) const override {
    return {op->outTensor(popart::SigmoidOp::getOutIndex())};
  }
  bool apply(Op *op) const override {
    replace(op, makeReplacementOpInIr(popart::Onnx::Operators::Neg_6, op));
    return true;
  }
};

class ReluToTwoRelu : public popart::PreAliasPattern {
public:
  bool matches(Op *op) const override {
    return op->opid == popart::Onnx::Operators::Relu_6 ||
           op->opid == popart::Onnx::Operators::Relu_13;
  }
  std::vector<const Tensor *> touches(Op *) const override { return {}; }
  bool apply(Op *op) const override {
    popart::Graph &graph = op->getGraph();
    replace(op, graph.createOp<TwoReluOp>(TwoRelu, op->settings));
    return true;
  }
};

/// a b + c where nobody else reads the product.
class AddToFma : public popart::PreAliasPattern {
public:
  bool matches(Op *op) const override {
    if (!op->isConvertibleTo<popart::AddOp>())
      return false;
    const Tensor *product = op->inTensor(popart::AddOp::getArg0InIndex());
    return product->hasProducer() &&
           product->getProducer()->isConvertibleTo<popart::MulOp>() &&
           product->consumers.getTotal() == 1;
  }
  std::vector<const Tensor *> touches(Op *op) const override {
    return {op->inTensor(0)};
  }
  bool apply(Op *op) const override {
    popart::Graph &graph = op->getGraph();
    Op *product = op->inTensor(0)->getProducer();
    const popart::TensorId a = product->inId(0), b = product->inId(1),
                           c = op->inId(1), y = op->outId(0);
    for (Op *old : {op, product})
      graph.eraseOp(old->id);
    graph.createConnectedOp<FmaOp>({{0, a}, {1, b}, {2, c}}, {{0, y}},
                                   Op::Settings(graph, "fma"));
    return true;
  }
};

/// exp(x) becomes -(-exp(x)), which has to be found once only.
class ExpTwiceNegated : public popart::PreAliasPattern {
public:
  bool matches(Op *op) const override {
    return op->opid.type == "Exp" && op->name() != "done";
  }
  std::vector<const Tensor *> touches(Op *) const override { return {}; }
  bool apply(Op *op) const override {
    popart::Graph &graph = op->getGraph();
    const popart::TensorId y = op->outId(0),
                           mid = graph.getIr().createIntermediateTensorId(y),
                           minus = graph.getIr().createIntermediateTensorId(y);
    const popart::TensorId x = op->inId(0);
    const OpPtr exp = makeReplacementOp(op->opid, op);
    exp->setName("done");
    graph.eraseOp(op->id);
    Op *first = graph.getOp(graph.moveIntoGraph(exp->clone()));
    first->connectInTensor(0, x);
    first->createAndConnectOutTensor(0, mid);
    first->setup();
    const popart::OperatorIdentifier &neg = popart::Onnx::Operators::Neg_6;
    graph.createConnectedOp<popart::NegateOp>({{0, mid}}, {{0, minus}}, neg,
                                              Op::Settings(graph, "minus"));
    graph.createConnectedOp<popart::NegateOp>({{0, minus}}, {{0, y}}, neg,
                                              Op::Settings(graph, "plus"));
    return true;
  }

private:
  using OpPtr = std::unique_ptr<Op>;
};

/// Removes what is still read.
class Careless : public popart::PreAliasPattern {
public:
  bool matches(Op *op) const override {
    return op->isConvertibleTo<popart::MulOp>();
  }
  std::vector<const Tensor *> touches(Op *) const override { return {}; }
  bool apply(Op *op) const override {
    op->getGraph().eraseOp(op->id);
    return true;
  }
};

/// Says that it has changed something, for ever.
class Endless : public popart::PreAliasPattern {
public:
  bool matches(Op *) const override { return true; }
  std::vector<const Tensor *> touches(Op *) const override { return {}; }
  bool apply(Op *) const override { return true; }
};

popart::PatternCreator<SigmoidToNegate> sigmoidToNegate("SigmoidToNegate");
popart::PatternCreator<ReluToTwoRelu> reluToTwoRelu("ReluToTwoRelu");
popart::PatternCreator<AddToFma> addToFma("AddToFma");
popart::PatternCreator<ExpTwiceNegated> expTwiceNegated("ExpTwiceNegated");
popart::PatternCreator<Careless> careless("Careless", false);
popart::PatternCreator<Endless> endless("Endless", false, false);

/// Every Sub becomes a Mul.
class SubToMul : public popart::Transform {
public:
  bool apply(popart::Graph &graph) const override {
    bool hasChanged = false;
    for (Op *op : graph.getOpSchedule())
      if (op->opid.type == "Sub") {
        replace(op, popart::OpManager::createOpInGraph(
                        popart::Onnx::Operators::Mul_7, graph, "product"));
        hasChanged = true;
      }
    return hasChanged;
  }
  std::size_t getId() const override { return typeid(SubToMul).hash_code(); }
  std::string getName() const override { return "SubToMul"; }
};

bool isRegistered = popart::Transform::registerTransform(new SubToMul);

// ---- The program ------------------------------------------------------------

using Device = std::shared_ptr<popart::DeviceInfo>;
using Make = std::function<std::string(
    popart::AiOnnxOpset9 &, const std::string &x, const std::string &y)>;

/// Prints the results and gradients of a model for inputs 2 and 3.
void run(const char *name, const Device &device, const Make &make,
         const popart::Patterns &patterns = popart::Patterns(),
         const popart::SessionOptions &options = popart::SessionOptions()) {
  auto builder = popart::Builder::create();
  const popart::TensorInfo info("FLOAT", popart::Shape{1});
  auto x = builder->addInputTensor(info), y = builder->addInputTensor(info);
  auto opset = builder->aiOnnxOpset9();
  const std::string z = make(opset, x, y);
  auto loss = builder->aiGraphcoreOpset1().identityloss({z});
  const auto all = popart::AnchorReturnType("All");
  float two = 2, three = 3, found[3] = {};
  const std::string anchors[] = {z, "Gradient___" + x, "Gradient___" + y};
  try {
    auto session = popart::TrainingSession::createFromOnnxModel(
        builder->getModelProto(),
        popart::DataFlow(
            1, {{anchors[0], all}, {anchors[1], all}, {anchors[2], all}}),
        loss, popart::ConstSGD(1), device, {}, options, patterns);
    session->prepareDevice();
    session->weightsFromHost();
    popart::NDArrayWrapper<float> a(&two, info), b(&three, info),
        value(&found[0], info), dx(&found[1], info), dy(&found[2], info);
    popart::StepIO io(
        {{x, a}, {y, b}},
        {{anchors[0], value}, {anchors[1], dx}, {anchors[2], dy}});
    session->run(io);
    std::cout << name << ": " << found[0] << ", gradients " << found[1] << " "
              << found[2] << "\n";
  } catch (const popart::error &error) {
    std::cout << name << ": error: " << error.what() << "\n";
  }
}

/// An operator without gradients.
void twice(const Device &device, const popart::SessionOptions &options) {
  auto builder = popart::Builder::create();
  const popart::TensorInfo info("FLOAT", popart::Shape{2});
  auto x = builder->addInputTensor(info);
  auto y = builder->aiOnnxOpset9().relu({x});
  float in[] = {-1, 3}, out[2] = {};
  auto session = popart::InferenceSession::createFromOnnxModel(
      builder->getModelProto(),
      popart::DataFlow(1, {{y, popart::AnchorReturnType("All")}}), device, {},
      options);
  session->prepareDevice();
  popart::NDArrayWrapper<float> a(in, info), b(out, info);
  popart::StepIO io({{x, a}}, {{y, b}});
  session->run(io);
  std::cout << "twice: " << out[0] << " " << out[1] << "\n";
}

} // namespace

int main(int, char **argv) {
  const Device device = deviceOf(argv[1]);
  using Opset = popart::AiOnnxOpset9;
  using Id = std::string;
  const Make sigmoid = [](Opset &b, const Id &x, const Id &y) {
    return b.mul({b.sigmoid({x}), y});
  };
  run("negate", device, sigmoid);
  popart::Patterns without;
  without.enablePattern("SigmoidToNegate", false);
  run("off", device, sigmoid, without);
  run("none", device, sigmoid,
      popart::Patterns(popart::PatternsLevel::NoPatterns));
  run("anchored", device, [](Opset &b, const Id &x, const Id &y) {
    return b.sigmoid({b.sub({x, y})});
  });
  const Make product = [](Opset &b, const Id &x, const Id &y) {
    return b.exp({b.add({b.mul({x, y}), y})});
  };
  run("fused", device, product);
  const Make difference = [](Opset &b, const Id &x, const Id &y) {
    return b.sub({x, y});
  };
  popart::SessionOptions options;
  auto &transforms =
      options.experimentalSettings.customTransformApplierSettings;
  for (const char *checkpoint : {"Fwd0", "Fwd1", "Bwd0", "PreAlias", "Final"}) {
    transforms = {{checkpoint, {"SubToMul"}}};
    run(checkpoint, device, difference, popart::Patterns(), options);
  }
  transforms = {{"Fwd0", {"SubToNothing"}}};
  run("transform", device, difference, popart::Patterns(), options);
  transforms = {{"Fwd7", {"SubToMul"}}};
  run("checkpoint", device, difference, popart::Patterns(), options);
  popart::Patterns noUse, noEnd;
  noUse.enablePattern("AddToFma", false);
  noUse.enablePattern("Careless", true);
  noEnd.enablePattern("Endless", true);
  run("careless", device, product, noUse);
  run("endless", device, product, noEnd);

  popart::SessionOptions usual, own;
  own.customCodelets = {argv[2]};
  own.customCodeletCompileFlags = "-DOFFSET=1";
  twice(device, usual);
  twice(device, own);
}
