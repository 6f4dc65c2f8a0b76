// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The identity of the libraries that compile: names, sizes and times of the
// files that they were loaded from.

#include "lib/PopART/Support/Cache.h"

#include <fmt/format.h>

#include <dlfcn.h>
#include <filesystem>
#include <link.h>

namespace popart {

static int addLibrary(dl_phdr_info *info, std::size_t, void *text) {
  std::string path = info->dlpi_name;
  if (path.find("libpop") == std::string::npos)
    return 0;
  std::error_code error;
  *static_cast<std::string *>(text) += fmt::format(
      "{} {} {}\n", path, std::filesystem::file_size(path, error),
      std::filesystem::last_write_time(path, error).time_since_epoch().count());
  return 0;
}

std::string compilerIdentity() {
  std::string text = POPULUS_VERSION "\n";
  dl_iterate_phdr(addLibrary, &text);
  return text;
}

} // namespace popart
