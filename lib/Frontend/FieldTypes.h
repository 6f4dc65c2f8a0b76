// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classifies the type of a vertex field: which edge or state it is, of which
// elements, in which layout. The types that codelets use are declared in
// include/poplar/InOutTypes.hpp and FieldTypes.hpp; what a layout means for the
// bytes is decided there, and this must agree.

#ifndef POPULUS_LIB_FRONTEND_FIELDTYPES_H
#define POPULUS_LIB_FRONTEND_FIELDTYPES_H

#include "lib/Archive/Archive.h"

#include <clang/AST/Type.h>
#include <optional>

namespace populus::frontend {

struct FieldShape {
  archive::FieldKind kind = archive::FieldKind::State;
  archive::Direction direction = archive::Direction::None;
  runtime::ElementType type = runtime::ElementType::Float;
  std::uint32_t minAlign = 1;
  bool interleaved = false;
  archive::Layout inner = archive::Layout::NotAVector;
  archive::Layout outer = archive::Layout::NotAVector;
};

/// Classifies a field; nothing for a type that cannot be a field.
std::optional<FieldShape> classifyField(const clang::ASTContext &context,
                                        clang::QualType type);

/// Returns advice for a type that cannot be a field.
const char *fieldAdvice(clang::QualType type);

} // namespace populus::frontend

#endif
