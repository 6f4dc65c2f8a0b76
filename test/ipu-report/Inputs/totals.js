// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each total beside the sum of what is shown. The lines are what the page says; the test compares
// them with ipu-report --json.

const tables = () => all("main .table");
const legendBytes = of => [...of.querySelectorAll("span")].map(span => span.textContent);

await show("Memory");
const tip = () => document.getElementById("tip").textContent.split("\n");
point(all("main canvas")[0], "pointermove", 0.2, 0.5);
log("tile of the picture: " + tip().join("; "));
log("use of the fullest tile adds up to " + column(tables()[0], "bytes").sum);
log("of rows " + added(column(tables()[0], "bytes").rows));
const open = all("#content > p").map(part => part.textContent).join(" ");
log("says too much " + open.split("too much").length / 2 + ", tile " + open.match(/tile (\d+)/)?.[1]);

await show("Liveness");
const select = main().querySelector("select");
for (const which of ["passing", "always", "both"]) {
  select.value = which;
  select.dispatchEvent(new Event("change"));
  log(`live, ${which}: ${column(tables()[0], "bytes").sum} of rows ${added(column(tables()[0], "bytes").rows)}; ${all("main .live-details h2")[0].textContent}`);
}

await show("Exchanges");
const exchanges = column(tables()[0], "bytes");
log(`exchanges: ${exchanges.sum} of rows ${added(exchanges.rows)}`);

if (all("nav button").length && main()) {
  await show("Layers");
  const table = tables()[0], cycles = column(table, "cycles");
  log(`layers: ${cycles.sum} of rows ${added(cycles.rows)}; activities ${["compute", "exchange", "sync", "host", "control"].reduce((sum, name) => sum + column(table, name).sum, 0)}`);
  log("layers and the rest: " + all("main .tools .dim")[0].textContent);
}

await show("Summary");
const bars = all("main .legend").map(legend => [...legend.querySelectorAll("span")].map(span => span.textContent));
for (const texts of bars.filter(list => list[0].startsWith("compute")))
  log("activities add up to " + added(texts.map(numberIn)));
const steps = tables().find(table => table.textContent.includes("balance"));
if (steps)
  log(`steps: ${column(steps, "cycles").sum} of rows ${added(column(steps, "cycles").rows)}`);

await show("Vertices");
const vertices = column(tables()[0], "instances");
log(`vertices: ${vertices.sum} of rows ${added(vertices.rows)}`);
