// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions are known by their symbols, since calls are looked at in the
// object: what the optimiser has removed is not refused. Their places in the
// source are looked for only when there is something to report.

#include "lib/Frontend/LibraryCalls.h"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/TargetLibraryInfo.h>

using namespace clang;

namespace populus::frontend {

namespace {

constexpr const char *NeedsHeap =
    "which takes memory while it runs, and a codelet has no heap; use a field "
    "of "
    "the vertex, whose size the graph knows, or an array on the stack";
constexpr const char *NeedsInput =
    "and a codelet has neither files nor input; connect the data to a field of "
    "the vertex";
constexpr const char *NeedsThreads =
    "and a tile has no threads of that kind; a MultiVertex runs on all workers";
constexpr const char *NeedsRuntime =
    "which is part of a run-time library that does not exist for a tile; leave "
    "out the option that asks for it (sanitizers, OpenMP, profiling)";
constexpr const char *NeedsWorker =
    "which is code for workers, and a supervisor cannot run it; call it in a "
    "worker vertex";

/// Returns why no codelet can call a symbol, or null.
const char *refusalForAll(llvm::StringRef symbol) {
  return llvm::StringSwitch<const char *>(symbol)
      .StartsWith("_Znw", NeedsHeap)
      .StartsWith("_Zna", NeedsHeap)
      .Cases("malloc", "calloc", "realloc", "aligned_alloc", "memalign",
             "posix_memalign", "valloc", "strdup", "strndup", NeedsHeap)
      .Cases("fopen", "freopen", "fdopen", "tmpfile", "fread", "fgets", "fgetc",
             "getc", "getchar", NeedsInput)
      .Cases("gets", "getline", "scanf", "fscanf", NeedsInput)
      .StartsWith("pthread_", NeedsThreads)
      .StartsWith("__asan_", NeedsRuntime)
      .StartsWith("__hwasan_", NeedsRuntime)
      .StartsWith("__msan_", NeedsRuntime)
      .StartsWith("__tsan_", NeedsRuntime)
      .StartsWith("__ubsan_", NeedsRuntime)
      .StartsWith("__sanitizer_", NeedsRuntime)
      .StartsWith("__kmpc_", NeedsRuntime)
      .StartsWith("__llvm_profile_", NeedsRuntime)
      .StartsWith("__cyg_profile_", NeedsRuntime)
      .Case("mcount", NeedsRuntime)
      .Default(nullptr);
}

/// The device library's functions for both contexts (lib/Device/Memory.c), and
/// what ends in a trap at once.
bool isForSupervisor(llvm::StringRef symbol) {
  return llvm::StringSwitch<bool>(symbol)
      .Cases("memcpy", "memmove", "memset", "memcmp", "bcmp", "abort", true)
      .Default(false);
}

bool isLibraryFunction(llvm::StringRef symbol) {
  static const llvm::TargetLibraryInfoImpl library;
  llvm::LibFunc function;
  return library.getLibFunc(symbol, function);
}

/// Looks through a function and what it calls, in the user's own sources.
class CallFinder : public RecursiveASTVisitor<CallFinder> {
public:
  CallFinder(const SourceManager &sources, llvm::StringRef symbol)
      : sources(sources), symbol(symbol) {}

  SourceLocation find(const FunctionDecl *function) {
    queue.push_back(function);
    while (!queue.empty() && found.isInvalid()) {
      const FunctionDecl *next = queue.pop_back_val();
      if (seen.insert(next->getCanonicalDecl()).second && next->hasBody(next) &&
          !sources.isInSystemHeader(next->getLocation()))
        TraverseStmt(next->getBody());
    }
    return found;
  }

  bool VisitCallExpr(CallExpr *call) {
    return look(call->getDirectCallee(), call->getBeginLoc());
  }
  bool VisitCXXNewExpr(CXXNewExpr *expression) {
    return look(expression->getOperatorNew(), expression->getBeginLoc());
  }

private:
  /// Returns whether to continue the search.
  bool look(const FunctionDecl *callee, SourceLocation location) {
    if (!callee)
      return true;
    if (isThatFunction(*callee))
      found = location;
    queue.push_back(callee);
    return found.isInvalid();
  }

  bool isThatFunction(const FunctionDecl &function) const {
    if (symbol.starts_with("_Znw"))
      return function.getOverloadedOperator() == OO_New;
    if (symbol.starts_with("_Zna"))
      return function.getOverloadedOperator() == OO_Array_New;
    return function.getIdentifier() && function.getName() == symbol;
  }

  const SourceManager &sources;
  llvm::StringRef symbol;
  SourceLocation found;
  llvm::SmallVector<const FunctionDecl *> queue;
  llvm::SmallPtrSet<const FunctionDecl *, 16> seen;
};

} // namespace

std::string libraryCallRefusal(llvm::StringRef symbol,
                               runtime::VertexKind caller) {
  if (const char *refusal = refusalForAll(symbol))
    return refusal;
  if (caller == runtime::VertexKind::Supervisor && isLibraryFunction(symbol) &&
      !isForSupervisor(symbol))
    return NeedsWorker;
  return "";
}

SourceLocation findLibraryCall(const FunctionDecl &caller,
                               llvm::StringRef symbol) {
  return CallFinder(caller.getASTContext().getSourceManager(), symbol)
      .find(&caller);
}

} // namespace populus::frontend
