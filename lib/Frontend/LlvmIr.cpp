// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM trusts what it reads: its readers end in assertions that are compiled
// out, endless recursion or its handler of fatal errors when bitcode is damaged
// in the right place. So reading and verifying run under a recovery context,
// and what a reader that did not end well leaves behind is not touched again.

#include "lib/Frontend/LlvmIr.h"

#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <llvm/Support/SourceMgr.h>

namespace populus::frontend {

namespace {

/// The first line of what the verifier says; empty: nothing. It lets pass what
/// is named like an intrinsic, with metadata and all, though there is none.
std::string problemOf(llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (function.isIntrinsic() && !function.getIntrinsicID())
      return "unknown intrinsic '" + function.getName().str() + "'";
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (!llvm::verifyModule(module, &stream))
    return "";
  return llvm::StringRef(text).split('\n').first.str();
}

std::string invalid(const llvm::MemoryBuffer &buffer, std::string problem) {
  return buffer.getBufferIdentifier().str() +
         ": not valid LLVM IR: " + std::move(problem);
}

void read(const llvm::MemoryBuffer &buffer, const std::string &dataLayout,
          LlvmIr &ir) {
  // While it is read, as alignments that are left out follow from it.
  const llvm::ParserCallbacks callbacks(
      [&](llvm::StringRef, llvm::StringRef) { return dataLayout; });
  llvm::SMDiagnostic message;
  ir.module =
      llvm::parseIR(buffer.getMemBufferRef(), message, *ir.context, callbacks);
  if (!ir.module && message.getLineNo() > 0) {
    ir.error = message.getMessage().str();
    ir.line = static_cast<unsigned>(message.getLineNo());
    ir.column = static_cast<unsigned>(message.getColumnNo() + 1);
  } else if (!ir.module) {
    ir.error = invalid(buffer, message.getMessage().str());
  } else if (std::string problem = problemOf(*ir.module); !problem.empty()) {
    ir.error = invalid(buffer, std::move(problem));
    ir.module.reset();
  }
}

} // namespace

LlvmIr readLlvmIr(const llvm::MemoryBuffer &buffer,
                  const std::string &dataLayout,
                  std::unique_ptr<llvm::LLVMContext> context) {
  LlvmIr ir;
  ir.context = std::move(context);
  llvm::CrashRecoveryContext recovery;
  if (recovery.RunSafely([&] { read(buffer, dataLayout, ir); }))
    return ir;
  // Neither is in a state to be destroyed.
  (void)ir.module.release();
  (void)ir.context.release();
  return {nullptr, nullptr, invalid(buffer, "it cannot be read")};
}

} // namespace populus::frontend
