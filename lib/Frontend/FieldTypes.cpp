// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes the nest of poplar templates that a field's type is made of apart, from
// the outside in.

#include "lib/Frontend/FieldTypes.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <llvm/ADT/StringSwitch.h>

#include <algorithm>

using namespace clang;

namespace populus::frontend {

using archive::Direction;
using archive::FieldKind;
using archive::Layout;
using runtime::ElementType;

namespace {

/// The class `quarter` of include/poplar/QuarterFloat.hpp.
bool isQuarter(QualType type) {
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record && record->getIdentifier() && record->getName() == "quarter" &&
         record->getDeclContext()->isTranslationUnit();
}

std::optional<ElementType> elementType(const ASTContext &context,
                                       QualType type) {
  type = type.getCanonicalType();
  if (isQuarter(type))
    return ElementType::Quarter;
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

/// COMPACT_PTR is a pointer (include/poplar/AvailableVTypes.h).
Layout vectorLayout(const ClassTemplateSpecializationDecl &vector) {
  return llvm::StringSwitch<Layout>(enumeratorArgument(vector, 1))
      .Case("SPAN", Layout::Span)
      .Case("SHORT_SPAN", Layout::ShortSpan)
      .Case("SCALED_PTR32", Layout::ScaledPtr32)
      .Case("SCALED_PTR64", Layout::ScaledPtr64)
      .Case("SCALED_PTR128", Layout::ScaledPtr128)
      .Default(Layout::OnePtr);
}

/// COMPACT_DELTAN is a span of spans.
Layout listLayout(const ClassTemplateSpecializationDecl &list) {
  return llvm::StringSwitch<Layout>(enumeratorArgument(list, 1))
      .Case("DELTAN", Layout::DeltaN)
      .Case("DELTANELEMENTS", Layout::DeltaNElements)
      .Default(Layout::Span);
}

/// Returns the alignment that a pointer of the layout must have.
std::uint32_t scaleOf(Layout layout) {
  return layout == Layout::ScaledPtr32    ? 4
         : layout == Layout::ScaledPtr64  ? 8
         : layout == Layout::ScaledPtr128 ? 16
                                          : 1;
}

/// The arguments MinAlign and Interleaved, which vectors and lists share. The
/// alignment that the elements need is known already.
void readPlacement(const ClassTemplateSpecializationDecl &vector,
                   FieldShape &shape) {
  const TemplateArgumentList &arguments = vector.getTemplateArgs();
  auto asked =
      static_cast<std::uint32_t>(arguments[2].getAsIntegral().getZExtValue());
  shape.minAlign = std::max({shape.minAlign, asked, scaleOf(shape.inner)});
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
    if (!good || lacksMetadata())
      return std::nullopt;
    return shape;
  }

private:
  /// Quarters mean nothing without metadata, for which edges have a place.
  bool lacksMetadata() const {
    return shape.type == ElementType::Quarter &&
           shape.kind != FieldKind::Edge && shape.kind != FieldKind::EdgeVector;
  }

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
    if (region->getName() == "Vector") {
      shape.kind = FieldKind::EdgeVector;
      shape.inner = vectorLayout(*region);
    } else if (region->getName() == "VectorList") {
      shape.kind = FieldKind::VectorList;
      shape.inner = Layout::Span;
      shape.outer = listLayout(*region);
    } else {
      return false;
    }
    readPlacement(*region, shape);
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
    if (shape.kind == FieldKind::VectorList)
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

const char *fieldAdvice(QualType type) {
  unsigned levels = 0;
  while (const ClassTemplateSpecializationDecl *record = poplarTemplate(type)) {
    const TemplateArgument &inside = record->getTemplateArgs()[0];
    if (inside.getKind() != TemplateArgument::Type)
      break;
    ++levels;
    type = inside.getAsType();
  }
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (isQuarter(type))
    return "only Input<>, Output<> and InOut<> of one quarter or one "
           "Vector<quarter> have a place for metadata";
  if (type->isReferenceType() || type->isPointerType())
    return "connect a tensor with Input<>, Output<> or InOut<>";
  if (type->isArrayType())
    return "use Vector<>";
  if (record)
    return "give each member a field of its own, or connect the bytes as "
           "Vector<unsigned char>";
  if (type->isSpecificBuiltinType(BuiltinType::Double) ||
      type->isSpecificBuiltinType(BuiltinType::LongDouble))
    return "use float";
  if (levels > 2)
    return "a list has one level: Vector<Input<Vector<>>>";
  if (levels > 1)
    return "Input<>, Output<> and InOut<> take an element, a Vector<> or a "
           "VectorList<> of elements, and Vector<> takes one of them";
  return "use an arithmetic type, an enumeration or poplar's field types";
}

} // namespace populus::frontend
