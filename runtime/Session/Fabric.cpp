// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds and loads the plug-in. All copies of the runtime in a process get the
// same fabric, because the system loads a library once.

#include "runtime/Session/Fabric.h"

#include "runtime/Session/Session.h"
#include "runtime/Support/OwnFile.h"

#include <dlfcn.h>

#include <filesystem>

namespace populus::runtime {

namespace {

/// Beside the library or program that holds this function, or in lib/ near it.
std::filesystem::path libraryPath() {
  std::error_code error;
  const std::filesystem::path folder =
      fileOf(reinterpret_cast<const void *>(&connectFabric)).parent_path();
  for (const char *way : {".", "../lib", "../../lib"})
    if (std::filesystem::exists(folder / way / FabricLibrary, error))
      return folder / way / FabricLibrary;
  throw RunError(std::string("this build has no ") + FabricLibrary +
                 ", without which processes cannot share a program; install "
                 "Open MPI (libopenmpi-dev) and build again");
}

} // namespace

Fabric &connectFabric() {
  const std::filesystem::path path = libraryPath();
  // Open MPI loads components, which look for its symbols.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  void *entry = library ? dlsym(library, FabricEntry) : nullptr;
  if (!entry)
    throw RunError(dlerror());
  char error[256] = "";
  Fabric *fabric =
      reinterpret_cast<FabricFunction>(entry)(error, sizeof(error));
  if (!fabric)
    throw RunError(error);
  return *fabric;
}

} // namespace populus::runtime
