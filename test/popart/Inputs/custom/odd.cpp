// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that are unusual, and operators with mistakes, for messages.
#include <popart/op.hpp>
#include <popart/op/custom/parameterizedop.hpp>
#include <popart/opmanager.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>

#include <popops/ElementWise.hpp>
#include <poprand/RandomGen.hpp>

#ifdef OWN_NAME
#define DOMAIN ""
#else
#define DOMAIN "odd"
#endif

template <int N> class OddOp : public popart::Op {
public:
  using popart::Op::Op;
  std::unique_ptr<popart::Op> clone() const override {
    return std::unique_ptr<popart::Op>(new OddOp(*this));
  }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  void setup() override {
    if (N == 0)
      throw popart::error("Silent: {} is no good", inId(0));
    if (N != 1)
      outInfo(0) = inInfo(0);
  }
  bool requiresRandomSeed() const override { return N == 4; }
  popart::InIndex getSeedInIndex() const override { return 1; }
};

template <int N> class OddOpx : public popart::popx::Opx {
public:
  OddOpx(popart::Op *op, popart::popx::Devicex *device) : Opx(op, device) {
    verifyOp<OddOp<N>>(op);
  }
  void grow(poplar::program::Sequence &prog) const override {
    if (N == 3)
      setOutTensor(0, getInTensor(0).flatten());
    if (N == 4)
      setOutTensor(0,
                   poprand::uniform(graph(), &getInTensor(1), 0, getInTensor(0),
                                    poplar::FLOAT, 0, 1, prog, debugContext()));
    if (N == 6) {
      const auto copy = cloneNcopy(prog, inId(0));
      setOutTensor(0, copy.flatten().reshape(outShapeSzt(0)));
    }
  }
};

static const popart::OpDefinition
    Any({popart::OpDefinition::Inputs({{"x", {popart::DataType::FLOAT}}}),
         popart::OpDefinition::Outputs({{"y", {popart::DataType::FLOAT}}}),
         popart::OpDefinition::Attributes({})});

#define ODD(N, NAME)                                                           \
  static popart::OpCreator<OddOp<N>> creator##N(                               \
      popart::OpDefinitions({{{DOMAIN, NAME, 1}, Any}}));

ODD(0, "Throws")
ODD(1, "Shapeless")
ODD(2, "Unlowered")
ODD(3, "Flat")
ODD(4, "Noise")
ODD(5, "Resultless")
ODD(6, "Copy")
#ifdef OWN_NAME
ODD(7, "Relu")
#endif

#define LOWER(N, NAME)                                                         \
  static popart::popx::OpxCreator<OddOpx<N>> opx##N({DOMAIN, NAME, 1});
LOWER(1, "Shapeless")
LOWER(3, "Flat")
LOWER(4, "Noise")
LOWER(5, "Resultless")
LOWER(6, "Copy")

struct ScaleParams {
  float factor;
  std::vector<int64_t> more;
  void appendAttributes(popart::OpSerialiserBase &os) const {
    os.appendAttribute("factor", factor);
    os.appendAttribute("more", more);
  }
  static ScaleParams makeFromAttributes(const popart::Attributes &attributes) {
    ScaleParams params{2.0f, {}};
    attributes.setIfPresent(params.more, "more");
    params.factor =
        attributes.getAttribute<popart::Attributes::Float>("factor", 2.0f);
    return params;
  }
};

struct ScaleOp : popart::ParameterizedOp<ScaleOp, ScaleParams> {
  using popart::ParameterizedOp<ScaleOp, ScaleParams>::ParameterizedOp;
  static popart::OperatorIdentifier defaultOperatorId() {
    return {DOMAIN, "Scale", 1};
  }
  void setup() override { outInfo(0) = inInfo(0); }
};

struct ScaleOpx : popart::popx::Opx {
  using Opx::Opx;
  void grow(poplar::program::Sequence &prog) const override {
    const float factor = getOp<ScaleOp>().params().factor;
    setOutTensor(0, popops::map(graph(), popops::expr::_1 * factor,
                                {getInTensor(0)}, prog, debugContext()));
  }
};

static popart::OpCreator<ScaleOp>
    scaleCreator(popart::OpDefinitions({{ScaleOp::defaultOperatorId(), Any}}),
                 ScaleOp::createOpFromCreatorInfo);
static popart::popx::OpxCreator<ScaleOpx>
    scaleOpx(ScaleOp::defaultOperatorId());
