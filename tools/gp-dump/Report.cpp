// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the reports.

#include "tools/gp-dump/Report.h"

#include "tools/gp-dump/Names.h"
#include "tools/gp-dump/ObjectFile.h"

#include <llvm/Support/Format.h>
#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json.hpp>

namespace populus::gpdump {

using archive::Archive;
using archive::Field;
using archive::VertexType;
using Json = nlohmann::ordered_json;

namespace {

void printVertices(const Archive &archive, llvm::raw_ostream &out) {
  for (const VertexType &type : archive.vertexTypes) {
    out << "vertex " << type.name << " (" << name(type.kind)
        << (type.isExternal ? ", external" : "") << ") " << type.location
        << '\n';
    out << "  entry " << type.entry << '\n';
    for (const archive::VertexTarget &target : type.targets)
      out << "  state on " << target.target << ": " << target.stateBytes
          << " bytes, alignment " << target.stateAlign << '\n';
    for (const Field &field : type.fields) {
      out << "  field " << field.name << ": " << fieldType(field) << ", at";
      for (std::size_t i = 0; i != field.places.size(); ++i)
        out << (i ? ", " : " ") << field.places[i].offset << " on "
            << type.targets[i].target;
      out << '\n';
    }
    for (const std::string &constraint : type.constraints)
      out << "  constraint " << constraint << '\n';
  }
}

void printSections(const ObjectFile &object, llvm::raw_ostream &out) {
  for (const SectionInfo &section : object.sections())
    out << llvm::format("  %8llu  ",
                        static_cast<unsigned long long>(section.bytes))
        << (section.isCode     ? "code  "
            : section.isLoaded ? "data  "
                               : "other ")
        << section.name << '\n';
}

void printSymbols(const ObjectFile &object, llvm::raw_ostream &out) {
  for (const SymbolInfo &symbol : object.symbols()) {
    out << llvm::format("  %8llx %8llu  ",
                        static_cast<unsigned long long>(symbol.address),
                        static_cast<unsigned long long>(symbol.bytes))
        << symbol.name;
    if (symbol.section.empty())
      out << " (undefined)";
    else
      out << " in " << symbol.section;
    out << '\n';
  }
}

Json vertexJson(const VertexType &type) {
  Json json;
  json["name"] = type.name;
  json["entry"] = type.entry;
  json["kind"] = name(type.kind);
  json["external"] = type.isExternal;
  json["location"] = type.location;
  json["targets"] = Json::array();
  for (const archive::VertexTarget &target : type.targets)
    json["targets"].push_back({{"target", target.target},
                               {"state_bytes", target.stateBytes},
                               {"state_align", target.stateAlign}});
  json["fields"] = Json::array();
  for (const Field &field : type.fields) {
    Json entry;
    entry["name"] = field.name;
    entry["type"] = fieldType(field);
    entry["kind"] = name(field.kind);
    entry["direction"] = name(field.direction);
    entry["element"] = runtime::name(field.type);
    entry["min_align"] = field.minAlign;
    entry["interleaved"] = field.interleaved;
    entry["places"] = Json::array();
    for (const archive::FieldPlace &place : field.places) {
      Json &to = entry["places"].emplace_back();
      to = {{"offset", place.offset},
            {"bytes", place.bytes},
            {"inner", name(place.inner)},
            {"outer", name(place.outer)}};
      if (place.elements) {
        to["element"] = runtime::name(place.elements->type);
        to["min_align"] = place.elements->minAlign;
      }
    }
    json["fields"].push_back(std::move(entry));
  }
  json["constraints"] = type.constraints;
  return json;
}

Json objectJson(const archive::Object &object, const std::string &file,
                const Parts &parts) {
  ObjectFile elf(object, file);
  Json json;
  json["target"] = object.target;
  json["source"] = object.source;
  if (parts.size) {
    SizeInfo size = elf.size();
    json["size"] = {{"code", size.code},
                    {"data", size.data},
                    {"file", object.bytes.size()}};
  }
  if (parts.sections) {
    json["sections"] = Json::array();
    for (const SectionInfo &section : elf.sections())
      json["sections"].push_back({{"name", section.name},
                                  {"address", section.address},
                                  {"bytes", section.bytes},
                                  {"code", section.isCode},
                                  {"loaded", section.isLoaded}});
  }
  if (parts.symbols) {
    json["symbols"] = Json::array();
    for (const SymbolInfo &symbol : elf.symbols())
      json["symbols"].push_back({{"name", symbol.name},
                                 {"address", symbol.address},
                                 {"bytes", symbol.bytes},
                                 {"section", symbol.section}});
  }
  if (parts.disassembly)
    json["disassembly"] = elf.disassemble();
  return json;
}

} // namespace

std::string textReport(const Archive &archive, const std::string &file,
                       const Parts &parts) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (parts.vertices)
    printVertices(archive, out);
  if (!parts.sections && !parts.symbols && !parts.disassembly && !parts.size)
    return text;
  for (const archive::Object &object : archive.objects) {
    ObjectFile elf(object, file);
    out << "object of " << object.source << " for " << object.target;
    if (parts.size) {
      SizeInfo size = elf.size();
      out << ": " << size.code << " bytes of code, " << size.data
          << " of data, " << object.bytes.size() << " in the file";
    }
    out << '\n';
    if (parts.sections)
      printSections(elf, out);
    if (parts.symbols)
      printSymbols(elf, out);
    if (parts.disassembly)
      out << elf.disassemble();
  }
  return text;
}

std::string jsonReport(const Archive &archive, const std::string &file,
                       const Parts &parts) {
  Json json;
  json["file"] = file;
  if (parts.vertices) {
    json["vertices"] = Json::array();
    for (const VertexType &type : archive.vertexTypes)
      json["vertices"].push_back(vertexJson(type));
  }
  json["objects"] = Json::array();
  for (const archive::Object &object : archive.objects)
    json["objects"].push_back(objectJson(object, file, parts));
  // Names need not be UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace populus::gpdump
