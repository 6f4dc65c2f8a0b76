// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM, GRU and RNN expanded to operators for each step, for differentiation.

#ifndef POPULUS_LIB_POPART_OPS_RECURRENT_RECURRENT_H
#define POPULUS_LIB_POPART_OPS_RECURRENT_RECURRENT_H

#include "lib/PopART/IR/OpBuilder.h"

namespace populus::popir {

/// An activation function with its parameters, by the name that ONNX gives it.
struct Activation {
  std::string type;
  double alpha = 0, beta = 0;
};

/// The parsed and checked attributes of a recurrent operator.
struct RecurrentForm {
  const Op *op = nullptr;
  bool isBatchFirst = false;
  struct Direction {
    bool isBackwards = false;
    std::vector<Activation> activations;
  };
  std::vector<Direction> directions;
};

/// Adds the operators of all steps. Returns all hidden states, the last hidden
/// state and, for an LSTM, the last cell state.
std::vector<Value *> recurrentSteps(GraphBuilder &b, const RecurrentForm &form);

} // namespace populus::popir

#endif
