// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module shows constructors and indirect calls; calls and frames are read
// from the object, as the tile linker will read them: functions have sections
// of their own, so a section stands for a function.

#include "lib/Frontend/TileChecks.h"

#include "lib/Frontend/ExecutionModes.h"
#include "lib/Frontend/LibraryCalls.h"
#include "runtime/Target/ElfIpu.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/DataExtractor.h>
#include <map>
#include <set>

using namespace clang;

namespace populus::frontend {

namespace {

class Reporter {
public:
  explicit Reporter(const TileCheckInput &input)
      : input(input), diagnostics(input.context.getDiagnostics()) {}

  template <unsigned N>
  DiagnosticBuilder error(SourceLocation location, const char (&text)[N]) {
    return diagnostics.Report(
        location, diagnostics.getCustomDiagID(DiagnosticsEngine::Error, text));
  }
  template <unsigned N>
  DiagnosticBuilder note(SourceLocation location, const char (&text)[N]) {
    return diagnostics.Report(
        location, diagnostics.getCustomDiagID(DiagnosticsEngine::Note, text));
  }

  /// Returns the source location of a symbol's function; an entry point is
  /// located at its compute().
  SourceLocation locationOf(llvm::StringRef symbol) const {
    const Decl *decl = input.findDecl(sourceSymbol(symbol));
    return decl ? decl->getLocation() : SourceLocation();
  }

  /// Returns the location, in the user's own source, of the call of a library
  /// by a function that the entry point reaches; at least the entry point's
  /// location.
  SourceLocation locationOfCall(const EntryPoint &entry, llvm::StringRef symbol,
                                llvm::StringRef library) const {
    const auto *caller = llvm::dyn_cast_or_null<FunctionDecl>(
        input.findDecl(sourceSymbol(symbol)));
    SourceLocation call =
        caller ? findLibraryCall(*caller, library) : SourceLocation();
    if (call.isInvalid())
      call = locationOf(symbol);
    bool isOurs = call.isValid() &&
                  !input.context.getSourceManager().isInSystemHeader(call);
    return isOurs ? call : locationOf(entry.compute);
  }

  std::string nameOf(llvm::StringRef symbol) const {
    symbol = sourceSymbol(symbol);
    const auto *decl =
        llvm::dyn_cast_or_null<NamedDecl>(input.findDecl(symbol));
    return decl ? decl->getQualifiedNameAsString() : symbol.str();
  }

private:
  llvm::StringRef sourceSymbol(llvm::StringRef symbol) const {
    for (const EntryPoint &entry : input.entries)
      if (entry.symbol == symbol)
        return entry.compute;
    return withoutMode(symbol);
  }

  const TileCheckInput &input;
  DiagnosticsEngine &diagnostics;
};

//===----------------------------------------------------------------------===//
// Reachable code
//===----------------------------------------------------------------------===//

using Reached = std::set<const llvm::Value *>;

/// Returns the values that some functions and constants reach by calls and by
/// other references.
Reached reachableFrom(std::vector<const llvm::Value *> queue) {
  Reached reached;
  while (!queue.empty()) {
    const llvm::Value *value = queue.back();
    queue.pop_back();
    if (!reached.insert(value).second)
      continue;
    if (const auto *function = llvm::dyn_cast<llvm::Function>(value)) {
      for (const llvm::Instruction &instruction : llvm::instructions(function))
        for (const llvm::Value *operand : instruction.operands())
          if (llvm::isa<llvm::Constant>(operand))
            queue.push_back(operand);
    } else if (const auto *user = llvm::dyn_cast<llvm::User>(value)) {
      for (const llvm::Value *operand : user->operands())
        queue.push_back(operand);
    }
  }
  return reached;
}

Reached reachableFromCodelets(const llvm::Module &module,
                              std::span<const EntryPoint> entries) {
  std::vector<const llvm::Value *> roots;
  for (const EntryPoint &entry : entries)
    if (const llvm::Function *function = module.getFunction(entry.symbol))
      roots.push_back(function);
  return reachableFrom(std::move(roots));
}

//===----------------------------------------------------------------------===//
// Constructors
//===----------------------------------------------------------------------===//

/// Variables with static storage whose initialisers are not constants.
class DynamicGlobals : public RecursiveASTVisitor<DynamicGlobals> {
public:
  explicit DynamicGlobals(ASTContext &context) : context(context) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitVarDecl(VarDecl *variable) {
    if (!variable->hasGlobalStorage() || variable->isStaticLocal() ||
        variable->getDeclContext()->isDependentContext())
      return true;
    bool runsCode =
        variable->needsDestruction(context) != QualType::DK_none ||
        (variable->hasInit() && !variable->getInit()->isValueDependent() &&
         !variable->hasConstantInitialization());
    if (runsCode && variable->isThisDeclarationADefinition())
      found.push_back(variable);
    return true;
  }

  std::vector<const VarDecl *> found;

private:
  ASTContext &context;
};

/// Variables that both a codelet and a constructor can reach.
std::vector<const llvm::GlobalVariable *>
sharedWithConstructors(const TileCheckInput &input, const Reached &codelets) {
  const llvm::GlobalVariable *list =
      input.module.getGlobalVariable("llvm.global_ctors");
  std::vector<const llvm::GlobalVariable *> shared;
  if (!list || !list->hasInitializer())
    return shared;
  const Reached constructors = reachableFrom({list->getInitializer()});
  for (const llvm::GlobalVariable &variable : input.module.globals())
    if (!variable.isConstant() && constructors.contains(&variable) &&
        codelets.contains(&variable))
      shared.push_back(&variable);
  return shared;
}

/// Reports constructors that codelets need. Other constructors do not matter to
/// a codelet; in plain programs the start code runs them.
void checkConstructors(const TileCheckInput &input, const Reached &codelets) {
  const std::vector<const llvm::GlobalVariable *> shared =
      sharedWithConstructors(input, codelets);
  if (shared.empty())
    return;
  Reporter report(input);
  DynamicGlobals globals(input.context);
  globals.TraverseDecl(input.context.getTranslationUnitDecl());
  std::set<const Decl *> used;
  for (const llvm::GlobalVariable *variable : shared)
    if (const Decl *decl = input.findDecl(variable->getName()))
      used.insert(decl->getCanonicalDecl());
  bool isReported = false;
  for (const VarDecl *variable : globals.found) {
    if (!used.contains(variable->getCanonicalDecl()))
      continue;
    isReported = true;
    report.error(variable->getLocation(),
                 "the constructor or destructor of global object '%0' would "
                 "have to run outside of codelets, which does not happen on a "
                 "tile; make its initialiser a constant expression, or make it "
                 "local to a function")
        << variable->getQualifiedNameAsString();
  }
  if (!isReported)
    report.error(report.locationOf(shared.front()->getName()),
                 "a constructor of a global object would have to set '%0', "
                 "which a codelet uses, and constructors do not run before "
                 "codelets; give it a constant initialiser")
        << report.nameOf(shared.front()->getName());
}

//===----------------------------------------------------------------------===//
// Indirect calls
//===----------------------------------------------------------------------===//

bool isIndirect(const llvm::CallBase &call) {
  return call.isIndirectCall() && !call.isInlineAsm();
}

void checkIndirectCalls(const TileCheckInput &input, const Reached &codelets) {
  std::set<const llvm::FunctionType *> targets;
  for (const llvm::Function &function : input.module)
    if (function.hasAddressTaken())
      targets.insert(function.getFunctionType());
  Reporter report(input);
  for (const llvm::Function &function : input.module) {
    if (!codelets.contains(&function))
      continue;
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
      const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call || !isIndirect(*call) ||
          targets.contains(call->getFunctionType()))
        continue;
      report.error(report.locationOf(function.getName()),
                   "'%0' calls through a pointer, and no function of that type "
                   "has its address taken in this source, so its stack cannot "
                   "be computed; name the possible targets here, in a table of "
                   "function pointers")
          << report.nameOf(function.getName());
      break;
    }
  }
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

bool hasDynamicArray(const llvm::Function &function) {
  return llvm::any_of(
      llvm::instructions(function), [](const llvm::Instruction &instruction) {
        auto *array = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
        return array && !llvm::isa<llvm::ConstantInt>(array->getArraySize());
      });
}

/// The codelets whose stack the source does not declare itself
/// (poplar/StackSizeDefs.hpp).
std::vector<EntryPoint> undeclaredStacks(const TileCheckInput &input) {
  const std::string &text = input.module.getModuleInlineAsm();
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  std::set<llvm::StringRef> declared;
  bool isInSection = false;
  for (llvm::StringRef line : lines) {
    line = line.trim();
    if (line.starts_with(".pushsection"))
      isInSection = line.contains(".stack_sizes");
    else if (isInSection && line.consume_front(".int"))
      declared.insert(line.trim(" \t\""));
  }
  std::vector<EntryPoint> rest;
  for (const EntryPoint &entry : input.entries)
    if (!declared.contains(entry.symbol))
      rest.push_back(entry);
  return rest;
}

void checkFrames(const TileCheckInput &input) {
  const Reached codelets =
      reachableFromCodelets(input.module, undeclaredStacks(input));
  Reporter report(input);
  for (const llvm::Function &function : input.module)
    if (codelets.contains(&function) && hasDynamicArray(function))
      report.error(
          report.locationOf(function.getName()),
          "'%0' has an array on the stack whose size is known only "
          "when it runs, so its stack cannot be computed; give it a "
          "constant size, or make it a field of the vertex, or declare "
          "what the codelet needs: DEF_STACK_USAGE(bytes, symbol)")
          << report.nameOf(function.getName());
}

//===----------------------------------------------------------------------===//
// Calls and frames of an object
//===----------------------------------------------------------------------===//

using ElfFile = llvm::object::ELF32LEObjectFile;

struct Function {
  std::string symbol;
  std::uint64_t frame = 0;
  std::vector<std::uint64_t> callees; // sections
  std::vector<std::string> outside;   // symbols that other objects define
  // While the graph is walked.
  enum { New, Open, Done } state = New;
  std::uint64_t depth = 0;
};

class CallGraph {
public:
  CallGraph(const TileCheckInput &input, const ElfFile &file)
      : input(input), report(input), file(file) {
    addFunctions();
    for (const llvm::object::SectionRef &section : file.sections())
      addRelocations(section);
  }

  void check() {
    for (const EntryPoint &entry : input.entries)
      for (auto &[section, function] : functions)
        if (function.symbol == entry.symbol) {
          std::uint64_t depth = depthOf(section);
          checkLimit(entry, depth);
          checkOutside(entry, section);
        }
  }

private:
  void addFunctions() {
    for (const llvm::object::ELFSymbolRef &symbol : file.symbols()) {
      llvm::Expected<llvm::StringRef> name = symbol.getName();
      llvm::Expected<llvm::object::section_iterator> section =
          symbol.getSection();
      if (symbol.getELFType() == llvm::ELF::STT_FUNC && name && section &&
          *section != file.section_end())
        functions[(*section)->getIndex()].symbol = name->str();
      llvm::consumeError(name.takeError());
      llvm::consumeError(section.takeError());
    }
  }

  void addRelocations(const llvm::object::SectionRef &table) {
    llvm::Expected<llvm::object::section_iterator> from =
        table.getRelocatedSection();
    if (!from || *from == file.section_end()) {
      llvm::consumeError(from.takeError());
      return;
    }
    bool isFrames = llvm::cantFail((*from)->getName()) == ".stack_sizes";
    llvm::StringRef bytes = llvm::cantFail((*from)->getContents());
    for (const llvm::object::RelocationRef &relocation : table.relocations()) {
      auto symbol = relocation.getSymbol();
      if (symbol == file.symbol_end())
        continue;
      auto target = llvm::cantFail(symbol->getSection());
      bool isCall = relocation.getType() == runtime::elf::R_IPU_CALL20;
      if (target == file.section_end()) {
        if (isCall)
          functions[(*from)->getIndex()].outside.push_back(
              llvm::cantFail(symbol->getName()).str());
        continue;
      }
      if (isFrames) {
        std::uint64_t offset = relocation.getOffset() + 4;
        llvm::DataExtractor data(bytes, /*IsLittleEndian=*/true, 4);
        // The frame that the compiler computed, or that the source declares.
        std::uint64_t &frame = functions[target->getIndex()].frame;
        frame = std::max(frame, data.getULEB128(&offset));
      } else if (isCall) {
        functions[(*from)->getIndex()].callees.push_back(target->getIndex());
      }
    }
  }

  std::uint64_t depthOf(std::uint64_t section) {
    Function &function = functions[section];
    if (function.state != Function::New)
      return function.depth;
    function.state = Function::Open;
    path.push_back(section);
    std::uint64_t deepest = 0;
    for (std::uint64_t callee : function.callees)
      if (functions[callee].state == Function::Open)
        reportCycle(callee);
      else
        deepest = std::max(deepest, depthOf(callee));
    path.pop_back();
    function.state = Function::Done;
    function.depth = deepest + function.frame;
    return function.depth;
  }

  /// Reports the circle from `first` to the end of the path, and who leads into
  /// it; once for each function, as most circles have many ways round.
  void reportCycle(std::uint64_t first) {
    if (!reported.insert(first).second)
      return;
    auto begin = std::find(path.begin(), path.end(), first);
    std::string names;
    for (auto section = begin; section != path.end(); ++section)
      names += '\'' + report.nameOf(functions[*section].symbol) +
               (section == begin ? "' calls " : "', which calls ");
    const std::string &symbol = functions[first].symbol;
    names += path.end() - begin == 1 ? "itself"
                                     : '\'' + report.nameOf(symbol) + "' again";
    report.error(report.locationOf(symbol),
                 "%0; a tile's stack has a fixed size, so recursion is not "
                 "possible; use a loop")
        << names;
    for (auto section = begin + 1; section != path.end(); ++section)
      report.note(report.locationOf(functions[*section].symbol), "'%0' is here")
          << report.nameOf(functions[*section].symbol);
    if (begin != path.begin())
      report.note(report.locationOf(functions[begin[-1]].symbol),
                  "'%0' is called by '%1'")
          << report.nameOf(symbol)
          << report.nameOf(functions[begin[-1]].symbol);
  }

  /// The workers' stacks are in region 0 together.
  void checkLimit(const EntryPoint &entry, std::uint64_t depth) {
    unsigned stacks = entry.kind == runtime::VertexKind::Supervisor
                          ? 1
                          : input.target.workersPerTile;
    std::uint64_t limit = input.target.regions[0].size() / stacks;
    if (depth <= limit)
      return;
    const Function *largest = nullptr;
    for (const auto &[section, function] : functions)
      if (function.state == Function::Done &&
          (!largest || function.frame > largest->frame))
        largest = &function;
    report.error(report.locationOf(entry.compute),
                 "this codelet needs %0 bytes of stack, more than the %1 that "
                 "a context of %2 can have; move large local arrays to fields "
                 "of the vertex")
        << static_cast<unsigned>(depth) << static_cast<unsigned>(limit)
        << input.target.name;
    report.note(report.locationOf(largest->symbol),
                "the largest part, %0 bytes, is the frame of '%1'")
        << static_cast<unsigned>(largest->frame)
        << report.nameOf(largest->symbol);
  }

  /// Reports what a vertex cannot call of the libraries.
  void checkOutside(const EntryPoint &entry, std::uint64_t section) {
    if (!checked.insert({entry.kind, section}).second)
      return;
    const Function &function = functions[section];
    for (const std::string &symbol : function.outside) {
      std::string refusal = libraryCallRefusal(symbol, entry.kind);
      if (refusal.empty() || input.definedElsewhere.contains(symbol) ||
          !refused.insert({section, symbol}).second)
        continue;
      report.error(report.locationOfCall(entry, function.symbol, symbol),
                   "'%0' calls '%1', %2")
          << report.nameOf(function.symbol) << llvm::demangle(symbol)
          << refusal;
    }
    for (std::uint64_t callee : function.callees)
      checkOutside(entry, callee);
  }

  const TileCheckInput &input;
  Reporter report;
  const ElfFile &file;
  std::map<std::uint64_t, Function> functions; // by section
  std::vector<std::uint64_t> path;
  std::set<std::uint64_t> reported;
  std::set<std::pair<runtime::VertexKind, std::uint64_t>> checked;
  std::set<std::pair<std::uint64_t, std::string>> refused;
};

} // namespace

void checkModule(const TileCheckInput &input) {
  const Reached codelets = reachableFromCodelets(input.module, input.entries);
  checkConstructors(input, codelets);
  checkIndirectCalls(input, codelets);
  checkFrames(input);
}

void checkStack(const TileCheckInput &input,
                std::span<const std::uint8_t> object) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(object.data()),
                        object.size());
  auto file = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(bytes, ""));
  // Our own code generator has just written this file, so it is valid.
  CallGraph(input, llvm::cast<ElfFile>(*llvm::cantFail(std::move(file))))
      .check();
}

} // namespace populus::frontend
