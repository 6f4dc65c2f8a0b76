// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions are copied within the module before it is optimised: the copies
// call each other, share the module's data, and differ in the processor that
// they are for, so the optimiser and the code generator do the rest.

#include "lib/Frontend/HostLevels.h"

#include "runtime/Target/HostLevels.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace populus::frontend {

using runtime::HostLevel;

namespace {

/// Codelets of the libraries ask for the bytes of a vector.
constexpr const char *VectorBytesFunction = "populus_vector_bytes";

/// Vectors that are longer than those of the first level are handed over in
/// registers that only the same level has.
bool passesLongVectors(const llvm::Function &function) {
  const unsigned most = 8 * runtime::hostLevels().front().vectorBytes;
  const auto isLong = [&](const llvm::Type *type) {
    return type->isVectorTy() && type->getPrimitiveSizeInBits() > most;
  };
  return isLong(function.getReturnType()) ||
         llvm::any_of(function.args(), [&](const llvm::Argument &argument) {
           return isLong(argument.getType());
         });
}

bool isHalf(const llvm::Type *type) {
  return type->getScalarType()->isHalfTy();
}

/// Intrinsics of halves whose results need no rounding.
bool isExact(llvm::Intrinsic::ID intrinsic) {
  switch (intrinsic) {
  case llvm::Intrinsic::fabs:
  case llvm::Intrinsic::copysign:
  case llvm::Intrinsic::minnum:
  case llvm::Intrinsic::maxnum:
  case llvm::Intrinsic::floor:
  case llvm::Intrinsic::ceil:
  case llvm::Intrinsic::trunc:
  case llvm::Intrinsic::rint:
  case llvm::Intrinsic::nearbyint:
  case llvm::Intrinsic::round:
  case llvm::Intrinsic::roundeven:
    return true;
  default:
    return false;
  }
}

/// Returns whether roundHalvesAsTiles can handle an instruction.
bool isUnderstood(const llvm::Instruction &instruction) {
  const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call)
    return true;
  if (call->getIntrinsicID() == llvm::Intrinsic::convert_to_fp16)
    return false;
  return !isHalf(call->getType()) || isExact(call->getIntrinsicID());
}

/// The instruction on floats, in front of it; null where it does not round to
/// halves.
llvm::Value *onFloats(llvm::Instruction &instruction,
                      llvm::IRBuilder<> &builder) {
  if (!isHalf(instruction.getType()))
    return nullptr;
  llvm::Type *wide =
      instruction.getType()->getWithNewType(builder.getFloatTy());
  if (auto *rounds = llvm::dyn_cast<llvm::FPTruncInst>(&instruction))
    return rounds->getOperand(0);
  if (llvm::isa<llvm::SIToFPInst>(instruction))
    return builder.CreateSIToFP(instruction.getOperand(0), wide);
  if (llvm::isa<llvm::UIToFPInst>(instruction))
    return builder.CreateUIToFP(instruction.getOperand(0), wide);
  if (auto *binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction))
    return builder.CreateBinOp(
        binary->getOpcode(), builder.CreateFPExt(binary->getOperand(0), wide),
        builder.CreateFPExt(binary->getOperand(1), wide));
  return nullptr;
}

/// Processors of higher levels round floats to halves by an instruction, where
/// others call __truncsfhf2 (HalfFloat.hpp). The tile's rules are the same for
/// all: too large numbers become the largest half, and there is one NaN.
void roundHalvesAsTiles(llvm::Function &function) {
  constexpr double Largest = 65504;
  for (llvm::Instruction &instruction :
       llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::IRBuilder<> builder(&instruction);
    llvm::Value *value = onFloats(instruction, builder);
    if (!value)
      continue;
    llvm::Constant *most = llvm::ConstantFP::get(value->getType(), Largest);
    llvm::Constant *least = llvm::ConstantFP::get(value->getType(), -Largest);
    llvm::Value *atMost =
        builder.CreateSelect(builder.CreateFCmpOGT(value, most), most, value);
    llvm::Value *inRange = builder.CreateSelect(
        builder.CreateFCmpOLT(atMost, least), least, atMost);
    llvm::Type *type = instruction.getType();
    llvm::Value *result = builder.CreateSelect(
        builder.CreateFCmpUNO(value, value), llvm::ConstantFP::getNaN(type),
        builder.CreateFPTrunc(inRange, type));
    instruction.replaceAllUsesWith(result);
    instruction.eraseFromParent();
  }
}

class LevelCopies {
public:
  LevelCopies(llvm::Module &module, const std::vector<EntryPoint> &entries)
      : entries(entries) {
    for (llvm::Function &function : module)
      if (!function.isDeclaration())
        functions.push_back(&function);
  }

  /// Returns whether all functions are for the first level's processor, and
  /// none calls a function of another level that it could not call.
  bool canBeMade() const {
    const llvm::StringRef any = runtime::hostLevels().front().name;
    return llvm::all_of(functions, [&](const llvm::Function *function) {
      return function->getFnAttribute("target-cpu").getValueAsString() == any &&
             !function->hasOptNone() &&
             llvm::all_of(llvm::instructions(*function), isUnderstood) &&
             !(passesLongVectors(*function) && function->hasAddressTaken());
    });
  }

  void make(const HostLevel &level) const {
    llvm::ValueToValueMapTy copies;
    for (llvm::Function *function : functions)
      copies[function] = llvm::Function::Create(
          function->getFunctionType(), llvm::Function::InternalLinkage,
          function->getAddressSpace(),
          runtime::symbolOfLevel(function->getName(), level),
          function->getParent());
    for (llvm::Function *function : functions)
      fill(*llvm::cast<llvm::Function>(copies[function]), *function, copies,
           level);
  }

private:
  const std::vector<EntryPoint> &entries;
  std::vector<llvm::Function *> functions;

  void fill(llvm::Function &copy, const llvm::Function &original,
            llvm::ValueToValueMapTy &copies, const HostLevel &level) const {
    for (std::size_t i = 0; i != original.arg_size(); ++i)
      copies[original.getArg(i)] = copy.getArg(i);
    llvm::SmallVector<llvm::ReturnInst *, 4> returns;
    llvm::CloneFunctionInto(&copy, &original, copies,
                            llvm::CloneFunctionChangeType::LocalChangesOnly,
                            returns);
    const bool isEntry = llvm::any_of(entries, [&](const EntryPoint &entry) {
      return original.getName() == entry.symbol;
    });
    copy.setLinkage(isEntry ? llvm::Function::ExternalLinkage
                            : llvm::Function::InternalLinkage);
    if (!isEntry)
      copy.setVisibility(llvm::Function::DefaultVisibility);
    copy.setComdat(nullptr);
    copy.addFnAttr("target-cpu", level.name);
    copy.removeFnAttr("target-features");
    // Without this attribute the longest vectors are left unused.
    copy.addFnAttr("prefer-vector-width",
                   std::to_string(8 * level.vectorBytes));
    roundHalvesAsTiles(copy);
  }
};

const HostLevel &levelOf(const llvm::Function &function) {
  const llvm::StringRef name =
      function.getFnAttribute("target-cpu").getValueAsString();
  for (const HostLevel &level : runtime::hostLevels())
    if (name == llvm::StringRef(level.name))
      return level;
  return runtime::hostLevels().front();
}

void answerVectorBytes(llvm::Module &module) {
  llvm::Function *asked = module.getFunction(VectorBytesFunction);
  if (!asked || !asked->isDeclaration())
    return;
  for (llvm::User *user : llvm::make_early_inc_range(asked->users()))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(user)) {
      call->replaceAllUsesWith(llvm::ConstantInt::get(
          call->getType(), levelOf(*call->getFunction()).vectorBytes));
      call->eraseFromParent();
    }
}

} // namespace

void addHostLevels(llvm::Module &module, const std::vector<EntryPoint> &entries,
                   bool optimises) {
  const LevelCopies copies(module, entries);
  if (optimises && !entries.empty() && copies.canBeMade())
    for (const HostLevel &level : runtime::hostLevels().subspan(1))
      copies.make(level);
  answerVectorBytes(module);
}

} // namespace populus::frontend
