// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of sparse layers, as blocks, and options.

#include "lib/PopLibs/popsparse/BlockGrid.h"
#include "lib/PopLibs/popsparse/ProductOptions.h"

#include <poputil/exceptions.hpp>

#include <cmath>
#include <ostream>
#include <string>

using namespace poplar;
using poputil::poplibs_error;

namespace popsparse {
namespace dynamic {

std::ostream &operator<<(std::ostream &out, SparsityType type) {
  return out << (type == SparsityType::Element ? "Element" : "Block");
}
std::ostream &operator<<(std::ostream &out, SparsityStructure) {
  return out << "Unstructured";
}
std::ostream &operator<<(std::ostream &out, const SparsityParams &params) {
  return out << "{" << params.type << ", " << params.structure << ", "
             << params.blockDimensions[0] << "x" << params.blockDimensions[1]
             << "}";
}

FullyConnectedParams FullyConnectedParams::createWithNzRatio(
    const SparsityParams &sparsityParams, double nzRatio, std::size_t batchSize,
    std::size_t numGroups, std::size_t inputSize, std::size_t outputSize) {
  if (!(nzRatio >= 0 && nzRatio <= 1))
    throw poplibs_error("popsparse: the ratio of values that are not zero is " +
                        std::to_string(nzRatio) + "; it is from 0 to 1");
  FullyConnectedParams params;
  params.sparsityParams = sparsityParams;
  params.nzRatio = nzRatio;
  params.batchSize = batchSize;
  params.numGroups = numGroups;
  params.inputSize = inputSize;
  params.outputSize = outputSize;
  return params;
}

FullyConnectedParams FullyConnectedParams::createWithNumNonZeroValues(
    const SparsityParams &sparsityParams, std::size_t numNonZeroElems,
    std::size_t batchSize, std::size_t numGroups, std::size_t inputSize,
    std::size_t outputSize) {
  const double elements =
      static_cast<double>(numGroups * inputSize * outputSize);
  return createWithNzRatio(
      sparsityParams,
      elements == 0 ? 0 : static_cast<double>(numNonZeroElems) / elements,
      batchSize, numGroups, inputSize, outputSize);
}

std::size_t FullyConnectedParams::getNumNonZeroValues() const {
  const double blocks =
      nzRatio * static_cast<double>(numGroups * inputSize * outputSize) /
      static_cast<double>(sparsityParams.blockSize());
  // Not one more for what division has rounded up.
  return static_cast<std::size_t>(std::ceil(blocks - 1e-6)) *
         sparsityParams.blockSize();
}

std::ostream &operator<<(std::ostream &out,
                         const FullyConnectedParams &params) {
  return out << "{" << params.sparsityParams << ", ratio " << params.nzRatio
             << ", batch " << params.batchSize << ", groups "
             << params.numGroups << ", inputs " << params.inputSize
             << ", outputs " << params.outputSize << "}";
}

BlockGrid::BlockGrid(const FullyConnectedParams &params)
    : blockRows(params.getSparsityParams().blockDimensions[0]),
      blockColumns(params.getSparsityParams().blockDimensions[1]) {
  const SparsityParams &sparsity = params.getSparsityParams();
  if (blockSize() == 0 ||
      (sparsity.type == SparsityType::Element && blockSize() != 1))
    throw poplibs_error("popsparse: blocks of " + std::to_string(blockRows) +
                        "x" + std::to_string(blockColumns) +
                        " elements for this type of sparsity");
  groups = params.getNumGroups();
  if (groups == 0)
    throw poplibs_error("popsparse: a layer without groups");
  const std::size_t outputs = params.getOutputChannelsPerGroup();
  const std::size_t inputs = params.getInputChannelsPerGroup();
  if (outputs % blockRows != 0 || inputs % blockColumns != 0)
    throw poplibs_error(
        "popsparse: weights of " + std::to_string(outputs) + "x" +
        std::to_string(inputs) + " elements are no whole number of blocks of " +
        std::to_string(blockRows) + "x" + std::to_string(blockColumns));
  rows = groups * (outputs / blockRows);
  columns = inputs / blockColumns;
  if (rows >= MostRows || columns >= MostRows)
    throw poplibs_error("popsparse: weights of " + std::to_string(rows) + "x" +
                        std::to_string(columns) + " blocks; at most " +
                        std::to_string(MostRows - 1) +
                        " each way are supported");
  places = params.getNumNonZeroValues() / blockSize();
}

OptionFlags matMulOptions(const OptionFlags &options) {
  using poplibs::OptionHandler;
  double proportion;
  bool flag;
  std::string text;
  const poplibs::OptionSpec own(
      {{"metaInfoBucketOversizeProportion",
        OptionHandler::createWithDouble(proportion)},
       {"doGradAPass", OptionHandler::createWithBool(flag)},
       {"doGradWPass", OptionHandler::createWithBool(flag)},
       {"sharedBuckets", OptionHandler::createWithBool(flag)},
       {"enableStructuredRearrangements", OptionHandler::createWithBool(flag)},
       {"partitioner.optimiseForSpeed", OptionHandler::createWithBool(flag)},
       {"partitioner.forceBucketSpills", OptionHandler::createWithBool(flag)},
       {"partitioner.useActualWorkerSplitCosts",
        OptionHandler::createWithBool(flag)},
       {"planConstraints", OptionHandler::createWithString(text)}});
  return denseProductOptions(options, own);
}

} // namespace dynamic
} // namespace popsparse
