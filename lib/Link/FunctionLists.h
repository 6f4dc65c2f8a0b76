// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lists of functions that a program runs before main() and after it.
// Compilers put addresses of functions into sections of certain names; the
// linker joins those of each name, in the order of their priorities, and the
// start code (lib/Device/Exit.c) finds the whole list between two symbols.

#ifndef POPULUS_LIB_LINK_FUNCTIONLISTS_H
#define POPULUS_LIB_LINK_FUNCTIONLISTS_H

#include <optional>
#include <string_view>

namespace populus::link {

/// The sections of a list, and the symbols around it.
struct FunctionList {
  std::string_view section;
  std::string_view begin;
  std::string_view end;
};

inline constexpr FunctionList FunctionLists[] = {
    {".init_array", "__init_array_start", "__init_array_end"},
    {".fini_array", "__fini_array_start", "__fini_array_end"},
};

/// The position of a section's functions in the lists.
struct ListPart {
  unsigned list; // index in FunctionLists
  unsigned priority;
  friend auto operator<=>(const ListPart &, const ListPart &) = default;
};

/// Returns the part of a list that a section is; nothing if it is none. Throws
/// LinkError for a kind of list that is not run.
std::optional<ListPart> partOfList(std::string_view sectionName);

/// Returns whether a symbol begins or ends a list.
bool boundsList(std::string_view symbolName);

} // namespace populus::link

#endif
