// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The .gp file of the vertices in TestCodelets.cpp.

#ifndef POPULUS_TEST_UNIT_POPLAR_TESTARCHIVE_H
#define POPULUS_TEST_UNIT_POPLAR_TESTARCHIVE_H

#include <string>

/// Writes the file, once, and returns its path.
const std::string &testArchive();

#endif
