// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only a header of the system is refused, as it is found: one of the user's own
// may have the same name.

#include "lib/Frontend/RefusedHeaders.h"

#include <llvm/ADT/StringSwitch.h>

using namespace clang;

namespace populus::frontend {

namespace {

constexpr const char *NoStreams =
    "a tile has no streams of the C++ library; use printf of <print.h>";
constexpr const char *NoThreads =
    "a tile has no threads of an operating system; its workers run at the same "
    "time without any, see MultiVertex";
constexpr const char *NoJumps = "a codelet cannot jump out of its functions; "
                                "return a value that says what happened";
constexpr const char *NoFiles = "a tile has no file system";
constexpr const char *NoLocale = "a tile has no locales";

/// The reason why tiles lack a header; null for supported headers.
const char *reasonAgainst(llvm::StringRef header) {
  return llvm::StringSwitch<const char *>(header)
      .Cases("iostream", "istream", "ostream", "fstream", "sstream", NoStreams)
      .Cases("strstream", "syncstream", "streambuf", "iomanip", "ios",
             NoStreams)
      .Cases("thread", "mutex", "shared_mutex", "condition_variable", NoThreads)
      .Cases("future", "semaphore", "latch", "barrier", "stop_token", NoThreads)
      .Case("threads.h", NoThreads)
      .Cases("setjmp.h", "csetjmp", NoJumps)
      .Case("filesystem", NoFiles)
      .Cases("locale", "regex", "codecvt", NoLocale)
      .Default(nullptr);
}

class HeaderRefuser : public PPCallbacks {
public:
  explicit HeaderRefuser(Preprocessor &preprocessor)
      : preprocessor(preprocessor) {}

  void InclusionDirective(SourceLocation, const Token &, StringRef name, bool,
                          CharSourceRange range, OptionalFileEntryRef,
                          StringRef, StringRef, const Module *, bool,
                          SrcMgr::CharacteristicKind kind) override {
    const char *reason = SrcMgr::isSystem(kind) ? reasonAgainst(name) : nullptr;
    const SourceManager &sources = preprocessor.getSourceManager();
    if (!reason || sources.isInSystemHeader(range.getBegin()))
      return;
    DiagnosticsEngine &diagnostics = preprocessor.getDiagnostics();
    diagnostics.Report(range.getBegin(),
                       diagnostics.getCustomDiagID(
                           DiagnosticsEngine::Fatal,
                           "codelets for an IPU cannot include <%0>: %1"))
        << name << reason;
  }

private:
  Preprocessor &preprocessor;
};

} // namespace

void refuseHeaders(Preprocessor &preprocessor) {
  preprocessor.addPPCallbacks(std::make_unique<HeaderRefuser>(preprocessor));
}

} // namespace populus::frontend
