// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The log of PopLibs (POPLIBS_LOG_LEVEL): plans that exceed their memory at
// WARN, calls of functions at INFO, plans at DEBUG.

#ifndef POPULUS_LIB_POPLIBS_POPUTIL_LOG_H
#define POPULUS_LIB_POPLIBS_POPUTIL_LOG_H

#include <poplar/DebugContext.hpp>
#include <poplar/Tensor.hpp>

#include <initializer_list>
#include <string>

namespace poputil {

/// Logs a call at INFO, as "poplin::matMul float[2,3] float[3,4] at layer1".
void logCall(const char *function,
             std::initializer_list<const poplar::Tensor *> operands,
             const poplar::DebugContext &debugContext);

/// Writes a message at DEBUG, and at WARN.
void logDetail(const std::string &message);
void logWarning(const std::string &message);

} // namespace poputil

#endif
