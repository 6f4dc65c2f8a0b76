// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Division of a grouped matrix product over tiles. Rows, columns and depth are
// each divided into parts, and a tile multiplies one block of A by one of B:
//
//               depth            columns              columns
//            +----+----+       +----+----+         +----+----+
//      rows  | A0 | A1 |   x   | B0 |    |    =    | C  |    |
//            +----+----+       +----+----+         +----+----+
//            |    |    |       | B1 |    |         |    |    |
//            +----+----+       +----+----+         +----+----+
//
// One tile computes A0 B0 and another A1 B1; the partial sums are then reduced
// to C.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_PLANNING_MATMULPLAN_H
#define POPULUS_LIB_POPLIBS_POPLIN_PLANNING_MATMULPLAN_H

#include "lib/PopLibs/poplin/planning/ConvPlan.h"
#include "lib/PopLibs/poplin/planning/CostModel.h"
#include "lib/PopLibs/poplin/planning/MatMulShape.h"
#include "lib/PopLibs/poputil/Partition.h"

namespace poplin {

using namespace poplibs; // Partition.h

struct MatMulPlan {
  /// If it has several parts, the rest is the plan of one of them. Rows are the
  /// batch, columns the output channels.
  SerialSplit serial;
  std::size_t groups = 1;
  Partition rows, columns, depth;
  TileGrid tiles;
  double memory = 0; // the estimate of temporary bytes on a tile
  /// The convolution that computes the product if the flag `matrix` is set. The
  /// rest of the plan is then unused.
  ConvPlan convolution;

  std::size_t blocks() const { return groups * rows.parts * columns.parts; }
  /// The tile that computes part \p d of the sums of a block.
  unsigned tile(std::size_t group, std::size_t row, std::size_t column,
                std::size_t d) const {
    return tiles.tile(((group * rows.parts + row) * columns.parts + column) *
                          depth.parts +
                      d);
  }
  /// The workers of a tile that share one block.
  std::size_t workersPerBlock(std::size_t workers) const;
};

/// Bundles of poplin::MatMulPartial. `isRowByRow`: what is multiplied lies one
/// behind the other in both operands.
double matMulBundles(bool isHalf, std::size_t rows, std::size_t columns,
                     std::size_t depth, bool isRowByRow = false);
MatMulPlan planMatMul(const MatMulShape &shape, const CostModel &cost);

} // namespace poplin

#endif
