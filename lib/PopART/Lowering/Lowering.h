// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What operators see while they are lowered: the poplar graph, the program
// under construction, and the poplar tensor of every IR tensor. Weights become
// variables with initial values; the operator that reads one first chooses its
// layout (Op::createInput), else it is spread evenly over the tiles.

#ifndef POPULUS_LIB_POPART_LOWERING_LOWERING_H
#define POPULUS_LIB_POPART_LOWERING_LOWERING_H

#include "lib/PopART/Lowering/DeviceOp.h"
#include "lib/PopART/Lowering/ProgramOptions.h"
#include "lib/PopART/Lowering/WrittenVariables.h"

#include <poplar/DataStream.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <functional>
#include <map>
#include <memory>
#include <unordered_map>

namespace populus::popir {

/// How elements are kept on the device. It has float16, float32, integers of 32
/// bits and bool. Smaller integers are widened, and what computes with them
/// keeps their range (Elementwise.h); those of 64 bits, and double, are
/// narrowed, as PopART does.
DataType deviceDataType(DataType type);
poplar::Type deviceType(DataType type);

std::vector<std::size_t> toPoplar(const Shape &shape);

/// The value as the device keeps it. `name` is for the message where an integer
/// of 64 bits does not fit.
HostTensor toDevice(const HostTensor &value, const std::string &name);

/// By which the host reads and writes a variable.
std::string weightHandle(const std::string &name);

/// By which the host writes the seed of a program that draws random numbers.
inline constexpr const char *SeedHandle = "random/seed";

/// A graph that others call, as a function: callers write its parameters, one
/// for each argument, call the code, and read the results before anybody calls
/// it again.
struct CalledFunction {
  std::vector<poplar::Tensor> parameters, results;
  /// By result, whether it lies in memory that is no parameter's.
  std::vector<bool> ownsResult;
  poplar::Function code;
};

struct FunctionLowering;

/// What the graphs of a module share while they are lowered.
struct SharedLowering {
  SharedLowering(poplar::Graph &root, const Module &module);

  /// The whole machine.
  poplar::Graph &root;
  /// A part of it for each IPU; none where it has one.
  std::vector<poplar::Graph> ipus;
  /// The memory of the module's variables.
  std::unordered_map<const Variable *, poplar::Tensor> variables;
  /// Which of them the program itself writes.
  const std::unordered_set<const Variable *> written;
  std::map<const Graph *, std::shared_ptr<FunctionLowering>> functions;
  /// Makes the seed of random numbers at its first use: what the host sets, and
  /// a count of the batches before.
  const poplar::Tensor &useSeed();

  /// An invalid tensor where nothing is random.
  poplar::Tensor seed;
  std::uint32_t randomOps = 0;

  struct Stream {
    poplar::DataStream stream;
    TensorInfo info;
  };
  /// Those that operators name, by name.
  std::map<std::string, Stream> fromHost, toHost;
};

class Lowering {
public:
  /// `graph` is the whole machine, or the IPU of a function.
  Lowering(const Graph &ir, poplar::Graph &graph, const ProgramOptions &options,
           SharedLowering &shared);

  /// Lowers an operator, on the IPU that it belongs to.
  void lower(const Op &op);

  /// The IPU that the operator being lowered is on; the whole machine where it
  /// has one IPU.
  poplar::Graph &graph() { return isSpread() ? shared.ipus[current] : whole; }
  poplar::program::Sequence &program() { return sequence; }
  /// The whole machine.
  poplar::Graph &wholeGraph() { return shared.root; }

  /// The poplar tensor of an input of `op`; constants are made on first use.
  poplar::Tensor input(const Op &op, std::size_t index);
  poplar::Tensor get(const Value &tensor);
  void setOutput(const Op &op, poplar::Tensor value, std::size_t index = 0);

  /// Makes the variable of an input of the graph or of a constant, in the
  /// layout that its first reader wants.
  poplar::Tensor createVariable(const Value &tensor);
  /// The layout that the readers of a value want, as a tensor that nothing
  /// uses; not valid where none says so.
  poplar::Tensor layoutForReaders(const Value &value);

  /// The function of a graph, which its first use makes. Its parameters lie as
  /// their readers want where the operands are constants or null, and else as
  /// the operands do.
  const CalledFunction &function(const Graph &callee,
                                 const std::vector<const Value *> &operands);
  /// The variable for a weight or an input of the graph that a function is
  /// called with, in the layout that the function wants.
  poplar::Tensor createArgument(const Graph &callee, std::size_t argument);
  /// What `add` adds to the program, as a program of its own.
  poplar::program::Sequence nested(const std::function<void()> &add);
  void addCopy(poplar::Tensor from, poplar::Tensor to,
               const poplar::DebugContext &name);

  /// A constant of the program. Scalars and small tables lie on one tile, one
  /// after the other on the next; others are spread.
  poplar::Tensor addConstant(const HostTensor &value,
                             const poplar::DebugContext &debug);
  /// A scalar constant of the type of output 0 of `op`.
  poplar::Tensor addScalar(const Op &op, double value);

  /// What random numbers are made of: a seed of two unsigned numbers, which is
  /// another one in each batch, and what keeps operators apart.
  struct Randomness {
    poplar::Tensor seed;
    std::uint32_t modifier = 0;
  };
  /// For the next operator that draws numbers; with a seed of its own instead
  /// of the program's where the model gives one.
  Randomness randomness(std::optional<std::uint32_t> ownSeed);
  /// `flags` of a matrix product or convolution, with what the user says about
  /// all of them (--partials) and about this one: the attributes
  /// __partials_type ("half", "float") and __available_memory (0 to 1).
  poplar::OptionFlags productOptions(const Op &op,
                                     poplar::OptionFlags flags) const;

  /// A copy of a tensor on the IPU of the operator being lowered, where it lies
  /// as the tensor does on its own.
  poplar::Tensor copiedHere(const poplar::Tensor &value,
                            const std::string &name);

  /// Where each tensor lies, as JSON: {"name": [[[begin, end], …], …]}, for
  /// every tile the intervals of elements on it.
  std::string tileMap() const;

  /// The stream of that name, made at its first use. All uses of one have the
  /// same type and shape; else it is an Error about `op`.
  const poplar::DataStream &
  streamFromHost(const Op &op, const std::string &name, const TensorInfo &info);
  const poplar::DataStream &streamToHost(const Op &op, const std::string &name,
                                         const TensorInfo &info);

  /// The name of an operator's parts in messages and profiles.
  poplar::DebugContext debug(const Op &op) const;

private:
  friend struct FunctionLowering;

  FunctionLowering &functionOf(const Graph &callee);
  /// Of this graph and of the functions.
  void addNamedTensors(std::map<std::string, poplar::Tensor> &named) const;
  poplar::Tensor ownSeedOf(std::uint32_t seed);
  poplar::Tensor newVariable(const Value &tensor);
  poplar::Tensor memoryOf(const Value &tensor);
  poplar::Tensor createByReader(const Value &tensor);
  /// Whether the operators of the graph are on several IPUs.
  bool isSpread() const {
    return &whole == &shared.root && !shared.ipus.empty();
  }
  unsigned ipuOf(const Op &op) const;
  void set(const Value &tensor, poplar::Tensor value);

  const Graph &ir;
  poplar::Graph &whole;
  const ProgramOptions &options;
  SharedLowering &shared;
  unsigned nextConstantTile = 0;
  poplar::program::Sequence sequence;
  std::unordered_map<const Value *, poplar::Tensor> values;
  /// The IPU at work, of several.
  unsigned current = 0;
};

} // namespace populus::popir

#endif
