// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a file given to Graph::addCodelets holds; Auto goes by its name.

#ifndef POPULUS_INCLUDE_POPLAR_CODELETFILETYPE_HPP
#define POPULUS_INCLUDE_POPLAR_CODELETFILETYPE_HPP

namespace poplar {

enum class CodeletFileType {
  PreprocessedAsmSource, // .s
  AsmSource,             // .S
  CSource,               // .c
  CppSource,             // .cpp
  IrSource,              // .ll
  Object,                // .gp
  Auto,
};

} // namespace poplar

#endif
