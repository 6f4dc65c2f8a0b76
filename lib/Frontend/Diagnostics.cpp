// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets Clang's own printer write into a string, and cuts it where a new
// diagnostic begins.

#include "lib/Frontend/Diagnostics.h"

namespace populus::frontend {

DiagnosticCollector::DiagnosticCollector(std::vector<Diagnostic> &diagnostics,
                                         clang::DiagnosticOptions &options)
    : diagnostics(diagnostics), stream(text), printer(stream, &options) {
  stream.enable_colors(options.ShowColors);
}

void DiagnosticCollector::BeginSourceFile(
    const clang::LangOptions &language,
    const clang::Preprocessor *preprocessor) {
  printer.BeginSourceFile(language, preprocessor);
}

void DiagnosticCollector::EndSourceFile() { printer.EndSourceFile(); }

void DiagnosticCollector::HandleDiagnostic(
    clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) {
  DiagnosticConsumer::HandleDiagnostic(level, info);
  // A message without a place in a source says at least who speaks.
  printer.setPrefix(info.getLocation().isValid() ? "" : "popc");
  printer.HandleDiagnostic(level, info);
  stream.flush();
  if (level != clang::DiagnosticsEngine::Note || diagnostics.empty())
    diagnostics.emplace_back();
  Diagnostic &diagnostic = diagnostics.back();
  diagnostic.isError |= level >= clang::DiagnosticsEngine::Error;
  diagnostic.text += text;
  text.clear();
}

} // namespace populus::frontend
