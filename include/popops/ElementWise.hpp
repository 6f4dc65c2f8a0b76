// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations: map applies an expression (popops/Expr.hpp) to every
// element of its tensors, which are broadcast to their common shape; the named
// functions below it are map with one operation. Each has three forms: a new
// result, InPlace (the first tensor is overwritten) and WithOutput.
//
// Options, for all: "enableVectorBroadcastOptimisations",
// "enableGenerateCodelet", "forceGenerateCodelet",
// "enableExpressionOptimizations" ("true", "false"). They select optimisations
// and never change which values are computed; the largest parts of a compound
// expression that go into one vertex become one (docs/poplibs.md).

#ifndef POPULUS_POPOPS_ELEMENTWISE_HPP
#define POPULUS_POPOPS_ELEMENTWISE_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popops/Expr.hpp>

#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace popops {

poplar::Tensor map(poplar::Graph &graph, const expr::Expr &expr,
                   const std::vector<poplar::Tensor> &ts,
                   poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});
poplar::Tensor map(poplar::Graph &graph, expr::UnaryOpType op,
                   const poplar::Tensor &t, poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});
poplar::Tensor map(poplar::Graph &graph, expr::BinaryOpType op,
                   const poplar::Tensor &a, const poplar::Tensor &b,
                   poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});
poplar::Tensor map(poplar::Graph &graph, expr::TernaryOpType op,
                   const poplar::Tensor &a, const poplar::Tensor &b,
                   const poplar::Tensor &c, poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});
std::vector<poplar::Tensor> map(poplar::Graph &graph,
                                const std::vector<expr::Any> &exprs,
                                const std::vector<poplar::Tensor> &ts,
                                poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {});

/// Writes the source of the vertex type that `map` would generate for operands
/// of these types and shapes, with its includes. Throws poplibs_error if `map`
/// would generate none and do one operation at a time.
void outputGeneratedCodelet(const poplar::Target &target,
                            const expr::Expr &expr,
                            const std::vector<poplar::Tensor> &ts,
                            const poplar::OptionFlags &options,
                            std::ostream &os);

/// The result overwrites the first tensor.
void mapInPlace(poplar::Graph &graph, const expr::Expr &expr,
                const std::vector<poplar::Tensor> &ts,
                poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext = {},
                const poplar::OptionFlags &options = {});
void mapInPlace(poplar::Graph &graph, expr::UnaryOpType op,
                const poplar::Tensor &t, poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext = {},
                const poplar::OptionFlags &options = {});
void mapInPlace(poplar::Graph &graph, expr::BinaryOpType op,
                const poplar::Tensor &a, const poplar::Tensor &b,
                poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext = {},
                const poplar::OptionFlags &options = {});
void mapInPlace(poplar::Graph &graph, expr::TernaryOpType op,
                const poplar::Tensor &a, const poplar::Tensor &b,
                const poplar::Tensor &c, poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext = {},
                const poplar::OptionFlags &options = {});
/// Result i overwrites tensor i.
void mapInPlace(poplar::Graph &graph, const std::vector<expr::Any> &exprs,
                const std::vector<poplar::Tensor> &ts,
                poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext = {},
                const poplar::OptionFlags &options = {});

/// The result goes to \p out, which has the type and shape of the result.
void mapWithOutput(poplar::Graph &graph, const expr::Expr &expr,
                   const std::vector<poplar::Tensor> &ts,
                   const poplar::Tensor &out, poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});
/// Result i goes to \p outs[i].
void mapWithOutput(poplar::Graph &graph, const std::vector<expr::Any> &exprs,
                   const std::vector<poplar::Tensor> &ts,
                   const std::vector<poplar::Tensor> &outs,
                   poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});
void mapWithOutput(poplar::Graph &graph, expr::UnaryOpType op,
                   const poplar::Tensor &t, const poplar::Tensor &out,
                   poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});
void mapWithOutput(poplar::Graph &graph, expr::BinaryOpType op,
                   const poplar::Tensor &a, const poplar::Tensor &b,
                   const poplar::Tensor &out, poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});
void mapWithOutput(poplar::Graph &graph, expr::TernaryOpType op,
                   const poplar::Tensor &a, const poplar::Tensor &b,
                   const poplar::Tensor &c, const poplar::Tensor &out,
                   poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});

/// Rejects a constant whose type does not match the tensor's: float and double
/// match FLOAT and HALF; any other type matches only itself.
template <class T> inline void checkTypes(poplar::Type elementType, T) {
  if (elementType != poplar::equivalent_device_type<T>().value)
    throw std::runtime_error(
        "popops: a constant of type " +
        std::string(poplar::equivalent_device_type<T>().value.toString()) +
        " does not go with a tensor of type " +
        std::string(elementType.toString()) + "; cast one of them");
}
template <> inline void checkTypes<float>(poplar::Type elementType, float) {
  if (elementType != poplar::FLOAT && elementType != poplar::HALF)
    throw std::runtime_error("popops: a constant of type float does not go "
                             "with a tensor of type " +
                             std::string(elementType.toString()) +
                             "; cast one of them");
}
template <> inline void checkTypes<double>(poplar::Type elementType, double) {
  checkTypes<float>(elementType, 0.0f);
}

#define POPULUS_UNARY_HIDDEN(NAME, OP)
#define POPULUS_UNARY_FORMS(NAME, OP)                                          \
  inline poplar::Tensor NAME(poplar::Graph &graph, const poplar::Tensor &A,    \
                             poplar::program::Sequence &prog,                  \
                             const poplar::DebugContext &debugContext = {},    \
                             const poplar::OptionFlags &options = {}) {        \
    return map(graph, expr::UnaryOpType::OP, A, prog, debugContext, options);  \
  }                                                                            \
  inline void NAME##InPlace(poplar::Graph &graph, const poplar::Tensor &A,     \
                            poplar::program::Sequence &prog,                   \
                            const poplar::DebugContext &debugContext = {},     \
                            const poplar::OptionFlags &options = {}) {         \
    mapInPlace(graph, expr::UnaryOpType::OP, A, prog, debugContext, options);  \
  }                                                                            \
  inline void NAME##WithOutput(poplar::Graph &graph, const poplar::Tensor &A,  \
                               const poplar::Tensor &out,                      \
                               poplar::program::Sequence &prog,                \
                               const poplar::DebugContext &debugContext = {},  \
                               const poplar::OptionFlags &options = {}) {      \
    mapWithOutput(graph, expr::UnaryOpType::OP, A, out, prog, debugContext,    \
                  options);                                                    \
  }

#define UNARY_OP(OP, CLASS, NODE, FUNCTION, NAME, ...)                         \
  POPULUS_UNARY_##FUNCTION(NAME, OP)
#include <popops/UnaryOps.def>
#undef POPULUS_UNARY_FORMS
#undef POPULUS_UNARY_HIDDEN

inline poplar::Tensor isFinite(poplar::Graph &graph, const poplar::Tensor &A,
                               poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext = {},
                               const poplar::OptionFlags &options = {}) {
  return map(graph, expr::UnaryOpType::IS_FINITE, A, prog, debugContext,
             options);
}
inline void isFiniteWithOutput(poplar::Graph &graph, const poplar::Tensor &A,
                               const poplar::Tensor &out,
                               poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext = {},
                               const poplar::OptionFlags &options = {}) {
  mapWithOutput(graph, expr::UnaryOpType::IS_FINITE, A, out, prog, debugContext,
                options);
}

#define BINARY_OP(OP, CLASS, NAME, ...)                                        \
  inline poplar::Tensor NAME(poplar::Graph &graph, const poplar::Tensor &A,    \
                             const poplar::Tensor &B,                          \
                             poplar::program::Sequence &prog,                  \
                             const poplar::DebugContext &debugContext = {},    \
                             const poplar::OptionFlags &options = {}) {        \
    return map(graph, expr::BinaryOpType::OP, A, B, prog, debugContext,        \
               options);                                                       \
  }                                                                            \
  template <class T,                                                           \
            class =                                                            \
                typename std::enable_if<std::is_arithmetic<T>::value>::type>   \
  inline poplar::Tensor NAME(poplar::Graph &graph, const poplar::Tensor &A,    \
                             T B, poplar::program::Sequence &prog,             \
                             const poplar::DebugContext &debugContext = {},    \
                             const poplar::OptionFlags &options = {}) {        \
    checkTypes(A.elementType(), B);                                            \
    return map(graph, expr::CLASS(expr::_1, expr::Const(B)), {A}, prog,        \
               debugContext, options);                                         \
  }                                                                            \
  template <class T,                                                           \
            class =                                                            \
                typename std::enable_if<std::is_arithmetic<T>::value>::type>   \
  inline poplar::Tensor NAME(poplar::Graph &graph, T A,                        \
                             const poplar::Tensor &B,                          \
                             poplar::program::Sequence &prog,                  \
                             const poplar::DebugContext &debugContext = {},    \
                             const poplar::OptionFlags &options = {}) {        \
    checkTypes(B.elementType(), A);                                            \
    return map(graph, expr::CLASS(expr::Const(A), expr::_1), {B}, prog,        \
               debugContext, options);                                         \
  }                                                                            \
  inline void NAME##InPlace(poplar::Graph &graph, const poplar::Tensor &A,     \
                            const poplar::Tensor &B,                           \
                            poplar::program::Sequence &prog,                   \
                            const poplar::DebugContext &debugContext = {},     \
                            const poplar::OptionFlags &options = {}) {         \
    mapInPlace(graph, expr::BinaryOpType::OP, A, B, prog, debugContext,        \
               options);                                                       \
  }                                                                            \
  template <class T,                                                           \
            class =                                                            \
                typename std::enable_if<std::is_arithmetic<T>::value>::type>   \
  inline void NAME##InPlace(poplar::Graph &graph, const poplar::Tensor &A,     \
                            T B, poplar::program::Sequence &prog,              \
                            const poplar::DebugContext &debugContext = {},     \
                            const poplar::OptionFlags &options = {}) {         \
    checkTypes(A.elementType(), B);                                            \
    mapInPlace(graph, expr::CLASS(expr::_1, expr::Const(B)), {A}, prog,        \
               debugContext, options);                                         \
  }                                                                            \
  inline void NAME##WithOutput(                                                \
      poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,  \
      const poplar::Tensor &out, poplar::program::Sequence &prog,              \
      const poplar::DebugContext &debugContext = {},                           \
      const poplar::OptionFlags &options = {}) {                               \
    mapWithOutput(graph, expr::BinaryOpType::OP, A, B, out, prog,              \
                  debugContext, options);                                      \
  }                                                                            \
  template <class T,                                                           \
            class =                                                            \
                typename std::enable_if<std::is_arithmetic<T>::value>::type>   \
  inline void NAME##WithOutput(poplar::Graph &graph, const poplar::Tensor &A,  \
                               T B, const poplar::Tensor &out,                 \
                               poplar::program::Sequence &prog,                \
                               const poplar::DebugContext &debugContext = {},  \
                               const poplar::OptionFlags &options = {}) {      \
    checkTypes(A.elementType(), B);                                            \
    mapWithOutput(graph, expr::CLASS(expr::_1, expr::Const(B)), {A}, out,      \
                  prog, debugContext, options);                                \
  }                                                                            \
  template <class T,                                                           \
            class =                                                            \
                typename std::enable_if<std::is_arithmetic<T>::value>::type>   \
  inline void NAME##WithOutput(                                                \
      poplar::Graph &graph, T A, const poplar::Tensor &B,                      \
      const poplar::Tensor &out, poplar::program::Sequence &prog,              \
      const poplar::DebugContext &debugContext = {},                           \
      const poplar::OptionFlags &options = {}) {                               \
    checkTypes(B.elementType(), A);                                            \
    mapWithOutput(graph, expr::CLASS(expr::Const(A), expr::_1), {B}, out,      \
                  prog, debugContext, options);                                \
  }
#include <popops/BinaryOps.def>

#define POPULUS_DEFINE_TERNARY(NAME, OP)                                       \
  inline poplar::Tensor NAME(poplar::Graph &graph, const poplar::Tensor &A,    \
                             const poplar::Tensor &B, const poplar::Tensor &C, \
                             poplar::program::Sequence &prog,                  \
                             const poplar::DebugContext &debugContext = {},    \
                             const poplar::OptionFlags &options = {}) {        \
    return map(graph, expr::TernaryOpType::OP, A, B, C, prog, debugContext,    \
               options);                                                       \
  }                                                                            \
  inline void NAME##InPlace(poplar::Graph &graph, const poplar::Tensor &A,     \
                            const poplar::Tensor &B, const poplar::Tensor &C,  \
                            poplar::program::Sequence &prog,                   \
                            const poplar::DebugContext &debugContext = {},     \
                            const poplar::OptionFlags &options = {}) {         \
    mapInPlace(graph, expr::TernaryOpType::OP, A, B, C, prog, debugContext,    \
               options);                                                       \
  }                                                                            \
  inline void NAME##WithOutput(                                                \
      poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,  \
      const poplar::Tensor &C, const poplar::Tensor &out,                      \
      poplar::program::Sequence &prog,                                         \
      const poplar::DebugContext &debugContext = {},                           \
      const poplar::OptionFlags &options = {}) {                               \
    mapWithOutput(graph, expr::TernaryOpType::OP, A, B, C, out, prog,          \
                  debugContext, options);                                      \
  }

/// clamp(x, low, high).
POPULUS_DEFINE_TERNARY(clamp, CLAMP)
/// select(a, b, predicate): a where the predicate holds, b elsewhere.
POPULUS_DEFINE_TERNARY(select, SELECT)

#undef POPULUS_DEFINE_TERNARY

/// select with constants for a, for b, or for both.
template <class T,
          class = typename std::enable_if<std::is_arithmetic<T>::value>::type>
inline poplar::Tensor select(poplar::Graph &graph, const poplar::Tensor &a, T b,
                             const poplar::Tensor &predicate,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {}) {
  checkTypes(a.elementType(), b);
  return map(graph, expr::Select(expr::_1, expr::Const(b), expr::_2),
             {a, predicate}, prog, debugContext, options);
}
template <class T,
          class = typename std::enable_if<std::is_arithmetic<T>::value>::type>
inline poplar::Tensor select(poplar::Graph &graph, T a, const poplar::Tensor &b,
                             const poplar::Tensor &predicate,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {}) {
  checkTypes(b.elementType(), a);
  return map(graph, expr::Select(expr::Const(a), expr::_1, expr::_2),
             {b, predicate}, prog, debugContext, options);
}
template <class T,
          class = typename std::enable_if<std::is_arithmetic<T>::value>::type>
inline poplar::Tensor select(poplar::Graph &graph, T a, T b,
                             const poplar::Tensor &predicate,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {}) {
  return map(graph, expr::Select(expr::Const(a), expr::Const(b), expr::_1),
             {predicate}, prog, debugContext, options);
}
template <class T,
          class = typename std::enable_if<std::is_arithmetic<T>::value>::type>
inline void selectInPlace(poplar::Graph &graph, const poplar::Tensor &a, T b,
                          const poplar::Tensor &predicate,
                          poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {}) {
  checkTypes(a.elementType(), b);
  mapInPlace(graph, expr::Select(expr::_1, expr::Const(b), expr::_2),
             {a, predicate}, prog, debugContext, options);
}

template <class T,
          class = typename std::enable_if<std::is_arithmetic<T>::value>::type>
inline void selectWithOutput(poplar::Graph &graph, const poplar::Tensor &a, T b,
                             const poplar::Tensor &predicate,
                             const poplar::Tensor &out,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {}) {
  checkTypes(a.elementType(), b);
  mapWithOutput(graph, expr::Select(expr::_1, expr::Const(b), expr::_2),
                {a, predicate}, out, prog, debugContext, options);
}
template <class T,
          class = typename std::enable_if<std::is_arithmetic<T>::value>::type>
inline void selectWithOutput(poplar::Graph &graph, T a, const poplar::Tensor &b,
                             const poplar::Tensor &predicate,
                             const poplar::Tensor &out,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {}) {
  checkTypes(b.elementType(), a);
  mapWithOutput(graph, expr::Select(expr::Const(a), expr::_1, expr::_2),
                {b, predicate}, out, prog, debugContext, options);
}
template <class T,
          class = typename std::enable_if<std::is_arithmetic<T>::value>::type>
inline void selectWithOutput(poplar::Graph &graph, T a, T b,
                             const poplar::Tensor &predicate,
                             const poplar::Tensor &out,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {}) {
  mapWithOutput(graph, expr::Select(expr::Const(a), expr::Const(b), expr::_1),
                {predicate}, out, prog, debugContext, options);
}

/// 1 / sqrt(variance + epsilon), and 1 / deviation^2 - epsilon, with a result
/// of another type, FLOAT or HALF; computed in float if either is.
poplar::Tensor
varianceToInvStdDev(poplar::Graph &graph, const poplar::Tensor &src,
                    const poplar::Tensor &epsilon,
                    poplar::program::Sequence &prog, poplar::Type dstType,
                    const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &options = {});
poplar::Tensor
varianceToInvStdDev(poplar::Graph &graph, const poplar::Tensor &src,
                    float epsilon, poplar::program::Sequence &prog,
                    poplar::Type dstType,
                    const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &options = {});
poplar::Tensor
invStdDevToVariance(poplar::Graph &graph, const poplar::Tensor &src,
                    const poplar::Tensor &epsilon,
                    poplar::program::Sequence &prog, poplar::Type dstType,
                    const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &options = {});
poplar::Tensor
invStdDevToVariance(poplar::Graph &graph, const poplar::Tensor &src,
                    float epsilon, poplar::program::Sequence &prog,
                    poplar::Type dstType,
                    const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &options = {});

} // namespace popops

#endif
