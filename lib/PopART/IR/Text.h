// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The IR as text, which people read, tests compare, and the parser takes back
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
  /// Tensors of more elements are not printed element by element, but as
  /// base64 of their bytes.
  std::size_t mostElements = 16;
  /// Leave such tensors out. What was left out cannot be parsed.
  bool elide = true;
};

std::string toString(const Module &module, const TextOptions &options = {});
std::string toString(const Graph &graph, const TextOptions &options = {});

/// Types and elements of a tensor: "float 2 [1.0, 2.0]".
std::string toString(const HostTensor &tensor, const TextOptions &options = {});

/// A name where the text has names: as it is, or in quotes.
std::string quotedName(std::string_view name);

/// The module in a file, parsed and checked; "-" is standard input. What is
/// wrong with it is an input Error that names the file.
std::unique_ptr<Module> readModule(const std::string &path);

/// Parses a module. `file` is for messages: an Error names it, the line and the
/// column. Whether types and edges make sense is for verify() to say.
std::unique_ptr<Module> parseModule(std::string_view text,
                                    const std::string &file);

} // namespace populus::popir

#endif
