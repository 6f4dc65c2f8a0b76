// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of tensors over some of their dimensions.

#ifndef POPULUS_POPOPS_REDUCE_HPP
#define POPULUS_POPOPS_REDUCE_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popops/Operation.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace popops {

/// Parameters of a reduction: out = scale * op(in), or out += scale * op(in)
/// with \p update. Scale and update exist for ADD and SQUARE_ADD, and for
/// LOG_ADD, where they work on logarithms. The scale is a scalar of type FLOAT.
struct ReduceParams {
  ReduceParams() = default;
  ReduceParams(Operation op, bool update = false) : op(op), update(update) {}
  ReduceParams(Operation op, bool update, poplar::Tensor scale)
      : op(op), update(update), useScale(true), scale(scale) {}
  ReduceParams(Operation op, float scale, bool update = false) = delete;

  Operation op = Operation::ADD;
  bool update = false;
  bool useScale = false;
  poplar::Tensor scale;
};

/// Reduces over \p dims, which disappear; the others keep their order. Without
/// \p dims this is a copy. A reduction of no elements gives the operation's
/// identity. Options: "accumType.interTile", "accumType.inVertex" ("float",
/// "half").
poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in,
                      const poplar::Type &outType,
                      const std::vector<std::size_t> &dims,
                      const ReduceParams &params,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});
poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in,
                      const std::vector<std::size_t> &dims,
                      const ReduceParams &params,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

/// Writes to \p out, which is mapped if it has no mapping.
void reduceWithOutput(poplar::Graph &graph, const poplar::Tensor &in,
                      const poplar::Tensor &out,
                      const std::vector<std::size_t> &dims,
                      const ReduceParams &params,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

/// The same with compute sets, which are appended to \p css and must run in
/// order. LOG_ADD, and an output that overlaps the input, need the form with a
/// program.
void reduceWithOutput(poplar::Graph &graph, const poplar::Tensor &in,
                      const poplar::Tensor &out,
                      const std::vector<std::size_t> &dims,
                      const ReduceParams &params,
                      std::vector<poplar::ComputeSet> &css,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});
poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in,
                      const poplar::Type &outType,
                      const std::vector<std::size_t> &dims,
                      const ReduceParams &params,
                      std::vector<poplar::ComputeSet> &css,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});
poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in,
                      const std::vector<std::size_t> &dims,
                      const ReduceParams &params,
                      std::vector<poplar::ComputeSet> &css,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

/// One of several independent reductions.
struct SingleReduceOp {
  SingleReduceOp(poplar::Tensor in, std::vector<std::size_t> dims,
                 ReduceParams params, std::string debugName = "")
      : in(in), dims(dims), params(params), debugName(debugName) {}
  SingleReduceOp(poplar::Tensor in, std::vector<std::size_t> dims,
                 ReduceParams params, poplar::Type outType,
                 std::string debugName = "")
      : in(in), dims(dims), params(params), useOutType(true), outType(outType),
        debugName(debugName) {}

  poplar::Tensor in;
  std::vector<std::size_t> dims;
  ReduceParams params;
  bool useOutType = false;
  poplar::Type outType;
  std::string debugName;
};

/// Performs the reductions. Tensors in \p outputs are written to; missing ones
/// are created.
void reduceMany(poplar::Graph &graph,
                const std::vector<SingleReduceOp> &reductions,
                std::vector<poplar::Tensor> &outputs,
                poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext = {},
                const poplar::OptionFlags &options = {});

} // namespace popops

#endif
