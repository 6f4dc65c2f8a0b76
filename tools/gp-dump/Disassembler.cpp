// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses LLVM's machine-code layer, with our target registered.

#include "tools/gp-dump/Disassembler.h"

#include "lib/Target/IPU/TargetInfo/IPUTarget.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/Format.h>
#include <llvm/Support/TargetSelect.h>

namespace populus::gpdump {

struct Disassembler::Impl {
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> info;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> decoder;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};

Disassembler::Disassembler(const std::string &triple, const std::string &target)
    : impl(std::make_unique<Impl>()) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetDisassembler();
  // A variant ("ipu2:name") is for the same machine.
  std::string cpu = target.substr(0, target.find(':'));
  bool isIpu = cpu != "cpu";
  ipu::registerTarget();
  std::string name = isIpu ? ipu::Triple : triple;
  std::string error;
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(name, error);
  if (!found)
    return;
  impl->registers.reset(found->createMCRegInfo(name));
  impl->info.reset(
      found->createMCAsmInfo(*impl->registers, name, impl->options));
  impl->instructions.reset(found->createMCInstrInfo());
  impl->subtarget.reset(
      found->createMCSubtargetInfo(name, isIpu ? cpu : "", ""));
  impl->context = std::make_unique<llvm::MCContext>(
      llvm::Triple(name), impl->info.get(), impl->registers.get(),
      impl->subtarget.get());
  impl->decoder.reset(
      found->createMCDisassembler(*impl->subtarget, *impl->context));
  impl->printer.reset(found->createMCInstPrinter(
      llvm::Triple(name), impl->info->getAssemblerDialect(), *impl->info,
      *impl->instructions, *impl->registers));
}

Disassembler::~Disassembler() = default;

bool Disassembler::isAvailable() const {
  return impl->decoder && impl->printer;
}

std::string Disassembler::print(const Code &code) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (std::uint64_t offset = 0; offset < code.bytes.size();) {
    std::uint64_t address = code.address + offset;
    if (auto labels = code.labels.find(address); labels != code.labels.end())
      for (const std::string &label : labels->second)
        stream << label << ":\n";
    if (auto line = code.lines.find(address); line != code.lines.end())
      stream << "  ; " << line->second << '\n';
    llvm::MCInst instruction;
    std::uint64_t size = 0;
    auto status = impl->decoder->getInstruction(
        instruction, size, code.bytes.slice(offset), address, llvm::nulls());
    bool isKnown = status == llvm::MCDisassembler::Success && size != 0;
    // IPU instructions are words; whatever else does not decode is bytes.
    std::uint64_t unknown = impl->info->getMinInstAlignment();
    size = std::min<std::uint64_t>(isKnown ? size : unknown,
                                   code.bytes.size() - offset);
    stream << llvm::format("  %6llx:",
                           static_cast<unsigned long long>(address));
    if (isKnown)
      impl->printer->printInst(&instruction, address, "", *impl->subtarget,
                               stream);
    else
      stream << "\t.byte\t0x"
             << llvm::toHex(code.bytes.slice(offset, size), /*LowerCase=*/true);
    for (auto note = code.notes.lower_bound(address);
         note != code.notes.end() && note->first < address + size; ++note)
      stream << "\t// " << note->second;
    stream << '\n';
    offset += size;
  }
  return text;
}

} // namespace populus::gpdump
