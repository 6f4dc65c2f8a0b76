// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings the operands of vertices to their tiles. Where several workers of a
// tile read the same block of an operand, it is copied there once and they
// share it; a block that already lies there in one piece is used as it is.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_OPERANDS_LOCALOPERANDS_H
#define POPULUS_LIB_POPLIBS_POPLIN_OPERANDS_LOCALOPERANDS_H

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <map>
#include <utility>
#include <vector>

namespace poplin {

class LocalOperands {
public:
  LocalOperands(poplar::Graph &graph, const poplar::DebugContext &debugContext)
      : graph(graph), debugContext(debugContext) {}

  /// The flattened \p block for vertices on \p tile. Blocks with the same key
  /// are the same. \p users is how many vertices will read it.
  poplar::Tensor get(const poplar::Tensor &block, std::size_t key,
                     unsigned tile, std::size_t users);

  /// Adds the copy of all blocks that must be moved.
  void addCopies(poplar::program::Sequence &prog);

private:
  bool isLocal(const poplar::Tensor &block, unsigned tile) const;

  poplar::Graph &graph;
  const poplar::DebugContext &debugContext;
  std::map<std::pair<unsigned, std::size_t>, poplar::Tensor> known;
  std::vector<poplar::Tensor> sources, copies;
};

} // namespace poplin

#endif
