// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gates of an LSTM, in the order of the parts of its weights.

#ifndef POPULUS_POPNN_LSTMDEF_HPP
#define POPULUS_POPNN_LSTMDEF_HPP

/// The units of a cell, in the order of weights and biases.
enum BasicLstmCellUnit {
  BASIC_LSTM_CELL_FORGET_GATE = 0,
  BASIC_LSTM_CELL_INPUT_GATE = 1,
  BASIC_LSTM_CELL_CANDIDATE = 2,
  BASIC_LSTM_CELL_OUTPUT_GATE = 3,
  BASIC_LSTM_CELL_NUM_UNITS = 4
};

#endif
