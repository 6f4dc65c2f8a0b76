// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The summary of a comparison has the cards of both sides, and no others, whatever is pressed.

const cycles = () => all("main .card").filter(card => card.textContent.startsWith("Cycles")).map(card => card.querySelector("b").textContent);
for (const side of ["before", "after", "both", "before"]) {
  await press(side);
  log(`${side}: ${cycles().join(" and ")}; ${all("main h2").filter(title => title.textContent.startsWith("Summary")).map(title => title.textContent).join(" and ")}`);
}
log([...main().querySelectorAll("th")].slice(0, 5).map(head => head.textContent).join(" "));
await press("both");
await show("Memory");
log("side by side: " + all("main section > h2").filter(title => ["before", "after"].includes(title.textContent)).map(title => title.textContent).join(" and "));
const ids = all("[id]").map(element => element.id);
log("ids are unique: " + (new Set(ids).size === ids.length));
