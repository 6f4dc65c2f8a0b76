// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// popart::Op and the tensors and graphs around it.

#include <popart/op.hpp>
#include <popart/opmanager.hpp>

#include <algorithm>
#include <set>
#include <sstream>

namespace popart {

// ---- Tensors ----------------------------------------------------------------

TensorData *Tensor::tensorData() {
  if (!data)
    throw error("Data not set for {}", id);
  return data.get();
}

const TensorData *Tensor::tensorData() const {
  return const_cast<Tensor *>(this)->tensorData();
}

void Tensor::setTensorData(const TensorInfo &newInfo, const void *elements) {
  info = newInfo;
  data = std::make_shared<TensorData>(
      elements, static_cast<std::size_t>(newInfo.nbytes()));
}

Tensor *TensorIndexMap::tensor(int index) const {
  const auto found = tensors.find(index);
  return found == tensors.end() ? nullptr : found->second;
}

const TensorId &TensorIndexMap::id(int index) const {
  const Tensor *found = tensor(index);
  if (!found)
    throw error("there is no tensor at index {}", index);
  return found->id;
}

std::map<int, TensorId> TensorIndexMap::tensorIdMap() const {
  std::map<int, TensorId> ids;
  for (const auto &item : tensors)
    ids[item.first] = item.second->id;
  return ids;
}

std::vector<Tensor *> TensorIndexMap::getTensors() const {
  std::vector<Tensor *> result;
  for (const auto &item : tensors)
    result.push_back(item.second);
  return result;
}

Tensor &Graph::tensor(const TensorId &id, TensorType type) {
  std::unique_ptr<Tensor> &found = tensors[id];
  if (!found)
    found = std::make_unique<Tensor>(id, type, *this);
  return *found;
}

std::vector<Op *> Consumers::getOps() const {
  std::vector<Op *> ops;
  for (const auto &item : tensor.getGraph().getOps())
    if (n(item.second.get()) != 0)
      ops.push_back(item.second.get());
  return ops;
}

int Consumers::n(const Op *op) const {
  int count = 0;
  for (const auto &item : op->input->tensorMap())
    count += item.second == &tensor;
  return count;
}

int Consumers::getTotal() const {
  int count = 0;
  for (const auto &item : tensor.getGraph().getOps())
    count += n(item.second.get());
  return count;
}

// ---- Graphs -----------------------------------------------------------------

Tensor *Tensors::get(const TensorId &id) const {
  Tensor *tensor = graph.find(id);
  if (!tensor)
    throw error("no tensor with id {}", id);
  return tensor;
}

bool Tensors::contains(const TensorId &id) const {
  return graph.find(id) != nullptr;
}

std::vector<TensorId> Tensors::getAllTensorIds() const {
  std::vector<TensorId> ids;
  for (const auto &item : graph.tensors)
    ids.push_back(item.first);
  return ids;
}

Graph &Ir::getMainGraph() {
  if (!main)
    throw error("this Ir has no main graph");
  return *main;
}

Graph::Graph(Ir &ir, const std::string &name)
    : ir(ir), name(name), tensorAccess(*this) {
  if (!ir.main)
    ir.main = this;
}

Graph::~Graph() = default;

Op *Graph::getOp(OpId id) const {
  const auto found = ops.find(id);
  if (found == ops.end())
    throw error("there is no operator {} in the graph", id);
  return found->second.get();
}

OpId Graph::moveIntoGraph(std::unique_ptr<Op> op) {
  op->id = nextOp++;
  op->settings.graph = std::ref(*this);
  const OpId id = op->id;
  ops[id] = std::move(op);
  return id;
}

void Graph::eraseOp(OpId id) {
  Op *op = getOp(id);
  op->disconnectAllInputs();
  op->disconnectAllOutputs();
  ops.erase(id);
}

namespace {

/// Sorts operators topologically.
class Schedule {
public:
  std::vector<Op *> of(const Graph &graph) {
    for (const auto &item : graph.getOps())
      visit(*item.second);
    return std::move(order);
  }

private:
  void visit(Op &first) {
    std::vector<std::pair<Op *, bool>> todo = {{&first, false}};
    while (!todo.empty()) {
      const auto [op, isReady] = todo.back();
      todo.pop_back();
      if (isReady)
        order.push_back(op);
      if (isReady || !seen.insert(op).second)
        continue;
      todo.emplace_back(op, true);
      for (const Tensor *tensor : op->input->getTensors())
        if (tensor->hasProducer())
          todo.emplace_back(tensor->getProducer(), false);
    }
  }

  std::set<const Op *> seen;
  std::vector<Op *> order;
};

} // namespace

std::vector<Op *> Graph::getOpSchedule() const { return Schedule().of(*this); }

Tensor *Graph::find(const TensorId &id) const {
  const auto found = tensors.find(id);
  return found == tensors.end() ? nullptr : found->second.get();
}

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
