// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Terms that a replica has received from the members of its group, and their
// combination. Terms that are combined with each other lie one behind the other
// on each tile, so that every level of the tree is one long operation there:
//
//    on a tile   |term 0|term 2|term 1|term 3|
//    first       |------+------|             left half += right half
//    then        |------|                    0+1 += 2+3

#ifndef POPULUS_LIB_POPLIBS_POPOPS_MOVEMENT_MEMBERTERMS_H
#define POPULUS_LIB_POPLIBS_POPOPS_MOVEMENT_MEMBERTERMS_H

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/Expr.hpp>
#include <popops/Operation.hpp>

#include <cstddef>
#include <vector>

namespace popops {

/// The operation that combines two terms. Throws for an operation that replicas
/// do not have.
expr::BinaryOpType combinationOf(Operation op);

/// Returns a variable of \p count rows of \p elements elements each. They are
/// spread evenly over all tiles of the IPUs that \p like lies on, and rows are
/// on the same tiles.
std::vector<poplar::Tensor> spreadRows(poplar::Graph &graph,
                                       const poplar::Tensor &like,
                                       std::size_t count, std::size_t elements,
                                       const poplar::DebugContext &dc);

class MemberTerms {
public:
  /// Terms of \p elements elements, spread evenly over the tiles of the IPUs
  /// that \p like lies on.
  static MemberTerms spread(poplar::Graph &graph, const poplar::Tensor &like,
                            unsigned members, std::size_t elements,
                            const poplar::DebugContext &dc);
  /// Terms like \p data, on its tiles.
  static MemberTerms like(poplar::Graph &graph, const poplar::Tensor &data,
                          unsigned members, const poplar::DebugContext &dc);

  /// The term of a member, flat.
  const poplar::Tensor &of(unsigned member) const {
    return rows[placeOf[member]];
  }

  /// Combines all terms into \p result. Terms are lost.
  void combine(poplar::Graph &graph, Operation op, const poplar::Tensor &result,
               poplar::program::Sequence &prog,
               const poplar::DebugContext &dc) const;

private:
  MemberTerms(std::vector<poplar::Tensor> rows, std::vector<unsigned> placeOf)
      : rows(std::move(rows)), placeOf(std::move(placeOf)) {}

  std::vector<poplar::Tensor> rows; // in the order in which they lie on tiles
  std::vector<unsigned> placeOf;    // by member
};

} // namespace popops

#endif
