// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What turns hot IPU code into host code, as the runtime sees it. The
// translator (lib/Translate) needs LLVM, which the runtime does not link: it is
// a shared library beside the program or library that holds the runtime, loaded
// when the first code is to be translated. Without it everything is
// interpreted.

#ifndef POPULUS_RUNTIME_EMULATOR_TRANSLATOR_H
#define POPULUS_RUNTIME_EMULATOR_TRANSLATOR_H

#include "runtime/Emulator/Tile.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace populus::runtime::emulator {

/// How translated code came to its end.
enum class RegionEnd : std::uint32_t {
  /// The context goes on at the slot; nothing of it has been executed.
  Continue,
  /// The context has exited or faulted in the slot.
  Stop,
};
struct RegionResult {
  std::uint32_t slot; // index into the code's slots
  RegionEnd end;
};

/// A region of a code image as host code. Runs the context, a worker that runs
/// by itself, from the region's entry until it leaves the region, and does to
/// its state, Context::issued included, what the interpreter would have done.
/// It leaves the region, too, soon before Context::turnLimit is reached.
using TranslatedCode = RegionResult (*)(Context *c, const Weights *weights,
                                        const Slot *slots);

class Translator {
public:
  virtual ~Translator() = default;

  /// Translates the regions that begin at the given words of the image's text;
  /// null for those that cannot be translated. The code lives as long as the
  /// translator. Throws std::exception on internal errors. Not for several
  /// threads at once.
  virtual std::vector<TranslatedCode>
  translate(const CodeImage &image, std::span<const std::uint32_t> entries) = 0;
};

/// Loads the translator. Throws std::runtime_error if that is not possible.
std::unique_ptr<Translator> loadTranslator();

// The contract with the shared library.
inline constexpr const char *TranslatorLibrary = "libpopulus-translate.so";
inline constexpr const char *TranslatorEntry = "populus_create_translator";
/// Gives null if the state is not laid out as the library knows it.
using TranslatorFunction = Translator *(*)(std::size_t contextBytes,
                                           std::size_t tileBytes);

} // namespace populus::runtime::emulator

#endif
