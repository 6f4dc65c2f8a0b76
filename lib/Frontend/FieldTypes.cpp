// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the nest of poplar templates that a field's type is made of apart, from
// the outside in.

#include "lib/Frontend/FieldTypes.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>

using namespace clang;

namespace populus::frontend {

using archive::Direction;
using archive::FieldKind;
using archive::Layout;
using runtime::ElementType;

namespace {

std::optional<ElementType> elementType(const ASTContext &context,
                                       QualType type) {
  type = type.getCanonicalType();
  if (const auto *enumeration = type->getAs<EnumType>())
    type = enumeration->getDecl()->getIntegerType().getCanonicalType();
  const auto *builtin = type->getAs<BuiltinType>();
  if (!builtin)
    return std::nullopt;
  // On the host `long` has the 8 bytes that `long long` has everywhere, and is
  // what int64_t means there.
  bool isLongLong = context.getTypeSize(type) == 64;
  switch (builtin->getKind()) {
  case BuiltinType::Bool:
    return ElementType::Bool;
  case BuiltinType::Char_S:
  case BuiltinType::Char_U:
    return ElementType::Char;
  case BuiltinType::SChar:
    return ElementType::SignedChar;
  case BuiltinType::UChar:
    return ElementType::UnsignedChar;
  case BuiltinType::Short:
    return ElementType::Short;
  case BuiltinType::UShort:
    return ElementType::UnsignedShort;
  case BuiltinType::Int:
    return ElementType::Int;
  case BuiltinType::UInt:
    return ElementType::UnsignedInt;
  case BuiltinType::Long:
    return isLongLong ? ElementType::LongLong : ElementType::Long;
  case BuiltinType::ULong:
    return isLongLong ? ElementType::UnsignedLongLong
                      : ElementType::UnsignedLong;
  case BuiltinType::LongLong:
    return ElementType::LongLong;
  case BuiltinType::ULongLong:
    return ElementType::UnsignedLongLong;
  case BuiltinType::Half:
  case BuiltinType::Float16:
    return ElementType::Half;
  case BuiltinType::Float:
    return ElementType::Float;
  default:
    return std::nullopt;
  }
}

/// A specialisation of a class template of namespace poplar, or null.
const ClassTemplateSpecializationDecl *poplarTemplate(QualType type) {
  auto *record = llvm::dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      type->getAsCXXRecordDecl());
  if (!record)
    return nullptr;
  auto *space = llvm::dyn_cast<NamespaceDecl>(
      record->getDeclContext()->getEnclosingNamespaceContext());
  bool isPoplar = space && space->getName() == "poplar" &&
                  space->getParent()->isTranslationUnit();
  return isPoplar ? record : nullptr;
}

Direction directionOf(llvm::StringRef name) {
  if (name == "Input")
    return Direction::Input;
  if (name == "Output")
    return Direction::Output;
  if (name == "InOut")
    return Direction::InOut;
  return Direction::None;
}

/// The name of the enumerator that is template argument `index`.
llvm::StringRef
enumeratorArgument(const ClassTemplateSpecializationDecl &record,
                   unsigned index) {
  const TemplateArgument &argument = record.getTemplateArgs()[index];
  const auto *type = argument.getIntegralType()->getAs<EnumType>();
  for (const EnumConstantDecl *constant : type->getDecl()->enumerators())
    if (llvm::APSInt::isSameValue(constant->getInitVal(),
                                  argument.getAsIntegral()))
      return constant->getName();
  return "";
}

Layout vectorLayout(const ClassTemplateSpecializationDecl &vector) {
  llvm::StringRef name = enumeratorArgument(vector, 1);
  return name == "SPAN" || name == "SHORT_SPAN" ? Layout::Span : Layout::OnePtr;
}

/// The arguments MinAlign and Interleaved, which vectors and lists share.
void readPlacement(const ClassTemplateSpecializationDecl &vector,
                   FieldShape &shape) {
  const TemplateArgumentList &arguments = vector.getTemplateArgs();
  shape.minAlign =
      static_cast<std::uint32_t>(arguments[2].getAsIntegral().getZExtValue());
  shape.interleaved = arguments[3].getAsIntegral().getBoolValue();
}

class Classifier {
public:
  explicit Classifier(const ASTContext &context) : context(context) {}

  std::optional<FieldShape> classify(QualType type) {
    const ClassTemplateSpecializationDecl *record = poplarTemplate(type);
    bool good = false;
    if (!record)
      good = setElement(type);
    else if (record->getName() == "Vector")
      good = vector(*record);
    else if (directionOf(record->getName()) != Direction::None)
      good = edge(*record);
    if (!good)
      return std::nullopt;
    return shape;
  }

private:
  bool setElement(QualType type) {
    std::optional<ElementType> element = elementType(context, type);
    if (!element)
      return false;
    shape.type = *element;
    shape.minAlign = static_cast<std::uint32_t>(
        context.getTypeAlignInChars(type).getQuantity());
    return true;
  }

  static QualType firstArgument(const ClassTemplateSpecializationDecl &record) {
    return record.getTemplateArgs()[0].getAsType();
  }

  /// Input<T>, Input<Vector<T>>, Input<VectorList<T>> and so on.
  bool edge(const ClassTemplateSpecializationDecl &record) {
    shape.direction = directionOf(record.getName());
    QualType inside = firstArgument(record);
    const ClassTemplateSpecializationDecl *region = poplarTemplate(inside);
    if (!region) {
      shape.kind = FieldKind::Edge;
      return setElement(inside);
    }
    if (!setElement(firstArgument(*region)))
      return false;
    readPlacement(*region, shape);
    if (region->getName() == "Vector") {
      shape.kind = FieldKind::EdgeVector;
      shape.inner = vectorLayout(*region);
      return true;
    }
    if (region->getName() != "VectorList")
      return false;
    // A list is a span of spans here (FieldTypes.hpp), as is a vector of edges.
    shape.kind = FieldKind::EdgeList;
    shape.inner = Layout::Span;
    shape.outer = Layout::Span;
    return true;
  }

  /// Vector<T>, Vector<Input<T>>, Vector<Input<Vector<T>>>.
  bool vector(const ClassTemplateSpecializationDecl &record) {
    QualType inside = firstArgument(record);
    const ClassTemplateSpecializationDecl *element = poplarTemplate(inside);
    if (!element) {
      shape.kind = FieldKind::StateVector;
      shape.inner = vectorLayout(record);
      if (!setElement(inside))
        return false;
      readPlacement(record, shape);
      return true;
    }
    if (directionOf(element->getName()) == Direction::None || !edge(*element))
      return false;
    if (shape.kind == FieldKind::EdgeList)
      return false; // a vector of lists
    shape.kind = shape.kind == FieldKind::Edge ? FieldKind::EdgeScalars
                                               : FieldKind::EdgeList;
    shape.outer = vectorLayout(record);
    return true;
  }

  const ASTContext &context;
  FieldShape shape;
};

} // namespace

std::optional<FieldShape> classifyField(const ASTContext &context,
                                        QualType type) {
  return Classifier(context).classify(type);
}

} // namespace populus::frontend
