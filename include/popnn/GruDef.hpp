// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gates of a GRU, in the order of the parts of its weights.

#ifndef POPULUS_POPNN_GRUDEF_HPP
#define POPULUS_POPNN_GRUDEF_HPP

/// The units of a cell, in the order of weights and biases.
enum BasicGruCellUnit {
  BASIC_GRU_CELL_RESET_GATE = 0,
  BASIC_GRU_CELL_UPDATE_GATE = 1,
  BASIC_GRU_CELL_CANDIDATE = 2,
  BASIC_GRU_CELL_NUM_UNITS = 3
};

#endif
