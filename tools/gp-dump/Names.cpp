// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table for each enumeration, in the order of its numbers.

#include "tools/gp-dump/Names.h"

#include <string_view>

namespace populus::gpdump {

using archive::FieldKind;
using archive::Layout;

namespace {

template <typename Enum, std::size_t N>
const char *lookUp(const char *const (&names)[N], Enum value) {
  return names[static_cast<std::size_t>(value)];
}

/// ", LAYOUT, ALIGN, true" without what is the default at the end.
std::string parameters(const char *layout, const char *defaultLayout,
                       unsigned align, unsigned defaultAlign,
                       bool isInterleaved) {
  bool showAlign = align != defaultAlign || isInterleaved;
  std::string text;
  if (showAlign || std::string_view(layout) != defaultLayout)
    text += std::string(", ") + layout;
  if (showAlign)
    text += ", " + std::to_string(align);
  if (isInterleaved)
    text += ", true";
  return text;
}

std::string vectorType(const std::string &element, Layout layout,
                       unsigned align, unsigned defaultAlign,
                       bool isInterleaved) {
  return "Vector<" + element +
         parameters(name(layout), name(Layout::Span), align, defaultAlign,
                    isInterleaved) +
         ">";
}

/// The names of layouts of lists are not those of vectors.
const char *listLayout(Layout layout) {
  return layout == Layout::Span ? "COMPACT_DELTAN" : name(layout);
}

} // namespace

const char *name(runtime::VertexKind kind) {
  static constexpr const char *Names[] = {"worker", "supervisor", "multi"};
  return lookUp(Names, kind);
}

const char *name(archive::FieldKind kind) {
  static constexpr const char *Names[] = {
      "state",        "state-vector", "edge",       "edge-vector",
      "edge-scalars", "edge-list",    "vector-list"};
  return lookUp(Names, kind);
}

const char *name(archive::Direction direction) {
  static constexpr const char *Names[] = {"none", "Input", "Output", "InOut"};
  return lookUp(Names, direction);
}

const char *name(archive::Layout layout) {
  static constexpr const char *Names[] = {
      "NONE",          "SPAN",         "SHORT_SPAN",
      "ONE_PTR",       "SCALED_PTR32", "SCALED_PTR64",
      "SCALED_PTR128", "DELTAN",       "DELTANELEMENTS"};
  return lookUp(Names, layout);
}

std::string fieldType(const archive::Field &field) {
  std::string element(runtime::name(field.type));
  archive::FieldPlace place =
      field.places.empty() ? archive::FieldPlace() : field.places.front();
  std::string region =
      vectorType(element, place.inner, field.minAlign,
                 runtime::sizeOf(field.type), field.interleaved);
  auto edge = [&](const std::string &inside) {
    return std::string(name(field.direction)) + "<" + inside + ">";
  };
  switch (field.kind) {
  case FieldKind::State:
    return element;
  case FieldKind::StateVector:
    return region;
  case FieldKind::Edge:
    return edge(element);
  case FieldKind::EdgeVector:
    return edge(region);
  case FieldKind::EdgeScalars:
    return vectorType(edge(element), place.outer, 1, 1, false);
  case FieldKind::EdgeList:
    return vectorType(edge(region), place.outer, 1, 1, false);
  case FieldKind::VectorList:
    return edge("VectorList<" + element +
                parameters(listLayout(place.outer), "", field.minAlign,
                           runtime::sizeOf(field.type), field.interleaved) +
                ">");
  }
  return element;
}

} // namespace populus::gpdump
