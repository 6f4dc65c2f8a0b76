// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A circular buffer of the last values of a tensor. A new value replaces the
// oldest.

#ifndef POPULUS_POPOPS_CIRCBUF_HPP
#define POPULUS_POPOPS_CIRCBUF_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <vector>

namespace popops {

class CircBuf {
public:
  /// Creates a buffer of \p size tensors of that type and shape, initially
  /// zero.
  CircBuf(poplar::Graph &graph, poplar::Type type, unsigned size,
          const std::vector<std::size_t> &shape,
          const poplar::DebugContext &debugContext = {});

  /// Returns a copy of the tensor added \p i tensors before the last one; 0 is
  /// the last one.
  poplar::Tensor prev(unsigned i, poplar::program::Sequence &seq,
                      const poplar::DebugContext &debugContext = {});
  /// Adds a tensor in place of the oldest.
  void add(poplar::Tensor t, poplar::program::Sequence &seq,
           const poplar::DebugContext &debugContext = {});

  /// The place of the tensor that was added last, in a tensor of one element:
  /// 0 in a new buffer, so that the first tensor goes to place 1.
  poplar::Tensor getIndex() const { return index; }
  unsigned size() const { return places; }
  /// Tile mapping that each of the tensors has.
  poplar::Graph::TileToTensorMapping getTileMapping() const;

private:
  poplar::Graph &graph;
  unsigned places;
  poplar::Tensor index;
  poplar::Tensor history; // [size, shape...]
};

} // namespace popops

#endif
