// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code for the longer vectors of newer processors, beside the code that
// runs on every machine (runtime/Target/HostLevels.h).

#ifndef POPULUS_LIB_FRONTEND_HOSTLEVELS_H
#define POPULUS_LIB_FRONTEND_HOSTLEVELS_H

#include "lib/Frontend/EntryPoints.h"

namespace populus::frontend {

/// Adds the entry points, and all that they call, once more for each level but
/// the first, and says to all code how long its vectors are. Only to code for
/// any processor that is optimised.
void addHostLevels(llvm::Module &module, const std::vector<EntryPoint> &entries,
                   bool optimises);

} // namespace populus::frontend

#endif
