// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs Clang's preprocessor up to the first token that is not a directive's.
// The library's headers are not read, which takes most of a compilation's time:
// they are not found, and a callback has the preprocessor go on without them.

#include "lib/Frontend/LeadingHeaders.h"

#include "lib/Frontend/Instance.h"

#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MemoryBuffer.h>

using namespace clang;

namespace populus::frontend {

namespace {

/// Returns whether a directive `#pragma` affects only the messages about the
/// code that follows.
bool isHarmlessPragma(llvm::StringRef line) {
  line = line.take_until([](char c) { return c == '\n' || c == '\r'; }).trim();
  if (!line.consume_front("#"))
    return false; // _Pragma
  line = line.ltrim();
  if (!line.consume_front("pragma"))
    return false;
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(line, words, " \t");
  return (words.size() == 1 && words[0] == "once") ||
         (words.size() > 1 && (words[0] == "clang" || words[0] == "GCC") &&
          words[1] == "diagnostic");
}

class StepCollector : public PPCallbacks {
public:
  StepCollector(Preprocessor &preprocessor, std::vector<LeadingStep> &steps)
      : preprocessor(preprocessor), steps(steps) {}

  void InclusionDirective(SourceLocation, const Token &directive,
                          StringRef name, bool, CharSourceRange,
                          OptionalFileEntryRef file, StringRef, StringRef,
                          const Module *, bool,
                          SrcMgr::CharacteristicKind) override {
    // The headers found so far decide what a directive such as #include_next
    // means.
    if (directive.getIdentifierInfo()->getName() != "include")
      hasEnded = true;
    if (!file)
      add(LeadingStep::Includes, name);
  }
  bool FileNotFound(StringRef) override { return true; }

  void MacroDefined(const Token &name, const MacroDirective *) override {
    if (isInSource(name.getLocation()))
      add(LeadingStep::DefinesMacro, name);
  }
  void MacroUndefined(const Token &name, const MacroDefinition &,
                      const MacroDirective *) override {
    if (isInSource(name.getLocation()))
      add(LeadingStep::DefinesMacro, name);
  }
  void MacroExpands(const Token &name, const MacroDefinition &, SourceRange,
                    const MacroArgs *) override {
    add(LeadingStep::UsesMacro, name);
  }

  void Ifdef(SourceLocation, const Token &name,
             const MacroDefinition &) override {
    add(LeadingStep::UsesMacro, name);
  }
  void Ifndef(SourceLocation, const Token &name,
              const MacroDefinition &) override {
    add(LeadingStep::UsesMacro, name);
  }
  void If(SourceLocation, SourceRange condition, ConditionValueKind) override {
    addWordsOf(condition);
  }
  void Elif(SourceLocation, SourceRange condition, ConditionValueKind,
            SourceLocation) override {
    addWordsOf(condition);
  }
  // Rare in front of headers: not worth telling what is looked up.
  void Elifdef(SourceLocation, const Token &,
               const MacroDefinition &) override {
    hasEnded = true;
  }
  void Elifndef(SourceLocation, const Token &,
                const MacroDefinition &) override {
    hasEnded = true;
  }
  // The library's headers are there, although they are not found here.
  void HasInclude(SourceLocation, StringRef, bool, OptionalFileEntryRef,
                  SrcMgr::CharacteristicKind) override {
    hasEnded = true;
  }
  void PragmaDirective(SourceLocation location, PragmaIntroducerKind) override {
    if (isInSource(location) &&
        !isHarmlessPragma(
            preprocessor.getSourceManager().getCharacterData(location)))
      hasEnded = true;
  }

private:
  /// Returns whether a location is in the source, and not in the predefines of
  /// the compiler or the command line.
  bool isInSource(SourceLocation location) const {
    const SourceManager &sources = preprocessor.getSourceManager();
    return !sources.isWrittenInBuiltinFile(location) &&
           !sources.isWrittenInCommandLineFile(location);
  }

  void add(LeadingStep::Kind kind, llvm::StringRef name) {
    // After an error the preprocessor goes on as it can.
    hasEnded |= preprocessor.getDiagnostics().hasErrorOccurred();
    if (!hasEnded)
      steps.push_back({kind, name.str()});
  }
  void add(LeadingStep::Kind kind, const Token &name) {
    add(kind, name.getIdentifierInfo()->getName());
  }

  /// Names that are not defined are words of a condition, too.
  void addWordsOf(SourceRange condition) {
    const llvm::StringRef text = Lexer::getSourceText(
        CharSourceRange::getTokenRange(condition),
        preprocessor.getSourceManager(), preprocessor.getLangOpts());
    std::size_t end = 0;
    auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
    while (end != text.size()) {
      const llvm::StringRef word = text.substr(end).take_while(isPart);
      if (!word.empty())
        add(LeadingStep::UsesMacro, word);
      end += std::max<std::size_t>(word.size(), 1);
    }
  }

  Preprocessor &preprocessor;
  std::vector<LeadingStep> &steps;
  bool hasEnded = false;
};

class CollectSteps : public PreprocessorFrontendAction {
public:
  explicit CollectSteps(std::vector<LeadingStep> &steps) : steps(steps) {}

protected:
  void ExecuteAction() override {
    Preprocessor &preprocessor = getCompilerInstance().getPreprocessor();
    preprocessor.addPPCallbacks(
        std::make_unique<StepCollector>(preprocessor, steps));
    preprocessor.EnterMainSourceFile();
    Token token;
    preprocessor.Lex(token);
  }

private:
  std::vector<LeadingStep> &steps;
};

} // namespace

std::vector<LeadingStep> leadingSteps(const CompileJob &job) {
  std::vector<LeadingStep> steps;
  std::vector<Diagnostic> ignored; // said when the source is compiled
  std::unique_ptr<CompilerInstance> instance = makeInstance(job, ignored);
  if (!instance)
    return steps;
  const InputKind kind = instance->getFrontendOpts().Inputs.front().getKind();
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  FrontendInputFile input(job.input, kind);
  if (job.text) {
    buffer = llvm::MemoryBuffer::getMemBuffer(*job.text, job.input);
    input = FrontendInputFile(buffer->getMemBufferRef(), kind);
  }
  CollectSteps action(steps);
  runAction(*instance, action, input);
  return steps;
}

} // namespace populus::frontend
