// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operators that add a gradient to an accumulator.

#ifndef POPULUS_INCLUDE_POPART_OP_ACCUMULATE_HPP
#define POPULUS_INCLUDE_POPART_OP_ACCUMULATE_HPP

#include <popart/graphcoreoperators.hpp>
#include <popart/op/varupdate.hpp>
#include <popart/optimizervalue.hpp>

#include <memory>
#include <ostream>

namespace popart {

enum class AccumulationType {
  Add = 0,
  DampenedAdd,
  DampenedAddSquare,
  DecayAdd,
  DecayAddSquare,
  MovingAverage,
  MovingAverageSquare,
  Infinity,
  Mean
};

inline std::ostream &operator<<(std::ostream &out, AccumulationType type) {
  static const char *const names[] = {"Add",
                                      "DampenedAdd",
                                      "DampenedAddSquare",
                                      "DecayAdd",
                                      "DecayAddSquare",
                                      "MovingAverage",
                                      "MovingAverageSquare",
                                      "Infinity",
                                      "Mean"};
  return out << names[static_cast<int>(type)];
}

class AccumulateOp : public VarUpdateWithUpdaterOp {
public:
  AccumulateOp(AccumulationType type, const OptimizerValue &factor,
               const Op::Settings &settings)
      : VarUpdateWithUpdaterOp(
            OperatorIdentifier(Domain::ai_graphcore, "Accumulate", 1),
            settings),
        type(type), factor(factor) {}
  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new AccumulateOp(*this));
  }
  static InIndex getFactorInIndex() { return 2; }

  void appendOutlineAttributes(OpSerialiserBase &os) const override {
    VarUpdateWithUpdaterOp::appendOutlineAttributes(os);
    os.appendAttribute("type", type);
    if (factor.isConst())
      os.appendAttribute("factor", factor.val());
  }
  AccumulationType getAccumulationType() const { return type; }
  const OptimizerValue &getFactor() const { return factor; }

private:
  AccumulationType type;
  OptimizerValue factor;
};

} // namespace popart

#endif
