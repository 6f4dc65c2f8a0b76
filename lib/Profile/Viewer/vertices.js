// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Codelets: how many there are and how long tiles ran them, and their code with its loops and,
// where instructions were counted, each one's share of the time.

function verticesView(model) {
  const { vertex_types: types, compute_sets: sets } = model.report;
  const cycles = types.map(() => 0), shared = types.map(() => 0);
  for (const [id, sum] of model.means) {
    const spent = model.row(sum.cycles_row).reduce((all, value) => all + value, 0);
    for (const { type } of sets[id].types)
      (sets[id].types.length === 1 ? cycles : shared)[type] += spent;
  }
  const rows = types.map((type, id) => ({ type, alone: cycles[id], shared: shared[id], stack: stackInLoops(type),
    issued: type.code.reduce((all, line) => all + line.times, 0) }));
  const details = make("div", {});
  const pick = row => details.replaceChildren(make("h2", {}, row.type.name), codeView(row.type));
  const list = table([
    { name: "tile cycles", value: row => row.alone, show: grouped },
    { name: "in mixed sets", value: row => row.shared, show: grouped },
    ...rows.some(row => row.issued) ? [{ name: "cycles a bundle", value: row => row.issued && !row.shared ? row.alone / row.issued : 0,
      show: cycles => cycles ? cycles.toFixed(2) : "" }] : [],
    { name: "instances", value: row => row.type.count, show: grouped },
    { name: "state", value: row => row.type.state_bytes, show: grouped },
    { name: "code", value: row => row.type.code_bytes, show: grouped },
    { name: "stack in loops", value: row => row.stack, show: count => count || "" },
    { name: "vertex", text: true, value: row => row.type.name }], rows, { sort: 0, onpick: pick });
  return [make("div", { class: "tools" }, search("filter vertices", wanted => list.setRows(rows.filter(row => row.type.name.includes(wanted))))),
    list, details];
}

function stackInLoops(type) {
  const deepest = type.code.reduce((most, line) => Math.max(most, line.loops), 0);
  return deepest ? type.code.filter(line => line.loops === deepest && line.uses_stack).length : 0;
}

function codeView(type) {
  if (!type.code.length)
    return make("p", { class: "dim" }, "No code of the IPU: the vertex ran as host code.");
  const sum = of => type.code.reduce((all, line) => all + of(line), 0);
  const issued = sum(line => line.times), cycles = sum(line => line.cycles);
  const main = sum(line => line.pipes & 1 ? line.times : 0), aux = sum(line => line.pipes & 2 ? line.times : 0);
  const counts = line => !issued ? "" : `${grouped(line.times).padStart(13)} ${percent(line.cycles, cycles).padStart(7)} ${["", "m", "a", "ma"][line.pipes & 3].padEnd(2)} `;
  const text = line => `${line.address.toString(16).padStart(6)} ${"|".repeat(line.loops).padEnd(4)} ${(line.line || "").toString().padStart(5)} ${counts(line)} ${line.assembly}${line.uses_stack ? "   ; stack" : ""}`;
  const heatOf = line => issued && line.cycles ? { style: `background: color-mix(in srgb, var(--compute) ${Math.round(70 * line.cycles / most)}%, transparent)` } : {};
  const most = type.code.reduce((all, line) => Math.max(all, line.cycles), 1);
  const listing = type.code.flatMap(line => [...line.function ? [make("b", {}, line.function + ":")] : [],
    make("div", { ...line.uses_stack && line.loops ? { class: "hot" } : {}, ...heatOf(line) }, text(line))]);
  const facts = issued ? [make("p", {}, `${grouped(issued)} bundles in ${grouped(cycles)} cycles of contexts; main pipe ${percent(main, issued)}, auxiliary ${percent(aux, issued)}; always paired, ${grouped(Math.max(main, aux))} bundles would do.`)] : [];
  return make("div", { class: "box" }, ...facts, make("pre", {}, ...listing));
}
