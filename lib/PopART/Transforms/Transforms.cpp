// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of transforms and the loop over it.

#include "lib/PopART/Transforms/Transforms.h"

#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Log.h"

#include <array>
#include <sstream>

namespace popart {

static constexpr std::array<Transform, 8> Table = {{
    {"PostNRepl", "drop operators that return their input unchanged",
     removeIdentities},
    {"BatchNormIntoConv", "fold batch norms into the weights of convolutions",
     foldBatchNorms},
    {"PadIntoWindow", "let convolutions and pools do the padding before them",
     padIntoWindow},
    {"MergeDuplicateOps", "compute once what is computed several times",
     mergeDuplicates},
    {"InPlace", "let operators overwrite what is not read again"},
    {"ElementwiseFusion", "compute chains of elementwise operators at once"},
    {"SubgraphOutline", "make functions of layers and blocks that repeat"},
    {"Prune", "drop operators and constants that no result depends on", prune},
}};

std::span<const Transform> allTransforms() { return Table; }

Patterns::Patterns() {
  for (const Transform &transform : Table)
    enabled.emplace(transform.name);
}

void Patterns::apply(const std::string &list) {
  std::istringstream items(list);
  std::string item;
  while (std::getline(items, item, ','))
    applyItem(item);
}

void Patterns::applyItem(std::string item) {
  bool isOff = !item.empty() && item[0] == '-';
  if (isOff)
    item.erase(0, 1);
  if (item == "all" || item == "none") {
    enabled.clear();
    if ((item == "all") != isOff)
      *this = Patterns();
    return;
  }
  std::vector<std::string_view> names;
  for (const Transform &transform : Table)
    names.push_back(transform.name);
  if (std::find(names.begin(), names.end(), item) == names.end())
    fail(ErrorKind::Usage,
         "--patterns: there is no pattern '{}'; there are {}, all and none",
         item, fmt::join(names, ", "));
  if (isOff)
    enabled.erase(item);
  else
    enabled.insert(item);
}

void runTransforms(Graph &graph, const Patterns &patterns,
                   const std::function<void(std::string_view)> &afterEach) {
  for (const Transform &transform : Table) {
    if (!transform.run || !patterns.isEnabled(transform.name))
      continue;
    std::size_t changes = transform.run(graph);
    logging::debug(logging::Module::transform, "{}: {} changes", transform.name,
                   changes);
    if (afterEach)
      afterEach(transform.name);
  }
}

} // namespace popart
