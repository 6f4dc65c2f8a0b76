// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages go to the log of libpoplar, with PopLibs as their source.

#include "lib/PopLibs/poputil/Log.h"

#include "lib/Poplar/Support/Log.h"

#include <poplar/DebugContext.hpp>

namespace poputil {

using poplar::core::LogLevel;
using poplar::core::LogSource;

void logCall(const char *function,
             std::initializer_list<const poplar::Tensor *> operands,
             const poplar::DebugContext &debugContext) {
  if (!poplar::core::isLogged(LogLevel::Info, LogSource::PopLibs))
    return;
  std::string text = function;
  for (const poplar::Tensor *operand : operands)
    text += " " + operand->elementType().toString() + operand->shapeToString();
  const std::string name = debugContext.getPathName();
  poplar::core::log(LogLevel::Info, name.empty() ? text : text + " at " + name,
                    LogSource::PopLibs);
}

void logDetail(const std::string &message) {
  poplar::core::log(LogLevel::Debug, message, LogSource::PopLibs);
}

void logWarning(const std::string &message) {
  poplar::core::log(LogLevel::Warn, message, LogSource::PopLibs);
}

} // namespace poputil
