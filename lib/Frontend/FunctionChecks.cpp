// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Frontend/FunctionChecks.h"

#include "lib/Frontend/CheckedExpressions.h"
#include "lib/Frontend/StatementWalk.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Lex/Lexer.h>

using namespace clang;

namespace populus::frontend {

namespace {

bool isSingle(QualType type) {
  return type->isSpecificBuiltinType(BuiltinType::Float) ||
         type->isSpecificBuiltinType(BuiltinType::Half) ||
         type->isSpecificBuiltinType(BuiltinType::Float16);
}

bool isDouble(QualType type) {
  return type->isSpecificBuiltinType(BuiltinType::Double);
}

class FunctionChecker {
public:
  explicit FunctionChecker(CheckReport &report)
      : report(report), context(report.context) {}

  void check(const FunctionDecl &function) {
    walk(function.getBody(),
         [&](const Stmt &statement, const Surroundings &around) {
           const bool isInLoop = !around.loops.empty();
           if (const auto *loop = dyn_cast<ForStmt>(&statement))
             checkCounter(*loop);
           if (const auto *operation = dyn_cast<BinaryOperator>(&statement)) {
             checkDouble(*operation);
             if (isInLoop)
               checkDivision(*operation);
             if (isInLoop)
               checkSum(*operation);
           }
         });
  }

private:
  void checkCounter(const ForStmt &loop) {
    const auto *init = dyn_cast_or_null<DeclStmt>(loop.getInit());
    const auto *counter = init && init->isSingleDecl()
                              ? dyn_cast<VarDecl>(init->getSingleDecl())
                              : nullptr;
    if (counter && counter->getType()->isIntegerType() &&
        context.getTypeSize(counter->getType()) == 64)
      report.warn(counter->getLocation(), "codelet-counter",
                  "'" + counter->getNameAsString() +
                      "' has 64 bits, which take several instructions each "
                      "time; unsigned counts all that a tile can hold");
  }

  /// `x * 2.5` of a float is a product of doubles, which the machine lacks.
  void checkDouble(const BinaryOperator &operation) {
    for (bool isRight : {false, true}) {
      const Expr *operand = isRight ? operation.getRHS() : operation.getLHS();
      const Expr *other = isRight ? operation.getLHS() : operation.getRHS();
      const auto *literal =
          dyn_cast<FloatingLiteral>(operand->IgnoreParenImpCasts());
      const bool isComputed =
          operation.isAdditiveOp() || operation.isMultiplicativeOp() ||
          operation.isComparisonOp() || operation.isCompoundAssignmentOp();
      if (!literal || !isComputed || !isDouble(literal->getType()) ||
          !isDouble(operand->getType()) ||
          !isSingle(other->IgnoreParenImpCasts()->getType()))
        continue;
      const SourceLocation end = Lexer::getLocForEndOfToken(
          literal->getEndLoc(), 0, context.getSourceManager(),
          context.getLangOpts());
      report.warn(literal->getBeginLoc(), "codelet-double",
                  "a double constant makes this an operation of doubles, which "
                  "a tile computes by a function",
                  end, "f");
    }
  }

  void checkDivision(const BinaryOperator &operation) {
    const BinaryOperatorKind kind = operation.getOpcode();
    const bool isDivision = kind == BO_Div || kind == BO_Rem ||
                            kind == BO_DivAssign || kind == BO_RemAssign;
    const Expr *divisor = operation.getRHS();
    if (!isDivision || !operation.getType()->isIntegerType() ||
        divisor->isValueDependent() || divisor->isEvaluatable(context))
      return;
    report.warn(
        operation.getOperatorLoc(), "codelet-division",
        "a division of integers in a loop calls a function; divide by a "
        "constant, or once before the loop");
  }

  /// Sums in order are one addition after the other; in any order they are
  /// vectors of additions, with other roundings.
  void checkSum(const BinaryOperator &operation) {
    if (operation.getOpcode() != BO_AddAssign ||
        !isSingle(operation.getType()) ||
        operation.getFPFeaturesInEffect(context.getLangOpts())
            .getAllowFPReassociate())
      return;
    const VarDecl *sum = variableOf(operation.getLHS());
    if (sum && sum->hasLocalStorage() && !sum->getType()->isReferenceType())
      report.warn(operation.getOperatorLoc(), "codelet-sum",
                  "'" + sum->getNameAsString() +
                      "' is added up in order, an element at a time; '#pragma "
                      "clang fp reassociate(on)' at the beginning of the "
                      "function allows any order, which is up to eight times "
                      "as fast and rounds differently");
  }

  CheckReport &report;
  ASTContext &context;
};

/// Calls check(function) for the functions that the user has written, those of
/// templates in their instances.
template <typename Check>
void forEachFunction(const DeclContext &scope, Check check) {
  const SourceManager &sources = scope.getParentASTContext().getSourceManager();
  for (const Decl *decl : scope.decls()) {
    if (sources.isInSystemHeader(decl->getLocation()))
      continue;
    if (const auto *function = dyn_cast<FunctionDecl>(decl))
      check(*function);
    else if (const auto *functions = dyn_cast<FunctionTemplateDecl>(decl))
      for (const FunctionDecl *instance : functions->specializations())
        check(*instance);
    else if (const auto *classes = dyn_cast<ClassTemplateDecl>(decl))
      for (const CXXRecordDecl *instance : classes->specializations())
        forEachFunction(*instance, check);
    else if (isa<NamespaceDecl, LinkageSpecDecl, CXXRecordDecl>(decl))
      forEachFunction(*cast<DeclContext>(decl), check);
  }
}

} // namespace

void checkFunctions(CheckReport &report) {
  FunctionChecker checker(report);
  forEachFunction(*report.context.getTranslationUnitDecl(),
                  [&](const FunctionDecl &function) {
                    if (!function.isDependentContext() &&
                        function.doesThisDeclarationHaveABody())
                      checker.check(function);
                  });
}

} // namespace populus::frontend
