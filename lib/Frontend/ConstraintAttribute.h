// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the [[poplar::constraint(...)]] attributes of a vertex class; linking
// the implementation is what makes Clang accept them.

#ifndef POPULUS_LIB_FRONTEND_CONSTRAINTATTRIBUTE_H
#define POPULUS_LIB_FRONTEND_CONSTRAINTATTRIBUTE_H

#include <string>
#include <vector>

namespace clang {
class CXXRecordDecl;
}

namespace populus::frontend {

inline constexpr const char *ConstraintAnnotation = "poplar::constraint";

std::vector<std::string> constraintsOf(const clang::CXXRecordDecl &record);

} // namespace populus::frontend

#endif
