// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names what LLVM's language has and an IPU has no code for, with the place in
// the source where it is known, before the code generator comes to it: that
// ends the process, or says which node of its own it cannot select. The body of
// such a function is dropped, and so there is one message about it.

#include "lib/Target/IPU/IPU.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Pass.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

static constexpr StringLiteral PatchAttributes[] = {
    "fentry-call", "patchable-function", "patchable-function-entry"};
static constexpr unsigned MaxIntegerBits = 4096;

namespace {

class IPUUnsupported : public FunctionPass {
public:
  static char ID;

  IPUUnsupported() : FunctionPass(ID) {}

  StringRef getPassName() const override { return "IPU unsupported code"; }
  bool runOnFunction(Function &F) override;
};

} // namespace

/// Returns whether a type is another machine's, of unknown size, or so large
/// that its arithmetic would never end.
static bool isForeign(const Type *Ty) {
  switch (Ty->getTypeID()) {
  case Type::BFloatTyID:
  case Type::FP128TyID:
  case Type::PPC_FP128TyID:
  case Type::ScalableVectorTyID:
  case Type::TargetExtTyID:
  case Type::X86_AMXTyID:
  case Type::X86_FP80TyID:
  case Type::X86_MMXTyID:
    return true;
  case Type::IntegerTyID:
    return Ty->getIntegerBitWidth() > MaxIntegerBits;
  default:
    return any_of(Ty->subtypes(), isForeign);
  }
}

static std::string nameOf(const Type *Ty) {
  std::string Text;
  raw_string_ostream(Text) << *Ty;
  return Text;
}

/// Intrinsics of garbage collection, of other languages, and of tools that
/// lower them before code is generated.
static bool isUnsupported(Intrinsic::ID ID) {
  switch (ID) {
  case Intrinsic::addressofreturnaddress:
  case Intrinsic::adjust_trampoline:
  case Intrinsic::call_preallocated_arg:
  case Intrinsic::call_preallocated_setup:
  case Intrinsic::call_preallocated_teardown:
  case Intrinsic::eh_sjlj_lsda:
  case Intrinsic::experimental_gc_relocate:
  case Intrinsic::experimental_gc_result:
  case Intrinsic::experimental_gc_statepoint:
  case Intrinsic::experimental_patchpoint:
  case Intrinsic::experimental_patchpoint_void:
  case Intrinsic::experimental_stackmap:
  case Intrinsic::experimental_vector_compress:
  case Intrinsic::fptrunc_round:
  case Intrinsic::hwasan_check_memaccess:
  case Intrinsic::hwasan_check_memaccess_shortgranules:
  case Intrinsic::icall_branch_funnel:
  case Intrinsic::init_trampoline:
  case Intrinsic::instrprof_cover:
  case Intrinsic::instrprof_increment:
  case Intrinsic::instrprof_increment_step:
  case Intrinsic::instrprof_timestamp:
  case Intrinsic::instrprof_value_profile:
  case Intrinsic::loop_decrement:
  case Intrinsic::matrix_column_major_load:
  case Intrinsic::matrix_column_major_store:
  case Intrinsic::matrix_multiply:
  case Intrinsic::matrix_transpose:
  case Intrinsic::pcmarker:
  case Intrinsic::read_register:
  case Intrinsic::read_volatile_register:
  case Intrinsic::set_loop_iterations:
  case Intrinsic::set_rounding:
  case Intrinsic::sponentry:
  case Intrinsic::stackguard:
  case Intrinsic::swift_async_context_addr:
  case Intrinsic::test_set_loop_iterations:
  case Intrinsic::thread_pointer:
  case Intrinsic::type_checked_load:
  case Intrinsic::type_test:
  case Intrinsic::vscale:
  case Intrinsic::write_register:
    return true;
  default:
    return Function::isTargetIntrinsic(ID);
  }
}

static std::string problemOf(const CallBase &Call) {
  if (const Function *Callee = Call.getCalledFunction();
      Callee && isUnsupported(Callee->getIntrinsicID()))
    return "an IPU has no code for '" + Callee->getName().str() + "'";
  for (unsigned Index = 0; Index != Call.getNumOperandBundles(); ++Index) {
    OperandBundleUse Bundle = Call.getOperandBundleAt(Index);
    switch (Bundle.getTagID()) {
    case LLVMContext::OB_deopt:
    case LLVMContext::OB_kcfi:
    case LLVMContext::OB_preallocated:
    case LLVMContext::OB_ptrauth:
      return ("an IPU has no code for calls with '" + Bundle.getTagName() + "'")
          .str();
    default:
      break;
    }
  }
  return "";
}

/// Returns the problem with an instruction; empty if there is none.
static std::string problemOf(const Instruction &I) {
  if (const auto *Call = dyn_cast<CallBase>(&I))
    if (std::string Problem = problemOf(*Call); !Problem.empty())
      return Problem;
  if (isa<AddrSpaceCastInst>(I))
    return "a tile has one address space, and pointers of others cannot be "
           "converted";
  if (isa<VAArgInst>(I) && !I.getType()->isSingleValueType())
    return "an argument of type '" + nameOf(I.getType()) +
           "' cannot be read with va_arg";
  const Type *Ty = I.getType();
  if (const auto *Alloca = dyn_cast<AllocaInst>(&I))
    Ty = Alloca->getAllocatedType();
  else if (const auto *Store = dyn_cast<StoreInst>(&I))
    Ty = Store->getValueOperand()->getType();
  if (isForeign(Ty))
    return "an IPU has no values of type '" + nameOf(Ty) + "'";
  return "";
}

static bool isInlineAssembly(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  return Call && Call->isInlineAsm();
}

/// Returns the problem with a function as a whole; empty if there is none.
static std::string problemOf(const Function &F) {
  for (StringRef Attribute : PatchAttributes)
    if (F.hasFnAttribute(Attribute))
      return ("functions of an IPU have no entry that can be patched ('" +
              Attribute + "')")
          .str();
  if (F.hasFnAttribute(Attribute::Naked) &&
      !all_of(instructions(F), [](const Instruction &I) {
        return I.isTerminator() || I.isDebugOrPseudoInst() ||
               isInlineAssembly(I);
      }))
    return "a naked function holds nothing but inline assembly";
  return "";
}

/// Reports the first problem. Returns whether there is one.
static bool reportProblem(const Function &F) {
  std::string Problem = problemOf(F);
  DebugLoc Where;
  for (const Instruction &I : instructions(F)) {
    if (!Problem.empty())
      break;
    Problem = problemOf(I);
    Where = I.getDebugLoc();
  }
  if (Problem.empty())
    return false;
  F.getContext().diagnose(DiagnosticInfoUnsupported(F, Problem, Where));
  return true;
}

bool IPUUnsupported::runOnFunction(Function &F) {
  // A signature with a foreign type cannot be lowered, whatever the body.
  if (isForeign(F.getFunctionType()))
    report_fatal_error("'" + F.getName() + "' has the type '" +
                           nameOf(F.getFunctionType()) +
                           "', and an IPU does not have all types in it",
                       /*gen_crash_diag=*/false);
  if (!reportProblem(F))
    return false;
  F.dropAllReferences();
  F.removeFnAttr(Attribute::Naked);
  for (StringRef Attribute : PatchAttributes)
    F.removeFnAttr(Attribute);
  new UnreachableInst(F.getContext(),
                      BasicBlock::Create(F.getContext(), "", &F));
  return true;
}

char IPUUnsupported::ID = 0;

FunctionPass *llvm::createIPUUnsupported() { return new IPUUnsupported(); }
