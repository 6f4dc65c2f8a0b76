// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other kinds of functions are void functions with a created argument.

#include <poputil/GraphFunction.hpp>

#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;

namespace poputil {
namespace graphfn {
namespace {

bool isRead(ArgType type) { return type == InputArg || type == InOutArg; }
bool isWritten(ArgType type) { return type != InputArg; }

Signature withCreated(Signature sig) {
  sig.push_back(created("result"));
  return sig;
}

} // namespace

VoidFunction::VoidFunction(
    Graph &graph, Signature sig,
    std::function<void(std::vector<Tensor> &, Sequence &)> f, bool inlined,
    const DebugContext &debugContext)
    : VoidFunction(
          graph, std::move(sig),
          [f](std::vector<Tensor> &args, Sequence &prog,
              const DebugNameAndId &) { f(args, prog); },
          inlined, debugContext) {}

VoidFunction::VoidFunction(Graph &graph, Signature sigIn,
                           std::function<void(std::vector<Tensor> &, Sequence &,
                                              const DebugNameAndId &)>
                               fIn,
                           bool inlined, const DebugContext &debugContext)
    : graph(&graph), sig(std::move(sigIn)), f(std::move(fIn)),
      inlined(inlined) {
  if (inlined)
    return;
  for (const ArgSig &arg : sig)
    params.push_back(
        arg.type == CreatedArg
            ? Tensor()
            : graph.clone(arg.similarTensor, {debugContext, arg.debugName}));
  Sequence body({}, debugContext);
  f(params, body, DebugNameAndId(debugContext));
  function = graph.addFunction(body);
}

void VoidFunction::operator()(std::vector<Tensor> &args, Sequence &prog,
                              const DebugContext &debugContext) {
  if (args.size() != sig.size())
    throw poplibs_error(
        "poputil::graphfn: a call with " + std::to_string(args.size()) +
        " arguments of a function with " + std::to_string(sig.size()));
  if (inlined) {
    f(args, prog, DebugNameAndId(debugContext));
    return;
  }
  for (std::size_t i = 0; i != sig.size(); ++i)
    if (isRead(sig[i].type))
      prog.add(Copy(args[i], params[i], false, debugContext));
  prog.add(Call(function, debugContext));
  for (std::size_t i = 0; i != sig.size(); ++i)
    if (isWritten(sig[i].type) && params[i].valid()) {
      if (!args[i].valid())
        args[i] = graph->clone(params[i], {debugContext, sig[i].debugName});
      prog.add(Copy(params[i], args[i], false, debugContext));
    }
}

ProgramFunction::ProgramFunction(
    Graph &graph, Signature sig,
    std::function<Program(std::vector<Tensor> &)> f, bool inlined,
    const DebugContext &debugContext)
    : ProgramFunction(
          graph, std::move(sig),
          [f](std::vector<Tensor> &args, const DebugNameAndId &) {
            return f(args);
          },
          inlined, debugContext) {}

ProgramFunction::ProgramFunction(
    Graph &graph, Signature sig,
    std::function<Program(std::vector<Tensor> &, const DebugNameAndId &)> f,
    bool inlined, const DebugContext &debugContext)
    : voidFunc(
          graph, std::move(sig),
          [f](std::vector<Tensor> &args, Sequence &prog,
              const DebugNameAndId &name) { prog.add(f(args, name)); },
          inlined, debugContext) {}

Program ProgramFunction::operator()(std::vector<Tensor> &args,
                                    const DebugContext &debugContext) {
  Sequence prog({}, debugContext);
  voidFunc(args, prog, debugContext);
  return prog;
}

TensorFunction::TensorFunction(
    Graph &graph, Signature sig,
    std::function<Tensor(std::vector<Tensor> &, Sequence &)> f, bool inlined,
    const DebugContext &debugContext)
    : TensorFunction(
          graph, std::move(sig),
          [f](std::vector<Tensor> &args, Sequence &prog,
              const DebugNameAndId &) { return f(args, prog); },
          inlined, debugContext) {}

TensorFunction::TensorFunction(
    Graph &graph, Signature sig,
    std::function<Tensor(std::vector<Tensor> &, Sequence &,
                         const DebugNameAndId &)>
        f,
    bool inlined, const DebugContext &debugContext)
    : voidFunc(
          graph, withCreated(std::move(sig)),
          [f](std::vector<Tensor> &all, Sequence &prog,
              const DebugNameAndId &name) {
            std::vector<Tensor> args(all.begin(), all.end() - 1);
            all.back() = f(args, prog, name);
            std::copy(args.begin(), args.end(), all.begin());
          },
          inlined, debugContext) {}

Tensor TensorFunction::operator()(std::vector<Tensor> &args, Sequence &prog,
                                  const DebugContext &debugContext) {
  std::vector<Tensor> all = args;
  all.emplace_back();
  voidFunc(all, prog, debugContext);
  std::copy(all.begin(), all.end() - 1, args.begin());
  return all.back();
}

} // namespace graphfn
} // namespace poputil
