// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry is a line with the hash of what follows, and the bytes of the
// executable. The compiler is known by the names, sizes and times of the files
// that its libraries were loaded from.

#include "lib/PopART/Support/Cache.h"

#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Log.h"
#include "lib/PopART/Support/OutputFile.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <sstream>

namespace populus::popir {

using populus::runtime::ContentHash;

namespace {

std::string lineFor(std::string_view content) {
  ContentHash hash;
  hash.add(content);
  return hash.digits() + "\n";
}

int addLibrary(dl_phdr_info *info, std::size_t, void *text) {
  std::string path = info->dlpi_name;
  if (path.find("libpop") == std::string::npos)
    return 0;
  std::error_code error;
  *static_cast<std::string *>(text) += fmt::format(
      "{} {} {}\n", path, std::filesystem::file_size(path, error),
      std::filesystem::last_write_time(path, error).time_since_epoch().count());
  return 0;
}

} // namespace

ExecutableCache::ExecutableCache(const std::string &folder,
                                 const ContentHash &key)
    : path(fmt::format("{}/{}.entry", folder, key.digits())) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    failInput("{}: the folder of the cache cannot be made: {}", folder,
              error.message());
}

std::optional<std::string> ExecutableCache::find() const {
  std::ifstream file(path, std::ios::binary);
  if (path.empty() || !file)
    return std::nullopt;
  std::string line(lineFor("").size(), '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  std::stringstream bytes;
  bytes << file.rdbuf();
  std::string content = std::move(bytes).str();
  if (line != lineFor(content)) {
    logging::log(logging::Module::session, logging::Level::Warn,
                 "damaged, so it is made again: {}", path);
    return std::nullopt;
  }
  logging::info(logging::Module::session, "taken from the cache: {}", path);
  return content;
}

void ExecutableCache::keep(
    const std::function<void(std::ostream &)> &write) const {
  if (path.empty())
    return;
  try {
    std::ostringstream bytes;
    write(bytes);
    writeFile(path, [&](std::ostream &file) {
      file << lineFor(bytes.view()) << bytes.view();
    });
  } catch (const Error &error) {
    logging::log(logging::Module::session, logging::Level::Warn,
                 "not kept in the cache: {}", error.what());
  }
}

ContentHash compilerHash() {
  std::string text = POPULUS_VERSION "\n";
  dl_iterate_phdr(addLibrary, &text);
  ContentHash hash;
  hash.add(text);
  // Engines take options from there, too.
  const char *options = std::getenv("POPLAR_ENGINE_OPTIONS");
  hash.add(options ? options : "");
  return hash;
}

} // namespace populus::popir
