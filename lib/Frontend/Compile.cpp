// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs Clang on one source for one target, in this process and in one pass: the
// consumer of the syntax tree collects vertex types, has Clang generate IR,
// adds the entry points to it and passes it to the code generator.

#include "lib/Frontend/Compile.h"

#include "lib/Frontend/Backend.h"
#include "lib/Frontend/CodeletChecks.h"
#include "lib/Frontend/EntryPoints.h"
#include "lib/Frontend/ExecutionModes.h"
#include "lib/Frontend/Float8Names.h"
#include "lib/Frontend/HeaderCache.h"
#include "lib/Frontend/HostLevels.h"
#include "lib/Frontend/Instance.h"
#include "lib/Frontend/LlvmIr.h"
#include "lib/Frontend/RefusedHeaders.h"
#include "lib/Frontend/TileChecks.h"
#include "lib/Frontend/VertexFinder.h"
#include "lib/Frontend/WorkerEntry.h"

#include <clang/AST/GlobalDecl.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Sema/Sema.h>

using namespace clang;

namespace populus::frontend {

namespace {

std::string sourceName(const CompileJob &job) {
  return job.input == "-" ? "<stdin>" : job.input;
}

/// Remembers classes as Clang completes them.
class ClassCollector : public ASTConsumer {
public:
  explicit ClassCollector(std::vector<CXXRecordDecl *> &classes)
      : classes(classes) {}

  void HandleTagDeclDefinition(TagDecl *decl) override {
    if (auto *record = dyn_cast<CXXRecordDecl>(decl))
      if (record->getNumBases() != 0)
        classes.push_back(record);
  }

private:
  std::vector<CXXRecordDecl *> &classes;
};

/// Clang emits the helpers of poplar/HalfFloat.hpp, which nothing calls by
/// name, in another order if they come from precompiled headers. The bytes of a
/// result do not depend on that.
void moveHelpersLast(llvm::Module &module) {
  std::vector<llvm::Function *> helpers;
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && function.hasWeakAnyLinkage())
      helpers.push_back(&function);
  llvm::sort(helpers, [](const llvm::Function *a, const llvm::Function *b) {
    return a->getName() < b->getName();
  });
  for (llvm::Function *helper : helpers) {
    helper->removeFromParent();
    module.getFunctionList().push_back(helper);
  }
}

/// Clang's IR generator with the vertex types looked at before it finishes and
/// the code generator behind it.
class CodeletConsumer : public MultiplexConsumer {
public:
  CodeletConsumer(CompilerInstance &instance, const CompileJob &job,
                  CompileOutput &output,
                  std::vector<std::unique_ptr<ASTConsumer>> consumers,
                  CodeGenerator *generator,
                  std::unique_ptr<std::vector<CXXRecordDecl *>> classes)
      : MultiplexConsumer(std::move(consumers)), instance(instance), job(job),
        output(output), generator(generator), classes(std::move(classes)) {}

  void InitializeSema(Sema &value) override {
    sema = &value;
    declareFloat8Names(value);
    MultiplexConsumer::InitializeSema(value);
  }

  void HandleTranslationUnit(ASTContext &context) override {
    std::vector<EntryPoint> entries;
    if (!hasErrors())
      entries = describeVertices();
    MultiplexConsumer::HandleTranslationUnit(context);
    if (!generator || hasErrors())
      return;
    std::unique_ptr<llvm::Module> module(generator->ReleaseModule());
    if (job.target->isIpu()) {
      setExecutionModes(*module, entries);
      reportCalls(context, setWorkerEntries(*module));
    }
    moveHelpersLast(*module);
    addEntryPoints(*module, entries, *job.target);
    if (!job.target->isIpu())
      addHostLevels(*module, entries,
                    instance.getCodeGenOpts().OptimizationLevel > 1);
    installDiagnosticHandler(
        module->getContext(), instance, [&](llvm::StringRef symbol) {
          symbol = withoutMode(symbol);
          for (const EntryPoint &entry : entries)
            if (entry.symbol == symbol)
              symbol = entry.compute;
          const Decl *decl = generator->GetDeclForMangledName(symbol);
          return decl ? decl->getLocation() : SourceLocation();
        });
    generateCode(instance, *module, job, output);
    // The objects that the lambda refers to are destroyed here.
    installDiagnosticHandler(module->getContext(), instance);
    if (job.target->isIpu() && job.result == Result::Object && !hasErrors())
      checkForTile(context, *module, entries);
  }

private:
  /// Code that calls an entry point would never come back.
  void reportCalls(ASTContext &context,
                   const std::vector<std::string> &symbols) {
    DiagnosticsEngine &diagnostics = context.getDiagnostics();
    for (const std::string &symbol : symbols) {
      const auto *decl = llvm::dyn_cast_or_null<NamedDecl>(
          generator->GetDeclForMangledName(symbol));
      diagnostics.Report(
          decl ? decl->getLocation() : SourceLocation(),
          diagnostics.getCustomDiagID(
              DiagnosticsEngine::Error,
              "'%0' is called, but its attribute colossus_vertex makes it an "
              "entry point, which ends the worker"))
          << (decl ? decl->getQualifiedNameAsString() : symbol);
    }
  }

  void checkForTile(ASTContext &context, const llvm::Module &module,
                    const std::vector<EntryPoint> &entries) {
    TileCheckInput input{context,
                         *job.target,
                         entries,
                         module,
                         [this](llvm::StringRef name) {
                           return generator->GetDeclForMangledName(name);
                         },
                         job.definedElsewhere};
    checkModule(input);
    checkStack(input, output.bytes);
  }

  bool hasErrors() const {
    return instance.getDiagnostics().hasErrorOccurred();
  }

  std::vector<EntryPoint> describeVertices() {
    std::vector<EntryPoint> entries;
    std::vector<FoundVertex> vertices =
        findVertices(*sema, *classes, *job.target);
    if (job.checkCodelets && !hasErrors())
      output.fixedSources = checkCodelets(sema->Context, vertices);
    for (FoundVertex &vertex : vertices) {
      if (vertex.compute && generator) {
        // Asking for the address makes the generator emit the body.
        GlobalDecl compute(vertex.compute);
        generator->GetAddrOfGlobal(compute, /*isForDefinition=*/false);
        entries.push_back({vertex.type.entry,
                           generator->GetMangledName(compute).str(),
                           vertex.type.kind});
      }
      vertex.type.targets.front().target = job.targetName;
      output.vertexTypes.push_back(std::move(vertex.type));
    }
    return entries;
  }

  CompilerInstance &instance;
  const CompileJob &job;
  CompileOutput &output;
  CodeGenerator *generator; // null where only diagnostics are wanted
  std::unique_ptr<std::vector<CXXRecordDecl *>> classes;
  Sema *sema = nullptr;
};

class CodeletAction : public ASTFrontendAction {
public:
  CodeletAction(const CompileJob &job, CompileOutput &output,
                llvm::LLVMContext &context)
      : job(job), output(output), context(context) {}

protected:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &instance,
                                                 StringRef file) override {
    if (job.target->isIpu())
      refuseHeaders(instance.getPreprocessor());
    auto classes = std::make_unique<std::vector<CXXRecordDecl *>>();
    std::vector<std::unique_ptr<ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<ClassCollector>(*classes));
    CodeGenerator *generator = nullptr;
    if (job.result != Result::Checked) {
      generator = CreateLLVMCodeGen(
          instance.getDiagnostics(), file, &instance.getVirtualFileSystem(),
          instance.getHeaderSearchOpts(), instance.getPreprocessorOpts(),
          instance.getCodeGenOpts(), context);
      consumers.emplace_back(generator);
    }
    return std::make_unique<CodeletConsumer>(instance, job, output,
                                             std::move(consumers), generator,
                                             std::move(classes));
  }

private:
  const CompileJob &job;
  CompileOutput &output;
  llvm::LLVMContext &context;
};

class PreprocessAction : public PreprocessorFrontendAction {
public:
  explicit PreprocessAction(CompileOutput &output) : output(output) {}

protected:
  void ExecuteAction() override {
    CompilerInstance &instance = getCompilerInstance();
    std::string text;
    llvm::raw_string_ostream stream(text);
    DoPrintPreprocessedInput(instance.getPreprocessor(), &stream,
                             instance.getPreprocessorOutputOpts());
    output.bytes.assign(text.begin(), text.end());
  }

private:
  CompileOutput &output;
};

/// Whatever it was made for.
void aimAt(const clang::TargetInfo &target, llvm::Module &module) {
  module.setTargetTriple(target.getTriple().str());
  for (llvm::Function &function : module)
    for (const char *attribute : {"target-cpu", "target-features", "tune-cpu"})
      function.removeFnAttr(attribute);
}

/// Reports the message at its line of the text, as Clang does for C++ sources.
void reportInText(CompilerInstance &instance, const llvm::MemoryBuffer &text,
                  const LlvmIr &ir, unsigned message) {
  instance.createSourceManager(instance.getFileManager());
  SourceManager &sources = instance.getSourceManager();
  const FileID file = sources.createFileID(text.getMemBufferRef());
  sources.setMainFileID(file);
  DiagnosticsEngine &diagnostics = instance.getDiagnostics();
  diagnostics.getClient()->BeginSourceFile(instance.getLangOpts());
  diagnostics.Report(sources.translateLineCol(file, ir.line, ir.column),
                     message)
      << ir.error;
  diagnostics.getClient()->EndSourceFile();
}

/// LLVM IR skips Clang's frontend: it is read, aimed at the target, compiled.
void compileIr(CompilerInstance &instance, const CompileJob &job,
               CompileOutput &output) {
  DiagnosticsEngine &diagnostics = instance.getDiagnostics();
  const unsigned message =
      diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "%0");
  auto fail = [&](llvm::StringRef text) {
    diagnostics.Report(message) << text;
  };
  auto buffer = job.text ? llvm::MemoryBuffer::getMemBufferCopy(*job.text,
                                                                sourceName(job))
                         : nullptr;
  if (!buffer) {
    auto file = instance.getFileManager().getBufferForFile(job.input);
    if (!file)
      return fail("cannot read '" + job.input +
                  "': " + file.getError().message());
    buffer = std::move(*file);
  }
  auto context = std::make_unique<llvm::LLVMContext>();
  installDiagnosticHandler(*context, instance);
  LlvmIr ir = readLlvmIr(*buffer, instance.getTarget().getDataLayoutString(),
                         std::move(context));
  if (!ir.module && ir.line != 0)
    return reportInText(instance, *buffer, ir, message);
  if (!ir.module)
    return fail(ir.error);
  aimAt(instance.getTarget(), *ir.module);
  if (job.result != Result::Checked)
    generateCode(instance, *ir.module, job, output);
}

bool hasError(const CompileOutput &output) {
  return llvm::any_of(output.diagnostics, [](const Diagnostic &diagnostic) {
    return diagnostic.isError;
  });
}

/// Lines with counts are told by locations, which go no further than the
/// optimiser without -g.
void trackLocations(CodeGenOptions &options) {
  if (options.getDebugInfo() == llvm::codegenoptions::NoDebugInfo)
    options.setDebugInfo(llvm::codegenoptions::LocTrackingOnly);
}

/// `headers` is a file of precompiled headers, or empty. No result where Clang
/// refuses it.
std::optional<CompileOutput> compileWith(const CompileJob &job,
                                         const std::string &headers) {
  CompileOutput output;
  // The context must outlive the action, whose generator holds the module.
  llvm::LLVMContext context;
  std::unique_ptr<CompilerInstance> instance =
      makeInstance(job, output.diagnostics);
  if (!instance)
    return output;
  installDiagnosticHandler(context, *instance);
  if (!job.lineCounts.empty())
    trackLocations(instance->getCodeGenOpts());
  instance->getPreprocessorOpts().ImplicitPCHInclude = headers;
  // Without this Clang notices a changed system header only when it needs the
  // file's text, in the middle of a compilation.
  instance->getHeaderSearchOpts().ModulesValidateSystemHeaders = true;

  std::unique_ptr<llvm::MemoryBuffer> buffer;
  InputKind kind = instance->getFrontendOpts().Inputs.front().getKind();
  std::string name = sourceName(job);
  FrontendInputFile input(name, kind);
  if (job.text) {
    buffer = llvm::MemoryBuffer::getMemBufferCopy(*job.text, name);
    input = FrontendInputFile(buffer->getMemBufferRef(), kind);
  }
  if (job.result == Result::Preprocessed) {
    // The arguments are those of a compilation for --save-temps.
    if (instance->getFrontendOpts().ProgramAction !=
        clang::frontend::PrintPreprocessedInput) {
      instance->getPreprocessorOutputOpts().ShowCPP = true;
      instance->getPreprocessorOutputOpts().ShowLineMarkers = true;
    }
    PreprocessAction action(output);
    runAction(*instance, action, input);
  } else if (kind.getLanguage() == Language::LLVM_IR) {
    compileIr(*instance, job, output);
  } else {
    CodeletAction action(job, output, context);
    if (!runAction(*instance, action, input) && !headers.empty())
      return std::nullopt;
  }
  output.success =
      !instance->getDiagnostics().hasErrorOccurred() && !hasError(output);
  return output;
}

/// Returns whether a message shows that headers were compiled on their own.
bool namesHeaders(const CompileOutput &output) {
  return llvm::any_of(output.diagnostics, [](const Diagnostic &diagnostic) {
    return diagnostic.text.find(LeadingHeadersName) != std::string::npos;
  });
}

CompileOutput compileOnce(const CompileJob &job) {
  const HeaderCache cache;
  // Twice, since headers may have changed and are made again then.
  for (int attempt = 0; attempt != 2; ++attempt) {
    const std::string headers = cache.find(job);
    std::optional<CompileOutput> output = compileWith(job, headers);
    if (output && namesHeaders(*output))
      break;
    if (output)
      return std::move(*output);
    cache.remove(headers);
  }
  return std::move(*compileWith(job, ""));
}

/// Returns whether every error is a reinterpret_cast that drops a const.
bool onlyLosesConst(const CompileOutput &output) {
  return !output.success &&
         llvm::all_of(output.diagnostics, [](const Diagnostic &diagnostic) {
           return !diagnostic.isError || diagnostic.isLostConst;
         });
}

/// Returns whether a vector name of <ipudef.h> may be the cause of the errors.
/// On a tile these names are the machine's own types.
bool takesVectorNames(const CompileJob &job, const CompileOutput &output) {
  return !output.success && !job.target->isIpu() &&
         llvm::any_of(output.diagnostics, [](const Diagnostic &diagnostic) {
           return diagnostic.isTakenName;
         });
}

/// Returns the macro to define for another attempt, or null.
const char *remedy(const CompileJob &job, const CompileOutput &output) {
  // Older programs cast the elements of inputs, which were no constants then.
  // All else that is an error with constants has been found by now.
  if (onlyLosesConst(output))
    return "POPULUS_INPUTS_NOT_CONST";
  // Programs that bring vectors of their own to hosts call them by the names
  // that a tile's have.
  if (takesVectorNames(job, output))
    return "POPULUS_NO_VECTOR_NAMES";
  return nullptr;
}

} // namespace

CompileOutput compile(const CompileJob &job) {
  CompileOutput first = compileOnce(job);
  CompileJob other = job;
  std::set<const char *> defined;
  std::optional<CompileOutput> again;
  for (;;) {
    const CompileOutput &last = again ? *again : first;
    if (last.success)
      return again ? std::move(*again) : std::move(first);
    const char *macro = remedy(job, last);
    if (!macro || !defined.insert(macro).second)
      return first;
    other.arguments.insert(other.arguments.end(), {"-D", macro});
    again = compileOnce(other);
  }
}

} // namespace populus::frontend
