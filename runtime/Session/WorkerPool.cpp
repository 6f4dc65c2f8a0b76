// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool: threads wait for a new generation of work, then take chunks of it
// from a shared counter. The caller works, too.

#include "runtime/Session/WorkerPool.h"

#include <algorithm>
#include <system_error>

namespace populus::runtime {

unsigned WorkerPool::wantedThreads(unsigned threads) {
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  return std::min(threads, MostThreads);
}

WorkerPool::WorkerPool(unsigned threads) {
  const unsigned wanted = wantedThreads(threads);
  workers.reserve(wanted - 1);
  try {
    for (unsigned thread = 1; thread != wanted; ++thread)
      workers.emplace_back([this, thread] { serve(thread); });
  } catch (const std::system_error &) {
    // Those that have started do.
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
    chunk = std::clamp<std::size_t>(count / (size() * 8), 1, 16);
    next = 0;
    busy = static_cast<unsigned>(workers.size());
    ++generation;
  }
  started.notify_all();
  takeChunks(0);
  std::unique_lock lock(mutex);
  finished.wait(lock, [this] { return busy == 0; });
  current = nullptr;
}

void WorkerPool::serve(unsigned thread) {
  unsigned long seen = 0;
  for (;;) {
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
  for (;;) {
    const std::size_t first = next.fetch_add(chunk);
    if (first >= total)
      return;
    (*current)(first, std::min(first + chunk, total), thread);
  }
}

} // namespace populus::runtime
