// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attribute is kept as an annotation, which Clang lists for the module with
// the function that it generates (llvm.global.annotations).

#include "lib/Frontend/WorkerEntry.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/Sema/ParsedAttr.h>
#include <clang/Sema/Sema.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstrTypes.h>

using namespace clang;

namespace populus::frontend {

namespace {

constexpr const char *Annotation = "colossus_vertex";

class WorkerEntryAttribute : public ParsedAttrInfo {
public:
  WorkerEntryAttribute() {
    static constexpr Spelling Names[] = {
        {ParsedAttr::AS_GNU, "colossus_vertex"},
        {ParsedAttr::AS_CXX11, "colossus_vertex"}};
    Spellings = Names;
  }

  bool diagAppertainsToDecl(Sema &sema, const ParsedAttr &attribute,
                            const Decl *decl) const override {
    const auto *function = dyn_cast<FunctionDecl>(decl);
    const auto *method = dyn_cast<CXXMethodDecl>(decl);
    if (function && function->param_empty() &&
        !(method && method->isInstance()))
      return true;
    sema.Diag(attribute.getLoc(), diag::err_attribute_wrong_decl_type_str)
        << attribute << attribute.isRegularKeywordAttribute()
        << "functions without parameters";
    return false;
  }

  AttrHandling handleDeclAttribute(Sema &sema, Decl *decl,
                                   const ParsedAttr &attribute) const override {
    decl->addAttr(
        AnnotateAttr::Create(sema.Context, Annotation, nullptr, 0, attribute));
    return AttributeApplied;
  }
};

ParsedAttrInfoRegistry::Add<WorkerEntryAttribute>
    Registration("colossus_vertex", "entry points that supervisors start");

bool isOurs(const llvm::ConstantStruct &entry) {
  const auto *text = llvm::dyn_cast<llvm::GlobalVariable>(
      entry.getOperand(1)->stripPointerCasts());
  const auto *data =
      text ? llvm::dyn_cast<llvm::ConstantDataArray>(text->getInitializer())
           : nullptr;
  return data && data->isCString() && data->getAsCString() == Annotation;
}

} // namespace

std::vector<std::string> setWorkerEntries(llvm::Module &module) {
  std::vector<std::string> called;
  const llvm::GlobalVariable *list =
      module.getGlobalVariable("llvm.global.annotations");
  if (!list)
    return called;
  for (const llvm::Use &use : list->getInitializer()->operands()) {
    const auto *entry = llvm::cast<llvm::ConstantStruct>(use);
    auto *function = llvm::dyn_cast<llvm::Function>(
        entry->getOperand(0)->stripPointerCasts());
    if (!function || !isOurs(*entry))
      continue;
    function->addFnAttr("ipu-entry", "worker");
    function->addFnAttr(llvm::Attribute::NoInline);
    if (llvm::any_of(function->users(), [&](const llvm::User *user) {
          const auto *call = llvm::dyn_cast<llvm::CallBase>(user);
          return call && call->getCalledOperand() == function;
        }))
      called.push_back(function->getName().str());
  }
  return called;
}

} // namespace populus::frontend
