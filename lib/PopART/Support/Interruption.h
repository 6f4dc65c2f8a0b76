// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interruption of long work. The caller installs a function that throws when
// the user interrupts, and the work polls it. The function is thread-local, so
// that it need not be passed down.

#ifndef POPULUS_LIB_POPART_SUPPORT_INTERRUPTION_H
#define POPULUS_LIB_POPART_SUPPORT_INTERRUPTION_H

#include <functional>

namespace populus::popir {

/// During its lifetime, work of this thread polls `check`, which may be empty.
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

/// Polls the check; its exceptions propagate.
void askForInterruption();

} // namespace populus::popir

#endif
