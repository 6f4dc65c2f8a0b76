// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalisation of images from elementwise operations.

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/NormaliseImage.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popops {
namespace {

void checkImage(const std::vector<std::size_t> &shape, const Type &type) {
  if (shape.empty() || shape.back() != 3)
    throw poplibs_error("popops: an image must have 3 channels, in its last "
                        "dimension");
  if (type != UNSIGNED_CHAR && type != HALF && type != FLOAT)
    throw poplibs_error("popops: an image of type " +
                        std::string(type.toString()) +
                        "; it must be unsigned char, half or float");
}

/// The result has a fourth channel, of zeros.
constexpr std::size_t Channels = 4;

/// Puts each pixel of the result on a tile of the same pixel of the image.
void mapLike(Graph &graph, const Tensor &result, const Tensor &image) {
  const Tensor pixels = result.flatten(0, result.rank() - 1);
  const Tensor first = image.flatten(0, image.rank() - 1).slice(0, 1, 1);
  const auto mapping = graph.getTileMapping(first);
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    for (const Interval &interval : mapping[tile])
      graph.setTileMapping(pixels.slice(interval), tile);
}

} // namespace

Tensor createNormaliseImageInput(Graph &graph, const Type &type,
                                 const std::vector<std::size_t> &shape,
                                 const DebugContext &debugContext) {
  checkImage(shape, type);
  const Tensor image = graph.addVariable(type, shape, debugContext);
  // Whole pixels.
  poputil::mapTensorLinearly(graph, image, 48, 12);
  return image;
}

Tensor normaliseImage(Graph &graph, Sequence &prog, const Tensor &tIn,
                      float inScale, const Tensor &inOffsets,
                      const Tensor &inScales,
                      const DebugContext &debugContext) {
  namespace pe = popops::expr;
  checkImage(tIn.shape(), tIn.elementType());
  const DebugContext dc(debugContext, "NormaliseImage");
  const Type type =
      tIn.elementType() == UNSIGNED_CHAR ? HALF : tIn.elementType();
  for (const Tensor *t : {&inOffsets, &inScales})
    if (t->shape() != std::vector<std::size_t>{3} || t->elementType() != type)
      throw poplibs_error(
          "popops::normaliseImage: offsets or scales of shape " +
          t->shapeToString() + " and type " + t->elementType().toString() +
          "; they must be {3} of " + type.toString());
  const Tensor image =
      tIn.elementType() == type ? tIn : cast(graph, tIn, type, prog, dc);
  std::vector<std::size_t> shape = tIn.shape();
  shape.back() = Channels;
  const Tensor result = graph.addVariable(type, shape, {dc, "normalised"});
  mapLike(graph, result, tIn);
  const unsigned channel = tIn.rank() - 1;
  mapWithOutput(graph, (pe::_1 * pe::Const(inScale, type) - pe::_2) * pe::_3,
                {image, inOffsets, inScales}, result.slice(0, 3, channel), prog,
                dc);
  zero(graph, result.slice(3, Channels, channel), prog, dc);
  return result;
}

} // namespace popops
