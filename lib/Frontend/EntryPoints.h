// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the entry point of each vertex type to a module: the function that the
// device starts, which hands the vertex state to compute() and its result back
// (docs/architecture.md says how, by target).

#ifndef POPULUS_LIB_FRONTEND_ENTRYPOINTS_H
#define POPULUS_LIB_FRONTEND_ENTRYPOINTS_H

#include "lib/Archive/Archive.h"

#include <llvm/IR/Module.h>
#include <string>
#include <vector>

namespace populus::frontend {

struct EntryPoint {
  std::string symbol;
  /// Mangled name of compute(); the module declares or defines it.
  std::string compute;
  runtime::VertexKind kind;
};

void addEntryPoints(llvm::Module &module,
                    const std::vector<EntryPoint> &entries,
                    const runtime::TargetInfo &target);

} // namespace populus::frontend

#endif
