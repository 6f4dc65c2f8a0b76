// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Teaches Clang the attribute [[poplar::constraint("elem(*a) != elem(*b)")]] of
// vertex classes, by its plug-in interface for attributes. The texts are kept
// in the syntax tree as annotations, where VertexFinder.cpp picks them up.

#include "lib/Frontend/ConstraintAttribute.h"

#include <clang/AST/Attr.h>
#include <clang/Sema/ParsedAttr.h>
#include <clang/Sema/Sema.h>

using namespace clang;

namespace populus::frontend {

namespace {

class ConstraintAttribute : public ParsedAttrInfo {
public:
  ConstraintAttribute() {
    OptArgs = 15;
    // The parser asks for the bare name to know whether to keep the arguments.
    static constexpr Spelling Names[] = {
        {ParsedAttr::AS_CXX11, "poplar::constraint"},
        {ParsedAttr::AS_CXX11, "constraint"}};
    Spellings = Names;
  }

  bool diagAppertainsToDecl(Sema &sema, const ParsedAttr &attribute,
                            const Decl *decl) const override {
    if (isa<CXXRecordDecl>(decl))
      return true;
    sema.Diag(attribute.getLoc(), diag::warn_attribute_wrong_decl_type_str)
        << attribute << attribute.isRegularKeywordAttribute() << "classes";
    return false;
  }

  AttrHandling handleDeclAttribute(Sema &sema, Decl *decl,
                                   const ParsedAttr &attribute) const override {
    llvm::SmallVector<Expr *, 4> texts;
    for (unsigned i = 0; i != attribute.getNumArgs(); ++i) {
      Expr *text = attribute.isArgExpr(i) ? attribute.getArgAsExpr(i) : nullptr;
      if (!text || !isa<StringLiteral>(text->IgnoreParenImpCasts())) {
        sema.Diag(attribute.getLoc(), diag::err_attribute_argument_type)
            << attribute << AANT_ArgumentString;
        return AttributeNotApplied;
      }
      texts.push_back(text);
    }
    decl->addAttr(AnnotateAttr::Create(sema.Context, ConstraintAnnotation,
                                       texts.data(), texts.size(), attribute));
    return AttributeApplied;
  }
};

ParsedAttrInfoRegistry::Add<ConstraintAttribute>
    Registration("poplar-constraint", "placement constraints of a vertex");

} // namespace

std::vector<std::string> constraintsOf(const CXXRecordDecl &record) {
  std::vector<std::string> texts;
  for (const auto *annotation : record.specific_attrs<AnnotateAttr>()) {
    if (annotation->getAnnotation() != ConstraintAnnotation)
      continue;
    for (const Expr *text : annotation->args())
      if (auto *literal = dyn_cast<StringLiteral>(text->IgnoreParenImpCasts()))
        texts.push_back(literal->getString().str());
  }
  return texts;
}

} // namespace populus::frontend
