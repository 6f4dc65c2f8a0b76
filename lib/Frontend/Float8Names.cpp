// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang asks a source of declarations for each name that it does not find. This
// one makes declarations with the attribute `unavailable`, which Clang reports
// where they are used.

#include "lib/Frontend/Float8Names.h"

#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/Sema/ExternalSemaSource.h>
#include <clang/Sema/Lookup.h>
#include <clang/Sema/Sema.h>

using namespace clang;

namespace populus::frontend {

namespace {

constexpr const char *TypeAdvice =
    "8-bit floats are for the targets cpu and ipu21, and need "
    "<poplar/QuarterFloat.hpp>; compile with --target=cpu,ipu21";
constexpr const char *BuiltinAdvice =
    "instructions of 8-bit floats have no builtins; use toHalf and toQuarter "
    "of <poplar/QuarterFloat.hpp>";

bool isTypeName(llvm::StringRef name) {
  return name == "quarter" || name == "quarter_metadata";
}

bool isBuiltinName(llvm::StringRef name) {
  return name.consume_front("__builtin_ipu_") &&
         (name.contains("f8v") || name.ends_with("tof8"));
}

class Float8Names : public ExternalSemaSource {
public:
  explicit Float8Names(Sema &sema) : sema(sema) {}

  bool LookupUnqualified(LookupResult &result, Scope *) override {
    const IdentifierInfo *name = result.getLookupName().getAsIdentifierInfo();
    if (!name || result.isForRedeclaration() ||
        result.getLookupKind() != Sema::LookupOrdinaryName)
      return false;
    const bool isType = isTypeName(name->getName());
    if (!isType && !isBuiltinName(name->getName()))
      return false;
    NamedDecl *decl = isType ? makeType(name) : makeFunction(name);
    decl->setImplicit();
    decl->addAttr(UnavailableAttr::CreateImplicit(
        sema.Context, isType ? TypeAdvice : BuiltinAdvice));
    result.addDecl(decl);
    return true;
  }

private:
  NamedDecl *makeType(const IdentifierInfo *name) {
    ASTContext &context = sema.Context;
    return TypedefDecl::Create(
        context, context.getTranslationUnitDecl(), SourceLocation(),
        SourceLocation(), name,
        context.getTrivialTypeSourceInfo(context.UnsignedCharTy));
  }

  /// Returns a type that suits the uses of the builtin, so that only one error
  /// is reported: eight bits are integers, all others are vectors of halves.
  QualType resultOf(llvm::StringRef name) const {
    ASTContext &context = sema.Context;
    if (name.ends_with("tof8"))
      return context.IntTy;
    const unsigned halves = name.contains("f8v2") ? 2 : 4;
    return context.getVectorType(context.HalfTy, halves, VectorKind::Generic);
  }

  /// Makes a function that takes any arguments.
  NamedDecl *makeFunction(const IdentifierInfo *name) {
    ASTContext &context = sema.Context;
    FunctionProtoType::ExtProtoInfo info;
    info.Variadic = true;
    return FunctionDecl::Create(
        context, context.getTranslationUnitDecl(), SourceLocation(),
        SourceLocation(), name,
        context.getFunctionType(resultOf(name->getName()), {}, info),
        /*TInfo=*/nullptr, SC_Extern);
  }

  Sema &sema;
};

} // namespace

void declareFloat8Names(Sema &sema) {
  sema.addExternalSource(new Float8Names(sema));
}

} // namespace populus::frontend
