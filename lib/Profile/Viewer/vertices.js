// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Codelets: how many there are and how long tiles ran them. A click shows the code (source.js).

function verticesView(model) {
  const { vertex_types: types, compute_sets: sets } = model.report, { values } = model;
  const cycles = types.map(() => 0), shared = types.map(() => 0);
  for (const { sets: executed } of model.domains)
    for (const { compute_set: id, cycles_row: row } of executed) {
      const spent = model.row(row).reduce((all, value) => all + value, 0);
      for (const { type } of sets[id].types)
        (sets[id].types.length === 1 ? cycles : shared)[type] += spent;
    }
  const rows = types.map((type, id) => ({ type, alone: cycles[id], shared: shared[id], stack: stackInLoops(type),
    issued: type.code.reduce((all, line) => all + line.times, 0) }));
  const details = make("div", {});
  const pick = row => {
    values.set("vertex", row.type.name);
    details.replaceChildren(make("h2", {}, row.type.name), codeView(model, row.type));
  };
  const list = table([
    { name: "tile cycles", value: row => row.alone, show: grouped, sum: true },
    { name: "in mixed sets", value: row => row.shared, show: grouped },
    ...rows.some(row => row.issued) ? [{ name: "cycles a bundle", value: row => row.issued && !row.shared ? row.alone / row.issued : 0,
      show: cycles => cycles ? cycles.toFixed(2) : "" }] : [],
    { name: "instances", value: row => row.type.count, show: grouped, sum: true },
    { name: "state", value: row => row.type.state_bytes, show: grouped },
    { name: "code", value: row => row.type.code_bytes, show: grouped },
    { name: "stack in loops", value: row => row.stack, show: count => count || "" },
    { name: "vertex", text: true, value: row => row.type.name }], rows, { sort: 0, onpick: pick, name: "vertices" });
  const asked = rows.find(row => row.type.name === values.get("vertex"));
  if (asked)
    pick(asked);
  return [make("div", { class: "tools" }, search("filter vertices", wanted => list.setRows(rows.filter(row => matches(row.type.name, wanted))))),
    list, details];
}

function stackInLoops(type) {
  const deepest = type.code.reduce((most, line) => Math.max(most, line.loops), 0);
  return deepest ? type.code.filter(line => line.loops === deepest && line.uses_stack).length : 0;
}
