// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Automatic loss scaling: gradients of float16 should be large, for small ones
// vanish, but not so large that they leave its range. A program counts how many
// elements of the gradients that it tracks are beyond an edge; if they are more
// than a given share of all, the loss is scaled by half as much from then on,
// and else by twice as much. The factor is the variable
// `lossScaleUpdateFactor`, by which the user's own scaling is multiplied;
// gradients are divided by both before they change weights.

#ifndef POPULUS_LIB_POPART_TRAINING_LOSSSCALING_H
#define POPULUS_LIB_POPART_TRAINING_LOSSSCALING_H

#include "lib/PopART/Training/Autodiff.h"

#include <string>
#include <vector>

namespace populus::popir {

struct AutomaticLossScaling {
  /// As a part of the largest number of float16.
  double binEdge = 0.125;
  /// The share of elements beyond the edge that is too large.
  double threshold = 1e-7;
  /// Batches between two changes of the factor, which all count.
  unsigned period = 1;
  enum Tracking {
    /// Gradients of all tensors, but those that are views of other gradients.
    All,
    /// Of what convolutions and matrix products multiply.
    Products,
    /// Of the tensors that are named.
    Named
  } tracking = All;
  std::vector<std::string> names;
};

/// An Error where a number is out of its range.
void check(const AutomaticLossScaling &settings);

/// Adds the counting to `main`, the graph of the gradients, and the change of
/// the factor to `update`, which may be the same graph and runs after it. What
/// reads the factor has to be there already. The scaling does not grow beyond
/// `largest`. The gradients of all replicas count, so that the factor is the
/// same in all. An Error where no gradient of float16 is tracked.
void addAutomaticLossScaling(Graph &main, Graph &update,
                             const GradientMap &gradients, double largest,
                             const AutomaticLossScaling &settings,
                             unsigned replicas = 1);

} // namespace populus::popir

#endif
