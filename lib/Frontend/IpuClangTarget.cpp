// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The TargetInfo of the IPU targets. Sizes and alignments are the public ABI's;
// they must agree with the data layout of the code generator, which is asked
// for it.

#include "lib/Frontend/IpuClangTarget.h"

#include "lib/Target/IPU/TargetInfo/IPUTarget.h"

#include <clang/Basic/Builtins.h>
#include <clang/Basic/MacroBuilder.h>
#include <clang/Basic/TargetBuiltins.h>
#include <clang/Basic/TargetOptions.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Type.h>

using namespace clang;

namespace populus::frontend {

namespace {

constexpr const char *RegisterNames[] = {
    "$m0",   "$m1",     "$m2",   "$m3",   "$m4",   "$m5",   "$m6",   "$m7",
    "$m8",   "$m9",     "$m10",  "$m11",  "$m12",  "$m13",  "$m14",  "$m15",
    "$a0",   "$a1",     "$a2",   "$a3",   "$a4",   "$a5",   "$a6",   "$a7",
    "$a8",   "$a9",     "$a10",  "$a11",  "$a12",  "$a13",  "$a14",  "$a15",
    "$a0:1", "$a2:3",   "$a4:5", "$a6:7", "$m0:1", "$m2:3", "$m4:5", "$m6:7",
    "$m8:9", "$m10:11", "$a0:3", "$a4:7",
};

const TargetInfo::GCCRegAlias RegisterAliases[] = {
    {{"$lr"}, "$m10"},           {{"$sp"}, "$m11"},
    {{"$mworker_base"}, "$m12"}, {{"$mvertex_base"}, "$m13"},
    {{"$mzero"}, "$m15"},        {{"$azero"}, "$a15"},
};

// A builtin is a call of the function of that name without "__builtin_" (the
// attribute F), which the code generator turns into an instruction.
constexpr Builtin::Info Builtins[] = {
#define BUILTIN(NAME, TYPE, ATTRIBUTES)                                        \
  {llvm::StringLiteral("__builtin_" #NAME),                                    \
   TYPE,                                                                       \
   ATTRIBUTES,                                                                 \
   nullptr,                                                                    \
   HeaderDesc::NO_HEADER,                                                      \
   ALL_LANGUAGES},
#include "lib/Target/IPU/IPUBuiltins.def"
};

class IpuClangTarget : public TargetInfo {
public:
  IpuClangTarget(const llvm::Triple &triple, const runtime::TargetInfo &target)
      : TargetInfo(triple), target(target) {
    BigEndian = false;
    TLSSupported = false;
    NoAsmVariants = true; // braces in inline assembly are bundles
    SizeType = UnsignedInt;
    PtrDiffType = SignedInt;
    IntPtrType = SignedInt;
    WCharType = SignedInt;
    WIntType = UnsignedInt;
    HasLegalHalfType = true;
    HalfArgsAndReturns = true;
    HasFloat16 = true;
    MaxVectorAlign = 64;
    MaxAtomicPromoteWidth = 32;
    MaxAtomicInlineWidth = 32;
    resetDataLayout(ipu::DataLayout);
    llvm::DataLayout layout(ipu::DataLayout);
    setAlignments(layout);
  }

  void getTargetDefines(const LangOptions &language,
                        MacroBuilder &builder) const override {
    builder.defineMacro("__IPU__");
    builder.defineMacro("__IPU_ARCH_VERSION__",
                        llvm::Twine(target.archVersion));
    builder.defineMacro("__ELF__");
    // libc++ needs all that newlib declares, also with -std=c++17.
    if (language.CPlusPlus)
      builder.defineMacro("_GNU_SOURCE");
  }

  ArrayRef<Builtin::Info> getTargetBuiltins() const override {
    return Builtins;
  }
  BuiltinVaListKind getBuiltinVaListKind() const override {
    return CharPtrBuiltinVaList;
  }
  std::string_view getClobbers() const override { return ""; }
  ArrayRef<const char *> getGCCRegNames() const override {
    return RegisterNames;
  }
  ArrayRef<GCCRegAlias> getGCCRegAliases() const override {
    return RegisterAliases;
  }

  bool validateAsmConstraint(const char *&name,
                             ConstraintInfo &info) const override {
    return false; // "r" and "i" are everybody's, there are no others
  }

  /// __attribute__((target("supervisor"))) and its like.
  bool isValidFeatureName(StringRef feature) const override {
    return feature == "supervisor" || feature == "worker" || feature == "both";
  }
  bool isValidCPUName(StringRef name) const override {
    return llvm::StringSwitch<bool>(name)
        .Cases("ipu1", "ipu2", "ipu21", true)
        .Default(false);
  }
  bool setCPU(const std::string &name) override { return isValidCPUName(name); }

private:
  void setAlignments(const llvm::DataLayout &layout) {
    llvm::LLVMContext context;
    auto bits = [&](llvm::Type *type) {
      return static_cast<unsigned char>(layout.getABITypeAlign(type).value() *
                                        8);
    };
    LongLongAlign = bits(llvm::Type::getInt64Ty(context));
    DoubleAlign = LongDoubleAlign = bits(llvm::Type::getDoubleTy(context));
    SuitableAlign = 64;
    DefaultAlignForAttributeAligned = 64;
  }

  const runtime::TargetInfo &target;
};

/// TargetInfo keeps its options in a private member that only Clang's factory
/// sets, and feature checks read them. Naming a private member is allowed in an
/// explicit instantiation, which is what this uses.
template <auto Member> struct OptionsAccess {
  friend void setOptions(TargetInfo &target,
                         std::shared_ptr<TargetOptions> options) {
    target.*Member = std::move(options);
  }
};
void setOptions(TargetInfo &target, std::shared_ptr<TargetOptions> options);
template struct OptionsAccess<&TargetInfo::TargetOpts>;

} // namespace

llvm::IntrusiveRefCntPtr<TargetInfo>
makeIpuClangTarget(const runtime::TargetInfo &target,
                   const std::shared_ptr<TargetOptions> &options,
                   DiagnosticsEngine &diagnostics, LangOptions &language) {
  auto info = llvm::makeIntrusiveRefCnt<IpuClangTarget>(
      llvm::Triple(ipu::Triple), target);
  setOptions(*info, options);
  info->initFeatureMap(options->FeatureMap, diagnostics, options->CPU,
                       options->Features);
  info->adjust(diagnostics, language);
  return info;
}

} // namespace populus::frontend
