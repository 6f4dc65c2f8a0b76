// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dladdr() names a program as argv[0] does, which its caller chooses, and a
// library as it was looked for, which may be relative to a folder that is not
// the current one any more. The kernel's table of mappings (proc(5)) has the
// paths of the files that were opened:
//
//   7f0a4e1c2000-7f0a4e2a1000 r-xp 00026000 08:01 1573   /usr/lib/libpoplar.so

#include "runtime/Support/OwnFile.h"

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

namespace populus::runtime {

std::filesystem::path fileOf(const void *address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream mappings("/proc/self/maps");
  for (std::string line; std::getline(mappings, line);) {
    std::uintptr_t begin, end;
    int path = 0;
    if (std::sscanf(line.c_str(),
                    "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n", &begin,
                    &end, &path) != 2 ||
        wanted < begin || wanted >= end)
      continue;
    // Other names, such as [heap], are no files.
    return line[path] == '/' ? line.substr(path) : std::string();
  }
  return {};
}

} // namespace populus::runtime
