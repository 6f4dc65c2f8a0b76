// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Applies nonlinear functions to tensors. Softmax works along the innermost
// dimension. All its forms subtract the largest element of each row first,
// which costs little and prevents overflow.

#ifndef POPULUS_POPNN_NONLINEARITY_HPP
#define POPULUS_POPNN_NONLINEARITY_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <popnn/NonLinearityDefUtil.hpp>

namespace popnn {

poplar::Tensor nonLinearity(poplar::Graph &graph, NonLinearityType type,
                            const poplar::Tensor &t,
                            poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {});
void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType type,
                         const poplar::Tensor &t,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {});

/// By vertices of a compute set; not for softmax, which takes several.
void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType type,
                         const poplar::Tensor &t, poplar::ComputeSet &cs,
                         const poplar::DebugContext &debugContext = {});

/// \p nonLinearityScaling is set to the factor by which the results are
/// multiplied (1 for all but SOFTMAX_SCALED).
poplar::Tensor nonLinearity(poplar::Graph &graph, NonLinearityType type,
                            const poplar::Tensor &t, float &nonLinearityScaling,
                            poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {});
void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType type,
                         const poplar::Tensor &t, float &nonLinearityScaling,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {});

/// By vertices of a compute set: the factor is 1.
inline void nonLinearityInPlace(poplar::Graph &graph, NonLinearityType type,
                                const poplar::Tensor &t,
                                float &nonLinearityScaling,
                                poplar::ComputeSet &cs,
                                const poplar::DebugContext &debugContext = {}) {
  nonLinearityScaling = 1;
  nonLinearityInPlace(graph, type, t, cs, debugContext);
}

/// Returns the gradient of the input. \p act is the result of the function, but
/// its input for GELU, GELU_ERF and SWISH.
poplar::Tensor nonLinearityInputGradient(
    poplar::Graph &graph, NonLinearityType type, const poplar::Tensor &act,
    const poplar::Tensor &outGradient, poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {});

/// By vertices of a compute set; not for softmax, which takes several.
poplar::Tensor nonLinearityInputGradient(
    poplar::Graph &graph, NonLinearityType type, const poplar::Tensor &act,
    const poplar::Tensor &outGradient, poplar::ComputeSet &cs,
    const poplar::DebugContext &debugContext = {});

#define POPULUS_DEFINE_NONLINEARITY(NAME, TYPE)                                \
  inline poplar::Tensor NAME(poplar::Graph &graph, const poplar::Tensor &A,    \
                             poplar::program::Sequence &prog,                  \
                             const poplar::DebugContext &debugContext = {}) {  \
    return nonLinearity(graph, NonLinearityType::TYPE, A, prog, debugContext); \
  }                                                                            \
  inline void NAME##InPlace(poplar::Graph &graph, const poplar::Tensor &A,     \
                            poplar::program::Sequence &prog,                   \
                            const poplar::DebugContext &debugContext = {}) {   \
    nonLinearityInPlace(graph, NonLinearityType::TYPE, A, prog, debugContext); \
  }                                                                            \
  inline poplar::Tensor NAME(poplar::Graph &graph, const poplar::Tensor &A,    \
                             float &nonLinearityScaling,                       \
                             poplar::program::Sequence &prog,                  \
                             const poplar::DebugContext &debugContext = {}) {  \
    return nonLinearity(graph, NonLinearityType::TYPE, A, nonLinearityScaling, \
                        prog, debugContext);                                   \
  }                                                                            \
  inline void NAME##InPlace(poplar::Graph &graph, const poplar::Tensor &A,     \
                            float &nonLinearityScaling,                        \
                            poplar::program::Sequence &prog,                   \
                            const poplar::DebugContext &debugContext = {}) {   \
    nonLinearityInPlace(graph, NonLinearityType::TYPE, A, nonLinearityScaling, \
                        prog, debugContext);                                   \
  }

POPULUS_DEFINE_NONLINEARITY(sigmoid, SIGMOID)
POPULUS_DEFINE_NONLINEARITY(hardSigmoid, HARD_SIGMOID)
POPULUS_DEFINE_NONLINEARITY(relu, RELU)
POPULUS_DEFINE_NONLINEARITY(tanh, TANH)
POPULUS_DEFINE_NONLINEARITY(gelu, GELU)
POPULUS_DEFINE_NONLINEARITY(geluErf, GELU_ERF)
POPULUS_DEFINE_NONLINEARITY(swish, SWISH)
POPULUS_DEFINE_NONLINEARITY(softmax, SOFTMAX)
POPULUS_DEFINE_NONLINEARITY(softmaxStable, SOFTMAX_STABLE)

#undef POPULUS_DEFINE_NONLINEARITY

inline poplar::Tensor
scaledSoftmaxStable(poplar::Graph &graph, const poplar::Tensor &A,
                    float &nonLinearityScaling, poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {}) {
  return nonLinearity(graph, NonLinearityType::SOFTMAX_SCALED, A,
                      nonLinearityScaling, prog, debugContext);
}
inline void
scaledSoftmaxStableInPlace(poplar::Graph &graph, const poplar::Tensor &A,
                           float &nonLinearityScaling,
                           poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {}) {
  nonLinearityInPlace(graph, NonLinearityType::SOFTMAX_SCALED, A,
                      nonLinearityScaling, prog, debugContext);
}

} // namespace popnn

#endif
