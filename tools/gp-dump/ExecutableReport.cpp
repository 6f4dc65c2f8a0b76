// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A code image is linked: it has addresses and symbols, but no sections and no
// relocations.

#include "tools/gp-dump/ExecutableReport.h"

#include "tools/gp-dump/Disassembler.h"
#include "tools/gp-dump/Names.h"

#include <algorithm>
#include <llvm/Support/Format.h>
#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json.hpp>

namespace populus::gpdump {

using runtime::CodeImage;
using runtime::Executable;
using Json = nlohmann::ordered_json;

namespace {

std::string disassemble(const CodeImage &image, const std::string &target) {
  Code code;
  std::size_t text = std::min<std::size_t>(image.textBytes, image.bytes.size());
  code.bytes = llvm::ArrayRef<std::uint8_t>(image.bytes.data(), text);
  code.address = image.base;
  for (const runtime::Symbol &symbol : image.symbols)
    code.labels[symbol.address].push_back(symbol.name);
  return Disassembler("", target).print(code);
}

Json imageJson(const CodeImage &image, const std::string &target,
               const Parts &parts) {
  Json json;
  json["base"] = image.base;
  if (parts.size)
    json["size"] = {{"code", image.textBytes},
                    {"data", image.bytes.size() - image.textBytes}};
  if (parts.symbols) {
    json["symbols"] = Json::array();
    for (const runtime::Symbol &symbol : image.symbols)
      json["symbols"].push_back({{"name", symbol.name},
                                 {"address", symbol.address},
                                 {"bytes", symbol.size}});
  }
  if (parts.disassembly)
    json["disassembly"] = disassemble(image, target);
  return json;
}

} // namespace

std::string textReport(const Executable &executable, const Parts &parts) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (parts.vertices)
    for (const runtime::VertexType &type : executable.vertexTypes) {
      out << "vertex " << type.name << " (" << name(type.kind) << "), state "
          << type.stateBytes << " bytes\n";
      for (const runtime::FieldInfo &field : type.fields)
        out << "  field " << field.name << ": " << field.bytes << " bytes at "
            << field.offset << '\n';
    }
  if (!parts.symbols && !parts.disassembly && !parts.size)
    return text;
  for (std::size_t i = 0; i != executable.images.size(); ++i) {
    const CodeImage &image = executable.images[i];
    out << "code image " << i << " at " << llvm::format("0x%x", image.base);
    if (parts.size)
      out << ": " << image.textBytes << " bytes of code, "
          << image.bytes.size() - image.textBytes << " of data";
    out << '\n';
    if (parts.symbols)
      for (const runtime::Symbol &symbol : image.symbols)
        out << llvm::format("  %8x %8u  ", symbol.address, symbol.size)
            << symbol.name << '\n';
    if (parts.disassembly)
      out << disassemble(image, executable.target);
  }
  return text;
}

std::string jsonReport(const Executable &executable, const std::string &file,
                       const Parts &parts) {
  Json json;
  json["file"] = file;
  json["target"] = executable.target;
  if (parts.vertices) {
    json["vertices"] = Json::array();
    for (const runtime::VertexType &type : executable.vertexTypes) {
      Json entry;
      entry["name"] = type.name;
      entry["kind"] = name(type.kind);
      entry["state_bytes"] = type.stateBytes;
      entry["fields"] = Json::array();
      for (const runtime::FieldInfo &field : type.fields)
        entry["fields"].push_back({{"name", field.name},
                                   {"offset", field.offset},
                                   {"bytes", field.bytes}});
      json["vertices"].push_back(std::move(entry));
    }
  }
  json["images"] = Json::array();
  for (const CodeImage &image : executable.images)
    json["images"].push_back(imageJson(image, executable.target, parts));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace populus::gpdump
