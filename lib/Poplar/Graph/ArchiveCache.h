// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Archives of codelets that a process has read. Libraries add the same files to
// each graph, and reading them would take most of the time of compiling a small
// one.

#ifndef POPULUS_LIB_POPLAR_GRAPH_ARCHIVECACHE_H
#define POPULUS_LIB_POPLAR_GRAPH_ARCHIVECACHE_H

#include "lib/Archive/Archive.h"

#include <filesystem>
#include <memory>
#include <string>

namespace poplar::core {

/// An archive whose fields have the element types of one target. Graphs share
/// it.
using SharedArchive = std::shared_ptr<const populus::archive::Archive>;

SharedArchive aimedAt(const std::string &target,
                      populus::archive::Archive archive);

/// The archive of a file, aimed at \p target. It is read again if the file has
/// changed. Throws ArchiveError.
SharedArchive readArchive(const std::filesystem::path &file,
                          const std::string &target);

} // namespace poplar::core

#endif
