// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// General gathers and scatters as operations on rows of tables. The indexed
// dimensions of the operand are flattened to the rows of a table; the other
// dimensions, cut to the size of a window, are its columns. A window of several
// rows becomes several indices.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_INDEXING_WINDOWS_H
#define POPULUS_LIB_POPLIBS_POPOPS_INDEXING_WINDOWS_H

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <vector>

namespace popops {

class Windows {
public:
  /// Windows of \p sizes, one for each dimension of \p operand, that begin at
  /// indices for the dimensions \p indexed.
  Windows(const poplar::Tensor &operand, std::vector<std::size_t> sizes,
          std::vector<unsigned> indexed);

  /// The operand as a table [1][rows][columns].
  poplar::Tensor table() const;
  /// The extents that the rows number.
  std::vector<std::size_t> rowExtents() const;
  /// Rows of a window.
  std::size_t rowsOfWindow() const;
  std::size_t columns() const;

  /// Indices [count][indexed] to row numbers [1][count * rowsOfWindow()].
  poplar::Tensor rowNumbers(poplar::Graph &graph, const poplar::Tensor &indices,
                            poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext) const;

  /// Rows [1][count * rowsOfWindow()][1][columns()] as [count][window...], and
  /// back.
  poplar::Tensor toWindows(const poplar::Tensor &rows) const;
  poplar::Tensor toRows(const poplar::Tensor &windows) const;

private:
  poplar::Tensor operand;
  std::vector<std::size_t> sizes;
  std::vector<unsigned> indexed;
  /// The dimensions of the operand, the indexed ones first.
  std::vector<unsigned> order;

  std::vector<std::size_t> orderedSizes() const;
};

/// Indices with the dimension of index vectors last, the others flattened:
/// [count][length of a vector].
poplar::Tensor asIndexVectors(const poplar::Tensor &indices,
                              std::size_t indexVectorDim);
/// The shape of indices without that dimension.
std::vector<std::size_t> batchShape(const poplar::Tensor &indices,
                                    std::size_t indexVectorDim);

} // namespace popops

#endif
