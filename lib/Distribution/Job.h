// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The MPI job that this process belongs to: beginning, waiting, ending. MPI may
// have been initialised by the program (mpi4py does); who initialises it also
// finalises it.
//
// Open MPI waits by spinning, which takes whole cores from processes that
// compute. Here a wait sleeps between its looks, for a microsecond at first and
// at most a fifth of a millisecond.

#ifndef POPULUS_LIB_DISTRIBUTION_JOB_H
#define POPULUS_LIB_DISTRIBUTION_JOB_H

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

namespace populus::distribution {

/// Messages from and to one process.
struct Transfer {
  unsigned process;
  std::span<std::byte> bytes;
};

class Job {
public:
  /// Begins on the first call. Throws RunError where MPI cannot begin.
  static Job &get();
  /// Null before the first call of get(), and after end().
  static Job *current();

  unsigned index() const { return rank; }
  unsigned size() const { return count; }

  /// Sends and receives at once, and waits. Messages between two processes that
  /// have the same tag arrive in order. Throws RunError where a process has
  /// ended, or sends fewer or more bytes than it should.
  void transfer(std::span<const Transfer> sends,
                std::span<const Transfer> receives, int tag);

  /// Tells the others that this process needs them no longer, waits until they
  /// do the same, and finalises MPI if it was initialised here.
  void end();

private:
  /// Messages on their way. Large ones are several.
  struct Messages {
    std::vector<Transfer> parts;
    std::vector<MPI_Request> requests;
  };

  Job();
  void receive(std::span<const Transfer> transfers, int tag,
               Messages &messages) const;
  void send(std::span<const Transfer> transfers, int tag,
            Messages &messages) const;
  void wait(Messages &messages, std::size_t numReceives) const;
  void checkEnded(const Messages &messages, std::size_t numReceives) const;
  void sayEnd(Messages &messages) const;
  static int finalizing(MPI_Comm, int, void *, void *);

  MPI_Comm communicator = MPI_COMM_NULL;
  unsigned rank = 0, count = 1;
  bool isOwner = false; // of MPI
};

} // namespace populus::distribution

#endif
