// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records a model's operators for reports: the level of the debug tree above
// programs.

#ifndef POPULUS_LIB_POPART_LOWERING_OPERATORRECORD_H
#define POPULUS_LIB_POPART_LOWERING_OPERATORRECORD_H

#include "lib/PopART/IR/Module.h"
#include "lib/Profile/Report.pb.h"

namespace populus::popir {

/// The operators of all graphs of the module.
report::Recorded recordOperators(const Module &module);

} // namespace populus::popir

#endif
