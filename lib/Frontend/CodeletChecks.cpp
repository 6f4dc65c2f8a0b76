// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Frontend/CodeletChecks.h"

#include "lib/Frontend/CheckReport.h"
#include "lib/Frontend/FunctionChecks.h"
#include "lib/Frontend/VertexChecks.h"

namespace populus::frontend {

FixedSources checkCodelets(clang::ASTContext &context,
                           const std::vector<FoundVertex> &vertices) {
  CheckReport report(context);
  checkFunctions(report);
  for (const FoundVertex &vertex : vertices)
    checkVertex(report, vertex);
  return report.fixedSources();
}

} // namespace populus::frontend
