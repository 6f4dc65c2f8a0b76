// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The check of a lowered program: each vertex, and each transfer to the host,
// must read the values that the graph and its programs specify. TagTable.h
// shows the idea by an example; LoopCheck.cpp explains loops. See also
// docs/architecture.md.

#ifndef POPULUS_LIB_POPLAR_VERIFY_VERIFYLOWERING_H
#define POPULUS_LIB_POPLAR_VERIFY_VERIFYLOWERING_H

#include "lib/Poplar/Graph/GraphImpl.h"
#include "lib/Poplar/Verify/LoweringRecord.h"
#include "runtime/Format/Executable.h"

#include <poplar/ArrayRef.hpp>
#include <poplar/Program.hpp>

#include <stdexcept>
#include <string>

namespace poplar::core {

/// The executable differs from the graph: a bug in lowering.
class VerifyError : public std::logic_error {
public:
  explicit VerifyError(const std::string &what)
      : std::logic_error("the program was lowered wrongly: " + what) {}
};

/// Throws VerifyError for the first difference. Returns false if the program is
/// too long to be checked.
bool verifyLowering(const GraphImpl &graph, ArrayRef<program::Program> programs,
                    const populus::runtime::Executable &exe,
                    const LoweringRecord &record);

} // namespace poplar::core

#endif
