// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frames and names.

#include "lib/Debugger/Inspector.h"

#include "runtime/Format/Regions.h"
#include "runtime/Session/FaultReport.h"

#include <charconv>

namespace populus::debugger {

namespace rt = populus::runtime;

namespace {

/// Frames that a backtrace has at most: damaged stacks may seem endless.
constexpr std::size_t MostFrames = 64;

/// "Mean" for "ns::Mean<float>".
std::string className(const std::string &vertexType) {
  const std::string plain = vertexType.substr(0, vertexType.find('<'));
  const std::size_t colons = plain.rfind("::");
  const std::string arguments = vertexType.substr(plain.size());
  return (colons == std::string::npos ? plain : plain.substr(colons + 2)) +
         arguments;
}

/// The number behind a letter: 3 in "m3".
std::optional<unsigned> numberBehind(const std::string &name) {
  unsigned number = 0;
  const char *end = name.data() + name.size();
  const auto result = std::from_chars(name.data() + 1, end, number);
  if (name.size() < 2 || result.ec != std::errc() || result.ptr != end)
    return std::nullopt;
  return number;
}

} // namespace

std::string contextText(unsigned context) { return rt::contextName(context); }

Inspector::Inspector(Debugger &debugger)
    : debugger(debugger), tensors(debugger.executable()) {
  debugger.condition = [this](const std::string &text) {
    reset();
    try {
      return isTrue(text, *this);
    } catch (const DebugError &) {
      return true; // stop where a condition makes no sense
    }
  };
}

void Inspector::reset() {
  frame = 0;
  if (debugger.vertex())
    tileNumber = debugger.tile();
  if (const auto thread = debugger.thread())
    context = thread->number;
}

bool Inspector::hasThread() const {
  return !debugger.threads(tileNumber).empty();
}

void Inspector::select(std::uint32_t tile, unsigned number) {
  if (tile >= debugger.executable().numTiles())
    throw DebugError("there is no tile " + std::to_string(tile) +
                     "; the program has " +
                     std::to_string(debugger.executable().numTiles()));
  if (number > 6)
    throw DebugError("a tile has the workers 0 to 5 and a supervisor");
  tileNumber = tile;
  context = number;
  frame = 0;
}

ThreadState Inspector::thread() const {
  for (const ThreadState &state : debugger.threads(tileNumber))
    if (state.number == context)
      return state;
  throw DebugError("tile " + std::to_string(tileNumber) +
                   " has run no vertex yet");
}

std::vector<Frame> Inspector::frames() const {
  std::vector<Frame> frames;
  const ThreadState state = thread();
  Registers registers = state.registers;
  if (!debugger.vertex() || (!state.isActive && !state.isCurrent) ||
      registers.pc == 0)
    return frames;
  const DebugInfo &info =
      debugger.code().debugInfo(debugger.code().imageOfTile(tileNumber));
  const Address entry =
      debugger.executable().vertices[*debugger.vertex()].entry;
  for (bool isCaller = false; frames.size() < MostFrames; isCaller = true) {
    // A return address is behind the call.
    Registers shown = registers;
    shown.pc -= isCaller ? 4 : 0;
    const Place place = codePlace(shown.pc);
    if (!debugger.code().isCode(place))
      break;
    const rt::Symbol *symbol = debugger.code().functionAt(place);
    const std::vector<FunctionAt> functions = info.functionsAt(shown.pc);
    for (unsigned i = 0; i != functions.size(); ++i)
      frames.push_back({shown,
                        functions[i].name,
                        {functions[i].file, functions[i].line},
                        i,
                        i + 1 != functions.size()});
    if (functions.empty())
      frames.push_back({shown, symbol ? demangled(symbol->name) : "?",
                        debugger.code().lineAt(place), 0, false});
    if (symbol && symbol->address == entry)
      break;
    const auto caller = info.caller(registers, debugger);
    if (!caller || caller->pc == registers.pc)
      break;
    registers = *caller;
  }
  return frames;
}

void Inspector::selectFrame(unsigned number) {
  if (number >= frames().size())
    throw DebugError("there is no frame " + std::to_string(number));
  frame = number;
}

const Frame &Inspector::selectedFrame(const std::vector<Frame> &frames) const {
  if (frame >= frames.size())
    throw DebugError(contextText(context) + " of tile " +
                     std::to_string(tileNumber) + " runs nothing");
  return frames[frame];
}

std::vector<Variable> Inspector::locals() const {
  const std::vector<Frame> all = frames();
  const Frame &selected = selectedFrame(all);
  return debugger.code()
      .debugInfo(debugger.code().imageOfTile(tileNumber))
      .variables(selected.registers, selected.inlined, debugger);
}

TypePtr Inspector::elementType(const std::string &vertexType,
                               const rt::FieldInfo &info) const {
  const TypePtr known = debugger.code()
                            .debugInfo(debugger.code().imageOfTile(tileNumber))
                            .fieldElement(className(vertexType), info.name);
  const std::uint32_t bytes =
      info.elementBytes ? info.elementBytes : info.bytes;
  if (known && (info.elementBytes == 0 || known->bytes == bytes))
    return known;
  switch (bytes) {
  case 4:
    return typeNamed("float");
  case 2:
    return typeNamed("half");
  case 8:
    return typeNamed("long long");
  default:
    return typeNamed("unsigned char");
  }
}

std::vector<Field> Inspector::fields() const {
  std::vector<Field> fields;
  if (!debugger.vertex() || tileNumber != debugger.tile())
    return fields;
  const rt::Executable &executable = debugger.executable();
  const std::uint32_t vertex = *debugger.vertex();
  const rt::VertexType &type =
      executable.vertexTypes[executable.vertices[vertex].type];
  const Address state = executable.vertices[vertex].state;
  for (std::uint32_t i = 0; i != type.fields.size(); ++i) {
    const rt::FieldInfo &info = type.fields[i];
    const TypePtr element = elementType(type.name, info);
    Field field = {info.name, {}};
    if (info.access == rt::FieldAccess::Value) {
      const std::uint64_t count = info.bytes / element->bytes;
      field.value = {count == 1 ? element : arrayOf(element, {count}),
                     {{tileNumber, state + info.offset, info.bytes}},
                     {}};
      fields.push_back(std::move(field));
      continue;
    }
    std::vector<rt::VertexRegion> regions;
    for (const rt::VertexRegion &region : regionsOf(executable, vertex))
      if (region.field() == i && !region.isArray())
        regions.push_back(region);
    for (std::size_t r = 0; r != regions.size(); ++r) {
      Field part = field;
      if (regions.size() > 1)
        part.name += "[" + std::to_string(r) + "]";
      part.value = {arrayOf(element, {regions[r].bytes / element->bytes}),
                    {{tileNumber, regions[r].address, regions[r].bytes}},
                    {}};
      fields.push_back(std::move(part));
    }
  }
  return fields;
}

std::optional<Value> Inspector::registerNamed(const std::string &name) const {
  const ThreadState state = thread();
  Registers registers = state.registers;
  if (frame != 0) {
    const std::vector<Frame> all = frames();
    registers = selectedFrame(all).registers;
  }
  const std::optional<unsigned> number = numberBehind(name);
  if (name == "pc")
    return word(registers.pc);
  if (name == "sp")
    return word(registers.m[11]);
  if (name == "lr")
    return word(registers.m[10]);
  if (name == "tile")
    return integer(tileNumber);
  if (name == "worker")
    return integer(context);
  if (name == "FP_STS")
    return word(state.fpStatus);
  if (name == "FP_CTL")
    return word(state.fpControl);
  if (number && *number < 16 && name[0] == 'm')
    return word(registers.m[*number]);
  if (number && *number < 16 && (name[0] == 'a' || name[0] == 'f')) {
    Value value = word(registers.a[*number]);
    if (name[0] == 'f') // $f3: $a3 as a float
      value.type = typeNamed("float");
    return value;
  }
  return std::nullopt;
}

std::optional<Value> Inspector::local(const std::string &name) const {
  if (!hasThread() || frames().empty())
    return std::nullopt;
  for (const Variable &variable : locals()) {
    if (variable.name != name)
      continue;
    if (!variable.value)
      throw DebugError("'" + name + "' is optimised out here");
    return variable.value;
  }
  return std::nullopt;
}

std::optional<Value> Inspector::field(const std::string &name) const {
  for (const Field &field : fields()) {
    if (field.name == name)
      return field.value;
    if (field.name == name + "[0]")
      throw DebugError("field '" + name +
                       "' is a list of regions; quote one: '" + field.name +
                       "'");
  }
  return std::nullopt;
}

Value Inspector::named(const std::string &name) const {
  if (const auto value = local(name))
    return *value;
  if (const auto value = field(name))
    return *value;
  if (const NamedTensor *tensor = tensors.find(name))
    return tensor->value;
  throw DebugError("there is no variable, field or tensor '" + name +
                   "' here; see info locals, info fields, info tensors");
}

std::string Inspector::place() const {
  if (debugger.position().event == 1)
    return "at the beginning of the program";
  if (!debugger.vertex())
    return (debugger.hasStepEnded() ? "after " : "before ") +
           debugger.describeStep(debugger.step());
  const std::string thread =
      "tile " + std::to_string(tileNumber) + ", " + contextText(context);
  if (tileNumber != debugger.tile())
    return thread + ": nothing is running";
  return thread + ": vertex '" + debugger.vertexType() + "', compute set '" +
         debugger.computeSet() + "'";
}

} // namespace populus::debugger
