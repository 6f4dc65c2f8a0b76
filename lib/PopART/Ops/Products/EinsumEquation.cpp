// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading of equations.

#include "lib/PopART/Ops/Products/EinsumEquation.h"

#include "lib/PopART/IR/HostTensor.h"

#include <fmt/format.h>

#include <algorithm>

namespace populus::popir {

namespace {

constexpr const char *Ellipsis = "...";

/// The labels with digits for `count` dimensions in the place of the ellipsis.
std::string withDigits(std::string labels, std::size_t count) {
  std::string digits;
  for (std::size_t i = count; i-- > 0;)
    digits += static_cast<char>('0' + i);
  const std::size_t place = labels.find(Ellipsis);
  return place == std::string::npos ? labels : labels.replace(place, 3, digits);
}

/// The dimensions of the ellipsis, and the labels that appear once, in
/// alphabetical order.
std::string implicitResult(const std::vector<std::string> &operands,
                           std::size_t ellipsis) {
  std::string all, result = withDigits(Ellipsis, ellipsis);
  for (const std::string &labels : operands)
    all += labels;
  std::string sorted = all;
  std::ranges::sort(sorted);
  for (char label : sorted)
    if (label > '9' && std::ranges::count(all, label) == 1)
      result += label;
  return result;
}

void checkResult(const EinsumEquation &equation, const Refuse &refuse) {
  for (char label : equation.result) {
    if (std::ranges::count(equation.result, label) > 1)
      refuse(fmt::format("its result has the label {} twice", label));
    if (std::ranges::none_of(equation.operands, [&](const std::string &labels) {
          return labels.find(label) != std::string::npos;
        }))
      refuse(fmt::format("no operand has the label {}", label));
  }
}

} // namespace

EinsumEquation readEquation(std::string text, const std::vector<Shape> &shapes,
                            const Refuse &refuse) {
  std::erase(text, ' ');
  const std::size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  EinsumEquation equation;
  std::size_t ellipsis = 0;
  for (std::size_t begin = 0; begin <= left.size();) {
    const std::size_t end = std::min(left.find(',', begin), left.size());
    const std::size_t i = equation.operands.size();
    if (i >= shapes.size())
      refuse("its equation has more operands than the node");
    std::string labels = left.substr(begin, end - begin);
    std::size_t named = labels.size();
    if (labels.find(Ellipsis) != std::string::npos)
      named -= 3;
    const std::size_t rank = shapes[i].size();
    if (named > rank)
      refuse(fmt::format("\"{}\" has more labels than operand {}, {}", labels,
                         i, toString(shapes[i])));
    ellipsis = std::max(ellipsis, rank - named);
    labels = withDigits(labels, rank - named);
    if (labels.size() != rank)
      refuse(fmt::format("\"{}\" does not fit operand {}, {}", labels, i,
                         toString(shapes[i])));
    equation.operands.push_back(labels);
    begin = end + 1;
  }
  if (equation.operands.size() != shapes.size())
    refuse("its equation has fewer operands than the node");
  equation.result = arrow == std::string::npos
                        ? implicitResult(equation.operands, ellipsis)
                        : withDigits(text.substr(arrow + 2), ellipsis);
  checkResult(equation, refuse);
  return equation;
}

std::map<char, std::int64_t> extentsOf(const EinsumEquation &equation,
                                       const std::vector<Shape> &shapes,
                                       const Refuse &refuse) {
  std::map<char, std::int64_t> result;
  for (std::size_t i = 0; i != equation.operands.size(); ++i)
    for (std::size_t dim = 0; dim != equation.operands[i].size(); ++dim) {
      const std::int64_t extent = shapes[i][dim];
      const std::size_t first =
          equation.operands[i].find(equation.operands[i][dim]);
      if (shapes[i][first] != extent)
        refuse(fmt::format("label {} stands for {} and {} elements",
                           equation.operands[i][dim], shapes[i][first],
                           extent));
      auto [place, isNew] =
          result.try_emplace(equation.operands[i][dim], extent);
      if (place->second == 1)
        place->second = extent;
      if (!isNew && extent != 1 && place->second != extent)
        refuse(fmt::format("label {} stands for {} and {} elements",
                           place->first, place->second, extent));
    }
  return result;
}

} // namespace populus::popir
