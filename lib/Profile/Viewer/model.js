// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A decoded report with what views ask of it. In front of the scripts stand Kinds,
// KindActivities, Categories and Activities, the names of numbers in it.

class Model {
  constructor(report, summary) {
    this.report = report;
    this.summary = summary;
    this.tiles = report.target.ipus * report.target.tiles_per_ipu;
    this.rows = new Map();
    this.domains = report.execution?.domains ?? [];
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

  path(program) {
    switch (program.kind) {
      case 1: return this.report.compute_sets[program.index].name;
      case 2: return this.report.exchanges[program.index].name;
      case 3: case 4: return this.report.host_exchanges[program.index].name;
      default: return program.name;
    }
  }

  activity(program) {
    return KindActivities[program.kind] ?? "control";
  }

  /// The cycles of tiles in one execution of a program, or null.
  tileCycles(program) {
    if (program.kind === 1) {
      const sum = this.means.get(program.index);
      return sum ? this.row(sum.cycles_row).map(cycles => cycles / sum.times) : null;
    }
    if (program.kind === 2)
      return this.row(this.report.exchanges[program.index].cycles_row);
    if (program.kind === 3 || program.kind === 4)
      return this.row(this.report.host_exchanges[program.index].cycles_row);
    return null;
  }

  liveVariables(moment, tile) {
    const sums = new Map();
    for (const part of this.report.liveness?.parts ?? []) {
      if (moment !== undefined && !inPairs(part.moments, moment, 1))
        continue;
      const tiles = tile === undefined ? countPairs(part.tiles) : +inPairs(part.tiles, tile, 0);
      if (tiles) {
        const name = this.report.liveness.variables[part.variable];
        sums.set(name, (sums.get(name) ?? 0) + tiles * part.bytes);
      }
    }
    return [...sums].sort((a, b) => b[1] - a[1]);
  }

  /// Bytes live at each moment, beside those that always are.
  liveBytes() {
    const moments = this.report.liveness?.program_at.length ?? 0;
    const bytes = new Float64Array(moments + 1);
    for (const part of this.report.liveness?.parts ?? []) {
      const size = countPairs(part.tiles) * part.bytes;
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

function countPairs(list) {
  let count = 0;
  for (let i = 0; i < list.length; i += 2)
    count += list[i + 1] - list[i];
  return count;
}
