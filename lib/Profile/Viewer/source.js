// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of a codelet: its source at the left, if it was there when the page was made, and its
// bundles at the right, both with cycles where instructions were counted. A line shows its bundles.

function codeView(model, type) {
  if (!type.code.length)
    return make("p", { class: "dim" }, "No code of the IPU: the vertex ran as host code.");
  const sum = of => type.code.reduce((all, line) => all + of(line), 0);
  const issued = sum(line => line.times), cycles = sum(line => line.cycles);
  const main = sum(line => line.pipes & 1 ? line.times : 0), aux = sum(line => line.pipes & 2 ? line.times : 0);
  const facts = issued ? [make("p", {}, `${grouped(issued)} bundles in ${grouped(cycles)} cycles of contexts; main pipe ${percent(main, issued)}, auxiliary ${percent(aux, issued)}; always paired, ${grouped(Math.max(main, aux))} bundles would do.`)] : [];
  const bundles = bundleList(type, cycles), source = sourceList(model.summary.sources?.[type.source_file] ?? {}, type, cycles);
  const light = number => {
    for (const element of [...bundles.children, ...source?.children ?? []])
      element.classList.toggle("lit", number > 0 && +element.dataset.line === number);
    for (const list of [bundles, source])
      list?.querySelector(".lit")?.scrollIntoView({ block: "nearest" });
  };
  for (const list of [bundles, source])
    list?.addEventListener("click", event => light(+event.target.closest("[data-line]")?.dataset.line));
  const part = (title, list) => make("div", {}, make("h3", {}, title), make("pre", { tabindex: 0, role: "group", "aria-label": title }, list));
  return make("div", { class: "box" }, ...facts, source
    ? make("div", { class: "columns" }, part(`${type.source_file}${issued ? ": cycles, share, line" : ": line"}`, source), part(`Bundles: address, loops, line${issued ? ", times, share, pipes" : ""}`, bundles))
    : part(`Bundles: address, loops, line${issued ? ", times, share, pipes" : ""}`, bundles));
}

const heatOf = (cycles, most) => cycles ? { style: `background: color-mix(in srgb, var(--compute) ${Math.round(70 * cycles / most)}%, transparent)` } : {};

function bundleList(type, cycles) {
  const most = type.code.reduce((all, line) => Math.max(all, line.cycles), 1);
  const counts = line => !cycles ? "" : `${grouped(line.times).padStart(11)} ${percent(line.cycles, cycles).padStart(7)} ${["", "m", "a", "ma"][line.pipes & 3].padEnd(2)} `;
  const text = line => `${line.address.toString(16).padStart(6)} ${"|".repeat(line.loops).padEnd(4)} ${(line.line || "").toString().padStart(5)} ${counts(line)} ${line.assembly}${line.uses_stack ? "   ; stack" : ""}`;
  return make("div", {}, ...type.code.flatMap(line => [...line.function ? [make("b", {}, line.function + ":")] : [],
    make("div", { "data-line": line.line, ...line.uses_stack && line.loops ? { class: "hot" } : {}, ...heatOf(line.cycles, most) }, text(line))]));
}

/// The lines of the source by number; null if none is known. Cycles are those of a line's bundles.
function sourceList(lines, type, cycles) {
  const Around = 3, byLine = new Map(), own = type.code.map(({ line }) => line).filter(line => line in lines);
  if (!own.length)
    return null;
  const first = own.reduce((least, line) => Math.min(least, line)) - Around, last = own.reduce((most, line) => Math.max(most, line)) + Around;
  const numbers = Object.keys(lines).map(Number).filter(line => line >= first && line <= last);
  for (const { line, cycles: spent } of type.code)
    byLine.set(line, (byLine.get(line) ?? 0) + spent);
  const most = numbers.reduce((all, number) => Math.max(all, byLine.get(number) ?? 0), 1);
  const text = number => {
    const spent = byLine.get(number) ?? 0;
    return (cycles ? `${(spent ? grouped(spent) : "").padStart(13)} ${(spent ? percent(spent, cycles) : "").padStart(7)} ` : "") + `${String(number).padStart(5)}  ${lines[number]}`;
  };
  const elsewhere = type.code.reduce((all, { line, cycles: spent }) => all + (line in lines ? 0 : spent), 0);
  return make("div", {}, ...numbers.map(number => make("div", { "data-line": number, ...heatOf(byLine.get(number) ?? 0, most) }, text(number))),
    ...elsewhere ? [make("div", { class: "dim" }, `${grouped(elsewhere).padStart(13)} ${percent(elsewhere, cycles).padStart(7)}        of lines elsewhere`)] : []);
}
