// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the entry points as IR, after Clang has generated its own: they have
// no counterpart in the source.

#include "lib/Frontend/EntryPoints.h"

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>

namespace populus::frontend {

using runtime::VertexKind;

namespace {

/// Gives the caller of compute() the function attributes of compute(): options
/// such as frame pointers and target features are attributes, and a caller
/// without them would lose them when compute() is inlined. For example, code
/// compiled for size would no longer be small.
void copyTargetAttributes(llvm::Function &to, const llvm::Function &from) {
  for (llvm::Attribute attribute : from.getAttributes().getFnAttrs())
    if (attribute.isStringAttribute() ||
        attribute.hasAttribute(llvm::Attribute::OptimizeForSize) ||
        attribute.hasAttribute(llvm::Attribute::MinSize))
      to.addFnAttr(attribute);
  to.addFnAttr(llvm::Attribute::NoUnwind);
  // -O0 marks what it compiles, and the two go together only.
  if (from.hasFnAttribute(llvm::Attribute::OptimizeNone)) {
    to.addFnAttr(llvm::Attribute::OptimizeNone);
    to.addFnAttr(llvm::Attribute::NoInline);
  }
}

/// A function of the IPU's builtins, which the code generator knows by name.
llvm::Value *callBuiltin(llvm::IRBuilder<> &builder, llvm::Module &module,
                         const char *name, llvm::Type *result) {
  llvm::FunctionCallee builtin =
      module.getOrInsertFunction(name, llvm::FunctionType::get(result, false));
  auto *function = llvm::cast<llvm::Function>(builtin.getCallee());
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  llvm::CallInst *call = builder.CreateCall(builtin);
  call->setDoesNotThrow();
  call->setDoesNotAccessMemory();
  return call;
}

class EntryBuilder {
public:
  EntryBuilder(llvm::Module &module, const EntryPoint &entry, bool isIpu)
      : module(module), entry(entry), isIpu(isIpu),
        builder(module.getContext()),
        compute(*module.getFunction(entry.compute)) {
    // A vertex's state is no part of any tensor: what is stored through a field
    // leaves the fields as they are.
    compute.addParamAttr(0, llvm::Attribute::NoAlias);
  }

  void build() {
    // A worker finds its state in a register; a supervisor and the host are
    // called with it.
    bool hasArgument = !isIpu || entry.kind == VertexKind::Supervisor;
    llvm::SmallVector<llvm::Type *, 1> parameters;
    if (hasArgument)
      parameters.push_back(builder.getPtrTy());
    bool isVoid = compute.getReturnType()->isVoidTy();
    llvm::Type *result =
        isIpu && isVoid ? builder.getVoidTy() : builder.getInt1Ty();
    auto *function = llvm::Function::Create(
        llvm::FunctionType::get(result, parameters, false),
        llvm::Function::ExternalLinkage, entry.symbol, module);
    copyTargetAttributes(*function, compute);
    if (!result->isVoidTy())
      function->addRetAttr(llvm::Attribute::ZExt);
    if (isIpu)
      function->addFnAttr("ipu-entry", entry.kind == VertexKind::Supervisor
                                           ? "supervisor"
                                           : "worker");
    builder.SetInsertPoint(
        llvm::BasicBlock::Create(module.getContext(), "", function));
    addDebugInfo(*function);
    llvm::Value *state =
        hasArgument ? static_cast<llvm::Value *>(function->getArg(0))
                    : callBuiltin(builder, module, "ipu_get_vertex_base",
                                  builder.getPtrTy());
    llvm::Value *returned = callCompute(state);
    if (result->isVoidTy())
      builder.CreateRetVoid();
    else
      builder.CreateRet(isVoid ? builder.getTrue() : returned);
  }

private:
  /// Code that is inlined keeps its lines only in a function that has some:
  /// the entry point is given the line of compute().
  void addDebugInfo(llvm::Function &function) {
    llvm::DISubprogram *source = compute.getSubprogram();
    if (!source)
      return;
    llvm::DIBuilder debug(module, /*AllowUnresolved=*/false, source->getUnit());
    llvm::DISubprogram *info = debug.createFunction(
        source->getFile(), entry.symbol, entry.symbol, source->getFile(),
        source->getLine(),
        debug.createSubroutineType(debug.getOrCreateTypeArray({})),
        source->getScopeLine(), llvm::DINode::FlagArtificial,
        llvm::DISubprogram::SPFlagDefinition |
            (source->isOptimized() ? llvm::DISubprogram::SPFlagOptimized
                                   : llvm::DISubprogram::SPFlagZero));
    debug.finalize();
    function.setSubprogram(info);
    builder.SetCurrentDebugLocation(
        llvm::DILocation::get(module.getContext(), source->getLine(), 0, info));
  }

  llvm::Value *callCompute(llvm::Value *state) {
    llvm::SmallVector<llvm::Value *, 2> arguments = {state};
    if (entry.kind == VertexKind::Multi)
      arguments.push_back(isIpu ? callBuiltin(builder, module,
                                              "ipu_get_worker_id",
                                              builder.getInt32Ty())
                                : builder.getInt32(0));
    llvm::CallInst *call = builder.CreateCall(&compute, arguments);
    call->setCallingConv(compute.getCallingConv());
    call->setAttributes(
        compute.getAttributes().removeFnAttributes(module.getContext()));
    return call;
  }

  llvm::Module &module;
  const EntryPoint &entry;
  bool isIpu;
  llvm::IRBuilder<> builder;
  llvm::Function &compute;
};

} // namespace

void addEntryPoints(llvm::Module &module,
                    const std::vector<EntryPoint> &entries,
                    const runtime::TargetInfo &target) {
  for (const EntryPoint &entry : entries)
    EntryBuilder(module, entry, target.isIpu()).build();
}

} // namespace populus::frontend
