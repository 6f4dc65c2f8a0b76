// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface in C: handles around executables and sessions, exceptions
// turned into statuses and a text for each thread.

#include "runtime/Format/Ipux.h"
#include "runtime/Session/FaultReport.h"
#include "runtime/Session/Session.h"
#include "runtime/Session/WorkerPool.h"

#include <populus/runtime.h>

#include <new>

using namespace populus::runtime;

struct populus_program {
  VerifiedExecutable executable;
  /// Shapes of streams that are just a number of elements.
  std::vector<std::vector<std::uint64_t>> shapes;
};

struct populus_session {
  std::unique_ptr<Session> session;
  std::string text;
};

namespace {

thread_local std::string lastError;
thread_local std::string lastFault;

class ArgumentError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

populus_status failed(populus_status status, const char *message) {
  lastError = message;
  return status;
}

/// Runs what may throw.
template <typename Work> populus_status guarded(Work work) {
  try {
    work();
    return POPULUS_OK;
  } catch (const FormatError &error) {
    return failed(POPULUS_BAD_FILE, error.what());
  } catch (const ArgumentError &error) {
    return failed(POPULUS_BAD_ARGUMENT, error.what());
  } catch (const FaultError &error) {
    lastFault = error.report().json();
    return failed(POPULUS_RUN_FAILED, error.what());
  } catch (const std::bad_alloc &) {
    return failed(POPULUS_OUT_OF_MEMORY, "out of host memory");
  } catch (const std::exception &error) {
    return failed(POPULUS_RUN_FAILED, error.what());
  }
}

void require(bool condition, const char *message) {
  if (!condition)
    throw ArgumentError(message);
}

/// Returns the answer of `ask` about an object; 0 or null if it cannot be
/// asked.
template <typename Object, typename Ask>
auto answer(Object *object, Ask ask) -> decltype(ask(*object)) {
  decltype(ask(*object)) result = {};
  guarded([&] {
    require(object, "a pointer is null");
    result = ask(*object);
  });
  return result;
}

populus_program *makeProgram(VerifiedExecutable executable, unsigned flags) {
  require((flags & ~unsigned{POPULUS_ALLOW_NATIVE}) == 0,
          "flags: expected 0 or POPULUS_ALLOW_NATIVE");
  require(executable->device == DeviceKind::Ipu ||
              (flags & POPULUS_ALLOW_NATIVE),
          "the program holds host code; pass POPULUS_ALLOW_NATIVE if you trust "
          "it");
  auto program = std::make_unique<populus_program>(
      populus_program{std::move(executable), {}});
  for (const Stream &stream : program->executable->streams)
    program->shapes.push_back(
        stream.shape.empty() && stream.numElements != 1
            ? std::vector<std::uint64_t>{stream.numElements}
            : stream.shape);
  return program.release();
}

SessionOptions optionsOf(const populus_options *given) {
  SessionOptions options;
  if (!given)
    return options;
  require(given->threads <= WorkerPool::MostThreads,
          "threads: expected at most 1024");
  options.threads = given->threads;
  options.maxCycles = given->max_cycles;
  if (given->engine) {
    options.engine = engineNamed(given->engine);
    require(options.engine.has_value(),
            "engine: expected auto, interpreter or translated");
  }
  if (given->checks) {
    const auto checks = CheckOptions::parse(given->checks);
    require(checks.has_value(), "checks: expected a list of bounds, uninit, "
                                "races, alignment, deadstores, or all");
    options.watch.checks = *checks;
  }
  return options;
}

} // namespace

const char *populus_error() { return lastError.c_str(); }
const char *populus_fault_json() { return lastFault.c_str(); }

populus_program *populus_load(const char *path, unsigned flags) {
  populus_program *program = nullptr;
  guarded([&] {
    require(path, "path is null");
    program = makeProgram(readExecutable(path), flags);
  });
  return program;
}

populus_program *populus_load_bytes(const void *bytes, size_t size,
                                    unsigned flags) {
  populus_program *program = nullptr;
  guarded([&] {
    require(bytes || size == 0, "bytes is null");
    program = makeProgram(
        parseExecutable({static_cast<const std::uint8_t *>(bytes), size},
                        "the executable"),
        flags);
  });
  return program;
}

void populus_unload(populus_program *program) { delete program; }

const char *populus_target(const populus_program *program) {
  return answer(program, [](const populus_program &of) {
    return of.executable->target.c_str();
  });
}
uint32_t populus_num_tiles(const populus_program *program) {
  return answer(program, [](const populus_program &of) {
    return of.executable->numTiles();
  });
}
uint32_t populus_num_programs(const populus_program *program) {
  return answer(program, [](const populus_program &of) {
    return static_cast<uint32_t>(of.executable->programs.size());
  });
}
uint32_t populus_num_streams(const populus_program *program) {
  return answer(program, [](const populus_program &of) {
    return static_cast<uint32_t>(of.executable->streams.size());
  });
}

populus_status populus_get_stream(const populus_program *program,
                                  uint32_t index, populus_stream *to) {
  return guarded([&] {
    require(program && to, "a pointer is null");
    require(index < program->executable->streams.size(),
            "there is no stream of that index");
    const Stream &stream = program->executable->streams[index];
    to->name = stream.handle.c_str();
    to->is_input = stream.direction == StreamDirection::HostToDevice;
    // Names of types are literals.
    to->type = name(stream.type).data();
    to->element_bytes = sizeOf(stream.type);
    to->shape = program->shapes[index].data();
    to->num_dimensions = program->shapes[index].size();
    to->bytes = stream.numElements * sizeOf(stream.type);
  });
}

populus_session *populus_open(const populus_program *program,
                              const populus_options *options) {
  auto session =
      std::unique_ptr<populus_session>(new (std::nothrow) populus_session());
  const populus_status status = guarded([&] {
    if (!session)
      throw std::bad_alloc();
    require(program, "program is null");
    session->session = Session::create(program->executable, optionsOf(options));
  });
  return status == POPULUS_OK ? session.release() : nullptr;
}

void populus_close(populus_session *session) { delete session; }

populus_status populus_connect(populus_session *session, uint32_t stream,
                               populus_transfer function, void *user) {
  return guarded([&] {
    require(session && function, "a pointer is null");
    require(stream < session->session->executable().streams.size(),
            "there is no stream of that index");
    session->session->connectStream(
        stream, [function, user](void *buffer, std::size_t bytes) {
          function(user, buffer, bytes);
        });
  });
}

populus_status populus_run(populus_session *session, uint32_t program) {
  lastFault.clear();
  return guarded([&] {
    require(session, "session is null");
    require(program < session->session->executable().programs.size(),
            "there is no program of that index");
    session->session->run(program);
  });
}

populus_status populus_get_stats(const populus_session *session,
                                 populus_stats *to) {
  return guarded([&] {
    require(session && to, "a pointer is null");
    const RunStats stats = session->session->stats();
    *to = {stats.cycles.total,   stats.cycles.compute, stats.cycles.exchange,
           stats.cycles.sync,    stats.cycles.host,    stats.bundles,
           stats.secondsAtClock, stats.hostSeconds,    stats.tileBalance};
  });
}

size_t populus_num_findings(const populus_session *session) {
  return answer(session, [](const populus_session &of) {
    return of.session->findings().size();
  });
}

const char *populus_finding_json(populus_session *session, size_t index) {
  return answer(session, [index](populus_session &of) {
    const std::vector<Finding> &findings = of.session->findings();
    require(index < findings.size(), "there is no finding of that index");
    of.text = findings[index].json();
    return of.text.c_str();
  });
}
