// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds and loads the translator's shared library.

#include "runtime/Emulator/Translator.h"

#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>

namespace populus::runtime::emulator {

namespace {

/// Beside the library that holds this function, or in lib/ beside the bin/ of
/// the program that does.
std::filesystem::path libraryPath() {
  Dl_info self;
  if (!dladdr(reinterpret_cast<const void *>(&loadTranslator), &self) ||
      !self.dli_fname)
    return TranslatorLibrary;
  std::error_code error;
  const std::filesystem::path folder =
      std::filesystem::canonical(self.dli_fname, error).parent_path();
  for (const char *way : {".", "../lib", "../../lib"})
    if (std::filesystem::exists(folder / way / TranslatorLibrary, error))
      return folder / way / TranslatorLibrary;
  return folder / TranslatorLibrary;
}

} // namespace

std::unique_ptr<Translator> loadTranslator() {
  const std::filesystem::path path = libraryPath();
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void *entry = library ? dlsym(library, TranslatorEntry) : nullptr;
  if (!entry)
    throw std::runtime_error(dlerror());
  std::unique_ptr<Translator> translator(reinterpret_cast<TranslatorFunction>(
      entry)(sizeof(Context), sizeof(Tile)));
  if (!translator)
    throw std::runtime_error(path.string() + " is of another version");
  return translator;
}

} // namespace populus::runtime::emulator
