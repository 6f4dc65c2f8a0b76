// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Automatic loss scaling. Small float16 gradients underflow and large ones
// overflow, so the loss is scaled to keep them in range. The program counts the
// elements of tracked gradients above an edge. If their share exceeds a
// threshold, the scale is halved; otherwise it is doubled. Example: with an
// edge of 8192 and one element of 10000, the next batch runs at half the scale.
// The factor is variable `lossScaleUpdateFactor`; it multiplies the user's own
// scaling, and gradients are divided by both before they update weights.

#ifndef POPULUS_LIB_POPART_TRAINING_LOSSSCALING_H
#define POPULUS_LIB_POPART_TRAINING_LOSSSCALING_H

#include "lib/PopART/Training/Autodiff.h"

#include <string>
#include <vector>

namespace populus::popir {

struct AutomaticLossScaling {
  /// The edge as a fraction of the largest float16.
  double binEdge = 0.125;
  /// The scale is halved if a larger share of elements is above the edge.
  double threshold = 1e-7;
  /// Batches between two changes of the factor; all of them are counted.
  unsigned period = 1;
  enum Tracking {
    /// Gradients of all tensors, except views of other gradients.
    All,
    /// Gradients of the factors of convolutions and matrix products.
    Products,
    /// Gradients of the tensors in `names`.
    Named
  } tracking = All;
  std::vector<std::string> names;
};

/// Throws an Error if a setting is out of range.
void check(const AutomaticLossScaling &settings);

/// Adds the counting to `main`, the graph of the gradients, and the update of
/// the factor to `update`, which runs after it and may be the same graph. All
/// readers of the factor must exist already. The scaling does not grow beyond
/// `largest`. The gradients of all replicas count, so that all have the same
/// factor. Throws an Error if no gradient of float16 is tracked.
void addAutomaticLossScaling(Graph &main, Graph &update,
                             const GradientMap &gradients, double largest,
                             const AutomaticLossScaling &settings,
                             unsigned replicas = 1);

} // namespace populus::popir

#endif
