// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The control programs of a report: a tree with a class for each kind of
// program. A visitor is told of the kinds that it overrides, and of all others
// by visitProgram; it calls Program::accept of the children itself if it wants
// to see them.

#ifndef POPULUS_INCLUDE_PVA_PROGRAM_HPP
#define POPULUS_INCLUDE_PVA_PROGRAM_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pva {

/// X(NAME) for each kind of program; a StreamCopyMid is a whole transfer
/// between a stream and tiles.
#define PVA_PROGRAM_TYPES(X)                                                   \
  X(Sequence)                                                                  \
  X(OnTileExecute)                                                             \
  X(DoExchange)                                                                \
  X(StreamCopyMid)                                                             \
  X(Repeat)                                                                    \
  X(RepeatWhile)                                                               \
  X(If)                                                                        \
  X(Switch)                                                                    \
  X(Call)                                                                      \
  X(Sync)                                                                      \
  X(Abort)                                                                     \
  X(AbortIf)                                                                   \
  X(CycleStamp)                                                                \
  X(RemoteCopy)                                                                \
  X(HostFunction)                                                              \
  X(Unknown)

class ProgramVisitor;

/// How many vertices of a type a compute set has.
struct VertexCount {
  std::string type;
  std::uint64_t count;
};

class ComputeSet {
public:
  ComputeSet(std::string setName, std::vector<VertexCount> counts)
      : setName(std::move(setName)), counts(std::move(counts)) {}
  const std::string &name() const { return setName; }
  const std::vector<VertexCount> &vertices() const { return counts; }

private:
  std::string setName;
  std::vector<VertexCount> counts;
};

class Program {
public:
  enum class Type {
#define PVA_PROGRAM_TYPE(NAME) NAME,
    PVA_PROGRAM_TYPES(PVA_PROGRAM_TYPE)
#undef PVA_PROGRAM_TYPE
  };

  Program(Type kind, std::string programName)
      : kind(kind), programName(std::move(programName)) {}
  virtual ~Program() = default;

  Type type() const { return kind; }
  const std::string &name() const { return programName; }
  const std::vector<std::shared_ptr<Program>> &children() const {
    return programs;
  }
  void addChild(std::shared_ptr<Program> child) {
    programs.push_back(std::move(child));
  }
  virtual void accept(ProgramVisitor &visitor) const = 0;

private:
  Type kind;
  std::string programName;
  std::vector<std::shared_ptr<Program>> programs;
};

/// A kind of program that says nothing more than its name and children.
template <Program::Type Kind> class PlainProgram : public Program {
public:
  explicit PlainProgram(std::string name) : Program(Kind, std::move(name)) {}
  void accept(ProgramVisitor &visitor) const override;
};

class OnTileExecuteProgram : public Program {
public:
  OnTileExecuteProgram(std::string name, const ComputeSet &set)
      : Program(Type::OnTileExecute, std::move(name)), set(set) {}
  void accept(ProgramVisitor &visitor) const override;
  const ComputeSet &computeSet() const { return set; }
  const std::vector<VertexCount> &vertices() const { return set.vertices(); }

private:
  ComputeSet set;
};

using SequenceProgram = PlainProgram<Program::Type::Sequence>;
using DoExchangeProgram = PlainProgram<Program::Type::DoExchange>;
using StreamCopyMidProgram = PlainProgram<Program::Type::StreamCopyMid>;
using RepeatProgram = PlainProgram<Program::Type::Repeat>;
using RepeatWhileProgram = PlainProgram<Program::Type::RepeatWhile>;
using IfProgram = PlainProgram<Program::Type::If>;
using SwitchProgram = PlainProgram<Program::Type::Switch>;
using CallProgram = PlainProgram<Program::Type::Call>;
using SyncProgram = PlainProgram<Program::Type::Sync>;
using AbortProgram = PlainProgram<Program::Type::Abort>;
using AbortIfProgram = PlainProgram<Program::Type::AbortIf>;
using CycleStampProgram = PlainProgram<Program::Type::CycleStamp>;
using RemoteCopyProgram = PlainProgram<Program::Type::RemoteCopy>;
using HostFunctionProgram = PlainProgram<Program::Type::HostFunction>;
using UnknownProgram = PlainProgram<Program::Type::Unknown>;

class ProgramVisitor {
public:
  virtual ~ProgramVisitor() = default;
  virtual void visitProgram(const Program &) {}
#define PVA_VISIT(NAME)                                                        \
  virtual void visit##NAME(const NAME##Program &program) {                     \
    visitProgram(program);                                                     \
  }
  PVA_PROGRAM_TYPES(PVA_VISIT)
#undef PVA_VISIT
};

inline void OnTileExecuteProgram::accept(ProgramVisitor &visitor) const {
  visitor.visitOnTileExecute(*this);
}

#define PVA_ACCEPT(NAME)                                                       \
  template <>                                                                  \
  inline void PlainProgram<Program::Type::NAME>::accept(                       \
      ProgramVisitor &visitor) const {                                         \
    visitor.visit##NAME(*this);                                                \
  }
PVA_ACCEPT(Sequence)
PVA_ACCEPT(DoExchange)
PVA_ACCEPT(StreamCopyMid)
PVA_ACCEPT(Repeat)
PVA_ACCEPT(RepeatWhile)
PVA_ACCEPT(If)
PVA_ACCEPT(Switch)
PVA_ACCEPT(Call)
PVA_ACCEPT(Sync)
PVA_ACCEPT(Abort)
PVA_ACCEPT(AbortIf)
PVA_ACCEPT(CycleStamp)
PVA_ACCEPT(RemoteCopy)
PVA_ACCEPT(HostFunction)
PVA_ACCEPT(Unknown)
#undef PVA_ACCEPT

} // namespace pva

#endif
