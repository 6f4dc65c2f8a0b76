// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graph::addCodelets: vertex types from .gp files, and from sources through the
// codelet compiler, which is loaded only when needed. Sources that libraries
// generate are cached, because they repeat from graph to graph.

#include "lib/Codelet/Plugin.h"
#include "lib/Poplar/Device/DeviceAccess.h"
#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Graph/ArchiveCache.h"
#include "lib/Poplar/Graph/GeneratedCodelets.h"
#include "lib/Poplar/Support/Libraries.h"
#include "runtime/Support/BuildId.h"
#include "runtime/Support/ContentHash.h"
#include "runtime/Support/InputStream.h"
#include "runtime/Support/OwnFile.h"
#include "runtime/Support/PrivateCache.h"

#include <dlfcn.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <mutex>
#include <sstream>

namespace poplar {

using core::GraphImpl;
using populus::archive::Archive;
using populus::codelet::CompileRequest;
using populus::codelet::CompileResult;

namespace core {

std::filesystem::path libraryFolder() {
  const std::filesystem::path self =
      populus::runtime::fileOf(reinterpret_cast<const void *>(&libraryFolder));
  if (self.empty())
    throw poplar_error("the folder of libpoplar.so cannot be found: the system "
                       "does not say where it was loaded from");
  return self.parent_path();
}

} // namespace core

namespace {

populus::codelet::PluginFunction loadCompiler() {
  const std::filesystem::path path =
      core::libraryFolder() / populus::codelet::PluginLibrary;
  // RTLD_LOCAL: the host program may have another LLVM.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw graph_program_compilation_error(
        "the codelet compiler cannot be loaded (" + std::string(dlerror()) +
        "); compile codelets with popc and add the .gp file");
  void *entry = dlsym(library, populus::codelet::PluginEntry);
  if (!entry)
    throw graph_program_compilation_error(path.string() +
                                          " is not a codelet compiler of this "
                                          "version");
  return reinterpret_cast<populus::codelet::PluginFunction>(entry);
}

/// Splits at blanks; quotes keep blanks together.
std::vector<std::string> splitFlags(const std::string &flags) {
  std::vector<std::string> result;
  std::string word;
  bool inWord = false;
  char quote = 0;
  for (char c : flags) {
    if (quote ? c == quote : c == '"' || c == '\'') {
      quote = quote ? 0 : c;
      inWord = true;
    } else if (!quote && std::isspace(static_cast<unsigned char>(c))) {
      if (inWord)
        result.push_back(word);
      word.clear();
      inWord = false;
    } else {
      word += c;
      inWord = true;
    }
  }
  if (inWord)
    result.push_back(word);
  return result;
}

/// The popc targets that a graph's vertices are compiled for.
std::string codeTarget(const GraphImpl &graph) {
  const core::TargetData &data = core::DeviceAccess::data(graph.target);
  const std::string ipu(data.info->name);
  if (data.type == TargetType::IPU)
    return ipu;
  return data.compilesIpuCode() ? "cpu," + ipu : "cpu";
}

const char *languageOf(CodeletFileType type) {
  switch (type) {
  case CodeletFileType::PreprocessedAsmSource:
    return "assembler";
  case CodeletFileType::AsmSource:
    return "assembler-with-cpp";
  case CodeletFileType::CSource:
    return "c";
  case CodeletFileType::CppSource:
    return "c++";
  case CodeletFileType::IrSource:
    return "ir";
  default:
    return nullptr;
  }
}

populus::codelet::PluginFunction compiler() {
  static const populus::codelet::PluginFunction function = loadCompiler();
  return function;
}

/// Returns the bytes of an archive.
std::vector<std::uint8_t>
compile(const GraphImpl &graph, CompileRequest request,
        const std::string &flags, const std::string &targetName,
        const std::string &name, std::ostream &output) {
  for (const std::string &flag : splitFlags(flags))
    request.arguments.push_back(flag);
  request.arguments.push_back(
      "--target=" + (targetName.empty() ? codeTarget(graph) : targetName));
  CompileResult result;
  compiler()(request, result);
  if (result.status != 0)
    throw graph_program_compilation_error(
        "codelets '" + name + "' do not compile:\n" + result.diagnostics);
  output << result.diagnostics;
  return std::move(result.archive);
}

bool sameCode(const Archive &a, const Archive &b) {
  return std::equal(a.objects.begin(), a.objects.end(), b.objects.begin(),
                    b.objects.end(), [](const auto &x, const auto &y) {
                      return x.target == y.target && x.bytes == y.bytes;
                    });
}

/// Adds an archive's vertex types. Adding the same codelets again is harmless.
void addArchive(GraphImpl &graph, const core::SharedArchive &archive,
                const std::string &name) {
  for (const core::SharedArchive &known : graph.archives)
    if (known == archive ||
        (known->vertexTypes.size() == archive->vertexTypes.size() &&
         sameCode(*known, *archive)))
      return;
  for (const auto &type : archive->vertexTypes)
    if (graph.vertexTypeIds.count(type.name))
      throw graph_object_load_error("vertex type '" + type.name + "' of '" +
                                    name +
                                    "' is in the graph already, with other "
                                    "code");
  graph.archives.push_back(archive);
  const auto index = static_cast<std::uint32_t>(graph.archives.size() - 1);
  for (const auto &type : archive->vertexTypes) {
    graph.vertexTypeIds.emplace(
        type.name, static_cast<std::uint32_t>(graph.vertexTypes.size()));
    graph.vertexTypes.push_back({&type, index, {}});
  }
}

/// Cache of compiled sources that libraries generate. The key is a hash of all
/// inputs of the compilation.
class GeneratedCache {
public:
  /// Calls \p make if the archive does not exist or cannot be read.
  template <class Make>
  Archive find(const std::string &key, const std::string &name, Make &&make) {
    const std::lock_guard lock(mutex);
    const auto [entry, isNew] = archives.try_emplace(key);
    if (isNew && folder.isUsable())
      entry->second = read(folder.path(key + ".gp"));
    if (!entry->second.empty()) {
      try {
        Archive archive = Archive::parse(entry->second, name);
        if (isNew)
          folder.touch(key + ".gp");
        return archive;
      } catch (const populus::archive::ArchiveError &) {
        // Written by another version, or damaged: made again.
      }
    }
    entry->second = make();
    folder.add(key + ".gp",
               {reinterpret_cast<const char *>(entry->second.data()),
                entry->second.size()});
    return Archive::parse(entry->second, name);
  }

private:
  static std::vector<std::uint8_t> read(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return populus::runtime::readAll<std::vector<std::uint8_t>>(file);
  }

  std::mutex mutex;
  std::map<std::string, std::vector<std::uint8_t>> archives;
  populus::runtime::PrivateCache folder{"POPULUS_CODELET_CACHE", "codelets",
                                        64 << 20};
};

bool isArchive(const std::string &path, CodeletFileType type) {
  return type == CodeletFileType::Object ||
         (type == CodeletFileType::Auto &&
          std::filesystem::path(path).extension() == ".gp");
}

} // namespace

void core::addGeneratedCodelets(Graph &graph, const std::string &source,
                                const std::string &name) {
  static GeneratedCache cache;
  GraphImpl &impl = Access::impl(graph);
  populus::runtime::ContentHash key;
  key.add(
      populus::runtime::buildIdOf(reinterpret_cast<const void *>(compiler())));
  key.add(codeTarget(impl));
  key.add(source);
  Archive archive = cache.find(key.digits(), name, [&] {
    CompileRequest request;
    request.standardInput = source;
    request.arguments = {"-x", "c++", "-"};
    return compile(impl, std::move(request), "-O2 -std=c++20", "", name,
                   std::cerr);
  });
  addArchive(impl, core::aimedAt(codeTarget(impl), std::move(archive)), name);
}

bool Graph::addCodelets(StringRef path, CodeletFileType type,
                        StringRef compileFlags, StringRef targetName) {
  return addCodelets(path, type, compileFlags, std::cerr, targetName);
}

bool Graph::addCodelets(StringRef path, CodeletFileType type,
                        StringRef compileFlags, std::ostream &compileOutput,
                        StringRef targetName) {
  const std::string file = path;
  try {
    if (isArchive(file, type)) {
      addArchive(*impl, core::readArchive(file, codeTarget(*impl)), file);
      return true;
    }
    if (!std::filesystem::exists(file))
      throw file_load_error("there is no codelet file '" + file + "'");
    CompileRequest request;
    if (const char *language = languageOf(type))
      request.arguments = {"-x", language};
    request.arguments.push_back(file);
    addArchive(*impl,
               core::aimedAt(codeTarget(*impl),
                             Archive::parse(compile(*impl, std::move(request),
                                                    compileFlags, targetName,
                                                    file, compileOutput),
                                            file)),
               file);
  } catch (const populus::archive::ArchiveError &error) {
    throw file_load_error(error.what());
  }
  return true;
}

bool Graph::addCodelets(ArrayRef<std::string> paths, StringRef compileFlags,
                        StringRef targetName) {
  for (const std::string &path : paths)
    addCodelets(path, CodeletFileType::Auto, compileFlags, targetName);
  return true;
}

bool Graph::addCodelets(std::stringstream &source, StringRef compileFlags,
                        CodeletFileType type, StringRef targetName) {
  return addCodelets(source, compileFlags, std::cerr, type, targetName);
}

bool Graph::addCodelets(std::stringstream &source, StringRef compileFlags,
                        std::ostream &compileOutput, CodeletFileType type,
                        StringRef targetName) {
  const std::string name = "<codelet source>";
  CompileRequest request;
  request.standardInput = source.str();
  const char *language = languageOf(type);
  request.arguments = {"-x", language ? language : "c++", "-"};
  try {
    addArchive(*impl,
               core::aimedAt(codeTarget(*impl),
                             Archive::parse(compile(*impl, std::move(request),
                                                    compileFlags, targetName,
                                                    name, compileOutput),
                                            name)),
               name);
  } catch (const populus::archive::ArchiveError &error) {
    throw file_load_error(error.what());
  }
  return true;
}

} // namespace poplar
