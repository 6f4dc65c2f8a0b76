// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files with options: a JSON object with a text for each option.

#ifndef POPULUS_TOOLS_POPRUN_CONFIG_H
#define POPULUS_TOOLS_POPRUN_CONFIG_H

#include "Options.h"

#include <string>

namespace populus::poprun {

/// Throws UsageError where the file is not there or has no options.
Values readConfig(const std::string &path);

/// Writes all options but those that concern such files. Throws UsageError
/// where the file exists and shall not be overwritten.
void writeConfig(const std::string &path, const Values &values,
                 bool mayOverwrite);

} // namespace populus::poprun

#endif
