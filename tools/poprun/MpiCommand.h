// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The call of mpirun.

#ifndef POPULUS_TOOLS_POPRUN_MPICOMMAND_H
#define POPULUS_TOOLS_POPRUN_MPICOMMAND_H

#include "Options.h"

#include <map>
#include <string>
#include <vector>

namespace populus::poprun {

/// Variables of the environment that all instances have (_job.py of popdist
/// lists those that programs read).
std::map<std::string, std::string> environmentOf(const Options &options);

/// mpirun with its arguments. It starts `self` for each instance, which runs
/// the program (Instance.h). The variables are exported to other machines.
std::vector<std::string>
mpiCommand(const Options &options, const std::string &self,
           const std::map<std::string, std::string> &environment);

/// Returns whether mpirun is asked to write tags, files or a format of its own.
/// Then all output passes through mpirun.
bool formatsOutput(const Options &options);

} // namespace populus::poprun

#endif
