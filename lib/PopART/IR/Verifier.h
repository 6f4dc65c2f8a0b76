// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that a module is valid: edges agree at both ends, values are defined
// before they are used, types are those that operators infer, calls match their
// callees, and no operator overwrites memory that is still read. The pass
// manager runs it between passes; the parser relies on it for all semantics.

#ifndef POPULUS_LIB_POPART_IR_VERIFIER_H
#define POPULUS_LIB_POPART_IR_VERIFIER_H

#include "lib/PopART/IR/Module.h"

#include <string>
#include <vector>

namespace populus::popir {

/// One sentence for each violation; empty for a valid module.
std::vector<std::string> verify(const Module &module);

/// Throws an Internal Error with the first violations, if there are any. `when`
/// names the step that came before.
void verifyOrFail(const Module &module, const std::string &when);

} // namespace populus::popir

#endif
