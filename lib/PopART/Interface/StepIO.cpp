// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// StepIO: a position in each array, which advances with every batch. DataFlow:
// its constructors; both describe a step.

#include <popart/dataflow.hpp>
#include <popart/error.hpp>
#include <popart/stepio.hpp>

#include <algorithm>
#include <cctype>

namespace popart {

StepIO::StepIO(const std::map<TensorId, IArray &> &inputs,
               const std::map<TensorId, IArray &> &outputs)
    : inputs(placesOf(inputs)), outputs(placesOf(outputs)) {}

StepIO::Places StepIO::placesOf(const std::map<TensorId, IArray &> &arrays) {
  Places places;
  for (const auto &entry : arrays)
    places[entry.first] = {&entry.second, 0};
  return places;
}

StepIO::Place &StepIO::find(Places &places, const TensorId &id,
                            const char *role) {
  auto found = places.find(id);
  if (found == places.end())
    throw runtime_error("StepIO: there is no array for the {} '{}'", role, id);
  return found->second;
}

static char *elementsAt(IArray &array, std::int64_t offset) {
  return static_cast<char *>(array.data()) +
         offset * static_cast<std::int64_t>(getDataTypeSize(array.dataType()));
}

static void moveOn(std::int64_t &offset, std::int64_t by, const IArray &array) {
  offset += by;
  if (offset >= static_cast<std::int64_t>(array.nelms()))
    offset = 0;
}

ConstVoidData StepIO::in(TensorId id, std::int64_t numElements, bool) {
  Place &place = find(inputs, id, "input");
  return {elementsAt(*place.array, place.offset),
          TensorInfo(place.array->dataType(), Shape{numElements})};
}

void StepIO::inComplete(TensorId id, std::int64_t numElements) {
  Place &place = find(inputs, id, "input");
  moveOn(place.offset, numElements, *place.array);
}

MutableVoidData StepIO::out(TensorId id, std::int64_t numElements) {
  Place &place = find(outputs, id, "anchor");
  MutableVoidData data(elementsAt(*place.array, place.offset),
                       TensorInfo(place.array->dataType(), Shape{numElements}));
  moveOn(place.offset, numElements, *place.array);
  return data;
}

void StepIO::checkNumElements(const TensorId &id, std::int64_t numElements,
                              bool isInput) const {
  const Places &places = isInput ? inputs : outputs;
  const char *role = isInput ? "input" : "anchor";
  auto found = places.find(id);
  if (found == places.end())
    throw runtime_error("StepIO: there is no array for the {} '{}'", role, id);
  auto given = static_cast<std::int64_t>(found->second.array->nelms());
  if (given != numElements)
    throw runtime_error("Unexpected number of {} elements for Tensor {}. "
                        "Expected {}, but received {}.",
                        isInput ? "input" : "output", id, numElements, given);
}

void StepIO::checkInputs(const std::set<TensorId> &known) const {
  for (const auto &entry : inputs)
    if (!known.count(entry.first))
      throw error("The tensor '{}' has been provided as one of the inputs to "
                  "the stepIO, but it is not registered as one of the inputs "
                  "to the model",
                  entry.first);
}

DataType StepIO::typeOf(const TensorId &id, bool isInput) const {
  const Places &places = isInput ? inputs : outputs;
  auto found = places.find(id);
  return found == places.end() ? DataType::UNDEFINED
                               : found->second.array->dataType();
}

static AnchorReturnTypeId anchorKind(const std::string &type) {
  std::string name = type;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  if (name == "ALL")
    return AnchorReturnTypeId::All;
  if (name == "FINAL")
    return AnchorReturnTypeId::Final;
  if (name == "SUM")
    return AnchorReturnTypeId::Sum;
  if (name == "EVERYN")
    return AnchorReturnTypeId::EveryN;
  throw error("Invalid anchor return type ID supplied: {}", type);
}

AnchorReturnType::AnchorReturnType(const std::string &type, TileSet tileSet,
                                   ExchangeStrategy exchangeStrategy)
    : text(type), typeId(anchorKind(type)), tiles(tileSet),
      strategy(exchangeStrategy) {
  if (typeId == AnchorReturnTypeId::EveryN)
    throw error("Must specify return period with option 'EVERYN'");
}

AnchorReturnType::AnchorReturnType(const std::string &type, int returnPeriod,
                                   TileSet tileSet,
                                   ExchangeStrategy exchangeStrategy)
    : text(type), typeId(anchorKind(type)), period(returnPeriod),
      tiles(tileSet), strategy(exchangeStrategy) {
  if (typeId != AnchorReturnTypeId::EveryN)
    throw error("A return period should not be supplied for this anchor return "
                "type");
  if (period <= 0)
    throw error("Anchor return period must be greater than zero");
}

ReturnPeriod AnchorReturnType::rp() const {
  if (typeId != AnchorReturnTypeId::EveryN)
    throw error("AnchorReturnType: only EveryN has a period, {} has none",
                text);
  return period;
}

DataFlow::DataFlow(int batchesPerStep) { setBatchesPerStep(batchesPerStep); }

DataFlow::DataFlow(int batchesPerStep, const AnchorReturnTypeMap &anchors)
    : map(anchors) {
  setBatchesPerStep(batchesPerStep);
  for (const auto &entry : map)
    ids.push_back(entry.first);
}

DataFlow::DataFlow(int batchesPerStep, const std::vector<TensorId> &anchors,
                   const AnchorReturnType &returnType)
    : ids(anchors) {
  setBatchesPerStep(batchesPerStep);
  for (const TensorId &id : ids)
    map[id] = returnType;
}

void DataFlow::setBatchesPerStep(int batchesPerStep) {
  if (batchesPerStep < 1)
    throw error("DataFlow: a step of {} batches is not possible",
                batchesPerStep);
  batches = batchesPerStep;
}

AnchorReturnType DataFlow::art(const TensorId &id) const {
  auto found = map.find(id);
  if (found == map.end())
    throw error("DataFlow: '{}' is not an anchor", id);
  return found->second;
}

unsigned DataFlow::numOutFetchesPerRepl(const TensorId &id) const {
  AnchorReturnType type = art(id);
  switch (type.id()) {
  case AnchorReturnTypeId::All:
    return static_cast<unsigned>(batches);
  case AnchorReturnTypeId::EveryN:
    return static_cast<unsigned>(batches / type.rp());
  case AnchorReturnTypeId::Final:
  case AnchorReturnTypeId::Sum:
    break;
  }
  return 1;
}

MutableVoidData WeightsIO::weight(TensorId id) const {
  auto found = weights.find(id);
  if (found == weights.end())
    throw runtime_error("there is no memory for the weight '{}'", id);
  return found->second;
}

void WeightsIO::insert(TensorId id, MutableVoidData data) {
  if (!weights.emplace(id, data).second)
    throw runtime_error("the weight '{}' has memory already", id);
}

} // namespace popart
