// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The warnings of checks. Templates are checked in their instances, so a
// warning comes up several times and is reported once.

#ifndef POPULUS_LIB_FRONTEND_CHECKREPORT_H
#define POPULUS_LIB_FRONTEND_CHECKREPORT_H

#include "lib/Frontend/CodeletChecks.h"

#include <clang/AST/ASTContext.h>
#include <clang/Tooling/Core/Replacement.h>

#include <set>

namespace populus::frontend {

class CheckReport {
public:
  explicit CheckReport(clang::ASTContext &context);

  /// Warns at a place of the user's own sources. `insertion`, if any, is text
  /// that mends it, before `at`.
  void warn(clang::SourceLocation location, const char *check,
            const std::string &text, clang::SourceLocation at = {},
            const std::string &insertion = "");

  FixedSources fixedSources() const;

  clang::ASTContext &context;

private:
  bool isSilenced(clang::SourceLocation location) const;

  std::map<std::string, clang::tooling::Replacements> fixes;
  std::set<std::pair<unsigned, std::string>> reported;
};

} // namespace populus::frontend

#endif
