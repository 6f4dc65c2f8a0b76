// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sessions: a model, compiled for a device, that runs step by step. A
// TrainingSession changes the weights in each step; an InferenceSession does
// not.

#ifndef POPULUS_INCLUDE_POPART_SESSION_HPP
#define POPULUS_INCLUDE_POPART_SESSION_HPP

#include <popart/dataflow.hpp>
#include <popart/devicemanager.hpp>
#include <popart/error.hpp>
#include <popart/inputshapeinfo.hpp>
#include <popart/istepio.hpp>
#include <popart/logging.hpp>
#include <popart/optimizer.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/sessionoptions.hpp>
#include <popart/tensorinfo.hpp>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace pva {
class Report;
}

namespace popart {

namespace popart_detail {
class SessionState;
}

class Session {
public:
  virtual ~Session();

  /// Compiles the model and, if `loadEngine`, loads it onto the device. Throws
  /// memory_allocation_err if it does not fit.
  void prepareDevice(bool loadEngine = true);
  void loadEngineAndConnectStreams();
  /// Runs a step.
  void run(IStepIO &stepIO, const std::string &debugName = "");

  /// Copies the host's weights and the optimizer's state to the device. In
  /// training this must precede the first step.
  void weightsFromHost();
  /// The same for the initializers in SessionOptions::updatableNamedBuffers.
  void buffersFromHost();
  /// Copies the weights and the optimizer's state back from the device if the
  /// device changes them.
  void weightsToHost();
  /// Replaces the host's weights by those of another model, given as path or
  /// bytes; weightsFromHost copies them to the device. Needs
  /// SessionOptions::constantWeights to be false. Weights are matched by name.
  /// Weights unknown to the session's model are an error unless ignored, and so
  /// are other types and shapes.
  void resetHostWeights(
      const std::string &model,
      bool ignoreWeightsInModelWithoutCorrespondingHostWeight = false);
  /// Gives all instances of a job that poprun has started the host's weights of
  /// one of them. Each instance has to call it.
  void broadcastWeights(unsigned rootInstance = 0);
  /// Writes the session's model with its current weights, which are read from
  /// the device if it changes them. The optimizer's state is stored as
  /// initializers; a session made from the file continues with it.
  void modelToHost(const std::string &path);
  /// The same with the host's weights.
  void saveVariables(const std::string &path);
  /// Moves the elements of initializers from one external file to another,
  /// which is written.
  void updateExternallySavedTensorLocations(const std::string &fromLocation,
                                            const std::string &toLocation);
  /// Record whether the host's weights equal those of the device. A step
  /// changes the device's weights.
  void markHostWeightsInSync();
  void markHostWeightsOutOfSync();
  bool areHostWeightsInSync() const;
  /// Copies the session's current weights, as modelToHost would write them, to
  /// those of `weights` that the model has. Types are converted.
  void readWeights(const IWeightsIO &weights);
  /// Replaces the weights of the model that `weights` has; weightsFromHost
  /// copies them to the device. Needs SessionOptions::constantWeights to be
  /// false.
  void writeWeights(const IWeightsIO &weights);
  /// Seed of the random operators, which restart with the next step.
  void setRandomSeed(std::uint64_t seed);
  std::uint64_t getRandomSeed() const;
  /// State of the random rounding generators: four words for each worker of
  /// each tile. Needs SessionOptions::enableLoadAndOffloadRNGState.
  std::vector<std::uint32_t> getRNGState();
  void setRNGState(const std::vector<std::uint32_t> &state);

  bool hasInfo(const TensorId &id) const;
  /// Type and shape of a tensor of the model.
  TensorInfo getInfo(const TensorId &id) const;
  std::set<TensorId> getAllTensorIds() const;
  const DataFlow &getDataFlow() const;
  const SessionOptions &getSessionOptions() const;
  /// Type and shape of the data that a step returns for an anchor: the numbers
  /// of batches and of micro-batches, unless they are 1, then the tensor's own
  /// shape. 64-bit types become the device's 32-bit types. Throws if the period
  /// of EveryN does not divide the number of batches of a step.
  TensorInfo getAnchorInfo(const TensorId &id) const;

  /// Replicas of the model that run at the same time.
  unsigned getReplicationFactor() const;

  /// Cycles of the last step.
  std::uint64_t getCycleCount(const std::string &id = "") const;
  /// Describes the resources that the program needs. With the engine option
  /// "debug.instrument" it also says where the time goes.
  std::string getSummaryReport(bool resetProfile = true) const;
  /// Tiles, memory, vertices and exchanges of the program, as JSON or CBOR.
  std::string getGraphReport(bool useCbor = false) const;
  /// Cycles and steps of the runs since the last report, as JSON or CBOR.
  std::string getExecutionReport(bool useCbor = false,
                                 bool resetProfile = true) const;
  /// All of these reports, as a pva::Report.
  pva::Report getReport(bool resetProfile = true) const;
  /// The IR as JSON.
  std::string serializeIr() const;
  /// Writes an executable for ipu-run.
  void compileAndExport(const std::string &path);
  /// Writes the compiled program and the host's weights, for loadExecutable of
  /// a session with the same model, options and device. If the path is a
  /// folder, the file is executable.popef. Not for the CPU.
  void saveExecutable(const std::string &path, bool savePopartMetadata = true,
                      bool saveVariables = true);
  /// Loads a saved program, so that prepareDevice need not compile.
  void loadExecutable(const std::string &path);
  /// Stores the compiled program in the folder SessionOptions::cachePath.
  void updateEngineCache();

  /// Intervals of elements, by tensor and tile.
  using TensorTileMap =
      std::map<std::string,
               std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>>>;
  TensorTileMap getTensorTileMap() const;
  /// The graph of vertices, as poplar::Graph::serialize writes it.
  std::string getSerializedGraph() const;
  /// Connects a stream to a function that fills or reads its buffer, instead of
  /// the StepIO.
  void connectStreamToCallback(const std::string &streamHandle,
                               const std::function<void(void *)> &callback,
                               unsigned index = 0);

protected:
  explicit Session(std::unique_ptr<popart_detail::SessionState> state);
  std::unique_ptr<popart_detail::SessionState> state;
};

class InferenceSession final : public Session {
public:
  ~InferenceSession() override;

  /// `model` is the path of an ONNX file, or the bytes of one.
  static std::unique_ptr<InferenceSession> createFromOnnxModel(
      const std::string &model, const DataFlow &dataFlow,
      std::shared_ptr<DeviceInfo> device,
      const InputShapeInfo &inputShapes = InputShapeInfo(),
      const SessionOptions &options = SessionOptions(),
      const Patterns &patterns = Patterns(PatternsLevel::Default),
      const std::string &name = "inference");

private:
  using Session::Session;
};

class TrainingSession final : public Session {
public:
  ~TrainingSession() override;

  /// `loss` is a tensor of one element, which training minimises. Any tensor
  /// may be an anchor; the gradient of `x` is "Gradient___x". Without anchors
  /// nothing is returned.
  static std::unique_ptr<TrainingSession> createFromOnnxModel(
      const std::string &model, const DataFlow &dataFlow, const TensorId &loss,
      const Optimizer &optimizer, std::shared_ptr<DeviceInfo> device,
      const InputShapeInfo &inputShapes = InputShapeInfo(),
      const SessionOptions &options = SessionOptions(),
      const Patterns &patterns = Patterns(PatternsLevel::Default),
      const std::string &name = "training");

  /// Changes the optimizer's numbers from the next step on. Only numbers that
  /// are not constant may differ.
  void updateOptimizerFromHost(const Optimizer *optimizer);

private:
  using Session::Session;
};

} // namespace popart

#endif
