// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assignment of operators to IPUs.

#include "lib/PopART/Lowering/Shards.h"

#include "lib/PopART/Support/Log.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace popart {

namespace {

Shards byAttribute(const Graph &ir, unsigned count) {
  Shards shards;
  std::int64_t shard = 0;
  for (const auto &op : ir.ops()) {
    shard = op->attributes().getInt(IpuNumber, shard);
    if (shard < 0 || shard >= count)
      op->failInput(fmt::format("it is to be on IPU {} of {}", shard, count));
    shards[op.get()] = static_cast<unsigned>(shard);
  }
  return shards;
}

std::uint64_t bytesOf(const Tensor &tensor) {
  return static_cast<std::uint64_t>(tensor.info.numElements()) *
         sizeOf(tensor.info.type);
}

/// The weights that each operator is the first to read, and its results.
std::vector<std::uint64_t> memoryOfOps(const Graph &ir) {
  std::unordered_set<const Tensor *> seen;
  std::vector<std::uint64_t> result;
  for (const auto &op : ir.ops()) {
    std::uint64_t bytes = 0;
    for (const Tensor *input : op->inputs())
      if (input && input->isConstant() && seen.insert(input).second)
        bytes += bytesOf(*input);
    for (const Tensor *output : op->outputs())
      if (output)
        bytes += bytesOf(*output);
    result.push_back(bytes);
  }
  return result;
}

Shards byMemory(const Graph &ir, unsigned count) {
  std::vector<std::uint64_t> memory = memoryOfOps(ir);
  double total = 0, before = 0;
  for (std::uint64_t bytes : memory)
    total += static_cast<double>(bytes);
  Shards shards;
  for (std::size_t i = 0; i != memory.size(); ++i) {
    // An operator belongs to the part in which its middle lies.
    double middle = before + static_cast<double>(memory[i]) / 2;
    auto shard = static_cast<unsigned>(total == 0 ? 0 : middle / total * count);
    shards[ir.ops()[i].get()] = std::min(shard, count - 1);
    before += static_cast<double>(memory[i]);
  }
  return shards;
}

} // namespace

Shards assignShards(const Graph &ir, unsigned count) {
  bool isGiven = std::ranges::any_of(
      ir.ops(), [](const auto &op) { return op->attributes().has(IpuNumber); });
  Shards shards = isGiven ? byAttribute(ir, count) : byMemory(ir, count);
  for (const auto &op : ir.ops())
    logging::debug(logging::Module::ir, "IPU {}: {}", shards.at(op.get()),
                   op->describe());
  return shards;
}

} // namespace popart
