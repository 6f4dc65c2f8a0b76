// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of the timeline. A row is a list of spans in order that do not overlap. Runs, blocks and phases
// of a training come first; then the hierarchy as a flame: layers, operators and compute sets below
// each other; then each IPU with its steps; then some tiles.

class SpanRow {
  constructor(name, height, kind) {
    Object.assign(this, { name, height, kind, begin: [], end: [], what: [] });
  }

  add(begin, end, what) {
    this.begin.push(begin);
    this.end.push(end);
    this.what.push(what);
  }

  /// The first span that ends behind a cycle.
  firstAt(cycle) {
    let low = 0, high = this.begin.length;
    while (low < high) {
      const middle = low + high >> 1;
      if (this.end[middle] > cycle) high = middle; else low = middle + 1;
    }
    return low;
  }
}

const endOf = (window, i) => window.start[i] + window.cycles[i];

/// Runs of the host. All domains wait for the clock at which one begins; its first step is of the first
/// domain.
function runRow(model, total) {
  const row = new SpanRow("Runs", 18, "run"), { runs } = model.report.execution;
  runs.forEach((run, i) => {
    const end = Math.min(total, runs[i + 1]?.clock ?? total);
    if (run.clock < end)
      row.add(run.clock, end, { name: run.name || `run ${i}`, step: run.first });
  });
  return row;
}

/// Blocks of programs, those inside of others in a row below.
function blockRows(model, domain) {
  const rows = [], { program = [], begin = [], end = [] } = domain.blocks ?? {};
  const order = program.map((_, i) => i).sort((a, b) => begin[a] - begin[b] || end[b] - end[a]);
  for (const i of order) {
    let row = rows.find(of => of.end.length === 0 || of.end.at(-1) <= begin[i]);
    if (!row && rows.length < 3)
      rows.push(row = new SpanRow(rows.length ? "" : "Blocks", 18, "block"));
    row?.add(begin[i], end[i], { name: model.report.programs[program[i]].name });
  }
  return rows;
}

/// Adds steps to a row; those that follow each other with the same value are one span.
class Joiner {
  constructor(row) {
    this.row = row;
    this.last = -2;
    this.value = null;
  }
  add(step, begin, end, value, what) {
    if (this.last === step - 1 && this.value === value)
      this.row.end[this.row.end.length - 1] = end;
    else
      this.row.add(begin, end, what());
    this.last = step;
    this.value = value;
  }
}

const phaseOf = (model, program) => model.report.operators[program.operators[0]]?.phase ?? "";

function phaseRow(model, domain) {
  const row = new SpanRow("Phases", 18, "phase"), { window } = domain;
  let last = null;
  for (let i = 0; i < window.program.length; ++i) {
    const phase = phaseOf(model, model.report.programs[window.program[i]]);
    if (!phase)
      continue;
    // Steps of no operator do not end a phase, but the next run does.
    if (last?.name === phase && window.start[i] < last.until)
      row.end[row.end.length - 1] = endOf(window, i);
    else {
      const run = model.report.execution.runs.find(({ clock, first }) => clock > window.start[i] && first > i);
      last = { name: phase, step: i, until: run ? run.clock : Infinity };
      row.add(window.start[i], endOf(window, i), last);
    }
  }
  return row;
}

/// The levels of a program: parts of the layer's path, its operator, and parts below that. Each is
/// named by the whole path, so that equal parts of different layers differ.
function levelsOf(model, program) {
  const path = model.path(program), [op] = program.operators;
  if (op === undefined)
    return path ? [path] : [];
  const layer = model.report.operators[op].name, split = text => text.split("/").filter(Boolean);
  const above = split(layer), own = path.startsWith(layer) ? split(path.slice(layer.length)) : path ? [path] : [];
  const levels = [];
  for (const part of [...above, ...own])
    levels.push(levels.length ? levels.at(-1) + "/" + part : part);
  return levels;
}

const MostLevels = 8;

function flameRows(model, domain) {
  const { window } = domain, joiners = [], known = new Map();
  for (let i = 0; i < window.program.length; ++i) {
    const id = window.program[i];
    let levels = known.get(id);
    if (!levels)
      known.set(id, levels = levelsOf(model, model.report.programs[id]).slice(0, MostLevels));
    levels.forEach((level, depth) => {
      joiners[depth] ??= new Joiner(new SpanRow(depth ? "" : "Layers", 18, "level"));
      joiners[depth].add(i, window.start[i], endOf(window, i), level,
        () => ({ name: level.slice(level.lastIndexOf("/") + 1), path: level, step: i }));
    });
  }
  return joiners.map(joiner => joiner.row);
}

/// The most that a tile of each IPU has of a row, from its runs of equal numbers.
function mostByIpu(model, row) {
  const { ipus, tiles_per_ipu: each } = model.report.target, most = new Float64Array(ipus);
  if (!row)
    return most;
  const { counts, values } = model.report.rows[row - 1];
  for (let i = 0, tile = 0; i < counts.length; tile += counts[i++])
    if (values[i])
      for (let ipu = Math.floor(tile / each); ipu * each < tile + counts[i] && ipu < ipus; ++ipu)
        most[ipu] = Math.max(most[ipu], values[i]);
  return most;
}

/// A row for each IPU of a domain: the steps that it takes part in. Where its tiles are done before
/// those of the others, `busy` says when.
function ipuRows(model, domain) {
  const { window } = domain, each = model.report.target.tiles_per_ipu, known = new Map();
  const first = Math.floor(domain.first_tile / each), last = Math.floor((domain.first_tile + domain.tiles - 1) / each);
  const rows = [];
  for (let ipu = first; ipu <= last; ++ipu)
    rows.push(Object.assign(new SpanRow("IPU " + ipu, 30, "step"), { domain, busy: [] }));
  for (let i = 0; i < window.program.length; ++i) {
    const program = model.report.programs[window.program[i]];
    let facts = known.get(program);
    if (!facts) {
      const { row, times } = model.tileRow(program);
      known.set(program, facts = row ? mostByIpu(model, row).map(cycles => cycles / times) : null);
    }
    const end = endOf(window, i), work = window.start[i] + window.sync[i];
    rows.forEach((row, at) => {
      const cycles = facts?.[first + at];
      if (cycles === 0 && !window.sync[i])
        return;
      row.add(window.start[i], end, i);
      row.busy.push(rows.length > 1 && facts ? Math.min(end, work + cycles) : end);
    });
  }
  return rows;
}

/// The busiest, the middle and the idlest tile of a domain.
function sampleTiles(model, domain) {
  const cycles = new Float64Array(model.tiles);
  for (const set of domain.sets)
    model.row(set.cycles_row).forEach((value, tile) => { cycles[tile] += value; });
  const tiles = Array.from({ length: domain.tiles }, (_, i) => domain.first_tile + i).sort((a, b) => cycles[b] - cycles[a]);
  return [...new Set([tiles[0], tiles[tiles.length >> 1], tiles.at(-1)])].sort((a, b) => a - b);
}

/// A row for a tile: how long it has work in each step.
function tileSpans(model, domain, tile) {
  const { window } = domain, known = new Map();
  const row = Object.assign(new SpanRow("tile " + grouped(tile), 16, "tile"), { domain, tile });
  for (let i = 0; i < window.program.length; ++i) {
    const program = model.report.programs[window.program[i]];
    let cycles = known.get(program);
    if (cycles === undefined) {
      const { row: number, times } = model.tileRow(program);
      known.set(program, cycles = number ? model.at(number, tile) / times : 0);
    }
    const work = window.start[i] + window.sync[i];
    if (cycles > 0)
      row.add(work, Math.min(work + cycles, endOf(window, i)), i);
  }
  return row;
}

/// All rows. `tiles` are those that were asked for.
function timelineRows(model, executed, tiles, total) {
  const rows = [runRow(model, total)];
  for (const domain of executed) {
    const above = [...blockRows(model, domain), ...model.isTraining ? [phaseRow(model, domain)] : [], ...flameRows(model, domain)];
    rows.push(...above.map(row => Object.assign(row, { domain })), ...ipuRows(model, domain));
    const own = tiles.filter(tile => tile >= domain.first_tile && tile < domain.first_tile + domain.tiles);
    for (const tile of tiles.length ? own : sampleTiles(model, domain))
      rows.push(tileSpans(model, domain, tile));
  }
  return rows.filter(row => row.begin.length);
}
