// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and updates rows of tables at run-time indices. Every public slicing
// function (DynamicSlice.hpp, Gather.hpp, Scatter.hpp) views its operands as
// tables and calls one of these.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_INDEXING_TABLEACCESS_H
#define POPULUS_LIB_POPLIBS_POPOPS_INDEXING_TABLEACCESS_H

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/Operation.hpp>

namespace popops {

/// out[groups][count][size][width]: rows indices[groups][count] + j of
/// \p table [groups][rows][width]. Rows outside of the table give zeros.
poplar::Tensor readRows(poplar::Graph &graph, const poplar::Tensor &table,
                        const poplar::Tensor &indices, std::size_t size,
                        poplar::program::Sequence &prog,
                        const poplar::DebugContext &debugContext);

/// Writes \p updates [groups][count][size][width] to those rows, in the order
/// of the indices. Out-of-range rows are ignored.
void writeRows(poplar::Graph &graph, const poplar::Tensor &table,
               const poplar::Tensor &updates, const poplar::Tensor &indices,
               poplar::program::Sequence &prog,
               const poplar::DebugContext &debugContext);
/// Combines the updates with the rows' contents: ADD, MUL, MAX or MIN.
void combineRows(poplar::Graph &graph, const poplar::Tensor &table,
                 const poplar::Tensor &updates, const poplar::Tensor &indices,
                 Operation op, poplar::program::Sequence &prog,
                 const poplar::DebugContext &debugContext);

} // namespace popops

#endif
