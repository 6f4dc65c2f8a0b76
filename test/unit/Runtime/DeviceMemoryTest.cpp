// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of tiles that use much of it, which may be in large pages, and of
// tiles that use little: all of it is there, with what the program puts into
// it.

#include "runtime/Session/DeviceMemory.h"
#include "runtime/Session/Session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

using namespace populus::runtime;

namespace {

constexpr std::uint32_t Tiles = 96;
constexpr std::uint32_t DataBytes = 4096;

/// Two thirds of the tiles use all of their memory; the first ones, or others.
Executable programOf(bool firstOnes) {
  Executable exe;
  exe.target = "ipu2";
  exe.tilesPerIpu = Tiles;
  exe.tileSetup.assign(Tiles, None);
  const AddressRange range = tileAddresses(exe, 0);
  for (std::uint32_t tile = 0; tile != Tiles; ++tile) {
    const bool usesAll = firstOnes ? tile < Tiles / 3 * 2 : tile % 3 != 0;
    exe.memoryEnd.push_back(usesAll ? range.end : range.begin + DataBytes);
    Payload payload;
    payload.bytes.assign(DataBytes, static_cast<std::uint8_t>(tile + 1));
    exe.payloads.push_back(payload);
    exe.data.push_back(
        {tile, exe.memoryEnd[tile] - DataBytes, tile, DataBytes});
  }
  return exe;
}

void expectInitialData(const Executable &exe, const char *largePages) {
  setenv("POPULUS_LARGE_PAGES", largePages, 1);
  const DeviceMemory memory(exe);
  unsetenv("POPULUS_LARGE_PAGES");
  for (std::uint32_t tile = 0; tile != Tiles; ++tile) {
    const Address data = exe.memoryEnd[tile] - DataBytes;
    const std::byte *bytes = memory.at(tile, memory.begin());
    std::vector<std::byte> expected(memory.end(tile) - memory.begin());
    std::fill_n(expected.begin() + (data - memory.begin()), DataBytes,
                std::byte(tile + 1));
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), bytes)) << tile;
  }
}

TEST(DeviceMemoryTest, HoldsDataOfTilesThatUseAllOfTheirMemory) {
  expectInitialData(programOf(true), "0");
  expectInitialData(programOf(true), "1");
}

TEST(DeviceMemoryTest, HoldsDataOfTilesThatUseMuchAndLittle) {
  expectInitialData(programOf(false), "0");
  expectInitialData(programOf(false), "1");
}

TEST(DeviceMemoryTest, NamesWhatIsNeitherLargeNorOther) {
  setenv("POPULUS_LARGE_PAGES", "yes", 1);
  try {
    const DeviceMemory memory(programOf(true));
    ADD_FAILURE();
  } catch (const RunError &error) {
    EXPECT_STREQ("POPULUS_LARGE_PAGES is 'yes', but must be 1 for large pages "
                 "or 0 for others",
                 error.what());
  }
  unsetenv("POPULUS_LARGE_PAGES");
}

} // namespace
