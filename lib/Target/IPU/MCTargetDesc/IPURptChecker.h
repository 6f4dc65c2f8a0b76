// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules for the body of `rpt`, which the machine enforces when the program
// runs: whole bundles from an address that is a multiple of eight, without
// control and system instructions, at most 256 of them. The length of a body
// may be known only when all labels are, and its address only after layout. So
// the code behind an `rpt` is noted when it is emitted and judged at the end.

#ifndef POPULUS_LIB_TARGET_IPU_MCTARGETDESC_IPURPTCHECKER_H
#define POPULUS_LIB_TARGET_IPU_MCTARGETDESC_IPURPTCHECKER_H

#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/Support/SMLoc.h"
#include <vector>

namespace llvm {

class MCAssembler;
class MCSection;
class MCStreamer;
class MCSymbol;

class IPURptChecker {
public:
  /// Call after each lone instruction or bundle has been emitted.
  void addInstruction(MCStreamer &Out, const MCInstrInfo &MII,
                      const MCInst &Inst);

  /// Stops noting from here on.
  void allowInvalid() { AllowsInvalid = true; }

  /// Reports what is wrong, at the place in the source.
  void check(const MCAssembler &Asm) const;

private:
  /// A bundle or lone instruction, with what forbids it in a body.
  struct Item {
    SMLoc Loc;
    const char *Problem; // or null
  };
  struct Body {
    SMLoc Loc;      // of the rpt
    MCOperand Size; // bundles less one
    MCSymbol *Begin;
    MCSection *Section;
    std::vector<Item> Items;
  };

  void checkBody(const MCAssembler &Asm, const Body &Body) const;

  std::vector<Body> Bodies;
  /// Bodies before this one have all the items that a body can have.
  size_t FirstOpen = 0;
  bool AllowsInvalid = false;
};

} // namespace llvm

#endif
