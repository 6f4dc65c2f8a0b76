// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that have to be known at compile time: shapes, axes, numbers of
// iterations. Folding (Import/Folding.h) turns most of them into constants, but
// some operators have no rule for constants. For example, s depends only on
// constants and is none:
//
//   k = constant [2, 6];  m = ReduceMax(k);  s = Cast(m);  y = Reshape(x, s)
//
// An evaluator computes s on demand, together with the values that s depends
// on. The IR links no device, so lowering registers the evaluator
// (Lowering/Evaluation.cpp).

#ifndef POPULUS_LIB_POPART_IR_KNOWNVALUES_H
#define POPULUS_LIB_POPART_IR_KNOWNVALUES_H

#include "lib/PopART/IR/Value.h"

#include <optional>
#include <string>

namespace populus::popir {

/// Computes a value from constants; nothing if it depends on more than
/// constants, or cannot be computed, for which `problem` has the reason.
using Evaluator = std::optional<HostTensor> (*)(const Value &value,
                                                std::string &problem);

/// A static object of this type registers the evaluator.
class RegisterEvaluator {
public:
  explicit RegisterEvaluator(Evaluator evaluator);
};

/// The value of a constant. A value that the evaluator can compute becomes a
/// constant. Null if it is known only at run time, or cannot be computed;
/// `problem`, if given, then has the reason.
const HostTensor *knownValue(Value &value, std::string *problem = nullptr);

} // namespace populus::popir

#endif
