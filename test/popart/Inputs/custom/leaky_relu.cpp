// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library with an operator: a leaky ReLU whose slope is an attribute. A
// codelet computes it, PopLibs its gradient.
#include <popart/error.hpp>
#include <popart/op.hpp>
#include <popart/opmanager.hpp>
#include <popart/opserialiser.hpp>
#include <popart/popx/devicex.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>

#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>

#include <sstream>

namespace pe = popops::expr;

namespace CustomOperators {
const popart::OperatorIdentifier LeakyReluId = {"custom.ops", "LeakyRelu", 1};
} // namespace CustomOperators
namespace CustomGradOperators {
const popart::OperatorIdentifier LeakyReluGradId = {"custom.ops",
                                                    "LeakyReluGrad", 1};
} // namespace CustomGradOperators

class LeakyReluGradOp;

class LeakyReluOp : public popart::Op {
public:
  LeakyReluOp(const popart::OperatorIdentifier &opid, float alpha,
              const popart::Op::Settings &settings)
      : popart::Op(opid, settings), alpha(alpha) {}

  std::unique_ptr<popart::Op> clone() const final {
    return std::make_unique<LeakyReluOp>(*this);
  }
  void setup() final { outInfo(0) = inInfo(0); }
  void appendAttributes(popart::OpSerialiserBase &os) const override {
    Op::appendAttributes(os);
    os.appendAttribute("alpha", getAlpha());
  }
  void appendOutlineAttributes(popart::OpSerialiserBase &os) const override {
    Op::appendOutlineAttributes(os);
    os.appendAttribute("alpha", getAlpha());
  }
  std::vector<std::unique_ptr<popart::Op>> getGradOps() override;
  float getSubgraphValue() const final { return getHighSubgraphValue(); }
  bool requiresRandomSeed() const override { return false; }

  float getAlpha() const { return alpha; }

private:
  float alpha;
};

class LeakyReluGradOp : public popart::Op {
public:
  explicit LeakyReluGradOp(const LeakyReluOp &forward)
      : popart::Op(CustomGradOperators::LeakyReluGradId, forward.settings),
        alpha(forward.getAlpha()) {}

  std::unique_ptr<popart::Op> clone() const final {
    return std::make_unique<LeakyReluGradOp>(*this);
  }
  void setup() final { outInfo(0) = inInfo(0); }
  const std::vector<popart::GradInOutMapper> &gradInputInfo() const override {
    static const std::vector<popart::GradInOutMapper> inInfo = {
        {0, 0, popart::GradOpInType::GradOut},
        {1, 0, popart::GradOpInType::In}};
    return inInfo;
  }
  const std::map<int, int> &gradOutToNonGradIn() const override {
    static const std::map<int, int> outInfo = {{0, 0}};
    return outInfo;
  }
  void appendOutlineAttributes(popart::OpSerialiserBase &os) const override {
    Op::appendOutlineAttributes(os);
    os.appendAttribute("alpha", alpha);
  }
  float getSubgraphValue() const final { return getHighSubgraphValue(); }
  float getAlpha() const { return alpha; }

private:
  float alpha;
};

std::vector<std::unique_ptr<popart::Op>> LeakyReluOp::getGradOps() {
  std::vector<std::unique_ptr<popart::Op>> upops;
  upops.emplace_back(new LeakyReluGradOp(*this));
  return upops;
}

static const char Codelet[] = R"(
#include <poplar/Vertex.hpp>
template <class T> class LeakyRelu : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<T>> in;
  poplar::Output<poplar::Vector<T>> out;
  float alpha;
  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i) {
      float x = static_cast<float>(in[i]);
      out[i] = static_cast<T>(x > 0 ? x : x * alpha);
    }
    return true;
  }
};
template class LeakyRelu<float>;
template class LeakyRelu<half>;
)";

class LeakyReluOpx : public popart::popx::Opx {
public:
  LeakyReluOpx(popart::Op *op, popart::popx::Devicex *devicex)
      : popart::popx::Opx(op, devicex) {
    verifyOp<LeakyReluOp>(op, {CustomOperators::LeakyReluId});
  }

  void grow(poplar::program::Sequence &prog) const final {
    const LeakyReluOp &op = getOp<LeakyReluOp>();
    std::stringstream source(Codelet);
    graph().addCodelets(source);
    poplar::Tensor in = getInTensor(0);
    poplar::Tensor out = graph().clone(in, debugContext("out"));
    poplar::ComputeSet cs = graph().addComputeSet(debugContext("LeakyRelu"));
    const auto mapping = graph().getTileMapping(in);
    const std::string name =
        poputil::templateVertex("LeakyRelu", in.elementType());
    for (unsigned tile = 0; tile != mapping.size(); ++tile)
      for (const poplar::Interval &part : mapping[tile]) {
        const auto v = graph().addVertex(cs, name,
                                         {{"in", in.flatten().slice(part)},
                                          {"out", out.flatten().slice(part)}});
        graph().setInitialValue(v["alpha"], op.getAlpha());
        graph().setTileMapping(v, tile);
      }
    prog.add(poplar::program::Execute(cs, debugContext()));
    setOutTensor(0, out);
  }
};

class LeakyReluGradOpx : public popart::popx::Opx {
public:
  LeakyReluGradOpx(popart::Op *op, popart::popx::Devicex *devicex)
      : popart::popx::Opx(op, devicex) {
    verifyOp<LeakyReluGradOp>(op, {CustomGradOperators::LeakyReluGradId});
  }

  void grow(poplar::program::Sequence &prog) const final {
    const LeakyReluGradOp &op = getOp<LeakyReluGradOp>();
    const auto expression =
        pe::Mul(pe::Select(pe::Const(op.getAlpha()), pe::Const(1.0f),
                           pe::Lt(pe::_2, pe::Const(0.0f))),
                pe::_1);
    setOutTensor(0, popops::map(graph(), expression,
                                {getInTensor(0), getInTensor(1)}, prog,
                                debugContext("leaky_relu_grad")));
  }
};

static popart::OpDefinition::DataTypes T = {popart::DataType::FLOAT16,
                                            popart::DataType::FLOAT};

static popart::OpDefinition
    leakyReluOpDef({popart::OpDefinition::Inputs({{"input", T}}),
                    popart::OpDefinition::Outputs({{"output", T}}),
                    popart::OpDefinition::Attributes({{"alpha", {"*"}}})});

static popart::OpCreator<LeakyReluOp> leakyReluOpCreator(
    popart::OpDefinitions({{CustomOperators::LeakyReluId, leakyReluOpDef}}),
    [](const popart::OpCreatorInfo &info) {
      float alpha = info.attributes.getAttribute<popart::Attributes::Float>(
          "alpha", 1e-2f);
      return std::make_unique<LeakyReluOp>(info.opid, alpha, info.settings);
    },
    true);

static popart::popx::OpxCreator<LeakyReluOpx>
    leakyReluOpxCreator({CustomOperators::LeakyReluId});
static popart::popx::OpxCreator<LeakyReluGradOpx>
    leakyReluGradOpxCreator({CustomGradOperators::LeakyReluGradId});
