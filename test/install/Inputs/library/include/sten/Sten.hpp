// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library of one operator, a blur of 3 by 3 elements.

#ifndef sten_Sten_hpp
#define sten_Sten_hpp
#include <poplar/DebugContext.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Type.hpp>
#include <string>
#include <vector>
namespace poplar {
class Graph;
class Tensor;
namespace program {
class Sequence;
}
} // namespace poplar
namespace sten {
enum class EdgeMode { CLAMP, ZERO };
struct BlurParams {
  poplar::Type type;
  std::size_t height, width;
  EdgeMode edge = EdgeMode::CLAMP;
  unsigned radius = 1;
};
bool operator<(const BlurParams &, const BlurParams &);
std::ostream &operator<<(std::ostream &, const BlurParams &);
struct Plan {
  unsigned rowSplit, colSplit;
  unsigned long cost;
};
Plan getPlan(const poplar::Graph &, const BlurParams &,
             const poplar::OptionFlags &options = {});
poplar::Tensor createInput(poplar::Graph &graph, const BlurParams &params,
                           const poplar::DebugContext &debugContext = {},
                           const poplar::OptionFlags &options = {});
poplar::Tensor blur(poplar::Graph &graph, const poplar::Tensor &in,
                    const BlurParams &params, poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &options = {});
void addCodelets(poplar::Graph &graph);
} // namespace sten
#endif
