// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loading through an anonymous file: the dynamic loader wants a file, and a
// program should leave none behind.

#include "runtime/Native/HostCode.h"

#include "runtime/Native/HostOrder.h"
#include "runtime/Session/Session.h"
#include "runtime/Target/HostLevels.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace populus::runtime {

namespace {

bool writeAll(int file, const std::vector<std::uint8_t> &bytes) {
  std::size_t done = 0;
  while (done != bytes.size()) {
    const ssize_t n = write(file, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

std::string pathOf(int file) { return "/proc/self/fd/" + std::to_string(file); }

/// Returns whether the processor has a level of hostLevels().
bool processorHas(const HostLevel &level) {
#if defined(__x86_64__)
  if (level.name == "x86-64-v3")
    return __builtin_cpu_supports("x86-64-v3");
  if (level.name == "x86-64-v4")
    return __builtin_cpu_supports("x86-64-v4");
#endif
  return &level == hostLevels().data();
}

/// The levels that the processor has, up to the one that the environment names.
std::span<const HostLevel> usableLevels() {
  const std::span<const HostLevel> all = hostLevels();
  const char *name = std::getenv("POPULUS_HOST_LEVEL");
  std::size_t most = all.size();
  if (name && *name) {
    const auto named =
        std::find_if(all.begin(), all.end(), [&](const HostLevel &level) {
          return level.name == name;
        });
    if (named == all.end()) {
      std::string names;
      for (const HostLevel &level : all)
        names += (names.empty() ? "" : ", ") + std::string(level.name);
      throw RunError("POPULUS_HOST_LEVEL is '" + std::string(name) +
                     "'; expected one of " + names);
    }
    most = static_cast<std::size_t>(named - all.begin()) + 1;
  }
  std::size_t count = 1;
  while (count != most && processorHas(all[count]))
    ++count;
  return all.first(count);
}

/// The code for the highest of these levels that the library has some for.
void *entryPoint(void *library, const std::string &symbol,
                 std::span<const HostLevel> levels) {
  for (std::size_t i = levels.size(); i-- > 1;)
    if (void *found = dlsym(library, symbolOfLevel(symbol, levels[i]).c_str()))
      return found;
  return dlsym(library, symbol.c_str());
}

} // namespace

HostCode::HostCode(const Executable &executable) {
  const std::span<const HostLevel> levels = usableLevels();
  try {
    for (const std::vector<std::uint8_t> &object : executable.hostObjects)
      load(object);
    for (const HostEntry &entry : executable.hostEntries) {
      void *symbol =
          entryPoint(libraries[entry.object].handle, entry.symbol, levels);
      if (!symbol)
        throw RunError("host code of codelets has no function " + entry.symbol);
      functions.push_back(reinterpret_cast<VertexFunction>(symbol));
      ordered.push_back(libraries[entry.object].needsOrder);
    }
  } catch (...) {
    unload();
    throw;
  }
}

HostCode::~HostCode() { unload(); }

void HostCode::load(const std::vector<std::uint8_t> &bytes) {
  const int file = memfd_create("populus-codelets", MFD_CLOEXEC);
  if (file < 0 || !writeAll(file, bytes)) {
    const std::string reason = std::strerror(errno);
    if (file >= 0)
      close(file);
    throw RunError("cannot hold host code of codelets in memory: " + reason);
  }
  void *handle = dlopen(pathOf(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    close(file);
    throw RunError(std::string("cannot load host code of codelets: ") +
                   dlerror());
  }
  libraries.push_back({file, handle, runtime::needsOrder(bytes)});
}

// The loader knows libraries by path, and the path is the descriptor's number:
// it must not be used again while the library is there, which it stays after
// dlclose if it has unique symbols.
void HostCode::unload() {
  for (const Library &library : libraries) {
    dlclose(library.handle);
    void *still = dlopen(pathOf(library.file).c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (still)
      dlclose(still);
    else
      close(library.file);
  }
  libraries.clear();
}

} // namespace populus::runtime
