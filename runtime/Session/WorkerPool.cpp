// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool: threads wait for a new generation of work, then take chunks of it
// from a shared counter, smaller ones towards the end, so that they are done at
// the same time. The caller works, too. A program has thousands of steps of
// some microseconds, and waking a thread takes as long, so those that wait look
// for a while before they sleep.

#include "runtime/Session/WorkerPool.h"

#include <algorithm>
#include <system_error>

namespace populus::runtime {

namespace {

/// Leaves the processor to others that share it, for a moment.
void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

} // namespace

unsigned WorkerPool::wantedThreads(unsigned threads) {
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  return std::min(threads, MostThreads);
}

WorkerPool::WorkerPool(unsigned threads) {
  const unsigned wanted = wantedThreads(threads);
  maySpin = wanted <= std::thread::hardware_concurrency();
  workers.reserve(wanted - 1);
  try {
    for (unsigned thread = 1; thread != wanted; ++thread)
      workers.emplace_back([this, thread] { serve(thread); });
  } catch (const std::system_error &) {
    // The pool works with the threads that have started.
  }
}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
  }
  started.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void WorkerPool::run(std::size_t count, const Task &task) {
  runRanges(count, [&](std::size_t first, std::size_t last, unsigned thread) {
    for (std::size_t index = first; index != last; ++index)
      task(index, thread);
  });
}

void WorkerPool::runRanges(std::size_t count, const RangeTask &task) {
  // Waking a thread costs more than a few small tasks.
  constexpr std::size_t FewTasks = 2;
  if (workers.empty() || count < FewTasks) {
    if (count != 0)
      task(0, count, 0);
    return;
  }
  {
    std::lock_guard lock(mutex);
    current = &task;
    total = count;
    next = 0;
    busy = static_cast<unsigned>(workers.size());
    ++generation;
  }
  started.notify_all();
  takeChunks(0);
  spinUntil([this] { return busy == 0; });
  std::unique_lock lock(mutex);
  finished.wait(lock, [this] { return busy == 0; });
  current = nullptr;
}

void WorkerPool::serve(unsigned thread) {
  unsigned long seen = 0;
  for (;;) {
    spinUntil([&] { return stopping || generation != seen; });
    {
      std::unique_lock lock(mutex);
      started.wait(lock, [&] { return stopping || generation != seen; });
      if (stopping)
        return;
      seen = generation;
    }
    takeChunks(thread);
    std::lock_guard lock(mutex);
    if (--busy == 0)
      finished.notify_one();
  }
}

void WorkerPool::takeChunks(unsigned thread) {
  constexpr std::size_t Most = 64;
  const std::size_t shares = size() * 4;
  std::size_t first = next;
  while (first < total) {
    const std::size_t chunk =
        std::clamp<std::size_t>((total - first) / shares, 1, Most);
    if (!next.compare_exchange_weak(first, first + chunk))
      continue;
    (*current)(first, first + chunk, thread);
    first = next;
  }
}

template <typename Done> void WorkerPool::spinUntil(Done done) const {
  // Some 20 us, about what sleeping and waking takes.
  constexpr unsigned Looks = 1000;
  if (!maySpin)
    return;
  for (unsigned i = 0; i != Looks && !done(); ++i)
    pause();
}

} // namespace populus::runtime
