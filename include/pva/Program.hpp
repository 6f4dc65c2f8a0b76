// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control programs of a report: a tree with a class for each kind of program. A
// visitor receives the kinds that it overrides; visitProgram receives all
// others. A visitor that needs the children calls Program::accept of them
// itself.

#ifndef POPULUS_INCLUDE_PVA_PROGRAM_HPP
#define POPULUS_INCLUDE_PVA_PROGRAM_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pva {

/// X(NAME) for each kind of program that has a name and children only. A
/// StreamCopyMid is a transfer between a stream and tiles; before and after it
/// steps have a StreamCopyBegin and a StreamCopyEnd.
#define PVA_PLAIN_PROGRAM_TYPES(X)                                             \
  X(Sequence)                                                                  \
  X(Block)                                                                     \
  X(DoExchange)                                                                \
  X(GlobalExchange)                                                            \
  X(StreamCopyBegin)                                                           \
  X(StreamCopyMid)                                                             \
  X(StreamCopyEnd)                                                             \
  X(Repeat)                                                                    \
  X(RepeatWhile)                                                               \
  X(If)                                                                        \
  X(Switch)                                                                    \
  X(Call)                                                                      \
  X(Sync)                                                                      \
  X(WriteUndef)                                                                \
  X(Abort)                                                                     \
  X(AbortIf)                                                                   \
  X(CycleStamp)                                                                \
  X(RemoteCopy)                                                                \
  X(HostFunction)                                                              \
  X(Unknown)

/// X(NAME) for each kind of program.
#define PVA_PROGRAM_TYPES(X) X(OnTileExecute) PVA_PLAIN_PROGRAM_TYPES(X)

class ProgramVisitor;

/// Number of vertices of one type in a compute set.
struct VertexCount {
  std::string type;
  std::uint64_t count;
};

class ComputeSet {
public:
  ComputeSet(std::string setName, std::vector<VertexCount> counts,
             std::vector<std::uint64_t> cycles = {},
             std::vector<std::uint64_t> estimates = {})
      : setName(std::move(setName)), counts(std::move(counts)),
        cycles(std::move(cycles)), estimates(std::move(estimates)) {}
  const std::string &name() const { return setName; }
  const std::vector<VertexCount> &vertices() const { return counts; }
  /// Cycles of each tile, as the mean over all executions; 0 if the report has
  /// none.
  const std::vector<std::uint64_t> &cyclesByTile() const { return cycles; }
  /// The IPU Model's estimates, by tile; 0 on other devices.
  const std::vector<std::uint64_t> &estimatedCyclesByTile() const {
    return estimates;
  }

private:
  std::string setName;
  std::vector<VertexCount> counts;
  std::vector<std::uint64_t> cycles, estimates;
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

/// A kind of program with a name and children only.
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
  const ComputeSet &computeset() const { return set; }
  const std::vector<VertexCount> &vertices() const { return set.vertices(); }

private:
  ComputeSet set;
};

#define PVA_PLAIN_PROGRAM(NAME)                                                \
  using NAME##Program = PlainProgram<Program::Type::NAME>;
PVA_PLAIN_PROGRAM_TYPES(PVA_PLAIN_PROGRAM)
#undef PVA_PLAIN_PROGRAM

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
PVA_PLAIN_PROGRAM_TYPES(PVA_ACCEPT)
#undef PVA_ACCEPT

} // namespace pva

#endif
