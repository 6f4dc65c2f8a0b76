// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of streams; Streams.h says what they are for.

#include "Streams.h"

#include "InputFiles.h"

#include "runtime/Target/Half.h"

#include <nlohmann/json.hpp>
#include <pvti/pvti.hpp>

#include <algorithm>
#include <cstring>
#include <random>

namespace populus::run {

using runtime::Stream;
using runtime::StreamDirection;

namespace {

std::size_t bytesOf(const Stream &stream) {
  return stream.numElements * runtime::sizeOf(stream.type);
}

/// Floats in [0, 1), integers below 10, bools.
HostTensor randomTensor(const Stream &stream, std::uint64_t seed) {
  HostTensor tensor;
  tensor.type = stream.type;
  tensor.shape = shapeOf(stream);
  tensor.data.resize(bytesOf(stream));
  // The generator is the same everywhere, unlike the library's distributions.
  std::mt19937_64 generator(seed);
  const std::size_t size = runtime::sizeOf(stream.type);
  for (std::uint64_t i = 0; i != stream.numElements; ++i) {
    const std::uint64_t bits = generator();
    const float uniform = static_cast<float>(bits >> 40) * 0x1p-24f;
    std::uint64_t element = bits % 10;
    if (stream.type == ElementType::Float)
      std::memcpy(&element, &uniform, sizeof(uniform));
    else if (stream.type == ElementType::Half)
      element = runtime::floatToHalf(uniform);
    else if (stream.type == ElementType::Bool)
      element = bits & 1;
    std::memcpy(&tensor.data[i * size], &element, size);
  }
  return tensor;
}

/// Returns true if a stream accepts the file's shape: the stream's own, or
/// several samples along the first or an additional dimension.
bool fits(const std::vector<std::uint64_t> &shape, const Stream &stream) {
  const std::vector<std::uint64_t> wanted = shapeOf(stream);
  if (shape == wanted)
    return true;
  if (shape.size() == wanted.size() + 1)
    return std::equal(wanted.begin(), wanted.end(), shape.begin() + 1);
  return shape.size() == wanted.size() && !wanted.empty() &&
         shape[0] % std::max<std::uint64_t>(wanted[0], 1) == 0 &&
         shape[0] != 0 &&
         std::equal(wanted.begin() + 1, wanted.end(), shape.begin() + 1);
}

/// Returns true if a file has enough samples for at least one batch.
bool isCut(const std::vector<std::uint64_t> &shape, const Stream &stream) {
  const std::vector<std::uint64_t> wanted = shapeOf(stream);
  return !wanted.empty() && shape.size() == wanted.size() &&
         shape[0] >= wanted[0] &&
         std::equal(wanted.begin() + 1, wanted.end(), shape.begin() + 1);
}

} // namespace

std::vector<std::uint64_t> shapeOf(const Stream &stream) {
  if (stream.shape.empty() && stream.numElements != 1)
    return {stream.numElements};
  return stream.shape;
}

Streams::Streams(const runtime::Executable &executable)
    : executable(executable) {
  for (const Stream &stream : executable.streams)
    states.push_back({&stream, {}, 0, false});
}

std::vector<Streams::State *> Streams::all(StreamDirection direction) {
  std::vector<State *> result;
  for (State &state : states)
    if (state.stream->direction == direction)
      result.push_back(&state);
  return result;
}

std::string Streams::names(StreamDirection direction) const {
  std::string text;
  for (const State &state : states)
    if (state.stream->direction == direction)
      text += (text.empty() ? "" : ", ") + state.stream->handle;
  return text.empty() ? "none" : text;
}

Streams::State &Streams::find(const std::string &name,
                              StreamDirection direction) {
  for (State *state : all(direction))
    if (state->stream->handle == name)
      return *state;
  const bool input = direction == StreamDirection::HostToDevice;
  throw UsageError("the program has no " +
                   std::string(input ? "input" : "output") + " '" + name +
                   "'; it has: " + names(direction));
}

const Stream &Streams::checkOutputName(const std::string &name) const {
  return *const_cast<Streams *>(this)
              ->find(name, StreamDirection::DeviceToHost)
              .stream;
}

void Streams::setValue(State &state, const HostTensor &value,
                       const std::string &what) {
  const Stream &stream = *state.stream;
  if (!fits(value.shape, stream) && !(isFeed && isCut(value.shape, stream)))
    throw InputError(what + ": input '" + stream.handle + "' is " +
                     describe(stream.type, shapeOf(stream)) +
                     ", but the file has " + describe(value.type, value.shape));
  if (value.numElements() == 0 && stream.numElements != 0)
    throw InputError(what + ": input '" + stream.handle + "' is " +
                     describe(stream.type, shapeOf(stream)) +
                     ", but the file has no batch of that: " +
                     describe(value.type, value.shape));
  state.bytes = convert(value, stream.type, what).data;
  state.hasValue = true;
}

void Streams::setInput(const std::string &name, const std::string &value,
                       const ImageOptions &images) {
  State &state = find(name, StreamDirection::HostToDevice);
  const Stream &stream = *state.stream;
  if (value == "zeros") {
    state.bytes.assign(bytesOf(stream), 0);
    state.hasValue = true;
  } else if (value == "random" || value.rfind("random:", 0) == 0) {
    std::uint64_t seed = 0;
    if (value != "random") {
      const std::string digits = value.substr(7);
      if (digits.empty() ||
          digits.find_first_not_of("0123456789") != std::string::npos ||
          digits.size() > 19)
        throw UsageError("--input " + name + "=" + value +
                         ": the seed must be a number");
      seed = std::stoull(digits);
    }
    setValue(state, randomTensor(stream, seed), value);
  } else if (value.rfind("raw:", 0) == 0) {
    setRaw(state, value.substr(4));
  } else {
    setValue(state,
             readInput(value, {name, stream.type, shapeOf(stream)}, images),
             value);
  }
}

/// The bytes as the device takes them, for one or several transfers.
void Streams::setRaw(State &state, const std::string &file) {
  const Stream &stream = *state.stream;
  std::vector<std::uint8_t> bytes = readFile(file);
  const std::size_t wanted = bytesOf(stream);
  if (bytes.empty() ? wanted != 0 : wanted == 0 || bytes.size() % wanted != 0)
    throw InputError(file + ": input '" + stream.handle + "' is " +
                     describe(stream.type, shapeOf(stream)) + ", " +
                     std::to_string(wanted) + " bytes, but the file has " +
                     std::to_string(bytes.size()));
  state.bytes = std::move(bytes);
  state.hasValue = true;
}

/// The names of all inputs that the model has, where some of them are constants
/// of the program.
static std::vector<std::string>
orderOfInputs(const runtime::Executable &executable) {
  const auto found = executable.metadata.find("input_order");
  if (found == executable.metadata.end())
    return {};
  const auto names = nlohmann::json::parse(found->second, nullptr, false);
  std::vector<std::string> result;
  for (const auto &name : names)
    if (name.is_string())
      result.push_back(name);
  return result;
}

/// Arrays of NumPy have no bfloat16: in files that were made from them its bits
/// are integers.
static HostTensor withBrainFloats(HostTensor value,
                                  const runtime::Executable &executable,
                                  const std::string &stream,
                                  const char *direction) {
  const auto found = executable.metadata.find(direction);
  const bool isBrainFloat =
      found != executable.metadata.end() &&
      ("," + (" " + found->second)).find(", " + stream + ": bfloat16 ") !=
          std::string::npos;
  if (isBrainFloat && value.type == ElementType::UnsignedShort)
    return fromBrainFloats(std::move(value));
  return value;
}

std::map<std::string, HostTensor>
Streams::useTestData(const std::filesystem::path &directory) {
  if (!std::filesystem::is_directory(directory))
    throw InputError("cannot read " + directory.string() +
                     ": not a directory; --test-data takes the directory with "
                     "input_0.pb");
  // Files are in the order of the model's inputs and outputs, and usually have
  // their names, too.
  const std::vector<State *> inputs = all(StreamDirection::HostToDevice);
  std::size_t index = 0;
  const auto fileOf = [&](const char *kind) {
    return directory / (kind + std::to_string(index) + ".pb");
  };
  const std::vector<std::string> order = orderOfInputs(executable);
  for (; std::filesystem::exists(fileOf("input_")); ++index) {
    HostTensor value = readTensor(fileOf("input_"));
    if (index < order.size()) {
      value.name = order[index];
      if (std::ranges::none_of(inputs, [&](State *s) {
            return s->stream->handle == value.name;
          }))
        continue; // a constant of the program
    }
    auto named = std::find_if(inputs.begin(), inputs.end(), [&](State *s) {
      return s->stream->handle == value.name;
    });
    if (named == inputs.end() && index >= inputs.size())
      throw InputError(fileOf("input_").string() + ": the program has only " +
                       std::to_string(inputs.size()) +
                       " inputs: " + names(StreamDirection::HostToDevice));
    State &state = named == inputs.end() ? *inputs[index] : **named;
    setValue(state,
             withBrainFloats(std::move(value), executable, state.stream->handle,
                             "inputs"),
             fileOf("input_").string());
  }
  if (index == 0 && !inputs.empty())
    throw InputError("cannot read " + fileOf("input_").string() +
                     ": No such file or directory");

  std::map<std::string, HostTensor> expected;
  const std::vector<State *> outputs = all(StreamDirection::DeviceToHost);
  for (index = 0; std::filesystem::exists(fileOf("output_")); ++index) {
    HostTensor value = readTensor(fileOf("output_"));
    auto named = std::find_if(outputs.begin(), outputs.end(), [&](State *s) {
      return s->stream->handle == value.name;
    });
    if (named == outputs.end() && index >= outputs.size())
      throw InputError(fileOf("output_").string() + ": the program has only " +
                       std::to_string(outputs.size()) +
                       " outputs: " + names(StreamDirection::DeviceToHost));
    const State &state = named == outputs.end() ? *outputs[index] : **named;
    expected[state.stream->handle] = withBrainFloats(
        std::move(value), executable, state.stream->handle, "outputs");
  }
  return expected;
}

void Streams::checkComplete() const {
  std::string missing;
  for (const State &state : states)
    if (state.stream->direction == StreamDirection::HostToDevice &&
        !state.hasValue)
      missing += (missing.empty() ? "'" : ", '") + state.stream->handle +
                 "' (" + describe(state.stream->type, shapeOf(*state.stream)) +
                 ")";
  if (!missing.empty())
    throw UsageError("no value for input " + missing +
                     "; use --input NAME=FILE, NAME=random or NAME=zeros, or "
                     "--test-data");
}

void Streams::connect(runtime::Session &session) {
  for (std::uint32_t i = 0; i != states.size(); ++i) {
    State &state = states[i];
    const std::string label = "stream '" + state.stream->handle + "'";
    if (state.stream->direction == StreamDirection::HostToDevice)
      session.connectStream(
          i, [this, &state, label](void *buffer, std::size_t bytes) {
            const pvti::Tracepoint span(&pvti::traceDrivers, label.c_str());
            if (isFeed)
              return takeBatch(state, buffer, bytes);
            ++state.transfers;
            if (bytes == 0)
              return;
            if (state.next + bytes > state.bytes.size())
              state.next = 0; // all parts are used: from the first one again
            std::memcpy(buffer, state.bytes.data() + state.next, bytes);
            state.next += bytes;
          });
    else
      session.connectStream(
          i, [&state, label](void *buffer, std::size_t bytes) {
            const pvti::Tracepoint span(&pvti::traceDrivers, label.c_str());
            const auto *data = static_cast<const std::uint8_t *>(buffer);
            state.bytes.insert(state.bytes.end(), data, data + bytes);
          });
  }
}

void Streams::startRun() {
  for (State &state : states) {
    state.next = 0;
    state.transfers = 0;
    if (state.stream->direction == StreamDirection::DeviceToHost)
      state.bytes.clear();
  }
}

void Streams::checkUsed() const {
  for (const State &state : states) {
    const Stream &stream = *state.stream;
    const std::size_t bytes = bytesOf(stream);
    if (stream.direction != StreamDirection::HostToDevice || bytes == 0 ||
        state.transfers == 0)
      continue;
    const std::uint64_t batches = state.bytes.size() / bytes;
    if (state.transfers % batches != 0)
      throw InputError(
          "input '" + stream.handle + "' has " + std::to_string(batches) +
          " batches, but a run of the program takes " +
          std::to_string(state.transfers) +
          ": compile it with --batches-per-step " + std::to_string(batches) +
          ", or give it as many batches as a run takes");
  }
}

// ---- Data for many steps ----------------------------------------------------

void Streams::feed(std::optional<std::uint64_t> seed) {
  isFeed = true;
  shuffleSeed = seed;
}

/// Inputs go together sample by sample, but for those with one batch, which
/// every step gets.
void Streams::checkBatches() {
  const State *first = nullptr;
  auto batches = [](const State &state) {
    return state.bytes.size() /
           std::max<std::size_t>(bytesOf(*state.stream), 1);
  };
  for (const State *state : all(StreamDirection::HostToDevice)) {
    if (batches(*state) <= 1)
      continue;
    if (first && batches(*first) != batches(*state))
      throw InputError("inputs '" + first->stream->handle + "' and '" +
                       state->stream->handle + "' have " +
                       std::to_string(batches(*first)) + " and " +
                       std::to_string(batches(*state)) +
                       " batches; they have to have the same number");
    first = state;
  }
}

void Streams::startStep(std::uint64_t step) {
  checkBatches();
  startRun();
  const auto found = executable.metadata.find("batches_per_step");
  const std::uint64_t perStep =
      found == executable.metadata.end() ? 1 : std::stoull(found->second);
  for (State &state : states)
    state.batch = step * perStep;
}

/// A permutation that depends on the seed and the time round only.
const std::vector<std::uint64_t> &Streams::orderOf(std::uint64_t epoch,
                                                   std::uint64_t samples) {
  if (order.samples.size() == samples && order.epoch == epoch)
    return order.samples;
  order.epoch = epoch;
  order.samples.resize(samples);
  for (std::uint64_t i = 0; i != samples; ++i)
    order.samples[i] = i;
  std::mt19937_64 generator(*shuffleSeed ^ (epoch + 1) * 0x9e3779b97f4a7c15U);
  for (std::uint64_t i = samples; i-- > 1;)
    std::swap(order.samples[i], order.samples[generator() % (i + 1)]);
  return order.samples;
}

void Streams::takeBatch(State &state, void *buffer, std::size_t bytes) {
  if (bytes == 0)
    return;
  const std::uint64_t batches = state.bytes.size() / bytes;
  const std::uint64_t epoch = state.batch / batches;
  const std::uint64_t place = state.batch++ % batches;
  const std::vector<std::uint64_t> shape = shapeOf(*state.stream);
  const std::uint64_t rows = shape.empty() ? 1 : shape[0];
  if (!shuffleSeed || batches == 1 || rows == 0) {
    std::memcpy(buffer, state.bytes.data() + place * bytes, bytes);
    return;
  }
  const std::size_t row = bytes / rows;
  const std::vector<std::uint64_t> &samples = orderOf(epoch, batches * rows);
  for (std::uint64_t i = 0; i != rows; ++i)
    std::memcpy(static_cast<std::uint8_t *>(buffer) + i * row,
                state.bytes.data() + samples[place * rows + i] * row, row);
}

std::vector<Streams::Output> Streams::outputs() const {
  std::vector<Output> result;
  for (const State &state : states) {
    const Stream &stream = *state.stream;
    if (stream.direction != StreamDirection::DeviceToHost)
      continue;
    HostTensor value;
    value.type = stream.type;
    value.shape = shapeOf(stream);
    value.data = state.bytes;
    const std::size_t parts =
        bytesOf(stream) == 0 ? 1 : state.bytes.size() / bytesOf(stream);
    if (parts != 1)
      value.shape.insert(value.shape.begin(), parts);
    result.push_back({stream.handle, std::move(value)});
  }
  return result;
}

} // namespace populus::run
