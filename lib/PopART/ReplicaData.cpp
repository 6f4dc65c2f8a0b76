// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows are copied as bytes. A sharded variable has one shard a replica; the
// last ones are padded with zeros: 5 elements over 2 replicas are [0 1 2] and
// [3 4 -].

#include "lib/PopART/ReplicaData.h"

#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Support/Error.h"
#include "runtime/Session/Fabric.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>

namespace populus::popir {

static Shape inFront(unsigned count, const Shape &shape) {
  Shape result = {count};
  result.insert(result.end(), shape.begin(), shape.end());
  return result;
}

HostTensor rowsOf(const HostTensor &tensor, const std::vector<unsigned> &rows) {
  const Shape &shape = tensor.shape();
  HostTensor result(
      TensorInfo{tensor.type(), inFront(static_cast<unsigned>(rows.size()),
                                        {shape.begin() + 1, shape.end()})});
  const std::size_t bytes =
      shape[0] == 0 ? 0 : tensor.bytes().size() / std::size_t(shape[0]);
  auto next = result.bytes().begin();
  for (const unsigned row : rows)
    next =
        std::ranges::copy(tensor.bytes().subspan(row * bytes, bytes), next).out;
  return result;
}

HostTensor shardsOf(const HostTensor &tensor, const Shape &shape,
                    unsigned replicas) {
  if (tensor.shape() != shape)
    failInput("a tensor that is divided over replicas is {}, and its new value "
              "{}",
              toString(shape), toString(tensor.info()));
  const std::int64_t size = (numElements(shape) + replicas - 1) / replicas;
  HostTensor shards(TensorInfo{tensor.type(), {replicas, size}});
  std::ranges::copy(tensor.bytes(), shards.bytes().begin());
  return shards;
}

HostTensor joined(const HostTensor &shards, const Shape &shape) {
  HostTensor tensor(TensorInfo{shards.type(), shape});
  std::ranges::copy(shards.bytes().first(tensor.bytes().size()),
                    tensor.bytes().begin());
  return tensor;
}

poplar::OptionFlags withReplicas(poplar::OptionFlags flags, Replicas replicas) {
  if (replicas.isShared()) {
    flags.set("target.firstRuntimeReplica", std::to_string(replicas.first));
    flags.set("target.numberRuntimeReplica", std::to_string(replicas.count));
  }
  return flags;
}

/// The numbers of this process' rows in a value of all replicas.
static std::vector<unsigned> ownRows(Replicas replicas) {
  std::vector<unsigned> rows(replicas.count);
  std::iota(rows.begin(), rows.end(), replicas.first);
  return rows;
}

/// The size of a row of a variable's buffer, on the device.
static std::size_t rowBytes(const Variable &variable) {
  return sizeOf(deviceDataType(variable.info.type)) *
         static_cast<std::size_t>(variable.info.numElements() /
                                  variable.remoteRows);
}

/// Calls `function` with each row of a variable in the host's memory: its
/// number, the replica, and its place in [replicas, shape...].
template <class Function>
static void forEachRow(const Variable &variable, Replicas replicas,
                       Function &&function) {
  if (replicas.isShared())
    failUnsupported("'{}' is off chip, which is not supported in jobs of "
                    "several processes",
                    variable.name);
  const auto rows = static_cast<std::size_t>(variable.remoteRows);
  for (unsigned replica = 0; replica != replicas.count; ++replica)
    for (std::size_t row = 0; row != rows; ++row)
      function(static_cast<int>(row), replica,
               (replica * rows + row) * rowBytes(variable));
}

void writeVariable(poplar::Engine &engine, const Variable &variable,
                   Replicas replicas, const HostTensor &value) {
  const auto &[name, info] = std::tie(variable.name, variable.info);
  const TensorInfo ofEach{info.type, inFront(replicas.total, info.shape)};
  if (value.info() != info && value.info() != ofEach)
    failInput("the variable '{}' is {}, and the new value {}", name,
              toString(info), toString(value.info()));
  if (value.numElements() == 0)
    return;
  HostTensor elements = toDevice(value, name);
  if (replicas.total != 1 && value.info() == info)
    elements = rowsOf(elements.reshaped(inFront(1, info.shape)),
                      std::vector<unsigned>(replicas.count, 0));
  else if (replicas.isShared())
    elements = rowsOf(elements, ownRows(replicas));
  const auto *data = elements.bytes().data();
  if (!variable.isOffChip())
    return engine.writeTensor(weightHandle(name), data,
                              data + elements.bytes().size());
  forEachRow(variable, replicas,
             [&](int row, unsigned replica, std::size_t place) {
               engine.copyToRemoteBuffer(
                   data + place, weightHandle(variable.name), row, replica);
             });
}

/// The values of this process' replicas, as the device has them.
static HostTensor readOwn(poplar::Engine &engine, const Variable &variable,
                          Replicas replicas) {
  const std::string handle = weightHandle(variable.name);
  HostTensor elements(TensorInfo{deviceDataType(variable.info.type),
                                 inFront(replicas.count, variable.info.shape)});
  auto *data = elements.bytes().data();
  if (elements.numElements() == 0)
    return elements;
  if (variable.isOffChip())
    forEachRow(
        variable, replicas, [&](int row, unsigned replica, std::size_t place) {
          engine.copyFromRemoteBuffer(handle, data + place, row, replica);
        });
  else
    engine.readTensor(handle, data, data + elements.bytes().size());
  return elements;
}

HostTensor readVariable(poplar::Engine &engine, const Variable &variable,
                        Replicas replicas) {
  const HostTensor own = readOwn(engine, variable, replicas);
  const TensorInfo &info = variable.info;
  if (!replicas.isShared())
    return own.convertedTo(info.type);
  HostTensor all(TensorInfo{own.type(), inFront(replicas.total, info.shape)});
  runtime::connectFabric().gather(own.bytes(), all.bytes());
  return all.convertedTo(info.type);
}

HostTensor readFirst(poplar::Engine &engine, const Variable &variable,
                     Replicas replicas) {
  return rowsOf(readOwn(engine, variable, replicas), {0})
      .reshaped(variable.info.shape)
      .convertedTo(variable.info.type);
}

void writeOffChipVariables(poplar::Engine &engine, const Module &module,
                           Replicas replicas) {
  for (const Variable &variable : module.variables())
    if (variable.isOffChip() && variable.initial)
      writeVariable(engine, variable, replicas, *variable.initial);
}

void writeSeed(poplar::Engine &engine, std::uint64_t seed, Replicas replicas) {
  // The second word counts batches, too.
  std::vector<std::uint32_t> words;
  for (const std::uint32_t replica : ownRows(replicas)) {
    words.push_back(static_cast<std::uint32_t>(seed) + replica);
    words.push_back(static_cast<std::uint32_t>(seed >> 32));
  }
  engine.writeTensor(SeedHandle, words.data(), words.data() + words.size());
}

std::string broadcastBytes(const std::string &own, unsigned root) {
  runtime::Fabric &fabric = runtime::connectFabric();
  if (root >= fabric.size())
    failInput("there is no instance {}; the job has {}", root, fabric.size());
  const std::uint64_t size = own.size();
  std::vector<std::uint64_t> sizes(fabric.size());
  fabric.gather(std::as_bytes(std::span(&size, 1)),
                std::as_writable_bytes(std::span(sizes)));
  std::vector<std::vector<std::byte>> sends(fabric.size()),
      receives(fabric.size());
  if (fabric.index() != root) {
    receives[root].resize(sizes[root]);
    fabric.exchange(sends, receives);
    return {reinterpret_cast<const char *>(receives[root].data()),
            receives[root].size()};
  }
  const auto bytes = std::as_bytes(std::span(own));
  for (unsigned process = 0; process != fabric.size(); ++process)
    if (process != root)
      sends[process].assign(bytes.begin(), bytes.end());
  fabric.exchange(sends, receives);
  return own;
}

} // namespace populus::popir
