// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of a compilation for other programs: a JSON array, or SARIF 2.1.0,
// which editors and code hosts show beside the source.

#ifndef POPULUS_LIB_CODELET_DIAGNOSTICFORMS_H
#define POPULUS_LIB_CODELET_DIAGNOSTICFORMS_H

#include "lib/Frontend/Diagnostics.h"

namespace populus::codelet {

/// [{"level", "text", "file", "line", "column", "option", "notes": [...]}, ...]
std::string asJson(const std::vector<frontend::Message> &messages);
std::string asSarif(const std::vector<frontend::Message> &messages);

} // namespace populus::codelet

#endif
