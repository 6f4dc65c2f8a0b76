// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first view: fit, time, memory, advice; and of two reports both, with what differs.

const Sides = ["before", "after"];

/// `models` are one report or two. All of both are shown, whichever the other views show.
function summaryView(models) {
  const [{ summary }] = models, view = [];
  models.forEach((model, i) => view.push(make("h2", {}, models.length < 2 ? "Summary" : `Summary, ${Sides[i]}`), summaryCards(model)));
  if (models.length > 1)
    view.push(make("h2", {}, "Comparison"), comparison(summary, models[1].summary));
  models.forEach((model, i) => view.push(...summaryDetails(model, models.length < 2 ? "" : `, ${Sides[i]}`)));
  return view;
}

function summaryCards({ summary, report }) {
  const { cycles, memory } = summary;
  const card = (title, value, detail, kind = "") =>
    make("div", { class: "card" }, title, make("b", { class: kind }, value), make("span", { class: "dim" }, detail));
  return make("div", { class: "cards" },
    card("Fits", memory.bytes_per_tile ? summary.fits ? "yes" : "no" : "no limit",
      memory.bytes_per_tile ? `tile ${memory.fullest_tile} has ${bytesText(memory.fullest_bytes)} of ${bytesText(memory.bytes_per_tile)}, with gaps` : "",
      summary.fits ? "good" : "bad"),
    card("Memory", bytesText(memory.bytes), `peak ${bytesText(memory.peak_live_bytes)} live at step ${memory.peak_step}`),
    cycles ? card("Cycles", grouped(cycles.total), `${seconds(summary.seconds_at_clock)}, ${summary.runs} run(s), ` +
      (report.target.device === 2 ? "counted, unperturbed" : "estimated")) : card("Cycles", "not run", "ipu-run --report"),
    cycles ? card("Tile balance", summary.tile_balance.toFixed(2), `worker balance ${summary.thread_balance.toFixed(2)}`) : null,
    card("Machine", summary.device, `${summary.target}, ${report.target.ipus} × ${grouped(report.target.tiles_per_ipu)} tiles`));
}

function summaryDetails(model, side) {
  const { summary } = model, { cycles, memory } = summary, view = [];
  view.push(make("h2", {}, "Advice" + side), summary.advice.length
    ? make("ol", { class: "advice" }, ...summary.advice.map(advice => adviceItem(model, advice)))
    : make("p", { class: "dim" }, "Nothing stands out."));
  if (cycles)
    view.push(make("h2", {}, "Time" + side), activityBar(cycles),
      make("h2", {}, "Longest steps" + side), stepTable(model, "longest steps" + side));
  view.push(make("h2", {}, "Memory by use" + side), categoryBar(memory.categories));
  return view;
}

/// Advice with a link to what it speaks of.
function adviceItem(model, { rule, text, view, name }) {
  const item = make("li", { "data-rule": rule }, text);
  const key = { timeline: "find", layers: "layer", vertices: "vertex", exchanges: "exchange", memory: "tile", liveness: "variable" }[view] ?? "";
  if (view)
    item.append(" ", link(`Show it in ${view}`, view, placeOf(model, key, name)));
  return item;
}

function activityBar(cycles) {
  return make("div", {}, make("div", { class: "bar", "aria-hidden": "true" }, ...Activities.map(name =>
    make("span", { style: `width:${100 * cycles[name] / cycles.total}%;background:var(--${name})`, title: `${name}: ${grouped(cycles[name])} cycles` },
      cycles[name] / cycles.total > 0.06 ? name : ""))),
    legend(Activities.map(name => [`${name} ${grouped(cycles[name])} (${percent(cycles[name], cycles.total)})`, `var(--${name})`])));
}

function categoryBar(categories) {
  const list = Object.entries(categories), sum = list.reduce((all, [, bytes]) => all + bytes, 0);
  return make("div", {}, make("div", { class: "bar", "aria-hidden": "true" }, ...list.map(([name, bytes], i) =>
    make("span", { style: `width:${100 * bytes / sum}%;background:${hue(i)}`, title: `${name}: ${bytesText(bytes)}` }))),
    legend(list.map(([name, bytes], i) => [`${name} ${bytesText(bytes)}`, hue(i)])), make("p", { class: "dim" }, `together ${bytesText(sum)}`));
}

const hue = index => `hsl(${index * 47 % 360} 60% 55%)`;

function stepTable(model, name) {
  const { summary } = model;
  return table([
    { name: "cycles", value: step => step.cycles, show: grouped, sum: true },
    { name: "share", value: step => step.cycles, show: cycles => percent(cycles, summary.cycles.total) },
    { name: "times", value: step => step.times, show: grouped },
    { name: "tiles", value: step => step.tiles, show: grouped },
    { name: "balance", value: step => step.tile_balance ?? -1, show: balance => balance < 0 ? "" : balance.toFixed(2) },
    { name: "activity", text: true, value: step => step.activity },
    { name: "step", text: true, value: step => step.name }], summary.steps, { sort: 0, name, onpick: step => goTo("timeline", placeOf(model, "find", step.name)) });
}

function comparison(a, b) {
  const rows = [];
  const add = (name, x, y, show = grouped) => rows.push({ name, x, y, show });
  if (a.cycles && b.cycles)
    for (const name of ["total", ...Activities])
      add("cycles, " + name, a.cycles[name] / a.runs, b.cycles[name] / b.runs);
  add("memory", a.memory.bytes, b.memory.bytes, bytesText);
  add("memory with gaps", a.memory.bytes_with_gaps, b.memory.bytes_with_gaps, bytesText);
  add("fullest tile", a.memory.fullest_bytes, b.memory.fullest_bytes, bytesText);
  // Operators may share a name.
  const sums = ({ layers, runs = 1 }) => layers.reduce((all, { name, cycles }) => all.set(name, (all.get(name) ?? 0) + cycles / runs), new Map());
  const before = sums(a), after = sums(b);
  for (const name of new Set([...before.keys(), ...after.keys()]))
    add(name, before.get(name) ?? 0, after.get(name) ?? 0);
  return table([
    { name: "per run", text: true, value: row => row.name },
    { name: "before", value: row => row.x, show: (value, row) => row.show(value) },
    { name: "after", value: row => row.y, show: (value, row) => row.show(value) },
    { name: "change", value: row => row.y - row.x, show: (value, row) => (value > 0 ? "+" : "") + row.show(value) },
    { name: "%", value: row => row.x ? (row.y - row.x) / row.x : row.y ? Infinity : 0,
      show: value => isFinite(value) ? (100 * value).toFixed(1) + " %" : "new" }], rows, { name: "comparison" });
}
