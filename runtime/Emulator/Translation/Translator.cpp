// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds and loads the translator's shared library.

#include "runtime/Emulator/Translation/Fingerprint.h"
#include "runtime/Support/OwnFile.h"

#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>

namespace populus::runtime::emulator {

namespace {

/// Beside the program or library that holds this function, or in lib/ beside
/// the bin/ of the program.
std::filesystem::path libraryPath() {
  std::error_code error;
  const std::filesystem::path folder =
      fileOf(reinterpret_cast<const void *>(&loadTranslator)).parent_path();
  if (folder.empty())
    throw std::runtime_error(std::string(TranslatorLibrary) +
                             " cannot be found: the system does not say where "
                             "this program lies");
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
  std::unique_ptr<Translator> translator(
      reinterpret_cast<TranslatorFunction>(entry)(fingerprint().c_str()));
  if (!translator)
    throw std::runtime_error(path.string() +
                             " was built from other sources than this program");
  return translator;
}

} // namespace populus::runtime::emulator
