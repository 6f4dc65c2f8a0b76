// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a program on both sides of a check: nodes of the graph, steps of the
// tiles. Control flow is walked in lockstep; between branches each side has its
// own order.

#ifndef POPULUS_LIB_POPLAR_VERIFY_PROGRAMCHECK_H
#define POPULUS_LIB_POPLAR_VERIFY_PROGRAMCHECK_H

#include "lib/Poplar/Verify/ChangedPlaces.h"

#include <poplar/ArrayRef.hpp>
#include <poplar/Program.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace poplar::core {

/// Thrown if a program is too long to be checked with all calls inlined.
class ProgramTooLong {};

class ProgramCheck {
public:
  ProgramCheck(const GraphImpl &graph, ArrayRef<program::Program> programs,
               const populus::runtime::Executable &exe,
               const LoweringRecord &record);

  /// Throws VerifyError, or ProgramTooLong.
  void run();

private:
  /// A node of a sequence, or one of its replicas.
  struct Item {
    const ProgramNode *node;
    std::uint32_t replica;
  };
  void flatten(const ProgramNode &node, std::vector<Item> &items);
  void flatten(std::uint32_t step, std::vector<std::uint32_t> &steps);

  /// Walks a straight-line part on both sides.
  void walk(const ProgramNode &node, std::uint32_t step);
  void walkControl(const Item &item, std::uint32_t step);
  void walkBranches(const ProgramNode &node,
                    const populus::runtime::Step &step);
  void walkRepeat(const ProgramNode &node, const populus::runtime::Step &step);
  void walkRepeatWhile(const ProgramNode &node,
                       const populus::runtime::Step &step);
  void copyInGraph(const ProgramNode &node);
  void exchange(const populus::runtime::Step &step);
  void undefine(const ProgramNode &node);
  void requireSame(bool same, const ProgramNode &node,
                   const populus::runtime::Step &step) const;

  // Tensors of a node and of its step.
  std::vector<VariableBytes> placesOf(const ProgramNode &node,
                                      const Tensor &tensor,
                                      std::uint32_t replicas) const;
  void checkRead(const std::vector<VariableBytes> &places, std::uint32_t tensor,
                 const std::string &by);
  void write(const std::vector<VariableBytes> &places, std::uint32_t tensor,
             const std::string &by);
  std::vector<TagRun> runsOf(const std::vector<VariableBytes> &places) const;
  std::vector<populus::runtime::Segment> segmentsOf(std::uint32_t tensor) const;

  // Loops.
  /// An assumption: at the start of each round, an address holds these bytes of
  /// a variable.
  struct Held {
    std::uint32_t variable;
    std::uint64_t begin, bytes;
    std::uint32_t tile, address;
  };
  struct Loop {
    ChangedPlaces changed;
    std::vector<Held> held;
    /// By variable, the bytes whose assumption turned out to be wrong.
    std::map<std::uint32_t, TagMap> notHeld;
    bool isRight = true;
  };
  /// Walks the body until all assumptions hold, and leaves its final memory.
  /// \p body has to call endRound() at the end of a round.
  void walkLoop(ChangedPlaces changed, const std::function<void(Loop &)> &body);
  void beginRound(Loop &loop);
  void holdHome(Loop &loop, std::uint32_t variable, const HomeBytes &home,
                std::uint64_t begin, std::uint64_t end,
                std::vector<Held> &others);
  void endRound(Loop &loop);

  // All programs.
  void loadData();
  void writeFromHost();
  void checkHostReads(const std::string &when);
  void walkPrograms();

  const GraphImpl &graph;
  ArrayRef<program::Program> programs;
  const populus::runtime::Executable &exe;
  const LoweringRecord &record;
  const GraphPlaces places;
  TagTable tags;
  TagState state;
  ComputeSetCheck sets;
  std::uint32_t loops = 0;
  std::uint64_t walked = 0;
};

} // namespace poplar::core

#endif
