// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a source includes before anything else: the headers that can be compiled
// once for all sources that begin alike.

#ifndef POPULUS_LIB_FRONTEND_LEADINGHEADERS_H
#define POPULUS_LIB_FRONTEND_LEADINGHEADERS_H

#include <string>
#include <string_view>
#include <vector>

namespace populus::frontend {

/// The names of all `#include <name>` from the start of `source` up to the
/// first line that is neither such a directive, nor blank, nor a comment. After
/// these lines a compiler has seen nothing but the headers.
std::vector<std::string> leadingHeaders(std::string_view source);

} // namespace populus::frontend

#endif
