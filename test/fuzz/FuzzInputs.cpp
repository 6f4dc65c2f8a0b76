// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds mutated files to the readers of popc: the assembler, the disassembler,
// the reader of .gp archives (with the objects inside), and LLVM IR (text or
// bitcode), which is compiled. Whatever the bytes, a reader has to accept them
// or to say what is wrong. Built with sanitizers (preset asan) and run for long
// it is a fuzzer; the test suite runs it briefly.
//
//   fuzz-inputs assembler|disassembler|archive|ir [--iterations N]
//               [--seconds N] [--seed N] FILE...
//
// The files are what the mutations begin with. Seconds are of processor time,
// so that a busy machine tries as much. An input that ends the process is left
// in fuzz-crash.

#include "lib/Archive/Archive.h"
#include "lib/Codelet/Compiler.h"
#include "lib/Link/Linker.h"
#include "lib/Target/IPU/TargetInfo/IPUTarget.h"
#include "runtime/Target/TargetInfo.h"

#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
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

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>
#include <vector>

using namespace populus;
using Bytes = std::vector<std::uint8_t>;

namespace {

//===----------------------------------------------------------------------===//
// Mutations
//===----------------------------------------------------------------------===//

class Mutator {
public:
  Mutator(std::vector<Bytes> seeds, bool isText, unsigned seed)
      : seeds(std::move(seeds)), isText(isText), random(seed) {}

  Bytes next() {
    Bytes bytes = seeds[pick(seeds.size())];
    for (std::size_t i = 0, count = 1 + pick(6); i != count; ++i)
      mutate(bytes);
    return bytes;
  }

private:
  std::size_t pick(std::size_t count) {
    return count == 0 ? 0
                      : std::uniform_int_distribution<std::size_t>(
                            0, count - 1)(random);
  }

  void mutate(Bytes &bytes) {
    const std::size_t at = pick(bytes.size() + 1);
    switch (pick(isText ? 7 : 6)) {
    case 0: // a bit
      if (at < bytes.size())
        bytes[at] ^= 1u << pick(8);
      break;
    case 1: // an interesting number
      overwrite(bytes, at);
      break;
    case 2: // cut off
      bytes.resize(at);
      break;
    case 3: // leave a piece out
      bytes.erase(bytes.begin() + at,
                  bytes.begin() + std::min(bytes.size(), at + pick(32)));
      break;
    case 4: // repeat a piece
      splice(bytes, at, bytes);
      break;
    case 5: // a piece of another file
      splice(bytes, at, seeds[pick(seeds.size())]);
      break;
    case 6:
      exchangeWord(bytes, at);
      break;
    }
  }

  void overwrite(Bytes &bytes, std::size_t at) {
    static constexpr std::uint32_t Numbers[] = {
        0,      1,      0x7f,       0x80,       0xff,
        0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff};
    const std::uint32_t number = Numbers[pick(std::size(Numbers))];
    const std::size_t width = std::size_t(1) << pick(3);
    for (std::size_t i = 0; i != width && at + i < bytes.size(); ++i)
      bytes[at + i] = static_cast<std::uint8_t>(number >> (8 * i));
  }

  void splice(Bytes &bytes, std::size_t at, const Bytes &from) {
    const std::size_t begin = pick(from.size() + 1);
    const std::size_t end = std::min(from.size(), begin + pick(64));
    const Bytes piece(from.begin() + begin, from.begin() + end);
    bytes.insert(bytes.begin() + at, piece.begin(), piece.end());
  }

  /// Puts one word of the sources in the place of another.
  void exchangeWord(Bytes &bytes, std::size_t at) {
    const auto isWord = [](std::uint8_t c) { return std::isgraph(c) != 0; };
    const Bytes &from = seeds[pick(seeds.size())];
    auto begin = from.begin() + pick(from.size());
    begin = std::find_if(begin, from.end(), isWord);
    const Bytes word(begin, std::find_if_not(begin, from.end(), isWord));
    auto first = std::find_if(bytes.begin() + at, bytes.end(), isWord);
    const auto last = std::find_if_not(first, bytes.end(), isWord);
    first = bytes.erase(first, last);
    bytes.insert(first, word.begin(), word.end());
  }

  std::vector<Bytes> seeds;
  bool isText;
  std::mt19937 random;
};

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//

/// LLVM's machine code layer for the IPU.
struct MachineCode {
  MachineCode() {
    ipu::registerTarget();
    std::string error;
    target = llvm::TargetRegistry::lookupTarget(ipu::Triple, error);
    registers.reset(target->createMCRegInfo(ipu::Triple));
    info.reset(target->createMCAsmInfo(*registers, ipu::Triple, options));
    instructions.reset(target->createMCInstrInfo());
    subtarget.reset(target->createMCSubtargetInfo(ipu::Triple, "ipu2", ""));
  }

  llvm::MCTargetOptions options;
  const llvm::Target *target = nullptr;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> info;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
};

/// Returns whether the source had no errors.
bool assemble(const MachineCode &code, const Bytes &bytes) {
  llvm::SourceMgr sources;
  sources.setDiagHandler([](const llvm::SMDiagnostic &, void *) {}, nullptr);
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(
          reinterpret_cast<const char *>(bytes.data()), bytes.size())),
      llvm::SMLoc());
  const llvm::Triple triple(ipu::Triple);
  llvm::MCContext context(triple, code.info.get(), code.registers.get(),
                          code.subtarget.get(), &sources, &code.options);
  context.setDiagnosticHandler([](const llvm::SMDiagnostic &, bool,
                                  const llvm::SourceMgr &,
                                  std::vector<const llvm::MDNode *> &) {});
  std::unique_ptr<llvm::MCObjectFileInfo> files(
      code.target->createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(files.get());
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  std::unique_ptr<llvm::MCAsmBackend> backend(code.target->createMCAsmBackend(
      *code.subtarget, *code.registers, code.options));
  std::unique_ptr<llvm::MCObjectWriter> writer =
      backend->createObjectWriter(stream);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(
      code.target->createMCCodeEmitter(*code.instructions, context));
  std::unique_ptr<llvm::MCStreamer> streamer(
      code.target->createMCObjectStreamer(triple, context, std::move(backend),
                                          std::move(writer), std::move(emitter),
                                          *code.subtarget));
  std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, *streamer, *code.info));
  std::unique_ptr<llvm::MCTargetAsmParser> targetParser(
      code.target->createMCAsmParser(*code.subtarget, *parser,
                                     *code.instructions, code.options));
  parser->setTargetParser(*targetParser);
  return !parser->Run(/*NoInitialTextSection=*/false) && !context.hadError();
}

/// Returns whether some instruction was decoded.
bool disassemble(const MachineCode &code, const Bytes &bytes) {
  llvm::MCContext context(llvm::Triple(ipu::Triple), code.info.get(),
                          code.registers.get(), code.subtarget.get());
  std::unique_ptr<llvm::MCDisassembler> decoder(
      code.target->createMCDisassembler(*code.subtarget, context));
  std::unique_ptr<llvm::MCInstPrinter> printer(
      code.target->createMCInstPrinter(llvm::Triple(ipu::Triple), 0, *code.info,
                                       *code.instructions, *code.registers));
  bool decoded = false;
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (std::uint64_t offset = 0; offset < bytes.size();) {
    llvm::MCInst instruction;
    std::uint64_t size = 0;
    if (decoder->getInstruction(
            instruction, size,
            llvm::ArrayRef<std::uint8_t>(bytes).slice(offset), offset,
            llvm::nulls()) == llvm::MCDisassembler::Success) {
      printer->printInst(&instruction, offset, "", *code.subtarget, stream);
      decoded = true;
    }
    offset += std::max<std::uint64_t>(size, 1);
  }
  return decoded;
}

/// Returns whether the archive was good. Its objects go to the linker.
bool readArchive(const Bytes &bytes) {
  try {
    archive::Archive archive = archive::Archive::parse(bytes, "input");
    archive::Archive again =
        archive::Archive::parse(archive.serialize(), "output");
    again.merge(archive);
    for (const archive::Object &object : archive.objects) {
      const runtime::TargetInfo *target = runtime::findTarget(object.target);
      if (!target || !target->isIpu())
        continue;
      try {
        link::Linker linker(*target);
        linker.addObject(object.source, object.bytes);
        for (const archive::VertexType &type : archive.vertexTypes)
          linker.link(std::vector<std::string>{type.entry});
      } catch (const link::LinkError &) {
      }
    }
    return true;
  } catch (const archive::ArchiveError &) {
    return false;
  }
}

/// LLVM's reader of bitcode believes numbers of gigabytes.
void limitMemory() {
#ifndef __SANITIZE_ADDRESS__ // which needs terabytes of addresses
  constexpr rlimit FourGigabytes = {rlim_t(4) << 30, rlim_t(4) << 30};
  ::setrlimit(RLIMIT_AS, &FourGigabytes);
#endif
}

/// Compiles LLVM IR. Returns whether popc accepted it; it must give a reason
/// if not, and must not have failed inside.
bool compileIr(const Bytes &bytes) {
  codelet::Options options;
  parseOptions({"--target=ipu2", "-O2", "-c", "-x", "ir", "-", "-o", "-"},
               options);
  const codelet::Compilation compilation =
      compileAll(options, std::string(bytes.begin(), bytes.end()));
  if (compilation.status == codelet::Success)
    return true;
  if (compilation.status != codelet::Failure ||
      compilation.diagnostics.empty()) {
    std::fprintf(stderr, "status %d: %s\n", compilation.status,
                 compilation.diagnostics.c_str());
    std::abort();
  }
  return false;
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

const Bytes *current = nullptr;

/// Keeps the input; safe in a signal handler.
void keepInput() {
  const int file = ::open("fuzz-crash", O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0 && current &&
      ::write(file, current->data(), current->size()) >= 0)
    ::close(file);
}

void onSignal(int signal) {
  keepInput();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

struct Arguments {
  std::string reader;
  std::uint64_t iterations = ~std::uint64_t(0);
  unsigned seconds = ~0u;
  unsigned seed = 1;
  std::vector<Bytes> files;
};

bool parse(int argc, char **argv, Arguments &arguments) {
  if (argc < 2)
    return false;
  arguments.reader = argv[1];
  for (int i = 2; i < argc; ++i) {
    const std::string option = argv[i];
    if (option.starts_with("--")) {
      if (++i == argc)
        return false;
      const std::uint64_t value = std::strtoull(argv[i], nullptr, 10);
      if (option == "--iterations")
        arguments.iterations = value;
      else if (option == "--seconds")
        arguments.seconds = static_cast<unsigned>(value);
      else if (option == "--seed")
        arguments.seed = static_cast<unsigned>(value);
      else
        return false;
      continue;
    }
    std::ifstream file(option, std::ios::binary);
    arguments.files.emplace_back(std::istreambuf_iterator<char>(file),
                                 std::istreambuf_iterator<char>());
    if (!file)
      return false;
  }
  return !arguments.files.empty();
}

/// Bitcode, objects and archives begin with what is no text, or soon have it.
bool isText(const Bytes &bytes) {
  return std::find(bytes.begin(), bytes.end(), 0) == bytes.end();
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    std::fprintf(stderr, "usage: fuzz-inputs assembler|disassembler|archive|ir "
                         "[--iterations N] [--seconds N] [--seed N] FILE...\n");
    return 2;
  }
  for (int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPROF})
    std::signal(signal, onSignal);
  limitMemory();
  const MachineCode code;
  const auto read = [&](const Bytes &bytes) {
    return arguments.reader == "assembler"      ? assemble(code, bytes)
           : arguments.reader == "disassembler" ? disassemble(code, bytes)
           : arguments.reader == "ir"           ? compileIr(bytes)
                                                : readArchive(bytes);
  };
  for (const Bytes &bytes : arguments.files)
    if (!read(bytes)) {
      std::fprintf(stderr, "fuzz-inputs: a file to begin with has errors\n");
      return 1;
    }
  Mutator mutator(arguments.files, isText(arguments.files.front()),
                  arguments.seed);
  const auto elapsed = [begin = std::clock()] {
    return (std::clock() - begin) / CLOCKS_PER_SEC;
  };
  std::uint64_t done = 0, good = 0;
  for (; done != arguments.iterations && elapsed() < arguments.seconds;
       ++done) {
    const Bytes bytes = mutator.next();
    current = &bytes;
    // An input that hangs is a finding, too.
    const itimerval patience = {{0, 0}, {20, 0}};
    ::setitimer(ITIMER_PROF, &patience, nullptr);
    good += read(bytes);
  }
  std::printf("%s: %llu inputs, %llu without errors\n",
              arguments.reader.c_str(), static_cast<unsigned long long>(done),
              static_cast<unsigned long long>(good));
}
