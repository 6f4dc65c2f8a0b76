// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data of a run's streams. Each host-to-device stream gets a value from a file,
// random numbers or zeros; device-to-host streams return values. A program may
// use a stream several times in a run, once per batch. The value then has that
// many parts, or is used again each time.

#ifndef POPULUS_TOOLS_IPU_RUN_STREAMS_H
#define POPULUS_TOOLS_IPU_RUN_STREAMS_H

#include "HostTensor.h"
#include "Options.h"

#include "runtime/Session/Session.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace populus::run {

class Streams {
public:
  explicit Streams(const runtime::Executable &executable);

  /// Gives a value to the stream of that name: the name of a file or folder
  /// (InputFiles.h), "raw:FILE", "zeros", "random" or "random:SEED". Throws
  /// UsageError, InputError.
  void setInput(const std::string &name, const std::string &value,
                const ImageOptions &images);

  /// Takes input_N.pb of an ONNX test data set, and returns the expected
  /// outputs by the name of their stream.
  std::map<std::string, HostTensor>
  useTestData(const std::filesystem::path &directory);

  /// Throws UsageError if an input has no value.
  void checkComplete() const;

  void connect(runtime::Session &session);
  /// To be called before each run.
  void startRun();
  /// To be called after a run: throws InputError where an input has batches
  /// that the run did not take, or not as often as others.
  void checkUsed() const;

  /// Treats the inputs as data for many steps: each transfer is the next batch.
  /// Samples that do not fill the last batch are dropped. With a seed, samples
  /// are shuffled in each epoch. Call this before values are set.
  void feed(std::optional<std::uint64_t> shuffleSeed);
  /// Call before each step. The step begins with the batches after those of the
  /// previous steps.
  void startStep(std::uint64_t step);

  struct Output {
    std::string name;
    HostTensor value;
  };
  /// In the order of the program's streams.
  std::vector<Output> outputs() const;
  /// Throws UsageError if there is no output of that name.
  const runtime::Stream &checkOutputName(const std::string &name) const;

private:
  struct State {
    const runtime::Stream *stream;
    std::vector<std::uint8_t> bytes;
    std::size_t next = 0;        // inputs: what the next transfer takes
    std::uint64_t batch = 0;     // of a feed: which batch that is
    std::uint64_t transfers = 0; // inputs: in this run
    bool hasValue = false;
  };

  State &find(const std::string &name, runtime::StreamDirection direction);
  void setRaw(State &state, const std::string &file);
  void setValue(State &state, const HostTensor &value, const std::string &what);
  void takeBatch(State &state, void *buffer, std::size_t bytes);
  const std::vector<std::uint64_t> &orderOf(std::uint64_t epoch,
                                            std::uint64_t samples);
  void checkBatches();
  std::string names(runtime::StreamDirection direction) const;
  std::vector<State *> all(runtime::StreamDirection direction);

  const runtime::Executable &executable;
  std::vector<State> states; // parallel to executable.streams
  bool isFeed = false;
  std::optional<std::uint64_t> shuffleSeed;
  /// Order of the samples in one epoch.
  struct Order {
    std::uint64_t epoch = 0;
    std::vector<std::uint64_t> samples;
  } order;
};

/// Shape of a stream, as users see it.
std::vector<std::uint64_t> shapeOf(const runtime::Stream &stream);

} // namespace populus::run

#endif
