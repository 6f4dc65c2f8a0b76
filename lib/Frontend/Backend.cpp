// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls Clang's driver of the optimiser and the code generator, so that -O, -g
// and the other options have their usual meaning.

#include "lib/Frontend/Backend.h"

#include "lib/Frontend/LineCounts.h"
#include "lib/Frontend/OwnWarnings.h"
#include "runtime/Support/TemporaryFile.h"

#include <clang/Basic/CodeGenOptions.h>
#include <clang/CodeGen/BackendUtil.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMRemarkStreamer.h>
#include <llvm/Remarks/RemarkStreamer.h>
#include <llvm/Support/SourceMgr.h>

using namespace clang;

namespace populus::frontend {

namespace {

class BackendDiagnostics : public llvm::DiagnosticHandler {
public:
  BackendDiagnostics(CompilerInstance &instance, LocateFunction locate)
      : instance(instance), locate(std::move(locate)) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (const auto *remark =
            llvm::dyn_cast<llvm::DiagnosticInfoOptimizationBase>(&info)) {
      if (remark->isEnabled())
        reportRemark(*remark);
      return true;
    }
    std::optional<DiagnosticsEngine::Level> level = levelOf(info);
    if (!level)
      return true;
    DiagnosticsEngine &diagnostics = instance.getDiagnostics();
    unsigned id = diagnostics.getCustomDiagID(*level, "%0");
    diagnostics.Report(location(info), id) << message(info);
    return true;
  }

  // Remarks are for people who ask for them: -Rpass=, -Rpass-missed=,
  // -Rpass-analysis=.
  bool isPassedOptRemarkEnabled(llvm::StringRef pass) const override {
    return instance.getCodeGenOpts().OptimizationRemark.patternMatches(pass);
  }
  bool isMissedOptRemarkEnabled(llvm::StringRef pass) const override {
    return instance.getCodeGenOpts().OptimizationRemarkMissed.patternMatches(
        pass);
  }
  bool isAnalysisRemarkEnabled(llvm::StringRef pass) const override {
    return instance.getCodeGenOpts().OptimizationRemarkAnalysis.patternMatches(
        pass);
  }
  bool isAnyRemarkEnabled() const override {
    const CodeGenOptions &options = instance.getCodeGenOpts();
    return options.OptimizationRemark.hasValidPattern() ||
           options.OptimizationRemarkMissed.hasValidPattern() ||
           options.OptimizationRemarkAnalysis.hasValidPattern();
  }

private:
  void reportRemark(const llvm::DiagnosticInfoOptimizationBase &remark) {
    const char *option = remark.isPassed()   ? "-Rpass="
                         : remark.isMissed() ? "-Rpass-missed="
                                             : "-Rpass-analysis=";
    DiagnosticsEngine &diagnostics = instance.getDiagnostics();
    unsigned id =
        diagnostics.getCustomDiagID(DiagnosticsEngine::Remark, "%0 [%1%2]");
    diagnostics.Report(locationOf(remark), id)
        << remark.getMsg() << option << remark.getPassName();
  }

  /// The line that the debug information names; none without it, and in files
  /// that this process has not opened.
  SourceLocation
  locationOf(const llvm::DiagnosticInfoOptimizationBase &remark) const {
    if (!remark.isLocationAvailable() || !instance.hasSourceManager())
      return SourceLocation();
    llvm::StringRef relative;
    unsigned line = 0, column = 0;
    remark.getLocation(relative, line, column);
    auto file = instance.getFileManager().getFileRef(remark.getAbsolutePath());
    if (!file) {
      llvm::consumeError(file.takeError());
      return SourceLocation();
    }
    return instance.getSourceManager().translateFileLineCol(
        &file->getFileEntry(), line, std::max(column, 1u));
  }

  std::optional<DiagnosticsEngine::Level>
  levelOf(const llvm::DiagnosticInfo &info) const {
    switch (info.getSeverity()) {
    case llvm::DS_Error:
      return DiagnosticsEngine::Error;
    case llvm::DS_Warning:
      return warningLevel(instance.getDiagnostics());
    case llvm::DS_Remark:
    case llvm::DS_Note:
      return std::nullopt;
    }
    return std::nullopt;
  }

  static std::string message(const llvm::DiagnosticInfo &info) {
    if (const auto *source =
            llvm::dyn_cast<llvm::DiagnosticInfoSrcMgr>(&info)) {
      const llvm::SMDiagnostic &diagnostic = source->getSMDiag();
      std::string text = diagnostic.getMessage().str();
      if (!diagnostic.getLineContents().trim().empty())
        text += " in '" + diagnostic.getLineContents().trim().str() + "'";
      return text;
    }
    // The others carry it in their text, with a place that only -g knows.
    if (const auto *unsupported =
            llvm::dyn_cast<llvm::DiagnosticInfoUnsupported>(&info))
      return unsupported->getMessage().str();
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return text;
  }

  /// Inline assembly carries the place in Clang's own numbering.
  SourceLocation location(const llvm::DiagnosticInfo &info) const {
    if (const auto *unsupported =
            llvm::dyn_cast<llvm::DiagnosticInfoUnsupported>(&info))
      return locate ? locate(unsupported->getFunction().getName())
                    : SourceLocation();
    std::uint64_t cookie = 0;
    if (const auto *source = llvm::dyn_cast<llvm::DiagnosticInfoSrcMgr>(&info))
      cookie = source->getLocCookie();
    else if (const auto *text =
                 llvm::dyn_cast<llvm::DiagnosticInfoInlineAsm>(&info))
      cookie = text->getLocCookie();
    return SourceLocation::getFromRawEncoding(
        static_cast<SourceLocation::UIntTy>(cookie));
  }

  CompilerInstance &instance;
  LocateFunction locate;
};

BackendAction actionFor(Result result) {
  switch (result) {
  case Result::Assembly:
    return Backend_EmitAssembly;
  case Result::LlvmIr:
    return Backend_EmitLL;
  case Result::Bitcode:
    return Backend_EmitBC;
  case Result::Object:
  case Result::Preprocessed:
  case Result::Checked:
    break;
  }
  return Backend_EmitObj;
}

/// Returns a sampled profile of the module; empty, with a message, if the file
/// of counts does not make one.
std::string profileFrom(const std::string &path, CompilerInstance &instance,
                        llvm::Module &module) {
  DiagnosticsEngine &diagnostics = instance.getDiagnostics();
  auto report = [&](DiagnosticsEngine::Level level, const std::string &text) {
    diagnostics.Report(diagnostics.getCustomDiagID(level, "%0"))
        << "'" + path + "': " + text;
    return "";
  };
  auto text = instance.getVirtualFileSystem().getBufferForFile(path);
  if (!text)
    return report(DiagnosticsEngine::Error, text.getError().message());
  LineCounts counts;
  if (std::string error = counts.read((*text)->getBuffer()); !error.empty())
    return report(DiagnosticsEngine::Error, error);
  std::string profile = counts.addTo(module);
  if (profile.empty())
    return report(warningLevel(diagnostics),
                  "it counts no line of '" + module.getSourceFileName() + "'");
  return profile;
}

/// A sampled profile where LLVM's pipeline reads it: in a file.
class ProfileFile {
public:
  explicit ProfileFile(const std::string &profile)
      : file(folder() / "popc.prof", error) {
    if (error)
      return;
    llvm::raw_fd_ostream out(file.path(), error);
    out << profile;
    out.close();
    if (out.has_error())
      error = out.error();
    out.clear_error();
  }

  std::error_code error;
  const std::string &path() const { return file.path(); }

private:
  static std::filesystem::path folder() {
    std::error_code none;
    return std::filesystem::temp_directory_path(none);
  }

  runtime::TemporaryFile file;
};

/// Has LLVM optimise by the counts of the job, until the returned file is gone.
std::unique_ptr<ProfileFile> useLineCounts(const CompileJob &job,
                                           CompilerInstance &instance,
                                           llvm::Module &module) {
  if (job.lineCounts.empty())
    return nullptr;
  const std::string profile = profileFrom(job.lineCounts, instance, module);
  if (profile.empty())
    return nullptr;
  auto file = std::make_unique<ProfileFile>(profile);
  if (file->error) {
    DiagnosticsEngine &diagnostics = instance.getDiagnostics();
    diagnostics.Report(diagnostics.getCustomDiagID(
        DiagnosticsEngine::Error, "a temporary file cannot be written: %0"))
        << file->error.message();
    return nullptr;
  }
  instance.getCodeGenOpts().SampleProfileFile = file->path();
  return file;
}

/// LLVM's own options may stop the code generator on its way.
void reportNoObject(DiagnosticsEngine &diagnostics) {
  diagnostics.Report(diagnostics.getCustomDiagID(
      DiagnosticsEngine::Error,
      "an option after -mllvm makes something else than an object; -S writes "
      "it"));
}

/// Has LLVM write its remarks to a stream, if the options ask for a file.
void startRemarks(CompilerInstance &instance, llvm::LLVMContext &context,
                  llvm::raw_ostream &stream) {
  const CodeGenOptions &options = instance.getCodeGenOpts();
  if (options.OptRecordFile.empty())
    return;
  DiagnosticsEngine &diagnostics = instance.getDiagnostics();
  if (llvm::Error error = llvm::setupLLVMOptimizationRemarks(
          context, stream, options.OptRecordPasses, options.OptRecordFormat,
          options.DiagnosticsWithHotness, options.DiagnosticsHotnessThreshold))
    diagnostics.Report(
        diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "%0"))
        << llvm::toString(std::move(error));
}

} // namespace

void installDiagnosticHandler(llvm::LLVMContext &context,
                              CompilerInstance &instance,
                              LocateFunction locate) {
  context.setDiagnosticHandler(
      std::make_unique<BackendDiagnostics>(instance, std::move(locate)));
}

void generateCode(CompilerInstance &instance, llvm::Module &module,
                  const CompileJob &job, CompileOutput &output) {
  const auto profile = useLineCounts(job, instance, module);
  llvm::raw_string_ostream remarks(output.remarks);
  startRemarks(instance, module.getContext(), remarks);
  if (instance.getDiagnostics().hasErrorOccurred())
    return;
  llvm::SmallVector<char, 0> buffer;
  EmitBackendOutput(instance.getDiagnostics(), instance.getHeaderSearchOpts(),
                    instance.getCodeGenOpts(), instance.getTargetOpts(),
                    instance.getLangOpts(),
                    instance.getTarget().getDataLayoutString(), &module,
                    actionFor(job.result), &instance.getVirtualFileSystem(),
                    std::make_unique<llvm::raw_svector_ostream>(buffer));
  output.bytes.assign(buffer.begin(), buffer.end());
  if (job.result == Result::Object &&
      !instance.getDiagnostics().hasErrorOccurred() &&
      !llvm::StringRef(buffer.data(), buffer.size())
           .starts_with(llvm::ELF::ElfMagic))
    reportNoObject(instance.getDiagnostics());
  output.remarksPath = instance.getCodeGenOpts().OptRecordFile;
  // Before the stream is.
  module.getContext().setLLVMRemarkStreamer(nullptr);
  module.getContext().setMainRemarkStreamer(nullptr);
}

} // namespace populus::frontend
