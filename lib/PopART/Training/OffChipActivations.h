// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Activations in the host's memory: a value that no operator reads for a while,
// such as one that the backward pass needs again, is stored in a remote buffer
// of its own and loaded in front of its next reader.
//
//   y = Tanh(x) | MatMul(y, w)  store y | 50 operators | load y'  TanhGrad(y',
//   dz)
//
// In between the tiles' memory is free for other tensors. Elements do not
// change, so results have the same bits. A value may also be kept on the I/O
// tiles, or pass through them.

#ifndef POPULUS_LIB_POPART_TRAINING_OFFCHIPACTIVATIONS_H
#define POPULUS_LIB_POPART_TRAINING_OFFCHIPACTIVATIONS_H

#include "lib/PopART/IR/Graph.h"

#include <cstdint>
#include <functional>

namespace populus::popir {

/// The place of a value while nothing reads it.
struct ActivationPlace {
  bool isOffChip = false;
  /// Off chip: moves through the I/O tiles; else: is kept there.
  bool viaIoTiles = false;
};

/// Adds stores and loads to a graph. Results of the graph, variables, and views
/// of variables stay on the chip. Returns the number of values stored.
std::size_t
storeActivations(Graph &graph,
                 const std::function<ActivationPlace(const Value &)> &placeOf);

} // namespace populus::popir

#endif
