// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The timeline: an overview, a scale in cycles and in time, and the rows of spans.js below each other.
// Wheel and + - zoom, dragging and arrows move, a double click shows all of a span. Spans narrower
// than a pixel are drawn once a pixel, so a picture costs its width and not the length of the run.

const RowLeft = 74;

function timelineView(model) {
  const executed = model.domains.filter(domain => domain.window?.program.length);
  if (!executed.length)
    return [make("p", {}, "The report has no executed steps: run the program with ipu-run --report.")];
  const timeline = new Timeline(model, executed);
  return timeline.view();
}

class Timeline {
  constructor(model, executed) {
    this.model = model;
    this.executed = executed;
    // Domains have clocks of their own; all rows have one scale.
    this.total = executed.reduce((most, { window }) => Math.max(most, endOf(window, window.program.length - 1)), 0);
    const tiles = [...model.values.get("tiles").matchAll(/\d+/g)].map(([digits]) => +digits).filter(tile => tile < model.tiles);
    this.rows = timelineRows(model, executed, tiles, this.total);
    const [from, to] = model.values.get("t").split("-").map(Number);
    this.from = to > from ? Math.max(0, from) : 0;
    this.to = to > from ? Math.min(this.total, to) : this.total;
    const [step, domain] = model.values.get("step").split(".").map(Number);
    this.picked = executed[domain]?.window.program[step] !== undefined ? { domain, step } : null;
    this.details = make("div", { class: "step-details" });
    this.found = make("span", { class: "dim", role: "status" });
    this.hits = [];
    this.picture = canvas(() => this.height(), (context, width, height) => this.draw(context, width, height), "executed steps over cycles");
    this.listen();
  }

  view() {
    const { model } = this, wanted = model.values.get("find");
    const leftOut = this.executed.reduce((sum, { left_out }) => sum + left_out, 0);
    const count = this.executed.reduce((sum, { window }) => sum + window.program.length, 0);
    const field = search("find a step", text => this.find(text), { value: wanted, onenter: (text, back) => this.next(back ? -1 : 1) });
    const tiles = make("input", { type: "search", class: "short", placeholder: "tiles, as 0,5", "aria-label": "tiles with rows of their own", value: model.values.get("tiles"),
      onchange: event => { model.values.set("tiles", event.target.value); dispatchEvent(new Event("showagain")); } });
    if (wanted)
      this.find(wanted, false);
    if (!this.picked && this.hits.length)
      this.showFirst();
    if (this.picked)
      this.showDetails();
    return [make("div", { class: "tools" }, field, this.found, ...[["zoom in", () => this.zoom(0.5)], ["zoom out", () => this.zoom(2)],
      ["all", () => this.setRange(0, this.total)], ["to the step", () => this.picked && this.showAll(this.picked)]]
      .map(([name, act]) => make("button", { onclick: act }, name)), tiles,
    make("span", { class: "dim" }, leftOut ? `the first ${grouped(count)} steps; ${grouped(leftOut)} more are in sums only` : `${grouped(count)} steps`)),
    legend([...Activities.map(name => [name, `var(--${name})`]), ...model.isTraining ? Object.keys(PhaseColours).map(name => [name, PhaseColours[name]]) : []]),
    figure(this.picture), this.details];
  }

  // ---- Geometry ------------------------------------------------------------

  static Top = 62; // overview and scale

  /// Rows grow where there is room for them.
  scaleFor(height) {
    const needed = this.rows.reduce((sum, row) => sum + row.height, 0);
    return Math.max(1, Math.min(3, (height - Timeline.Top - 4 * this.rows.length) / needed));
  }

  height() {
    const needed = Timeline.Top + this.rows.reduce((sum, row) => sum + row.height + 4, 0);
    const top = this.picture.getBoundingClientRect().top + scrollY;
    return Math.max(needed, innerHeight - top - (this.picked ? 0.42 * innerHeight : 56));
  }

  /// The row at a height, and where it begins.
  rowAt(y) {
    const scale = this.scaleFor(this.picture.clientHeight);
    let top = Timeline.Top;
    for (const row of this.rows) {
      const next = top + row.height * scale + 4;
      if (y >= top && y < next)
        return row;
      top = next;
    }
    return null;
  }

  x(cycle, width) {
    return RowLeft + (cycle - this.from) / (this.to - this.from) * (width - RowLeft);
  }
  cycleAt(event) {
    return this.from + (event.offsetX - RowLeft) / (this.picture.clientWidth - RowLeft) * (this.to - this.from);
  }

  // ---- Drawing -------------------------------------------------------------

  draw(context, width, height) {
    const palette = Object.fromEntries([...Activities, "text", "back", "dim", "line", "panel"].map(name => [name, colour(name)]));
    this.drawOverview(context, width, palette);
    this.drawScale(context, width, height, palette);
    const scale = this.scaleFor(height);
    let top = Timeline.Top;
    for (const row of this.rows) {
      this.drawRow(context, width, row, top, row.height * scale, palette);
      top += row.height * scale + 4;
    }
    if (this.picked) {
      const { window } = this.executed[this.picked.domain], { step } = this.picked;
      const left = Math.max(RowLeft, this.x(window.start[step], width)), right = this.x(endOf(window, step), width);
      if (right > RowLeft && left < width) {
        context.strokeStyle = palette.text;
        context.lineWidth = 1.5;
        context.strokeRect(left, Timeline.Top - 4, Math.max(1.5, right - left), top - Timeline.Top + 2);
        context.lineWidth = 1;
      }
    }
  }

  drawOverview(context, width, palette) {
    const span = width - RowLeft;
    context.fillStyle = palette.dim;
    context.fillText("all", 4, 19);
    for (const { begin, end, activity } of this.overview(Math.floor(span))) {
      context.fillStyle = palette[activity];
      context.fillRect(RowLeft + begin, 4, end - begin, 22);
    }
    context.fillStyle = palette.text;
    let drawn = -1;
    for (const { domain, step } of this.hits) {
      const at = Math.floor(this.executed[domain].window.start[step] / this.total * span);
      if (at !== drawn)
        context.fillRect(RowLeft + at, 27, 1, 5);
      drawn = at;
    }
    context.strokeStyle = palette.text;
    context.lineWidth = 2;
    context.strokeRect(RowLeft + this.from / this.total * span, 3, Math.max(3, (this.to - this.from) / this.total * span - 1), 24);
    context.lineWidth = 1;
  }

  /// The activity at each pixel of the overview, equal ones together. It depends on the width only.
  overview(span) {
    if (this.known?.span === span)
      return this.known.parts;
    const { window } = this.executed[0], { programs } = this.model.report, last = window.program.length - 1, parts = [];
    let i = 0;
    for (let pixel = 0; pixel < span; ++pixel) {
      const cycle = (pixel + 0.5) / span * this.total;
      while (i < last && endOf(window, i) <= cycle)
        ++i;
      if (endOf(window, i) < cycle)
        break;
      const activity = cycle < window.start[i] + window.sync[i] ? "sync" : this.model.activity(programs[window.program[i]]);
      if (parts.at(-1)?.activity === activity)
        parts.at(-1).end = pixel + 1;
      else
        parts.push({ begin: pixel, end: pixel + 1, activity });
    }
    this.known = { span, parts };
    return parts;
  }

  drawScale(context, width, height, palette) {
    const clock = this.model.report.target.clock_hz;
    context.fillStyle = palette.dim;
    context.fillText("cycles", 4, 43);
    if (clock)
      context.fillText("time", 4, 56);
    for (const cycle of wholeTicks(this.from, this.to, (width - RowLeft) / 130)) {
      const x = Math.round(this.x(cycle, width));
      context.fillStyle = palette.line;
      context.fillRect(x, 34, 1, height - 34);
      context.fillStyle = palette.dim;
      if (x + 60 < width) {
        context.fillText(grouped(cycle), x + 3, 43);
        if (clock)
          context.fillText(seconds(cycle / clock), x + 3, 56);
      }
    }
  }

  drawRow(context, width, row, top, height, palette) {
    context.fillStyle = palette.dim;
    context.fillText(row.name, 4, top + Math.min(height - 3, 13));
    const perPixel = (this.to - this.from) / (width - RowLeft);
    for (let i = row.firstAt(this.from); i < row.begin.length && row.begin[i] < this.to;) {
      const left = Math.max(RowLeft, this.x(row.begin[i], width)), right = Math.min(width, this.x(row.end[i], width));
      this.drawSpan(context, row, i, left, Math.max(left + 0.7, right), top, height, palette, width);
      i = right - left < 1 ? Math.max(i + 1, row.firstAt(this.from + (Math.floor(right - RowLeft) + 1) * perPixel)) : i + 1;
    }
  }

  drawSpan(context, row, i, left, right, top, height, palette, width) {
    const wide = right - left;
    context.fillStyle = this.fillOf(row, i, palette);
    context.fillRect(left, top, wide, height);
    if (row.kind === "step" && wide >= 1) {
      const { sync, start } = row.domain.window, step = row.what[i];
      const work = Math.max(left, Math.min(right, this.x(start[step] + sync[step], width)));
      const done = Math.max(work, Math.min(right, this.x(row.busy[i], width)));
      if (sync[step]) {
        context.fillStyle = palette.sync;
        context.fillRect(left, top, work - left, height);
      }
      if (done < right) { // the IPU waits for others
        context.fillStyle = palette.panel;
        context.fillRect(done, top + 2, right - done, height - 4);
      }
    }
    if (wide > 3) {
      context.strokeStyle = palette.back;
      context.strokeRect(left, top, wide, height);
    }
    if (wide > 28) {
      context.fillStyle = "#111";
      context.fillText(fitting(this.nameOf(row, i), wide - 6), left + 4, top + height / 2 + 4);
    }
  }

  fillOf(row, i, palette) {
    const what = row.what[i];
    switch (row.kind) {
      case "step": case "tile": return palette[this.model.activity(this.programOf(row, i))];
      case "phase": return PhaseColours[what.name];
      case "run": return "hsl(215 30% 72%)";
      default: return what.fill ??= `hsl(${hashOf(what.path ?? what.name) * 47 % 360} 55% 68%)`;
    }
  }

  programOf(row, i) {
    return this.model.report.programs[row.domain.window.program[row.what[i]]];
  }
  nameOf(row, i) {
    return row.kind === "step" || row.kind === "tile" ? this.model.path(this.programOf(row, i)) || Kinds[this.programOf(row, i).kind] : row.what[i].name;
  }

  // ---- Moving --------------------------------------------------------------

  setRange(a, b) {
    const length = Math.min(this.total, Math.max(10, b - a));
    this.from = Math.max(0, Math.min(this.total - length, a));
    this.to = this.from + length;
    this.model.values.set("t", length === this.total ? "" : `${Math.round(this.from)}-${Math.round(this.to)}`);
    // Several events of one frame are drawn once.
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.picture.redraw();
    });
  }
  zoom(factor, at = (this.from + this.to) / 2) {
    this.setRange(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }
  showAll({ domain, step }) {
    const { window } = this.executed[domain], room = Math.max(20, window.cycles[step]) * 0.1;
    this.setRange(window.start[step] - room, endOf(window, step) + room);
  }

  pick(domain, step) {
    const { window } = this.executed[domain];
    this.picked = { domain, step };
    this.model.values.set("step", `${step}.${domain}`);
    if (window.start[step] > this.to || endOf(window, step) < this.from) {
      const half = (this.to - this.from) / 2;
      this.setRange(window.start[step] - half, window.start[step] + half);
    }
    this.showDetails();
    this.picture.redraw();
  }
  move(by) {
    const { domain, step } = this.picked ?? { domain: 0, step: -by };
    this.pick(domain, Math.max(0, Math.min(this.executed[domain].window.program.length - 1, step + by)));
  }
  showDetails() {
    const { domain, step } = this.picked;
    this.details.replaceChildren(...stepDetails(this.model, this.executed[domain], step));
  }

  // ---- Finding -------------------------------------------------------------

  find(wanted, moves = true) {
    this.model.values.set("find", wanted);
    this.hits = [];
    if (wanted) {
      const known = this.model.report.programs.map(program => matches(this.model.path(program), wanted) ||
        program.operators.some(op => matches(this.model.report.operators[op].name, wanted)));
      this.executed.forEach(({ window }, domain) => window.program.forEach((program, step) => known[program] && this.hits.push({ domain, step })));
    }
    this.at = this.hits.findIndex(hit => this.picked?.domain === hit.domain && this.picked.step === hit.step);
    if (moves && this.at < 0 && this.hits.length)
      this.next(1);
    this.showFound();
    this.picture.redraw();
  }
  next(by) {
    if (!this.hits.length)
      return;
    this.at = (Math.max(this.at, by < 0 ? 0 : -1) + by + this.hits.length) % this.hits.length;
    this.pick(this.hits[this.at].domain, this.hits[this.at].step);
    this.showFound();
  }
  /// Picks the first step that was found, and shows it with those that follow it.
  showFirst() {
    const [{ domain, step }] = this.hits, { window } = this.executed[domain];
    let last = step;
    for (const hit of this.hits)
      if (hit.domain === domain && hit.step - last <= 3)
        last = hit.step;
    const length = endOf(window, last) - window.start[step];
    this.at = 0;
    this.setRange(window.start[step] - length * 0.1, endOf(window, last) + length * 0.1);
    this.pick(domain, step);
    this.showFound();
  }
  showFound() {
    const count = grouped(this.hits.length);
    this.found.textContent = !this.model.values.get("find") ? "" : this.at < 0 ? `${count} steps` : `step ${grouped(this.at + 1)} of ${count}; Enter for the next`;
  }

  // ---- Events --------------------------------------------------------------

  listen() {
    const { picture } = this;
    let drag = null;
    picture.addEventListener("wheel", event => {
      event.preventDefault();
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        const by = (event.deltaX || event.deltaY) / picture.clientWidth * (this.to - this.from);
        this.setRange(this.from + by, this.to + by);
      } else
        this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.cycleAt(event));
    }, { passive: false });
    picture.addEventListener("pointerdown", event => {
      drag = { x: event.offsetX, from: this.from, to: this.to, overview: event.offsetY < 32, moved: false };
      picture.setPointerCapture(event.pointerId);
    });
    picture.addEventListener("pointermove", event => {
      if (!drag)
        return showTip(event, this.textAt(event));
      const moved = event.offsetX - drag.x, span = picture.clientWidth - RowLeft;
      drag.moved ||= Math.abs(moved) > 3;
      const scale = drag.overview ? -this.total / span : (drag.to - drag.from) / span;
      if (drag.moved)
        this.setRange(drag.from - moved * scale, drag.to - moved * scale);
    });
    picture.addEventListener("pointerup", event => {
      const { moved = true, overview } = drag ?? {};
      drag = null;
      if (moved)
        return;
      if (overview) {
        const middle = (event.offsetX - RowLeft) / (picture.clientWidth - RowLeft) * this.total, half = (this.to - this.from) / 2;
        this.setRange(middle - half, middle + half);
      } else
        this.click(event);
    });
    picture.addEventListener("dblclick", event => {
      const hit = this.spanAt(event);
      if (hit)
        this.setRange(hit.row.begin[hit.i], hit.row.end[hit.i]);
    });
    picture.addEventListener("pointerleave", hideTip);
    picture.addEventListener("keydown", event => {
      const step = (this.to - this.from) / 8, left = () => this.setRange(this.from - step, this.to - step), right = () => this.setRange(this.from + step, this.to + step);
      const actions = { "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), w: () => this.zoom(0.5), s: () => this.zoom(2),
        ArrowLeft: left, ArrowRight: right, a: left, d: right, Home: () => this.setRange(0, this.total),
        n: () => this.move(1), p: () => this.move(-1), f: () => this.picked && this.showAll(this.picked) };
      if (actions[event.key] && !event.ctrlKey) {
        event.preventDefault();
        actions[event.key]();
      }
    });
  }

  spanAt(event) {
    const row = event.offsetX >= RowLeft ? this.rowAt(event.offsetY) : null, cycle = this.cycleAt(event);
    if (!row)
      return null;
    const i = row.firstAt(cycle), pixel = (this.to - this.from) / this.picture.clientWidth;
    return i < row.begin.length && row.begin[i] <= cycle + 2 * pixel ? { row, i } : null;
  }
  click(event) {
    const hit = this.spanAt(event);
    if (!hit)
      return;
    const { row, i } = hit, what = row.what[i], step = typeof what === "number" ? what : what.step;
    const domain = Math.max(0, this.executed.indexOf(row.domain));
    if (step < this.executed[domain].window.program.length)
      this.pick(domain, step);
  }
  textAt(event) {
    const hit = this.spanAt(event);
    if (!hit)
      return "";
    const { row, i } = hit, lines = [row.kind === "step" || row.kind === "tile" ? `${Kinds[this.programOf(row, i).kind] ?? "?"} ${this.model.path(this.programOf(row, i))}`
      : row.what[i].path ?? row.what[i].name];
    if (row.kind === "step") {
      const { start, sync, cycles } = row.domain.window, step = row.what[i];
      lines.push(`${grouped(cycles[step] - sync[step])} cycles from ${grouped(start[step] + sync[step])}` + (sync[step] ? `, after ${grouped(sync[step])} of sync` : ""));
      if (row.busy[i] < row.end[i])
        lines.push(`${row.name} is done after ${grouped(row.busy[i] - start[step] - sync[step])}`);
    } else
      lines.push(`${grouped(row.end[i] - row.begin[i])} cycles from ${grouped(row.begin[i])}`);
    return lines.join("\n");
  }
}

const PhaseColours = { forward: "hsl(150 45% 65%)", backward: "hsl(265 55% 78%)", update: "hsl(35 80% 68%)" };

function stepDetails(model, domain, i) {
  const { window } = domain, { report } = model, program = report.programs[window.program[i]];
  const byTile = model.tileCycles(program), taken = window.cycles[i] - window.sync[i];
  const facts = [make("b", {}, `${Kinds[program.kind]} ${model.path(program)}`),
    `${grouped(taken)} cycles from ${grouped(window.start[i] + window.sync[i])}` + (window.sync[i] ? `, after ${grouped(window.sync[i])} of sync` : "")];
  for (const op of program.operators)
    facts.push(make("span", {}, "layer ", link(report.operators[op].name, "layers", placeOf(model, "layer", report.operators[op].name))));
  if (program.kind === 1)
    for (const { type, count } of report.compute_sets[program.index].types)
      facts.push(make("span", {}, `${grouped(count)} × `, link(report.vertex_types[type].name, "vertices", placeOf(model, "vertex", report.vertex_types[type].name))));
  if (program.kind === 2) {
    const exchange = report.exchanges[program.index];
    facts.push(`${bytesText(exchange.bytes)} between tiles, ${bytesText(exchange.local_bytes)} within tiles`,
      `tile ${exchange.most_tile} receives most, ${bytesText(exchange.most_received)}`);
  }
  const view = [make("h2", {}, `Step ${i}`), make("div", { class: "box" }, ...facts.map(fact => make("div", {}, fact)))];
  if (byTile)
    view.push(make("h2", {}, "Cycles by tile"), figure(tileGraph(model, [{ name: "cycles", list: byTile, fill: colour(model.activity(program)) }], { limit: taken })));
  return view;
}
