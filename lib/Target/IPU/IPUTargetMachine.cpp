// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass pipeline is LLVM's; before it, what is not supported is refused, and
// constrained floats and atomics are made plain. A function's subtarget follows
// from its processor, its features, and its execution mode.

#include "lib/Target/IPU/IPUTargetMachine.h"
#include "lib/Target/IPU/IPU.h"
#include "lib/Target/IPU/IPUClamps.h"
#include "lib/Target/IPU/IPUCopyTypes.h"
#include "lib/Target/IPU/IPUFlatLoops.h"
#include "lib/Target/IPU/IPUMachineFunctionInfo.h"
#include "lib/Target/IPU/IPUMachinePasses.h"
#include "lib/Target/IPU/IPUTableLoops.h"
#include "lib/Target/IPU/IPUTargetTransformInfo.h"
#include "lib/Target/IPU/TargetInfo/IPUTarget.h"
#include "lib/Target/IPU/TargetInfo/IPUTargetInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetLoweringObjectFileImpl.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar.h"

using namespace llvm;

namespace {

/// Sections of objects. Code that was optimised by a profile comes with a graph
/// of calls for linkers that order sections; the one of tiles does not.
class IPUObjectFile : public TargetLoweringObjectFileELF {
public:
  void emitModuleMetadata(MCStreamer &, Module &) const override {}
};

} // namespace

IPUTargetMachine::IPUTargetMachine(const Target &T, const Triple &TT,
                                   StringRef CPU, StringRef FS,
                                   const TargetOptions &Options,
                                   std::optional<Reloc::Model> RM,
                                   std::optional<CodeModel::Model> CM,
                                   CodeGenOptLevel OL, bool JIT)
    : LLVMTargetMachine(T, populus::ipu::DataLayout, TT,
                        CPU.empty() ? "ipu2" : CPU, FS, Options,
                        RM.value_or(Reloc::Static),
                        getEffectiveCodeModel(CM, CodeModel::Small), OL),
      TLOF(std::make_unique<IPUObjectFile>()) {
  initAsmInfo();
}

IPUTargetMachine::~IPUTargetMachine() = default;

const IPUSubtarget *
IPUTargetMachine::getSubtargetImpl(const Function &F) const {
  auto Attribute = [&](StringRef Name, StringRef Default) {
    llvm::Attribute A = F.getFnAttribute(Name);
    return A.isValid() ? A.getValueAsString().str() : Default.str();
  };
  std::string CPU = Attribute("target-cpu", TargetCPU);
  std::string FS = Attribute("target-features", TargetFS);
  // Functions that both contexts may call can only use the features of both:
  // those of the supervisor.
  std::string Mode = Attribute("ipu-mode", "worker");
  if (Mode == "supervisor" || Mode == "both")
    FS += FS.empty() ? "+supervisor" : ",+supervisor";
  std::unique_ptr<IPUSubtarget> &ST = Subtargets[CPU + "|" + FS];
  if (!ST) {
    resetTargetOptions(F);
    ST = std::make_unique<IPUSubtarget>(TargetTriple, CPU, FS, *this);
  }
  return ST.get();
}

MachineFunctionInfo *IPUTargetMachine::createMachineFunctionInfo(
    BumpPtrAllocator &Allocator, const Function &F,
    const TargetSubtargetInfo *STI) const {
  return IPUMachineFunctionInfo::create<IPUMachineFunctionInfo>(Allocator, F,
                                                                STI);
}

TargetTransformInfo
IPUTargetMachine::getTargetTransformInfo(const Function &F) const {
  return TargetTransformInfo(IPUTTIImpl(this, F));
}

namespace {
class IPUPassConfig : public TargetPassConfig {
public:
  IPUPassConfig(IPUTargetMachine &TM, PassManagerBase &PM)
      : TargetPassConfig(TM, PM) {}

  IPUTargetMachine &getIPUTargetMachine() const {
    return getTM<IPUTargetMachine>();
  }

  void addIRPasses() override {
    addPass(createIPUUnsupported());
    addPass(createIPUUndefinedTraps());
    addPass(createIPUPlainFloat());
    addPass(createAtomicExpandLegacyPass());
    addPass(createIPUStackAlignment());
    if (getOptLevel() != CodeGenOptLevel::None) {
      // It asks what the code states about alignment.
      if (getOptLevel() >= CodeGenOptLevel::Default)
        addPass(createIPUAlignedLoops());
      addPass(createIPUDropAssumptions());
      addPass(createCFGSimplificationPass());
    }
    if (getOptLevel() >= CodeGenOptLevel::Default) {
      addPass(createIPULoopVersioning());
      addPass(createLICMPass());
      addPass(createIPUAccumulators());
      addPass(createIPUScaledSums());
    }
    TargetPassConfig::addIRPasses();
  }

  bool addPreISel() override {
    if (getOptLevel() != CodeGenOptLevel::None)
      addPass(createHardwareLoopsLegacyPass());
    return false;
  }

  bool addInstSelector() override {
    addPass(createIPUISelDag(getIPUTargetMachine(), getOptLevel()));
    return false;
  }

  void addPreRegAlloc() override {
    if (getOptLevel() >= CodeGenOptLevel::Default)
      addPass(createIPUStrides());
  }

  void addPreEmitPass() override {
    if (getOptLevel() == CodeGenOptLevel::None)
      return;
    addPass(createIPUHardwareLoops());
    addPass(createIPUBundler());
  }
};
} // namespace

TargetPassConfig *IPUTargetMachine::createPassConfig(PassManagerBase &PM) {
  return new IPUPassConfig(*this, PM);
}

void IPUTargetMachine::registerPassBuilderCallbacks(PassBuilder &Builder) {
  Builder.registerVectorizerStartEPCallback(
      [](FunctionPassManager &Passes, OptimizationLevel) {
        Passes.addPass(IPUFlatLoopsPass());
        Passes.addPass(IPUClampsPass());
        Passes.addPass(IPUCopyTypesPass());
        Passes.addPass(IPUTableLoopsPass());
      });
}

void llvm::initializeIPUCodeGen() {
  RegisterTargetMachine<IPUTargetMachine> X(getTheIPUTarget());
  registerIPUAsmPrinter();
  PassRegistry &Registry = *PassRegistry::getPassRegistry();
  initializeIPUHardwareLoopsPass(Registry);
  initializeIPUBundlerPass(Registry);
}
