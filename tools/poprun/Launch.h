// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs mpirun, and watches it.

#ifndef POPULUS_TOOLS_POPRUN_LAUNCH_H
#define POPULUS_TOOLS_POPRUN_LAUNCH_H

#include "Options.h"

namespace populus::poprun {

/// Returns the exit status of the job. Throws UsageError where it cannot begin.
int launch(const Options &options);

} // namespace populus::poprun

#endif
