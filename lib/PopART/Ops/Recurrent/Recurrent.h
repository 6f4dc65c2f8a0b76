// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM, GRU and RNN as operators for each step, which a graph has where it is
// to be differentiated.

#ifndef POPULUS_LIB_POPART_OPS_RECURRENT_RECURRENT_H
#define POPULUS_LIB_POPART_OPS_RECURRENT_RECURRENT_H

#include "lib/PopART/IR/OpBuilder.h"

namespace populus::popir {

/// An activation function with its parameters, by the name that ONNX gives it.
struct Activation {
  std::string type;
  double alpha = 0, beta = 0;
};

/// What a recurrent operator says about its form, read and checked.
struct RecurrentForm {
  const Op *op = nullptr;
  bool isBatchFirst = false;
  struct Direction {
    bool isBackwards = false;
    std::vector<Activation> activations;
  };
  std::vector<Direction> directions;
};

/// Makes the operators of all steps. Returns the hidden states of all steps,
/// the last one, and, of an LSTM, the last cell.
std::vector<Value *> recurrentSteps(GraphBuilder &b, const RecurrentForm &form);

} // namespace populus::popir

#endif
