// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's interface to the translator of hot IPU code into host code. The
// translator (lib/Translate) needs LLVM, which the runtime does not link: it is
// a shared library beside the program or library that holds the runtime, loaded
// when the first code is to be translated. Without it all code is interpreted.

#ifndef POPULUS_RUNTIME_EMULATOR_TRANSLATION_TRANSLATOR_H
#define POPULUS_RUNTIME_EMULATOR_TRANSLATION_TRANSLATOR_H

#include "runtime/Emulator/Tile/Tile.h"

#include <memory>
#include <string>
#include <vector>

namespace populus::runtime::emulator {

/// The reason for which translated code ended.
enum class RegionEnd : std::uint32_t {
  /// The context goes on at the slot; nothing of it has been executed.
  Continue,
  /// The context has exited or faulted in the slot. If it has neither a fault
  /// nor exited, the main half of the slot could not access memory: its
  /// interpretation, which changes nothing, gives the fault.
  Stop,
};
struct RegionResult {
  std::uint32_t slot; // from TranslatedRegion::first on, modulo 2^32
  RegionEnd end;
};

/// The additional work of code beside executing instructions.
enum class CodeKind : std::uint8_t {
  Plain,     // nothing
  Recording, // it notes its accesses to memory in Context::record
};
inline constexpr unsigned NumCodeKinds = 2;

/// A region of a code image as host code. Images that have the same function at
/// different places share the code.
struct TranslatedRegion {
  /// Runs the context, a worker, as if it ran by itself, from one of the
  /// region's entries until it leaves the region, and does to its state,
  /// Context::issued included, what the interpreter would have done. It leaves
  /// the region, too, soon before Context::turnLimit is reached. `slots` is the
  /// first slot of the region; `entry` counts from there.
  RegionResult (*code)(Context *c, const Weights *weights, const Slot *slots,
                       std::uint32_t entry, const TranslatedRegion *region);
  std::uint32_t first; // slot of the image from which slots are counted
  Address address;     // of the first slot
  Address imageBase;
  std::uint32_t textBytes;
  /// The weights that the code reads; they have to be made first (needWeights).
  WeightKinds weights;
  /// The branch targets outside of the region, as slots from the first one on.
  std::vector<std::uint32_t> outside;
  /// Slots of the image where the region may be entered.
  std::vector<std::uint32_t> entries;
};

class Translator {
public:
  virtual ~Translator() = default;

  /// Translates the region that has an entry at a word of the image's text;
  /// null if only the interpreter can execute it. The code lives as long as the
  /// translator. Throws std::exception on internal errors. Not for several
  /// threads at once.
  virtual std::unique_ptr<TranslatedRegion>
  translate(const CodeImage &image, std::uint32_t entry, CodeKind kind) = 0;
};

/// Loads the translator. Throws std::runtime_error if that is not possible.
std::unique_ptr<Translator> loadTranslator();

// The contract with the shared library.
inline constexpr const char *TranslatorLibrary = "libpopulus-translate.so";
inline constexpr const char *TranslatorEntry = "populus_open_translator";
/// Gives null if the fingerprint (Fingerprint.h) is not the library's own.
using TranslatorFunction = Translator *(*)(const char *fingerprint);

} // namespace populus::runtime::emulator

#endif
