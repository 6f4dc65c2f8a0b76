// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The top of the IPU target description: pulls in the pieces and declares the
// processors, the assembler's conventions and the target itself. llvm-tblgen
// reads this file for every generated table, and the runtime's decode tables are
// made from its JSON dump, so there is one source for every encoding.

include "llvm/Target/Target.td"

//===----------------------------------------------------------------------===//
// Features and processors
//===----------------------------------------------------------------------===//

// Code for the supervisor context: no auxiliary register file, so floats are
// software, and nothing that only a worker may execute. Set for functions with
// the attribute "ipu-mode"="supervisor".
def FeatureSupervisor
    : SubtargetFeature<"supervisor", "IsSupervisor", "true",
                       "Code runs in the supervisor context">;
def FeatureTwoSets
    : SubtargetFeature<"two-sets", "HasTwoSets", "true",
                       "Two sets of accumulators and weights">;
def HasTwoSets : Predicate<"Subtarget->hasTwoSets()">,
                 AssemblerPredicate<(all_of FeatureTwoSets), "two sets">;
def FeatureFp8 : SubtargetFeature<"fp8", "HasFp8", "true", "8-bit floats">;

include "IPURegisterInfo.td"
include "IPUCallingConv.td"
include "IPUSchedule.td"
include "IPUIntrinsics.td"
include "IPUInstrInfo.td"

def : ProcessorModel<"ipu1", IPUModel, []>;
def : ProcessorModel<"ipu2", IPUModel, [FeatureTwoSets]>;
def : ProcessorModel<"ipu21", IPUModel, [FeatureTwoSets, FeatureFp8]>;

//===----------------------------------------------------------------------===//
// Target
//===----------------------------------------------------------------------===//

def IPUInstrInfo : InstrInfo {
  let guessInstructionProperties = 0;
}

// Registers have several spellings and ranges ("$a0:1"), which one parser method
// knows; the generated name matcher would see only the first spelling.
def IPUAsmParser : AsmParser {
  let ShouldEmitMatchRegisterName = 1;
}

def IPUAsmParserVariant : AsmParserVariant {
  let TokenizingCharacters = "[]*!/";
}

def IPU : Target {
  let InstructionSet = IPUInstrInfo;
  let AssemblyParsers = [IPUAsmParser];
  let AssemblyParserVariants = [IPUAsmParserVariant];
}
