// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of a graph in execution order. It is a linked list, so
// inserting and removing take constant time. Order numbers grow along the list,
// so two operators are compared in constant time. If an insertion finds no
// number between its neighbours, all operators are renumbered.

#ifndef POPULUS_LIB_POPART_IR_OPLIST_H
#define POPULUS_LIB_POPART_IR_OPLIST_H

#include "lib/PopART/IR/Op.h"

#include <iterator>

namespace populus::popir {

class OpList {
public:
  OpList() = default;
  ~OpList();
  OpList(const OpList &) = delete;
  OpList &operator=(const OpList &) = delete;

  /// Stays valid if an operator is removed after the iterator has left it, as
  /// with `Op *op = *it++`.
  class Iterator {
  public:
    using iterator_category = std::bidirectional_iterator_tag;
    using value_type = Op *;
    using difference_type = std::ptrdiff_t;
    using pointer = Op **;
    using reference = Op *;

    Iterator() = default;
    Iterator(const OpList *list, Op *op) : list(list), op(op) {}
    Op *operator*() const { return op; }
    Iterator &operator++() {
      op = OpList::after(*op);
      return *this;
    }
    Iterator operator++(int) {
      Iterator old = *this;
      ++*this;
      return old;
    }
    Iterator &operator--() {
      op = op ? OpList::before(*op) : list->last;
      return *this;
    }
    Iterator operator--(int) {
      Iterator old = *this;
      --*this;
      return old;
    }
    bool operator==(const Iterator &other) const { return op == other.op; }

  private:
    const OpList *list = nullptr;
    Op *op = nullptr;
  };

  Iterator begin() const { return {this, first}; }
  Iterator end() const { return {this, nullptr}; }
  bool empty() const { return !first; }
  std::size_t size() const { return count; }
  Op *front() const { return first; }
  Op *back() const { return last; }

  /// Inserts an operator in front of another one, or at the end.
  Op &insert(std::unique_ptr<Op> op, Op *before);
  std::unique_ptr<Op> remove(Op &op);
  /// Moves an operator in front of another one, or to the end.
  void move(Op &op, Op *before);

  static Op *after(const Op &op) { return op.next; }
  static Op *before(const Op &op) { return op.previous; }
  static bool isBefore(const Op &a, const Op &b) { return a.order < b.order; }

private:
  void link(Op &op, Op *before);
  void unlink(Op &op);
  void number(Op &op);
  void renumber();

  Op *first = nullptr;
  Op *last = nullptr;
  std::size_t count = 0;
};

} // namespace populus::popir

#endif
