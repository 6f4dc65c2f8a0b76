// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets Clang's own printer write into a string, and cuts it where a new
// diagnostic begins.

#include "lib/Frontend/Diagnostics.h"

#include <clang/AST/Type.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>

namespace populus::frontend {

namespace {

/// Returns the advice that replaces a Clang error whose own text names an
/// option that does not help.
const char *adviceOn(unsigned id) {
  switch (id) {
  case clang::diag::err_exceptions_disabled:
    return "codelets have no exceptions; keep what happened in a field, or end "
           "the run with __builtin_trap()";
  case clang::diag::err_no_dynamic_cast_with_fno_rtti:
  case clang::diag::err_no_typeid_with_fno_rtti:
    return "codelets have no run-time type information; use a virtual function "
           "or an enumeration";
  default:
    return nullptr;
  }
}

/// `using float2 = ...;` or `struct float2 ...` where float2 is a type.
bool isTakenName(unsigned id) {
  return id == clang::diag::err_redefinition_different_typedef ||
         id == clang::diag::err_redefinition_different_kind ||
         id == clang::diag::err_tag_definition_of_typedef;
}

constexpr unsigned Promotion = clang::diag::warn_impcast_double_promotion;

/// A half becomes a float.
bool isFromHalf(const clang::Diagnostic &info) {
  auto typeOf = [&](unsigned argument) {
    return clang::QualType::getFromOpaquePtr(
        reinterpret_cast<void *>(info.getRawArg(argument)));
  };
  const auto *from = typeOf(0)->getAs<clang::BuiltinType>();
  return from &&
         (from->getKind() == clang::BuiltinType::Half ||
          from->getKind() == clang::BuiltinType::Float16) &&
         typeOf(1)->isSpecificBuiltinType(clang::BuiltinType::Float);
}

Message::Level levelOf(clang::DiagnosticsEngine::Level level) {
  return level >= clang::DiagnosticsEngine::Error     ? Message::Error
         : level == clang::DiagnosticsEngine::Warning ? Message::Warning
                                                      : Message::Note;
}

Message messageOf(clang::DiagnosticsEngine::Level level,
                  const clang::Diagnostic &info) {
  Message message;
  message.level = levelOf(level);
  llvm::SmallString<128> text;
  info.FormatDiagnostic(text);
  message.text = text.str().str();
  message.option =
      clang::DiagnosticIDs::getWarningOptionForDiag(info.getID()).str();
  if (!info.getLocation().isValid() || !info.hasSourceManager())
    return message;
  const clang::PresumedLoc place =
      info.getSourceManager().getPresumedLoc(info.getLocation());
  if (place.isInvalid())
    return message;
  message.file = place.getFilename();
  message.line = place.getLine();
  message.column = place.getColumn();
  return message;
}

} // namespace

DiagnosticCollector::DiagnosticCollector(std::vector<Diagnostic> &diagnostics,
                                         clang::DiagnosticOptions &options)
    : diagnostics(diagnostics), stream(text), printer(stream, &options) {
  stream.enable_colors(options.ShowColors);
}

void DiagnosticCollector::takePromotionsOver(clang::DiagnosticsEngine &engine) {
  promotionsAreErrors =
      engine.getDiagnosticLevel(Promotion, clang::SourceLocation()) >=
      clang::DiagnosticsEngine::Error;
  if (promotionsAreErrors)
    engine.setDiagnosticGroupWarningAsError("double-promotion", false);
}

void DiagnosticCollector::BeginSourceFile(
    const clang::LangOptions &language,
    const clang::Preprocessor *preprocessor) {
  printer.BeginSourceFile(language, preprocessor);
}

void DiagnosticCollector::EndSourceFile() { printer.EndSourceFile(); }

void DiagnosticCollector::HandleDiagnostic(
    clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) {
  if (info.getID() == Promotion) {
    if (isFromHalf(info))
      return;
    if (promotionsAreErrors)
      level = clang::DiagnosticsEngine::Error;
  }
  DiagnosticConsumer::HandleDiagnostic(level, info);
  // A message without a place in a source says at least who speaks.
  printer.setPrefix(info.getLocation().isValid() ? "" : "popc");
  printer.HandleDiagnostic(level, info);
  stream.flush();
  if (level != clang::DiagnosticsEngine::Note || diagnostics.empty())
    diagnostics.emplace_back();
  Diagnostic &diagnostic = diagnostics.back();
  diagnostic.isError |= level >= clang::DiagnosticsEngine::Error;
  diagnostic.isLostConst |=
      info.getID() == clang::diag::err_bad_cxx_cast_qualifiers_away;
  diagnostic.isTakenName |= isTakenName(info.getID());
  diagnostic.text += text;
  diagnostic.messages.push_back(messageOf(level, info));
  if (const char *advice = adviceOn(info.getID())) {
    diagnostic.text += std::string("popc: note: ") + advice + "\n";
    diagnostic.messages.push_back({Message::Note, advice, "", 0, 0, ""});
  }
  text.clear();
}

} // namespace populus::frontend
