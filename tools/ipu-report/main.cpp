// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ipu-report: shows reports. What it shows is lib/Profile's.

#include "Options.h"

#include "lib/Profile/Page.h"
#include "lib/Profile/Perfetto.h"
#include "lib/Profile/ReportFile.h"
#include "lib/Profile/SourceExport.h"
#include "lib/Profile/Views.h"
#include "runtime/Support/OutputFile.h"
#include "runtime/Support/TemporaryFile.h"

#include <iostream>
#include <memory>
#include <new>

namespace populus::tool {

namespace {

using ReportPointer = std::shared_ptr<const report::Report>;

/// Data go to the file, or to standard output as "-".
void writeFile(const std::string &path, const std::string &bytes) {
  if (path == "-") {
    std::cout << bytes;
    return;
  }
  const std::string reason = runtime::writeFile(path, bytes);
  if (!reason.empty())
    throw std::runtime_error("cannot write " + path + ": " + reason);
}

void print(const profile::Json &json) {
  std::cout << json.dump(2, ' ', false, profile::Json::error_handler_t::replace)
            << '\n';
}

void showVertices(const report::Report &report, const Options &options) {
  const std::vector<int> found =
      profile::findVertexTypes(report, options.vertex);
  if (found.empty())
    throw std::runtime_error("no vertex type of the program is called '" +
                             options.vertex + "'");
  profile::Json list = profile::Json::array();
  for (int type : found)
    if (options.json)
      list.push_back(profile::vertexJson(report, type));
    else
      profile::printVertex(std::cout, report, type);
  if (options.json)
    print({{"vertices", std::move(list)}});
}

void show(const report::Report &report, const Options &options) {
  switch (options.view) {
  case View::Overview:
    return options.json ? print(profile::overviewJson(report))
                        : profile::printOverview(std::cout, report);
  case View::Layers:
    return options.json ? print(profile::layersJson(report))
                        : profile::printLayers(std::cout, report, options.most);
  case View::Tiles:
    return options.json ? print(profile::tilesJson(report))
                        : profile::printTiles(std::cout, report, options.most);
  case View::Liveness:
    return options.json
               ? print(profile::livenessJson(report))
               : profile::printLiveness(std::cout, report, options.most,
                                        options.liveness);
  case View::Vertex:
    return showVertices(report, options);
  case View::Source:
    return options.json
               ? print(profile::sourceJson(report, options.vertex))
               : profile::printSource(std::cout, report, options.vertex);
  case View::Difference:
    break;
  }
}

/// Writes the files of counts by source line that were asked for; returns
/// whether there are any.
bool exportLines(const report::Report &report, const Options &options) {
  if (options.lcov.empty() && options.pprof.empty() && options.folded.empty())
    return false;
  // The name of view `vertex`, too, limits what is exported.
  const std::vector<profile::SourceLine> lines =
      profile::sourceLines(report, options.vertex);
  if (!options.lcov.empty())
    writeFile(options.lcov, profile::makeLcov(lines));
  if (!options.pprof.empty())
    writeFile(options.pprof, profile::makePprof(lines));
  if (!options.folded.empty())
    writeFile(options.folded, profile::makeFolded(lines));
  return true;
}

int showDifference(const report::Report &a, const report::Report &b,
                   const Options &options) {
  const profile::Difference difference(a, b);
  if (options.json)
    print(profile::differenceJson(difference));
  else
    profile::printDifference(std::cout, difference, options.most);
  return options.failAbove && difference.growth() > *options.failAbove
             ? Different
             : Success;
}

int showHosts(const std::vector<profile::HostTrace> &hosts,
              const Options &options) {
  if (!options.trace.empty())
    writeFile(options.trace, profile::makeTrace(hosts));
  if (options.json)
    print(profile::hostsJson(hosts));
  else if (options.trace.empty())
    profile::printHosts(std::cout, hosts, options.most);
  return Success;
}

int run(int argc, char **argv) {
  const std::optional<Options> options = parseCommandLine(argc, argv);
  if (!options)
    return Success;
  std::vector<profile::HostTrace> hosts;
  for (const std::string &file : options->hostTraces)
    hosts.push_back(profile::readHostTrace(file));
  if (options->report.empty())
    return showHosts(hosts, *options);
  const ReportPointer report = profile::readReport(options->report);
  ReportPointer other;
  if (options->view == View::Difference)
    other = profile::readReport(options->other);
  if (!options->html.empty())
    writeFile(options->html, profile::makePage(*report, other.get(), hosts));
  if (!options->trace.empty())
    writeFile(options->trace,
              profile::makeTrace(*report, options->traceTiles, hosts));
  const bool exported = !other && exportLines(*report, *options);
  if (other)
    return showDifference(*report, *other, *options);
  // Files are what was asked for.
  if (options->view == View::Overview && !options->json &&
      (exported || !(options->html.empty() && options->trace.empty())))
    return Success;
  show(*report, *options);
  return Success;
}

int fail(int code, const std::string &message) {
  std::cerr << "ipu-report: error: " << message << '\n';
  return code;
}

int runMain(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const UsageError &error) {
    return fail(WrongUsage, error.what());
  } catch (const std::bad_alloc &) {
    return fail(Failed, "out of memory");
  } catch (const std::logic_error &error) {
    return fail(InternalError, std::string("internal error: ") + error.what() +
                                   "; please report it with the report");
  } catch (const std::exception &error) {
    return fail(Failed, error.what());
  }
}

} // namespace
} // namespace populus::tool

int main(int argc, char **argv) {
  populus::runtime::removeTemporaryFilesOnSignals();
  return populus::runtime::finishOutput("ipu-report",
                                        populus::tool::runMain(argc, argv));
}
