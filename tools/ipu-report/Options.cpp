// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words first: a report and a view of it, or diff and two reports.

#include "Options.h"

#include "tools/HelpFormatter.h"
#include "tools/OptionSuggestion.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <map>

namespace populus::tool {

namespace {

constexpr const char *About =
    "Says where the time and the memory of a program go, and what to do about "
    "it.\n"
    "  ipu-report DIR                         one screen: fit, time, memory, "
    "advice\n"
    "  ipu-report DIR layers|tiles|liveness   tables\n"
    "  ipu-report DIR vertex NAME             a codelet with its code\n"
    "  ipu-report DIR source [NAME]           lines of codelets with cycles\n"
    "  ipu-report diff A B                    what changed from A to B\n"
    "  ipu-report FILE.pvti                   what a program did on the host\n"
    "Reports are written by ipu-run --report, popart-compile --profile and "
    "engines with autoReport.all. It runs nothing: use ipu-run for that.";

constexpr const char *Footer =
    "Exit status: 0 success, 1 a report cannot be read, 2 wrong usage, 5 diff "
    "--fail-above: it grew by more.";

struct Words {
  std::vector<std::string> words;
  std::string failAbove, live, sort;
};

void addOptions(CLI::App &app, Options &options, Words &words) {
  app.add_option("REPORT [VIEW]", words.words,
                 "folder or file of a report (profile.pop), and what to show "
                 "of it; or diff and two reports")
      ->option_text(" ")
      ->required();
  app.add_flag("--json", options.json,
               "print one JSON object, with all numbers and names");
  app.add_option("--top", options.most, "rows of tables; 0: all (default 20)")
      ->option_text("N");
  app.add_option("--html", options.html,
                 "write a page that shows all of it, with nothing else needed "
                 "than a browser; of diff, both reports")
      ->option_text("FILE");
  app.add_option("--trace-out", options.trace,
                 "write a trace for ui.perfetto.dev: device, tiles and host")
      ->option_text("FILE.pftrace");
  app.add_option("--trace-tiles", options.traceTiles,
                 "tiles with tracks of their own (default: the busiest, the "
                 "middle and the idlest one)")
      ->option_text("LIST")
      ->delimiter(',');
  app.add_option("--host-trace", options.hostTraces,
                 "traces that programs wrote of themselves (PVTI_OPTIONS), for "
                 "the page and the trace")
      ->option_text("FILE.pvti")
      ->delimiter(',');
  app.add_option("--lcov", options.lcov,
                 "write how often lines of codelets ran, for lcov and genhtml")
      ->option_text("FILE.info");
  app.add_option("--pprof", options.pprof,
                 "write cycles, stalls and bundles of lines of codelets, for "
                 "pprof")
      ->option_text("FILE.pb");
  app.add_option("--folded", options.folded,
                 "write stacks with cycles, one a line, for flame graphs")
      ->option_text("FILE");
  app.add_option("--live", words.live,
                 "of liveness: always, passing (live for a time) or all "
                 "(default)")
      ->option_text("WHICH");
  app.add_option("--sort", words.sort,
                 "of liveness: bytes (default), tiles, most (on a tile) or "
                 "name")
      ->option_text("BY");
  app.add_option("--fail-above", words.failAbove,
                 "of diff: exit status 5 if cycles or memory grew by more")
      ->option_text("X%");
}

double parsePercent(const std::string &text) {
  const std::string digits =
      text.ends_with('%') ? text.substr(0, text.size() - 1) : text;
  double number = -1;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() ||
      !(number >= 0))
    throw UsageError("--fail-above " + text +
                     ": expected a percentage, such as 2%");
  return number / 100;
}

void readLiveness(const Words &words, Options &options) {
  static const std::map<std::string, profile::LiveOrder> Orders = {
      {"bytes", profile::LiveOrder::Bytes},
      {"tiles", profile::LiveOrder::Tiles},
      {"most", profile::LiveOrder::MostOnTile},
      {"name", profile::LiveOrder::Name}};
  if (words.live.empty() && words.sort.empty())
    return;
  if (options.view != View::Liveness)
    throw UsageError("--live and --sort are for ipu-report DIR liveness");
  if (!words.live.empty() && words.live != "all") {
    if (words.live != "always" && words.live != "passing")
      throw UsageError("--live " + words.live +
                       ": expected always, passing or all");
    options.liveness.withAlways = words.live == "always";
    options.liveness.withPassing = words.live == "passing";
  }
  if (words.sort.empty())
    return;
  const auto order = Orders.find(words.sort);
  if (order == Orders.end())
    throw UsageError("--sort " + words.sort +
                     ": expected bytes, tiles, most or name");
  options.liveness.order = order->second;
}

void readWords(const Words &words, Options &options) {
  static const std::map<std::string, View> Views = {
      {"layers", View::Layers},
      {"tiles", View::Tiles},
      {"liveness", View::Liveness},
      {"vertex", View::Vertex},
      {"source", View::Source}};
  const std::vector<std::string> &list = words.words;
  const auto requireWords = [&](std::size_t number, const char *usage) {
    if (list.size() != number)
      throw UsageError(std::string("expected: ipu-report ") + usage);
  };
  options.report = list[0];
  if (list[0].ends_with(".pvti")) {
    requireWords(1, "FILE.pvti");
    if (!options.html.empty())
      throw UsageError("--html is for reports; --host-trace adds a trace of "
                       "the host");
    options.hostTraces.insert(options.hostTraces.begin(), list[0]);
    options.report.clear();
  } else if (list[0] == "diff") {
    requireWords(3, "diff A B");
    options.view = View::Difference;
    options.report = list[1];
    options.other = list[2];
  } else if (list.size() > 1) {
    const auto view = Views.find(list[1]);
    if (view == Views.end())
      throw UsageError("there is no view '" + list[1] +
                       "'; there are layers, tiles, liveness, vertex NAME and "
                       "source [NAME]");
    options.view = view->second;
    if (options.view == View::Vertex) {
      requireWords(3, "DIR vertex NAME");
      options.vertex = list[2];
    } else if (options.view == View::Source) {
      if (list.size() > 3)
        throw UsageError("expected: ipu-report DIR source [NAME]");
      options.vertex = list.size() == 3 ? list[2] : "";
    } else {
      requireWords(2, "DIR layers|tiles|liveness");
    }
  }
  readLiveness(words, options);
  const bool exports = !(options.lcov.empty() && options.pprof.empty() &&
                         options.folded.empty());
  if (exports && (options.report.empty() || options.view == View::Difference))
    throw UsageError("--lcov, --pprof and --folded are for one report");
  if (words.failAbove.empty())
    return;
  if (options.view != View::Difference)
    throw UsageError("--fail-above is for ipu-report diff A B");
  options.failAbove = parsePercent(words.failAbove);
}

} // namespace

std::optional<Options> parseCommandLine(int argc, char **argv) {
  CLI::App app(About, "ipu-report");
  app.formatter(std::make_shared<HelpFormatter>());
  app.footer(Footer);
  app.set_version_flag("--version", "ipu-report " POPULUS_VERSION);
  Options options;
  Words words;
  addOptions(app, options, words);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &text) {
    app.exit(text);
    return std::nullopt;
  } catch (const CLI::ParseError &error) {
    throw UsageError(explainUsage(error, app, {argv + 1, argv + argc}) +
                     "; see ipu-report --help");
  }
  readWords(words, options);
  return options;
}

} // namespace populus::tool
