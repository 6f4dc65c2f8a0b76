// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The control programs as a tree, which opens a level at a time; a search lists what it finds.

function programsView(model) {
  const { programs, control_programs: roots, compute_sets: sets, vertex_types: types, operators } = model.report;
  const totals = new Map();
  for (const { program, times, cycles } of model.domains.flatMap(domain => domain.totals)) {
    const sum = totals.get(program) ?? { times: 0, cycles: 0 };
    totals.set(program, { times: sum.times + times, cycles: sum.cycles + cycles.total });
  }
  const title = id => {
    const program = programs[id], total = totals.get(id), path = model.path(program);
    const repeat = program.kind === 5 ? ` × ${grouped(program.index)}` : "";
    const kind = program.kind === 0 && program.index === 1 ? "Block" : Kinds[program.kind] ?? "?";
    return `${kind}${repeat}${path ? " " + path : ""}` +
      (total ? `  — ${grouped(total.cycles)} cycles in ${grouped(total.times)}` : "");
  };
  const childrenOf = id => programs[id].kind === 9 ? [programs[id].index] : programs[id].children;
  const details = make("div", { class: "box program-details" }, "Pick a program.");
  const show = id => {
    const program = programs[id], lines = [title(id)];
    for (const op of program.operators)
      lines.push(`layer ${operators[op].name} ${operators[op].kind}`);
    if (program.kind === 1)
      for (const count of sets[program.index].types) {
        const type = types[count.type];
        lines.push(`${grouped(count.count)} × ${type.name}` + (type.source_file ? `  ${type.source_file}:${type.source_line}` : ""));
      }
    details.replaceChildren(...lines.map(line => make("div", {}, line)));
  };
  const Most = 1000; // children that are shown
  const node = (id, isOpen = false) => {
    const children = childrenOf(id);
    if (!children.length)
      return make("button", { class: "leaf", onclick: () => show(id) }, title(id));
    const element = make("details", {}, make("summary", { onclick: () => show(id) }, title(id)));
    const fill = () => {
      if (!element.open || element.dataset.full)
        return;
      element.dataset.full = "yes";
      element.append(...children.slice(0, Most).map(child => node(child)));
      if (children.length > Most)
        element.append(make("div", { class: "leaf dim" }, `and ${grouped(children.length - Most)} more: use the search`));
    };
    element.addEventListener("toggle", fill);
    if (isOpen) {
      element.open = true;
      fill();
    }
    return element;
  };
  const tree = make("div", { class: "tree scroll", tabindex: 0, role: "group", "aria-label": "programs" });
  const showTree = () => tree.replaceChildren(...roots.map(root => node(root, true)));
  const find = wanted => {
    model.values.set("program", wanted);
    if (!wanted)
      return showTree();
    const hits = [];
    for (let id = 0; id < programs.length && hits.length < 500; ++id)
      if (matches(title(id), wanted))
        hits.push(node(id));
    tree.replaceChildren(make("div", { class: "dim" }, `${hits.length}${hits.length === 500 ? " or more" : ""} found`), ...hits);
  };
  find(model.values.get("program"));
  return [make("div", { class: "tools" }, search("search programs", find, { value: model.values.get("program") })), make("div", { class: "columns" }, tree, details)];
}
