// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plan of a CTC loss or decoder. The plan holds only sizes: the elementwise
// operations that the layers consist of divide themselves over tiles.

#ifndef POPULUS_POPNN_CTCPLAN_HPP
#define POPULUS_POPNN_CTCPLAN_HPP

#include <poplar/Type.hpp>

#include <cstddef>
#include <iosfwd>
#include <tuple>

namespace popnn {
namespace ctc {

class Plan {
public:
  Plan() {}
  Plan(poplar::Type inType, poplar::Type outType, std::size_t batchSize,
       std::size_t maxTime, std::size_t maxLabelLength, std::size_t numClasses)
      : inType(inType), outType(outType), batchSize(batchSize),
        maxTime(maxTime), maxLabelLength(maxLabelLength),
        numClasses(numClasses) {}

  poplar::Type inType, outType;
  std::size_t batchSize = 0, maxTime = 0, maxLabelLength = 0, numClasses = 0;

  friend bool operator==(const Plan &a, const Plan &b) {
    return a.asTuple() == b.asTuple();
  }
  friend bool operator<(const Plan &a, const Plan &b) {
    return a.asTuple() < b.asTuple();
  }
  friend std::ostream &operator<<(std::ostream &out, const Plan &plan);

private:
  std::tuple<poplar::Type, poplar::Type, std::size_t, std::size_t, std::size_t,
             std::size_t>
  asTuple() const {
    return std::make_tuple(inType, outType, batchSize, maxTime, maxLabelLength,
                           numClasses);
  }
};

} // namespace ctc
} // namespace popnn

#endif
