// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that have to be known when a model is compiled: shapes, axes, numbers
// of iterations. Folding (Import/Folding.h) makes constants of most of them.
// Operators without a rule for constants leave values that depend on nothing
// but constants and are still no constants, such as
//
//   k = constant [2, 6];  m = ReduceMax(k);  s = Cast(m);  y = Reshape(x, s)
//
// An evaluator computes s on demand, together with the values that s depends
// on. The IR has none of its own: it links no device. Lowering
// registers one (Lowering/Evaluation.cpp).

#ifndef POPULUS_LIB_POPART_IR_KNOWNVALUES_H
#define POPULUS_LIB_POPART_IR_KNOWNVALUES_H

#include "lib/PopART/IR/Value.h"

#include <optional>
#include <string>

namespace populus::popir {

/// Computes a value that depends on constants only; nothing where it depends on
/// something else or cannot be computed, for which `problem` has the reason.
using Evaluator = std::optional<HostTensor> (*)(const Value &value,
                                                std::string &problem);

/// A static object of this type registers the evaluator.
class RegisterEvaluator {
public:
  explicit RegisterEvaluator(Evaluator evaluator);
};

/// The value of a constant, or of what an evaluator can compute, which becomes
/// a constant. Null where it is computed when the model runs, or cannot be
/// computed; then `problem`, if it is given, has the reason.
const HostTensor *knownValue(Value &value, std::string *problem = nullptr);

} // namespace populus::popir

#endif
