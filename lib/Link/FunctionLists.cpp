// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of a section may end in a priority: ".init_array.101". Sections
// without one come last.

#include "lib/Link/FunctionLists.h"

#include "lib/Link/Linker.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace populus::link {

namespace {

constexpr unsigned LastPriority = 65535;

/// Older names for the same, which nothing collects.
constexpr std::string_view OtherLists[] = {".ctors", ".dtors",
                                           ".preinit_array"};

/// Returns whether a section has this name, perhaps with a suffix.
bool isNamed(std::string_view sectionName, std::string_view name) {
  return sectionName.starts_with(name) &&
         (sectionName.size() == name.size() || sectionName[name.size()] == '.');
}

unsigned priorityOf(std::string_view suffix) {
  unsigned priority = LastPriority;
  if (!suffix.empty())
    std::from_chars(suffix.data() + 1, suffix.data() + suffix.size(), priority);
  return priority;
}

} // namespace

std::optional<ListPart> partOfList(std::string_view sectionName) {
  for (std::string_view other : OtherLists)
    if (isNamed(sectionName, other))
      throw LinkError("functions in section '" + std::string(sectionName) +
                      "' are not run; put them into .init_array or "
                      ".fini_array");
  for (unsigned i = 0; i != std::size(FunctionLists); ++i)
    if (isNamed(sectionName, FunctionLists[i].section))
      return ListPart{
          i, priorityOf(sectionName.substr(FunctionLists[i].section.size()))};
  return std::nullopt;
}

bool boundsList(std::string_view symbolName) {
  return std::any_of(std::begin(FunctionLists), std::end(FunctionLists),
                     [&](const FunctionList &list) {
                       return symbolName == list.begin ||
                              symbolName == list.end;
                     });
}

} // namespace populus::link
