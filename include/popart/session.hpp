// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sessions: a model, compiled for a device, that runs step by step. A
// TrainingSession changes the weights in each step, an InferenceSession does
// not.

#ifndef POPULUS_INCLUDE_POPART_SESSION_HPP
#define POPULUS_INCLUDE_POPART_SESSION_HPP

#include <popart/dataflow.hpp>
#include <popart/devicemanager.hpp>
#include <popart/error.hpp>
#include <popart/inputshapeinfo.hpp>
#include <popart/istepio.hpp>
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

  /// Compiles the model and, if told to, loads it onto the device. Throws
  /// memory_allocation_err where it does not fit.
  void prepareDevice(bool loadEngine = true);
  void loadEngineAndConnectStreams();
  /// Runs a step.
  void run(IStepIO &stepIO, const std::string &debugName = "");

  /// Gives the device the weights that the session has on the host, and the
  /// state of the optimizer. In training that has to come before the first
  /// step.
  void weightsFromHost();
  /// The same of those that SessionOptions::updatableNamedBuffers names.
  void buffersFromHost();
  /// Copies weights and the state of the optimizer back from the device, where
  /// it changes them.
  void weightsToHost();
  /// Takes the weights of another model, its path or its bytes, which
  /// weightsFromHost then gives the device; needs SessionOptions::
  /// constantWeights to be false. Weights are known by their names; those that
  /// the session's model does not have are an error unless they are to be
  /// ignored, as are other types and shapes.
  void resetHostWeights(
      const std::string &model,
      bool ignoreWeightsInModelWithoutCorrespondingHostWeight = false);
  /// Writes the model that the session was made from, with the weights that it
  /// has now, on the device where that changes them. The state of the optimizer
  /// is in it as initializers; a session that is made from it goes on with it.
  void modelToHost(const std::string &path);
  /// The same with the weights that the host has.
  void saveVariables(const std::string &path);
  /// Elements of initializers that the model has in the one file are in the
  /// other one from now on, which is written.
  void updateExternallySavedTensorLocations(const std::string &fromLocation,
                                            const std::string &toLocation);
  /// Record whether the host's weights equal those of the device. A step
  /// changes the device's weights.
  void markHostWeightsInSync();
  void markHostWeightsOutOfSync();
  bool areHostWeightsInSync() const;
  /// Copies the weights that the session has now, as modelToHost would write
  /// them, to those of `weights` that the model has. Types are converted.
  void readWeights(const IWeightsIO &weights);
  /// Takes those of `weights` that the model has; weightsFromHost then gives
  /// them to the device. Needs SessionOptions::constantWeights to be false.
  void writeWeights(const IWeightsIO &weights);
  /// The seed of the operators that draw random numbers, which begin anew with
  /// the next step.
  void setRandomSeed(std::uint64_t seed);
  std::uint64_t getRandomSeed() const;
  /// The states of the generators that round at random, four words for each
  /// worker of each tile. Need SessionOptions::enableLoadAndOffloadRNGState.
  std::vector<std::uint32_t> getRNGState();
  void setRNGState(const std::vector<std::uint32_t> &state);

  bool hasInfo(const TensorId &id) const;
  /// Type and shape of a tensor of the model.
  TensorInfo getInfo(const TensorId &id) const;
  std::set<TensorId> getAllTensorIds() const;
  const DataFlow &getDataFlow() const;
  const SessionOptions &getSessionOptions() const;
  /// Type and shape of all that a step returns for an anchor: the numbers of
  /// batches and of micro-batches, where they are not 1, then the tensor's own
  /// shape. 64-bit types are those of 32 bits that the device has. An error
  /// where the period of EveryN does not divide the batches of a step.
  TensorInfo getAnchorInfo(const TensorId &id) const;

  /// Cycles of the last step.
  std::uint64_t getCycleCount(const std::string &id = "") const;
  /// Describes the resources that the program needs. With the engine option
  /// "debug.instrument" it also says where the time goes.
  std::string getSummaryReport(bool resetProfile = true) const;
  /// Tiles, memory, vertices and exchanges of the program, as JSON or CBOR.
  std::string getGraphReport(bool useCbor = false) const;
  /// Cycles and steps of the last run, in the same way.
  std::string getExecutionReport(bool useCbor = false,
                                 bool resetProfile = true) const;
  /// All of that, to be read by pva.hpp.
  pva::Report getReport(bool resetProfile = true) const;
  /// The IR as JSON.
  std::string serializeIr() const;
  /// Writes an executable for ipu-run.
  void compileAndExport(const std::string &path);
  /// Writes the compiled program, and the weights that the host has, for
  /// loadExecutable of a session of the same model, options and device; in a
  /// folder, the file executable.popef. Not for the CPU.
  void saveExecutable(const std::string &path, bool savePopartMetadata = true,
                      bool saveVariables = true);
  /// Takes a program that was saved, which prepareDevice then need not compile.
  void loadExecutable(const std::string &path);
  /// Keeps the compiled program in the folder of SessionOptions::cachePath.
  void updateEngineCache();

  /// By tensor and tile, intervals of elements.
  using TensorTileMap =
      std::map<std::string,
               std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>>>;
  TensorTileMap getTensorTileMap() const;
  /// The graph of vertices, as poplar::Graph::serialize writes it.
  std::string getSerializedGraph() const;
  /// Lets a function fill or take the buffer of a stream, instead of the
  /// StepIO.
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

  /// `loss` is the tensor of one element that is made smaller. Anchors may be
  /// any tensor, the gradient of `x` by the name "Gradient___x" too. Without
  /// anchors nothing is returned.
  static std::unique_ptr<TrainingSession> createFromOnnxModel(
      const std::string &model, const DataFlow &dataFlow, const TensorId &loss,
      const Optimizer &optimizer, std::shared_ptr<DeviceInfo> device,
      const InputShapeInfo &inputShapes = InputShapeInfo(),
      const SessionOptions &options = SessionOptions(),
      const Patterns &patterns = Patterns(PatternsLevel::Default),
      const std::string &name = "training");

  /// Lets the next steps use the numbers of another optimizer, of which only
  /// those may differ that are not constant.
  void updateOptimizerFromHost(const Optimizer *optimizer);

private:
  using Session::Session;
};

} // namespace popart

#endif
