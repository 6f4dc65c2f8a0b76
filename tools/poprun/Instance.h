// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process that mpirun starts for each instance: poprun itself. It runs the
// program as a child, passes its output on line by line, and reports how it
// ended.

#ifndef POPULUS_TOOLS_POPRUN_INSTANCE_H
#define POPULUS_TOOLS_POPRUN_INSTANCE_H

#include <string>
#include <vector>

namespace populus::poprun {

/// Begins the line of errors that says how an instance ended; a JSON object
/// follows.
inline constexpr const char *EndMark = "\x1epoprun-instance-ended ";

/// The names of the pipes in the folder of a job (Launch.cpp), which is in this
/// variable, for output and for errors.
inline constexpr const char *JobFolderVariable = "POPRUN_JOB_FOLDER";
inline constexpr const char *OutputPipe = "output";
inline constexpr const char *ErrorPipe = "errors";

/// Runs the program; returns its exit status, or 128 + its signal.
int runInstance(const std::vector<std::string> &program);

/// Writes all of a text; returns false if nobody reads any more.
bool writeAll(int file, const std::string &text);

} // namespace populus::poprun

#endif
