// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that a module makes sense: edges agree at both ends, values are
// defined before they are used, types are what operators infer, calls fit what
// they call, and no operator overwrites what is still read. The pass manager
// runs it between passes, the text's parser leaves all of that to it.

#ifndef POPULUS_LIB_POPART_IR_VERIFIER_H
#define POPULUS_LIB_POPART_IR_VERIFIER_H

#include "lib/PopART/IR/Module.h"

#include <string>
#include <vector>

namespace populus::popir {

/// What is wrong, one sentence each; empty for a valid module.
std::vector<std::string> verify(const Module &module);

/// An Error of kind Internal with the first problems, if there are any;
/// `when` says after what.
void verifyOrFail(const Module &module, const std::string &when);

} // namespace populus::popir

#endif
