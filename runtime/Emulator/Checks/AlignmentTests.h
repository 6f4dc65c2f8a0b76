// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the alignment tests of a vertex: a vertex that looks at the lowest
// bits of an address knows the alignment itself. A test counts for the field
// that the address is in, or ends at. A value made of several addresses, or an
// address elsewhere, does not show which field is meant: its test counts for
// all fields.

#ifndef POPULUS_RUNTIME_EMULATOR_CHECKS_ALIGNMENTTESTS_H
#define POPULUS_RUNTIME_EMULATOR_CHECKS_ALIGNMENTTESTS_H

#include "runtime/Emulator/Checks/VertexRegions.h"

#include <algorithm>
#include <vector>

namespace populus::runtime::emulator {

class AlignmentTests {
public:
  /// Makes an empty record for a tile with memory from this address on.
  explicit AlignmentTests(Address lo) : lo(lo) {}

  /// Another vertex begins.
  void clear() {
    allTested = joinsAddresses = false;
    fields.clear();
  }
  /// Two registers become one value.
  void join(Address a, Address b) { joinsAddresses |= a >= lo && b >= lo; }
  /// The lowest bits of a value are taken.
  void test(Address value, const VertexRegions &regions) {
    if (value < lo || allTested)
      return;
    bool isKnown = false;
    for (const AllowedRegion &region : regions.all())
      if (region.field && value >= region.begin && value <= region.end) {
        fields.push_back(region.field);
        isKnown = true;
      }
    allTested = joinsAddresses || !isKnown;
  }
  bool isTested(const FieldInfo *field) const {
    return allTested ||
           std::find(fields.begin(), fields.end(), field) != fields.end();
  }

private:
  Address lo;
  bool allTested = false;
  bool joinsAddresses = false; // to test several at once
  std::vector<const FieldInfo *> fields;
};

} // namespace populus::runtime::emulator

#endif
