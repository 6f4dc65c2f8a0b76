// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables in the host's memory (Variable::remoteRows). A variable of one row
// is a remote buffer, and memory on the tiles that holds its contents only
// while operators use it: it is loaded before the first of a group of users
// that follow each other closely, and stored after the last of them if one has
// changed it. In between the tiles' memory is free for other tensors, by
// Poplar's analysis of liveness. Example with groups G1 and G2:
//
//   load w | MatMul(x, w)  Add ... | 30 operators | load w | MatMul(dy, w)
//          |<------- G1 -------->|                |        |<---- G2 ----->
//
// A load precedes what other IPUs compute until then, because it takes place at
// the same time.
//
// On the way the elements may pass the I/O tiles (Variable::viaIoTiles), which
// load the next variable while the other tiles compute. A variable that is kept
// on the I/O tiles is treated the same, without the buffer.
//
// A variable of several rows has no memory on the tiles: RemoteLoad and
// RemoteStore move a row each. The handle of the buffer is weightHandle().

#ifndef POPULUS_LIB_POPART_LOWERING_OFFCHIP_H
#define POPULUS_LIB_POPART_LOWERING_OFFCHIP_H

#include "lib/PopART/IR/Module.h"

#include <unordered_map>
#include <vector>

namespace populus::popir {

class Lowering;

/// The graphs that operators call: those that are no program of the module.
std::vector<const Graph *> calledGraphs(const Module &module);

/// Throws an Error if a graph that is called uses a variable that is loaded
/// and stored around its users.
void checkOffChip(const Module &module);

/// The transfers around the operators of one graph.
class OffChipTransfers {
public:
  explicit OffChipTransfers(const Graph &graph);

  void load(const Op &next, Lowering &lowering) const;
  void store(const Op &last, Lowering &lowering) const;

private:
  struct User {
    const Op *op = nullptr;
    std::size_t position = 0;
    bool writes = false;
  };
  static const Op &firstOf(const Op &user, const Op *last);
  static bool isSameGroup(const User &user, const User &next);
  void addGroups(const Value &variable, const std::vector<User> &users);

  std::unordered_map<const Op *, std::vector<const Value *>> loads, stores;
};

} // namespace populus::popir

#endif
