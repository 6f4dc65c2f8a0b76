// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See OffChipActivations.h.

#include "lib/PopART/Training/OffChipActivations.h"

#include "lib/PopART/IR/Aliases.h"
#include "lib/PopART/IR/Module.h"
#include "lib/PopART/IR/OpTable.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace populus::popir {

namespace {

/// Operators between two readers for which a value stays on the chip.
constexpr std::size_t LongestGap = 8;

/// Readers that follow each other closely.
using Readers = std::vector<Op *>;

class Activations {
public:
  explicit Activations(Graph &graph)
      : graph(graph), aliases(graph), writers(graph) {
    for (Op *op : graph.ops())
      positions[op] = positions.size() + 1;
    for (const Value &value : graph.values())
      if (value.variable() || value.isConstant() || value.isGraphResult())
        staying.insert(aliases.groupOf(value));
  }

  std::size_t
  run(const std::function<ActivationPlace(const Value &)> &placeOf) {
    std::vector<Value *> values;
    for (Value &value : graph.values())
      if (canMove(value))
        values.push_back(&value);
    std::size_t count = 0;
    for (Value *value : values)
      if (const ActivationPlace place = placeOf(*value);
          place.isOffChip || place.viaIoTiles)
        count += store(*value, place);
    return count;
  }

private:
  bool canMove(const Value &value) const {
    return !value.uses().empty() && value.info.numElements() != 0 &&
           !staying.contains(aliases.groupOf(value)) &&
           writers.of(value).empty();
  }

  /// The readers in the order of the graph, divided where many operators lie
  /// between; the first group begins at the producer.
  std::vector<Readers> groupsOf(const Value &value) const {
    Readers readers = value.users();
    std::ranges::sort(readers, {},
                      [&](const Op *op) { return positions.at(op); });
    std::vector<Readers> groups(1);
    std::size_t last = value.producer() ? positions.at(value.producer()) : 0;
    for (Op *reader : readers) {
      const std::size_t position = positions.at(reader);
      if (position - last > LongestGap)
        groups.emplace_back();
      groups.back().push_back(reader);
      last = position;
    }
    return groups;
  }

  /// Stores the value behind the first group, and loads it for the others.
  bool store(Value &value, const ActivationPlace &place) {
    const std::vector<Readers> groups = groupsOf(value);
    if (groups.size() == 1)
      return false;
    Op *last = groups[0].empty() ? value.producer() : groups[0].back();
    if (!last) // an input that is read late
      return false;
    Value *buffer = place.isOffChip ? &addBuffer(value) : nullptr;
    Value &stored = addStore(buffer, value, *last, place.viaIoTiles);
    for (std::size_t i = 1; i != groups.size(); ++i)
      useLoaded(buffer, stored, value, groups[i], place.viaIoTiles);
    return true;
  }

  Value &addBuffer(const Value &value) {
    Module &module = graph.module();
    TensorInfo rows = value.info;
    rows.shape.insert(rows.shape.begin(), 1);
    std::string name = "activation/" + value.name;
    while (module.findVariable(name))
      name += "_";
    Variable &buffer = module.addVariable(name, rows);
    buffer.remoteRows = 1;
    return graph.useVariable(buffer);
  }

  /// Returns the value that the buffer gets, or, without one, the one kept.
  Value &addStore(Value *buffer, Value &value, Op &last, bool viaIoTiles) {
    Op *next = OpList::after(last);
    Placement place = last.placement();
    Value *stored = &value;
    if (viaIoTiles) {
      place.ioTiles = true;
      stored = &add("IoTileCopy", {&value}, value, place, next);
    }
    if (buffer)
      addOp("RemoteStore", {buffer, &offset(), stored}, {}, place, next);
    return *stored;
  }

  void useLoaded(Value *buffer, Value &stored, Value &value,
                 const Readers &readers, bool viaIoTiles) {
    Op *first = readers.front();
    Placement place = first->placement();
    const Placement reading = place;
    place.ioTiles |= viaIoTiles;
    Value *loaded =
        buffer ? &add("RemoteLoad", {buffer, &offset()}, value, place, first)
               : &stored;
    if (viaIoTiles)
      loaded = &add("IoTileCopy", {loaded}, value, reading, first);
    for (Op *reader : readers)
      for (std::size_t i = 0; i != reader->inputs().size(); ++i)
        if (reader->inputs()[i] == &value)
          graph.setInput(*reader, i, loaded);
  }

  /// The number of the only entry of a buffer.
  Value &offset() {
    if (!zero)
      zero = &graph.addConstant(
          graph.uniqueName("activation/offset"),
          HostTensor::scalar(DataType::Int32, 0).reshaped({1}));
    return *zero;
  }

  Value &add(const char *type, std::vector<Value *> inputs, const Value &like,
             const Placement &place, Op *before) {
    Value &result =
        graph.addValue(graph.uniqueName(like.name + "/offChip"), like.info);
    addOp(type, std::move(inputs), {&result}, place, before);
    return result;
  }

  void addOp(const char *type, std::vector<Value *> inputs,
             std::vector<Value *> outputs, const Placement &place, Op *before) {
    OpSpec spec;
    spec.id = newestOf("ai.graphcore", type);
    spec.name = type;
    spec.numInputs = inputs.size();
    spec.numOutputs = outputs.size();
    spec.placement = place;
    graph.addOp(createOp(std::move(spec)), std::move(inputs),
                std::move(outputs), before);
  }

  Graph &graph;
  const Aliases aliases;
  const Writers writers;
  std::unordered_map<const Op *, std::size_t> positions;
  std::unordered_set<const Value *> staying;
  Value *zero = nullptr;
};

} // namespace

std::size_t
storeActivations(Graph &graph,
                 const std::function<ActivationPlace(const Value &)> &placeOf) {
  return Activations(graph).run(placeOf);
}

} // namespace populus::popir
