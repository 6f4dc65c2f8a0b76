// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The limit is the system's for private memory (RLIMIT_DATA): what is mapped
// from files, as the compiler's libraries are, does not count. Sanitizers map
// terabytes, so that a compiler built with them has no limit.

#include "tools/popc/MemoryLimit.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <sys/resource.h>

namespace populus {

std::string limitMemory(unsigned defaultGigabytes) {
  unsigned gigabytes = defaultGigabytes;
  if (const char *variable = std::getenv("POPULUS_MEMORY_LIMIT")) {
    const std::string_view text = variable;
    if (text == "off")
      return "";
    const char *last = variable + text.size();
    auto [read, error] = std::from_chars(variable, last, gigabytes);
    if (error != std::errc() || read != last || !gigabytes)
      return "POPULUS_MEMORY_LIMIT is '" + std::string(text) +
             "'; it must be a number of GiB, or \"off\"";
  }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  rlimit limit;
  if (::getrlimit(RLIMIT_DATA, &limit) == 0) {
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, rlim_t(gigabytes) << 30);
    ::setrlimit(RLIMIT_DATA, &limit);
  }
#endif
  return "";
}

} // namespace populus
