// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See OverlappedLoop.h.

#include "lib/PopART/Lowering/OverlappedLoop.h"

namespace populus::popir {

using poplar::program::Call;
using poplar::program::Repeat;
using poplar::program::Sequence;

Sequence repeated(unsigned count, const Sequence &body) {
  if (count == 1)
    return body;
  Sequence result;
  if (count != 0)
    result.add(Repeat(count, body));
  return result;
}

Sequence MicroBatch::inOrder() const {
  Sequence all;
  for (const Sequence &part : {fetch, take, compute, give, send})
    all.add(part);
  return all;
}

namespace {

/// The compute part is a function, which first, middle and last iterations
/// share.
class Loop {
public:
  Loop(poplar::Graph &graph, const MicroBatch &parts, unsigned microBatches,
       const Sequence &update)
      : parts(parts), compute(graph.addFunction(parts.compute)),
        microBatches(microBatches), update(update) {}

  Sequence run(unsigned batches) const {
    Sequence program;
    program.add(parts.fetch);
    program.add(parts.take);
    program.add(batch(true, batches == 1));
    if (batches == 1)
      return program;
    program.add(repeated(batches - 2, batch(false, false)));
    program.add(batch(false, true));
    return program;
  }

private:
  Sequence batch(bool isFirst, bool isLast) const {
    Sequence program;
    unsigned left = microBatches;
    if (isFirst) {
      program.add(iteration(true, isLast && left == 1));
      --left;
    }
    const bool ends = isLast && left != 0;
    program.add(repeated(left - (ends ? 1 : 0), iteration(false, false)));
    if (ends)
      program.add(iteration(false, true));
    program.add(update);
    return program;
  }

  /// The transfers come first: the host runs the steps in their order.
  Sequence iteration(bool isFirst, bool isLast) const {
    Sequence program;
    if (!isFirst)
      program.add(parts.send);
    if (!isLast)
      program.add(parts.fetch);
    program.add(Call(compute, {"microBatch"}));
    program.add(parts.give);
    program.add(isLast ? parts.send : parts.take);
    return program;
  }

  const MicroBatch &parts;
  poplar::Function compute;
  unsigned microBatches;
  const Sequence &update;
};

} // namespace

Sequence overlappedLoop(poplar::Graph &graph, const MicroBatch &one,
                        unsigned batches, unsigned microBatches,
                        const Sequence &update) {
  return Loop(graph, one, microBatches, update).run(batches);
}

} // namespace populus::popir
