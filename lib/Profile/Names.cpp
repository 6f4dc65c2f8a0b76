// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names.

#include "lib/Profile/Names.h"

#include <iterator>

namespace populus::profile {

using namespace runtime;

namespace {

struct KindNames {
  Activity activity;
  const char *type;  // in profiles
  const char *label; // on the page
};

/// By StepKind.
constexpr KindNames Kinds[] = {
#define STEP(NUMBER, KIND, INDEX, CHILDREN, TENSOR, TENSORS, COST, ACTIVITY,   \
             TYPE, LABEL, SHORT)                                               \
  {.activity = Activity::ACTIVITY, .type = TYPE, .label = LABEL},
#include "runtime/Format/StepKinds.def"
};

struct CategoryNames {
  const char *name;       // in profiles
  const char *label;      // in the printed summary
  const char *shortLabel; // on the page
};

/// By MemoryCategory.
constexpr CategoryNames Categories[] = {
    {"variable", "Variables", "Variables"},
    {"constant", "Constants", "Constants"},
    {"message", "Internal Exchange Message Buffers", "Message buffers"},
    {"outputEdge", "Output Edge Buffers", "Output edges"},
    {"rearrangement", "Data Rearrangement Buffers", "Rearrangement"},
    {"vertexInstanceState", "Vertex Instances", "Vertex instances"},
    {"vertexFieldData", "Vertex Field Data", "Vertex field data"},
    {"vertexCode", "Vertex Code", "Vertex code"},
    {"controlCode", "Control Code", "Control code"},
    {"internalExchangeCode", "Internal Exchange Code", "Exchange code"},
    {"hostExchangeCode", "Host Exchange Code", "Host exchange code"},
    {"stack", "Stack", "Stack"},
    {"sharedDataStorage", "Shared Data", "Shared data"},
};
static_assert(std::size(Categories) ==
              static_cast<std::size_t>(MemoryCategory::Count));

/// Returns null for an unknown kind.
const KindNames *namesOf(StepKind kind) {
  const auto number = static_cast<std::size_t>(kind);
  return number < std::size(Kinds) ? &Kinds[number] : nullptr;
}

const CategoryNames &namesOf(MemoryCategory category) {
  return Categories[static_cast<std::size_t>(category)];
}

} // namespace

const char *nameOf(Activity activity) {
  constexpr const char *Names[] = {"compute", "exchange", "sync", "host",
                                   "control"};
  return Names[static_cast<std::size_t>(activity)];
}

Activity activityOf(StepKind kind) {
  const KindNames *names = namesOf(kind);
  return names ? names->activity : Activity::Control;
}

const char *programType(StepKind kind) {
  const KindNames *names = namesOf(kind);
  return names ? names->type : "Unknown";
}

std::vector<const char *> programLabels() {
  std::vector<const char *> labels;
  for (const KindNames &names : Kinds)
    labels.push_back(names.label);
  return labels;
}

std::vector<const char *> programActivities() {
  std::vector<const char *> activities;
  for (const KindNames &names : Kinds)
    activities.push_back(nameOf(names.activity));
  return activities;
}

const char *categoryName(MemoryCategory category) {
  return namesOf(category).name;
}

const char *categoryLabel(MemoryCategory category) {
  return namesOf(category).label;
}

std::vector<const char *> categoryShortLabels() {
  std::vector<const char *> labels;
  for (const CategoryNames &names : Categories)
    labels.push_back(names.shortLabel);
  return labels;
}

} // namespace populus::profile
