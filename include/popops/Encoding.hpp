// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One-hot encoding, and tensors that count.

#ifndef POPULUS_POPOPS_ENCODING_HPP
#define POPULUS_POPOPS_ENCODING_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/EncodingConstants.hpp>

namespace popops {

/// Writes encoded[i, j] = (indices[i] == j), of any type. An out-of-range
/// index, such as MASKED_LABEL_CODE, makes its row zero.
void encodeOneHot(poplar::Graph &graph, const poplar::Tensor &indices,
                  const poplar::Tensor &encoded,
                  poplar::program::Sequence &prog,
                  const poplar::DebugContext &debugContext = {});
/// The same with \p on and \p off, elements of the type of \p encoded, for 1
/// and 0.
void encodeOneHot(poplar::Graph &graph, const poplar::Tensor &indices,
                  const poplar::Tensor &encoded,
                  poplar::program::Sequence &prog, const poplar::Tensor &on,
                  const poplar::Tensor &off,
                  const poplar::DebugContext &debugContext = {});

/// Writes t[i] = startInteger + i; \p t has type INT or UNSIGNED_INT.
void iota(poplar::Graph &graph, const poplar::Tensor &t, unsigned startInteger,
          poplar::program::Sequence &prog,
          const poplar::DebugContext &debugContext = {});
void iota(poplar::Graph &graph, const poplar::Tensor &t, int startInteger,
          poplar::program::Sequence &prog,
          const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
