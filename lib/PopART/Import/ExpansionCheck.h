// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size of a model after inlining its functions. If a function calls another
// one twice, which calls a third one twice, and so on, a small file expands to
// any number of nodes. So functions are measured before the import, each once.

#ifndef POPULUS_LIB_POPART_IMPORT_EXPANSIONCHECK_H
#define POPULUS_LIB_POPART_IMPORT_EXPANSIONCHECK_H

#include <cstdint>

namespace onnx {
class ModelProto;
} // namespace onnx

namespace populus::popir {

/// The limit of nodes of inlined functions and unrolled loops together.
inline constexpr std::uint64_t MostExpandedNodes = 500'000;

/// The limit of nested functions and bodies; no exporter needs more.
inline constexpr unsigned DeepestBody = 64;

/// Throws an Error if functions of a model are recursive, or exceed a limit.
void checkExpansion(const onnx::ModelProto &model);

/// Throws the Error on more nodes than MostExpandedNodes.
[[noreturn]] void failExpansion();

} // namespace populus::popir

#endif
