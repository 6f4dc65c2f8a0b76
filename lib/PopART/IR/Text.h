// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text form of the IR, for human readers, tests, and the parser
// (docs/popir.md has the grammar):
//
//   variable @w: float 3 = [1.0, 2.0, 3.0]
//   graph main(%x: float 2x3) {
//     %w: float 3 = variable @w
//     %y: float 2x3 = Add-14(%x, %w) {} "sum" ipu=0
//     return y = %y: float 2x3
//   }
//   program step = @main

#ifndef POPULUS_LIB_POPART_IR_TEXT_H
#define POPULUS_LIB_POPART_IR_TEXT_H

#include "lib/PopART/IR/Module.h"

#include <memory>
#include <string>
#include <string_view>

namespace populus::popir {

struct TextOptions {
  /// Larger tensors are printed as base64 of their bytes, not element by
  /// element.
  std::size_t mostElements = 16;
  /// Elide such tensors. The text can then not be parsed.
  bool elide = true;
};

std::string toString(const Module &module, const TextOptions &options = {});
std::string toString(const Graph &graph, const TextOptions &options = {});

/// Types and elements of a tensor: "float 2 [1.0, 2.0]".
std::string toString(const HostTensor &tensor, const TextOptions &options = {});

/// A name as the text shows it: plain, or in quotes.
std::string quotedName(std::string_view name);

/// Parses and verifies the module in a file; "-" is standard input. Throws an
/// input Error that names the file.
std::unique_ptr<Module> readModule(const std::string &path);

/// Parses a module, without verify(). An Error names `file`, line and column.
std::unique_ptr<Module> parseModule(std::string_view text,
                                    const std::string &file);

} // namespace populus::popir

#endif
