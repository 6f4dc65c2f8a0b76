// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules in files.

#include "lib/PopART/IR/Text.h"
#include "lib/PopART/IR/Verifier.h"
#include "lib/PopART/Support/Error.h"
#include "runtime/Support/InputStream.h"

#include <fstream>
#include <iostream>

namespace populus::popir {

static std::string readFile(const std::string &path) {
  if (path == "-")
    return runtime::readAll<std::string>(std::cin);
  std::ifstream file(path, std::ios::binary);
  std::string text = runtime::readAll<std::string>(file);
  if (!file.is_open() || file.bad())
    failInput("{}: the file cannot be read", path);
  return text;
}

std::unique_ptr<Module> readModule(const std::string &path) {
  const std::string name = path == "-" ? "<stdin>" : path;
  std::unique_ptr<Module> module = parseModule(readFile(path), name);
  const std::vector<std::string> problems = verify(*module);
  if (!problems.empty())
    failInput("{}: {}", name, fmt::join(problems, "; "));
  return module;
}

} // namespace populus::popir
