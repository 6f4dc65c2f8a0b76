// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rectangles of images: a vertex has one channel of all images and some of the
// rectangles; backwards one channel of one image, and all rectangles, so that
// no two vertices add to the same pixel.

#include "lib/PopLibs/poputil/Partition.h"

#include <popnn/experimental/ROIAlign.hpp>

#include <popops/Cast.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poplibs::Chunks;
using poputil::poplibs_error;

namespace popnn {
namespace experimental {
namespace {

/// Bundles of a point forwards and backwards, and of a bin and a pixel.
constexpr std::size_t PointBundles = 60, PointGradientBundles = 60,
                      BinBundles = 12, PixelBundles = 2;

/// One call: its operands in the types that vertices take.
struct Rectangles {
  std::size_t images, channels, height, width, count;
  Tensor rois, imageOf;
  const roiAlignParams &params;

  Rectangles(Graph &graph, const Tensor &data, const Tensor &rois,
             const Tensor &imageOf, const roiAlignParams &params,
             Sequence &prog, const DebugContext &dc)
      : params(params) {
    check(data, rois, imageOf);
    images = data.dim(0);
    channels = data.dim(1);
    height = data.dim(2);
    width = data.dim(3);
    count = rois.dim(0);
    this->rois = rois.elementType() == FLOAT
                     ? rois
                     : popops::cast(graph, rois, FLOAT, prog, dc);
    this->imageOf = imageOf.elementType() == UNSIGNED_INT
                        ? imageOf
                        : popops::cast(graph, imageOf, INT, prog, dc)
                              .reinterpret(UNSIGNED_INT);
  }

  std::size_t bins() const {
    return std::size_t(params.alignedHeight) * params.alignedWidth;
  }
  /// Number of points of a rectangle; estimated if it depends on the
  /// rectangle's size.
  std::size_t points() const {
    const std::size_t each = params.samplingRatio ? params.samplingRatio : 2;
    return bins() * each * each;
  }

  void initialise(Graph &graph, const VertexRef &v) const {
    graph.setInitialValue(v["height"], height);
    graph.setInitialValue(v["width"], width);
    graph.setInitialValue(v["binRows"], params.alignedHeight);
    graph.setInitialValue(v["binColumns"], params.alignedWidth);
    graph.setInitialValue(v["samplingRatio"], params.samplingRatio);
    graph.setInitialValue(v["scale"], params.spatialScale);
    graph.setInitialValue(v["halfPixel"], params.halfPixel);
  }

private:
  void check(const Tensor &data, const Tensor &rois,
             const Tensor &imageOf) const {
    const auto isReal = [](const Tensor &t) {
      return t.elementType() == FLOAT || t.elementType() == HALF;
    };
    if (data.rank() != 4 || !isReal(data) || rois.rank() != 2 ||
        rois.dim(1) != 4 || !isReal(rois) ||
        imageOf.shape() != std::vector<std::size_t>{rois.dim(0)} ||
        isReal(imageOf) || data.numElements() == 0)
      throw poplibs_error("popnn::experimental: rectangles " +
                          rois.shapeToString() + " and images " +
                          imageOf.shapeToString() + " of " +
                          imageOf.elementType().toString() + " for data " +
                          data.shapeToString() +
                          "; they must be [n, 4] of float or half, [n] "
                          "of integers, and [images, channels, height, width]");
    if (bins() == 0)
      throw poplibs_error("popnn::experimental: rectangles are to be aligned "
                          "to " +
                          std::to_string(params.alignedHeight) + "x" +
                          std::to_string(params.alignedWidth) + " bins");
  }
};

std::string vertexFor(const Graph &graph, const char *name, const Type &type) {
  const std::string vertex = poputil::templateVertex(name, type);
  if (!graph.hasCodelet(vertex))
    throw poplibs_error("popnn::experimental: there is no " + vertex +
                        "; popnn::addCodelets(graph) has not been called");
  return vertex;
}

poplibs::TileGrid tilesFor(const Graph &graph, const Tensor &data,
                           std::size_t vertices) {
  const unsigned tiles = graph.getTarget().getNumTiles();
  return {vertices, tiles, poputil::chooseMappingOffset(tiles, data.shape())};
}

} // namespace

Tensor roiAlignFwd(Graph &graph, const Tensor &bottomData,
                   const Tensor &bottomRois, const Tensor &bottomBatchIndex,
                   const roiAlignParams &params, Sequence &prog,
                   const DebugContext &debugContext) {
  const DebugContext dc(debugContext, "RoiAlign");
  const Rectangles all(graph, bottomData, bottomRois, bottomBatchIndex, params,
                       prog, dc);
  const Type type = bottomData.elementType();
  const std::string name = vertexFor(graph, "popnn::RoiAlign", type);
  const Tensor result = graph.addVariable(
      type, {all.channels, all.count, all.bins()}, {dc, "bins"});
  const Target &target = graph.getTarget();
  const std::size_t workers =
      std::size_t(target.getNumTiles()) * target.getNumWorkerContexts();
  const Chunks parts = Chunks::ofParts(
      all.count, std::max<std::size_t>(1, workers / all.channels));
  const auto tiles = tilesFor(graph, bottomData, all.channels * parts.parts());
  const ComputeSet cs = graph.addComputeSet(dc);
  for (std::size_t c = 0; c != all.channels; ++c)
    for (std::size_t part = 0; part != parts.parts(); ++part) {
      const std::size_t begin = parts.begin(part), end = parts.end(part);
      const unsigned tile = tiles.tile(c * parts.parts() + part);
      const Tensor out = result[c].slice(begin, end).flatten();
      const Tensor sums = graph.addVariable(FLOAT, {all.bins()}, {dc, "sums"});
      const VertexRef v =
          graph.addVertex(cs, name,
                          {{"images", bottomData.slice(c, c + 1, 1).flatten()},
                           {"rois", all.rois.slice(begin, end).flatten()},
                           {"imageOf", all.imageOf.slice(begin, end)},
                           {"out", out},
                           {"sums", sums}});
      all.initialise(graph, v);
      graph.setInitialValue(v["numImages"], all.images);
      graph.setPerfEstimate(
          v, 30 + (end - begin) *
                      (PointBundles * all.points() + BinBundles * all.bins()));
      graph.setTileMapping(v, tile);
      graph.setTileMapping(out, tile);
      graph.setTileMapping(sums, tile);
    }
  prog.add(Execute(cs, dc));
  return result
      .reshape(
          {all.channels, all.count, params.alignedHeight, params.alignedWidth})
      .dimRoll(1, 0);
}

Tensor roiAlignInputGradient(Graph &graph, const Tensor &topGradient,
                             const Tensor &bottomData, const Tensor &bottomRois,
                             const Tensor &bottomBatchIndex,
                             const roiAlignParams &params, Sequence &prog,
                             const DebugContext &debugContext) {
  const DebugContext dc(debugContext, "RoiAlignGrad");
  const Rectangles all(graph, bottomData, bottomRois, bottomBatchIndex, params,
                       prog, dc);
  if (topGradient.shape() != std::vector<std::size_t>{all.count, all.channels,
                                                      params.alignedHeight,
                                                      params.alignedWidth})
    throw poplibs_error("popnn::experimental: a gradient of shape " +
                        topGradient.shapeToString() + " for " +
                        std::to_string(all.count) + " rectangles of " +
                        std::to_string(all.channels) + " channels");
  const std::string name =
      vertexFor(graph, "popnn::RoiAlignGrad", topGradient.elementType());
  const Tensor result =
      graph.addVariable(FLOAT, bottomData.shape(), {dc, "gradient"});
  const auto tiles = tilesFor(graph, bottomData, all.images * all.channels);
  const ComputeSet cs = graph.addComputeSet(dc);
  for (std::size_t n = 0; n != all.images; ++n)
    for (std::size_t c = 0; c != all.channels; ++c) {
      const unsigned tile = tiles.tile(n * all.channels + c);
      const Tensor out = result[n][c].flatten();
      const VertexRef v =
          graph.addVertex(cs, name,
                          {{"bins", topGradient.slice(c, c + 1, 1).flatten()},
                           {"rois", all.rois.flatten()},
                           {"imageOf", all.imageOf},
                           {"out", out}});
      all.initialise(graph, v);
      graph.setInitialValue(v["image"], n);
      // The rectangles are spread evenly over the images.
      graph.setPerfEstimate(v, 30 + PixelBundles * out.numElements() +
                                   all.count * PointGradientBundles *
                                       all.points() / all.images);
      graph.setTileMapping(v, tile);
      graph.setTileMapping(out, tile);
    }
  prog.add(Execute(cs, dc));
  return bottomData.elementType() == FLOAT
             ? result
             : popops::cast(graph, result, bottomData.elementType(), prog, dc);
}

} // namespace experimental
} // namespace popnn
