// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mean coordinates of a field under its softmax.

#ifndef POPULUS_POPNN_SPATIALSOFTMAX_HPP
#define POPULUS_POPNN_SPATIALSOFTMAX_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <utility>

namespace popnn {

/// For each of \p fields, [fields, height, width] of float or half, the
/// expected place {along the height, along the width}, each from -1 to 1, of a
/// point that is distributed as the softmax of the field divided by the
/// temperature. With
/// \p disableSoftmax the fields themselves are the probabilities.
///
/// Returns the places, [fields, 2], and a variable for the temperature, a
/// scalar that holds \p temperature when the program is loaded.
std::pair<poplar::Tensor, poplar::Tensor>
spatialSoftMax2D(poplar::Graph &graph, poplar::program::Sequence &prog,
                 const poplar::Tensor &fields, float temperature,
                 bool disableSoftmax = false,
                 const poplar::DebugContext &debugContext = {});

} // namespace popnn

#endif
