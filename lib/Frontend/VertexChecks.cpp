// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Frontend/VertexChecks.h"

#include "lib/Frontend/CheckedExpressions.h"
#include "lib/Frontend/FieldTypes.h"
#include "lib/Frontend/StatementWalk.h"
#include "runtime/Target/ElementType.h"

#include <clang/AST/TypeLoc.h>
#include <clang/Lex/Lexer.h>

using namespace clang;

namespace populus::frontend {

namespace {

/// A store to a field, with the loops and conditions around it.
struct Store {
  SourceLocation location;
  FieldAccess access;
  Surroundings around;
};

class VertexChecker {
public:
  VertexChecker(CheckReport &report, const FoundVertex &vertex)
      : report(report), vertex(vertex) {}

  void check() {
    walk(vertex.compute->getBody(),
         [&](const Stmt &statement, const Surroundings &around) {
           if (const Expr *changed = changedBy(&statement))
             take(statement.getBeginLoc(), *changed, around);
         });
    for (const Store &store : stores)
      checkAlignment(store);
    if (vertex.type.kind == runtime::VertexKind::Multi)
      checkWorkers();
  }

private:
  void take(SourceLocation location, const Expr &changed,
            const Surroundings &around) {
    const FieldAccess access = fieldAccess(&changed);
    const VarDecl *variable = variableOf(&changed);
    if (access.field)
      stores.push_back({location, access, around});
    else if (variable && variable->hasGlobalStorage())
      report.warn(location, "codelet-global",
                  "'" + variable->getNameAsString() +
                      "' is one variable for all vertices of a tile, whose "
                      "workers write to it at the same time; use a field");
  }

  /// The element of an edge that is smaller than a word, or nothing.
  std::optional<FieldShape> narrowShape(const FieldDecl &field) const {
    std::optional<FieldShape> shape =
        classifyField(report.context, field.getType());
    if (shape && shape->kind != archive::FieldKind::State &&
        runtime::sizeOf(shape->type) < 4)
      return shape;
    return std::nullopt;
  }

  void checkAlignment(const Store &store) {
    const std::optional<FieldShape> shape = narrowShape(*store.access.field);
    if (!shape || !store.access.index || store.around.loops.empty() ||
        shape->minAlign >= 4 || shape->inner == archive::Layout::NotAVector)
      return;
    const auto [at, insertion] = alignmentOf(*store.access.field);
    report.warn(store.access.field->getLocation(), "codelet-alignment",
                "elements of '" + store.access.field->getNameAsString() +
                    "' are stored one by one, each with the word around it; "
                    "with a stated alignment of 4 or more words are stored",
                at, insertion);
  }

  /// The place and the text that give a field's Vector an alignment.
  std::pair<SourceLocation, std::string>
  alignmentOf(const FieldDecl &field) const {
    const TypeSourceInfo *source = field.getTypeSourceInfo();
    TypeLoc type = source ? source->getTypeLoc() : TypeLoc();
    while (type) {
      if (const auto elaborated = type.getAs<ElaboratedTypeLoc>()) {
        type = elaborated.getNamedTypeLoc();
        continue;
      }
      const auto special = type.getAs<TemplateSpecializationTypeLoc>();
      if (!special || special.getNumArgs() == 0)
        break;
      const TemplateDecl *name =
          special.getTypePtr()->getTemplateName().getAsTemplateDecl();
      if (name && name->getName() == "Vector")
        return {endOf(special.getArgLoc(special.getNumArgs() - 1)),
                special.getNumArgs() == 1   ? ", poplar::VectorLayout::SPAN, 8"
                : special.getNumArgs() == 2 ? ", 8"
                                            : ""};
      const TypeSourceInfo *inner = special.getArgLoc(0).getTypeSourceInfo();
      type = inner ? inner->getTypeLoc() : TypeLoc();
    }
    return {};
  }

  SourceLocation endOf(const TemplateArgumentLoc &argument) const {
    return Lexer::getLocForEndOfToken(argument.getSourceRange().getEnd(), 0,
                                      report.context.getSourceManager(),
                                      report.context.getLangOpts());
  }

  void checkWorkers() {
    if (stores.empty() || vertex.compute->getNumParams() != 1)
      return;
    const ParmVarDecl &worker = *vertex.compute->getParamDecl(0);
    if (!mentions(vertex.compute->getBody(), worker)) {
      report.warn(vertex.compute->getLocation(), "codelet-workers",
                  "compute() does not use its worker's number, so that each "
                  "worker does all of the work");
      return;
    }
    for (const Store &store : stores) {
      checkElement(store, worker);
      checkNeighbours(store, worker);
    }
  }

  void checkElement(const Store &store, const ParmVarDecl &worker) {
    const bool isLimited =
        llvm::any_of(store.around.conditions, [&](const Expr *condition) {
          return mentions(condition, worker);
        });
    if (!store.access.index && !isLimited)
      report.warn(store.location, "codelet-workers",
                  "all workers write '" +
                      store.access.field->getNameAsString() +
                      "' at the same time; let one of them do it");
  }

  /// `for (i = worker; ...; i += numWorkers()) out[i] = ...` of bytes: a worker
  /// stores the words around its elements, which others change meanwhile.
  void checkNeighbours(const Store &store, const ParmVarDecl &worker) {
    if (!store.access.index || !narrowShape(*store.access.field))
      return;
    const VarDecl *index = variableOf(store.access.index);
    for (const Stmt *around : store.around.loops) {
      const auto *loop = dyn_cast<ForStmt>(around);
      const auto *init =
          loop ? dyn_cast_or_null<DeclStmt>(loop->getInit()) : nullptr;
      if (!index || !init || !init->isSingleDecl() ||
          init->getSingleDecl() != index || !index->getInit() ||
          variableOf(index->getInit()) != &worker)
        continue;
      report.warn(store.location, "codelet-neighbours",
                  "a store to '" + store.access.field->getNameAsString() +
                      "' stores the word around the element, which other "
                      "workers change at the same time; give each worker "
                      "whole words");
    }
  }

  CheckReport &report;
  const FoundVertex &vertex;
  std::vector<Store> stores;
};

} // namespace

void checkVertex(CheckReport &report, const FoundVertex &vertex) {
  if (vertex.compute && vertex.compute->hasBody())
    VertexChecker(report, vertex).check();
}

} // namespace populus::frontend
