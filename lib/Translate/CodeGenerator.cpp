// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of passes is short, for compile time is what translation costs: what
// makes the inlined semantics with their constant operands small, then the
// promotion of registers in loops.

#include "lib/Translate/CodeGenerator.h"

#include "lib/Translate/Doubts.h"
#include "lib/Translate/HostProcessor.h"

#include "runtime/Emulator/Tile/Tile.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>

#include <cstddef>
#include <map>
#include <optional>
#include <stdexcept>

namespace populus::translate {

using namespace llvm;

namespace {

using runtime::emulator::Context;
using runtime::emulator::Tile;

/// Facts about the fields of the state that LLVM cannot derive.
class InvariantFields {
public:
  explicit InvariantFields(Function &region)
      : region(region), layout(region.getParent()->getDataLayout()),
        builder(&*region.getEntryBlock().getFirstInsertionPt()) {}

  void replace() {
    std::vector<std::pair<LoadInst *, std::uint64_t>> loads;
    for (Instruction &instruction : instructions(region))
      if (auto *load = dyn_cast<LoadInst>(&instruction))
        if (const std::optional<std::uint64_t> offset = fieldOf(*load))
          loads.push_back({load, *offset});
    for (const auto &[load, offset] : loads) {
      load->replaceAllUsesWith(valueOf(offset, load->getType()));
      load->eraseFromParent();
    }
  }

private:
  /// The offset of the field that is loaded, if it never changes.
  std::optional<std::uint64_t> fieldOf(LoadInst &load) const {
    APInt offset(64, 0);
    const Value *base =
        load.getPointerOperand()->stripAndAccumulateConstantOffsets(
            layout, offset, true);
    const std::uint64_t field = offset.getZExtValue();
    const bool invariant = (field >= offsetof(Context, memory) &&
                            field <= offsetof(Context, interleavedBegin)) ||
                           field == offsetof(Context, tile);
    if (base != region.getArg(0) || !invariant)
      return std::nullopt;
    return field;
  }

  Value *valueOf(std::uint64_t offset, Type *type) {
    Value *&value = values[offset];
    if (value)
      return value;
    if (offset != offsetof(Context, tile))
      return value = builder.CreateLoad(
                 type, builder.CreateGEP(builder.getInt8Ty(), region.getArg(0),
                                         builder.getInt64(offset)));
    // The weights come as an argument of their own, of which LLVM knows that
    // stores to the tile's memory do not reach them; the semantics find them
    // through the tile. So its address is computed from the argument.
    return value =
               builder.CreateGEP(builder.getInt8Ty(), region.getArg(1),
                                 builder.getInt64(-static_cast<std::uint64_t>(
                                     offsetof(Tile, weights))));
  }

  Function &region;
  const DataLayout &layout;
  IRBuilder<> builder;
  std::map<std::uint64_t, Value *> values;
};

FunctionPassManager functionPasses() {
  FunctionPassManager passes;
  // First replace the operands of instructions by values, then the state's
  // array elements.
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(true));
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                 /*UseMemorySSA=*/true));
  passes.addPass(EarlyCSEPass(true));
  passes.addPass(InstCombinePass());
  passes.addPass(DSEPass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(MergeDoubts());
  passes.addPass(InstCombinePass());
  passes.addPass(LoopVectorizePass());
  passes.addPass(LoopUnrollPass());
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  return passes;
}

} // namespace

CodeGenerator::CodeGenerator() { registerHostTarget(); }
CodeGenerator::~CodeGenerator() = default;

void CodeGenerator::optimise(Module &module, Function *region) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  // Calls of the C library are what they are, here as in the interpreter.
  TargetLibraryInfoImpl noLibrary;
  noLibrary.disableAllFunctions();
  functions.registerPass([&] { return TargetLibraryAnalysis(noLibrary); });
  PassBuilder builder(machine.get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  ModulePassManager first;
  first.addPass(AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false));
  first.addPass(GlobalDCEPass());
  first.run(module, modules);
  InvariantFields(*region).replace();
  ModulePassManager second;
  second.addPass(createModuleToFunctionPassAdaptor(functionPasses()));
  second.run(module, modules);
}

std::unique_ptr<MemoryBuffer> CodeGenerator::compile(Module &module,
                                                     Function *region) {
  std::string defects;
  raw_string_ostream report(defects);
  if (verifyModule(module, &report))
    throw std::runtime_error("translated code is not valid: " + defects);
  if (!machine) {
    std::string error;
    const Target *target =
        TargetRegistry::lookupTarget(module.getTargetTriple(), error);
    if (!target)
      throw std::runtime_error(error);
    TargetOptions options;
    // A fused multiply-add is written where the machine has one.
    options.AllowFPOpFusion = FPOpFusion::Strict;
    machine.reset(target->createTargetMachine(
        module.getTargetTriple(), "", "", options, Reloc::PIC_, std::nullopt,
        CodeGenOptLevel::Default, /*JIT=*/true));
  }
  optimise(module, region);
  SmallVector<char, 0> object;
  raw_svector_ostream stream(object);
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   CodeGenFileType::ObjectFile))
    throw std::runtime_error("LLVM cannot write object files for the host");
  passes.run(module);
  return std::make_unique<SmallVectorMemoryBuffer>(
      std::move(object), /*RequiresNullTerminator=*/false);
}

} // namespace populus::translate
