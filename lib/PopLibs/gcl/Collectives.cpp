// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives by popops' groups of replicas; within a replica, reductions over
// the first dimension.

#include <gcl/Collectives.hpp>

#include "lib/PopLibs/gcl/Groups.h"

#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/exceptions.hpp>

#include <sstream>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace gcl {
namespace {

/// A mean is a sum, divided afterwards.
popops::Operation operationOf(CollectiveOperator op) {
  switch (op) {
  case CollectiveOperator::ADD:
  case CollectiveOperator::MEAN:
    return popops::Operation::ADD;
  case CollectiveOperator::MUL:
    return popops::Operation::MUL;
  case CollectiveOperator::MIN:
    return popops::Operation::MIN;
  case CollectiveOperator::MAX:
    return popops::Operation::MAX;
  case CollectiveOperator::LOGICAL_AND:
    return popops::Operation::LOGICAL_AND;
  case CollectiveOperator::LOGICAL_OR:
    return popops::Operation::LOGICAL_OR;
  case CollectiveOperator::SQUARE_ADD:
    return popops::Operation::SQUARE_ADD;
  case CollectiveOperator::LOCAL:
    break;
  }
  throw poplibs_error("gcl: LOCAL combines nothing");
}

void checkOperator(CollectiveOperator op, const Type &type) {
  const bool isReal = type == FLOAT || type == HALF;
  const bool isLogical = op == CollectiveOperator::LOGICAL_AND ||
                         op == CollectiveOperator::LOGICAL_OR;
  if (op == CollectiveOperator::LOCAL ||
      (op == CollectiveOperator::MEAN ? isReal : isLogical == (type == BOOL)))
    return;
  std::ostringstream text;
  text << "gcl: " << op << " of elements of type " << type;
  throw poplibs_error(text.str());
}

void checkDestination(const Tensor &destination,
                      const std::vector<std::size_t> &shape, const Type &type,
                      const char *function) {
  if (destination.shape() == shape && destination.elementType() == type)
    return;
  std::string text;
  for (std::size_t extent : shape)
    text += (text.empty() ? "" : ",") + std::to_string(extent);
  throw poplibs_error(
      "gcl::" + std::string(function) + ": a destination of shape " +
      destination.shapeToString() + " and type " +
      destination.elementType().toString() + " for a result of shape {" + text +
      "} and type " + type.toString());
}

/// One call of a collective. Results are written to \p to where the caller has
/// a destination for them.
class Collective {
public:
  Collective(Graph &graph, Sequence &prog, const CommGroup &group,
             const DebugContext &debugContext, const OptionFlags &options)
      : graph(graph), prog(prog), dc(debugContext),
        groups(groupsOf(graph, group, prog, dc, parseOptions(options))) {}

  void reduceInPlace(const Tensor &t, CollectiveOperator op) const {
    checkOperator(op, t.elementType());
    if (op == CollectiveOperator::LOCAL)
      return;
    // Before the sum, which might not fit.
    if (isDivided(op))
      popops::mulInPlace(graph, t, ofEach(), prog, dc);
    groups.allReduce(t, t, operationOf(op));
  }

  void reduceTo(const Tensor &to, const Tensor &t,
                CollectiveOperator op) const {
    checkOperator(op, t.elementType());
    if (op == CollectiveOperator::LOCAL)
      return prog.add(Copy(t, to, false, dc));
    groups.allReduce(terms(t, op), to, operationOf(op));
  }

  Tensor reduced(const Tensor &t, CollectiveOperator op) const {
    const Tensor result = graph.clone(t, {dc, "result"});
    reduceTo(result, t, op);
    return result;
  }

  Tensor scattered(const Tensor &t, CollectiveOperator op) const {
    checkOperator(op, t.elementType());
    if (t.rank() != 1)
      throw poplibs_error("gcl::reduceScatterCrossReplica: data of shape " +
                          t.shapeToString() + "; it must have one dimension");
    if (!t.isParallelWriteable())
      throw poplibs_error("gcl::reduceScatterCrossReplica: the data has "
                          "constants in it, or an element twice");
    if (op == CollectiveOperator::LOCAL)
      return groups.ownShare(t);
    return groups.reduceScatter(terms(t, op), operationOf(op));
  }

  Tensor gathered(const Tensor &t) const {
    const Tensor result = groups.gatheredLike(t);
    groups.allGather(t, result);
    return result;
  }

  void gatherTo(const Tensor &to, const Tensor &t) const {
    std::vector<std::size_t> shape = t.shape();
    shape.insert(shape.begin(), groups.size());
    checkDestination(to, shape, t.elementType(),
                     "allGatherToDestinationCrossReplica");
    groups.allGather(t, to);
  }

  Tensor exchanged(const Tensor &t) const {
    if (t.rank() == 0 || t.dim(0) != groups.size())
      throw poplibs_error("gcl::allToAllCrossReplica: data of shape " +
                          t.shapeToString() + " in groups of " +
                          std::to_string(groups.size()) +
                          "; the first dimension has a slice for each member");
    return groups.allToAll(t);
  }

  Tensor broadcast(const Tensor &t) const {
    const Tensor result = graph.clone(t, {dc, "result"});
    groups.broadcast(t, result);
    return result;
  }

private:
  bool isDivided(CollectiveOperator op) const {
    return op == CollectiveOperator::MEAN && groups.size() != 1;
  }
  float ofEach() const { return 1.0f / static_cast<float>(groups.size()); }
  Tensor terms(const Tensor &t, CollectiveOperator op) const {
    return isDivided(op) ? popops::mul(graph, t, ofEach(), prog, dc) : t;
  }

  Graph &graph;
  Sequence &prog;
  const DebugContext dc;
  const popops::ReplicaGroups groups;
};

} // namespace

Tensor allReduceCrossReplica(Graph &graph, const Tensor &data,
                             CollectiveOperator op, Sequence &prog,
                             const CommGroup &group,
                             const DebugContext &debugContext,
                             const OptionFlags &options) {
  const Collective call(graph, prog, group,
                        {debugContext, "allReduceCrossReplica"}, options);
  return call.reduced(data, op);
}
Tensor allReduceCrossReplica(Graph &graph, const Tensor &data,
                             CollectiveOperator op, Sequence &prog,
                             const DebugContext &debugContext,
                             const OptionFlags &options) {
  return allReduceCrossReplica(graph, data, op, prog, CommGroup(), debugContext,
                               options);
}
std::vector<Tensor> allReduceCrossReplica(Graph &graph,
                                          const std::vector<Tensor> &datas,
                                          CollectiveOperator op, Sequence &prog,
                                          const CommGroup &group,
                                          const DebugContext &debugContext,
                                          const OptionFlags &options) {
  std::vector<Tensor> results;
  for (const Tensor &data : datas)
    results.push_back(allReduceCrossReplica(graph, data, op, prog, group,
                                            debugContext, options));
  return results;
}
std::vector<Tensor> allReduceCrossReplica(Graph &graph,
                                          const std::vector<Tensor> &datas,
                                          CollectiveOperator op, Sequence &prog,
                                          const DebugContext &debugContext,
                                          const OptionFlags &options) {
  return allReduceCrossReplica(graph, datas, op, prog, CommGroup(),
                               debugContext, options);
}

void allReduceToDestinationCrossReplica(Graph &graph, const Tensor &data,
                                        const Tensor &destination,
                                        CollectiveOperator op, Sequence &prog,
                                        const CommGroup &group,
                                        const DebugContext &debugContext,
                                        const OptionFlags &options) {
  const Collective call(graph, prog, group,
                        {debugContext, "allReduceToDestinationCrossReplica"},
                        options);
  checkDestination(destination, data.shape(), data.elementType(),
                   "allReduceToDestinationCrossReplica");
  call.reduceTo(destination, data, op);
}
void allReduceToDestinationCrossReplica(Graph &graph, const Tensor &data,
                                        const Tensor &destination,
                                        CollectiveOperator op, Sequence &prog,
                                        const DebugContext &debugContext,
                                        const OptionFlags &options) {
  allReduceToDestinationCrossReplica(graph, data, destination, op, prog,
                                     CommGroup(), debugContext, options);
}

void allReduceInPlaceCrossReplica(Graph &graph, const Tensor &data,
                                  CollectiveOperator op, Sequence &prog,
                                  const CommGroup &group,
                                  const DebugContext &debugContext,
                                  const OptionFlags &options) {
  const Collective call(graph, prog, group,
                        {debugContext, "allReduceInPlaceCrossReplica"},
                        options);
  call.reduceInPlace(data, op);
}
void allReduceInPlaceCrossReplica(Graph &graph, const Tensor &data,
                                  CollectiveOperator op, Sequence &prog,
                                  const DebugContext &debugContext,
                                  const OptionFlags &options) {
  allReduceInPlaceCrossReplica(graph, data, op, prog, CommGroup(), debugContext,
                               options);
}
void allReduceInPlaceCrossReplica(Graph &graph,
                                  const std::vector<Tensor> &datas,
                                  CollectiveOperator op, Sequence &prog,
                                  const CommGroup &group,
                                  const DebugContext &debugContext,
                                  const OptionFlags &options) {
  for (const Tensor &data : datas)
    allReduceInPlaceCrossReplica(graph, data, op, prog, group, debugContext,
                                 options);
}
void allReduceInPlaceCrossReplica(Graph &graph,
                                  const std::vector<Tensor> &datas,
                                  CollectiveOperator op, Sequence &prog,
                                  const DebugContext &debugContext,
                                  const OptionFlags &options) {
  allReduceInPlaceCrossReplica(graph, datas, op, prog, CommGroup(),
                               debugContext, options);
}

Tensor reduceScatterCrossReplica(Graph &graph, const Tensor &data,
                                 CollectiveOperator op, Sequence &prog,
                                 const CommGroup &group,
                                 const DebugContext &debugContext,
                                 const OptionFlags &options) {
  const Collective call(graph, prog, group,
                        {debugContext, "reduceScatterCrossReplica"}, options);
  return call.scattered(data, op);
}
Tensor reduceScatterCrossReplica(Graph &graph, const Tensor &data,
                                 CollectiveOperator op, Sequence &prog,
                                 const DebugContext &debugContext,
                                 const OptionFlags &options) {
  return reduceScatterCrossReplica(graph, data, op, prog, CommGroup(),
                                   debugContext, options);
}
std::vector<Tensor> reduceScatterCrossReplica(
    Graph &graph, const std::vector<Tensor> &datas, CollectiveOperator op,
    Sequence &prog, const CommGroup &group, const DebugContext &debugContext,
    const OptionFlags &options) {
  std::vector<Tensor> results;
  for (const Tensor &data : datas)
    results.push_back(reduceScatterCrossReplica(graph, data, op, prog, group,
                                                debugContext, options));
  return results;
}
std::vector<Tensor> reduceScatterCrossReplica(Graph &graph,
                                              const std::vector<Tensor> &datas,
                                              CollectiveOperator op,
                                              Sequence &prog,
                                              const DebugContext &debugContext,
                                              const OptionFlags &options) {
  return reduceScatterCrossReplica(graph, datas, op, prog, CommGroup(),
                                   debugContext, options);
}

void reduceScatterToDestinationCrossReplica(
    Graph &graph, const Tensor &data, const Tensor &destination,
    CollectiveOperator op, Sequence &prog, const CommGroup &group,
    const DebugContext &debugContext, const OptionFlags &options) {
  const Collective call(
      graph, prog, group,
      {debugContext, "reduceScatterToDestinationCrossReplica"}, options);
  const Tensor share = call.scattered(data, op);
  checkDestination(destination, share.shape(), share.elementType(),
                   "reduceScatterToDestinationCrossReplica");
  prog.add(Copy(share, destination, false, debugContext));
}
void reduceScatterToDestinationCrossReplica(Graph &graph, const Tensor &data,
                                            const Tensor &destination,
                                            CollectiveOperator op,
                                            Sequence &prog,
                                            const DebugContext &debugContext,
                                            const OptionFlags &options) {
  reduceScatterToDestinationCrossReplica(graph, data, destination, op, prog,
                                         CommGroup(), debugContext, options);
}

Tensor allGatherCrossReplica(Graph &graph, const Tensor &data, Sequence &prog,
                             const CommGroup &group,
                             const DebugContext &debugContext,
                             const OptionFlags &options) {
  const Collective call(graph, prog, group,
                        {debugContext, "allGatherCrossReplica"}, options);
  return call.gathered(data);
}
Tensor allGatherCrossReplica(Graph &graph, const Tensor &data, Sequence &prog,
                             const DebugContext &debugContext,
                             const OptionFlags &options) {
  return allGatherCrossReplica(graph, data, prog, CommGroup(), debugContext,
                               options);
}
std::vector<Tensor> allGatherCrossReplica(Graph &graph,
                                          const std::vector<Tensor> &datas,
                                          Sequence &prog,
                                          const CommGroup &group,
                                          const DebugContext &debugContext,
                                          const OptionFlags &options) {
  std::vector<Tensor> results;
  for (const Tensor &data : datas)
    results.push_back(
        allGatherCrossReplica(graph, data, prog, group, debugContext, options));
  return results;
}
std::vector<Tensor> allGatherCrossReplica(Graph &graph,
                                          const std::vector<Tensor> &datas,
                                          Sequence &prog,
                                          const DebugContext &debugContext,
                                          const OptionFlags &options) {
  return allGatherCrossReplica(graph, datas, prog, CommGroup(), debugContext,
                               options);
}

void allGatherToDestinationCrossReplica(Graph &graph, const Tensor &data,
                                        const Tensor &destination,
                                        Sequence &prog, const CommGroup &group,
                                        const DebugContext &debugContext,
                                        const OptionFlags &options) {
  const Collective call(graph, prog, group,
                        {debugContext, "allGatherToDestinationCrossReplica"},
                        options);
  call.gatherTo(destination, data);
}
void allGatherToDestinationCrossReplica(Graph &graph, const Tensor &data,
                                        const Tensor &destination,
                                        Sequence &prog,
                                        const DebugContext &debugContext,
                                        const OptionFlags &options) {
  allGatherToDestinationCrossReplica(graph, data, destination, prog,
                                     CommGroup(), debugContext, options);
}

Tensor allToAllCrossReplica(Graph &graph, const Tensor &data, Sequence &prog,
                            const CommGroup &group,
                            const DebugContext &debugContext,
                            const OptionFlags &options) {
  const Collective call(graph, prog, group,
                        {debugContext, "allToAllCrossReplica"}, options);
  return call.exchanged(data);
}
Tensor allToAllCrossReplica(Graph &graph, const Tensor &data, Sequence &prog,
                            const DebugContext &debugContext,
                            const OptionFlags &options) {
  return allToAllCrossReplica(graph, data, prog, CommGroup(), debugContext,
                              options);
}

Tensor broadcastCrossReplica(Graph &graph, const Tensor &data, Sequence &prog,
                             const CommGroup &group,
                             const DebugContext &debugContext,
                             const OptionFlags &options) {
  const Collective call(graph, prog, group,
                        {debugContext, "broadcastCrossReplica"}, options);
  return call.broadcast(data);
}
Tensor broadcastCrossReplica(Graph &graph, const Tensor &data, Sequence &prog,
                             const DebugContext &debugContext,
                             const OptionFlags &options) {
  return broadcastCrossReplica(graph, data, prog, CommGroup(), debugContext,
                               options);
}

namespace {

/// The combination of the rows of \p data.
Tensor reduceRows(Graph &graph, const Tensor &data, CollectiveOperator op,
                  Sequence &prog, const DebugContext &dc) {
  if (data.rank() == 0)
    throw poplibs_error("gcl: data without dimensions; the first one is that "
                        "of the IPUs");
  checkOperator(op, data.elementType());
  Tensor terms = data;
  if (op == CollectiveOperator::MEAN)
    terms = popops::mul(graph, data, 1.0f / static_cast<float>(data.dim(0)),
                        prog, dc);
  return popops::reduce(graph, terms, {0}, {operationOf(op)}, prog, dc);
}

} // namespace

Tensor allReduceWithinReplica(Graph &graph, const Tensor &data,
                              CollectiveOperator op, Sequence &prog,
                              const DebugContext &debugContext,
                              const OptionFlags &options) {
  parseOptions(options);
  const DebugContext dc(debugContext, "allReduceWithinReplica");
  const Tensor result = graph.clone(data, dc);
  if (op == CollectiveOperator::LOCAL) {
    prog.add(Copy(data, result, false, dc));
    return result;
  }
  const Tensor sum = reduceRows(graph, data, op, prog, dc);
  prog.add(Copy(sum.expand({0}).broadcast(data.dim(0), 0), result, false, dc));
  return result;
}

Chunks reduceScatterWithinReplica(Graph &graph, const Tensor &data,
                                  CollectiveOperator op, Sequence &prog,
                                  const DebugContext &debugContext,
                                  const OptionFlags &options) {
  parseOptions(options);
  const DebugContext dc(debugContext, "reduceScatterWithinReplica");
  const Tensor sum = reduceRows(graph, data, op, prog, dc).flatten();
  Chunks result{data, {}};
  const unsigned ipus = data.dim(0);
  const std::size_t elements = sum.numElements();
  for (unsigned i = 0; i != ipus; ++i) {
    // Part i, where row i has those elements.
    const std::size_t begin = elements * i / ipus,
                      end = elements * (i + 1) / ipus;
    const Tensor part =
        graph.clone(data[i].flatten().slice(begin, end), {dc, "part"});
    prog.add(Copy(sum.slice(begin, end), part, false, dc));
    result.chunks.push_back({part, i, i});
  }
  return result;
}

Tensor allGatherWithinReplica(Graph &graph, const Chunks &chunks,
                              Sequence &prog, const DebugContext &debugContext,
                              const OptionFlags &options) {
  parseOptions(options);
  const DebugContext dc(debugContext, "allGatherWithinReplica");
  std::vector<Tensor> parts(chunks.chunks.size());
  for (const Chunk &chunk : chunks.chunks)
    parts.at(chunk.index) = chunk.tensor;
  const Tensor all = concat(parts);
  const Tensor result = graph.clone(chunks.originalInput, dc);
  for (std::size_t i = 0; i != result.dim(0); ++i)
    prog.add(Copy(all, result[i].flatten(), false, dc));
  return result;
}

} // namespace gcl
