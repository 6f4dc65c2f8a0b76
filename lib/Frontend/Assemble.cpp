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
  const bool isError = message.getKind() == llvm::SourceMgr::DK_Error;
  Message structured{
      isError ? Message::Error : Message::Warning,
      message.getMessage().str(),
      message.getFilename().str(),
      message.getLineNo() > 0 ? static_cast<unsigned>(message.getLineNo()) : 0,
      static_cast<unsigned>(message.getColumnNo() + 1),
      ""};
  return {isError, stream.str(), {std::move(structured)}};
}

/// The position that a preprocessor line `# LINE "FILE" ...` gives to the next
/// line.
struct LineMarker {
  unsigned line;
  llvm::StringRef file;
};

std::optional<LineMarker> markerIn(llvm::StringRef line) {
  LineMarker marker;
  if (!line.consume_front("# ") || line.consumeInteger(10, marker.line) ||
      !line.consume_front(" \""))
    return std::nullopt;
  marker.file = line.take_until([](char c) { return c == '"'; });
  return marker;
}

/// The message with the place before preprocessing. The parser finds that for
/// its own messages, but not for those that wait for the layout.
llvm::SMDiagnostic beforePreprocessing(const llvm::SMDiagnostic &message,
                                       const llvm::SourceMgr &sources) {
  const unsigned buffer = sources.getMainFileID();
  if (!message.getLoc().isValid() ||
      sources.FindBufferContainingLoc(message.getLoc()) != buffer)
    return message;
  const char *start = sources.getMemoryBuffer(buffer)->getBufferStart();
  llvm::StringRef rest(start, message.getLoc().getPointer() - start);
  // The part of the line in front of the place is no marker; nor is it counted.
  for (unsigned lines = 0; rest.contains('\n'); ++lines) {
    rest = rest.substr(0, rest.rfind('\n'));
    const llvm::StringRef line = rest.substr(rest.rfind('\n') + 1);
    if (std::optional<LineMarker> marker = markerIn(line))
      return {sources,
              message.getLoc(),
              marker->file,
              static_cast<int>(marker->line + lines),
              message.getColumnNo(),
              message.getKind(),
              message.getMessage(),
              message.getLineContents(),
              message.getRanges(),
              message.getFixIts()};
  }
  return message;
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

  /// Collects messages. They come to the context's handler, not to that of the
  /// sources.
  void collect(const llvm::SourceMgr &sources,
               std::vector<Diagnostic> &diagnostics, bool colors) {
    context->setDiagnosticHandler(
        [&sources, &diagnostics, colors](const llvm::SMDiagnostic &message,
                                         bool, const llvm::SourceMgr &,
                                         std::vector<const llvm::MDNode *> &) {
          diagnostics.push_back(
              diagnosticOf(beforePreprocessing(message, sources), colors));
        });
  }

  /// Records the lines of the source in the debug information, as for code that
  /// Clang compiles.
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
  assembler.collect(sources, output.diagnostics,
                    instance->getDiagnosticOpts().ShowColors != 0);
  if (instance->getCodeGenOpts().getDebugInfo() !=
      llvm::codegenoptions::NoDebugInfo)
    assembler.addDebugInfo(
        instance->getCodeGenOpts(),
        sources.getMemoryBuffer(sources.getMainFileID())->getMemBufferRef());
  output.success = assembler.run(sources, bytes);
  if (!output.success && !job.target->isIpu())
    output.diagnostics.push_back(
        {false,
         "popc: note: '" + job.input +
             "' was assembled for the host; instructions of the IPU "
             "belong between #ifdef __IPU__ and #endif, or name the "
             "targets with --target\n",
         {}});
  if (output.success)
    output.bytes.assign(bytes.begin(), bytes.end());
  return output;
}

} // namespace populus::frontend
