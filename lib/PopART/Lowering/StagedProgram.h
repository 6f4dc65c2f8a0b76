// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The software pipeline of a graph whose operators have stages. In cycle c,
// stage s works on micro-batch c - s, so all stages work at a time, on IPUs of
// their own. Three stages and four micro-batches:
//
//   cycle     0    1    2    3    4    5
//   stage 0   m0   m1   m2   m3
//   stage 1        m0   m1   m2   m3
//   stage 2             m0   m1   m2   m3
//             fill      steady    flush
//
// The backward pass has stages of its own: a model of n stages trains in
// 2n - 1, and stage 2n - 2 - s is on the IPU of stage s. The steady cycles are
// a loop. Each stage is a function, which all cycles call, so the pipeline has
// the code of the model once, and calls.
//
// A cycle has two parts. First run the copies between IPUs that read what the
// stage before has computed in the last cycle, then the stages, the last one
// first. IPUs have clocks of their own (docs/machine.md), so a cycle takes the
// time of its slowest IPU.
//
// A value that is read d > 1 cycles after it was computed, or on the same IPU,
// is stashed: the stage that computes it stores it in one of d slots at its
// end, and the stage that reads it copies the slot back (Restore). Both count
// micro-batches modulo d on their IPU, and a Switch selects the slot, so a
// stashed value keeps its layout. Slots are always live. As the reader runs
// before the writer in a cycle, d slots are enough.
//
// Placement::stage is where the schedule is recorded. OrderStages sorts the
// operators by it, and StashStages inserts the Restores; a program without a
// pipeline can run the result, too. Each stage visits the micro-batches in
// order, so sums over them have the same bits as without a pipeline.

#ifndef POPULUS_LIB_POPART_LOWERING_STAGEDPROGRAM_H
#define POPULUS_LIB_POPART_LOWERING_STAGEDPROGRAM_H

#include "lib/PopART/Lowering/Lowering.h"

#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace populus::popir {

/// The slots of stashed values.
class Stashes {
public:
  /// Lets `copy` be the value of the micro-batch that the stage of `op` works
  /// on; `value` is computed in an earlier stage.
  void restore(const Op &op, poplar::Graph &graph, const poplar::Tensor &value,
               const poplar::Tensor &copy, poplar::program::Sequence &program);
  /// Adds the end of a stage: stores what later stages restore, and counts.
  void finish(std::int64_t stage, poplar::program::Sequence &program);

private:
  struct Stash {
    poplar::Tensor value;
    std::vector<poplar::Tensor> slots;
  };
  /// A stage and a depth.
  using Key = std::pair<std::int64_t, std::int64_t>;
  struct Counter {
    poplar::Tensor slot;
    poplar::Graph *graph = nullptr;
  };

  const poplar::Tensor &counter(Key key, poplar::Graph &graph);
  void
  addAtSlot(Key key, poplar::Graph &graph, poplar::program::Sequence &program,
            const std::function<poplar::program::Program(std::size_t)> &at);

  /// By the stage that stores.
  std::map<Key, std::vector<Stash>> stashes;
  std::map<Key, Counter> counters;
};

class StagedProgram {
public:
  /// Lowers the operators of a graph, which are sorted by their stages.
  StagedProgram(const Graph &ir, Lowering &lowering, SharedLowering &shared);

  /// Adds code at the beginning of the stage that loads an argument, or at the
  /// end of the one that computes a result.
  void addLoad(const Value &argument, const poplar::program::Program &load);
  poplar::program::Sequence &endOf(const Value &result);

  void lowerOps(const std::function<void(const Op &)> &lower);
  /// Runs so many micro-batches. Nothing can be added to stages afterwards.
  poplar::program::Sequence run(unsigned microBatches);

private:
  struct Stage {
    /// Copies from the last cycle, and the stashes that they read.
    std::vector<std::pair<poplar::Tensor, poplar::Tensor>> copies;
    poplar::program::Sequence restores, loads, body;
    poplar::Function copy, compute;
    /// Its own seed of random numbers, which counts its micro-batches.
    poplar::Tensor seed;
    bool isRandom = false;
  };

  static bool isCopyOfLastCycle(const Op &op);
  void beginStage(std::int64_t stage);
  void makeFunctions();
  poplar::program::Sequence copiesOf(std::size_t first, std::size_t last) const;
  poplar::program::Sequence cycle(std::size_t first, std::size_t last) const;
  void seedStages(poplar::program::Sequence &program) const;
  void countMicroBatches(unsigned count, poplar::program::Sequence &program);

  const Graph &ir;
  Lowering &lowering;
  SharedLowering &shared;
  Stashes stashes;
  std::vector<Stage> stages;
  /// The seed of the program; invalid if nothing is random.
  poplar::Tensor seed;
  std::uint32_t randomOpsBefore = 0;
  bool hasFunctions = false;
};

} // namespace populus::popir

#endif
