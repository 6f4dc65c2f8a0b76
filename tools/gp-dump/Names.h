// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of the archive's enumerations, as gp-dump prints them.

#ifndef POPULUS_TOOLS_GPDUMP_NAMES_H
#define POPULUS_TOOLS_GPDUMP_NAMES_H

#include "lib/Archive/Archive.h"

namespace populus::gpdump {

const char *name(runtime::VertexKind kind);
const char *name(archive::FieldKind kind);
const char *name(archive::Direction direction);
const char *name(archive::Layout layout);

/// "Input<Vector<float, SPAN, 8>>", as the source might say it.
std::string fieldType(const archive::Field &field);

} // namespace populus::gpdump

#endif
