// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes follow what they belong to, in either form as members of it.

#include "lib/Codelet/DiagnosticForms.h"

#include "runtime/Support/Version.h"

#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/JSON.h>

namespace populus::codelet {

namespace {

using frontend::Message;
namespace json = llvm::json;

/// Makes text valid UTF-8: quotations from a source need not be.
std::string valid(const std::string &text) { return json::fixUTF8(text); }

const char *levelName(Message::Level level) {
  return level == Message::Error     ? "error"
         : level == Message::Warning ? "warning"
                                     : "note";
}

/// Calls make(message) and addNote(entry, note).
template <typename Make, typename AddNote>
json::Array grouped(const std::vector<Message> &messages, Make make,
                    AddNote addNote) {
  json::Array result;
  for (const Message &message : messages)
    if (message.level == Message::Note && !result.empty())
      addNote(*result.back().getAsObject(), message);
    else
      result.push_back(make(message));
  return result;
}

json::Object &appendTo(json::Object &entry, llvm::StringRef list,
                       json::Object value) {
  json::Value &array = entry.try_emplace(list, json::Array()).first->second;
  array.getAsArray()->push_back(std::move(value));
  return entry;
}

json::Object jsonOf(const Message &message) {
  json::Object entry{{"level", levelName(message.level)},
                     {"text", valid(message.text)}};
  if (!message.file.empty()) {
    entry["file"] = valid(message.file);
    entry["line"] = message.line;
    entry["column"] = message.column;
  }
  if (!message.option.empty())
    entry["option"] = "-W" + message.option;
  return entry;
}

json::Object sarifLocation(const Message &message) {
  json::Object region{{"startLine", message.line},
                      {"startColumn", message.column}};
  json::Object artifact{{"uri", valid(message.file)}};
  json::Object physical{{"artifactLocation", std::move(artifact)},
                        {"region", std::move(region)}};
  return json::Object{{"physicalLocation", std::move(physical)}};
}

json::Object sarifText(const Message &message) {
  return json::Object{{"text", valid(message.text)}};
}

json::Object sarifOf(const Message &message) {
  json::Object entry{{"level", levelName(message.level)},
                     {"message", sarifText(message)}};
  if (!message.option.empty())
    entry["ruleId"] = message.option;
  if (!message.file.empty())
    appendTo(entry, "locations", sarifLocation(message));
  return entry;
}

std::string printed(json::Value value) {
  return llvm::formatv("{0:2}", value).str() + "\n";
}

} // namespace

std::string asJson(const std::vector<Message> &messages) {
  return printed(
      grouped(messages, jsonOf, [](json::Object &entry, const Message &note) {
        appendTo(entry, "notes", jsonOf(note));
      }));
}

std::string asSarif(const std::vector<Message> &messages) {
  json::Array results =
      grouped(messages, sarifOf, [](json::Object &entry, const Message &note) {
        json::Object related{{"message", sarifText(note)}};
        if (!note.file.empty())
          related["physicalLocation"] =
              std::move(*sarifLocation(note).get("physicalLocation"));
        appendTo(entry, "relatedLocations", std::move(related));
      });
  json::Object driver{{"name", "popc"}, {"version", runtime::Version}};
  json::Object run{
      {"tool", json::Object{{"driver", std::move(driver)}}},
      {"columnKind", "unicodeCodePoints"},
      {"results", std::move(results)},
  };
  return printed(json::Object{
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", json::Array{std::move(run)}},
  });
}

} // namespace populus::codelet
