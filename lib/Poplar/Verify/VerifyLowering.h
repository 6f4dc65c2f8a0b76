// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The check of a lowered program: that each vertex, and each transfer to the
// host, reads exactly what the graph and its programs say. See the sources for
// how; docs/architecture.md has the idea.

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

/// The executable does something else than the graph: a mistake of lowering.
class VerifyError : public std::logic_error {
public:
  explicit VerifyError(const std::string &what)
      : std::logic_error("the program was lowered wrongly: " + what) {}
};

/// Throws VerifyError for the first difference that is found. False: the
/// program is too long to be followed.
bool verifyLowering(const GraphImpl &graph, ArrayRef<program::Program> programs,
                    const populus::runtime::Executable &exe,
                    const LoweringRecord &record);

} // namespace poplar::core

#endif
