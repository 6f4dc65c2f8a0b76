// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry of the check: first the executable by itself, as for a file, and
// then against the graph.

#include "lib/Poplar/Verify/VerifyLowering.h"

#include "lib/Poplar/Verify/ProgramCheck.h"
#include "runtime/Format/Verify.h"

namespace poplar::core {

namespace rt = populus::runtime;

bool verifyLowering(const GraphImpl &graph, ArrayRef<program::Program> programs,
                    const rt::Executable &exe, const LoweringRecord &record) {
  try {
    // Memory is not exceeded, and the pieces of an exchange are apart.
    rt::verify(exe);
    ProgramCheck(graph, programs, exe, record).run();
    return true;
  } catch (const rt::FormatError &error) {
    throw VerifyError(error.what());
  } catch (const ProgramTooLong &) {
    return false;
  }
}

} // namespace poplar::core
