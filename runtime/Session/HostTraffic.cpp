// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves data between device and host: streams, remote buffers, host functions,
// tensors that the host reads and writes, and the text that the control program
// prints. Data passes through a buffer in the tensor's order; its cost is that
// of the transfer on the machine, not of the copies here.

#include "runtime/Session/PrintTensor.h"
#include "runtime/Session/SessionImpl.h"
#include "runtime/Session/TensorIo.h"

#include <algorithm>

namespace populus::runtime {

namespace {

std::string ofReplica(std::uint32_t replica, std::size_t replicas) {
  return replicas == 1 ? "" : " of replica " + std::to_string(replica);
}

} // namespace

StreamFunction &SessionImpl::connected(std::uint32_t stream,
                                       std::uint32_t replica) {
  StreamFunction &function = streams[stream][replica];
  if (!function)
    throw RunError("stream '" + program->streams[stream].handle + "'" +
                   ofReplica(replica, streams[stream].size()) +
                   " is not connected; connect it before the run");
  return function;
}

void SessionImpl::streamToDevice(const Step &step) {
  const Stream &stream = program->streams[step.stream()];
  const std::string what = "the stream '" + stream.handle + "'";
  if (active && stream.broadcast)
    refuseBranch(what + " in it transfers to all replicas at once");
  std::vector<std::byte> buffer(tensorBytes(program->tensors[step.tensor]));
  const std::size_t share = buffer.size() / stream.replicas;
  const Range own = distribution.ownOf(stream.replicas);
  std::byte *first = buffer.data() + own.first * share;
  for (std::uint32_t r = 0; r != own.count; ++r)
    if (stream.broadcast && r != 0)
      std::memcpy(first + r * share, first, share);
    else if (runsReplica(own.first + r, stream.replicas, what))
      connected(step.stream(), r)(first + r * share, share);
  write(step.tensor, buffer.data());
}

void SessionImpl::deviceToStream(const Step &step) {
  const Stream &stream = program->streams[step.stream()];
  const std::uint32_t replicas = stream.replicas;
  std::vector<std::byte> buffer = read(step.tensor);
  const std::size_t share = buffer.size() / replicas;
  const Range own = distribution.ownOf(replicas);
  for (std::uint32_t r = 0; r != own.count; ++r)
    if (runsReplica(own.first + r, replicas,
                    "the stream '" + stream.handle + "'"))
      connected(step.stream(), r)(buffer.data() + (own.first + r) * share,
                                  share);
}

RemoteTimes &SessionImpl::remoteTimesOf(std::uint32_t buffer,
                                        std::uint32_t ipu) {
  std::vector<RemoteTimes> &times = remoteTimes[buffer];
  return times[ipu * times.size() / program->numIpus];
}

void SessionImpl::remoteCopy(std::uint32_t index, const Step &step) {
  const RemoteBuffer &buffer = program->remoteBuffers[step.remoteBuffer()];
  const bool toDevice = step.kind == StepKind::RemoteToDevice;
  std::vector<std::byte> data =
      toDevice
          ? std::vector<std::byte>(tensorBytes(program->tensors[step.tensor]))
          : read(step.tensor);
  const std::size_t bytes = remote.rowBytes(step.remoteBuffer());
  const std::size_t numRows = bytes == 0 ? 0 : data.size() / bytes;
  const std::size_t rowsPerReplica = numRows / buffer.replicas;
  const std::vector<std::byte> offsets =
      step.tensors.empty() ? std::vector<std::byte>() : read(step.tensors[0]);
  const Range own = distribution.ownOf(buffer.replicas);
  const std::size_t begin = own.first * rowsPerReplica;
  for (std::size_t i = begin; i != begin + own.count * rowsPerReplica; ++i) {
    const auto replica = static_cast<std::uint32_t>(i / rowsPerReplica);
    if (!runsReplica(replica, buffer.replicas,
                     "the remote buffer '" + buffer.handle + "'"))
      continue;
    auto row = static_cast<std::uint32_t>(i % rowsPerReplica);
    if (!offsets.empty())
      std::memcpy(&row, offsets.data() + i * sizeof(row), sizeof(row));
    std::byte *there = remote.row(step.remoteBuffer(), row, replica);
    std::byte *here = data.data() + i * bytes;
    std::memcpy(toDevice ? here : there, toDevice ? there : here, bytes);
  }
  if (toDevice) {
    write(step.tensor, data.data());
  }

  const std::span<const StepPart> parts = partsOf(index);
  std::vector<std::uint64_t> earliest;
  for (const StepPart &part : parts) {
    const std::uint32_t ipu = costs.ioTiles().ipuOf(part.ipus.front());
    const RemoteTimes &times = remoteTimesOf(step.remoteBuffer(), ipu);
    earliest.push_back(toDevice ? times.written
                                : std::max(times.read, times.written));
    if (!offsets.empty()) // which other tiles have computed
      earliest.back() = std::max(earliest.back(), account.now(ipu));
  }
  account.addStep(index, parts, earliest);
  for (const StepPart &part : parts) {
    const std::uint32_t clock = part.ipus.front();
    RemoteTimes &times =
        remoteTimesOf(step.remoteBuffer(), costs.ioTiles().ipuOf(clock));
    std::uint64_t &time = toDevice ? times.read : times.written;
    time = std::max(time, account.now(clock));
  }
}

void SessionImpl::hostCall(const Step &step) {
  const HostFunction &function = program->hostFunctions[step.hostFunction()];
  const std::size_t numInputs = function.inputs.size();
  std::vector<std::vector<std::byte>> data;
  for (std::size_t i = 0; i != step.tensors.size(); ++i)
    data.push_back(i < numInputs ? read(step.tensors[i])
                                 : std::vector<std::byte>(tensorBytes(
                                       program->tensors[step.tensors[i]])));
  const Range own = distribution.ownOf(function.replicas);
  for (std::uint32_t r = own.first; r != own.first + own.count; ++r) {
    if (!runsReplica(r, function.replicas,
                     "the host function '" + function.handle + "'"))
      continue;
    const HostFunctionCall &call =
        hostFunctions[step.hostFunction()][r - own.first];
    if (!call)
      throw RunError("host function '" + function.handle + "'" +
                     ofReplica(r, function.replicas) +
                     " is not connected; connect it before the run");
    std::vector<void *> share;
    for (std::vector<std::byte> &tensor : data)
      share.push_back(tensor.data() + r * (tensor.size() / function.replicas));
    const std::vector<const void *> inputs(share.begin(),
                                           share.begin() + numInputs);
    call(inputs, std::span(share).subspan(numInputs));
  }
  for (std::size_t i = numInputs; i != data.size(); ++i)
    write(step.tensors[i], data[i].data());
}

void SessionImpl::printStep(const Step &step) {
  const TensorLayout &tensor = program->tensors[step.tensor];
  const std::vector<std::byte> data = readAll(step.tensor);
  if (!runsTensor(step.tensor))
    return;
  if (distribution.index() != 0)
    return; // the first instance prints for all
  const std::vector<std::int32_t> &v = step.values;
  PrintFormat format;
  if (!v.empty())
    format = {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]};
  if (v.empty() && !options.formatPrints)
    printTensor(*print, step.name, tensor.type, tensor.shape, data.data());
  else
    printTensor(*print, step.name, tensor.type, tensor.shape, data.data(),
                format);
  print->flush();
}

std::vector<std::byte> SessionImpl::read(std::uint32_t tensor) const {
  std::vector<std::byte> data(tensorBytes(program->tensors[tensor]));
  gather(*program, memory, tensor, data.data());
  return data;
}

std::vector<std::byte> SessionImpl::readAll(std::uint32_t tensor) {
  std::vector<std::byte> data = read(tensor);
  distribution.complete(tensor, data);
  return data;
}

void SessionImpl::write(std::uint32_t tensor, const void *data) {
  if (active)
    writeActive(tensor, static_cast<const std::byte *>(data));
  else
    scatter(*program, memory, tensor, data);
  noteWritten(tensor);
}

/// The offset of this process' share of a packed tensor.
std::size_t SessionImpl::shareBegin(std::uint32_t tensor) const {
  return tensorBytes(program->tensors[tensor]) / distribution.size() *
         distribution.index();
}

void SessionImpl::writeTensor(std::uint32_t hostTensor, const void *data) {
  const std::uint32_t tensor = program->hostTensors.at(hostTensor).tensor;
  scatter(*program, memory, tensor, data, shareBegin(tensor));
  noteWritten(tensor);
}

void SessionImpl::readTensor(std::uint32_t hostTensor, void *data) const {
  const std::uint32_t tensor = program->hostTensors.at(hostTensor).tensor;
  gather(*program, memory, tensor, data, shareBegin(tensor));
}

std::uint32_t SessionImpl::replicaOf(std::uint32_t buffer,
                                     std::uint32_t replica) const {
  return distribution.ownOf(program->remoteBuffers.at(buffer).replicas).first +
         replica;
}

namespace {

template <typename Function>
void connectReplica(std::vector<Function> &byReplica, std::uint32_t replica,
                    Function function) {
  if (replica != AllReplicas)
    byReplica.at(replica) = std::move(function);
  else
    std::fill(byReplica.begin(), byReplica.end(), function);
}

} // namespace

void SessionImpl::connectStream(std::uint32_t stream, StreamFunction function,
                                std::uint32_t replica) {
  connectReplica(streams.at(stream), replica, std::move(function));
}

void SessionImpl::connectHostFunction(std::uint32_t hostFunction,
                                      HostFunctionCall function,
                                      std::uint32_t replica) {
  connectReplica(hostFunctions.at(hostFunction), replica, std::move(function));
}

void SessionImpl::noteWritten(std::uint32_t tensor) {
  if (!device->isChecking())
    return;
  const Range range = program->tensors[tensor].segments;
  for (std::uint32_t i = 0; i != range.count; ++i)
    if (const Segment &segment = program->segments[range.first + i];
        memory.holds(segment.tile) && runsTile(segment.tile))
      device->written(segment);
}

} // namespace populus::runtime
