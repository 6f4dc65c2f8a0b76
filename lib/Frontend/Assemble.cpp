// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembles a preprocessed source with LLVM's machine-code layer.

#include "lib/Frontend/Compile.h"
#include "lib/Frontend/Instance.h"

#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/SourceMgr.h>

namespace populus::frontend {

namespace {

/// A message of the assembler, as it is printed.
Diagnostic diagnosticOf(const llvm::SMDiagnostic &message, bool colors) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  message.print(nullptr, stream, colors);
  return {message.getKind() == llvm::SourceMgr::DK_Error, stream.str()};
}

class Assembler {
public:
  Assembler(const clang::TargetOptions &options, llvm::SourceMgr &sources)
      : triple(options.Triple) {
    std::string error;
    target = llvm::TargetRegistry::lookupTarget(options.Triple, error);
    registers.reset(target->createMCRegInfo(options.Triple));
    info.reset(target->createMCAsmInfo(*registers, options.Triple, mcOptions));
    instructions.reset(target->createMCInstrInfo());
    subtarget.reset(
        target->createMCSubtargetInfo(options.Triple, options.CPU, ""));
    context = std::make_unique<llvm::MCContext>(
        triple, info.get(), registers.get(), subtarget.get(), &sources,
        &mcOptions);
    files.reset(target->createMCObjectFileInfo(*context, /*PIC=*/true));
    context->setObjectFileInfo(files.get());
  }

  /// The parser's own handler finds the lines of the file before it was
  /// preprocessed, and then asks the context's, not that of the sources.
  void collect(std::vector<Diagnostic> &diagnostics, bool colors) {
    context->setDiagnosticHandler(
        [&diagnostics, colors](const llvm::SMDiagnostic &message, bool,
                               const llvm::SourceMgr &,
                               std::vector<const llvm::MDNode *> &) {
          diagnostics.push_back(diagnosticOf(message, colors));
        });
  }

  /// Has lines of the source recorded, as for code that Clang compiles.
  void addDebugInfo(const clang::CodeGenOptions &options,
                    llvm::MemoryBufferRef source) {
    context->setGenDwarfForAssembly(true);
    context->setDwarfVersion(options.DwarfVersion);
    context->setDwarfDebugProducer("popc");
    context->setCompilationDir(options.DebugCompilationDir);
    context->setGenDwarfRootFile(source.getBufferIdentifier(),
                                 source.getBuffer());
  }

  bool run(llvm::SourceMgr &sources, llvm::SmallVectorImpl<char> &bytes) {
    llvm::raw_svector_ostream stream(bytes);
    std::unique_ptr<llvm::MCAsmBackend> backend(
        target->createMCAsmBackend(*subtarget, *registers, mcOptions));
    std::unique_ptr<llvm::MCObjectWriter> writer =
        backend->createObjectWriter(stream);
    std::unique_ptr<llvm::MCCodeEmitter> emitter(
        target->createMCCodeEmitter(*instructions, *context));
    std::unique_ptr<llvm::MCStreamer> streamer(target->createMCObjectStreamer(
        triple, *context, std::move(backend), std::move(writer),
        std::move(emitter), *subtarget));
    std::unique_ptr<llvm::MCAsmParser> parser(
        llvm::createMCAsmParser(sources, *context, *streamer, *info));
    std::unique_ptr<llvm::MCTargetAsmParser> targetParser(
        target->createMCAsmParser(*subtarget, *parser, *instructions,
                                  mcOptions));
    parser->setTargetParser(*targetParser);
    return !parser->Run(/*NoInitialTextSection=*/false) && !context->hadError();
  }

private:
  llvm::Triple triple;
  llvm::MCTargetOptions mcOptions;
  const llvm::Target *target = nullptr;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> info;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCObjectFileInfo> files;
};

} // namespace

CompileOutput assemble(const CompileJob &job) {
  CompileOutput output;
  std::unique_ptr<clang::CompilerInstance> instance =
      makeInstance(job, output.diagnostics);
  if (!instance)
    return output;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(
          *job.text, job.input == "-" ? "<stdin>" : job.input),
      llvm::SMLoc());
  llvm::SmallVector<char, 0> bytes;
  Assembler assembler(instance->getTargetOpts(), sources);
  assembler.collect(output.diagnostics,
                    instance->getDiagnosticOpts().ShowColors != 0);
  if (instance->getCodeGenOpts().getDebugInfo() !=
      llvm::codegenoptions::NoDebugInfo)
    assembler.addDebugInfo(
        instance->getCodeGenOpts(),
        sources.getMemoryBuffer(sources.getMainFileID())->getMemBufferRef());
  output.success = assembler.run(sources, bytes);
  if (!output.success && !job.target->isIpu())
    output.diagnostics.push_back(
        {false, "popc: note: '" + job.input +
                    "' was assembled for the host; instructions of the IPU "
                    "belong between #ifdef __IPU__ and #endif, or name the "
                    "targets with --target\n"});
  if (output.success)
    output.bytes.assign(bytes.begin(), bytes.end());
  return output;
}

} // namespace populus::frontend
