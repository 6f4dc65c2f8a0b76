// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules, each a function.

#include "lib/Profile/Advice.h"

#include "lib/Profile/Format.h"
#include "lib/Profile/Rows.h"
#include "lib/Profile/RunFigures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace populus::profile {

namespace {

/// Minimum share of cycles of a pattern that is reported.
constexpr double Matters = 0.05;

class Adviser {
public:
  Adviser(const report::Report &report, const Analysis &analysis)
      : report(report), analysis(analysis) {}

  std::vector<Advice> advise() {
    outOfMemory();
    oneTile();
    if (analysis.hasExecution && analysis.cycles != 0) {
      idleTiles();
      turns();
      rearrangements();
      exchanges();
      receivers();
      spills();
      threads();
      host();
      syncs();
    }
    std::stable_sort(
        result.begin(), result.end(), [](const Advice &a, const Advice &b) {
          return (a.cycles == 0) != (b.cycles == 0) ? a.cycles == 0
                                                    : a.cycles > b.cycles;
        });
    return std::move(result);
  }

private:
  void add(const char *rule, std::uint64_t cycles, std::string text,
           const char *view = "timeline", std::string name = {}) {
    result.push_back({rule, std::move(text), cycles, view, std::move(name)});
  }

  double share(std::uint64_t cycles) const {
    return static_cast<double>(cycles) / static_cast<double>(analysis.cycles);
  }

  // ---- Memory ---------------------------------------------------------------

  void outOfMemory() {
    if (analysis.fits)
      return;
    const std::uint64_t all = analysis.bytesPerTile * analysis.tiles;
    const std::uint64_t data =
        expand(report, report.memory().total_row())[analysis.fullestTile];
    std::string text = fmt::format(
        "{} of {} tiles are full; tile {} needs {} of {}, {} too much.",
        grouped(analysis.fullTiles), grouped(analysis.tiles),
        analysis.fullestTile, bytes(analysis.fullest),
        bytes(analysis.bytesPerTile),
        bytes(analysis.fullest -
              std::min(analysis.fullest, analysis.bytesPerTile)));
    if (data < analysis.fullest)
      text += fmt::format(" {} of it are gaps between blocks.",
                          bytes(analysis.fullest - data));
    const auto largest = largestOn(analysis.fullestTile);
    if (!largest.empty())
      text += " Largest there: " + listOf(largest, 3) + ".";
    if (all != 0)
      text += fmt::format(
          " All tiles together use {} of their memory: {}",
          percent(analysis.memory, all),
          analysis.memory < all / 2
              ? "spread what lies on the full ones over the others."
              : "use more IPUs, a smaller batch, fp16, or a smaller "
                "availableMemoryProportion.");
    add("out-of-memory", 0, std::move(text), "memory",
        std::to_string(analysis.fullestTile));
  }

  static std::string listOf(const std::vector<LiveVariable> &list,
                            std::size_t most) {
    std::string text;
    for (std::size_t i = 0; i != std::min(most, list.size()); ++i)
      text += (i == 0 ? "" : ", ") + quoted(list[i].name) + " with " +
              bytes(list[i].bytes);
    return text;
  }

  /// Variables on a tile at the moment when it has most.
  std::vector<LiveVariable> largestOn(std::uint32_t tile) const {
    const std::vector<std::uint64_t> live = liveBytes(report.liveness(), tile);
    LiveFilter filter{.moment = {}, .tile = tile};
    if (!live.empty())
      filter.moment = static_cast<std::uint32_t>(
          std::max_element(live.begin(), live.end()) - live.begin());
    return liveVariables(report.liveness(), filter);
  }

  /// Reports a large variable on a single tile of many.
  void oneTile() {
    constexpr std::uint64_t Large = 16 << 10;
    if (analysis.tiles < 8)
      return;
    struct Where {
      std::uint64_t bytes = 0, tiles = 0;
      std::uint32_t tile = 0;
    };
    std::map<std::uint32_t, Where> byVariable;
    for (const report::LivePart &part : report.liveness().parts()) {
      Where &where = byVariable[part.variable()];
      for (int i = 0; i + 1 < part.tiles_size(); i += 2) {
        const std::uint64_t tiles = part.tiles(i + 1) - part.tiles(i);
        where.tile = part.tiles(i);
        where.tiles += tiles;
        where.bytes += tiles * part.bytes();
      }
    }
    for (const auto &[variable, where] : byVariable)
      if (where.tiles == 1 && where.bytes >= Large)
        add("one-tile", 0,
            fmt::format(
                "{} has all of its {} on tile {}; spread over {} tiles it "
                "would be {} on each, and what works on it could use them all "
                "(poputil::mapTensorLinearly).",
                quoted(report.liveness().variables(static_cast<int>(variable))),
                bytes(where.bytes), where.tile, grouped(analysis.tiles),
                bytes(where.bytes / analysis.tiles + 1)),
            "liveness",
            printable(report.liveness().variables(static_cast<int>(variable))));
  }

  // ---- Time -----------------------------------------------------------------

  /// Tiles of the IPUs on which a compute set has vertices.
  std::uint64_t tilesAround(const StepSum &step) const {
    const std::uint64_t own =
        step.ipus.size() * report.target().tiles_per_ipu();
    return own == 0 ? analysis.tiles : own;
  }

  /// Compute sets in which tiles wait for others.
  struct Waiting {
    std::uint64_t cycles = 0, ideal = 0;
    std::vector<const StepSum *> steps;

    void take(const StepSum &step, std::uint64_t around) {
      cycles += step.ownCycles();
      ideal += step.tileCycles / around;
      steps.push_back(&step);
    }
  };

  /// Reports compute sets that leave most tiles idle most of the time. Only
  /// tiles of IPUs that work in them count; turns() reports IPUs that wait.
  void idleTiles() {
    Waiting few, uneven;
    std::uint64_t tiles = 0, around = 0; // the most in `few`
    for (const StepSum &step : analysis.steps) {
      if (step.activity != Activity::Compute || step.ownCycles() == 0)
        continue;
      const std::uint64_t all = tilesAround(step);
      const double balance =
          static_cast<double>(step.tileCycles) /
          (static_cast<double>(step.ownCycles()) * static_cast<double>(all));
      if (balance > 0.5)
        continue;
      const bool isFew = step.tiles * 2 < all;
      (isFew ? few : uneven).take(step, all);
      if (isFew && step.tiles > tiles) {
        tiles = step.tiles;
        around = all;
      }
    }
    if (matters(few))
      add("few-tiles", few.cycles - few.ideal,
          fmt::format("{} of cycles are in compute sets that keep less than "
                      "half of the tiles busy (tile balance {:.2f}): at most "
                      "{} of {} tiles work in {}. Spread over all tiles they "
                      "would take {} cycles in place of {}.",
                      percent(few.cycles, analysis.cycles),
                      analysis.tileBalance, grouped(tiles), grouped(around),
                      nameList(few.steps), grouped(few.ideal),
                      grouped(few.cycles)),
          "timeline", printable(few.steps.front()->name));
    if (matters(uneven))
      add("uneven-tiles", uneven.cycles - uneven.ideal,
          fmt::format("{} of cycles are in compute sets in which some tiles "
                      "have more than twice the work of the mean (tile "
                      "balance {:.2f}): {}. Spread evenly over all tiles they "
                      "would take {} cycles in place of {}.",
                      percent(uneven.cycles, analysis.cycles),
                      analysis.tileBalance, nameList(uneven.steps),
                      grouped(uneven.ideal), grouped(uneven.cycles)),
          "timeline", printable(uneven.steps.front()->name));
  }

  bool matters(const Waiting &waiting) const {
    return !waiting.steps.empty() && share(waiting.cycles) >= Matters;
  }

  /// Reports IPUs that wait while another one works.
  void turns() {
    std::map<std::uint32_t, std::uint64_t> alone;
    std::uint64_t all = 0, most = 0;
    for (const StepSum &step : analysis.steps)
      if (step.activity == Activity::Compute && step.ipus.size() == 1) {
        std::uint64_t &cycles = alone[*step.ipus.begin()];
        cycles += step.ownCycles();
        all += step.ownCycles();
        most = std::max(most, cycles);
      }
    // Each IPU has a clock of its own: with more work than time they overlap.
    if (report.target().ipus() < 2 || share(all) < Matters ||
        all > analysis.cycles)
      return;
    std::string text;
    for (const auto &[ipu, cycles] : alone)
      text += fmt::format("{}IPU {} for {}", text.empty() ? "" : ", ", ipu,
                          grouped(cycles));
    add("ipus-take-turns", all - most,
        fmt::format("{} of cycles are compute sets of one IPU, for which the "
                    "others wait: {}. One IPU, if the program fits it, or a "
                    "batch of its own on each, would not wait.",
                    percent(all, analysis.cycles), text));
  }

  static std::string nameList(const std::vector<const StepSum *> &steps) {
    std::string text;
    for (std::size_t i = 0; i != std::min<std::size_t>(3, steps.size()); ++i)
      text += (i == 0 ? "" : ", ") + quoted(steps[i]->name);
    if (steps.size() > 3)
      text += fmt::format(" and {} more", steps.size() - 3);
    return text;
  }

  /// Returns the operator that rearranges a layer's input, or null. An operator
  /// that moves data itself is the layer.
  const report::Operator *rearrangerOf(const Layer &layer) const {
    const report::Operator *op = &report.operators(static_cast<int>(layer.op));
    if (op->kind() == "Transpose")
      return op;
    // Limit on a chain of views, in case of a cycle.
    for (int depth = 0; depth != 8; ++depth) {
      const report::Operator *view = nullptr;
      for (std::uint32_t source : op->sources()) {
        const report::Operator &from =
            report.operators(static_cast<int>(source));
        if (from.kind() == "Transpose")
          return &from;
        if (from.is_view())
          view = &from;
      }
      if (!view)
        return nullptr;
      op = view;
    }
    return nullptr;
  }

  void rearrangements() {
    for (const Layer &layer : analysis.layers) {
      // Each has a sync in front of it.
      const std::uint64_t cycles =
          layer.cycles[static_cast<std::size_t>(Activity::Exchange)] +
          layer.cycles[static_cast<std::size_t>(Activity::Sync)];
      const report::Operator *rearranger = rearrangerOf(layer);
      if (layer.exchangedBytes == 0 ||
          share(cycles) < (rearranger ? Matters / 2 : 2 * Matters))
        continue;
      std::size_t exchanges = 0;
      for (const StepSum &step : analysis.steps)
        exchanges += step.activity == Activity::Exchange &&
                     std::find(step.operators.begin(), step.operators.end(),
                               layer.op) != step.operators.end();
      std::string text = fmt::format(
          "{} of cycles are in {} of layer {}, which move {}",
          percent(cycles, analysis.cycles), count(exchanges, "exchange"),
          quoted(layer.name), bytes(layer.exchangedBytes));
      if (rearranger)
        text += fmt::format(
            ": {} ({}) puts its input into another order. Leave it out, or "
            "compute what comes before in the order that is wanted.",
            quoted(rearranger->name()), printable(rearranger->kind()));
      else
        text += ". Its inputs do not lie where it reads them: map them as it "
                "wants them, or give neighbours the same layout.";
      add("rearrangement", cycles, std::move(text), "layers",
          printable(layer.name));
    }
  }

  /// Reports a large share of exchanges if no layer stands out.
  void exchanges() {
    const std::uint64_t cycles =
        analysis.byActivity[static_cast<std::size_t>(Activity::Exchange)];
    for (const Advice &advice : result)
      if (advice.rule == "rearrangement")
        return;
    if (share(cycles) < 4 * Matters)
      return;
    std::vector<const Layer *> layers;
    for (const Layer &layer : analysis.layers)
      layers.push_back(&layer);
    const auto exchange = static_cast<std::size_t>(Activity::Exchange);
    std::stable_sort(layers.begin(), layers.end(),
                     [&](const Layer *a, const Layer *b) {
                       return a->cycles[exchange] > b->cycles[exchange];
                     });
    std::string text = fmt::format("{} of cycles are exchanges",
                                   percent(cycles, analysis.cycles));
    for (std::size_t i = 0; i != std::min<std::size_t>(3, layers.size()); ++i)
      text += fmt::format("{} {} with {}", i == 0 ? ", most in layers" : ",",
                          quoted(layers[i]->name),
                          grouped(layers[i]->cycles[exchange]));
    add("exchange", cycles,
        text + ". Fewer and larger layers, fp16, or fewer tiles for small "
               "layers move less.",
        "exchanges");
  }

  /// Reports exchanges that wait for one tile.
  void receivers() {
    for (const StepSum &step : analysis.steps) {
      if (step.activity != Activity::Exchange || step.bytes == 0 ||
          share(step.ownCycles()) < Matters || analysis.tiles < 8 ||
          2 * step.mostReceived < step.bytes)
        continue;
      add("one-receiver", step.ownCycles(),
          fmt::format("{} of cycles are in exchange {}, in which tile {} "
                      "receives {} of {}: all others wait for it. Let more "
                      "tiles take part.",
                      percent(step.ownCycles(), analysis.cycles),
                      quoted(step.name), step.mostTile,
                      bytes(step.mostReceived), bytes(step.bytes)),
          "exchanges", printable(step.name));
    }
  }

  /// Reports loops of codelets that access the stack.
  void spills() {
    std::map<std::uint32_t, std::uint64_t> cycles;
    // Cycles that tiles spent on several types at once belong to none for
    // certain.
    for (const TypeCycles &entry : cyclesByType(report))
      if (entry.types.size() == 1)
        cycles[entry.types.front()] += entry.cycles;
    for (int i = 0; i != report.vertex_types_size(); ++i) {
      const report::VertexType &type = report.vertex_types(i);
      std::uint64_t inLoops = 0, onStack = 0;
      std::uint32_t deepest = 0;
      for (const report::CodeLine &line : type.code())
        deepest = std::max(deepest, line.loops());
      for (const report::CodeLine &line : type.code())
        if (deepest != 0 && line.loops() == deepest) {
          ++inLoops;
          onStack += line.uses_stack();
        }
      const std::uint64_t spent = cycles[static_cast<std::uint32_t>(i)];
      const double ofTiles = analysis.tileCycles == 0
                                 ? 0
                                 : static_cast<double>(spent) /
                                       static_cast<double>(analysis.tileCycles);
      if (onStack == 0 || ofTiles < Matters)
        continue;
      add("spilled-loop",
          static_cast<std::uint64_t>(
              ofTiles * static_cast<double>(analysis.computeCycles) *
              static_cast<double>(onStack) / static_cast<double>(inLoops)),
          fmt::format("{} of tiles' compute cycles are in codelet {}, whose "
                      "innermost loop keeps values on the stack: {} of its {} "
                      "instructions go there. Keep fewer values in the loop, "
                      "or split it (ipu-report DIR vertex {}).",
                      percent(spent, analysis.tileCycles), quoted(type.name()),
                      onStack, inLoops, type.name()),
          "vertices", printable(type.name()));
    }
  }

  void threads() {
    if (analysis.threadBalance > 0.5 ||
        share(analysis.computeCycles) < 5 * Matters)
      return;
    add("few-workers",
        static_cast<std::uint64_t>(static_cast<double>(analysis.computeCycles) *
                                   (1 - analysis.threadBalance)),
        fmt::format("Workers issue in {:.0f} % of tiles' compute cycles: where "
                    "a tile has fewer than six vertices, or one that is much "
                    "longer than the others, workers wait. Cut the work into "
                    "multiples of six vertices on each tile.",
                    100 * analysis.threadBalance));
  }

  void host() {
    const std::uint64_t cycles =
        analysis.byActivity[static_cast<std::size_t>(Activity::Host)];
    if (share(cycles) < 5 * Matters)
      return;
    add("host", cycles,
        fmt::format("{} of cycles are transfers from and to the host. Send "
                    "less often and less: keep weights on the device, use "
                    "fp16, more batches for each transfer.",
                    percent(cycles, analysis.cycles)),
        "host");
  }

  void syncs() {
    const std::uint64_t cycles =
        analysis.byActivity[static_cast<std::size_t>(Activity::Sync)];
    if (share(cycles) < 5 * Matters)
      return;
    std::uint64_t times = 0;
    for (const StepSum &step : analysis.steps)
      times += step.syncCycles != 0 ? step.times : 0;
    add("syncs", cycles,
        fmt::format("{} of cycles are in {} syncs: steps are short, {} cycles "
                    "on average. Larger batches make them longer.",
                    percent(cycles, analysis.cycles), grouped(times),
                    grouped((analysis.cycles - cycles) /
                            std::max<std::uint64_t>(times, 1))));
  }

  const report::Report &report;
  const Analysis &analysis;
  std::vector<Advice> result;
};

} // namespace

std::vector<Advice> adviceFor(const report::Report &report,
                              const Analysis &analysis) {
  return Adviser(report, analysis).advise();
}

} // namespace populus::profile
