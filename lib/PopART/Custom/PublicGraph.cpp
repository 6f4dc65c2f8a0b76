// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors and graphs around popart::Op.

#include <popart/op.hpp>

#include <algorithm>
#include <set>

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

std::ostream &operator<<(std::ostream &out, TensorType type) {
  static const char *const Names[] = {"ActGrad", "Const",    "Stream",
                                      "Unknown", "Variable", "N"};
  return out << Names[static_cast<int>(type)];
}

bool Tensor::isModified() const {
  const std::vector<Op *> readers = consumers.getOps();
  return std::any_of(readers.begin(), readers.end(), [this](const Op *op) {
    for (const auto &item : op->input->tensorMap())
      if (item.second == this && op->modifiesIndex(item.first))
        return true;
    return false;
  });
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

// ---- Tensors of a graph
// -----------------------------------------------------------------

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

std::vector<Tensor *> Tensors::getAll() const {
  std::vector<Tensor *> all;
  for (const auto &item : graph.tensors)
    all.push_back(item.second.get());
  return all;
}

std::vector<Tensor *> Tensors::getOfType(TensorType type) const {
  std::vector<Tensor *> found;
  for (Tensor *tensor : getAll())
    if (tensor->tensorType() == type)
      found.push_back(tensor);
  return found;
}

std::vector<TensorId> Tensors::getIds(TensorType type) const {
  std::vector<TensorId> ids;
  for (const Tensor *tensor : getOfType(type))
    ids.push_back(tensor->id);
  return ids;
}

std::vector<TensorId> Tensors::getNoProducerIds() const {
  std::vector<TensorId> ids;
  for (const Tensor *tensor : getAll())
    if (!tensor->hasProducer())
      ids.push_back(tensor->id);
  return ids;
}

Tensor &Tensors::add(const TensorId &id, TensorType type) {
  if (contains(id))
    throw error("there is a tensor '{}' already", id);
  return graph.tensor(id, type);
}

void Tensors::addActGrad(const TensorId &id, const DebugContext &) {
  add(id, TensorType::ActGrad);
}

void Tensors::addStream(const TensorId &id, const TensorInfo &info,
                        const DebugContext &) {
  add(id, TensorType::Stream).info = info;
}

void Tensors::addVarInit(const TensorId &id, const TensorInfo &info,
                         const void *elements, const DebugContext &) {
  add(id, TensorType::Variable).setTensorData(info, elements);
}

void Tensors::addConstInit(const TensorId &id, const TensorInfo &info,
                           const void *elements, const DebugContext &) {
  add(id, TensorType::Const).setTensorData(info, elements);
}

void Tensors::remove(const TensorId &id) {
  const Tensor *tensor = get(id);
  if (tensor->hasProducer() || tensor->consumers.getTotal() != 0)
    throw error("the tensor '{}' is still in use", id);
  graph.tensors.erase(id);
}

// ---- Graphs of a model ------------------------------------------------------

Ir::Ir() = default;
Ir::~Ir() = default;

Graph &Ir::getMainGraph() {
  return hasGraph(GraphId::root()) ? getGraph(GraphId::root())
         : graphs.empty()          ? createGraph(GraphId::root())
                                   : *graphs.front();
}

Graph &Ir::createGraph(const GraphId &id) {
  if (hasGraph(id))
    throw error("there is a graph '{}' already", id);
  owned.push_back(std::make_unique<Graph>(*this, id));
  return *owned.back();
}

bool Ir::hasGraph(const GraphId &id) const {
  return std::any_of(graphs.begin(), graphs.end(),
                     [&](const Graph *graph) { return graph->id == id; });
}

Graph &Ir::getGraph(const GraphId &id) const {
  for (Graph *graph : graphs)
    if (graph->id == id)
      return *graph;
  throw error("there is no graph '{}'", id);
}

std::vector<const Graph *> Ir::getAllGraphs() const {
  return {graphs.begin(), graphs.end()};
}

// ---- Graphs -----------------------------------------------------------------

Graph::Graph(Ir &ir, const GraphId &id)
    : id(id), topoCons(new TopoCons), ir(ir), tensorAccess(*this) {
  ir.graphs.push_back(this);
}

Graph::~Graph() {
  ir.graphs.erase(std::find(ir.graphs.begin(), ir.graphs.end(), this));
}

Tensor &Graph::tensor(const TensorId &id, TensorType type) {
  std::unique_ptr<Tensor> &found = tensors[id];
  if (!found) {
    found = std::make_unique<Tensor>(id, type, *this);
    if (source)
      source(*found);
  }
  return *found;
}

void Graph::addInput(const TensorId &id, const TensorInfo &info) {
  tensor(id).info = info;
  inputIds.push_back(id);
}

void Graph::markAsOutput(const TensorId &id) {
  outputIds.push_back(getTensors().get(id)->id);
}

static const TensorId &at(const std::vector<TensorId> &ids, int index,
                          const char *role) {
  if (index < 0 || static_cast<std::size_t>(index) >= ids.size())
    throw error("the graph has no {} {}", role, index);
  return ids[static_cast<std::size_t>(index)];
}

const TensorId &Graph::getInputId(InIndex index) const {
  return at(inputIds, index, "input");
}

const TensorId &Graph::getOutputId(OutIndex index) const {
  return at(outputIds, index, "output");
}

bool Graph::hasInputId(const TensorId &id) const {
  return std::count(inputIds.begin(), inputIds.end(), id) != 0;
}

bool Graph::hasOutputId(const TensorId &id) const {
  return std::count(outputIds.begin(), outputIds.end(), id) != 0;
}

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
  topoCons->remove(op);
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
      for (Op *before : earlier(*op))
        todo.emplace_back(before, false);
    }
  }

  /// The operators that run before another one, by number.
  static std::vector<Op *> earlier(Op &op) {
    std::vector<Op *> ops = op.getGraph().topoCons->getBefores(&op);
    std::sort(ops.begin(), ops.end(),
              [](const Op *a, const Op *b) { return a->id < b->id; });
    for (const Tensor *tensor : op.input->getTensors())
      if (tensor->hasProducer())
        ops.push_back(tensor->getProducer());
    return ops;
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

} // namespace popart
