// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All rows are as wide as the replicas, of which each has a cell of equal
// width:
//
//     | instances |   0   |   1   |
//     | replicas  | 0 | 1 | 2 | 3 |

#include "Topology.h"

#include <algorithm>

namespace populus::poprun {

namespace {

std::string centred(const std::string &text, std::size_t width) {
  const std::size_t before = (width - std::min(width, text.size())) / 2;
  std::string line(before, ' ');
  line += text;
  line.resize(std::max(width, line.size()), ' ');
  return line;
}

std::vector<std::string> numbers(unsigned count) {
  std::vector<std::string> list;
  for (unsigned i = 0; i != count; ++i)
    list.push_back(std::to_string(i));
  return list;
}

} // namespace

std::string topologyOf(const Options &options) {
  struct Row {
    const char *name;
    std::vector<std::string> cells;
  };
  const Row rows[] = {
      {"hosts", options.hosts.empty() ? std::vector<std::string>{"localhost"}
                                      : options.hosts},
      {"ILDs", numbers(options.numIlds)},
      {"instances", numbers(options.numInstances)},
      {"replicas", numbers(options.numReplicas)},
  };
  // The width of a replica's cell: no text of a row may be too long.
  const std::size_t replicas = options.numReplicas;
  std::size_t width = 3;
  for (const Row &row : rows)
    for (const std::string &cell : row.cells) {
      const std::size_t share = std::max<std::size_t>(
          replicas / std::max<std::size_t>(row.cells.size(), 1), 1);
      width = std::max(width, (cell.size() + 2 + share - 1) / share);
    }
  const std::size_t right = replicas * (width + 1) - 1;
  const std::size_t whole = 11 + 1 + right;
  std::string text = " " + std::string(whole, '=') + "\n|" +
                     centred("poprun topology", whole) + "|\n|" +
                     std::string(whole, '=') + "|\n";
  for (const Row &row : rows) {
    if (&row != rows)
      text +=
          "|" + std::string(11, '-') + "|" + std::string(right, '-') + "|\n";
    std::string name = std::string(" ") + row.name;
    name.resize(11, ' ');
    text += "|" + name + "|";
    // The last cell takes the rest of a width that the cells do not divide.
    std::size_t used = 0;
    for (std::size_t i = 0; i != row.cells.size(); ++i) {
      const std::size_t end = (i + 1) * (right + 1) / row.cells.size();
      text += centred(row.cells[i], end - used - 1) + "|";
      used = end;
    }
    text += "\n";
  }
  return text + " " + std::string(whole, '-') + "\n";
}

} // namespace populus::poprun
