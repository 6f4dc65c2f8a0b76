// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Form of a convolution on the matrix unit. A kernel of one element makes it a
// matrix product, whose rows are all positions of all batch elements. A
// convolution of few channels becomes a product if all taps of the kernel
// become channels, and has fewer taps if those of its columns do. Otherwise
// padding becomes part of the input if no tap is used by all results.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_PLANNING_MATRIXFORM_H
#define POPULUS_LIB_POPLIBS_POPLIN_PLANNING_MATRIXFORM_H

#include "lib/PopLibs/poplin/planning/ConvPlan.h"

#include <poplar/Graph.hpp>

namespace poplin {

class MatrixForm {
public:
  MatrixForm(const ConvShape &original, KernelFold fold);

  /// The shape without and with padding as part of the input.
  ConvShape unpadded, padded;

  /// [batch, groups, inChannels, rows, columns] as \ref unpadded has them.
  poplar::Tensor input(poplar::Graph &graph, const poplar::Tensor &in,
                       poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext) const;
  /// [groups, outChannels, inChannels, rows, columns].
  poplar::Tensor weights(const poplar::Tensor &weights) const;
  poplar::Tensor originalWeights(const poplar::Tensor &weights) const;
  /// The result, [batch, channels, rows, columns].
  poplar::Tensor originalResult(const poplar::Tensor &result) const;

private:
  const ConvShape original;
  const KernelFold fold;
  bool flattens;

  poplar::Tensor taps(const poplar::Tensor &in) const;
  poplar::Tensor tapsOfRow(const poplar::Tensor &row) const;
};

/// Position of the elements [from, from + size) of a tensor's dimension in a
/// padded tensor.
struct Inside {
  unsigned dim;
  std::size_t from, begin, size;
};

/// The elements of a dimension that \p after, which is \p before with padding,
/// has of it.
Inside insideOf(unsigned dim, const ConvDim &before, const ConvDim &after);

/// Clears \p variable and copies \p t to its part of \p padded, which is a view
/// of it, in the order of the dimensions \p order, with \p spareMemory bytes of
/// a tile for buffers.
void copyAndPad(poplar::Graph &graph, poplar::Tensor t, poplar::Tensor padded,
                const poplar::Tensor &variable,
                const std::vector<Inside> &parts,
                const std::vector<unsigned> &order, double spareMemory,
                poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext);

} // namespace poplin

#endif
