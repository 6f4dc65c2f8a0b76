// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The context in which operators are lowered: the poplar graph, the program
// under construction, and the poplar tensor of every IR tensor. Weights become
// variables with initial values. The first reader of a weight may choose its
// layout (Op::createInput); otherwise it is spread evenly over the tiles.

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

/// The storage type on the device, which has float16, float32, 32-bit integers
/// and bool. Smaller integers are widened; operators keep them in range
/// (Elementwise.h). 64-bit integers and double are narrowed, as in PopART.
DataType deviceDataType(DataType type);
poplar::Type deviceType(DataType type);

std::vector<std::size_t> toPoplar(const Shape &shape);

/// Converts a value to the device's type. `name` is for the error if a 64-bit
/// integer does not fit.
HostTensor toDevice(const HostTensor &value, const std::string &name);

/// The handle by which the host reads and writes a variable.
std::string weightHandle(const std::string &name);

/// The handle by which the host writes the seed of random numbers.
inline constexpr const char *SeedHandle = "random/seed";

/// The function of a callee. A call writes the parameters, one for each
/// argument, runs the code, and reads the results before the next call.
struct CalledFunction {
  std::vector<poplar::Tensor> parameters, results;
  /// By result: true if it does not alias a parameter.
  std::vector<bool> ownsResult;
  poplar::Function code;
};

struct FunctionLowering;
class Stashes;

/// The lowering state shared by all graphs of a module.
struct SharedLowering {
  SharedLowering(poplar::Graph &root, const Module &module,
                 unsigned numIoTiles);

  /// The whole machine.
  poplar::Graph &root;
  /// A virtual graph for the tiles of each IPU that compute, and behind these,
  /// if there are I/O tiles, one for those of each IPU. Empty for a single IPU
  /// all of whose tiles compute.
  std::vector<poplar::Graph> ipus;
  /// The memory of the module's variables.
  std::unordered_map<const Variable *, poplar::Tensor> variables;
  /// Variables that the program itself writes.
  const std::unordered_set<const Variable *> written;
  std::map<const Graph *, std::shared_ptr<FunctionLowering>> functions;
  /// The seed of random numbers, created on first use: the host's seed, and a
  /// count of batches.
  const poplar::Tensor &useSeed();

  /// Invalid if nothing is random.
  poplar::Tensor seed;
  std::uint32_t randomOps = 0;

  struct Stream {
    poplar::DataStream stream;
    TensorInfo info;
  };
  /// Streams that operators name, by name.
  std::map<std::string, Stream> fromHost, toHost;

  /// The stashes of a pipelined program; null in any other.
  Stashes *stashes = nullptr;
  /// The buffers of variables in the host's memory.
  std::unordered_map<const Variable *, poplar::RemoteBuffer> remote;
  /// Variables on the I/O tiles, or on their way through them.
  std::unordered_map<const Variable *, poplar::Tensor> onIoTiles;
};

class Lowering {
public:
  /// `graph` is the whole machine, or the IPU of a function.
  Lowering(const Graph &ir, poplar::Graph &graph, const ProgramOptions &options,
           SharedLowering &shared);

  /// Lowers an operator on its IPU.
  void lower(const Op &op);

  /// The virtual graph of the current operator's tiles: of its IPU those that
  /// compute, or the I/O tiles. The whole machine if that is one IPU without
  /// I/O tiles.
  poplar::Graph &graph() { return isSpread() ? shared.ipus[current] : whole; }
  poplar::program::Sequence &program() { return sequence; }
  /// The whole machine.
  poplar::Graph &wholeGraph() { return shared.root; }
  /// The computing tiles of the IPU that holds a tensor.
  poplar::Graph &graphOf(const poplar::Tensor &tensor);

  /// The poplar tensor of an input of `op`; constants are created on first use.
  poplar::Tensor input(const Op &op, std::size_t index);
  poplar::Tensor get(const Value &tensor);
  void setOutput(const Op &op, poplar::Tensor value, std::size_t index = 0);

  /// Creates the variable of a graph input or constant, in the layout that its
  /// first reader wants.
  poplar::Tensor createVariable(const Value &tensor);
  /// The layout that the readers of a value want, as an unused tensor; invalid
  /// if no reader wants one.
  poplar::Tensor layoutForReaders(const Value &value);

  /// The function of a graph, lowered on first use. A parameter has the layout
  /// of the operand, or, if that is a constant or null, of its reader.
  const CalledFunction &function(const Graph &callee,
                                 const std::vector<const Value *> &operands);
  /// Creates the variable of a weight or graph input that is passed to a
  /// function, in the layout of the parameter.
  poplar::Tensor createArgument(const Graph &callee, std::size_t argument);
  /// Collects what `add` adds to the program in a separate Sequence.
  poplar::program::Sequence nested(const std::function<void()> &add);
  void addCopy(poplar::Tensor from, poplar::Tensor to,
               const poplar::DebugContext &name);

  /// Adds a constant. Scalars and small tables lie on one tile each, round
  /// robin; larger ones are spread.
  poplar::Tensor addConstant(const HostTensor &value,
                             const poplar::DebugContext &debug);
  /// A scalar constant of the type of output 0 of `op`.
  poplar::Tensor addScalar(const Op &op, double value);

  /// Inputs of a random number generator: a seed of two unsigned numbers, which
  /// changes with each batch, and a modifier, which differs between operators.
  struct Randomness {
    poplar::Tensor seed;
    std::uint32_t modifier = 0;
  };
  /// The randomness of the next operator; `ownSeed` from the model replaces the
  /// seed of the program.
  Randomness randomness(std::optional<std::uint32_t> ownSeed);
  /// `flags` of a matrix product or convolution, plus the user's options for
  /// all of them (--partials) and for this one: the attributes
  /// __partials_type ("half", "float") and __available_memory (0 to 1).
  poplar::OptionFlags productOptions(const Op &op,
                                     poplar::OptionFlags flags) const;

  /// A new tensor of the same type and shape, spread over the I/O tiles of the
  /// IPU that holds `value`. There have to be such tiles.
  poplar::Tensor addOnIoTiles(const poplar::Tensor &value,
                              const std::string &name);
  bool hasIoTiles() const { return shared.ipus.size() > numIpus(); }
  /// A copy of a tensor on the current operator's IPU, with the same layout.
  poplar::Tensor copiedHere(const poplar::Tensor &value,
                            const std::string &name);

  /// The tile mapping of each tensor as JSON: {"name": [[[begin, end], …], …]},
  /// for every tile its intervals of elements.
  std::string tileMap() const;

  /// The stream of that name, created on first use. All uses must have the same
  /// type and shape; otherwise it throws an Error about `op`.
  const poplar::DataStream &
  streamFromHost(const Op &op, const std::string &name, const TensorInfo &info);
  const poplar::DataStream &streamToHost(const Op &op, const std::string &name,
                                         const TensorInfo &info);

  /// The stashes of the pipelined program; null in any other.
  Stashes *stashes() { return shared.stashes; }
  /// The buffer of a variable in the host's memory, created on first use.
  const poplar::RemoteBuffer &remoteBuffer(const Variable &variable);
  /// The memory on the I/O tiles of a variable (Variable::viaIoTiles), created
  /// on first use.
  const poplar::Tensor &onIoTilesOf(const Value &variable);

  /// The name of an operator's parts in messages and profiles.
  poplar::DebugContext debug(const Op &op) const;

private:
  friend struct FunctionLowering;

  FunctionLowering &functionOf(const Graph &callee);
  /// Collects the tensors of this graph and of its functions.
  void addNamedTensors(std::map<std::string, poplar::Tensor> &named) const;
  poplar::Tensor ownSeedOf(std::uint32_t seed);
  poplar::Tensor newVariable(const Value &tensor);
  poplar::Tensor memoryOf(const Value &tensor);
  void addHostAccess(const Variable &variable, const poplar::Tensor &memory);
  poplar::Tensor createByReader(const Value &tensor);
  unsigned numIpus() const { return shared.root.getTarget().getNumIPUs(); }
  /// True if the operators of the graph are on several IPUs, or some of them on
  /// I/O tiles.
  bool isSpread() const {
    return &whole == &shared.root && !shared.ipus.empty();
  }
  unsigned ipuOf(const Op &op) const;
  unsigned ipuOf(const poplar::Tensor &tensor) const;
  bool isOnIoTiles(const Op &op) const {
    return hasIoTiles() && op.placement().ioTiles;
  }
  /// The number of the virtual graph of an operator's tiles.
  unsigned tilesOf(const Op &op) const {
    return ipuOf(op) + (isOnIoTiles(op) ? numIpus() : 0);
  }
  void set(const Value &tensor, poplar::Tensor value);

  const Graph &ir;
  poplar::Graph &whole;
  const ProgramOptions &options;
  SharedLowering &shared;
  unsigned nextConstantTile = 0;
  poplar::program::Sequence sequence;
  std::unordered_map<const Value *, poplar::Tensor> values;
  /// The number of the virtual graph of the current operator's tiles.
  unsigned current = 0;
};

} // namespace populus::popir

#endif
