// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of long work before it is done: whoever starts it has a function that
// throws when the user has had enough, and the work asks now and then. The
// function is one of the thread, so that nobody on the way has to pass it on.

#ifndef POPULUS_LIB_POPART_SUPPORT_INTERRUPTION_H
#define POPULUS_LIB_POPART_SUPPORT_INTERRUPTION_H

#include <functional>

namespace populus::popir {

/// While it lives, the work of this thread asks `check`, which may be empty.
class Interruptible {
public:
  explicit Interruptible(std::function<void()> check);
  ~Interruptible();
  Interruptible(const Interruptible &) = delete;
  Interruptible &operator=(const Interruptible &) = delete;

private:
  std::function<void()> check;
  Interruptible *outer;
  friend void askForInterruption();
};

/// Throws what the check throws.
void askForInterruption();

} // namespace populus::popir

#endif
