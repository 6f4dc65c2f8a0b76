// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Frontend/Checks/CodeletChecks.h"

#include "lib/Frontend/Checks/CheckReport.h"
#include "lib/Frontend/Checks/FunctionChecks.h"
#include "lib/Frontend/Checks/VertexChecks.h"

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
