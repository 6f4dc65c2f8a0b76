// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of sorted elements.

#ifndef POPULUS_POPOPS_SORTORDER_HPP
#define POPULUS_POPOPS_SORTORDER_HPP

#include <iosfwd>

namespace popops {

enum class SortOrder { NONE, ASCENDING, DESCENDING };

std::ostream &operator<<(std::ostream &os, SortOrder order);

} // namespace popops

#endif
