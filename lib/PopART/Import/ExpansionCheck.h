// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size of a model after its nodes are replaced by the functions that they
// call. A function that calls another one twice, which calls a third one twice,
// and so on, is a small file that stands for any number of nodes. Functions are
// measured before anything is imported, each once.

#ifndef POPULUS_LIB_POPART_IMPORT_EXPANSIONCHECK_H
#define POPULUS_LIB_POPART_IMPORT_EXPANSIONCHECK_H

#include <cstdint>

namespace onnx {
class ModelProto;
} // namespace onnx

namespace populus::popir {

/// Nodes of functions and of unrolled loops, in all.
inline constexpr std::uint64_t MostExpandedNodes = 500'000;

/// Functions and bodies inside each other; more are not from an exporter.
inline constexpr unsigned DeepestBody = 64;

/// An Error where functions of a model call themselves, or stand for more nodes
/// than that, or are deeper inside each other.
void checkExpansion(const onnx::ModelProto &model);

/// An Error that says that there are more nodes than MostExpandedNodes.
[[noreturn]] void failExpansion();

} // namespace populus::popir

#endif
