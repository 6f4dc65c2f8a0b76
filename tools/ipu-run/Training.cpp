// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of training, and the files around them. A trained model is the one that
// was compiled, which the executable carries without its weights, with the
// weights behind it: protobuf joins the parts of a message.

#include "Training.h"

#include "runtime/Format/MetadataKeys.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <ostream>

namespace populus::run {

namespace {

/// In a checkpoint, the number of steps before it.
constexpr const char *StepsName = "steps";

const std::string *fact(const runtime::Executable &executable,
                        const char *name) {
  const auto found = executable.metadata.find(name);
  return found == executable.metadata.end() ? nullptr : &found->second;
}

void writeText(const std::string &path, const std::string &text) {
  writeFile(path,
            {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()});
}

// ---- ONNX -------------------------------------------------------------------

/// Fields of protobuf messages, by number.
class Message {
public:
  void add(unsigned field, std::uint64_t number) {
    addNumber(field << 3);
    addNumber(number);
  }
  void add(unsigned field, std::string_view bytes) {
    addNumber(field << 3 | 2);
    addNumber(bytes.size());
    text += bytes;
  }
  const std::string &bytes() const { return text; }

private:
  void addNumber(std::uint64_t number) {
    for (; number > 0x7f; number >>= 7)
      text += static_cast<char>(number | 0x80);
    text += static_cast<char>(number);
  }

  std::string text;
};

/// Field numbers of onnx.proto.
enum : unsigned {
  ModelGraph = 7,
  GraphInitializer = 5,
  TensorDims = 1,
  TensorType = 2,
  TensorName = 8,
  TensorRawData = 9,
};

/// A model of nothing but an initializer.
std::string initializer(const std::string &name, unsigned type,
                        const std::vector<std::uint64_t> &shape,
                        const HostTensor &value) {
  Message tensor, graph, model;
  for (const std::uint64_t extent : shape)
    tensor.add(TensorDims, extent);
  tensor.add(TensorType, type);
  tensor.add(TensorName, name);
  tensor.add(TensorRawData,
             std::string_view(reinterpret_cast<const char *>(value.data.data()),
                              value.data.size()));
  graph.add(GraphInitializer, tensor.bytes());
  model.add(ModelGraph, graph.bytes());
  return model.bytes();
}

} // namespace

Training::Training(const Options &options,
                   const runtime::Executable &executable, std::ostream &out)
    : options(options), executable(executable), out(out) {
  if (const std::string *loss = fact(executable, "loss"))
    lossName = *loss;
  else if (!options.lossOut.empty() || !options.saveWeights.empty())
    throw UsageError(options.file + " does not train: popart-compile makes "
                                    "programs that do with --loss");
  findKept();
}

/// Tensors that have a handle for reading and one for writing.
void Training::findKept() {
  std::map<std::string, std::uint32_t> writable;
  for (std::uint32_t i = 0; i != executable.hostTensors.size(); ++i)
    if (executable.hostTensors[i].writable)
      writable[executable.hostTensors[i].handle] = i;
  for (std::uint32_t i = 0; i != executable.hostTensors.size(); ++i) {
    const runtime::HostTensor &host = executable.hostTensors[i];
    const auto writer = writable.find(host.handle);
    if (!host.readable || writer == writable.end())
      continue;
    const runtime::TensorLayout &layout = executable.tensors.at(host.tensor);
    HostTensor value;
    value.type = layout.type;
    value.shape = {1};
    for (const std::uint64_t extent : layout.shape)
      value.shape[0] *= extent;
    kept.push_back({i, writer->second, host.handle, value});
  }
}

void Training::run(runtime::Session &session, Streams &streams,
                   RunRecorder &runs) {
  const std::uint64_t first = options.resume.empty() ? 0 : resume(session);
  std::vector<double> losses;
  for (std::uint64_t i = 0; i != options.steps; ++i) {
    streams.startStep(first + i);
    runs.run(session);
    if (lossName.empty())
      continue;
    const double loss = lossOf(streams);
    if (!options.lossOut.empty())
      losses.push_back(loss);
    show(i, loss);
  }
  if (!options.lossOut.empty())
    writeLosses(losses, first);
  if (!options.saveWeights.empty())
    writeWeights(session);
  if (!options.checkpoint.empty())
    writeCheckpoint(session, first + options.steps);
}

/// The mean over what the step returned.
double Training::lossOf(const Streams &streams) const {
  for (const Streams::Output &output : streams.outputs())
    if (output.name == lossName) {
      const std::uint64_t count = output.value.numElements();
      double sum = 0;
      for (std::uint64_t i = 0; i != count; ++i)
        sum += elementAsDouble(output.value, i);
      return sum / static_cast<double>(count);
    }
  return NAN;
}

/// Some twenty lines, whatever the number of steps.
void Training::show(std::uint64_t step, double loss) const {
  constexpr std::uint64_t Lines = 20;
  const std::uint64_t period =
      std::max<std::uint64_t>(options.steps / Lines, 1);
  if (step == 0 || step + 1 == options.steps || (step + 1) % period == 0)
    out << "step " << step + 1 << " of " << options.steps << ": loss " << loss
        << std::endl;
}

HostTensor Training::read(const runtime::Session &session,
                          const Kept &from) const {
  HostTensor value = from.value;
  value.name = from.name;
  value.data.resize(value.shape[0] * runtime::sizeOf(value.type));
  session.readTensor(from.reader, value.data.data());
  return value;
}

std::uint64_t Training::resume(runtime::Session &session) const {
  std::vector<HostTensor> arrays = readNpz(options.resume);
  auto take = [&](const std::string &name) -> const HostTensor & {
    const auto found = std::ranges::find(arrays, name, &HostTensor::name);
    if (found == arrays.end())
      throw InputError(options.resume +
                       " is no checkpoint of this program: it "
                       "has no '" +
                       name + "'");
    return *found;
  };
  for (const Kept &each : kept) {
    const HostTensor &value = take(each.name);
    const std::size_t bytes =
        each.value.shape[0] * runtime::sizeOf(each.value.type);
    if (value.data.size() != bytes)
      throw InputError(options.resume + " is no checkpoint of this program: '" +
                       each.name + "' has another size");
    session.writeTensor(each.writer, value.data.data());
  }
  return static_cast<std::uint64_t>(elementAsDouble(take(StepsName), 0));
}

void Training::writeCheckpoint(const runtime::Session &session,
                               std::uint64_t steps) const {
  HostTensor number;
  number.type = ElementType::UnsignedLongLong;
  number.shape = {1};
  number.name = StepsName;
  number.data.resize(sizeof(steps));
  std::memcpy(number.data.data(), &steps, sizeof(steps));
  std::vector<HostTensor> arrays = {std::move(number)};
  for (const Kept &each : kept)
    arrays.push_back(read(session, each));
  writeNpz(arrays, options.checkpoint);
}

void Training::writeWeights(const runtime::Session &session) const {
  const std::string *model = fact(executable, runtime::ModelKey);
  const std::string *list = fact(executable, runtime::WeightsKey);
  if (!model || !list)
    throw UsageError("--save-weights: " + options.file +
                     " does not have the model that it was compiled from");
  std::string bytes = *model;
  for (const auto &weight : nlohmann::json::parse(*list)) {
    const std::string name = weight.at("name");
    const auto found = std::ranges::find(kept, "weights/" + name, &Kept::name);
    if (found != kept.end())
      bytes += initializer(name, weight.at("type"), weight.at("shape"),
                           read(session, *found));
  }
  writeText(options.saveWeights, bytes);
}

void Training::writeLosses(const std::vector<double> &losses,
                           std::uint64_t first) const {
  std::string text = "step,loss\n";
  for (std::size_t i = 0; i != losses.size(); ++i) {
    char line[64];
    std::snprintf(line, sizeof(line), "%llu,%.9g\n",
                  static_cast<unsigned long long>(first + i + 1), losses[i]);
    text += line;
  }
  writeText(options.lossOut, text);
}

} // namespace populus::run
