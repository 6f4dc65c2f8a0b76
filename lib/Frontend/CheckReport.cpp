// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Frontend/CheckReport.h"

#include "lib/Frontend/OwnWarnings.h"

#include <clang/Basic/SourceManager.h>

using namespace clang;

namespace populus::frontend {

CheckReport::CheckReport(ASTContext &context) : context(context) {}

void CheckReport::warn(SourceLocation location, const char *check,
                       const std::string &text, SourceLocation at,
                       const std::string &insertion) {
  const SourceManager &sources = context.getSourceManager();
  location = sources.getExpansionLoc(location);
  if (location.isInvalid() || sources.isInSystemHeader(location) ||
      isSilenced(location) ||
      !reported.emplace(location.getRawEncoding(), check).second)
    return;
  DiagnosticsEngine &diagnostics = context.getDiagnostics();
  auto warning = diagnostics.Report(
      location,
      diagnostics.getCustomDiagID(warningLevel(diagnostics), "%0 [%1]"));
  warning << text << check;
  if (at.isInvalid() || at.isMacroID())
    return;
  warning << FixItHint::CreateInsertion(at, insertion);
  if (!sources.isInMainFile(at))
    return;
  const tooling::Replacement fix(sources, at, 0, insertion);
  llvm::consumeError(fixes[fix.getFilePath().str()].add(fix));
}

FixedSources CheckReport::fixedSources() const {
  FixedSources fixed;
  for (const auto &[path, replacements] : fixes) {
    auto text =
        context.getSourceManager().getFileManager().getBufferForFile(path);
    if (!text)
      continue;
    if (auto result =
            tooling::applyAllReplacements((*text)->getBuffer(), replacements))
      fixed[path] = *result;
    else
      llvm::consumeError(result.takeError());
  }
  return fixed;
}

bool CheckReport::isSilenced(SourceLocation location) const {
  const SourceManager &sources = context.getSourceManager();
  const auto [file, offset] = sources.getDecomposedLoc(location);
  const llvm::StringRef text = sources.getBufferData(file);
  const std::size_t begin = text.rfind('\n', offset) + 1;
  return text.slice(begin, text.find('\n', offset)).contains("NOLINT");
}

} // namespace populus::frontend
