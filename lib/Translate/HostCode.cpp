// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's run-time linker, with the functions of the C library that code may
// call.

#include "lib/Translate/HostCode.h"

#include <llvm/ExecutionEngine/RuntimeDyld.h>
#include <llvm/ExecutionEngine/SectionMemoryManager.h>
#include <llvm/Object/ObjectFile.h>

#include <cmath>
#include <cstring>
#include <map>
#include <stdexcept>

namespace populus::translate {

using namespace llvm;

namespace {

/// Resolves the functions that code may call: those of the semantics only.
class Memory : public SectionMemoryManager {
public:
  JITSymbol findSymbol(const std::string &name) override {
    using Unary = double (*)(double);
    using BinaryF = float (*)(float, float);
    static const std::map<std::string, void *> known = {
        // LLVM finds these two where a half is known to be a number.
        {"fmaxf", reinterpret_cast<void *>(static_cast<BinaryF>(std::fmax))},
        {"fminf", reinterpret_cast<void *>(static_cast<BinaryF>(std::fmin))},
        {"ldexp", reinterpret_cast<void *>(
                      static_cast<double (*)(double, int)>(std::ldexp))},
        {"round", reinterpret_cast<void *>(static_cast<Unary>(std::round))},
        {"memcpy", reinterpret_cast<void *>(std::memcpy)},
        {"memmove", reinterpret_cast<void *>(std::memmove)},
        {"memset", reinterpret_cast<void *>(std::memset)},
    };
    const auto found = known.find(name);
    if (found == known.end())
      return nullptr;
    return JITSymbol(reinterpret_cast<JITTargetAddress>(found->second),
                     JITSymbolFlags::Exported);
  }
};

} // namespace

struct HostCode::Loaded {
  Memory memory;
  RuntimeDyld linker{memory, memory};
};

HostCode::HostCode() = default;
HostCode::~HostCode() = default;

void *HostCode::load(const MemoryBuffer &object, StringRef name) {
  Expected<std::unique_ptr<object::ObjectFile>> file =
      object::ObjectFile::createObjectFile(object.getMemBufferRef());
  if (!file)
    throw std::runtime_error("translated code is not an object file: " +
                             toString(file.takeError()));
  loaded.push_back(std::make_unique<Loaded>());
  RuntimeDyld &linker = loaded.back()->linker;
  linker.loadObject(**file);
  linker.finalizeWithMemoryManagerLocking();
  if (linker.hasError())
    throw std::runtime_error("translated code cannot be loaded: " +
                             linker.getErrorString().str());
  return reinterpret_cast<void *>(linker.getSymbol(name).getAddress());
}

} // namespace populus::translate
