// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loading through an anonymous file: the dynamic loader wants a file, and a
// program should leave none behind.

#include "runtime/Native/HostCode.h"

#include "runtime/Session/Session.h"

#include <cerrno>
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

} // namespace

HostCode::HostCode(const Executable &executable) {
  try {
    for (const std::vector<std::uint8_t> &object : executable.hostObjects)
      load(object);
    for (const HostEntry &entry : executable.hostEntries) {
      void *symbol =
          dlsym(libraries[entry.object].handle, entry.symbol.c_str());
      if (!symbol)
        throw RunError("host code of codelets has no function " + entry.symbol);
      functions.push_back(reinterpret_cast<VertexFunction>(symbol));
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
  libraries.push_back({file, handle});
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
