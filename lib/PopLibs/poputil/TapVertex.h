// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For codelets: common part of vertices that slide windows over adjacent
// channels. Their workers walk along segments of results, and for each result
// along a list of taps (TapSegment.h).

#ifndef POPULUS_LIB_POPLIBS_POPUTIL_TAPVERTEX_H
#define POPULUS_LIB_POPLIBS_POPUTIL_TAPVERTEX_H

#include "lib/PopLibs/poputil/TapSegment.h"

#include <poplar/Vertex.hpp>

namespace poplibs {

class TapVertex : public poplar::MultiVertex {
public:
  /// Worker w computes the segments [starts[w], starts[w + 1]).
  poplar::Vector<unsigned short, poplar::VectorLayout::ONE_PTR> starts;
  poplar::Vector<unsigned short, poplar::VectorLayout::ONE_PTR> segments;
  poplar::Vector<unsigned short, poplar::VectorLayout::ONE_PTR> taps;
  /// From a result to the next one, of the input and of the results, in groups
  /// of channels.
  unsigned inStep;
  unsigned outStep;

protected:
  /// Calls compute(segment) for those of a worker.
  template <class Function>
  __attribute__((always_inline)) void forEachSegment(unsigned workerId,
                                                     Function compute) const {
    const auto *all = reinterpret_cast<const TapSegment *>(&segments[0]);
    for (unsigned w = workerId; w < TapWorkers; w += numWorkers()) {
      const TapSegment *const end = all + starts[w + 1];
      for (const TapSegment *segment = all + starts[w]; segment != end;
           ++segment)
        compute(*segment);
    }
  }
};

} // namespace poplibs

#endif
