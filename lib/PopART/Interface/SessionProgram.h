// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands between the interface for programs (include/popart) and the
// compiler. The two use some names for different classes, so this header has
// types of neither but the compiler's optimizers: element types are ONNX's
// numbers for them, models are bytes. Errors come out as exceptions of the
// interface.

#ifndef POPULUS_LIB_POPART_INTERFACE_SESSIONPROGRAM_H
#define POPULUS_LIB_POPART_INTERFACE_SESSIONPROGRAM_H

#include "lib/PopART/Custom/Rewrites.h"
#include "lib/PopART/Interface/ModelBytes.h"
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

/// A result, and what of a step's batches is returned.
struct Anchor {
  enum Kind { All, Final, EveryN, Sum };
  std::string name;
  Kind kind = All;
  unsigned period = 1;
};

/// The machine: names as popart-compile has them. Each replica has its IPUs.
struct Machine {
  std::string target, device;
  unsigned numIpus = 1, tilesPerIpu = 0;
  unsigned replicas = 1;
};

using Options = std::map<std::string, std::string>;

/// Who says which IPU an operator is on: nobody, the model, the compiler.
enum class VirtualGraphs { Off, Manual, Auto };

/// Whether the model is a pipeline, and by which of the two ways of PopART,
/// which refuse different things.
enum class Pipelining { Off, Implicit, Explicit };

/// What of a setup is told, and where things go.
struct SetupOutput {
  /// Where executables are kept; empty: nowhere.
  std::string cacheDirectory;
  /// Told how far compiling is: a step, of how many.
  std::function<void(int, int)> progress;
  /// Called often while compiling; what it throws ends that.
  std::function<void()> check;
  /// Drawings: where, and of which stages.
  std::string logDirectory;
  std::set<std::string> dotChecks;
  std::size_t firstDotOp = 0, finalDotOp = 10000;
  bool dotOpNames = false;
};

struct Setup {
  std::string model;
  std::map<std::string, std::vector<std::int64_t>> inputShapes;
  std::vector<Anchor> anchors;
  unsigned batchesPerStep = 1;
  /// With a loss the program trains.
  std::string loss;
  populus::popir::Optimizer optimizer;
  populus::popir::Accumulation accumulation;
  bool accumulates = false;
  /// See TrainingOptions.
  std::optional<std::int64_t> shardedFrom;
  populus::popir::Recomputation recomputation =
      populus::popir::Recomputation::None;
  std::optional<populus::popir::AutomaticLossScaling> automaticLossScaling;
  /// What of a session that trains stays on the device.
  bool keepsAccumulators = false, keepsOptimizerState = false;
  Machine machine;
  VirtualGraphs virtualGraphs = VirtualGraphs::Off;
  /// Phases of execution take turns on so many IPUs; 0: there are none.
  unsigned phaseIpus = 0;
  Pipelining pipelining = Pipelining::Off;
  /// All of a stage is computed again for the backward pass.
  bool recomputesStages = false;
  /// A channel of a group norm is in the group that is its number modulo the
  /// number of groups.
  bool stridedGroups = false;
  /// Patterns that are on; others are off.
  std::set<std::string> patterns;
  /// Those of programs that are on, and their transforms by checkpoint.
  std::set<std::string> customPatterns;
  populus::popir::CustomTransforms customTransforms;
  /// Patterns of PopART's guide that are off.
  std::set<std::string> patternsOff;
  /// Make functions of what repeats; see OutlineOptions.
  bool outline = true;
  double outlineThreshold = 1;
  bool pruneByCopyCost = true;
  std::string partials;
  /// Of convolutions and matrix products.
  Options convolutionOptions, matmulOptions;
  bool writableWeights = false;
  bool roundsStochastically = false;
  /// See lowerModule().
  bool keepsGenerators = false;
  /// Files with codelets, and how their sources are compiled.
  std::vector<std::string> codelets;
  std::string codeletFlags;
  Options engineOptions;
  SetupOutput output;
};

/// Everything that the executable depends on: all of a setup but its output.
populus::runtime::ContentHash keyOf(const Setup &setup);

/// The other end of the program's streams. A buffer holds the elements of one
/// batch in order; replicas transfer theirs one after the other.
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

/// A model on its way to the device and there.
class SessionProgram {
public:
  /// Imports the model and transforms it.
  explicit SessionProgram(Setup setup);
  ~SessionProgram();

  /// Compiles once; loads onto the device.
  void compile();
  void load();
  bool isLoaded() const;
  void run(Transfers &transfers);
  /// Gives the loaded program the weights of another model, which is this one
  /// but for them, and the state of the optimizer that it has.
  void setWeights(const std::string &model);
  /// The same of some of them.
  void setWeights(const std::string &model, const std::set<std::string> &names);
  /// The model with the weights that the loaded program has now, and with the
  /// state of the optimizer.
  std::string withWeights(const std::string &model) const;
  /// Gives the loaded program the numbers of another optimizer. Throws where
  /// more than those that are not constant differs.
  void setOptimizer(const populus::popir::Optimizer &optimizer);

  /// Gives the loaded program the seed of its random numbers, which begin anew;
  /// false where it draws none.
  bool setRandomSeed(std::uint64_t seed);
  /// The seed that the device has now; nothing where it draws none.
  std::optional<std::uint64_t> randomSeed() const;

  /// Inputs that something reads and anchors, with the types that the model
  /// gives them.
  const std::map<std::string, Info> &inputs() const;
  const std::map<std::string, Info> &anchors() const;
  /// Null where the model has no such tensor.
  const Info *info(const std::string &tensor) const;
  std::vector<std::string> tensors() const;

  std::uint64_t cycles() const;
  /// Profiles as JSON or CBOR.
  std::string graphReport(bool cbor) const;
  std::string executionReport(bool cbor, bool reset);
  std::string summary(const Options &options, bool reset);
  pva::Report report(bool reset);
  std::string irAsJson() const;
  void writeExecutable(const std::string &path) const;

  /// The compiled program as bytes, and the other way: bytes instead of
  /// compiling. Those of a program that was made of another setup are an error.
  std::string executable() const;
  void useExecutable(const std::string &bytes);
  /// Keeps the compiled program in the cache, if there is one.
  void keepInCache() const;
  /// Where tensors lie: by name, for each tile, intervals of elements. Lowers
  /// the model once more.
  TileMap tileMap() const;
  /// The graph of vertices, which the model is lowered to once more.
  std::string graph() const;
  /// Lets a function serve a stream instead of the step's transfers.
  void connect(const std::string &stream, std::function<void(void *)> callback);

  /// The states of the generators of random bits, where the setup keeps them.
  std::vector<std::uint32_t> generators() const;
  void setGenerators(const std::vector<std::uint32_t> &states);
  /// How many words these are.
  std::size_t numGeneratorWords() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// Copies `count` elements from one type to another, as Cast does.
void convert(const void *from, int fromType, void *to, int toType,
             std::int64_t count);

/// What tells builds of the compiler apart.
std::string buildHash();

/// A warning in the log of `session`.
void logWarning(const std::string &text);
/// A line of the program's own; levels as logging::Level has them, and false
/// where there is no such module.
bool logOfProgram(const std::string &module, int level,
                  const std::string &text);

/// False where there is no such module.
bool setLogLevel(const std::string &module, const std::string &level);

/// Names of all patterns of the compiler.
std::vector<std::string> patternNames();

/// A file, whole or not at all.
void writeFile(const std::string &path, const std::string &bytes);

} // namespace popart::session

#endif
