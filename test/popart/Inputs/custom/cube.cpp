// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program with an operator of its own, x³, and its gradient 3x²·dy, lowered
// through PopLibs. It trains a weight with it, beside the same in double.
#include "../device.hpp"

#include <popart/builder.hpp>
#include <popart/dataflow.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/op.hpp>
#include <popart/opmanager.hpp>
#include <popart/opserialiser.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/session.hpp>
#include <popart/sgd.hpp>
#include <popart/shapeinference.hpp>
#include <popart/stepio.hpp>
#include <popart/tensornames.hpp>

#include <popops/ElementWise.hpp>

#include <cmath>
#include <iostream>

namespace pe = popops::expr;

namespace {

const popart::OperatorIdentifier Cube = {"custom.ops", "Cube", 1, {1, 1}, 1};
const popart::OperatorIdentifier CubeGrad = {"custom.grads", "CubeGrad", 1};

class CubeOp;

class CubeGradOp : public popart::Op {
public:
  explicit CubeGradOp(const popart::Op &cube)
      : popart::Op(CubeGrad, cube.settings) {}

  std::unique_ptr<popart::Op> clone() const override {
    return std::unique_ptr<popart::Op>(new CubeGradOp(*this));
  }
  void setup() override { outInfo(0) = inInfo(1); }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }

  const std::vector<popart::GradInOutMapper> &gradInputInfo() const override {
    static const std::vector<popart::GradInOutMapper> info = {
        {0, 0, popart::GradOpInType::GradOut},
        {1, 0, popart::GradOpInType::In}};
    return info;
  }
  const std::map<int, int> &gradOutToNonGradIn() const override {
    static const std::map<int, int> info = {{0, 0}};
    return info;
  }
};

class CubeOp : public popart::Op {
public:
  CubeOp(const popart::OperatorIdentifier &id, const popart::Op::Settings &s)
      : popart::Op(id, s) {}

  std::unique_ptr<popart::Op> clone() const override {
    return std::unique_ptr<popart::Op>(new CubeOp(*this));
  }
  void setup() override { outInfo(0) = inInfo(0); }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }

  std::vector<std::unique_ptr<popart::Op>> getGradOps() override {
    std::vector<std::unique_ptr<popart::Op>> result;
    result.emplace_back(new CubeGradOp(*this));
    return result;
  }
};

class CubeOpx : public popart::popx::Opx {
public:
  CubeOpx(popart::Op *op, popart::popx::Devicex *device) : Opx(op, device) {
    verifyOp<CubeOp>(op, Cube);
  }
  void grow(poplar::program::Sequence &prog) const override {
    setOutTensor(0, popops::map(graph(), pe::_1 * pe::_1 * pe::_1,
                                {getInTensor(0)}, prog, debugContext("cube")));
  }
};

class CubeGradOpx : public popart::popx::Opx {
public:
  CubeGradOpx(popart::Op *op, popart::popx::Devicex *device) : Opx(op, device) {
    verifyOp<CubeGradOp>(op, CubeGrad);
  }
  void grow(poplar::program::Sequence &prog) const override {
    setOutTensor(0, popops::map(graph(),
                                pe::Const(3.0f) * pe::_2 * pe::_2 * pe::_1,
                                {getInTensor(0), getInTensor(1)}, prog,
                                debugContext("cubeGrad")));
  }
};

const popart::OpDefinition::DataTypes Types = {popart::DataType::FLOAT16,
                                               popart::DataType::FLOAT};
const popart::OpDefinition
    Definition({popart::OpDefinition::Inputs({{"input", Types}}),
                popart::OpDefinition::Outputs({{"output", Types}}),
                popart::OpDefinition::Attributes()});
popart::OpCreator<CubeOp> creator(
    popart::OpDefinitions({{Cube, Definition}}),
    [](const popart::OpCreatorInfo &info) {
      return std::unique_ptr<popart::Op>(new CubeOp(info.opid, info.settings));
    },
    true);
popart::popx::OpxCreator<CubeOpx> opx(Cube);
popart::popx::OpxCreator<CubeGradOpx> gradOpx(CubeGrad);
popart::RegisterShapeInferenceFunction
    shapes(Cube, [](popart::ShapeInferenceContext &context) {
      context.outInfo(0) = context.inInfo(0);
    });

} // namespace

int main(int, char **argv) {
  auto builder = popart::Builder::create();
  popart::AiOnnxOpset9 onnx = builder->aiOnnxOpset9();
  const std::vector<std::int64_t> shape = {3, 5};
  std::vector<float> w(15);
  for (int i = 0; i != 15; ++i)
    w[i] = 0.1f * static_cast<float>(i - 6);
  const popart::TensorId x =
      builder->addInputTensor(popart::TensorInfo("FLOAT", shape));
  const popart::TensorId weight = builder->addInitializedInputTensor(
      {w.data(), popart::TensorInfo("FLOAT", shape)}, "w");
  const popart::TensorId sum = onnx.add({x, weight});
  const popart::TensorId cube =
      builder->customOp(Cube, 1, {sum}, 1, {}, "cube")[0];
  const popart::TensorId loss = builder->aiGraphcoreOpset1().identityloss(
      {cube}, popart::ReductionType::Sum);
  std::cout << cube << ": "
            << popart::TensorInfo("FLOAT", builder->getTensorShape(cube))
            << "\n";

  const popart::TensorId gradient = popart::reservedGradientPrefix() + "w";
  const auto flow =
      popart::DataFlow(1, {{cube, popart::AnchorReturnType("All")},
                           {gradient, popart::AnchorReturnType("All")}});
  auto session = popart::TrainingSession::createFromOnnxModel(
      builder->getModelProto(), flow, loss, popart::ConstSGD(0.01f),
      deviceOf(argv[1]));
  session->prepareDevice();
  session->weightsFromHost();

  bool isRight = true;
  for (int step = 0; step != 3; ++step) {
    std::vector<float> input(15, 0.25f * static_cast<float>(step)), y(15),
        g(15);
    popart::NDArrayWrapper<float> in(input.data(), shape), out(y.data(), shape),
        dw(g.data(), shape);
    std::map<popart::TensorId, popart::IArray &> inputs = {{x, in}};
    std::map<popart::TensorId, popart::IArray &> anchors = {{cube, out},
                                                            {gradient, dw}};
    popart::StepIO io(inputs, anchors);
    session->run(io);
    for (int i = 0; i != 15; ++i) {
      const double s = double(w[i]) + input[i], d = 3 * s * s;
      isRight &= std::abs(y[i] - s * s * s) < 1e-5;
      isRight &= std::abs(g[i] - d) < 1e-5;
      w[i] = static_cast<float>(w[i] - 0.01 * d);
    }
  }
  std::cout << (isRight ? "values and gradients agree\n" : "wrong\n");
  return isRight ? 0 : 1;
}
