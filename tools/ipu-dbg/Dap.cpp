// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests of editors.

#include "Dap.h"
#include "Locations.h"

#include "runtime/Session/FaultReport.h"

#include <unistd.h>

namespace populus::dbg {

const Dap::Request Dap::Table[] = {
    {"initialize", &Dap::initialize},
    {"launch", &Dap::launch},
    {"attach", &Dap::launch},
    {"configurationDone", &Dap::configurationDone},
    {"setBreakpoints", &Dap::setBreakpoints},
    {"setFunctionBreakpoints", &Dap::setFunctionBreakpoints},
    {"setExceptionBreakpoints", &Dap::setExceptionBreakpoints},
    {"threads", &Dap::threads},
    {"stackTrace", &Dap::stackTrace},
    {"scopes", &Dap::scopes},
    {"variables", &Dap::variables},
    {"evaluate", &Dap::evaluateText},
    {"continue", &Dap::go},
    {"next", &Dap::next},
    {"stepIn", &Dap::stepIn},
    {"stepOut", &Dap::stepOut},
    {"stepBack", &Dap::stepBack},
    {"reverseContinue", &Dap::reverseContinue},
    {"pause", &Dap::pause},
    {"restart", &Dap::restart},
    {"disconnect", &Dap::disconnect},
    {"terminate", &Dap::disconnect},
};

Dap::Dap(Debugger &debugger, SourceFiles &sources, int in, std::FILE *out)
    : debugger(debugger), view(debugger), sources(sources),
      connection(in, out, [&debugger](const std::string &command) {
        if (command == "pause" || command == "disconnect" ||
            command == "terminate")
          debugger.interrupt();
      }) {}

Dap::Result Dap::execute(const Json &request) {
  const std::string name = request["command"];
  for (const Request &known : Table)
    if (name == known.name)
      return (this->*known.run)(request,
                                request.value("arguments", Json::object()));
  throw DebugError("ipu-dbg has no request '" + name + "'");
}

Motion Dap::stopped(const Stop &stop) {
  view.reset();
  opened.clear();
  ended = stop.kind == StopKind::End;
  if (isConfigured)
    announce(stop);
  for (;;) {
    const std::optional<Json> request = connection.next();
    if (!request)
      return Motion::Quit;
    try {
      if (const Result motion = execute(*request))
        return *motion;
    } catch (const DebugError &error) {
      connection.refuse(*request, error.what());
    } catch (const Json::exception &error) {
      connection.refuse(*request, error.what());
    }
  }
}

/// Tells the editor about a stop.
void Dap::announce(const Stop &stop) {
  if (ended) {
    connection.event("output",
                     {{"category", "console"}, {"output", stop.text + "\n"}});
    connection.event("terminated");
    return;
  }
  const char *reason = "step";
  switch (stop.kind) {
  case StopKind::Start:
    reason = "entry";
    break;
  case StopKind::Breakpoint:
    reason = "breakpoint";
    break;
  case StopKind::Watchpoint:
    reason = "data breakpoint";
    break;
  case StopKind::NotANumber:
  case StopKind::Fault:
    reason = "exception";
    break;
  case StopKind::Interrupt:
    reason = "pause";
    break;
  default:
    break;
  }
  Json body = {{"reason", reason},
               {"threadId", threadOf(view.contextNumber())},
               {"allThreadsStopped", true},
               {"description", view.place()}};
  if (!stop.text.empty())
    body["text"] = stop.text;
  if (stop.number != 0)
    body["hitBreakpointIds"] = {stop.number};
  connection.event("stopped", std::move(body));
}

// ---- The session ------------------------------------------------------------

Dap::Result Dap::initialize(const Json &request, const Json &) {
  connection.respond(
      request, {{"supportsConfigurationDoneRequest", true},
                {"supportsFunctionBreakpoints", true},
                {"supportsConditionalBreakpoints", true},
                {"supportsStepBack", true},
                {"supportsRestartRequest", true},
                {"supportsTerminateRequest", true},
                {"supportsSteppingGranularity", true},
                {"supportsEvaluateForHovers", true},
                {"exceptionBreakpointFilters",
                 {{{"filter", "nan"}, {"label", "NaN"}, {"default", false}}}}});
  connection.event("initialized");
  return std::nullopt;
}

Dap::Result Dap::launch(const Json &request, const Json &arguments) {
  stopsOnEntry = arguments.value("stopOnEntry", false);
  connection.respond(request);
  return std::nullopt;
}

Dap::Result Dap::configurationDone(const Json &request, const Json &) {
  connection.respond(request);
  isConfigured = true;
  if (!stopsOnEntry)
    return Motion::Continue;
  announce({StopKind::Start, 0, ""});
  return std::nullopt;
}

Dap::Result Dap::disconnect(const Json &request, const Json &) {
  connection.respond(request);
  return Motion::Quit;
}

Dap::Result Dap::restart(const Json &request, const Json &) {
  connection.respond(request);
  return Motion::Restart;
}

// ---- Breakpoints ------------------------------------------------------------

/// Replaces the breakpoints of `numbers` by those of a list.
void Dap::replace(std::vector<unsigned> &numbers, Json list,
                  const Json &request,
                  const std::function<std::string(const Json &)> &place,
                  const std::string &file) {
  for (unsigned number : numbers)
    debugger.breakpoints().erase(number);
  numbers.clear();
  Json results = Json::array();
  for (const Json &entry : list) {
    try {
      std::string note;
      const std::string condition = entry.value("condition", "");
      Breakpoint breakpoint = parseLocation(
          place(entry) + (condition.empty() ? "" : " if " + condition),
          debugger, file, note);
      Json result = {{"verified", true}};
      if (!breakpoint.places.empty())
        result["line"] = debugger.code().lineAt(breakpoint.places.front()).line;
      if (!note.empty())
        result["message"] = note;
      numbers.push_back(debugger.add(std::move(breakpoint)));
      result["id"] = numbers.back();
      results.push_back(std::move(result));
    } catch (const DebugError &error) {
      results.push_back({{"verified", false}, {"message", error.what()}});
    }
  }
  connection.respond(request, {{"breakpoints", std::move(results)}});
}

Dap::Result Dap::setBreakpoints(const Json &request, const Json &arguments) {
  const Json &source = arguments.at("source");
  const std::string path =
      source.value("path", source.value("name", std::string()));
  // Code names files as they were compiled; an editor has whole paths.
  std::string file = path;
  if (!debugger.code().hasFile(file))
    file = std::filesystem::path(path).filename().string();
  replace(
      lineBreakpoints[path], arguments.value("breakpoints", Json::array()),
      request,
      [](const Json &entry) {
        return std::to_string(entry.at("line").get<unsigned>());
      },
      file);
  return std::nullopt;
}

Dap::Result Dap::setFunctionBreakpoints(const Json &request,
                                        const Json &arguments) {
  replace(
      functionBreakpoints, arguments.value("breakpoints", Json::array()),
      request,
      [](const Json &entry) { return entry.at("name").get<std::string>(); },
      "");
  return std::nullopt;
}

Dap::Result Dap::setExceptionBreakpoints(const Json &request,
                                         const Json &arguments) {
  for (unsigned number : exceptionBreakpoints)
    debugger.breakpoints().erase(number);
  exceptionBreakpoints.clear();
  for (const Json &filter : arguments.value("filters", Json::array()))
    if (filter == "nan") {
      Breakpoint breakpoint;
      breakpoint.kind = Breakpoint::Kind::NotANumber;
      breakpoint.what = "nan";
      exceptionBreakpoints.push_back(debugger.add(std::move(breakpoint)));
    }
  connection.respond(request);
  return std::nullopt;
}

// ---- Threads and frames -----------------------------------------------------

Dap::Result Dap::threads(const Json &request, const Json &) {
  Json list = Json::array();
  const std::string tile = "tile " + std::to_string(debugger.tile()) + ", ";
  if (debugger.vertex())
    for (const ThreadState &thread : debugger.threads(debugger.tile()))
      if (thread.isActive || thread.isCurrent)
        list.push_back({{"id", threadOf(thread.number)},
                        {"name", tile + contextText(thread.number)}});
  if (list.empty())
    list.push_back(
        {{"id", threadOf(view.contextNumber())}, {"name", view.place()}});
  connection.respond(request, {{"threads", std::move(list)}});
  return std::nullopt;
}

void Dap::selectThread(std::int64_t id) {
  if (id > 0)
    view.select(static_cast<std::uint32_t>((id - 1) / 8),
                static_cast<unsigned>((id - 1) % 8));
}

/// The number of a frame says its thread, too.
constexpr std::int64_t FramesOfThread = 1000;

Dap::Result Dap::stackTrace(const Json &request, const Json &arguments) {
  const std::int64_t id = arguments.at("threadId");
  selectThread(id);
  Json list = Json::array();
  std::vector<Frame> frames;
  if (debugger.vertex() && view.hasThread())
    frames = view.frames();
  for (std::size_t i = 0; i != frames.size(); ++i) {
    const Frame &frame = frames[i];
    Json shown = {{"id", id * FramesOfThread + std::int64_t(i)},
                  {"name", frame.function},
                  {"line", frame.line.line},
                  {"column", 0},
                  {"instructionPointerReference",
                   runtime::hexadecimal(frame.registers.pc)}};
    if (frame.line.line != 0) {
      Json source = {
          {"name", std::filesystem::path(frame.line.file).filename().string()}};
      if (const auto path = sources.find(frame.line.file))
        source["path"] = std::filesystem::absolute(*path).string();
      shown["source"] = std::move(source);
    }
    list.push_back(std::move(shown));
  }
  const std::size_t count = list.size();
  connection.respond(
      request, {{"stackFrames", std::move(list)}, {"totalFrames", count}});
  return std::nullopt;
}

Dap::Result Dap::scopes(const Json &request, const Json &arguments) {
  const std::int64_t id = arguments.at("frameId");
  selectThread(id / FramesOfThread);
  view.selectFrame(static_cast<unsigned>(id % FramesOfThread));
  Json list = Json::array();
  const auto add = [&](const char *name,
                       std::vector<std::pair<std::string, Value>> parts,
                       bool isExpensive) {
    if (!parts.empty())
      list.push_back({{"name", name},
                      {"variablesReference", open(std::move(parts))},
                      {"expensive", isExpensive}});
  };
  std::vector<std::pair<std::string, Value>> locals, fields, registers, tensors;
  for (const Variable &variable : view.locals())
    if (variable.value)
      locals.emplace_back(variable.name, *variable.value);
  for (const Field &field : view.fields())
    fields.emplace_back(field.name, field.value);
  for (const char *name : {"pc", "FP_STS", "FP_CTL"})
    registers.emplace_back(name, *view.registerNamed(name));
  for (unsigned i = 0; i != 16; ++i) {
    const std::string name = "m" + std::to_string(i);
    registers.emplace_back(name, *view.registerNamed(name));
  }
  for (unsigned i = 0; i != 8; ++i) {
    const std::string name = "f" + std::to_string(i);
    registers.emplace_back(name, *view.registerNamed(name));
  }
  for (const auto &[name, tensor] : view.allTensors().all())
    tensors.emplace_back(name, tensor.value);
  add("Locals", std::move(locals), false);
  add("Fields", std::move(fields), false);
  add("Registers", std::move(registers), false);
  add("Tensors", std::move(tensors), true);
  connection.respond(request, {{"scopes", std::move(list)}});
  return std::nullopt;
}

// ---- Values -----------------------------------------------------------------

std::int64_t Dap::open(std::vector<std::pair<std::string, Value>> parts) {
  opened.push_back({std::move(parts)});
  return static_cast<std::int64_t>(opened.size());
}

Json Dap::shown(const std::string &name, const Value &value) {
  constexpr std::uint64_t MostParts = 1000;
  std::vector<std::pair<std::string, Value>> parts;
  const Type &type = *value.type;
  if (type.kind == Type::Kind::Struct)
    for (const Type::Member &member : type.members)
      parts.emplace_back(member.name, slice(value, member.offset, member.type));
  if (type.kind == Type::Kind::Array)
    for (std::uint64_t i = 0; i != std::min(type.count, MostParts); ++i)
      parts.emplace_back("[" + std::to_string(i) + "]",
                         slice(value, i * type.element->bytes, type.element));
  Json result = {{"name", name},
                 {"type", type.name},
                 {"value", textOf(value, debugger)},
                 {"variablesReference", 0}};
  if (!parts.empty())
    result["variablesReference"] = open(std::move(parts));
  return result;
}

Dap::Result Dap::variables(const Json &request, const Json &arguments) {
  const std::int64_t number = arguments.at("variablesReference");
  if (number < 1 || static_cast<std::size_t>(number) > opened.size())
    throw DebugError("there are no variables of this number");
  const Opened of = opened[static_cast<std::size_t>(number - 1)];
  Json list = Json::array();
  for (const auto &[name, value] : of.parts)
    list.push_back(shown(name, value));
  connection.respond(request, {{"variables", std::move(list)}});
  return std::nullopt;
}

Dap::Result Dap::evaluateText(const Json &request, const Json &arguments) {
  if (arguments.contains("frameId")) {
    const std::int64_t id = arguments["frameId"];
    selectThread(id / FramesOfThread);
    view.selectFrame(static_cast<unsigned>(id % FramesOfThread));
  }
  Json result = shown("", evaluate(arguments.at("expression"), view));
  result["result"] = result["value"];
  connection.respond(request, std::move(result));
  return std::nullopt;
}

// ---- Motions ----------------------------------------------------------------

namespace {

bool isByBundle(const Json &arguments) {
  return arguments.value("granularity", "") == "instruction";
}

} // namespace

Dap::Result Dap::go(const Json &request, const Json &) {
  connection.respond(request, {{"allThreadsContinued", true}});
  return Motion::Continue;
}
Dap::Result Dap::next(const Json &request, const Json &arguments) {
  connection.respond(request);
  return isByBundle(arguments) ? Motion::NextBundle : Motion::NextLine;
}
Dap::Result Dap::stepIn(const Json &request, const Json &arguments) {
  connection.respond(request);
  return isByBundle(arguments) ? Motion::StepBundle : Motion::StepLine;
}
Dap::Result Dap::stepOut(const Json &request, const Json &) {
  connection.respond(request);
  return Motion::Finish;
}
Dap::Result Dap::stepBack(const Json &request, const Json &arguments) {
  connection.respond(request);
  return isByBundle(arguments) ? Motion::BackBundle : Motion::BackLine;
}
Dap::Result Dap::reverseContinue(const Json &request, const Json &) {
  connection.respond(request);
  return Motion::BackContinue;
}
Dap::Result Dap::pause(const Json &request, const Json &) {
  connection.respond(request); // the program has stopped
  return std::nullopt;
}

} // namespace populus::dbg
