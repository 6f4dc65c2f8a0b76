// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launcher reads four pipes: the two of the job, into which the instances
// of this machine write whole lines, and the output and errors of mpirun. Lines
// that say how an instance ended are its own. After the first failure mpirun
// ends the others; if it takes too long, the launcher ends mpirun.

#include "Launch.h"

#include "Instance.h"
#include "MpiCommand.h"
#include "Words.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace populus::poprun {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t caught = 0;

void catchSignal(int signal) { caught = signal; }

/// The full path of a program, or of what the name means in PATH; empty if
/// there is none.
fs::path findProgram(const std::string &name) {
  if (name.find('/') != std::string::npos)
    return fs::exists(name) ? fs::path(name) : fs::path();
  const char *text = std::getenv("PATH");
  std::string path = text ? text : "/usr/bin:/bin";
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const fs::path file = fs::path(path.substr(begin, end - begin)) / name;
    if (fs::is_regular_file(file) && access(file.c_str(), X_OK) == 0)
      return file;
    begin = end + 1;
  }
  return {};
}

/// The folder of a job, with its pipes; it is removed at the end.
class JobFolder {
public:
  JobFolder() {
    std::string name = (fs::temp_directory_path() / "poprun-XXXXXX").string();
    if (!mkdtemp(name.data()))
      throw UsageError("cannot make a folder in " +
                       fs::temp_directory_path().string());
    folder = name;
  }
  ~JobFolder() {
    std::error_code error;
    fs::remove_all(folder, error);
  }
  JobFolder(const JobFolder &) = delete;
  JobFolder &operator=(const JobFolder &) = delete;

  /// Also open for writing, so that it does not end when an instance does.
  int pipe(const char *name) const {
    const fs::path path = folder / name;
    if (mkfifo(path.c_str(), 0600) != 0)
      throw UsageError("cannot make the pipe " + path.string());
    return open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  }
  std::string path() const { return folder.string(); }

private:
  fs::path folder;
};

struct Failure {
  unsigned instance = 0;
  int status = 0; // of the job
  std::string text;
};

/// Copies one pipe, without the lines for the launcher.
struct Channel {
  int from, to;
  std::string rest = {};
};

class Job {
public:
  explicit Job(const Options &options) : options(options) {}

  int run();

private:
  void start(const std::vector<std::string> &command,
             const std::map<std::string, std::string> &environment);
  void copy(Channel &channel);
  bool read(Channel &channel);
  void noteEnd(const std::string &text);
  void watch();
  void signalJob(int signal) const {
    if (!hasEnded)
      kill(-mpirun, signal);
  }
  int result() const;

  const Options &options;
  const JobFolder folder;
  pid_t mpirun = 0;
  std::vector<Channel> channels;
  std::optional<Failure> first;
  std::optional<Clock::time_point> endBegan; // of the job
  bool isAsked = false;                      // to end
  bool hasEnded = false;
  int status = 0; // of mpirun
};

void Job::start(const std::vector<std::string> &command,
                const std::map<std::string, std::string> &environment) {
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
    throw UsageError("cannot make a pipe");
  const pid_t self = getpid();
  mpirun = fork();
  if (mpirun < 0)
    throw UsageError("cannot start a process");
  if (mpirun == 0) {
    setpgid(0, 0); // the launcher passes Ctrl-C on
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != self)
      _exit(1);
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    for (const auto &[name, value] : environment)
      setenv(name.c_str(), value.c_str(), 1);
    std::vector<char *> arguments;
    for (const std::string &word : command)
      arguments.push_back(const_cast<char *>(word.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  setpgid(mpirun, mpirun);
  close(out[1]);
  close(err[1]);
  for (int file : {out[0], err[0]})
    fcntl(file, F_SETFL, O_NONBLOCK);
  channels.push_back({out[0], STDOUT_FILENO});
  channels.push_back({err[0], STDERR_FILENO});
}

/// Returns false at the end, or when nothing is there.
bool Job::read(Channel &channel) {
  std::array<char, 1 << 16> buffer;
  const ssize_t count = ::read(channel.from, buffer.data(), buffer.size());
  if (count <= 0) {
    if (count == 0) {
      close(channel.from);
      channel.from = -1;
    }
    return false;
  }
  channel.rest.append(buffer.data(), static_cast<std::size_t>(count));
  copy(channel);
  return true;
}

void Job::copy(Channel &channel) {
  std::string &rest = channel.rest;
  const std::string mark = EndMark;
  // mpirun may put a tag in front of a line.
  for (std::size_t at; (at = rest.find(mark)) != std::string::npos;) {
    const std::size_t end = rest.find('\n', at);
    const std::size_t begin = rest.rfind('\n', at);
    const std::size_t line = begin == std::string::npos ? 0 : begin + 1;
    writeAll(channel.to, rest.substr(0, line));
    rest.erase(0, line);
    if (end == std::string::npos)
      return; // the rest comes later
    noteEnd(rest.substr(at - line + mark.size(), end - at - mark.size()));
    rest.erase(0, end + 1 - line);
  }
  if (rest.find('\x1e') != std::string::npos)
    return; // a part of the mark
  writeAll(channel.to, rest);
  rest.clear();
}

void Job::noteEnd(const std::string &text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || first || endBegan)
    return;
  const int signal = json.value("signal", 0);
  const int code = json.value("status", 0);
  if (signal == 0 && code == 0)
    return;
  Failure failure;
  failure.instance = json.value("instance", 0U);
  failure.status = signal != 0 ? 128 + signal : code;
  failure.text = "instance " + std::to_string(failure.instance) + " on " +
                 json.value("host", "?");
  failure.text += signal != 0
                      ? " was killed by signal " + std::to_string(signal) +
                            " (" + strsignal(signal) + ")"
                      : " ended with exit status " + std::to_string(code);
  const std::string errors = json.value("errors", "");
  if (!errors.empty())
    failure.text += "; its last errors:\n" + errors;
  first = failure;
  endBegan = Clock::now(); // mpirun ends the others
}

/// Ends the job where it does not end by itself. After a failure mpirun has 5
/// seconds to end the others; then, or after Ctrl-C, it is asked, and killed 3
/// seconds later. It is not asked twice, because it crashes then.
void Job::watch() {
  constexpr auto Patience = std::chrono::seconds(3);
  if (caught != 0 && !isAsked)
    endBegan = Clock::now();
  if (!endBegan)
    return;
  const auto since = Clock::now() - *endBegan;
  if (!isAsked && (caught != 0 || since > std::chrono::seconds(5))) {
    isAsked = true;
    endBegan = Clock::now();
    signalJob(SIGTERM);
  } else if (isAsked && since > Patience) {
    signalJob(SIGKILL);
  }
}

int Job::result() const {
  if (first)
    return first->status;
  if (caught != 0)
    return 128 + caught;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int Job::run() {
  std::map<std::string, std::string> environment = environmentOf(options);
  if (!formatsOutput(options)) {
    environment[JobFolderVariable] = folder.path();
    channels.push_back({folder.pipe(OutputPipe), STDOUT_FILENO});
    channels.push_back({folder.pipe(ErrorPipe), STDERR_FILENO});
  }
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  const std::vector<std::string> command =
      mpiCommand(options, self, environment);
  if (options.verbosity >= 2) {
    for (const auto &[name, value] : environment)
      std::cerr << "poprun: " << name << "=" << value << '\n';
    std::cerr << "poprun: " << quoted(command) << '\n';
  }
  signal(SIGPIPE, SIG_IGN);
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    std::signal(signal, catchSignal);
  start(command, environment);
  for (;;) {
    std::vector<pollfd> files;
    for (const Channel &channel : channels)
      files.push_back({channel.from, POLLIN, 0});
    poll(files.data(), files.size(), hasEnded ? 0 : 50);
    bool hasRead = false;
    for (Channel &channel : channels)
      if (channel.from >= 0)
        hasRead |= read(channel);
    if (hasEnded && !hasRead)
      break;
    if (!hasEnded)
      hasEnded = waitpid(mpirun, &status, WNOHANG) == mpirun;
    watch();
  }
  for (Channel &channel : channels)
    writeAll(channel.to, channel.rest);
  if (first)
    std::cerr << "poprun: error: " << first->text
              << (first->text.ends_with('\n') ? "" : "\n");
  else if (caught != 0)
    std::cerr << "poprun: error: stopped by signal " << caught << " ("
              << strsignal(caught) << ")\n";
  else if (const int code = result(); code != 0)
    std::cerr << "poprun: error: mpirun ended with exit status " << code
              << (options.verbosity == 0 ? "; -v shows what it says" : "")
              << "\n";
  return result();
}

void checkRoot(const Options &options) {
  const auto isAllowed = [](const std::vector<std::string> &arguments) {
    for (const std::string &word : arguments)
      if (word == "--allow-run-as-root" || word == "-allow-run-as-root")
        return true;
    return false;
  };
  if (geteuid() != 0 || isAllowed(options.globalArguments) ||
      (std::getenv("OMPI_ALLOW_RUN_AS_ROOT") &&
       std::getenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")))
    return;
  throw UsageError("mpirun does not run as root unless "
                   "--mpi-global-args=--allow-run-as-root allows it");
}

} // namespace

int launch(const Options &options) {
  if (findProgram("mpirun").empty())
    throw UsageError("there is no mpirun in PATH; install Open MPI "
                     "(openmpi-bin)");
  checkRoot(options);
  const std::string &program = options.program.front();
  if (options.hosts.empty() && findProgram(program).empty()) {
    std::cerr << "poprun: error: cannot run '" << program
              << "': No such file or directory\n";
    return 127;
  }
  return Job(options).run();
}

} // namespace populus::poprun
