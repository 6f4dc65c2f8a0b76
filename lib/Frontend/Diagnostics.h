// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the diagnostics of one compilation as text. A source is compiled
// once per target and most of its diagnostics come up each time; kept apart,
// one text for each, they can be printed once.

#ifndef POPULUS_LIB_FRONTEND_DIAGNOSTICS_H
#define POPULUS_LIB_FRONTEND_DIAGNOSTICS_H

#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Support/raw_ostream.h>
#include <memory>
#include <string>
#include <vector>

namespace populus::frontend {

/// One message, for programs that read them.
struct Message {
  enum Level { Error, Warning, Note } level = Error;
  std::string text;
  std::string file; // empty: about no place
  unsigned line = 0, column = 0;
  std::string option; // that a warning is turned off by, without "-W"
};

struct Diagnostic {
  bool isError = false;
  /// The message as Clang prints it, with its notes and source lines.
  std::string text;
  /// The same diagnostic as data: an error or a warning, and its notes.
  std::vector<Message> messages;
  /// An error about a reinterpret_cast to a type without `const`.
  bool isLostConst = false;
  /// An error about a type whose name means another type already.
  bool isTakenName = false;
};

class DiagnosticCollector : public clang::DiagnosticConsumer {
public:
  DiagnosticCollector(std::vector<Diagnostic> &diagnostics,
                      clang::DiagnosticOptions &options);

  /// Drops Clang's warnings of a half that becomes a float: -Wdouble-promotion
  /// is meant for a float that becomes a double. If warnings are errors, the
  /// other warnings become errors here, since Clang would have counted the
  /// dropped ones.
  void takePromotionsOver(clang::DiagnosticsEngine &engine);

  void BeginSourceFile(const clang::LangOptions &language,
                       const clang::Preprocessor *preprocessor) override;
  void EndSourceFile() override;
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override;

private:
  std::vector<Diagnostic> &diagnostics;
  std::string text;
  llvm::raw_string_ostream stream;
  clang::TextDiagnosticPrinter printer;
  bool promotionsAreErrors = false;
};

} // namespace populus::frontend

#endif
