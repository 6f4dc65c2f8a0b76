// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop over micro-batches whose transfers with the host overlap with
// computation. The I/O tiles fetch the inputs of the next micro-batch and send
// the results of the last one while the other tiles compute:
//
//   I/O tiles    fetch 0 |         fetch 1 |     | send 0, fetch 2 |     | ...
//   exchange             | take 0          | ... |                 | ... |
//   other tiles          |       compute 0 |     |    compute 1    |     |
//
// "..." is: give 0, take 1. An iteration takes the longer of transfers and
// computation, and the exchange between both, because the I/O tiles of an IPU
// have a clock of their own (runtime/Session/IoTiles.h). Of n micro-batches the
// transfers of all but the first and the last overlap.

#ifndef POPULUS_LIB_POPART_LOWERING_OVERLAPPEDLOOP_H
#define POPULUS_LIB_POPART_LOWERING_OVERLAPPEDLOOP_H

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace populus::popir {

/// The parts of a micro-batch, in the order of its data.
struct MicroBatch {
  /// From the host to the I/O tiles, and on to those that compute.
  poplar::program::Sequence fetch, take;
  /// Computes, with the transfers that do not overlap.
  poplar::program::Sequence compute;
  /// To the I/O tiles, and on to the host.
  poplar::program::Sequence give, send;

  /// One micro-batch without overlap.
  poplar::program::Sequence inOrder() const;
};

/// `batches` batches of `microBatches` each, and `update` behind each batch.
/// Transfers overlap across batches, too.
poplar::program::Sequence
overlappedLoop(poplar::Graph &graph, const MicroBatch &one, unsigned batches,
               unsigned microBatches, const poplar::program::Sequence &update);

/// `count` runs of a program.
poplar::program::Sequence repeated(unsigned count,
                                   const poplar::program::Sequence &body);

} // namespace populus::popir

#endif
