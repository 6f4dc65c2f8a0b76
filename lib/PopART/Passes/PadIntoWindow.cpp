// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PadIntoWindow: a Pad of the field with zeros whose result only a convolution
// reads, or a sum over windows that counts the padding, becomes padding of that
// operator, which costs nothing.

#include "lib/PopART/IR/Op.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Passes/Passes.h"

#include <unordered_set>

namespace populus::popir {

namespace {

using Pads = std::vector<std::int64_t>;

/// The paddings of a Pad with zeros, or nothing.
std::optional<Pads> zeroPads(const Op &pad) {
  if (pad.id().type != "Pad" || !pad.id().domain.empty() ||
      pad.attributes().getString("mode", "constant") != "constant" ||
      pad.attributes().getFloat("value", 0) != 0)
    return std::nullopt;
  if (pad.hasInput(2) &&
      (!pad.input(2).isConstant() || pad.input(2).info.numElements() != 1 ||
       pad.input(2).constant()->toDoubles().at(0) != 0))
    return std::nullopt;
  Pads pads = pad.version() == 2 ? pad.attributes().getInts("pads")
                                 : pad.constantInput(1, "pads").toInts();
  std::size_t rank = pads.size() / 2;
  for (std::size_t i = 0; i != pads.size(); ++i)
    if (pads[i] < 0 || (pads[i] != 0 && i % rank < 2))
      return std::nullopt; // crops, or pads batch or channels
  return pads;
}

bool takesPads(const Op &op) {
  const Attributes &attributes = op.attributes();
  bool isWindow = op.id().type == "Conv" ||
                  (op.id().type == "AveragePool" &&
                   attributes.getInt("count_include_pad", 0) != 0 &&
                   attributes.getInt("ceil_mode", 0) == 0);
  return isWindow && op.id().domain.empty() &&
         attributes.getString("auto_pad", "NOTSET") == "NOTSET";
}

} // namespace

std::size_t padIntoWindow(Graph &graph) {
  std::unordered_set<const Op *> gone;
  for (Op *op : graph.ops()) {
    Op *pad = takesPads(*op) ? op->inputs()[0]->producer() : nullptr;
    if (!pad || !pad->output().onlyUser())
      continue;
    std::optional<Pads> added = zeroPads(*pad);
    if (!added)
      continue;
    std::size_t fieldRank = added->size() / 2 - 2;
    Pads pads = op->attributes().getInts("pads");
    pads.resize(2 * fieldRank, 0);
    for (std::size_t i = 0; i != fieldRank; ++i) {
      pads[i] += (*added)[i + 2];
      pads[i + fieldRank] += (*added)[i + 4 + fieldRank];
    }
    op->setAttribute("pads", pads);
    graph.setInput(*op, 0, pad->inputs()[0]);
    gone.insert(pad);
  }
  graph.removeOps([&](const Op &op) { return gone.count(&op) != 0; });
  return gone.size();
}

} // namespace populus::popir
