// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two files for each list of headers and each set of options: KEY.pch as Clang
// writes it, and KEY.names, a checksum of it and the names that were looked for
// on the way. Directories of -I are searched before the directories of the
// toolchain. They are left out when headers are precompiled, and a source whose
// directories contain one of the names is compiled from text. The key contains
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

/// How an option bears on headers.
enum class Bearing { Part, Directory, None, Forbids };

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
      .StartsWith("-debug-info-kind=", {Bearing::Forbids, 0})
      .StartsWith("-include", {Bearing::Forbids, 0})
      .StartsWith("-imacros", {Bearing::Forbids, 0})
      .StartsWith("-fmodule", {Bearing::Forbids, 0})
      .Default({});
}

struct HeaderOptions {
  std::vector<std::string> arguments;   // of -cc1, for the headers alone
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
    if (kind.bearing == Bearing::Directory && i + 1 < job.arguments.size())
      result.directories.push_back(job.arguments[i + 1]);
    if (kind.bearing == Bearing::Part && argument != job.input)
      result.arguments.push_back(argument);
    i += kind.arguments;
  }
  // Where nothing is given, Clang reads the standard input.
  result.arguments.push_back("-");
  return result;
}

/// Of the program or library that this function is in.
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

std::string includes(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += "#include <" + name + ">\n";
  return text;
}

/// All names that headers include or ask for.
class NameCollector : public PPCallbacks {
public:
  explicit NameCollector(Names &names) : names(names) {}

  void InclusionDirective(SourceLocation, const Token &, StringRef name, bool,
                          CharSourceRange, OptionalFileEntryRef, StringRef,
                          StringRef, const Module *, bool,
                          SrcMgr::CharacteristicKind) override {
    names.insert(name.str());
  }
  void HasInclude(SourceLocation, StringRef name, bool, OptionalFileEntryRef,
                  SrcMgr::CharacteristicKind) override {
    names.insert(name.str());
  }

private:
  Names &names;
};

/// Clang's own action for this writes a file; this one fills a buffer.
class PrecompileAction : public ASTFrontendAction {
public:
  PrecompileAction(std::shared_ptr<PCHBuffer> buffer, Names &names)
      : buffer(std::move(buffer)), names(names) {}

protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &instance,
                                                 StringRef) override {
    instance.getPreprocessor().addPPCallbacks(
        std::make_unique<NameCollector>(names));
    return std::make_unique<PCHGenerator>(
        instance.getPreprocessor(), instance.getModuleCache(), "", "", buffer,
        llvm::ArrayRef<std::shared_ptr<ModuleFileExtension>>());
  }
  bool BeginSourceFileAction(CompilerInstance &instance) override {
    instance.getLangOpts().CompilingPCH = true;
    instance.getLangOpts().PCHInstantiateTemplates = true;
    return true;
  }
  TranslationUnitKind getTranslationUnitKind() override { return TU_Prefix; }
  bool hasASTFileSupport() const override { return false; }

private:
  std::shared_ptr<PCHBuffer> buffer;
  Names &names;
};

struct Precompiled {
  std::string bytes; // empty: not possible
  Names names;
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

/// The names that belong to precompiled headers, if both files are whole.
std::optional<Names> readNames(const std::string &headers,
                               const std::string &names) {
  auto list = llvm::MemoryBuffer::getFile(names);
  auto content = llvm::MemoryBuffer::getFile(headers, /*IsText=*/false,
                                             /*RequiresNullTerminator=*/false);
  if (!list || !content)
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef> lines;
  (*list)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  if (lines.empty() || lines.front() != checksum((*content)->getBuffer()))
    return std::nullopt;
  Names result;
  for (llvm::StringRef line : llvm::drop_begin(lines))
    result.insert(line.str());
  return result;
}

std::string namesFile(const Precompiled &headers) {
  return checksum(headers.bytes) + "\n" + llvm::join(headers.names, "\n") +
         "\n";
}

bool containsAny(const std::vector<std::string> &directories,
                 const Names &names) {
  for (const std::string &directory : directories)
    for (const std::string &name : names)
      if (llvm::sys::fs::exists(llvm::Twine(directory) + "/" + name))
        return true;
  return false;
}

std::optional<std::string> sourceText(const CompileJob &job) {
  if (job.text)
    return job.text;
  auto buffer = llvm::MemoryBuffer::getFile(job.input);
  if (!buffer)
    return std::nullopt; // said when it is compiled
  return (*buffer)->getBuffer().str();
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
  const std::optional<std::string> source = sourceText(job);
  if (!options.isUsable || !source)
    return {};
  const std::string text = includes(leadingHeaders(*source));
  if (text.empty())
    return {};

  const std::string key = keyOf(compiler, options, text);
  const std::string file = key + ".pch";
  std::optional<Names> names =
      readNames(cache.path(file), cache.path(key + ".names"));
  if (!names) {
    Precompiled headers = precompile(job, options, text);
    if (headers.bytes.empty())
      return {};
    cache.add(file, headers.bytes);
    cache.add(key + ".names", namesFile(headers));
    names = std::move(headers.names);
  }
  if (containsAny(options.directories, *names))
    return {};
  cache.touch(file);
  cache.touch(key + ".names");
  return cache.path(file);
}

void HeaderCache::remove(const std::string &path) const {
  (void)llvm::sys::fs::remove(path);
}

} // namespace populus::frontend
