// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets a CompilerInstance up by hand. CompilerInstance::ExecuteAction would
// create the target by its triple, from a table that does not know the IPU.

#include "lib/Frontend/Instance.h"

#include "lib/Frontend/IpuClangTarget.h"
#include "lib/Target/IPU/TargetInfo/IPUTarget.h"

#include <clang/Basic/DiagnosticDriver.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Frontend/TextDiagnosticBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <mutex>

using namespace clang;

namespace populus::frontend {

namespace {

void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    ipu::registerTarget();
  });
}

/// Attributes that mean something on the IPU only are no news elsewhere.
void silenceOnHost(DiagnosticsEngine &diagnostics) {
  diagnostics.setSeverity(diag::warn_unsupported_target_attribute,
                          diag::Severity::Ignored, SourceLocation());
}

/// Returns whether the action is one that the driver requests; -Xclang can
/// request any other.
bool isOurAction(clang::frontend::ActionKind action,
                 DiagnosticsEngine &diagnostics) {
  if (action == clang::frontend::EmitObj ||
      action == clang::frontend::PrintPreprocessedInput ||
      action == clang::frontend::RunPreprocessorOnly ||
      action == clang::frontend::ParseSyntaxOnly)
    return true;
  diagnostics.Report(diagnostics.getCustomDiagID(
      DiagnosticsEngine::Error,
      "an option after -Xclang asks for another result than popc makes"));
  return false;
}

bool setTarget(CompilerInstance &instance, const runtime::TargetInfo &target) {
  if (!target.isIpu()) {
    silenceOnHost(instance.getDiagnostics());
    return instance.createTarget();
  }
  auto options = std::make_shared<TargetOptions>(instance.getTargetOpts());
  instance.setTarget(makeIpuClangTarget(target, options,
                                        instance.getDiagnostics(),
                                        instance.getLangOpts())
                         .get());
  return true;
}

} // namespace

std::unique_ptr<CompilerInstance>
makeInstance(const CompileJob &job, std::vector<Diagnostic> &diagnostics) {
  initializeTargets();
  auto invocation = std::make_shared<CompilerInvocation>();
  std::vector<const char *> arguments;
  arguments.reserve(job.arguments.size());
  for (const std::string &argument : job.arguments)
    arguments.push_back(argument.c_str());

  // Arguments decide how diagnostics look, so the first diagnostics are held
  // back.
  auto *buffer = new TextDiagnosticBuffer;
  DiagnosticsEngine early(new DiagnosticIDs, new DiagnosticOptions, buffer);
  bool good =
      CompilerInvocation::CreateFromArgs(*invocation, arguments, early, "popc");
  auto instance = std::make_unique<CompilerInstance>();
  instance->setInvocation(invocation);
  // The process may go on for long after this compilation.
  instance->getFrontendOpts().DisableFree = false;
  instance->getCodeGenOpts().DisableFree = false;
  auto *collector =
      new DiagnosticCollector(diagnostics, instance->getDiagnosticOpts());
  instance->createDiagnostics(collector);
  collector->takePromotionsOver(instance->getDiagnostics());
  buffer->FlushDiagnostics(instance->getDiagnostics());
  if (!good ||
      !isOurAction(invocation->getFrontendOpts().ProgramAction,
                   instance->getDiagnostics()) ||
      !setTarget(*instance, *job.target))
    return nullptr;
  instance->createFileManager();
  return instance;
}

bool runAction(CompilerInstance &instance, FrontendAction &action,
               const FrontendInputFile &input) {
  if (!action.PrepareToExecute(instance) ||
      !action.BeginSourceFile(instance, input))
    return false;
  if (llvm::Error error = action.Execute())
    llvm::consumeError(std::move(error)); // reported as a diagnostic already
  action.EndSourceFile();
  return true;
}

} // namespace populus::frontend
