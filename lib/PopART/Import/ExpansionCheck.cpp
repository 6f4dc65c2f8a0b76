// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the sizes of functions bottom-up, from those without calls.

#include "lib/PopART/Import/ExpansionCheck.h"

#include "lib/PopART/Support/Error.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace populus::popir {

void failExpansion() {
  failUnsupported("the model has more than {} nodes once its functions are "
                  "replaced and its loops are unrolled",
                  MostExpandedNodes);
}

namespace {

/// The size of a list of nodes after expansion, capped at the limit plus one.
struct Size {
  std::uint64_t nodes = 0;
  unsigned depth = 0;
};

class FunctionSizes {
public:
  explicit FunctionSizes(const onnx::ModelProto &model) {
    for (const onnx::FunctionProto &function : model.functions())
      functions[{function.domain(), function.name()}].proto = &function;
  }

  template <class Nodes> Size sizeOf(const Nodes &nodes) {
    Size size;
    for (const onnx::NodeProto &node : nodes) {
      const auto called = functions.find({node.domain(), node.op_type()});
      add(size,
          called == functions.end() ? Size{1, 0} : sizeOf(called->second));
      for (const onnx::AttributeProto &attribute : node.attribute())
        if (attribute.has_g())
          add(size, sizeOf(attribute.g().node()));
    }
    return size;
  }

private:
  struct Function {
    const onnx::FunctionProto *proto = nullptr;
    bool isOpen = false, isKnown = false;
    Size size;
  };

  static void add(Size &size, const Size &part) {
    size.nodes = std::min(size.nodes + part.nodes, MostExpandedNodes + 1);
    size.depth = std::max(size.depth, part.depth);
  }

  /// A call counts as a node, too, because a function may be empty.
  Size sizeOf(Function &function) {
    if (function.isOpen)
      failInput("function '{}' calls itself", function.proto->name());
    if (!function.isKnown) {
      if (++depth > DeepestBody)
        failDepth(function);
      function.isOpen = true;
      function.size = sizeOf(function.proto->node());
      add(function.size, {1, function.size.depth + 1});
      function.isOpen = false;
      function.isKnown = true;
      --depth;
    }
    if (function.size.depth > DeepestBody)
      failDepth(function);
    return function.size;
  }

  [[noreturn]] static void failDepth(const Function &function) {
    failUnsupported("function '{}' is among functions that call each other {} "
                    "deep, and {} at most are supported",
                    function.proto->name(), DeepestBody + 1, DeepestBody);
  }

  std::map<std::pair<std::string, std::string>, Function> functions;
  unsigned depth = 0;
};

} // namespace

void checkExpansion(const onnx::ModelProto &model) {
  if (model.functions().empty())
    return;
  if (FunctionSizes(model).sizeOf(model.graph().node()).nodes >
      std::max<std::uint64_t>(MostExpandedNodes, model.graph().node_size()))
    failExpansion();
}

} // namespace populus::popir
