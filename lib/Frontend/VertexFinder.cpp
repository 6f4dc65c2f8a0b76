// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vertex type is a class that derives from one of poplar's vertex bases and
// is complete in itself: not a template, but an explicit instantiation or
// specialisation of one counts. A class that others derive from may lack
// compute(); it is not a vertex type then.

#include "lib/Frontend/VertexFinder.h"

#include "lib/Frontend/ConstraintAttribute.h"
#include "lib/Frontend/FieldTypes.h"
#include "lib/Frontend/OwnWarnings.h"
#include "lib/Frontend/VertexNames.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecordLayout.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Sema/Sema.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Regex.h>
#include <map>
#include <optional>

using namespace clang;

namespace populus::frontend {

using runtime::VertexKind;

namespace {

std::optional<VertexKind> baseKind(const CXXRecordDecl &record) {
  auto *space = dyn_cast<NamespaceDecl>(record.getDeclContext());
  if (!space || space->getName() != "poplar" ||
      !space->getParent()->isTranslationUnit() || !record.getIdentifier())
    return std::nullopt;
  if (record.getName() == "Vertex")
    return VertexKind::Worker;
  if (record.getName() == "SupervisorVertex")
    return VertexKind::Supervisor;
  if (record.getName() == "MultiVertex")
    return VertexKind::Multi;
  return std::nullopt;
}

/// The vertex base that a class derives from, directly or not.
std::optional<VertexKind> vertexKind(const CXXRecordDecl &record) {
  for (const CXXBaseSpecifier &base : record.bases()) {
    const CXXRecordDecl *parent = base.getType()->getAsCXXRecordDecl();
    if (!parent || !parent->hasDefinition())
      continue;
    parent = parent->getDefinition();
    if (std::optional<VertexKind> kind = baseKind(*parent))
      return kind;
    if (std::optional<VertexKind> kind = vertexKind(*parent))
      return kind;
  }
  return std::nullopt;
}

/// Counts how many times a class derives from a vertex class, directly or not.
unsigned countVertexBases(const CXXRecordDecl &record) {
  unsigned count = 0;
  for (const CXXBaseSpecifier &base : record.bases())
    if (const CXXRecordDecl *parent = base.getType()->getAsCXXRecordDecl();
        parent && parent->hasDefinition())
      count +=
          baseKind(*parent) ? 1 : countVertexBases(*parent->getDefinition());
  return count;
}

/// Templates are offered to the host only where the source says so.
bool isInstance(const CXXRecordDecl &record) {
  switch (record.getTemplateSpecializationKind()) {
  case TSK_Undeclared:
    // A member of a class template's implicit instantiation has a kind of its
    // own; this is an ordinary class.
  case TSK_ExplicitSpecialization:
  case TSK_ExplicitInstantiationDefinition:
    return true;
  case TSK_ImplicitInstantiation:
  case TSK_ExplicitInstantiationDeclaration:
    return false;
  }
  return false;
}

/// Members of that name, of the class or else of its bases.
template <typename DeclT>
llvm::SmallVector<DeclT *, 2> membersNamed(const CXXRecordDecl &record,
                                           llvm::StringRef name) {
  llvm::SmallVector<DeclT *, 2> members;
  for (Decl *decl : record.decls())
    if (auto *member = dyn_cast<DeclT>(decl);
        member && member->getIdentifier() && member->getName() == name)
      members.push_back(member);
  if (!members.empty())
    return members;
  for (const CXXBaseSpecifier &base : record.bases())
    if (const CXXRecordDecl *parent = base.getType()->getAsCXXRecordDecl();
        parent && parent->hasDefinition())
      members.append(membersNamed<DeclT>(*parent->getDefinition(), name));
  return members;
}

class Finder {
public:
  Finder(Sema &sema, const runtime::TargetInfo &target)
      : sema(sema), context(sema.Context), target(target) {}

  std::vector<FoundVertex> find(llvm::ArrayRef<CXXRecordDecl *> classes) {
    std::vector<CXXRecordDecl *> candidates;
    llvm::SmallPtrSet<const CXXRecordDecl *, 16> parents;
    for (CXXRecordDecl *record : classes) {
      checkIsInstantiated(*record);
      if (record->isDependentContext() || !vertexKind(*record))
        continue;
      for (const CXXBaseSpecifier &base : record->bases())
        if (CXXRecordDecl *parent = base.getType()->getAsCXXRecordDecl())
          parents.insert(parent->getCanonicalDecl());
      if (isInstance(*record))
        candidates.push_back(record);
    }
    std::vector<FoundVertex> vertices;
    for (CXXRecordDecl *record : candidates) {
      bool isParent = parents.contains(record->getCanonicalDecl());
      if (isParent && membersNamed<CXXMethodDecl>(*record, "compute").empty())
        continue;
      if (std::optional<FoundVertex> vertex = describe(*record))
        vertices.push_back(std::move(*vertex));
    }
    return vertices;
  }

private:
  template <unsigned N>
  DiagnosticBuilder error(SourceLocation location, const char (&text)[N]) {
    DiagnosticsEngine &diagnostics = sema.getDiagnostics();
    return diagnostics.Report(
        location, diagnostics.getCustomDiagID(DiagnosticsEngine::Error, text));
  }

  template <unsigned N>
  DiagnosticBuilder warning(SourceLocation location, const char (&text)[N]) {
    DiagnosticsEngine &diagnostics = sema.getDiagnostics();
    return diagnostics.Report(
        location, diagnostics.getCustomDiagID(warningLevel(diagnostics), text));
  }

  /// A template without instances offers nothing to graphs. One in a header may
  /// be there for other sources.
  void checkIsInstantiated(const CXXRecordDecl &record) {
    ClassTemplateDecl *made = record.getDescribedClassTemplate();
    if (!made || !made->specializations().empty() || !vertexKind(record) ||
        membersNamed<CXXMethodDecl>(record, "compute").empty() ||
        !context.getSourceManager().isInMainFile(record.getLocation()))
      return;
    warning(record.getLocation(),
            "vertex class template '%0' is not instantiated, so graphs cannot "
            "use it; add 'template class %0<...>;'")
        << record.getName();
  }

  std::optional<FoundVertex> describe(CXXRecordDecl &record) {
    FoundVertex vertex;
    archive::VertexType &type = vertex.type;
    type.name = vertexName(record);
    type.entry = entrySymbol(type.name);
    type.kind = *vertexKind(record);
    const CXXRecordDecl *pattern = record.getTemplateInstantiationPattern();
    type.location = locationText((pattern ? pattern : &record)->getLocation());
    type.constraints = constraintsOf(record);
    if (record.isPolymorphic() || record.getNumVBases()) {
      error(record.getLocation(),
            "vertex class '%0' has virtual functions or virtual bases; its "
            "state is laid out by the graph compiler, which cannot make a "
            "virtual table")
          << type.name;
      return std::nullopt;
    }
    if (countVertexBases(record) > 1) {
      error(record.getLocation(),
            "vertex class '%0' derives from more than one vertex base")
          << type.name;
      return std::nullopt;
    }
    if (!checkEntry(type, record.getLocation()))
      return std::nullopt;
    type.isExternal = isExternal(record) && target.isIpu();
    if (!type.isExternal) {
      vertex.compute = findCompute(record, type);
      if (!vertex.compute)
        return std::nullopt;
    }
    const ASTRecordLayout &layout = context.getASTRecordLayout(&record);
    type.targets.push_back(
        {std::string(target.name),
         static_cast<std::uint32_t>(layout.getSize().getQuantity()),
         static_cast<std::uint32_t>(layout.getAlignment().getQuantity())});
    if (!addFields(record, 0, type))
      return std::nullopt;
    checkConstraints(record, type);
    return vertex;
  }

  std::string locationText(SourceLocation location) const {
    PresumedLoc presumed = context.getSourceManager().getPresumedLoc(location);
    if (presumed.isInvalid())
      return "";
    return llvm::sys::path::filename(presumed.getFilename()).str() + ":" +
           std::to_string(presumed.getLine());
  }

  /// Different names may give the same symbol ("A::B" and "A__B").
  bool checkEntry(const archive::VertexType &type, SourceLocation location) {
    auto [known, isNew] = entries.emplace(type.entry, type.name);
    if (!isNew)
      error(location, "vertex types '%0' and '%1' have the same entry symbol "
                      "'%2'; rename one of them")
          << known->second << type.name << type.entry;
    return isNew;
  }

  bool isExternal(const CXXRecordDecl &record) {
    auto flags = membersNamed<VarDecl>(record, "isExternalCodelet");
    if (flags.empty())
      return false;
    const VarDecl *definition = nullptr;
    const Expr *value = flags.front()->getAnyInitializer(definition);
    bool result = false;
    if (!value || value->isValueDependent() ||
        !value->EvaluateAsBooleanCondition(result, context)) {
      error(flags.front()->getLocation(),
            "isExternalCodelet must be a constant true or false");
      return false;
    }
    return result;
  }

  CXXMethodDecl *findCompute(CXXRecordDecl &record,
                             const archive::VertexType &type) {
    auto methods = membersNamed<CXXMethodDecl>(record, "compute");
    bool isMulti = type.kind == VertexKind::Multi;
    if (methods.empty()) {
      error(record.getLocation(),
            "vertex class '%0' has no compute function; add '%1'")
          << type.name
          << (isMulti ? "bool compute(unsigned workerId)" : "bool compute()");
      return nullptr;
    }
    for (CXXMethodDecl *method : methods)
      if (hasParameters(*method, isMulti) && isCallable(*method)) {
        checkMode(*method, type);
        return method;
      }
    error(methods.front()->getLocation(),
          "compute function of vertex class '%0' must be declared as "
          "'%1', returning bool or void")
        << type.name
        << (isMulti ? "bool compute(unsigned workerId)" : "bool compute()");
    return nullptr;
  }

  /// Code for workers would be an illegal instruction at its first float.
  void checkMode(const CXXMethodDecl &method, const archive::VertexType &type) {
    const auto *mode = method.getAttr<TargetAttr>();
    if (type.kind == VertexKind::Supervisor && mode &&
        mode->getFeaturesStr() == "worker")
      error(mode->getLocation(),
            "compute function of supervisor vertex '%0' cannot be compiled for "
            "workers; leave the attribute out, or derive the class from "
            "poplar::Vertex")
          << type.name;
  }

  bool hasParameters(const CXXMethodDecl &method, bool isMulti) const {
    if (method.isStatic() || method.isVariadic())
      return false;
    if (!isMulti)
      return method.getNumParams() == 0;
    return method.getNumParams() == 1 &&
           context.hasSameUnqualifiedType(method.getParamDecl(0)->getType(),
                                          context.UnsignedIntTy);
  }

  /// Also makes Clang instantiate the body where nothing else has.
  bool isCallable(CXXMethodDecl &method) {
    if (!method.isDefined() && method.getTemplateInstantiationPattern())
      sema.InstantiateFunctionDefinition(method.getLocation(), &method,
                                         /*Recursive=*/true);
    QualType result = method.getReturnType();
    return result->isVoidType() || result->isBooleanType();
  }

  /// The fields of the bases, then the own ones: the order of the layout.
  bool addFields(const CXXRecordDecl &record, std::uint64_t offset,
                 archive::VertexType &type) {
    const ASTRecordLayout &layout = context.getASTRecordLayout(&record);
    bool good = true;
    for (const CXXBaseSpecifier &base : record.bases()) {
      const CXXRecordDecl *parent =
          base.getType()->getAsCXXRecordDecl()->getDefinition();
      std::uint64_t start = layout.getBaseClassOffset(parent).getQuantity();
      good &= addFields(*parent, offset + start, type);
    }
    for (const FieldDecl *field : record.fields()) {
      std::uint64_t bits = layout.getFieldOffset(field->getFieldIndex());
      good &= addField(*field, offset + bits / 8, type);
    }
    return good;
  }

  /// A constraint that cannot be obeyed would only be noticed as slow code.
  void checkConstraints(const CXXRecordDecl &record,
                        const archive::VertexType &type) {
    static const llvm::Regex Form(
        "^ *(elem|region) *\\( *\\*+ *([A-Za-z_0-9]+) *\\) *!= *(elem|region) "
        "*\\( *\\*+ *([A-Za-z_0-9]+) *\\) *$");
    for (const std::string &text : type.constraints) {
      llvm::SmallVector<llvm::StringRef, 5> parts;
      if (!Form.match(text, &parts) || parts[1] != parts[3]) {
        warning(record.getLocation(),
                "the constraint \"%0\" of vertex class '%1' is not understood; "
                "write \"elem(*a) != elem(*b)\" of two fields")
            << text << type.name;
        continue;
      }
      for (llvm::StringRef name : {parts[2], parts[4]})
        if (llvm::none_of(type.fields, [&](const archive::Field &field) {
              return field.name == name;
            }))
          warning(record.getLocation(),
                  "the constraint \"%0\" names '%1', which is no field of "
                  "vertex class '%2'")
              << text << name << type.name;
    }
  }

  bool addField(const FieldDecl &decl, std::uint64_t offset,
                archive::VertexType &type) {
    std::optional<FieldShape> shape;
    if (!decl.isBitField() && !decl.isAnonymousStructOrUnion())
      shape = classifyField(context, decl.getType());
    if (!shape) {
      error(decl.getLocation(),
            "Field '%0.%1' has unsupported field type '%2'; %3")
          << type.name << decl.getName()
          << decl.getType().getAsString(context.getPrintingPolicy())
          << (decl.isBitField() ? "a field must have a place of its own"
                                : fieldAdvice(decl.getType()));
      return false;
    }
    if (llvm::any_of(type.fields, [&](const archive::Field &field) {
          return field.name == decl.getName();
        })) {
      error(decl.getLocation(),
            "vertex class '%0' has two fields '%1', one of them from a base "
            "class; the graph knows them by name, so rename one")
          << type.name << decl.getName();
      return false;
    }
    archive::Field field;
    field.name = decl.getName().str();
    field.kind = shape->kind;
    field.direction = shape->direction;
    field.type = shape->type;
    field.minAlign = shape->minAlign;
    field.interleaved = shape->interleaved;
    std::uint64_t bytes =
        context.getTypeSizeInChars(decl.getType()).getQuantity();
    field.places.push_back({static_cast<std::uint32_t>(offset),
                            static_cast<std::uint32_t>(bytes), shape->inner,
                            shape->outer});
    type.fields.push_back(std::move(field));
    if (shape->type == runtime::ElementType::Quarter)
      addMetadataField(decl, offset, type);
    return true;
  }

  /// The pointer to an edge's metadata is a field of its own, an edge that the
  /// graph connects by itself.
  void addMetadataField(const FieldDecl &decl, std::uint64_t offset,
                        archive::VertexType &type) {
    const CXXRecordDecl &edge = *decl.getType()->getAsCXXRecordDecl();
    const ASTRecordLayout &layout = context.getASTRecordLayout(&edge);
    const CXXRecordDecl *metadata =
        std::next(edge.bases_begin())->getType()->getAsCXXRecordDecl();
    const std::uint64_t start =
        offset + layout.getBaseClassOffset(metadata).getQuantity();
    type.fields.back().places.back().bytes =
        static_cast<std::uint32_t>(start - offset);
    archive::Field field;
    field.name = decl.getName().str() + archive::MetadataSuffix;
    field.kind = archive::FieldKind::Edge;
    field.direction = archive::Direction::Input;
    field.type = runtime::ElementType::QuarterMetadata;
    field.places.push_back(
        {static_cast<std::uint32_t>(start),
         static_cast<std::uint32_t>(
             context.getTypeSizeInChars(context.VoidPtrTy).getQuantity()),
         archive::Layout::NotAVector, archive::Layout::NotAVector});
    type.fields.push_back(std::move(field));
  }

  Sema &sema;
  ASTContext &context;
  const runtime::TargetInfo &target;
  std::map<std::string, std::string> entries; // symbol -> vertex name
};

} // namespace

std::vector<FoundVertex> findVertices(Sema &sema,
                                      llvm::ArrayRef<CXXRecordDecl *> classes,
                                      const runtime::TargetInfo &target) {
  return Finder(sema, target).find(classes);
}

} // namespace populus::frontend
