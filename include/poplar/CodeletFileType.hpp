// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type of a file given to Graph::addCodelets. Auto derives it from the file
// name.

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
