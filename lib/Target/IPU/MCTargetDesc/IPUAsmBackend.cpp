// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fixups: what a known value looks like in its instruction, with a range check,
// and which relocation an unknown one becomes. Also the padding of code: a word
// that is executable and does nothing.

#include "lib/Target/IPU/MCTargetDesc/IPUAsmBackend.h"
#include "lib/Target/IPU/MCTargetDesc/IPUFixupKinds.h"
#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "runtime/Target/ElfIpu.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCAssembler.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCELFObjectWriter.h"
#include "llvm/MC/MCFixupKindInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCValue.h"
#include "llvm/Support/EndianStream.h"

using namespace llvm;
namespace elf = populus::runtime::elf;

/// or $m15, $m15, 0
static constexpr uint32_t NopWord = 0x01ff2000;

static std::optional<elf::Relocation> relocationOf(unsigned Kind) {
  switch (Kind) {
  case FK_NONE:
    return elf::R_IPU_NONE;
  case FK_Data_4:
    return elf::R_IPU_32;
  case FK_Data_2:
    return elf::R_IPU_16;
  case FK_Data_1:
    return elf::R_IPU_8;
  case IPU::fixup_ipu_imm20:
    return elf::R_IPU_IMM20;
  case IPU::fixup_ipu_branch19:
    return elf::R_IPU_BRANCH19;
  case IPU::fixup_ipu_call20:
    return elf::R_IPU_CALL20;
  case IPU::fixup_ipu_imm16:
    return elf::R_IPU_IMM16;
  case IPU::fixup_ipu_run16:
    return elf::R_IPU_RUN16;
  case IPU::fixup_ipu_imm8:
    return elf::R_IPU_IMM8;
  default:
    return std::nullopt;
  }
}

namespace {

class IPUAsmBackendImpl : public IPUAsmBackend {
public:
  std::unique_ptr<MCObjectTargetWriter>
  createObjectTargetWriter() const override {
    return createIPUELFObjectWriter();
  }

  unsigned getNumFixupKinds() const override {
    return IPU::NumTargetFixupKinds;
  }

  std::optional<MCFixupKind> getFixupKind(StringRef Name) const override;

  const MCFixupKindInfo &getFixupKindInfo(MCFixupKind Kind) const override {
    static const MCFixupKindInfo Infos[IPU::NumTargetFixupKinds] = {
        {"fixup_ipu_imm20", 0, 20, 0},  {"fixup_ipu_branch19", 0, 19, 0},
        {"fixup_ipu_call20", 0, 20, 0}, {"fixup_ipu_imm16", 0, 16, 0},
        {"fixup_ipu_run16", 0, 16, 0},  {"fixup_ipu_imm8", 0, 8, 0},
    };
    if (Kind >= FirstLiteralRelocationKind)
      return MCAsmBackend::getFixupKindInfo(FK_NONE);
    if (Kind < FirstTargetFixupKind)
      return MCAsmBackend::getFixupKindInfo(Kind);
    return Infos[Kind - FirstTargetFixupKind];
  }

  bool shouldForceRelocation(const MCAssembler &, const MCFixup &Fixup,
                             const MCValue &,
                             const MCSubtargetInfo *) override {
    return Fixup.getKind() >= FirstLiteralRelocationKind;
  }

  void applyFixup(const MCAssembler &Asm, const MCFixup &Fixup,
                  const MCValue &Target, MutableArrayRef<char> Data,
                  uint64_t Value, bool IsResolved,
                  const MCSubtargetInfo *STI) const override;

  void finishLayout(const MCAssembler &Asm) const override {
    RptChecker.check(Asm);
    checkAssignments(Asm);
    checkSizes(Asm);
  }

  /// The assembler would end the process.
  void checkAssignments(const MCAssembler &Asm) const {
    for (MCSymbol *Symbol : AssignedSymbols) {
      MCValue Value;
      if (!Symbol->isVariable() ||
          Symbol->getVariableValue()->evaluateAsValue(Value, Asm))
        continue;
      Asm.getContext().reportError(
          Symbol->getVariableValue()->getLoc(),
          "the value of '" + Symbol->getName() +
              "' must be a constant, or a symbol and a constant");
      Symbol->setVariableValue(MCConstantExpr::create(0, Asm.getContext()));
    }
  }

  /// The object writer would end the process.
  void checkSizes(const MCAssembler &Asm) const {
    for (MCSymbolELF *Symbol : SizedSymbols) {
      int64_t Size;
      if (!Symbol->getSize() ||
          Symbol->getSize()->evaluateKnownAbsolute(Size, Asm))
        continue;
      // A symbol that is defined elsewhere, or not at all, has no size here.
      if (!Symbol->isDefined()) {
        Symbol->setSize(nullptr);
        continue;
      }
      Asm.getContext().reportError(Symbol->getSize()->getLoc(),
                                   "the size of '" + Symbol->getName() +
                                       "' must be a constant");
      Symbol->setSize(MCConstantExpr::create(0, Asm.getContext()));
    }
  }

  // A minimum of four would make LLVM search forever for a padding after odd
  // data.
  unsigned getMinimumNopSize() const override { return 1; }

  bool writeNopData(raw_ostream &OS, uint64_t Count,
                    const MCSubtargetInfo *) const override {
    OS.write_zeros(Count % 4);
    for (uint64_t I = 0; I < Count / 4; ++I)
      support::endian::write<uint32_t>(OS, NopWord, endianness::little);
    return true;
  }
};

class IPUELFObjectWriter : public MCELFObjectTargetWriter {
public:
  IPUELFObjectWriter()
      : MCELFObjectTargetWriter(/*Is64Bit=*/false, ELF::ELFOSABI_NONE,
                                elf::Machine, /*HasRelocationAddend=*/true) {}

  unsigned getRelocType(MCContext &Ctx, const MCValue &, const MCFixup &Fixup,
                        bool IsPCRel) const override {
    unsigned Kind = Fixup.getKind();
    if (Kind >= FirstLiteralRelocationKind)
      return Kind - FirstLiteralRelocationKind;
    std::optional<elf::Relocation> Type = relocationOf(Kind);
    if (!Type || IsPCRel) {
      Ctx.reportError(Fixup.getLoc(),
                      IsPCRel ? "relative addresses cannot be relocated"
                              : "a value of this size cannot be relocated");
      return elf::R_IPU_NONE;
    }
    return *Type;
  }

  // Named functions and objects stay named, for the linker's messages; labels
  // inside them become section and offset.
  bool needsRelocateWithSymbol(const MCValue &, const MCSymbol &Symbol,
                               unsigned) const override {
    return !Symbol.isTemporary();
  }
};

} // namespace

std::optional<MCFixupKind>
IPUAsmBackendImpl::getFixupKind(StringRef Name) const {
  for (size_t I = 0; I < std::size(elf::Relocations); ++I)
    if (Name == StringRef(elf::Relocations[I].name))
      return MCFixupKind(FirstLiteralRelocationKind + I);
  return MCAsmBackend::getFixupKind(Name);
}

// Values are patched only where no relocation remains: differences of labels
// and absolute numbers.
void IPUAsmBackendImpl::applyFixup(const MCAssembler &Asm, const MCFixup &Fixup,
                                   const MCValue &, MutableArrayRef<char> Data,
                                   uint64_t Value, bool IsResolved,
                                   const MCSubtargetInfo *) const {
  if (!IsResolved || Fixup.getKind() >= FirstLiteralRelocationKind)
    return;
  unsigned Bytes, Bits, Shift = 0;
  std::optional<elf::Relocation> Type = relocationOf(Fixup.getKind());
  if (Type) {
    const elf::RelocationInfo &Info = elf::Relocations[*Type];
    Bytes = Info.bytes;
    Bits = Info.bits;
    Shift = Info.shift;
  } else {
    Bytes = getFixupKindInfo(Fixup.getKind()).TargetSize / 8;
    Bits = 8 * Bytes;
  }
  MCContext &Ctx = Asm.getContext();
  if (Value & ((1u << Shift) - 1))
    Ctx.reportError(Fixup.getLoc(), "address is not a multiple of 4");
  bool IsData = Fixup.getKind() < FirstTargetFixupKind;
  int64_t Field = static_cast<int64_t>(Value) >> Shift;
  if (Bits < 64 && !isUIntN(Bits, Field) && !(IsData && isIntN(Bits, Field)))
    Ctx.reportError(Fixup.getLoc(),
                    "value " + Twine(Field) + " does not fit in " +
                        Twine(Bits) + " bits" +
                        (Fixup.getTargetKind() == IPU::fixup_ipu_imm8
                             ? "; the body of a rpt has 1 to 256 bundles"
                             : ""));
  for (unsigned I = 0; I < Bytes; ++I) {
    uint64_t Mask = maskTrailingOnes<uint64_t>(Bits) >> (8 * I);
    char &Byte = Data[Fixup.getOffset() + I];
    Byte |= static_cast<char>((static_cast<uint64_t>(Field) >> (8 * I)) & Mask);
  }
}

MCAsmBackend *llvm::createIPUAsmBackend(const Target &, const MCSubtargetInfo &,
                                        const MCRegisterInfo &,
                                        const MCTargetOptions &) {
  return new IPUAsmBackendImpl();
}

std::unique_ptr<MCObjectTargetWriter> llvm::createIPUELFObjectWriter() {
  return std::make_unique<IPUELFObjectWriter>();
}
