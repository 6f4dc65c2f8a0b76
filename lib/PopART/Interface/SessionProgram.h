// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bridge between the public interface (include/popart) and the compiler.
// Both use some names for different classes, so this header avoids the types of
// both, except for the compiler's requests and optimizers: element types are
// ONNX's numbers, models are bytes. Errors become exceptions of the interface.

#ifndef POPULUS_LIB_POPART_INTERFACE_SESSIONPROGRAM_H
#define POPULUS_LIB_POPART_INTERFACE_SESSIONPROGRAM_H

#include "lib/PopART/Custom/Rewrites.h"
#include "lib/PopART/Interface/ModelBytes.h"
#include "lib/PopART/Passes/SerializeBatch.h"
#include "lib/PopART/Request.h"
#include "lib/PopART/Training/LossScaling.h"
#include "lib/PopART/Training/Optimizer.h"
#include "lib/PopART/Training/Recomputation.h"
#include "runtime/Support/ContentHash.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace pva {
class Report;
}

namespace popart::session {

using Options = std::map<std::string, std::string>;

/// The places of a kind of variables.
struct Locations {
  /// Variables that have as many elements or more lie in the host's memory;
  /// nothing: none.
  std::optional<std::int64_t> offChipFrom;
  /// The I/O tiles load them; variables on the chip are kept there.
  bool viaIoTiles = false;
  bool operator==(const Locations &) const = default;
};

/// The places of variables, by kind, and of activations, which operators
/// compute. Tensors that are named decide for themselves.
struct OffChip {
  Locations weights, optimizerState, accumulators, activations;
  std::map<std::string, Locations> named;
  bool operator==(const OffChip &) const = default;
};

/// The source of operators' IPUs: none, the model, or the compiler.
enum class VirtualGraphs { Off, Manual, Auto };

/// Pipelining, in one of PopART's two modes, which reject different models.
enum class Pipelining { Off, Implicit, Explicit };

struct Setup {
  std::string model;
  std::map<std::string, std::vector<std::int64_t>> inputShapes;
  /// The anchored tensors; their returns are in the request.
  std::vector<std::string> anchors;
  /// The stages from the module to the executable.
  populus::popir::Request request;
  /// The loss of a program that trains; else empty.
  std::string loss;
  populus::popir::Optimizer optimizer;
  populus::popir::Accumulation accumulation;
  bool accumulates = false;
  OffChip offChip;
  /// See TrainingOptions.
  std::optional<std::int64_t> shardedFrom;
  populus::popir::Recomputation recomputation =
      populus::popir::Recomputation::None;
  std::optional<populus::popir::AutomaticLossScaling> automaticLossScaling;
  /// Training state that stays on the device.
  bool keepsAccumulators = false, keepsOptimizerState = false;
  VirtualGraphs virtualGraphs = VirtualGraphs::Off;
  /// The number of IPUs that execution phases alternate between; 0: no phases.
  unsigned phaseIpus = 0;
  Pipelining pipelining = Pipelining::Off;
  populus::popir::BatchSlices batchSlices;
  /// Recomputes all operators of a stage for the backward pass.
  bool recomputesStages = false;
  /// Strided groups of a group norm: channel c is in group c % numGroups.
  bool stridedGroups = false;
  /// Enabled patterns defined by the program, and its transforms by checkpoint.
  std::set<std::string> customPatterns;
  populus::popir::CustomTransforms customTransforms;
  /// Disabled patterns of PopART's guide.
  std::set<std::string> patternsOff;
  bool writableWeights = false;
};

/// The key of the executable in caches and files.
populus::runtime::ContentHash keyOf(const Setup &setup);

/// The host's end of the program's streams. A buffer holds the elements of one
/// batch; replicas transfer theirs one after the other.
class Transfers {
public:
  virtual ~Transfers() = default;
  virtual void read(const std::string &input, const Info &info,
                    void *buffer) = 0;
  virtual void write(const std::string &anchor, const Info &info,
                     const void *buffer) = 0;
};

/// By tensor and tile, intervals of elements.
using TileMap =
    std::map<std::string,
             std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>>>;

/// Compiles a model, loads it onto the device, and runs it.
class SessionProgram {
public:
  /// Imports and transforms the model.
  explicit SessionProgram(Setup setup);
  ~SessionProgram();

  /// Compiles on the first call, and loads the executable onto the device.
  void compile();
  void load();
  bool isLoaded() const;
  void run(Transfers &transfers);
  /// Writes the weights and optimizer state of `model`, which must be equal
  /// otherwise, to the loaded program.
  void setWeights(const std::string &model);
  /// Writes some of the weights only.
  void setWeights(const std::string &model, const std::set<std::string> &names);
  /// The model with the current weights and optimizer state of the loaded
  /// program.
  std::string withWeights(const std::string &model) const;
  /// Writes the hyperparameters of another optimizer to the loaded program.
  /// Throws if more than non-constant values differ.
  void setOptimizer(const populus::popir::Optimizer &optimizer);

  /// Writes the seed of random numbers, which restart. Returns false if the
  /// program draws none.
  bool setRandomSeed(std::uint64_t seed);
  /// The device's current seed; nothing if it draws no random numbers.
  std::optional<std::uint64_t> randomSeed() const;

  /// Inputs that are read, and anchors, with their types in the model.
  const std::map<std::string, Info> &inputs() const;
  const std::map<std::string, Info> &anchors() const;
  /// Null if the model has no such tensor.
  const Info *info(const std::string &tensor) const;
  std::vector<std::string> tensors() const;

  /// Cycles of the last run; 0 on the CPU.
  std::uint64_t cycles() const;
  /// Profiles as JSON or CBOR.
  std::string graphReport(bool cbor) const;
  std::string executionReport(bool cbor, bool reset);
  std::string summary(const Options &options, bool reset);
  pva::Report report(bool reset);
  std::string irAsJson() const;
  void writeExecutable(const std::string &path) const;

  /// Serializes the compiled program; or loads it from bytes, instead of
  /// compiling. Bytes of another setup's program are an error.
  std::string executable() const;
  void useExecutable(const std::string &bytes);
  /// Stores the compiled program in the cache, if there is one.
  void keepInCache() const;
  /// The tile mapping: by tensor and tile, intervals of elements. Lowers the
  /// model again.
  TileMap tileMap() const;
  /// The vertex graph. Lowers the model again.
  std::string graph() const;
  /// Serves a stream by a function, instead of the step's transfers.
  void connect(const std::string &stream, std::function<void(void *)> callback);

  /// The states of the random generators, if the setup keeps them.
  std::vector<std::uint32_t> generators() const;
  void setGenerators(const std::vector<std::uint32_t> &states);
  /// The number of words of these states.
  std::size_t numGeneratorWords() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// The model of one instance for all of the job.
std::string broadcastModel(const std::string &model, unsigned rootInstance);

/// Copies `count` elements from one type to another, as Cast does.
void convert(const void *from, int fromType, void *to, int toType,
             std::int64_t count);

/// Describes the first integer that the other type does not have, such as
/// "element 3 is 4294967296"; empty if there is none. Floating-point numbers
/// are rounded, so none of them counts.
std::string lostInteger(const void *from, int fromType, int toType,
                        std::int64_t count);

/// A hash that identifies the build of the compiler.
std::string buildHash();

/// A warning in the log of `session`.
void logWarning(const std::string &text);
/// Logs a line of the user's program; `level` is a logging::Level. Returns
/// false for an unknown module.
bool logOfProgram(const std::string &module, int level,
                  const std::string &text);

/// Returns false for an unknown module.
bool setLogLevel(const std::string &module, const std::string &level);

/// Names of all patterns of the compiler.
std::vector<std::string> patternNames();

/// Writes a file atomically.
void writeFile(const std::string &path, const std::string &bytes);

} // namespace popart::session

#endif
