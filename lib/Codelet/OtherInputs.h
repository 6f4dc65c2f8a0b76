// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The definitions that other inputs of a command line bring to one source. For
// example, codelets may not call malloc, unless another source defines it; that
// is known only when both have been compiled.

#ifndef POPULUS_LIB_CODELET_OTHERINPUTS_H
#define POPULUS_LIB_CODELET_OTHERINPUTS_H

#include "lib/Codelet/Job.h"

namespace populus::codelet {

/// Returns the refused library functions that objects for the job's target
/// define: objects of other jobs that have succeeded, and of archives among the
/// inputs.
std::set<std::string> libraryNamesDefinedBeside(const Job &job,
                                                const std::vector<Job> &jobs,
                                                const Options &options);

} // namespace populus::codelet

#endif
