// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Validation of a report that was read, because a file may contain anything.

#include "lib/Profile/ReportFile.h"
#include "lib/Profile/Rows.h"

#include <algorithm>
#include <string>
#include <vector>

namespace populus::profile {

namespace {

/// Upper limit on tiles. No machine has more, and a row of that size can be
/// expanded.
constexpr std::uint64_t MostTiles = 1 << 20;

/// Value of runtime::StepKind::Call.
constexpr std::uint32_t Call = 9;

class Checker {
public:
  explicit Checker(const report::Report &report) : report(report) {}

  std::string check() {
    const report::Target &target = report.target();
    const std::uint64_t tiles =
        std::uint64_t(target.ipus()) * target.tiles_per_ipu();
    if (tiles == 0 || tiles > MostTiles)
      return "its target has " + std::to_string(tiles) + " tiles";
    if (target.device() > 2 || !(target.clock_hz() > 0))
      return "its target is no device";
    require(target.replica_tiles() <= tiles,
            "a replica has more tiles than its target");
    checkRows(tiles);
    checkOperators();
    checkComputeSets();
    for (const report::Exchange &exchange : report.exchanges())
      checkExchange(exchange);
    for (const report::Exchange &exchange : report.host_exchanges())
      checkExchange(exchange);
    checkPrograms();
    checkMemory();
    checkLiveness(tiles);
    checkExecution(tiles);
    checkMatrix();
    return wrong;
  }

private:
  void fail(const std::string &what) {
    if (wrong.empty())
      wrong = what;
  }
  void require(bool holds, const char *what) {
    if (!holds)
      fail(what);
  }
  void checkRow(std::uint32_t row) {
    require(row <= static_cast<std::uint32_t>(report.rows_size()),
            "a row that it names is not there");
  }

  void checkRows(std::uint64_t tiles) {
    for (const report::Row &row : report.rows()) {
      std::uint64_t sum = 0;
      for (std::uint32_t count : row.counts())
        sum += count;
      require(sum == tiles && row.counts_size() == row.values_size(),
              "a row does not have a number for each tile");
    }
  }

  void checkOperators() {
    for (const report::Operator &op : report.operators())
      for (std::uint32_t source : op.sources())
        require(source < static_cast<std::uint32_t>(report.operators_size()),
                "an operator reads what is not there");
  }

  void checkComputeSets() {
    for (const report::ComputeSet &set : report.compute_sets()) {
      checkRow(set.cycles_row());
      checkRow(set.active_row());
      for (std::uint32_t ipu : set.ipus())
        require(ipu < report.target().ipus(),
                "a compute set is on an IPU that is not there");
      for (const report::VertexCount &count : set.types()) {
        require(count.type() <
                    static_cast<std::uint32_t>(report.vertex_types_size()),
                "a compute set has vertices of no type");
        checkRow(count.count_row());
      }
    }
  }

  void checkExchange(const report::Exchange &exchange) {
    checkRow(exchange.received_row());
    checkRow(exchange.sent_row());
    checkRow(exchange.cycles_row());
  }

  /// Limit of a program's index, which depends on the kind.
  std::uint32_t limitOf(std::uint32_t kind) const {
    // The numbers of runtime::StepKind, which files keep.
    switch (kind) {
    case Call:
      return static_cast<std::uint32_t>(report.programs_size());
    case 1:
      return static_cast<std::uint32_t>(report.compute_sets_size());
    case 2:
      return static_cast<std::uint32_t>(report.exchanges_size());
    case 3:
    case 4:
      return static_cast<std::uint32_t>(report.host_exchanges_size());
    default:
      return ~std::uint32_t(0);
    }
  }

  void checkPrograms() {
    const auto count = static_cast<std::uint32_t>(report.programs_size());
    for (const report::Program &program : report.programs()) {
      require(program.index() < limitOf(program.kind()),
              "a program names something that is not there");
      for (std::uint32_t child : program.children())
        require(child < count, "a part of a program is not there");
      for (std::uint32_t op : program.operators())
        require(op < static_cast<std::uint32_t>(report.operators_size()),
                "a program is of an operator that is not there");
    }
    for (std::uint32_t root : report.control_programs())
      require(root < count, "a control program is not there");
    if (wrong.empty())
      checkCycles(count);
  }

  /// Removes programs without parents repeatedly. If some remain, there is a
  /// cycle.
  void checkCycles(std::uint32_t count) {
    std::vector<std::uint32_t> uses(count);
    const auto forEachPart = [&](std::uint32_t id, auto function) {
      const report::Program &program = report.programs(static_cast<int>(id));
      for (std::uint32_t child : program.children())
        function(child);
      if (program.kind() == Call)
        function(program.index());
    };
    for (std::uint32_t id = 0; id != count; ++id)
      forEachPart(id, [&](std::uint32_t part) { ++uses[part]; });
    std::vector<std::uint32_t> free;
    for (std::uint32_t id = 0; id != count; ++id)
      if (uses[id] == 0)
        free.push_back(id);
    std::uint32_t taken = 0;
    for (; !free.empty(); ++taken) {
      const std::uint32_t id = free.back();
      free.pop_back();
      forEachPart(id, [&](std::uint32_t part) {
        if (--uses[part] == 0)
          free.push_back(part);
      });
    }
    require(taken == count, "a program is part of itself");
  }

  void checkMemory() {
    const report::Memory &memory = report.memory();
    checkRow(memory.total_row());
    checkRow(memory.gaps_row());
    checkRow(memory.overlapped_row());
    checkRow(memory.after_overlapping_row());
    require(memory.region_rows_size() == 0 || memory.region_rows_size() == 3,
            "memory has other regions");
    for (std::uint32_t row : memory.region_rows())
      checkRow(row);
    for (const report::CategoryMemory &category : memory.categories()) {
      checkRow(category.row());
      require(category.category() < 64, "memory is of no kind");
      require(category.region_rows_size() == 0 ||
                  category.region_rows_size() == 6,
              "memory has other regions");
      for (std::uint32_t row : category.region_rows())
        checkRow(row);
    }
  }

  void checkLiveness(std::uint64_t tiles) {
    const report::Liveness &liveness = report.liveness();
    for (std::uint32_t program : liveness.program_at())
      require(program < static_cast<std::uint32_t>(report.programs_size()),
              "a moment is of no program");
    const auto moments = static_cast<std::uint32_t>(liveness.program_at_size());
    for (const report::LivePart &part : liveness.parts()) {
      require(part.variable() <
                  static_cast<std::uint32_t>(liveness.variables_size()),
              "a variable has no name");
      checkPairs(part.tiles(), static_cast<std::uint32_t>(tiles), 0);
      checkPairs(part.moments(), moments, 1);
    }
  }

  /// Pairs whose second number plus `last` is not past `end`.
  template <typename List>
  void checkPairs(const List &list, std::uint32_t end, std::uint32_t last) {
    require(list.size() % 2 == 0, "liveness is cut off");
    for (int i = 0; i + 1 < list.size(); i += 2)
      require(list.Get(i) <= list.Get(i + 1) &&
                  std::uint64_t(list.Get(i + 1)) + last <= end,
              "a variable is live where nothing is");
  }

  void checkExecution(std::uint64_t tiles) {
    if (!report.has_execution())
      return;
    const report::Execution &execution = report.execution();
    require(execution.domains_size() != 0, "nothing was executed");
    for (const report::Domain &domain : execution.domains())
      checkDomain(domain, tiles);
    if (execution.domains_size() == 0)
      return;
    checkVertices(execution);
    std::uint64_t before = 0;
    for (const report::Run &run : execution.runs()) {
      require(run.first() >= before &&
                  run.first() <=
                      static_cast<std::uint64_t>(
                          execution.domains(0).window().start_size()),
              "a run begins nowhere");
      require(run.begin() <= run.end(), "a run ends before it begins");
      before = run.first();
    }
  }

  void checkVertices(const report::Execution &execution) {
    const int size = execution.vertex_cycles_size();
    require(execution.vertex_sets_size() == size &&
                execution.vertex_types_size() == size && execution.level() <= 3,
            "its vertices are cut off");
    for (std::uint32_t set : execution.vertex_sets())
      require(set < static_cast<std::uint32_t>(report.compute_sets_size()),
              "a vertex is of no compute set");
    for (std::uint32_t type : execution.vertex_types())
      require(type < static_cast<std::uint32_t>(report.vertex_types_size()),
              "a vertex is of no type");
  }

  void checkDomain(const report::Domain &domain, std::uint64_t tiles) {
    require(std::uint64_t(domain.first_tile()) + domain.tiles() <= tiles &&
                domain.tiles() != 0,
            "tiles were executed that are not there");
    const auto programs = static_cast<std::uint32_t>(report.programs_size());
    for (const report::ProgramTotal &total : domain.totals())
      require(total.program() < programs, "what was executed is no program");
    const report::Window &window = domain.window();
    const int size = window.program_size();
    require(window.start_size() == size && window.cycles_size() == size &&
                window.sync_size() == size &&
                window.tile_cycles_size() == size &&
                window.active_cycles_size() == size,
            "its steps are cut off");
    for (std::uint32_t program : window.program())
      require(program < programs, "what was executed is no program");
    for (int i = 0; i < std::min(window.cycles_size(), window.sync_size()); ++i)
      require(window.sync(i) <= window.cycles(i), "a sync outlasts its step");
    checkBlocks(domain.blocks());
    for (const report::SetCycles &set : domain.sets()) {
      require(set.compute_set() <
                  static_cast<std::uint32_t>(report.compute_sets_size()),
              "cycles are of no compute set");
      checkRow(set.cycles_row());
    }
  }

  void checkBlocks(const report::Blocks &blocks) {
    const int size = blocks.program_size();
    require(blocks.begin_size() == size && blocks.end_size() == size,
            "its blocks are cut off");
    for (std::uint32_t program : blocks.program())
      require(program < static_cast<std::uint32_t>(report.programs_size()),
              "a block is no program");
    for (int i = 0; i < std::min(blocks.begin_size(), blocks.end_size()); ++i)
      require(blocks.begin(i) <= blocks.end(i),
              "a block ends before it begins");
  }

  void checkMatrix() {
    const report::ExchangeMatrix &matrix = report.matrix();
    require(std::uint64_t(matrix.groups()) * matrix.groups() ==
                    static_cast<std::uint64_t>(matrix.bytes_size()) &&
                matrix.groups() <= 1024,
            "its exchange matrix is cut off");
  }

  const report::Report &report;
  std::string wrong; // the first
};

} // namespace

std::string contradictionIn(const report::Report &report) {
  return Checker(report).check();
}

} // namespace populus::profile
