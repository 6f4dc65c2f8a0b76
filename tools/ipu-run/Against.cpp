// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table has one row for each output:
//
//     output   elements  differ       actual     expected   difference  at
//     conv1        1152       0     0.271828    0.2718281      1.0e-07  [0,3,1]
//
// The element that it shows is the one farthest outside of its tolerance.

#include "Against.h"

#include "Outputs.h"
#include "RunInputs.h"

#include "runtime/Session/Session.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <ostream>

namespace populus::run {

namespace {

namespace fs = std::filesystem;

/// The files of --output-dir, by the names of the run's outputs.
std::map<std::string, HostTensor>
readFiles(const fs::path &folder, const std::vector<Streams::Output> &outputs) {
  std::map<std::string, HostTensor> values;
  if (const fs::path all = folder / "outputs.npz"; fs::exists(all))
    for (HostTensor &tensor : readNpz(all))
      values.emplace(tensor.name, tensor);
  const std::vector<std::string> files = npyNames(outputs);
  for (std::size_t i = 0; i != outputs.size(); ++i)
    if (const fs::path file = folder / files[i]; fs::exists(file))
      values.insert_or_assign(outputs[i].name, readTensor(file));
  return values;
}

std::map<std::string, HostTensor> runReference(const Options &options) {
  for (const auto &[name, value] : namedValues("--input", options.inputs))
    if (isPipe(value))
      throw UsageError("--input " + name + "=" + value +
                       ": a pipe can be read once, and --against " +
                       options.against + " needs the same input");
  const runtime::VerifiedExecutable executable =
      openExecutable(options.against);
  checkTrusted(*executable, options.against, options.allowNative);
  if (executable->programs.empty())
    throw InputError(options.against + " holds no program");
  Streams streams(*executable);
  try {
    setInputs(streams, options.testData, options.inputs, options.images);
  } catch (const UsageError &error) {
    throw UsageError("--against " + options.against + ": " + error.what());
  }
  runtime::SessionOptions sessionOptions;
  sessionOptions.threads = options.threads;
  sessionOptions.engine = options.engine;
  sessionOptions.maxCycles = options.maxCycles;
  const auto session = runtime::Session::create(executable, sessionOptions);
  streams.connect(*session);
  streams.startRun();
  session->run(0);
  streams.checkUsed();
  std::map<std::string, HostTensor> values;
  for (Streams::Output &output : streams.outputs())
    values.emplace(output.name, std::move(output.value));
  return values;
}

double difference(const Comparison &comparison) {
  return std::fabs(comparison.actual - comparison.expected);
}

/// JSON has no number for NaN and infinities, which are strings.
nlohmann::ordered_json number(double value) {
  if (std::isfinite(value))
    return value;
  return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
}

void printJson(std::ostream &out,
               const std::vector<OutputDifference> &differences,
               const OutputDifference *first, const Options &options) {
  nlohmann::ordered_json json;
  json["against"] = options.against;
  json["rtol"] = options.tolerance.relative;
  json["atol"] = options.tolerance.absolute;
  json["first"] = first ? nlohmann::ordered_json(first->name) : nullptr;
  for (const OutputDifference &output : differences) {
    nlohmann::ordered_json row = {{"name", output.name}};
    const Comparison &found = output.comparison;
    row["compared"] = output.isCompared;
    if (output.isCompared) {
      row["matches"] = found.matches;
      row["elements"] = found.elements;
      row["different"] = found.different;
      row["text"] = found.text;
    }
    if (!found.place.empty()) {
      row["worst"] = {{"at", found.place},
                      {"actual", number(found.actual)},
                      {"expected", number(found.expected)}};
    }
    json["outputs"].push_back(std::move(row));
  }
  out << json.dump(2) << '\n';
}

void printTable(std::ostream &out,
                const std::vector<OutputDifference> &differences) {
  std::size_t width = 6;
  for (const OutputDifference &output : differences)
    width = std::max(width, output.name.size());
  const auto line = [&](const std::string &name, const std::string &rest) {
    out << name << std::string(width - name.size(), ' ') << rest << '\n';
  };
  char text[160];
  std::snprintf(text, sizeof text, "  %10s  %10s  %13s  %13s  %10s  %s",
                "elements", "differ", "actual", "expected", "difference", "at");
  line("output", text);
  for (const OutputDifference &output : differences) {
    const Comparison &found = output.comparison;
    if (!output.isCompared) {
      line(output.name, "  is not in the reference");
    } else if (!found.matches && found.place.empty()) {
      line(output.name, "  " + found.text);
    } else if (found.place.empty()) {
      std::snprintf(text, sizeof text, "  %10llu  %10d",
                    static_cast<unsigned long long>(found.elements), 0);
      line(output.name, text);
    } else {
      std::snprintf(text, sizeof text,
                    "  %10llu  %10llu  %13.7g  %13.7g  %10.2g  ",
                    static_cast<unsigned long long>(found.elements),
                    static_cast<unsigned long long>(found.different),
                    found.actual, found.expected, difference(found));
      line(output.name, text + found.place);
    }
  }
}

} // namespace

std::map<std::string, HostTensor>
referenceOutputs(const Options &options,
                 const std::vector<Streams::Output> &outputs) {
  std::error_code ignored;
  if (fs::is_directory(options.against, ignored))
    return readFiles(options.against, outputs);
  return runReference(options);
}

std::vector<OutputDifference>
compareOutputs(const std::vector<Streams::Output> &outputs,
               const std::map<std::string, HostTensor> &reference,
               const Options &options) {
  std::vector<OutputDifference> differences;
  bool any = false;
  for (const Streams::Output &output : outputs) {
    OutputDifference &row = differences.emplace_back();
    row.name = output.name;
    const auto found = reference.find(output.name);
    if (found == reference.end())
      continue;
    any = row.isCompared = true;
    row.comparison = compare(output.value, found->second, options.tolerance);
  }
  if (!any)
    throw InputError("--against " + options.against +
                     ": has none of the outputs of " + options.file +
                     "; compile both with the same --anchor, or write the "
                     "files with --output-dir");
  return differences;
}

bool printDifferences(std::ostream &out,
                      const std::vector<OutputDifference> &differences,
                      const Options &options) {
  const auto first =
      std::ranges::find_if(differences, [](const OutputDifference &output) {
        return output.isCompared && !output.comparison.matches;
      });
  const bool isSame = first == differences.end();
  if (options.json) {
    printJson(out, differences, isSame ? nullptr : &*first, options);
    return isSame;
  }
  printTable(out, differences);
  if (isSame)
    out << "no output differs (rtol " << options.tolerance.relative << ", atol "
        << options.tolerance.absolute << ")\n";
  else
    out << "first difference: " << first->name << ": " << first->comparison.text
        << '\n';
  return isSame;
}

} // namespace populus::run
