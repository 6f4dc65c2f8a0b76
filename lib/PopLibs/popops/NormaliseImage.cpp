// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalisation of images from elementwise operations.

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/NormaliseImage.hpp>
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
  const Tensor normal =
      map(graph, (pe::_1 * pe::Const(inScale, type) - pe::_2) * pe::_3,
          {image, inOffsets, inScales}, prog, dc);
  std::vector<std::size_t> shape = tIn.shape();
  shape.back() = 1;
  const Tensor zero = graph.addConstant<float>(type, {}, 0.0f, dc);
  graph.setTileMapping(zero, 0);
  Tensor channel = zero.reshape(std::vector<std::size_t>(shape.size(), 1));
  for (unsigned i = 0; i != shape.size(); ++i)
    channel = channel.broadcast(shape[i], i);
  return concat(normal, channel, tIn.rank() - 1);
}

} // namespace popops
