// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// popart::Op and its construction.

#include <popart/op.hpp>
#include <popart/opmanager.hpp>

#include <algorithm>
#include <sstream>

namespace popart {

// ---- Operators --------------------------------------------------------------

Op::Op(const OperatorIdentifier &opid, const Settings &settings)
    : opid(opid), settings(settings), input(new TensorIndexMap),
      output(new TensorIndexMap) {}

Op::Op(const Op &other)
    : opid(other.opid), pruneable(other.pruneable), settings(other.settings),
      input(new TensorIndexMap), output(new TensorIndexMap) {}

Op::~Op() = default;

void Op::setup() {
  throw error("No setup() for {}: an operator has to say what its results are",
              opid);
}

std::vector<std::unique_ptr<Op>> Op::getGradOps() {
  throw error("Op {} has no gradient operators; it defines none in getGradOps",
              opid);
}

const std::vector<GradInOutMapper> &Op::gradInputInfo() const {
  throw error("Op {} cannot get `grad input info'", opid);
}

const std::map<int, int> &Op::gradOutToNonGradIn() const {
  throw error("Op {} cannot get gradOutToNonGradIn", opid);
}

void Op::appendAttributes(OpSerialiserBase &os) const {
  appendOutlineAttributes(os);
}

void Op::appendOutlineAttributes(OpSerialiserBase &os) const {
  for (const auto &item : settings.extraOutlineAttributes)
    os.appendAttribute(item.first, item.second);
}

view::Regions Op::modifies(InIndex index) const {
  return {view::Region::getEmpty(hasInput(index) ? inRank(index) : 0)};
}

view::Regions Op::aliases(InIndex index, OutIndex) const {
  return {view::Region::getEmpty(hasInput(index) ? inRank(index) : 0)};
}

view::Regions Op::uses(InIndex index) const {
  return {view::Region::getFull(inShape(index))};
}

/// All of the tensor, for any part.
static view::RegMap wholeTensor(const Shape &shape) {
  return [shape](const view::Region &) {
    return view::Regions{view::Region::getFull(shape)};
  };
}

view::RegMap Op::fwdRegMap(InIndex, OutIndex out) const {
  return wholeTensor(outShape(out));
}

view::RegMap Op::bwdRegMap(InIndex in, OutIndex) const {
  return wholeTensor(inShape(in));
}

std::unique_ptr<Op> Op::getInplaceVariant(const OperatorIdentifier &id) const {
  throw error("Op {} cannot get an inplace variant {}", opid, id);
}

poprithms::memory::inplace::Proposal
Op::mapInplaceProposal(const AliasModel &, OperatorIdentifier id) const {
  throw error("Op {} has no in-place proposal for {}", opid, id);
}

bool Op::modifiesIndex(InIndex index) const {
  const view::Regions regions = modifies(index);
  return std::any_of(regions.begin(), regions.end(),
                     [](const view::Region &r) { return !r.isEmpty(); });
}

static Tensor *required(const TensorIndexMap &map, int index, const Op &op,
                        const char *role) {
  Tensor *tensor = map.tensor(index);
  if (!tensor)
    throw error("{} has no {} {}", op.str(), role, index);
  return tensor;
}

Tensor *Op::inTensor(InIndex index) {
  return required(*input, index, *this, "operand");
}
const Tensor *Op::inTensor(InIndex index) const {
  return required(*input, index, *this, "operand");
}
Tensor *Op::outTensor(OutIndex index) {
  return required(*output, index, *this, "result");
}
const Tensor *Op::outTensor(OutIndex index) const {
  return required(*output, index, *this, "result");
}

void Op::connectInTensor(InIndex index, const TensorId &id) {
  input->insert(index, &getGraph().tensor(id));
}

void Op::connectOutTensor(OutIndex index, const TensorId &id) {
  Tensor &tensor = getGraph().tensor(id);
  tensor.setProducer(this);
  output->insert(index, &tensor);
}

void Op::disconnectAllOutputs() {
  for (const auto &item : output->tensorMap())
    if (item.second->getProducerUnsafe() == this)
      item.second->setProducer(nullptr);
  output->clear();
}

void Op::disconnectOutTensor(Tensor *tensor) {
  const std::map<int, Tensor *> results = output->tensorMap();
  for (const auto &item : results)
    if (item.second == tensor)
      output->erase(item.first);
  if (tensor->getProducerUnsafe() == this)
    tensor->setProducer(nullptr);
}

void Op::createAndConnectOutTensor(OutIndex index, const TensorId &id) {
  connectOutTensor(index, id);
}

std::string Op::str() const {
  std::ostringstream text;
  text << opid;
  if (!name().empty())
    text << " '" << name() << "'";
  return text.str();
}

std::string Op::debugName() const { return str(); }

Shape Op::prettyNpOut(const Shape &a, const Shape &b) {
  const Shape &longer = a.size() < b.size() ? b : a;
  const Shape &shorter = a.size() < b.size() ? a : b;
  const std::size_t shift = longer.size() - shorter.size();
  Shape result = longer;
  for (std::size_t i = 0; i != shorter.size(); ++i) {
    std::int64_t &extent = result[shift + i];
    if (extent != shorter[i] && extent != 1 && shorter[i] != 1)
      throw error("np broadcasting failed, incompatible types (dimensions {} "
                  "and {})",
                  extent, shorter[i]);
    if (extent == 1)
      extent = shorter[i];
  }
  return result;
}

TensorInfo Op::prettyNpOut(const TensorInfo &a, const TensorInfo &b) {
  if (a.dataType() != b.dataType())
    throw error("np broadcasting failed, incompatible types {} and {}",
                a.data_type(), b.data_type());
  return TensorInfo(a.dataType(), prettyNpOut(a.shape(), b.shape()));
}

std::ostream &operator<<(std::ostream &out, const GradOpInType &type) {
  return out << (type == GradOpInType::In    ? "In"
                 : type == GradOpInType::Out ? "Out"
                                             : "GradOut");
}

// ---- Construction -----------------------------------------------------------

std::vector<TensorId> OpCreatorInfo::getInputIds() const {
  std::vector<TensorId> ids;
  for (const Tensor *tensor : inputs)
    ids.push_back(tensor ? tensor->id : TensorId());
  return ids;
}

bool OpCreatorInfo::hasInputTensor(int index) const {
  return index >= 0 && static_cast<std::size_t>(index) < inputs.size() &&
         inputs[static_cast<std::size_t>(index)];
}

Tensor *OpCreatorInfo::getInputTensor(int index) const {
  if (!hasInputTensor(index))
    throw error("{} has no operand {}", opid, index);
  return inputs[static_cast<std::size_t>(index)];
}

TensorData *OpCreatorInfo::getInputTensorData(int index) const {
  Tensor &tensor = *getInputTensor(index);
  if (!tensor.hasTensorData())
    throw error("The operand {} of {} ('{}') has to be a constant", index, opid,
                tensor.id);
  return tensor.tensorData();
}

} // namespace popart
