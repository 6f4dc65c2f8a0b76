// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The small types of gcl: operators and groups, their names, options.

#include "lib/PopLibs/gcl/Groups.h"

#include <gcl/CollectiveOperator.hpp>

#include <poputil/OptionParsing.hpp>
#include <poputil/exceptions.hpp>

#include <istream>
#include <ostream>
#include <sstream>

using namespace poplar;
using poputil::poplibs_error;

namespace gcl {
namespace {

/// By operator.
constexpr const char *OperatorNames[] = {
    "ADD",         "MEAN",       "MUL",        "MIN",  "MAX",
    "LOGICAL_AND", "LOGICAL_OR", "SQUARE_ADD", "LOCAL"};

/// By type of group.
constexpr const char *GroupNames[] = {"ALL", "CONSECUTIVE", "ORTHOGONAL"};

std::string describe(const CommGroup &group, unsigned replicas) {
  std::ostringstream text;
  text << "gcl: " << group << " of a graph with " << replicas << " replicas";
  return text.str();
}

} // namespace

std::ostream &operator<<(std::ostream &out, CollectiveOperator op) {
  return out << OperatorNames[static_cast<unsigned>(op)];
}

std::istream &operator>>(std::istream &in, CollectiveOperator &op) {
  std::string name;
  in >> name;
  for (unsigned i = 0; i != std::size(OperatorNames); ++i)
    if (name == OperatorNames[i]) {
      op = static_cast<CollectiveOperator>(i);
      return in;
    }
  in.setstate(std::ios::failbit);
  return in;
}

std::ostream &operator<<(std::ostream &out, CommGroupType type) {
  return out << GroupNames[static_cast<unsigned>(type)];
}

std::ostream &operator<<(std::ostream &out, const CommGroup &group) {
  return out << "CommGroup(" << group.type() << ", " << group.replicaGroupSize()
             << ", " << group.replicaGroupStride() << ")";
}

popops::ReplicaGroups groupsOf(Graph &graph, const CommGroup &group,
                               program::Sequence &prog,
                               const DebugContext &debugContext,
                               const popops::CollectiveOptions &options) {
  const unsigned replicas = graph.getReplicationFactor();
  const unsigned size =
      group.type() == CommGroupType::ALL || group.replicaGroupSize() == 0
          ? replicas
          : group.replicaGroupSize();
  if (replicas % size != 0)
    throw poplibs_error(describe(group, replicas) +
                        ": the replicas cannot be shared out");
  if (group.type() == CommGroupType::ORTHOGONAL)
    return {graph, size, replicas / size, prog, debugContext, options};
  const unsigned stride =
      group.type() == CommGroupType::ALL ? 1 : group.replicaGroupStride();
  if (stride == 0 || replicas % (size * stride) != 0)
    throw poplibs_error(describe(group, replicas) +
                        ": the stride does not go with them");
  return {graph, size, stride, prog, debugContext, options};
}

popops::CollectiveOptions parseOptions(const OptionFlags &options) {
  using poplibs::OptionHandler;
  popops::CollectiveOptions parsed;
  unsigned choice = 0;
  std::uint64_t bytes = 0;
  bool flag = false;
  std::string text;
  std::vector<std::pair<std::string, unsigned>> automatic;
  for (const char *name : {"auto", "true", "false", "drop_off"})
    automatic.emplace_back(name, automatic.size());
  poplibs::OptionSpec(
      {{"method", OptionHandler::createWithEnum(parsed.method,
                                                popops::collectiveMethods())},
       {"maxBytesPerTile", OptionHandler::createWithInteger(bytes)},
       {"syncful.maxBroadcastSize",
        OptionHandler([&](const std::string &value) {
          parsed.mostBroadcastBytes =
              static_cast<std::uint64_t>(poplibs::parse::asInteger(value));
        })},
       {"syncful.useOptimisedLayout", OptionHandler::createWithBool(flag)},
       {"syncful.allToAll", OptionHandler::createWithEnum(choice, automatic)},
       {"syncful.useForwardingToSupportStridedGroups",
        OptionHandler::createWithEnum(choice, automatic)},
       {"useSynclessCollectives",
        OptionHandler::createWithEnum(choice, automatic)},
       {"collectiveImplementation", OptionHandler::createWithString(text)}})
      .parse(options);
  return parsed;
}

} // namespace gcl
