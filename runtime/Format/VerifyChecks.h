// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common part of the verifier: the program that is verified, the reporting
// of a finding, and the checks that every part needs (an index, a range of an
// array, a place in the memory of a tile, the size of a tensor). A part is a
// class that derives from VerifyChecks, and a function that others call.

#ifndef POPULUS_RUNTIME_FORMAT_VERIFYCHECKS_H
#define POPULUS_RUNTIME_FORMAT_VERIFYCHECKS_H

#include "runtime/Format/Verify.h"

#include <string>
#include <vector>

namespace populus::runtime {

/// Broadcasts, patterns and exchanges, after the memory of tiles.
void verifyExchanges(const Executable &exe);

/// Steps and programs, after all that they refer to.
void verifySteps(const Executable &exe);

inline std::string number(std::uint64_t value) { return std::to_string(value); }

class VerifyChecks {
protected:
  /// Ranges of an array may have entries in common, but not so many that
  /// looking at each range takes longer than looking at a file of its size
  /// should.
  static constexpr std::uint64_t MostShares = 16;
  static constexpr std::uint64_t MostSharesOfFew = 1 << 16;
  /// No more than tiles.
  static constexpr std::uint32_t MostReplicas = 1 << 18;

  explicit VerifyChecks(const Executable &executable)
      : exe(executable), target(findTarget(executable.target)) {}

  [[noreturn]] static void fail(const std::string &what) {
    throw FormatError("damaged program: " + what);
  }

  static void checkIndex(std::uint64_t index, std::size_t size,
                         const char *what, std::uint64_t owner) {
    if (index >= size)
      fail(std::string(what) + " " + number(owner) + " refers to entry " +
           number(index) + " of " + number(size));
  }

  static void checkRange(Range range, std::size_t size, const char *what,
                         std::uint64_t owner) {
    if (std::uint64_t(range.first) + range.count > size)
      fail(std::string(what) + " " + number(owner) + " refers to entries " +
           number(range.first) + " to " +
           number(std::uint64_t(range.first) + range.count) + " of " +
           number(size));
  }

  /// The ranges of an array, and how much of it they have in common.
  template <typename Entries, typename RangeOf>
  static void checkRanges(const Entries &entries, RangeOf rangeOf,
                          std::size_t size, const char *what) {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i != entries.size(); ++i) {
      checkRange(rangeOf(entries[i]), size, what, i);
      all += rangeOf(entries[i]).count;
    }
    if (all > MostShares * size + MostSharesOfFew)
      fail("too many " + std::string(what) +
           "s refer to the same entries: to " + number(all) + " of " +
           number(size));
  }

  /// The bytes [address, address + bytes) of a tile.
  void checkPlace(std::uint32_t tile, std::uint64_t address,
                  std::uint64_t bytes, const char *what,
                  std::uint64_t owner) const {
    checkIndex(tile, exe.numTiles(), what, owner);
    const std::uint64_t end =
        isIpu() ? target->regions[1].end : std::uint64_t(exe.memoryEnd[tile]);
    const std::uint64_t begin = isIpu() ? target->regions[0].begin : 0;
    if (address < begin || address + bytes > end)
      fail(std::string(what) + " " + number(owner) + " at address " +
           number(address) + " lies outside the memory of tile " +
           number(tile));
  }

  /// Checks bytes that the runtime will write.
  void checkWritable(std::uint32_t tile, std::uint64_t address,
                     std::uint64_t bytes, const char *what,
                     std::uint64_t owner) const {
    checkPlace(tile, address, bytes, what, owner);
    const CodeImage *image = imageOf(tile);
    if (image && bytes != 0 && address < image->base + image->textBytes &&
        address + bytes > image->base)
      fail(std::string(what) + " " + number(owner) + " overlaps the code of " +
           "tile " + number(tile));
  }

  bool isIpu() const { return exe.device == DeviceKind::Ipu; }

  const TileSetup *setupOf(std::uint32_t tile) const {
    if (tile >= exe.tileSetup.size() || exe.tileSetup[tile] == None)
      return nullptr;
    return &exe.tileSetups[exe.tileSetup[tile]];
  }

  const CodeImage *imageOf(std::uint32_t tile) const {
    const TileSetup *setup = setupOf(tile);
    return setup && setup->image != None ? &exe.images[setup->image] : nullptr;
  }

  /// Bytes of a tensor or stream.
  std::uint64_t sizeInBytes(ElementType type,
                            const std::vector<std::uint64_t> &shape,
                            const char *what, std::uint64_t owner) const {
    if (static_cast<std::size_t>(type) >= ElementTypes.size())
      fail(std::string(what) + " " + number(owner) + " has an unknown type");
    std::uint64_t bytes = sizeOf(type);
    for (std::uint64_t extent : shape)
      if (__builtin_mul_overflow(bytes, extent, &bytes))
        fail(std::string(what) + " " + number(owner) + " is too large");
    return bytes;
  }

  std::uint64_t bytesOf(std::uint32_t tensor) const {
    return sizeInBytes(exe.tensors[tensor].type, exe.tensors[tensor].shape,
                       "tensor", tensor);
  }

  static void checkReplicas(std::uint32_t replicas, const char *what,
                            std::uint64_t owner) {
    if (replicas == 0 || replicas > MostReplicas)
      fail(std::string(what) + " " + number(owner) + " has " +
           number(replicas) + " replicas");
  }

  const Executable &exe;
  /// The program's target; null if it does not exist, which is verified first.
  const TargetInfo *target;
};

} // namespace populus::runtime

#endif // POPULUS_RUNTIME_FORMAT_VERIFYCHECKS_H
