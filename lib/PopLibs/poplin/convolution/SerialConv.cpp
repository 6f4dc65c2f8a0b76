// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SerialConv.h.

#include "lib/PopLibs/poplin/convolution/SerialConv.h"

using namespace poplar;

namespace poplin {

ConvParams partOf(ConvParams params, const SerialSplit &split) {
  switch (split.dim) {
  case SerialSplit::Batch:
    params.batchSize /= split.parts;
    break;
  case SerialSplit::Groups:
    params.numConvGroups /= split.parts;
    break;
  case SerialSplit::OutChannels:
    params.outputChannelsPerConvGroup /= split.parts;
    break;
  }
  return params;
}

SerialOperands SerialOperands::part(const SerialSplit &split,
                                    std::size_t i) const {
  SerialOperands result = *this;
  switch (split.dim) {
  case SerialSplit::Batch:
    result.in = partOf(in, 0, i, split.parts);
    break;
  case SerialSplit::Groups:
    result.in = partOf(in, 1, i, split.parts);
    result.weights = partOf(weights, 0, i, split.parts);
    if (bias.valid())
      result.bias = partOf(bias, 0, i, split.parts);
    break;
  case SerialSplit::OutChannels:
    result.weights = partOf(weights, 1, i, split.parts);
    if (bias.valid()) {
      const std::size_t groups = weights.dim(0);
      result.bias = partOf(bias.reshape({groups, bias.numElements() / groups}),
                           1, i, split.parts)
                        .flatten();
    }
    break;
  }
  return result;
}

Tensor joinParts(const std::vector<Tensor> &results, const SerialSplit &split,
                 std::size_t groups) {
  switch (split.dim) {
  case SerialSplit::Batch:
    return concat(results, 0);
  case SerialSplit::Groups:
    return concat(results, 1);
  case SerialSplit::OutChannels:
    break;
  }
  std::vector<Tensor> byGroup;
  for (const Tensor &t : results)
    byGroup.push_back(t.reshapePartial(1, 2, {groups, t.dim(1) / groups}));
  return concat(byGroup, 2).flatten(1, 3);
}

Tensor joinWeights(const std::vector<Tensor> &parts, const SerialSplit &split) {
  return concat(parts, split.dim == SerialSplit::OutChannels ? 1 : 0);
}

} // namespace poplin
