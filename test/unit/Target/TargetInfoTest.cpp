// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target table against the published figures of the machines.

#include "runtime/Target/TargetInfo.h"
#include "runtime/Target/ElementType.h"

#include <gtest/gtest.h>

namespace populus::runtime {
namespace {

TEST(TargetInfo, MemorySizesAreThePublishedOnes) {
  EXPECT_EQ(findTarget("ipu1")->bytesPerTile(), 256u * 1024);
  EXPECT_EQ(findTarget("ipu2")->bytesPerTile(), 624u * 1024);
  EXPECT_EQ(findTarget("ipu21")->bytesPerTile(), 624u * 1024);
}

TEST(TargetInfo, RegionsFollowEachOtherAndFitTwentyBits) {
  for (const TargetInfo &target : allTargets()) {
    if (!target.isIpu())
      continue;
    EXPECT_EQ(target.regions[0].end, target.regions[1].begin) << target.name;
    EXPECT_EQ(target.regions[1].begin, 0x80000u) << target.name;
    EXPECT_LT(target.regions[1].end, 1u << 20) << target.name;
    EXPECT_EQ(target.regions[0].begin % 0x80, 0u) << target.name;
  }
}

TEST(TargetInfo, UnknownNameIsNull) { EXPECT_EQ(findTarget("ipu3"), nullptr); }

TEST(ElementType, NamesRoundTrip) {
  for (std::size_t i = 0; i != ElementTypes.size(); ++i)
    EXPECT_EQ(findElementType(ElementTypes[i].name),
              static_cast<ElementType>(i));
  EXPECT_FALSE(findElementType("double"));
}

} // namespace
} // namespace populus::runtime
