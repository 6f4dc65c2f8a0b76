// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of a tile's memory that have been written since the program was
// loaded. Each byte has a mark of one byte, so that an access or a copy tests
// or copies all of its marks at once. A counter counts how many times known
// bytes have become unknown: while it has not changed, all bytes that were
// known still are.

#ifndef POPULUS_RUNTIME_EMULATOR_CHECKS_KNOWNBYTES_H
#define POPULUS_RUNTIME_EMULATOR_CHECKS_KNOWNBYTES_H

#include "runtime/Target/TargetInfo.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace populus::runtime::emulator {

class KnownBytes {
public:
  /// Marks all bytes of [lo, hi) as not written. Throws std::bad_alloc.
  KnownBytes(Address lo, Address hi)
      : lo(lo),
        // Zero pages, of which few are touched.
        marks(static_cast<std::uint8_t *>(std::calloc(hi - lo + Spare, 1)),
              std::free) {
    if (!marks)
      throw std::bad_alloc();
  }

  void set(Address address, std::uint32_t bytes) {
    std::memset(at(address), Known, bytes);
  }
  /// Marks the bytes of an access.
  void setAccess(Address address, unsigned bytes) {
    switch (bytes) {
    case 4:
      return setAll<std::uint32_t>(address);
    case 8:
      return setAll<std::uint64_t>(address);
    default:
      return set(address, bytes);
    }
  }
  void forget(Address address, std::uint32_t bytes) {
    std::memset(at(address), 0, bytes);
  }
  void copy(const KnownBytes &source, Address from, Address to,
            std::uint32_t bytes) {
    if (source.allOf(from, bytes))
      return set(to, bytes);
    std::uint8_t lost = 0;
    for (std::uint32_t i = 0; i != bytes; ++i)
      lost |= at(to)[i] & ~source.at(from)[i];
    losses += lost != 0;
    std::memmove(at(to), source.at(from), bytes);
  }

  /// Counts how often known bytes have become unknown, other than by forget()
  /// and restore().
  std::uint64_t numLosses() const { return losses; }

  /// Returns whether all bytes of an access of 1, 2, 4, 8 or 16 bytes are
  /// known.
  bool all(Address address, unsigned bytes) const {
    switch (bytes) {
    case 4:
      return isAll<std::uint32_t>(address);
    case 8:
      return isAll<std::uint64_t>(address);
    case 16:
      return isAll<std::uint64_t>(address) && isAll<std::uint64_t>(address + 8);
    case 2:
      return isAll<std::uint16_t>(address);
    default:
      return isAll<std::uint8_t>(address);
    }
  }
  /// Returns whether any number of bytes are all known.
  bool allOf(Address address, std::uint32_t bytes) const {
    constexpr std::uint32_t Part = sizeof(std::uint64_t);
    if (bytes < Part)
      return bytes == 4 ? all(address, 4) : allFew(address, bytes);
    std::uint64_t both = ~std::uint64_t(0);
    for (std::uint32_t i = 0; i + Part <= bytes; i += Part)
      both &= partAt(address + i);
    return (both & partAt(address + bytes - Part)) == ~std::uint64_t(0);
  }
  bool any(Address address, unsigned bytes) const {
    for (unsigned i = 0; i != bytes; ++i)
      if (at(address)[i])
        return true;
    return false;
  }

  /// Saves the marks of so many bytes, to put them back later.
  void save(Address address, std::uint32_t bytes, void *to) const {
    std::memcpy(to, at(address), bytes);
  }
  void restore(Address address, std::uint32_t bytes, const void *from) {
    std::memcpy(at(address), from, bytes);
  }

  /// A bit for each of up to eight bytes.
  std::uint8_t mask(Address address, unsigned bytes) const {
    std::uint8_t mask = 0;
    for (unsigned i = 0; i != bytes; ++i)
      mask |= static_cast<std::uint8_t>((at(address)[i] & 1) << i);
    return mask;
  }
  void setMask(Address address, unsigned bytes, std::uint8_t mask) {
    losses += (this->mask(address, bytes) & ~mask) != 0;
    for (unsigned i = 0; i != bytes; ++i)
      at(address)[i] = mask >> i & 1 ? Known : 0;
  }

private:
  static constexpr std::uint8_t Known = 0xff;
  static constexpr std::size_t Spare = 16;

  std::uint8_t *at(Address address) const {
    return marks.get() + (address - lo);
  }
  template <typename Marks> void setAll(Address address) {
    constexpr auto All = static_cast<Marks>(~Marks(0));
    std::memcpy(at(address), &All, sizeof(All));
  }
  template <typename Marks> bool isAll(Address address) const {
    Marks found;
    std::memcpy(&found, at(address), sizeof(found));
    return found == static_cast<Marks>(~Marks(0));
  }

  std::uint64_t partAt(Address address) const {
    std::uint64_t found;
    std::memcpy(&found, at(address), sizeof(found));
    return found;
  }
  bool allFew(Address address, std::uint32_t bytes) const {
    for (std::uint32_t i = 0; i != bytes; ++i)
      if (!isAll<std::uint8_t>(address + i))
        return false;
    return true;
  }

  Address lo;
  std::uint64_t losses = 0;
  std::unique_ptr<std::uint8_t[], void (*)(void *)> marks;
};

} // namespace populus::runtime::emulator

#endif
