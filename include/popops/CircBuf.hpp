// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last values of a tensor: a buffer that each new one takes the place of
// the oldest in.

#ifndef POPULUS_POPOPS_CIRCBUF_HPP
#define POPULUS_POPOPS_CIRCBUF_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <vector>

namespace popops {

class CircBuf {
public:
  /// A buffer of \p size tensors of that type and shape, which hold zeros at
  /// first.
  CircBuf(poplar::Graph &graph, poplar::Type type, unsigned size,
          const std::vector<std::size_t> &shape,
          const poplar::DebugContext &debugContext = {});

  /// A copy of the tensor that was added \p i tensors before the last one: the
  /// last one for 0.
  poplar::Tensor prev(unsigned i, poplar::program::Sequence &seq,
                      const poplar::DebugContext &debugContext = {});
  /// Adds a tensor, which takes the place of the oldest.
  void add(poplar::Tensor t, poplar::program::Sequence &seq,
           const poplar::DebugContext &debugContext = {});

  /// The place of the tensor that was added last, in a tensor of one element.
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
