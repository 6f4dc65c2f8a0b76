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
  static const int Registered = on_exit(endAtExit, nullptr);
  (void)Registered;
}

void Job::begin(std::span<const Transfer> transfers, bool isSend, int tag,
                std::vector<MPI_Request> &requests) const {
  for (const Transfer &transfer : transfers)
    for (std::size_t at = 0; at < transfer.bytes.size(); at += MostBytes) {
      const auto part = transfer.bytes.subspan(
          at, std::min(MostBytes, transfer.bytes.size() - at));
      const int bytes = static_cast<int>(part.size());
      const int process = static_cast<int>(transfer.process);
      MPI_Request &request = requests.emplace_back();
      if (isSend)
        MPI_Isend(part.data(), bytes, MPI_BYTE, process, tag, communicator,
                  &request);
      else
        MPI_Irecv(part.data(), bytes, MPI_BYTE, process, tag, communicator,
                  &request);
    }
}

void Job::transfer(std::span<const Transfer> sends,
                   std::span<const Transfer> receives, int tag) {
  std::vector<MPI_Request> requests;
  begin(receives, false, tag, requests);
  begin(sends, true, tag, requests);
  wait(requests, receives);
}

/// A process that has ended sends nothing any more. Messages of one process do
/// not overtake each other, so its last one is seen when all before it have
/// been matched.
void Job::checkEnded(std::span<const Transfer> receives,
                     std::span<const MPI_Request> requests) const {
  for (const Transfer &transfer : receives) {
    int hasEnded = 0, isDone = 0;
    MPI_Iprobe(static_cast<int>(transfer.process), EndTag, communicator,
               &hasEnded, MPI_STATUS_IGNORE);
    if (!hasEnded)
      continue;
    for (const MPI_Request &request : requests.first(receives.size())) {
      MPI_Request_get_status(request, &isDone, MPI_STATUS_IGNORE);
      if (!isDone && &request - requests.data() == &transfer - receives.data())
        throw RunError(instance(transfer.process) +
                       " has ended, and this one waits for it; all instances "
                       "have to run the same programs and collectives");
    }
  }
}

void Job::wait(std::vector<MPI_Request> &requests,
               std::span<const Transfer> receives) {
  std::vector<MPI_Status> statuses(requests.size());
  int isDone = 0;
  for (unsigned looks = 0; !isDone; ++looks) {
    const int error = MPI_Testall(static_cast<int>(requests.size()),
                                  requests.data(), &isDone, statuses.data());
    if (error != MPI_SUCCESS)
      throw RunError("the instances of the job disagree about the next "
                     "transfer; all have to run the same programs and "
                     "collectives");
    if (isDone)
      break;
    if (looks % 64 == 63 && receives.size() <= requests.size())
      checkEnded(receives, requests);
    sleepFor(looks);
  }
  for (std::size_t i = 0; i != std::min(receives.size(), requests.size());
       ++i) {
    int bytes = 0;
    MPI_Get_count(&statuses[i], MPI_BYTE, &bytes);
    if (receives[i].bytes.size() <= MostBytes &&
        static_cast<std::size_t>(bytes) != receives[i].bytes.size())
      throw RunError("the instances of the job disagree about the next "
                     "transfer: " +
                     instance(receives[i].process) + " sends " +
                     std::to_string(bytes) + " bytes, and " +
                     std::to_string(receives[i].bytes.size()) +
                     " were expected");
  }
}

void Job::end() {
  std::byte none{}, nothing[1] = {};
  std::vector<Transfer> sends, receives;
  for (unsigned process = 0; process != count; ++process)
    if (process != rank) {
      sends.push_back({process, {&none, 1}});
      receives.push_back({process, nothing});
    }
  std::vector<MPI_Request> requests;
  std::vector<std::byte> ends(count);
  for (Transfer &receive : receives)
    receive.bytes = {&ends[receive.process], 1};
  begin(receives, false, EndTag, requests);
  begin(sends, true, EndTag, requests);
  wait(requests, {});
  MPI_Comm_free(&communicator);
  if (isOwner)
    MPI_Finalize();
  const std::lock_guard lock(jobMutex);
  job.reset();
}

} // namespace populus::distribution
