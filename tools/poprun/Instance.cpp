// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of instances on this machine go directly to the launcher, through pipes
// that all share: a write of up to PIPE_BUF bytes is not torn. mpirun, which
// passes on what it has read so far, would mix parts of lines. On other
// machines there are no such pipes, and lines go through mpirun.

#include "Instance.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace populus::poprun {

namespace {

unsigned numberOf(const char *variable, unsigned usual) {
  const char *text = std::getenv(variable);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : usual;
}

/// The variables that differ by instance.
void setEnvironment(unsigned index) {
  const unsigned replicas = numberOf("POPDIST_NUM_LOCAL_REPLICAS", 1);
  const auto set = [](const char *name, unsigned value) {
    setenv(name, std::to_string(value).c_str(), 1);
  };
  set("POPDIST_INSTANCE_INDEX", index);
  set("POPDIST_LOCAL_INSTANCE_INDEX",
      numberOf("OMPI_COMM_WORLD_LOCAL_RANK", 0));
  set("POPDIST_REPLICA_INDEX_OFFSET", index * replicas);
}

/// Passes on the output of the child, in whole lines.
class Lines {
public:
  Lines(int from, int to, bool isHidden)
      : from(from), to(to), isHidden(isHidden) {}

  int file() const { return from; }
  bool isOpen() const { return from >= 0; }

  /// Reads what is there.
  void read() {
    std::array<char, 1 << 16> buffer;
    const ssize_t count = ::read(from, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR)
      return;
    if (count <= 0)
      return end();
    rest.append(buffer.data(), static_cast<std::size_t>(count));
    for (std::size_t at; (at = rest.find('\n')) != std::string::npos;) {
      pass(rest.substr(0, at + 1));
      rest.erase(0, at + 1);
    }
    // A prompt, or a bar of progress, need not wait for its end.
    if (rest.size() >= PIPE_BUF || rest.find('\r') != std::string::npos) {
      pass(rest);
      rest.clear();
    }
  }

  void end() {
    if (from < 0)
      return;
    if (!rest.empty())
      pass(rest);
    rest.clear();
    close(from);
    from = -1;
  }

  std::string last() const {
    std::string text;
    for (const std::string &line : lastLines)
      text += line;
    return text;
  }

private:
  void pass(const std::string &line) {
    constexpr std::size_t MostLines = 12;
    lastLines.push_back(line);
    if (lastLines.size() > MostLines)
      lastLines.pop_front();
    if (!isHidden)
      writeAll(to, line);
  }

  int from, to;
  bool isHidden;
  std::string rest;
  std::deque<std::string> lastLines;
};

/// The launcher's pipe, or the file that mpirun reads.
int destination(const char *pipe, int usual) {
  const char *folder = std::getenv(JobFolderVariable);
  if (!folder)
    return usual;
  const int file = open((std::string(folder) + "/" + pipe).c_str(),
                        O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return usual;
  fcntl(file, F_SETFL, 0); // blocks from now on
  return file;
}

volatile std::sig_atomic_t child = 0;

void passSignal(int signal) {
  if (child > 0)
    kill(static_cast<pid_t>(child), signal);
}

[[noreturn]] void runProgram(const std::vector<std::string> &program,
                             pid_t parent, int out, int err) {
  // So that nothing is left if the parent is killed.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  unsetenv(JobFolderVariable);
  std::vector<char *> arguments;
  for (const std::string &word : program)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int problem = errno;
  writeAll(STDERR_FILENO, "poprun: error: cannot run '" + program[0] +
                              "': " + std::strerror(problem) + "\n");
  _exit(problem == ENOENT ? 127 : 126);
}

/// Tells the launcher how the program ended.
void report(int file, unsigned index, int status, const std::string &errors) {
  std::array<char, 256> host = {};
  gethostname(host.data(), host.size() - 1);
  nlohmann::json json = {{"instance", index}, {"host", host.data()}};
  if (WIFSIGNALED(status))
    json["signal"] = WTERMSIG(status);
  else
    json["status"] = WEXITSTATUS(status);
  constexpr std::size_t MostBytes = 2000; // so that the line is not torn
  json["errors"] = errors.size() <= MostBytes
                       ? errors
                       : errors.substr(errors.size() - MostBytes);
  writeAll(file, EndMark +
                     json.dump(-1, ' ', true,
                               nlohmann::json::error_handler_t::replace) +
                     "\n");
}

} // namespace

bool writeAll(int file, const std::string &text) {
  for (std::size_t at = 0; at != text.size();) {
    const ssize_t count = write(file, text.data() + at, text.size() - at);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return false;
    at += static_cast<std::size_t>(count);
  }
  return true;
}

int runInstance(const std::vector<std::string> &program) {
  prctl(PR_SET_PDEATHSIG, SIGTERM); // mpirun, or its daemon, is gone
  signal(SIGPIPE, SIG_IGN);
  const unsigned index = numberOf("OMPI_COMM_WORLD_RANK", 0);
  setEnvironment(index);
  const unsigned shown = numberOf("POPRUN_ONLY_OUTPUT_FROM", index);
  const int output = destination(OutputPipe, STDOUT_FILENO);
  const int errors = destination(ErrorPipe, STDERR_FILENO);

  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) {
    writeAll(STDERR_FILENO, "poprun: error: cannot make a pipe\n");
    return 1;
  }
  const pid_t self = getpid();
  const pid_t started = fork();
  if (started < 0) {
    writeAll(STDERR_FILENO, "poprun: error: cannot start a process\n");
    return 1;
  }
  if (started == 0)
    runProgram(program, self, out[1], err[1]);
  child = started;
  for (int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2})
    std::signal(signal, passSignal);
  close(out[1]);
  close(err[1]);

  Lines lines[] = {{out[0], output, shown != index},
                   {err[0], errors, shown != index}};
  int status = 0;
  bool hasEnded = false;
  // Processes that the program has started may keep the pipes open: they do not
  // matter once it has ended and nothing comes any more.
  while (!hasEnded || lines[0].isOpen() || lines[1].isOpen()) {
    pollfd files[] = {{lines[0].file(), POLLIN, 0},
                      {lines[1].file(), POLLIN, 0}};
    const int ready = poll(files, 2, hasEnded ? 100 : 20);
    for (int i = 0; i != 2; ++i)
      if (ready > 0 && files[i].revents != 0)
        lines[i].read();
    if (ready == 0 && hasEnded)
      break;
    if (!hasEnded)
      hasEnded = waitpid(started, &status, WNOHANG) == started;
  }
  for (Lines &stream : lines)
    stream.end();
  report(errors, index, status, shown != index ? lines[1].last() : "");
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace populus::poprun
