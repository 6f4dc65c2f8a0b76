// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows are copied as bytes. A sharded variable has one shard a replica; the
// last ones are padded with zeros: 5 elements over 2 replicas are [0 1 2] and
// [3 4 -].

#include "lib/PopART/ReplicaData.h"

#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Support/Error.h"

#include <algorithm>
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

/// The size of a row of a variable's buffer, on the device.
static std::size_t rowBytes(const Variable &variable) {
  return sizeOf(deviceDataType(variable.info.type)) *
         static_cast<std::size_t>(variable.info.numElements() /
                                  variable.remoteRows);
}

/// Calls `function` with each row of a variable in the host's memory: its
/// number, the replica, and its place in [replicas, shape...].
template <class Function>
static void forEachRow(const Variable &variable, unsigned replicas,
                       Function &&function) {
  const auto rows = static_cast<std::size_t>(variable.remoteRows);
  for (unsigned replica = 0; replica != replicas; ++replica)
    for (std::size_t row = 0; row != rows; ++row)
      function(static_cast<int>(row), replica,
               (replica * rows + row) * rowBytes(variable));
}

void writeVariable(poplar::Engine &engine, const Variable &variable,
                   unsigned replicas, const HostTensor &value) {
  const auto &[name, info] = std::tie(variable.name, variable.info);
  const TensorInfo ofEach{info.type, inFront(replicas, info.shape)};
  if (value.info() != info && value.info() != ofEach)
    failInput("the variable '{}' is {}, and the new value {}", name,
              toString(info), toString(value.info()));
  if (value.numElements() == 0)
    return;
  HostTensor elements = toDevice(value, name);
  if (replicas != 1 && value.info() == info)
    elements = rowsOf(elements.reshaped(inFront(1, info.shape)),
                      std::vector<unsigned>(replicas, 0));
  const auto *data = elements.bytes().data();
  if (!variable.isOffChip())
    return engine.writeTensor(weightHandle(name), data,
                              data + elements.bytes().size());
  forEachRow(variable, replicas,
             [&](int row, unsigned replica, std::size_t place) {
               engine.copyToRemoteBuffer(data + place, weightHandle(name), row,
                                         replica);
             });
}

HostTensor readVariable(poplar::Engine &engine, const Variable &variable,
                        unsigned replicas) {
  const auto &[name, info] = std::tie(variable.name, variable.info);
  HostTensor elements(
      TensorInfo{deviceDataType(info.type), inFront(replicas, info.shape)});
  auto *data = elements.bytes().data();
  if (elements.numElements() == 0)
    return elements.convertedTo(info.type);
  if (variable.isOffChip())
    forEachRow(variable, replicas,
               [&](int row, unsigned replica, std::size_t place) {
                 engine.copyFromRemoteBuffer(weightHandle(name), data + place,
                                             row, replica);
               });
  else
    engine.readTensor(weightHandle(name), data, data + elements.bytes().size());
  return elements.convertedTo(info.type);
}

void writeOffChipVariables(poplar::Engine &engine, const Module &module,
                           unsigned replicas) {
  for (const Variable &variable : module.variables())
    if (variable.isOffChip() && variable.initial)
      writeVariable(engine, variable, replicas, *variable.initial);
}

void writeSeed(poplar::Engine &engine, std::uint64_t seed, unsigned replicas) {
  // The second word counts batches, too.
  std::vector<std::uint32_t> words;
  for (std::uint32_t replica = 0; replica != replicas; ++replica) {
    words.push_back(static_cast<std::uint32_t>(seed) + replica);
    words.push_back(static_cast<std::uint32_t>(seed >> 32));
  }
  engine.writeTensor(SeedHandle, words.data(), words.data() + words.size());
}

} // namespace populus::popir
