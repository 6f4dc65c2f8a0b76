// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graph functions with arguments. The body is built once, on tensors of its
// own. A call copies its arguments to these tensors, runs the body, and copies
// the results back. So the device has the code of the body once, however many
// calls there are.

#ifndef POPULUS_POPUTIL_GRAPHFUNCTION_HPP
#define POPULUS_POPUTIL_GRAPHFUNCTION_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace poputil {
namespace graphfn {

enum ArgType {
  InputArg,
  OutputArg,
  InOutArg,
  /// Created by the body; a call returns a clone to its caller.
  CreatedArg
};

/// One argument. \p similarTensor gives the shape, type and layout.
struct ArgSig {
  ArgSig(ArgType type, poplar::Tensor tensor, std::string debugName = "")
      : type(type), similarTensor(std::move(tensor)),
        debugName(std::move(debugName)) {}

  ArgType type;
  poplar::Tensor similarTensor;
  std::string debugName;
};

inline ArgSig input(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(InputArg, std::move(similar), std::move(debugName));
}
inline ArgSig inout(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(InOutArg, std::move(similar), std::move(debugName));
}
inline ArgSig output(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(OutputArg, std::move(similar), std::move(debugName));
}
inline ArgSig created(std::string debugName = "") {
  return ArgSig(CreatedArg, poplar::Tensor(), std::move(debugName));
}

typedef std::vector<ArgSig> Signature;

/// A function without a result.
class VoidFunction {
public:
  /// \p f adds the body to a sequence and makes the created arguments. With \p
  /// inlined, \p f is called for every call, with the tensors of the call.
  VoidFunction(poplar::Graph &graph, Signature sig,
               std::function<void(std::vector<poplar::Tensor> &args,
                                  poplar::program::Sequence &prog)>
                   f,
               bool inlined = false,
               const poplar::DebugContext &debugContext = {});
  /// \p f also takes the debug name of the call or function.
  VoidFunction(poplar::Graph &graph, Signature sig,
               std::function<void(std::vector<poplar::Tensor> &args,
                                  poplar::program::Sequence &prog,
                                  const poplar::DebugNameAndId &name)>
                   f,
               bool inlined = false,
               const poplar::DebugContext &debugContext = {});

  /// Adds a call. Created arguments may be invalid tensors, and become valid.
  void operator()(std::vector<poplar::Tensor> &args,
                  poplar::program::Sequence &prog,
                  const poplar::DebugContext &debugContext = {});

private:
  poplar::Graph *graph;
  Signature sig;
  std::function<void(std::vector<poplar::Tensor> &, poplar::program::Sequence &,
                     const poplar::DebugNameAndId &)>
      f;
  bool inlined;
  /// The body's own tensors.
  std::vector<poplar::Tensor> params;
  poplar::Function function;
};

/// A function whose body is a program.
class ProgramFunction {
public:
  ProgramFunction(
      poplar::Graph &graph, Signature sig,
      std::function<poplar::program::Program(std::vector<poplar::Tensor> &args)>
          f,
      bool inlined = false, const poplar::DebugContext &debugContext = {});
  ProgramFunction(poplar::Graph &graph, Signature sig,
                  std::function<poplar::program::Program(
                      std::vector<poplar::Tensor> &args,
                      const poplar::DebugNameAndId &name)>
                      f,
                  bool inlined = false,
                  const poplar::DebugContext &debugContext = {});

  poplar::program::Program
  operator()(std::vector<poplar::Tensor> &args,
             const poplar::DebugContext &debugContext = {});

private:
  VoidFunction voidFunc;
};

/// A function that returns a tensor.
class TensorFunction {
public:
  TensorFunction(poplar::Graph &graph, Signature sig,
                 std::function<poplar::Tensor(std::vector<poplar::Tensor> &args,
                                              poplar::program::Sequence &prog)>
                     f,
                 bool inlined = false,
                 const poplar::DebugContext &debugContext = {});
  TensorFunction(
      poplar::Graph &graph, Signature sig,
      std::function<poplar::Tensor(std::vector<poplar::Tensor> &args,
                                   poplar::program::Sequence &prog,
                                   const poplar::DebugNameAndId &name)>
          f,
      bool inlined = false, const poplar::DebugContext &debugContext = {});

  poplar::Tensor operator()(std::vector<poplar::Tensor> &args,
                            poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {});

private:
  VoidFunction voidFunc;
};

} // namespace graphfn
} // namespace poputil

#endif
