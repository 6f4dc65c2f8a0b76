// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spells vertex names from declarations. Clang's own printer is not used for
// template arguments: its spelling ("unsigned int", casts around enumerators,
// `_Float16`) is meant for messages and changes between versions.

#include "lib/Frontend/VertexNames.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <llvm/ADT/StringExtras.h>

using namespace clang;

namespace populus::frontend {

namespace {

std::string argumentName(const ASTContext &context,
                         const TemplateArgument &argument);

std::string joinArguments(const ASTContext &context,
                          llvm::ArrayRef<TemplateArgument> arguments) {
  std::string text;
  for (const TemplateArgument &argument : arguments) {
    std::string name = argumentName(context, argument);
    if (!text.empty() && !name.empty())
      text += ',';
    text += name;
  }
  return text;
}

std::string recordName(const NamedDecl &decl) {
  std::string name;
  llvm::raw_string_ostream stream(name);
  decl.printNestedNameSpecifier(stream,
                                decl.getASTContext().getPrintingPolicy());
  stream << decl.getName();
  if (auto *special = llvm::dyn_cast<ClassTemplateSpecializationDecl>(&decl))
    stream << '<'
           << joinArguments(decl.getASTContext(),
                            special->getTemplateArgs().asArray())
           << '>';
  return name;
}

std::string typeName(const ASTContext &context, QualType type) {
  type = type.getCanonicalType();
  if (!type.hasLocalQualifiers()) {
    if (auto *builtin = type->getAs<BuiltinType>();
        builtin && (builtin->getKind() == BuiltinType::Float16 ||
                    builtin->getKind() == BuiltinType::Half))
      return "half";
    if (const TagDecl *tag = type->getAsTagDecl())
      return recordName(*tag);
  }
  PrintingPolicy policy(context.getLangOpts());
  policy.adjustForCPlusPlus();
  return type.getAsString(policy);
}

/// An enumerator's qualified name, or the number where none has the value.
std::string integralName(const TemplateArgument &argument) {
  QualType type = argument.getIntegralType();
  const llvm::APSInt value = argument.getAsIntegral();
  if (type->isBooleanType())
    return value.getBoolValue() ? "true" : "false";
  if (const auto *enumeration = type->getAs<EnumType>())
    for (const EnumConstantDecl *constant :
         enumeration->getDecl()->enumerators())
      if (llvm::APSInt::isSameValue(constant->getInitVal(), value))
        return constant->getQualifiedNameAsString();
  llvm::SmallString<24> digits;
  value.toString(digits);
  return std::string(digits);
}

std::string argumentName(const ASTContext &context,
                         const TemplateArgument &argument) {
  switch (argument.getKind()) {
  case TemplateArgument::Type:
    return typeName(context, argument.getAsType());
  case TemplateArgument::Integral:
    return integralName(argument);
  case TemplateArgument::Pack:
    return joinArguments(context, argument.getPackAsArray());
  default: {
    std::string text;
    llvm::raw_string_ostream stream(text);
    argument.print(PrintingPolicy(context.getLangOpts()), stream, true);
    return text;
  }
  }
}

} // namespace

std::string vertexName(const CXXRecordDecl &record) {
  return recordName(record);
}

std::string entrySymbol(const std::string &vertexName) {
  std::string symbol = "__runCodelet_";
  for (std::size_t i = 0; i != vertexName.size(); ++i) {
    char c = vertexName[i];
    if (vertexName.compare(i, 2, "::") == 0) {
      symbol += "__";
      ++i;
    } else if (c == '<') {
      symbol += "___";
    } else if (c != '>') {
      bool isIdentifier = llvm::isAlnum(c) || c == '_';
      symbol += isIdentifier ? c : '_';
    }
  }
  return symbol;
}

} // namespace populus::frontend
