// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The innermost check of each thread.

#include "lib/PopART/Support/Interruption.h"

#include <utility>

namespace populus::popir {

static thread_local Interruptible *current = nullptr;

Interruptible::Interruptible(std::function<void()> check)
    : check(std::move(check)), outer(std::exchange(current, this)) {}

Interruptible::~Interruptible() { current = outer; }

void askForInterruption() {
  if (current && current->check)
    current->check();
}

} // namespace populus::popir
