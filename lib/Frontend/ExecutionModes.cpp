// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies are made before the optimiser runs: most of them are inlined, and
// those of which the callers are gone go, too. A function that is named but not
// called stays for workers: that is how supervisors start them.

#include "lib/Frontend/ExecutionModes.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <map>

namespace populus::frontend {

namespace {

constexpr const char *ModeAttribute = "ipu-mode";

void readFeatures(llvm::Module &module) {
  for (llvm::Function &function : module) {
    llvm::StringRef features =
        function.getFnAttribute("target-features").getValueAsString();
    for (llvm::StringRef mode : {"supervisor", "worker", "both"})
      if (features.contains(("+" + mode).str()))
        function.addFnAttr(ModeAttribute, mode);
    function.removeFnAttr("target-features");
  }
}

llvm::StringRef modeOf(const llvm::Function &function) {
  return function.getFnAttribute(ModeAttribute).getValueAsString();
}

/// Makes code for supervisors, or for both contexts, call only such code.
class ModeCopies {
public:
  void add(llvm::Function &function) {
    if (modeOf(function) == "supervisor" || modeOf(function) == "both")
      queue.push_back(&function);
  }

  void run() {
    while (!queue.empty())
      redirectCalls(*queue.pop_back_val());
  }

private:
  void redirectCalls(llvm::Function &caller) {
    for (llvm::Instruction &instruction : llvm::instructions(caller)) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
      if (callee && !callee->isDeclaration() && modeOf(*callee).empty())
        call->setCalledFunction(copyOf(*callee, modeOf(caller)));
    }
  }

  llvm::Function *copyOf(llvm::Function &function, llvm::StringRef mode) {
    llvm::Function *&copy = copies[{&function, mode}];
    if (copy)
      return copy;
    llvm::ValueToValueMapTy values;
    copy = llvm::CloneFunction(&function, values);
    copy->setName(function.getName() + "." + mode);
    copy->setLinkage(llvm::GlobalValue::InternalLinkage);
    copy->setComdat(nullptr);
    copy->addFnAttr(ModeAttribute, mode);
    queue.push_back(copy);
    return copy;
  }

  llvm::SmallVector<llvm::Function *> queue;
  std::map<std::pair<llvm::Function *, llvm::StringRef>, llvm::Function *>
      copies;
};

} // namespace

llvm::StringRef withoutMode(llvm::StringRef symbol) {
  if (!symbol.consume_back(".supervisor"))
    symbol.consume_back(".both");
  return symbol;
}

void setExecutionModes(llvm::Module &module,
                       const std::vector<EntryPoint> &entries) {
  readFeatures(module);
  for (const EntryPoint &entry : entries)
    if (entry.kind == runtime::VertexKind::Supervisor)
      if (llvm::Function *compute = module.getFunction(entry.compute);
          compute && !compute->hasFnAttribute(ModeAttribute))
        compute->addFnAttr(ModeAttribute, "supervisor");
  ModeCopies copies;
  for (llvm::Function &function : module)
    copies.add(function);
  copies.run();
}

} // namespace populus::frontend
