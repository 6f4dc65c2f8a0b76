// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first view: fit, time, memory, advice; and what differs between two reports.

function summaryView(model, other) {
  const { summary, report } = model, { cycles, memory } = summary;
  const card = (title, value, detail, kind = "") =>
    make("div", { class: "card" }, title, make("b", { class: kind }, value), make("span", { class: "dim" }, detail));
  const cards = make("div", { class: "cards" },
    card("Fits", memory.bytes_per_tile ? summary.fits ? "yes" : "no" : "no limit",
      memory.bytes_per_tile ? `tile ${memory.fullest_tile} has ${bytesText(memory.fullest_bytes)} of ${bytesText(memory.bytes_per_tile)}` : "",
      summary.fits ? "good" : "bad"),
    card("Memory", bytesText(memory.bytes), `peak ${bytesText(memory.peak_live_bytes)} live at step ${memory.peak_step}`),
    cycles ? card("Cycles", grouped(cycles.total), `${seconds(summary.seconds_at_clock)}, ${summary.runs} run(s), ` +
      (report.target.device === 2 ? "counted, unperturbed" : "estimated")) : card("Cycles", "not run", "ipu-run --report"),
    cycles ? card("Tile balance", summary.tile_balance.toFixed(2), `worker balance ${summary.thread_balance.toFixed(2)}`) : null,
    card("Machine", summary.device, `${summary.target}, ${report.target.ipus} × ${grouped(report.target.tiles_per_ipu)} tiles`));
  const view = [make("h2", {}, "Summary"), cards];
  if (cycles)
    view.push(make("h2", {}, "Time"), activityBar(cycles),
      make("h2", {}, "Longest steps"), stepTable(summary));
  view.splice(2, 0, make("h2", {}, "Advice"), summary.advice.length
    ? make("ol", { class: "advice" }, ...summary.advice.map(advice => make("li", { "data-rule": advice.rule }, advice.text)))
    : make("p", { class: "dim" }, "Nothing stands out."));
  if (other)
    view.splice(2, 0, make("h2", {}, "Comparison"), comparison(summary, other.summary));
  view.push(make("h2", {}, "Memory by use"), categoryBar(memory.categories));
  return view;
}

function activityBar(cycles) {
  return make("div", {}, make("div", { class: "bar" }, ...Activities.map(name =>
    make("span", { style: `width:${100 * cycles[name] / cycles.total}%;background:var(--${name})`, title: `${name}: ${grouped(cycles[name])} cycles` },
      cycles[name] / cycles.total > 0.06 ? name : ""))),
    legend(Activities.map(name => [`${name} ${grouped(cycles[name])} (${percent(cycles[name], cycles.total)})`, `var(--${name})`])));
}

function categoryBar(categories) {
  const list = Object.entries(categories), sum = list.reduce((all, [, bytes]) => all + bytes, 0);
  return make("div", {}, make("div", { class: "bar" }, ...list.map(([name, bytes], i) =>
    make("span", { style: `width:${100 * bytes / sum}%;background:${hue(i)}`, title: `${name}: ${bytesText(bytes)}` }))),
    legend(list.map(([name, bytes], i) => [`${name} ${bytesText(bytes)}`, hue(i)])));
}

const hue = index => `hsl(${index * 47 % 360} 60% 55%)`;

function stepTable(summary) {
  return table([
    { name: "cycles", value: step => step.cycles, show: grouped },
    { name: "share", value: step => step.cycles, show: cycles => percent(cycles, summary.cycles.total) },
    { name: "times", value: step => step.times, show: grouped },
    { name: "tiles", value: step => step.tiles, show: grouped },
    { name: "balance", value: step => step.tile_balance ?? -1, show: balance => balance < 0 ? "" : balance.toFixed(2) },
    { name: "activity", text: true, value: step => step.activity },
    { name: "step", text: true, value: step => step.name }], summary.steps, { sort: 0 });
}

function comparison(a, b) {
  const rows = [];
  const add = (name, x, y, show = grouped) => rows.push({ name, x, y, show });
  if (a.cycles && b.cycles)
    for (const name of ["total", ...Activities])
      add("cycles, " + name, a.cycles[name] / a.runs, b.cycles[name] / b.runs);
  add("memory", a.memory.bytes, b.memory.bytes, bytesText);
  add("fullest tile", a.memory.fullest_bytes, b.memory.fullest_bytes, bytesText);
  const layers = new Map(a.layers.map(layer => [layer.name, layer.cycles / a.runs]));
  for (const layer of b.layers) {
    add(layer.name, layers.get(layer.name) ?? 0, layer.cycles / b.runs);
    layers.delete(layer.name);
  }
  for (const [name, cycles] of layers)
    add(name, cycles, 0);
  return table([
    { name: "what", text: true, value: row => row.name },
    { name: "source", value: row => row.x, show: (value, row) => row.show(value) },
    { name: "target", value: row => row.y, show: (value, row) => row.show(value) },
    { name: "diff", value: row => row.y - row.x, show: (value, row) => (value > 0 ? "+" : "") + row.show(value) },
    { name: "%", value: row => row.x ? (row.y - row.x) / row.x : row.y ? Infinity : 0,
      show: value => isFinite(value) ? (100 * value).toFixed(1) + " %" : "new" }], rows);
}
