// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a poplar::Executable refers to: the runtime's executable, which an
// Engine shares with the session that runs it.

#ifndef POPULUS_LIB_POPLAR_EXECUTABLEDATA_H
#define POPULUS_LIB_POPLAR_EXECUTABLEDATA_H

#include "runtime/Format/Executable.h"

#include <memory>

namespace poplar::core {

struct ExecutableData {
  std::shared_ptr<populus::runtime::Executable> executable;
};

} // namespace poplar::core

#endif
