// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The version of everything that host code depends on beside the IPU code: the
// semantics, and the layout of the state in memory. The runtime and the
// translator's library each have a fingerprint of the sources that they were
// compiled from. They work together only if the two are equal, and translations
// are kept under it. The fingerprint is a part of the code that runs, not of a
// file that may have been replaced since.

#ifndef POPULUS_RUNTIME_EMULATOR_TRANSLATION_FINGERPRINT_H
#define POPULUS_RUNTIME_EMULATOR_TRANSLATION_FINGERPRINT_H

#include "runtime/Emulator/Translation/Translator.h"

#include <cstddef>
#include <string>

namespace populus::runtime::emulator {

/// A hash of the emulator's sources, the tables made from the backend's, and
/// the flags that the semantics are compiled with.
inline constexpr const char *SourcesFingerprint =
#include "runtime/Emulator/SourcesFingerprint.inc"
    ;

namespace detail {

/// Every field that host code or the translator reaches.
inline constexpr std::size_t StateLayout[] = {
    sizeof(Context),
    offsetof(Context, m),
    offsetof(Context, a),
    offsetof(Context, working),
    offsetof(Context, staging),
    offsetof(Context, fpStatus),
    offsetof(Context, fpControl),
    offsetof(Context, tas),
    offsetof(Context, prng),
    offsetof(Context, repeatCount),
    offsetof(Context, memory),
    offsetof(Context, storeMemory),
    offsetof(Context, lo),
    offsetof(Context, storeLo),
    offsetof(Context, size),
    offsetof(Context, storeSize),
    offsetof(Context, record),
    offsetof(Context, interleavedBegin),
    offsetof(Context, nextPc),
    offsetof(Context, issued),
    offsetof(Context, turnLimit),
    offsetof(Context, exited),
    offsetof(Context, exitStatus),
    offsetof(Context, faultKind),
    offsetof(Context, faultAddress),
    offsetof(Context, tile),
    sizeof(AccessRecord),
    sizeof(Tile),
    offsetof(Tile, contexts),
    offsetof(Tile, weights),
    sizeof(Weights),
    offsetof(Weights, half),
    offsetof(Weights, single),
    sizeof(Slot),
    offsetof(Slot, step),
    offsetof(Slot, aux),
    offsetof(Slot, auxOperands),
    sizeof(TranslatedRegion),
    offsetof(TranslatedRegion, address),
    offsetof(TranslatedRegion, imageBase),
    offsetof(TranslatedRegion, textBytes),
    offsetof(TranslatedRegion, outside),
};

} // namespace detail

/// Readable, for messages and as a part of keys.
inline std::string fingerprint() {
  std::string text = SourcesFingerprint;
  for (std::size_t place : detail::StateLayout)
    text += '.' + std::to_string(place);
  return text;
}

} // namespace populus::runtime::emulator

#endif
