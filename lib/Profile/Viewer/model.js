// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A decoded report with what views ask of it. In front of the scripts stand Kinds,
// KindActivities, Categories and Activities, the names of numbers in it.

class Model {
  /// `values` are those of the address that belong to the report.
  constructor(report, summary, values) {
    this.report = report;
    this.values = values;
    this.prefix = values.prefix;
    this.summary = summary;
    this.tiles = report.target.ipus * report.target.tiles_per_ipu;
    this.rows = new Map();
    this.domains = report.execution?.domains ?? [];
    this.isTraining = report.operators.some(op => op.phase);
    this.means = new Map();
    for (const { sets } of this.domains)
      for (const set of sets)
        this.means.set(set.compute_set, set);
  }

  /// The numbers of a row by tile.
  row(number) {
    let known = this.rows.get(number);
    if (!known) {
      known = new Float64Array(this.tiles);
      if (number !== 0) {
        const { counts, values } = this.report.rows[number - 1];
        for (let i = 0, tile = 0; i < counts.length; tile += counts[i++])
          known.fill(values[i], tile, tile + counts[i]);
      }
      this.rows.set(number, known);
    }
    return known;
  }

  /// The number of one tile.
  at(row, tile) {
    const { counts, values } = this.report.rows[row - 1];
    let i = 0;
    for (let end = counts[0]; end <= tile; end += counts[++i]);
    return values[i];
  }

  path(program) {
    switch (program.kind) {
      case 1: return this.report.compute_sets[program.index].name;
      case 2: return this.report.exchanges[program.index].name;
      case 3: case 4: return this.report.host_exchanges[program.index].name;
      default: return program.name;
    }
  }

  /// Categories of memory as { name, list by tile, fill }: they add up to the bytes in use.
  memoryLists() {
    const { memory } = this.report;
    const lists = memory.categories.map(({ category, row }) => ({ name: Categories[category] ?? "Other", list: this.row(row) }));
    const shared = this.row(memory.total_row).slice();
    for (const { list } of lists)
      for (let tile = 0; tile < this.tiles; ++tile)
        shared[tile] -= list[tile];
    lists.push({ name: "Shared by variables", list: shared });
    return lists.map((entry, i) => ({ ...entry, fill: hue(i) }));
  }

  /// Bytes of each tile between its blocks, which nothing uses.
  gaps() {
    const total = this.row(this.report.memory.total_row);
    return this.row(this.report.memory.gaps_row).map((bytes, tile) => Math.max(0, bytes - total[tile]));
  }

  /// The row of numbers that a program has by tile, and by how many executions they are divided; row 0: none.
  tileRow(program) {
    if (program.kind === 1) {
      const sum = this.means.get(program.index);
      return sum ? { row: sum.cycles_row, times: sum.times } : { row: 0, times: 1 };
    }
    const exchange = program.kind === 2 ? this.report.exchanges[program.index]
      : program.kind === 3 || program.kind === 4 ? this.report.host_exchanges[program.index] : null;
    return { row: exchange?.cycles_row ?? 0, times: 1 };
  }

  activity(program) {
    return KindActivities[program.kind] ?? "control";
  }

  /// The cycles of tiles in one execution of a program, or null.
  tileCycles(program) {
    const { row, times } = this.tileRow(program);
    return row ? this.row(row).map(cycles => cycles / times) : null;
  }

  /// Variables as { name, bytes, tiles, most, always }, of one moment, one tile, or all. Of a moment
  /// those that are always live are left out: `which` is "passing", "always" or "both".
  liveVariables({ moment, tile, which = "both" } = {}) {
    const parts = new Map();
    for (const part of this.report.liveness?.parts ?? []) {
      const always = part.moments.length === 0;
      if (which === (always ? "passing" : "always") || !always && moment !== undefined && !inPairs(part.moments, moment, 1) ||
        tile !== undefined && !inPairs(part.tiles, tile, 0))
        continue;
      const name = this.report.liveness.variables[part.variable], key = +always + name;
      const known = parts.get(key) ?? { name, always, changes: [] };
      parts.set(key, known);
      const tiles = tile === undefined ? part.tiles : [tile, tile + 1];
      for (let i = 0; i < tiles.length; i += 2)
        known.changes.push([tiles[i], part.bytes], [tiles[i + 1], -part.bytes]);
    }
    return [...parts.values()].map(({ name, always, changes }) => ({ name, always, ...sumOfRanges(changes) })).sort((a, b) => b.bytes - a.bytes);
  }

  /// Bytes live at each moment, beside those that always are; of all tiles, or of one.
  liveBytes(tile) {
    const moments = this.report.liveness?.program_at.length ?? 0;
    const bytes = new Float64Array(moments + 1);
    for (const part of this.report.liveness?.parts ?? []) {
      const size = (tile === undefined ? countPairs(part.tiles) : +inPairs(part.tiles, tile, 0)) * part.bytes;
      for (let i = 0; i < part.moments.length; i += 2) {
        bytes[part.moments[i]] += size;
        bytes[part.moments[i + 1] + 1] -= size;
      }
    }
    for (let i = 1; i <= moments; ++i)
      bytes[i] += bytes[i - 1];
    return bytes.subarray(0, moments);
  }
}

function inPairs(list, value, last) {
  for (let i = 0; i < list.length; i += 2)
    if (list[i] <= value && value < list[i + 1] + last)
      return true;
  return false;
}

/// Ranges of tiles may overlap. `changes` are [tile, more or fewer bytes on each tile from there on].
function sumOfRanges(changes) {
  let bytes = 0, tiles = 0, most = 0, here = 0, begin = 0;
  for (const [tile, change] of changes.sort((a, b) => a[0] - b[0])) {
    tiles += here ? tile - begin : 0;
    bytes += here * (tile - begin);
    if (tile > begin)
      most = Math.max(most, here);
    here += change;
    begin = tile;
  }
  return { bytes, tiles, most };
}

function countPairs(list) {
  let count = 0;
  for (let i = 0; i < list.length; i += 2)
    count += list[i + 1] - list[i];
  return count;
}
