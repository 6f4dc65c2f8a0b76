// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of variables on tiles, for tools that inspect a program. The graph
// compiler lists them on request; executables do not store the list.

#ifndef POPULUS_LIB_POPLAR_GRAPH_VARIABLEPLACES_H
#define POPULUS_LIB_POPLAR_GRAPH_VARIABLEPLACES_H

#include <cstdint>
#include <string>

namespace poplar::core {

struct VariablePlace {
  /// Name of the variable; empty for vertex state, buffers and the like.
  std::string name;
  const char *category;
  std::uint32_t tile;
  std::uint32_t address;
  std::uint64_t bytes;
  /// False if other variables may use the same memory at other times.
  bool alwaysLive;
};

} // namespace poplar::core

#endif
