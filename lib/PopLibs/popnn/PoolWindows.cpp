// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index arithmetic of pooling windows.

#include "lib/PopLibs/popnn/PoolWindows.h"

#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>

#include <algorithm>

using namespace poplar;
using namespace poplibs; // WindowDim.h, TapLists.h

namespace popnn {
namespace pooling {
namespace {

using Index = std::ptrdiff_t;

/// The elements of a dimension that are neither padding nor cut off.
std::pair<Index, Index> elementsOf(const PoolParams &p, unsigned dim) {
  return {std::max(0, -p.inputTruncationOrPaddingLower[dim]),
          static_cast<Index>(p.inputFieldShape[dim]) -
              std::max(0, -p.inputTruncationOrPaddingUpper[dim])};
}

std::size_t countOf(const PoolParams &p, unsigned dim, std::size_t result) {
  const auto [begin, end] = elementsOf(p, dim);
  const Index first = static_cast<Index>(result * p.stride[dim]) -
                      p.inputTruncationOrPaddingLower[dim];
  const Index last = first + static_cast<Index>(p.kernelShape[dim]);
  return std::max<Index>(0, std::min(last, end) - std::max(first, begin));
}

std::size_t product(const std::vector<std::size_t> &shape) {
  std::size_t result = 1;
  for (std::size_t extent : shape)
    result *= extent;
  return result;
}

WindowPlace placeOf(const PoolParams &p, const std::vector<std::size_t> &tap) {
  const auto field = p.getOutputFieldShape();
  WindowPlace place;
  for (unsigned dim = 0; dim != tap.size(); ++dim) {
    const auto [begin, end] = elementsOf(p, dim);
    const Index stride = p.stride[dim];
    const Index shift =
        static_cast<Index>(tap[dim]) - p.inputTruncationOrPaddingLower[dim];
    // The first and the last result with begin <= result * stride + shift <
    // end.
    const Index first =
        std::max<Index>(0, (begin - shift + stride - 1) / stride);
    const Index limit = end <= shift ? 0 : (end - shift + stride - 1) / stride;
    const Index last = std::min<Index>(limit, field[dim]);
    place.results.emplace_back(first, std::max(first, last));
    place.firstElement.push_back(first * stride + shift);
  }
  return place;
}

WindowDim dimOf(const PoolParams &p, unsigned i) {
  WindowDim dim;
  dim.input = p.inputFieldShape[i];
  dim.kernel = p.kernelShape[i];
  dim.output = p.getOutputFieldShape()[i];
  dim.stride = p.stride[i];
  // Truncation has been applied to the view; only padding is left.
  dim.origin = -std::max(0, p.inputTruncationOrPaddingLower[i]);
  dim.input -= std::max(0, -p.inputTruncationOrPaddingLower[i]) +
               std::max(0, -p.inputTruncationOrPaddingUpper[i]);
  return dim;
}

} // namespace

poplin::ConvShape windowShape(const PoolParams &p) {
  poplin::ConvShape shape{p.batchSize, p.numChannels, 1, 1, {}, {}};
  if (p.getNumFieldDims() == 2)
    shape.y = dimOf(p, 0);
  shape.x = dimOf(p, p.getNumFieldDims() - 1);
  return shape;
}

std::string vertexName(const char *vertex, PoolingType type, const Type &t) {
  const char *name = type == PoolingType::MAX   ? "popnn::PoolingType::MAX"
                     : type == PoolingType::AVG ? "popnn::PoolingType::AVG"
                                                : "popnn::PoolingType::SUM";
  return poputil::templateVertex(vertex, name, t);
}

TapCosts channelwiseCosts(PoolingType type, bool isHalf) {
  const double ofHalves = type == PoolingType::MAX   ? 10
                          : type == PoolingType::AVG ? 17
                                                     : 15;
  return isHalf ? TapCosts{34, 36, ofHalves, 2, 4} : TapCosts{34, 36, 11, 3, 2};
}

bool coversField(const PoolParams &p) {
  const auto isZero = [](int padding) { return padding == 0; };
  return p.kernelShape == p.inputFieldShape &&
         std::ranges::all_of(p.inputTruncationOrPaddingLower, isZero) &&
         std::ranges::all_of(p.inputTruncationOrPaddingUpper, isZero);
}

void checkPoolOptions(const OptionFlags &options) {
  bool ignored;
  const auto flag = poplibs::OptionHandler::createWithBool(ignored);
  poplibs::OptionSpec({{"poolUseIntrospectiveMapping", flag},
                       {"optimizeForSpeed", flag},
                       {"useFloatPartialsWhereBeneficial", flag}})
      .parse(options);
}

Tensor addWindowWeights(Graph &graph, const PoolParams &params,
                        const DebugContext &debugContext) {
  const auto field = params.getOutputFieldShape();
  std::vector<float> weights;
  for (std::size_t i = 0; i != product(field); ++i) {
    std::size_t count = 1;
    const auto at = poputil::unflattenIndex(field, i);
    for (unsigned dim = 0; dim != field.size(); ++dim)
      count *= countOf(params, dim, at[dim]);
    weights.push_back(1.0f / static_cast<float>(count));
  }
  const Tensor constant = graph.addConstant<float>(
      FLOAT, field, weights, {debugContext, "windowWeights"});
  poputil::mapTensorLinearly(graph, constant);
  return constant;
}

bool WindowPlace::isEmpty() const {
  return std::any_of(results.begin(), results.end(),
                     [](const Interval &i) { return i.size() == 0; });
}

Tensor WindowPlace::ofResults(Tensor t) const {
  for (unsigned dim = 0; dim != results.size(); ++dim)
    t = t.slice(results[dim], dim + 2);
  return t;
}

Tensor WindowPlace::ofElements(Tensor t, const PoolParams &params) const {
  for (unsigned dim = 0; dim != results.size(); ++dim) {
    const std::size_t begin = firstElement[dim];
    const unsigned stride = params.stride[dim];
    const std::size_t end = begin + (results[dim].size() - 1) * stride + 1;
    t = t.slice(begin, end, dim + 2).subSample(stride, dim + 2);
  }
  return t;
}

std::vector<WindowPlace> windowPlaces(const PoolParams &params) {
  std::vector<WindowPlace> places;
  for (std::size_t i = 0; i != product(params.kernelShape); ++i) {
    WindowPlace place =
        placeOf(params, poputil::unflattenIndex(params.kernelShape, i));
    if (!place.isEmpty())
      places.push_back(std::move(place));
  }
  return places;
}

} // namespace pooling
} // namespace popnn
