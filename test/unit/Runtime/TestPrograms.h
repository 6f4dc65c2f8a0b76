// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small executables built by hand for the tests of format and session.

#ifndef POPULUS_TEST_UNIT_RUNTIME_TESTPROGRAMS_H
#define POPULUS_TEST_UNIT_RUNTIME_TESTPROGRAMS_H

#include "runtime/Format/Executable.h"

#include <vector>

namespace populus::runtime::test {

/// Steps are added children first; the last one is the root.
std::uint32_t addStep(Executable &executable, Step step);

/// A native program on two tiles: stream "in" (4 floats) to tile 0, scale by
/// the weights' factor there into `out`, exchange `out` to tile 1, print it,
/// stream "out" to the host. Program 1 counts an int down from 3 to 0 in a
/// loop.
Executable scaleProgram(DeviceKind device);

/// The first program of scaleProgram() for the emulator, with the vertex as
/// machine code.
Executable emulatedScaleProgram();

/// Indices in scaleProgram().
enum ScaleTensor : std::uint32_t { In, Out, Result, Counter };
enum ScaleHost : std::uint32_t { HostResult, HostCounter };

} // namespace populus::runtime::test

#endif
