// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of passes is short, for compile time is what translation costs: what
// makes the inlined semantics with their constant operands small, then the
// promotion of registers in loops.

#include "lib/Translate/CodeGenerator.h"

#include "runtime/Emulator/Tile.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <cstddef>
#include <stdexcept>

namespace populus::translate {

using namespace llvm;

namespace {

using runtime::emulator::Context;
using runtime::emulator::Tile;

/// The weights come as an argument of their own, of which LLVM knows that
/// stores to the tile's memory do not reach them; the semantics find them
/// through the state. So the tile's address is computed from the argument.
void findWeightsByArgument(Function &region) {
  const DataLayout &layout = region.getParent()->getDataLayout();
  std::vector<LoadInst *> loads;
  for (Instruction &instruction : instructions(region)) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (!load || !load->getType()->isPointerTy())
      continue;
    APInt offset(64, 0);
    const Value *base =
        load->getPointerOperand()->stripAndAccumulateConstantOffsets(
            layout, offset, true);
    if (base == region.getArg(0) && offset == offsetof(Context, tile))
      loads.push_back(load);
  }
  if (loads.empty())
    return;
  IRBuilder<> builder(&*region.getEntryBlock().getFirstInsertionPt());
  Value *tile = builder.CreateGEP(
      builder.getInt8Ty(), region.getArg(1),
      builder.getInt64(-static_cast<std::uint64_t>(offsetof(Tile, weights))));
  for (LoadInst *load : loads) {
    load->replaceAllUsesWith(tile);
    load->eraseFromParent();
  }
}

FunctionPassManager functionPasses() {
  FunctionPassManager passes;
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
  return passes;
}

} // namespace

CodeGenerator::CodeGenerator() {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
}
CodeGenerator::~CodeGenerator() = default;

void CodeGenerator::optimise(Module &module, ArrayRef<Function *> regions) {
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
  for (Function *region : regions)
    findWeightsByArgument(*region);
  ModulePassManager second;
  second.addPass(createModuleToFunctionPassAdaptor(functionPasses()));
  second.run(module, modules);
}

std::unique_ptr<MemoryBuffer>
CodeGenerator::compile(Module &module, ArrayRef<Function *> regions) {
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
  optimise(module, regions);
  if (getenv("DUMP"))
    module.print(errs(), nullptr); // DEBUG
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
