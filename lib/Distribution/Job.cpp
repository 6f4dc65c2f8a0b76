// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Distribution/Job.h"

#include "runtime/Session/Session.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>

namespace populus::distribution {

using runtime::RunError;

namespace {

/// The last message of a process. Others have the tags from 1 on.
constexpr int EndTag = 0;

/// MPI counts in int.
constexpr std::size_t MostBytes = 1 << 30;

std::unique_ptr<Job> job;
std::mutex jobMutex;

std::string instance(unsigned index) {
  return "instance " + std::to_string(index);
}

/// A process that fails must not wait for the others: mpirun ends them.
void endAtExit(int status, void *) {
  if (Job *current = Job::current(); current && status == 0)
    try {
      current->end();
    } catch (const std::exception &) {
      _exit(1);
    }
}

void sleepFor(unsigned looks) {
  constexpr unsigned Spins = 20, Longest = 200; // microseconds
  if (looks < Spins)
    return std::this_thread::yield();
  std::this_thread::sleep_for(
      std::chrono::microseconds(std::min(looks - Spins + 1, Longest)));
}

} // namespace

Job &Job::get() {
  const std::lock_guard lock(jobMutex);
  if (!job)
    job.reset(new Job);
  return *job;
}

Job *Job::current() { return job.get(); }

Job::Job() {
  int isOn = 0, isOver = 0, level = 0;
  MPI_Initialized(&isOn);
  MPI_Finalized(&isOver);
  if (isOver)
    throw RunError("MPI has been finalised already");
  if (!isOn) {
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level) !=
        MPI_SUCCESS)
      throw RunError("MPI cannot be initialised");
    isOwner = true;
  }
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_SERIALIZED)
    throw RunError("MPI was initialised for one thread only; initialise it "
                   "with MPI_THREAD_MULTIPLE");
  MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
  MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
  int number = 0;
  MPI_Comm_rank(communicator, &number);
  rank = static_cast<unsigned>(number);
  MPI_Comm_size(communicator, &number);
  count = static_cast<unsigned>(number);
  if (!isOwner) {
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalizing, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, this);
  }
  static const int Registered = on_exit(endAtExit, nullptr);
  (void)Registered;
}

namespace {

/// Calls use(part) for each part of messages that MPI can count.
template <typename Function>
void forEachPart(std::span<const Transfer> transfers, Function use) {
  for (const Transfer &transfer : transfers)
    for (std::size_t at = 0; at < transfer.bytes.size(); at += MostBytes)
      use(Transfer{transfer.process,
                   transfer.bytes.subspan(
                       at, std::min(MostBytes, transfer.bytes.size() - at))});
}

} // namespace

void Job::receive(std::span<const Transfer> transfers, int tag,
                  Messages &messages) const {
  forEachPart(transfers, [&](const Transfer &part) {
    messages.parts.push_back(part);
    MPI_Irecv(part.bytes.data(), static_cast<int>(part.bytes.size()), MPI_BYTE,
              static_cast<int>(part.process), tag, communicator,
              &messages.requests.emplace_back());
  });
}

void Job::send(std::span<const Transfer> transfers, int tag,
               Messages &messages) const {
  forEachPart(transfers, [&](const Transfer &part) {
    messages.parts.push_back(part);
    MPI_Isend(part.bytes.data(), static_cast<int>(part.bytes.size()), MPI_BYTE,
              static_cast<int>(part.process), tag, communicator,
              &messages.requests.emplace_back());
  });
}

void Job::transfer(std::span<const Transfer> sends,
                   std::span<const Transfer> receives, int tag) {
  Messages messages;
  receive(receives, tag, messages);
  const std::size_t numReceives = messages.parts.size();
  send(sends, tag, messages);
  wait(messages, numReceives);
}

/// A process that has ended sends nothing any more. Messages of one process do
/// not overtake each other, so its last one is seen when all before it have
/// been matched.
void Job::checkEnded(const Messages &messages, std::size_t numReceives) const {
  for (std::size_t i = 0; i != numReceives; ++i) {
    const unsigned process = messages.parts[i].process;
    int hasEnded = 0, isDone = 0;
    MPI_Iprobe(static_cast<int>(process), EndTag, communicator, &hasEnded,
               MPI_STATUS_IGNORE);
    if (!hasEnded)
      continue;
    MPI_Request_get_status(messages.requests[i], &isDone, MPI_STATUS_IGNORE);
    if (!isDone)
      throw RunError(instance(process) +
                     " has ended, and this one waits for it; all instances "
                     "have to run the same programs and collectives");
  }
}

void Job::wait(Messages &messages, std::size_t numReceives) const {
  std::vector<MPI_Status> statuses(messages.requests.size());
  int isDone = 0;
  for (unsigned looks = 0; !isDone; ++looks) {
    if (MPI_Testall(static_cast<int>(statuses.size()), messages.requests.data(),
                    &isDone, statuses.data()) != MPI_SUCCESS)
      throw RunError("the instances of the job disagree about the next "
                     "transfer; all have to run the same programs and "
                     "collectives");
    if (isDone)
      break;
    if (looks % 64 == 63)
      checkEnded(messages, numReceives);
    sleepFor(looks);
  }
  for (std::size_t i = 0; i != numReceives; ++i) {
    const Transfer &part = messages.parts[i];
    int bytes = 0;
    MPI_Get_count(&statuses[i], MPI_BYTE, &bytes);
    if (static_cast<std::size_t>(bytes) != part.bytes.size())
      throw RunError("the instances of the job disagree about the next "
                     "transfer: " +
                     instance(part.process) + " sends " +
                     std::to_string(bytes) + " bytes, and " +
                     std::to_string(part.bytes.size()) + " were expected");
  }
}

void Job::sayEnd(Messages &messages) const {
  static std::byte mark{};
  std::vector<Transfer> sends;
  for (unsigned process = 0; process != count; ++process)
    if (process != rank)
      sends.push_back({process, {&mark, 1}});
  send(sends, EndTag, messages);
}

/// The program finalises MPI itself, perhaps after a failure: the others hear
/// of it, and are not waited for.
int Job::finalizing(MPI_Comm, int, void *, void *) {
  if (job) {
    Messages messages;
    job->sayEnd(messages);
    for (MPI_Request &request : messages.requests)
      MPI_Request_free(&request);
    job.reset();
  }
  return MPI_SUCCESS;
}

void Job::end() {
  std::vector<std::byte> marks(count);
  std::vector<Transfer> receives;
  for (unsigned process = 0; process != count; ++process)
    if (process != rank)
      receives.push_back({process, {&marks[process], 1}});
  Messages messages;
  receive(receives, EndTag, messages);
  sayEnd(messages);
  wait(messages, 0);
  MPI_Comm_free(&communicator);
  const bool finalizes = isOwner;
  {
    const std::lock_guard lock(jobMutex);
    job.reset();
  }
  if (finalizes)
    MPI_Finalize();
}

} // namespace populus::distribution
