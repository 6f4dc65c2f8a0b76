// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two files for each list of headers and each set of options: KEY.pch as Clang
// writes it, and KEY.names, a checksum of it and three lists of names. The
// first has the headers that were looked for on the way. Directories of -I are
// searched before the directories of the toolchain. They are left out when
// headers are precompiled, and a source whose directories contain one of the
// names is compiled from text. The other lists are the macros that the headers
// define and all words in them: a source that says something about one of these
// before it includes the headers is not the same with the headers in front, so
// only what it includes before that is taken from the cache. The key contains
// the identity of this compiler, since a file refers to its builtins by number;
// Clang itself checks that no header has changed.

#include "lib/Frontend/HeaderCache.h"

#include "lib/Frontend/Instance.h"
#include "lib/Frontend/LeadingHeaders.h"
#include "runtime/Support/BuildId.h"

#include <clang/Basic/FileManager.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Serialization/ASTWriter.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SHA256.h>
#include <llvm/Support/xxhash.h>
#include <set>

using namespace clang;

namespace populus::frontend {

namespace {

/// Some hundred lists of headers.
constexpr std::uint64_t LargestCache = 256 << 20;

using Names = std::set<std::string>;

/// The influence of an option on precompiled headers.
enum class Bearing { Part, Library, Directory, None, Forbids };

struct OptionKind {
  Bearing bearing = Bearing::Part;
  unsigned arguments = 0; // that follow it
};

OptionKind kindOf(llvm::StringRef option) {
  return llvm::StringSwitch<OptionKind>(option)
      .Cases("-I", "-iquote", "-isystem", "-cxx-isystem",
             {Bearing::Directory, 1})
      .Cases("-idirafter", "-main-file-name", "-o", "-dependency-file", "-MT",
             {Bearing::None, 1})
      .Cases("-MP", "-sys-header-deps", {Bearing::None, 0})
      .Cases("-emit-obj", "-emit-llvm", "-emit-llvm-bc", "-S", "-fsyntax-only",
             {Bearing::None, 0})
      .StartsWith("-fdebug-compilation-dir=", {Bearing::None, 0})
      .StartsWith("-fcoverage-compilation-dir=", {Bearing::None, 0})
      // The order of types in debug information depends on where they were
      // read.
      .Cases("-internal-isystem", "-internal-externc-isystem",
             {Bearing::Library, 1})
      .StartsWith("-debug-info-kind=", {Bearing::Forbids, 0})
      // Lists what is read.
      .Case("-H", {Bearing::Forbids, 0})
      .StartsWith("-include", {Bearing::Forbids, 0})
      .StartsWith("-imacros", {Bearing::Forbids, 0})
      .StartsWith("-fmodule", {Bearing::Forbids, 0})
      .Default({});
}

struct HeaderOptions {
  std::vector<std::string> arguments;   // of -cc1, for the headers alone
  std::vector<std::string> leading;     // for the source without the library
  std::vector<std::string> directories; // that the user wants searched first
  bool isUsable = true;
};

HeaderOptions headerOptions(const CompileJob &job) {
  HeaderOptions result;
  for (std::size_t i = 0; i < job.arguments.size(); ++i) {
    const std::string &argument = job.arguments[i];
    const OptionKind kind = kindOf(argument);
    if (kind.bearing == Bearing::Forbids)
      result.isUsable = false;
    auto addTo = [&](std::vector<std::string> &arguments) {
      if (argument == job.input)
        return;
      for (std::size_t k = i;
           k <= i + kind.arguments && k < job.arguments.size(); ++k)
        arguments.push_back(job.arguments[k]);
    };
    if (kind.bearing == Bearing::Part || kind.bearing == Bearing::Library)
      addTo(result.arguments);
    if (kind.bearing == Bearing::Part || kind.bearing == Bearing::Directory)
      addTo(result.leading);
    if (kind.bearing == Bearing::Directory && i + 1 < job.arguments.size())
      result.directories.push_back(job.arguments[i + 1]);
    i += kind.arguments;
  }
  // Clang reads the standard input if no source is given.
  result.arguments.push_back("-");
  result.leading.push_back("-");
  return result;
}

/// Returns the build id of the program or library that contains this function.
std::string compilerIdentity() {
  return runtime::buildIdOf(reinterpret_cast<const void *>(&compilerIdentity));
}

std::string keyOf(const std::string &compiler, const HeaderOptions &options,
                  const std::string &text) {
  llvm::SHA256 hash;
  hash.update(compiler);
  for (const std::string &argument : options.arguments) {
    hash.update(argument);
    hash.update(llvm::StringRef("\0", 1));
  }
  hash.update(text);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

/// The headers among `steps`, as a source.
std::string includes(const std::vector<LeadingStep> &steps) {
  std::string text;
  for (const LeadingStep &step : steps)
    if (step.kind == LeadingStep::Includes)
      text += "#include <" + step.name + ">\n";
  return text;
}

/// The names by which a list of headers affects the sources that include it.
struct HeaderNames {
  Names headers; // that they include or ask for
  Names macros;  // that they define or undefine
  Names words;   // all identifiers, with those that the compiler predefines
};

class NameCollector : public PPCallbacks {
public:
  NameCollector(const SourceManager &sources, HeaderNames &names)
      : sources(sources), names(names) {}

  void InclusionDirective(SourceLocation, const Token &, StringRef name, bool,
                          CharSourceRange, OptionalFileEntryRef, StringRef,
                          StringRef, const Module *, bool,
                          SrcMgr::CharacteristicKind) override {
    names.headers.insert(name.str());
  }
  void HasInclude(SourceLocation, StringRef name, bool, OptionalFileEntryRef,
                  SrcMgr::CharacteristicKind) override {
    names.headers.insert(name.str());
  }
  void MacroDefined(const Token &name, const MacroDirective *) override {
    addMacro(name);
  }
  void MacroUndefined(const Token &name, const MacroDefinition &,
                      const MacroDirective *) override {
    addMacro(name);
  }

private:
  void addMacro(const Token &name) {
    if (!sources.isWrittenInBuiltinFile(name.getLocation()) &&
        !sources.isWrittenInCommandLineFile(name.getLocation()))
      names.macros.insert(name.getIdentifierInfo()->getName().str());
  }

  const SourceManager &sources;
  HeaderNames &names;
};

/// Clang's own action for this writes a file; this one fills a buffer.
class PrecompileAction : public ASTFrontendAction {
public:
  PrecompileAction(std::shared_ptr<PCHBuffer> buffer, HeaderNames &names)
      : buffer(std::move(buffer)), names(names) {}

protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &instance,
                                                 StringRef) override {
    instance.getPreprocessor().addPPCallbacks(
        std::make_unique<NameCollector>(instance.getSourceManager(), names));
    return std::make_unique<PCHGenerator>(
        instance.getPreprocessor(), instance.getModuleCache(), "", "", buffer,
        llvm::ArrayRef<std::shared_ptr<ModuleFileExtension>>());
  }
  bool BeginSourceFileAction(CompilerInstance &instance) override {
    instance.getLangOpts().CompilingPCH = true;
    instance.getLangOpts().PCHInstantiateTemplates = true;
    return true;
  }
  void EndSourceFileAction() override {
    for (const auto &word :
         getCompilerInstance().getPreprocessor().getIdentifierTable())
      names.words.insert(word.getKey().str());
  }
  TranslationUnitKind getTranslationUnitKind() override { return TU_Prefix; }
  bool hasASTFileSupport() const override { return false; }

private:
  std::shared_ptr<PCHBuffer> buffer;
  HeaderNames &names;
};

struct Precompiled {
  std::string bytes; // empty: not possible
  HeaderNames names;
};

/// Headers that give a diagnostic have to give it each time.
Precompiled precompile(const CompileJob &job, const HeaderOptions &options,
                       const std::string &text) {
  Precompiled result;
  CompileJob headers;
  headers.target = job.target;
  headers.arguments = options.arguments;
  std::vector<Diagnostic> diagnostics;
  std::unique_ptr<CompilerInstance> instance =
      makeInstance(headers, diagnostics);
  if (!instance)
    return result;
  auto source = llvm::MemoryBuffer::getMemBuffer(text, LeadingHeadersName);
  FrontendInputFile input(source->getMemBufferRef(),
                          instance->getFrontendOpts().Inputs.front().getKind());
  auto buffer = std::make_shared<PCHBuffer>();
  PrecompileAction action(buffer, result.names);
  runAction(*instance, action, input);
  if (diagnostics.empty() && buffer->IsComplete)
    result.bytes.assign(buffer->Data.begin(), buffer->Data.end());
  return result;
}

std::string checksum(llvm::StringRef bytes) {
  return llvm::utohexstr(llvm::xxh3_64bits(llvm::arrayRefFromStringRef(bytes)));
}

/// The contents of KEY.names: a checksum of KEY.pch, and each name in a line
/// with the letter of its list. There are thousands of words, few of which are
/// ever asked for, so they are looked for in the text.
class NameFile {
public:
  NameFile(llvm::StringRef headers, const HeaderNames &names)
      : text(checksum(headers) + "\n") {
    add('h', names.headers);
    add('m', names.macros);
    add('w', names.words);
  }
  explicit NameFile(llvm::StringRef text) : text(text) {}

  const std::string &contents() const { return text; }

  bool isOf(llvm::StringRef headers) const {
    return llvm::StringRef(text).starts_with(checksum(headers) + "\n");
  }

  /// Returns whether `step` may behave differently if the headers come first,
  /// or the headers may.
  bool bearOn(const LeadingStep &step) const {
    switch (step.kind) {
    case LeadingStep::Includes:
      return false;
    case LeadingStep::DefinesMacro:
      return has('w', step.name);
    case LeadingStep::UsesMacro:
      return has('m', step.name);
    }
    return true;
  }

  bool areIn(const std::vector<std::string> &directories) const {
    if (directories.empty())
      return false;
    llvm::StringRef line, rest = llvm::StringRef(text).split('\n').second;
    for (std::tie(line, rest) = rest.split('\n'); line.consume_front("h");
         std::tie(line, rest) = rest.split('\n'))
      for (const std::string &directory : directories)
        if (llvm::sys::fs::exists(llvm::Twine(directory) + "/" + line))
          return true;
    return false;
  }

private:
  void add(char list, const Names &names) {
    for (const std::string &name : names)
      text.append(1, list).append(name).append(1, '\n');
  }
  bool has(char list, const std::string &name) const {
    const std::string line =
        std::string("\n").append(1, list).append(name).append(1, '\n');
    return text.find(line) != std::string::npos;
  }

  std::string text;
};

/// The names that belong to precompiled headers, if both files are whole.
std::optional<NameFile> readNames(const std::string &headers,
                                  const std::string &names) {
  auto list = llvm::MemoryBuffer::getFile(names);
  auto content = llvm::MemoryBuffer::getFile(headers, /*IsText=*/false,
                                             /*RequiresNullTerminator=*/false);
  if (!list || !content)
    return std::nullopt;
  NameFile result((*list)->getBuffer());
  if (!result.isOf((*content)->getBuffer()))
    return std::nullopt;
  return result;
}

std::vector<LeadingStep> leadingStepsOf(const CompileJob &job,
                                        const HeaderOptions &options) {
  CompileJob leading = job;
  leading.arguments = options.leading;
  return leadingSteps(leading);
}

bool isCpp(const CompileJob &job) {
  auto language = std::find(job.arguments.begin(), job.arguments.end(), "-x");
  return language != job.arguments.end() &&
         language + 1 != job.arguments.end() && language[1] == "c++";
}

} // namespace

HeaderCache::HeaderCache()
    : cache("POPULUS_HEADER_CACHE", "headers", LargestCache) {}

std::string HeaderCache::find(const CompileJob &job) const {
  static const std::string compiler = compilerIdentity();
  if (!cache.isUsable() || compiler.empty() || !isCpp(job) ||
      job.result == Result::Preprocessed)
    return {};
  const HeaderOptions options = headerOptions(job);
  if (!options.isUsable)
    return {};
  std::vector<LeadingStep> steps = leadingStepsOf(job, options);
  for (;;) {
    while (!steps.empty() && steps.back().kind != LeadingStep::Includes)
      steps.pop_back();
    const std::string text = includes(steps);
    if (text.empty())
      return {};

    const std::string key = keyOf(compiler, options, text);
    const std::string file = key + ".pch";
    std::optional<NameFile> names =
        readNames(cache.path(file), cache.path(key + ".names"));
    if (!names) {
      Precompiled headers = precompile(job, options, text);
      if (headers.bytes.empty())
        return {};
      names.emplace(headers.bytes, headers.names);
      cache.add(file, headers.bytes);
      cache.add(key + ".names", names->contents());
    }
    cache.touch(file);
    cache.touch(key + ".names");
    if (names->areIn(options.directories))
      return {};
    auto end = llvm::find_if(
        steps, [&](const LeadingStep &step) { return names->bearOn(step); });
    if (end == steps.end())
      return cache.path(file);
    steps.erase(end, steps.end());
  }
}

void HeaderCache::remove(const std::string &path) const {
  (void)llvm::sys::fs::remove(path);
}

} // namespace populus::frontend
