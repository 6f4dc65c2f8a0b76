// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the codelets that were compiled when the project was built. All PopLibs
// libraries lie in one folder, so the place of this one serves for all.

#include "lib/PopLibs/poputil/CodeletArchive.h"

#include "runtime/Support/OwnFile.h"

#include <poputil/exceptions.hpp>

namespace poplibs {

void addCodeletArchive(poplar::Graph &graph, const std::string &name) {
  const std::filesystem::path library = populus::runtime::fileOf(
      reinterpret_cast<const void *>(&addCodeletArchive));
  if (library.empty())
    throw poputil::poplibs_error(
        "cannot find the folder of the PopLibs libraries");
  const auto archive =
      library.parent_path() / "populus" / "codelets" / (name + ".gp");
  graph.addCodelets(archive.string());
}

} // namespace poplibs
