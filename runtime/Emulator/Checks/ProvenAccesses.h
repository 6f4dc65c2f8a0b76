// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of vertices whose accesses all belong to the regions that their pointers
// came from. A quick check (QuickCheck.h) sees addresses only, so it cannot
// tell an element too far of one region from the first of the next one; it sums
// up its accesses, by region and place in it, as a signature. Checker follows
// the pointers (Provenance.h) of the first run with a signature, slot by slot.
// A later run with the same signature makes the same accesses, and is as good.

#ifndef POPULUS_RUNTIME_EMULATOR_CHECKS_PROVENACCESSES_H
#define POPULUS_RUNTIME_EMULATOR_CHECKS_PROVENACCESSES_H

#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <unordered_set>
#include <vector>

namespace populus::runtime::emulator {

/// A hash of the accesses of one run of a vertex.
class AccessSignature {
public:
  void add(std::uint64_t value) {
    // Multiplication by an odd number loses nothing; the shift brings high bits
    // back to low ones.
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  std::uint64_t value() const { return hash; }

private:
  std::uint64_t hash = 0;
};

/// Signatures that threads share.
class ProvenAccesses {
public:
  bool contain(const std::vector<std::uint64_t> &signatures) const {
    const std::shared_lock lock(mutex);
    for (std::uint64_t signature : signatures)
      if (!proven.contains(signature))
        return false;
    return true;
  }
  void add(const std::vector<std::uint64_t> &signatures) {
    const std::unique_lock lock(mutex);
    proven.insert(signatures.begin(), signatures.end());
  }

private:
  mutable std::shared_mutex mutex;
  std::unordered_set<std::uint64_t> proven;
};

} // namespace populus::runtime::emulator

#endif
