// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control programs: the steps that a device executes. Every kind of step is a
// class, but all classes are only ways to make a Program, a cheap value that
// shares its contents. A list of programs may mix kinds.

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
  /// Makes a program that does nothing. A moved-from program also does nothing.
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
  /// A pointer to a node. A shared_ptr would make {0, program}, which must be a
  /// case of a Switch, ambiguous.
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
/// sides have the same element type and number of elements.
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
  /// Copies rows of a remote buffer. The tensor has one row for each offset,
  /// which is the index of a row in the buffer. Without offsets the tensor has
  /// all rows of the buffer.
  Copy(const RemoteBuffer &buffer, const Tensor &dst,
       const DebugContext &debugContext = {});
  Copy(const RemoteBuffer &buffer, const Tensor &dst, const Tensor &offset,
       const DebugContext &debugContext = {});
  Copy(const Tensor &src, const RemoteBuffer &buffer,
       const DebugContext &debugContext = {});
  Copy(const Tensor &src, const RemoteBuffer &buffer, const Tensor &offset,
       const DebugContext &debugContext = {});
  /// Copies the code of a function to the tiles or away from them. The buffer
  /// must be the function's. All code stays on the tiles, so nothing is moved.
  Copy(const FunctionBuffer &buffer, const Function &function,
       const DebugContext &debugContext = {});
  Copy(const Function &function, const FunctionBuffer &buffer,
       const DebugContext &debugContext = {});
};

/// Copies between the replicas of a graph. The map has the index of the
/// receiving replica for each sending one.
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

/// Runs the case whose value equals the control tensor, or else the default.
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

  /// Makes a Switch without default. The control tensor must equal one of the
  /// cases.
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

/// Marks the contents of a tensor as no longer needed.
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

/// Asserts that a tensor has the same contents in all replicas, so that control
/// flow may depend on it. The assertion is checked where control flow uses it.
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
