// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Object files loaded into this process.

#ifndef POPULUS_LIB_TRANSLATE_HOSTCODE_H
#define POPULUS_LIB_TRANSLATE_HOSTCODE_H

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/MemoryBuffer.h>

#include <memory>
#include <vector>

namespace populus::translate {

class HostCode {
public:
  HostCode();
  ~HostCode();

  /// Loads an object file that the code generator made, and finds a function
  /// of it.
  void *load(const llvm::MemoryBuffer &object, llvm::StringRef name);

private:
  struct Loaded;
  std::vector<std::unique_ptr<Loaded>> loaded;
};

} // namespace populus::translate

#endif
