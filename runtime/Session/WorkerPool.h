// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host threads that share the tiles' work. Which thread does a tile is left to
// chance; nothing that a task computes may depend on it.

#ifndef POPULUS_RUNTIME_SESSION_WORKERPOOL_H
#define POPULUS_RUNTIME_SESSION_WORKERPOOL_H

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace populus::runtime {

class WorkerPool {
public:
  /// More than any machine makes use of.
  static constexpr unsigned MostThreads = 1024;

  /// `threads` of 0: as many as the machine has. There are fewer if the system
  /// gives no more, and at most MostThreads.
  explicit WorkerPool(unsigned threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool &) = delete;
  WorkerPool &operator=(const WorkerPool &) = delete;

  /// Returns the number of threads that a pool tries to have.
  static unsigned wantedThreads(unsigned threads);
  unsigned size() const { return static_cast<unsigned>(workers.size()) + 1; }

  /// Calls task(index, thread) for every index below `count`, with `thread`
  /// below size(), and returns when all are done. Tasks must not throw.
  using Task = std::function<void(std::size_t index, unsigned thread)>;
  void run(std::size_t count, const Task &task);

  /// Calls task(first, last, thread) for ranges, where first is less than last,
  /// so that a task knows the next work of its thread.
  using RangeTask =
      std::function<void(std::size_t first, std::size_t last, unsigned thread)>;
  void runRanges(std::size_t count, const RangeTask &task);

private:
  void serve(unsigned thread);
  void takeChunks(unsigned thread);
  /// Waits a short time for something that another thread is about to do.
  template <typename Done> void spinUntil(Done done) const;

  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable started;
  std::condition_variable finished;
  const RangeTask *current = nullptr; // guarded by mutex
  // Changed with the mutex only.
  std::atomic<unsigned long> generation = 0;
  std::atomic<unsigned> busy = 0;
  std::atomic<bool> stopping = false;
  std::size_t total = 0;
  std::atomic<std::size_t> next = 0;
  bool maySpin = false; // every thread can have a processor of its own
};

} // namespace populus::runtime

#endif
