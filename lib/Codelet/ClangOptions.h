// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of Clang's options popc does not do. What Clang's driver knows and popc
// takes no notice of must not pass for done: it is refused by name, or, where
// leaving it out changes nothing that popc makes, warned of.

#ifndef POPULUS_LIB_CODELET_CLANGOPTIONS_H
#define POPULUS_LIB_CODELET_CLANGOPTIONS_H

#include <llvm/Option/Arg.h>

namespace populus::codelet {

/// Why popc refuses an option; null where it does not.
const char *refusalOf(const llvm::opt::Option &option);

/// Why an option has no effect; null where it has one.
const char *reasonForNoEffect(const llvm::opt::Arg &argument);

} // namespace populus::codelet

#endif
