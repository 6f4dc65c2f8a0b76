// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Broadcasting of views to a common shape.

#include <poputil/Broadcast.hpp>

#include <poputil/exceptions.hpp>

#include <algorithm>

using namespace poplar;

namespace poputil {
namespace {

void prependDims(Tensor &t, unsigned rank) {
  if (t.rank() < rank)
    t = t.expand(std::vector<std::size_t>(rank - t.rank(), 0));
}

bool stretches(std::size_t from, std::size_t to) {
  return from == to || from == 1;
}

/// The shape that two shapes have in common, or an error.
std::vector<std::size_t> commonShape(const Tensor &a, const Tensor &b) {
  const unsigned rank = std::max(a.rank(), b.rank());
  std::vector<std::size_t> shape(rank);
  for (unsigned i = 0; i != rank; ++i) {
    const std::size_t x = i < a.rank() ? a.dim(a.rank() - 1 - i) : 1;
    const std::size_t y = i < b.rank() ? b.dim(b.rank() - 1 - i) : 1;
    if (!stretches(x, y) && !stretches(y, x))
      throw poplibs_error("cannot broadcast tensors of shapes " +
                          a.shapeToString() + " and " + b.shapeToString() +
                          " to a common shape");
    shape[rank - 1 - i] = x == 1 ? y : x;
  }
  return shape;
}

} // namespace

void expandToMatchRanks(Tensor &a, Tensor &b) {
  const unsigned rank = std::max(a.rank(), b.rank());
  prependDims(a, rank);
  prependDims(b, rank);
}

void broadcastToMatch(Tensor &a, const std::vector<std::size_t> &shape) {
  const std::string before = a.shapeToString();
  bool possible = a.rank() <= shape.size();
  if (possible) {
    prependDims(a, shape.size());
    for (unsigned i = 0; i != shape.size(); ++i) {
      possible &= stretches(a.dim(i), shape[i]);
      if (possible && a.dim(i) != shape[i])
        a = a.broadcast(shape[i], i);
    }
  }
  if (possible)
    return;
  std::string to;
  for (std::size_t extent : shape) {
    if (!to.empty())
      to += ',';
    to += std::to_string(extent);
  }
  throw poplibs_error("cannot broadcast a tensor of shape " + before + " to {" +
                      to + "}");
}

void broadcastToMatch(Tensor &a, Tensor &b) {
  const auto shape = commonShape(a, b);
  broadcastToMatch(a, shape);
  broadcastToMatch(b, shape);
}

void broadcastToMatch(Tensor &a, Tensor &b, Tensor &c) {
  broadcastToMatch(a, b);
  broadcastToMatch(a, c);
  broadcastToMatch(b, c);
}

bool canBroadcastToMatch(const Tensor &a, const Tensor &b) {
  for (unsigned i = 0; i != std::min(a.rank(), b.rank()); ++i) {
    const std::size_t x = a.dim(a.rank() - 1 - i);
    const std::size_t y = b.dim(b.rank() - 1 - i);
    if (!stretches(x, y) && !stretches(y, x))
      return false;
  }
  return true;
}

} // namespace poputil
