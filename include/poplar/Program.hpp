// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control programs: what a device does, step by step. Every kind of step is a
// class of its own, but all of them are just ways to make a Program, a cheap
// value that shares its contents; a list of programs may hold any mix of them.

#ifndef POPULUS_INCLUDE_POPLAR_PROGRAM_HPP
#define POPULUS_INCLUDE_POPLAR_PROGRAM_HPP

#include <poplar/ArrayRef.hpp>
#include <poplar/DataStream.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/PrintTensor.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/SyncType.hpp>
#include <poplar/Tensor.hpp>

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace poplar {

class Graph;

namespace core {
struct ProgramNode;
} // namespace core

namespace program {

class Program {
public:
  /// A program that does nothing; so is one whose contents were moved.
  Program();
  Program(const Program &other);
  Program(Program &&other) noexcept;
  Program &operator=(const Program &other);
  Program &operator=(Program &&other) noexcept;
  ~Program();

  bool isEmpty() const;
  friend bool operator==(const Program &a, const Program &b) {
    return a.node == b.node;
  }
  friend bool operator!=(const Program &a, const Program &b) {
    return a.node != b.node;
  }

protected:
  /// A pointer to a node. It is no shared_ptr, which {0, program} could be:
  /// that is to be a case of a Switch only.
  struct Node {
    Node(std::shared_ptr<core::ProgramNode> pointer)
        : pointer(std::move(pointer)) {}
    std::shared_ptr<core::ProgramNode> pointer;
  };
  explicit Program(Node node) : node(std::move(node.pointer)) {}
  friend struct core::Access;

  std::shared_ptr<core::ProgramNode> node;
};

/// Programs one after another.
class Sequence : public Program {
public:
  Sequence(const DebugContext &debugContext = {});
  Sequence(std::initializer_list<Program> programs,
           const DebugContext &debugContext = {});
  explicit Sequence(const std::vector<Program> &programs,
                    const DebugContext &debugContext = {});
  template <typename First, typename... Rest,
            typename = typename std::enable_if<
                std::is_base_of<Program, First>::value &&
                !(std::is_same<Sequence, First>::value &&
                  sizeof...(Rest) == 0)>::type>
  Sequence(const First &first, const Rest &...rest) : Sequence() {
    addAll(first, rest...);
  }

  void add(const Program &program);

private:
  void addAll() {}
  template <typename First, typename... Rest>
  void addAll(const First &first, const Rest &...rest) {
    add(first);
    addAll(rest...);
  }
};

/// Runs the vertices of a compute set.
class Execute : public Program {
public:
  Execute(ComputeSet computeSet, const DebugContext &debugContext = {});
};

/// Copies elements between tensors, or between a stream and a tensor. Both
/// sides have equally many elements of the same type.
class Copy : public Program {
public:
  Copy(const Tensor &src, const Tensor &dst, bool dontOutline = false,
       const DebugContext &debugContext = {});
  Copy(const Tensor &src, const Tensor &dst, const DebugContext &debugContext);
  Copy(const Tensor &src, const Tensor &dst, const char *name);
  Copy(const DataStream &stream, const Tensor &dst, bool optimiseMemory = false,
       const DebugContext &debugContext = {});
  Copy(const DataStream &stream, const Tensor &dst,
       const DebugContext &debugContext);
  Copy(const DataStream &stream, const Tensor &dst, const char *name);
  Copy(const Tensor &src, const DataStream &stream, bool optimiseMemory = false,
       const DebugContext &debugContext = {});
  Copy(const Tensor &src, const DataStream &stream,
       const DebugContext &debugContext);
  Copy(const Tensor &src, const DataStream &stream, const char *name);
  /// Copies rows of a remote buffer. The tensor has as many rows as there are
  /// offsets, which say their numbers in the buffer; without an offset it has
  /// all rows of the buffer.
  Copy(const RemoteBuffer &buffer, const Tensor &dst,
       const DebugContext &debugContext = {});
  Copy(const RemoteBuffer &buffer, const Tensor &dst, const Tensor &offset,
       const DebugContext &debugContext = {});
  Copy(const Tensor &src, const RemoteBuffer &buffer,
       const DebugContext &debugContext = {});
  Copy(const Tensor &src, const RemoteBuffer &buffer, const Tensor &offset,
       const DebugContext &debugContext = {});
  /// Brings the code of a function, which must be the buffer's, to the tiles or
  /// away from them. All code stays on the tiles here, so nothing is moved.
  Copy(const FunctionBuffer &buffer, const Function &function,
       const DebugContext &debugContext = {});
  Copy(const Function &function, const FunctionBuffer &buffer,
       const DebugContext &debugContext = {});
};

/// Copies between the replicas of a graph. The map has the number of the
/// replica that receives for each one that sends.
class CrossReplicaCopy : public Program {
public:
  CrossReplicaCopy(const Tensor &src, const Tensor &dst,
                   const std::map<unsigned, unsigned> &replicaMap,
                   const DebugContext &debugContext = {});
};

class Repeat : public Program {
public:
  Repeat(unsigned count, const Program &body,
         const DebugContext &debugContext = {});
};

/// Runs `condition`, and then, while `predicate` is true, `body` and
/// `condition` again.
class RepeatWhileTrue : public Program {
public:
  RepeatWhileTrue(const Program &condition, const Tensor &predicate,
                  const Program &body, const DebugContext &debugContext = {});
};

class RepeatWhileFalse : public Program {
public:
  RepeatWhileFalse(const Program &condition, const Tensor &predicate,
                   const Program &body, const DebugContext &debugContext = {});
};

class If : public Program {
public:
  If(const Tensor &predicate, const Program &trueBody, const Program &falseBody,
     const DebugContext &debugContext = {});
};

/// Runs the case whose value the control tensor has, or else the default.
class Switch : public Program {
public:
  using Cases = std::vector<std::pair<std::int32_t, Program>>;

  Switch(const Tensor &control, const DebugContext &debugContext = {});
  Switch(const Tensor &control, const Program &defaultCase,
         const DebugContext &debugContext = {});
  Switch(const Tensor &control, const Cases &cases,
         const DebugContext &debugContext = {});
  Switch(const Tensor &control, const Cases &cases, const Program &defaultCase,
         const DebugContext &debugContext = {});

  /// A switch whose control has always the value of one of its cases.
  static Switch
  switchWithUnreachableDefault(const Tensor &control,
                               const DebugContext &debugContext = {}) {
    return Switch(control, debugContext);
  }

  Switch &add(std::int32_t value, const Program &body);
};

/// Calls a function of the graph.
class Call : public Program {
public:
  Call(Function function, const DebugContext &debugContext = {});
  Call(const HostFunction &function, ArrayRef<Tensor> inputs,
       ArrayRef<Tensor> outputs, const DebugContext &debugContext = {});
};

/// Prints a tensor on the host.
class PrintTensor : public Program {
public:
  PrintTensor(StringRef title, const Tensor &tensor,
              const DebugContext &debugContext = {});
  PrintTensor(StringRef title, const Tensor &tensor, const PrintTensorFmt &fmt,
              const DebugContext &debugContext = {});
  PrintTensor(const Tensor &tensor, const DebugContext &debugContext = {});
};

/// Says that the contents of a tensor are no longer needed.
class WriteUndef : public Program {
public:
  WriteUndef(const Tensor &tensor, const DebugContext &debugContext = {});
};

class Sync : public Program {
public:
  Sync(SyncType type, const DebugContext &debugContext = {});
};

/// Stops the run with an error.
class Abort : public Program {
public:
  explicit Abort(const DebugContext &debugContext = {});
  explicit Abort(const std::string &message,
                 const DebugContext &debugContext = {});
  explicit Abort(const char *message, const DebugContext &debugContext = {})
      : Abort(std::string(message), debugContext) {}
};

class AbortOnCondition : public Program {
public:
  AbortOnCondition(const Tensor &predicate, const std::string &message,
                   const DebugContext &debugContext = {});
  AbortOnCondition(const Tensor &predicate, const char *message,
                   const DebugContext &debugContext = {})
      : AbortOnCondition(predicate, std::string(message), debugContext) {}
  explicit AbortOnCondition(const Tensor &predicate,
                            const DebugContext &debugContext = {});
};

/// Stops the run with a message and the contents of a tensor.
class ErrorProgram : public Program {
public:
  ErrorProgram(StringRef message, const Tensor &tensor,
               const DebugContext &debugContext = {});
};

/// Promises that a tensor has the same contents in all replicas, so that it may
/// decide what they do next. The promise is checked where it is relied on.
class AssumeEqualAcrossReplicas : public Program {
public:
  AssumeEqualAcrossReplicas(const Tensor &tensor,
                            const DebugContext &debugContext = {});
};

/// A program with a name of its own in profiles.
class Block : public Program {
public:
  Block(const Program &program, StringRef name);
};

} // namespace program

/// Writes a program as indented text.
void dumpProgram(const Graph &graph, const program::Program &program,
                 std::ostream &out);

namespace program {
using poplar::dumpProgram;
} // namespace program

} // namespace poplar

#endif
