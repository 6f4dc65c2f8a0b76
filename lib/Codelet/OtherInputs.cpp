// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the symbol tables of objects that popc has made.

#include "lib/Codelet/OtherInputs.h"

#include "lib/Frontend/LibraryCalls.h"

#include <llvm/Object/ELFObjectFile.h>

namespace populus::codelet {

namespace {

void addDefinitions(std::span<const std::uint8_t> object,
                    std::set<std::string> &names) {
  const llvm::StringRef bytes(reinterpret_cast<const char *>(object.data()),
                              object.size());
  auto file = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(bytes, ""));
  if (!file) // an archive's, said when it is merged
    return llvm::consumeError(file.takeError());
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    llvm::Expected<std::uint32_t> flags = symbol.getFlags();
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (flags && name && *flags & llvm::object::SymbolRef::SF_Global &&
        !(*flags & llvm::object::SymbolRef::SF_Undefined) &&
        !frontend::libraryCallRefusal(*name, runtime::VertexKind::Worker)
             .empty())
      names.insert(name->str());
    llvm::consumeError(flags.takeError());
    llvm::consumeError(name.takeError());
  }
}

} // namespace

std::set<std::string> libraryNamesDefinedBeside(const Job &job,
                                                const std::vector<Job> &jobs,
                                                const Options &options) {
  std::set<std::string> names;
  for (const Job &other : jobs)
    if (&other != &job && other.target == job.target && other.status == Success)
      addDefinitions(other.output.bytes, names);
  for (const Input &input : options.inputs) {
    if (input.kind != InputKind::Archive)
      continue;
    try {
      for (const archive::Object &object :
           archive::Archive::read(input.path).objects)
        if (object.target == job.target->name)
          addDefinitions(object.bytes, names);
    } catch (const archive::ArchiveError &) {
      continue; // said when it is merged
    }
  }
  return names;
}

} // namespace populus::codelet
