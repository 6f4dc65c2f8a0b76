// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of Clang that popc does not support. Clang's driver knows them,
// so popc must not ignore them silently: it refuses them by name, or warns if
// leaving one out does not change the output.

#ifndef POPULUS_LIB_CODELET_CLANGOPTIONS_H
#define POPULUS_LIB_CODELET_CLANGOPTIONS_H

#include <llvm/Option/Arg.h>

namespace populus::codelet {

/// The reason why popc rejects an option; null if it does not.
const char *refusalOf(const llvm::opt::Option &option);

/// The reason why an option has no effect; null if it has one.
const char *reasonForNoEffect(const llvm::opt::Arg &argument);

} // namespace populus::codelet

#endif
