// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selection and zoom survive a change of view, the address keeps them, and clicks lead to views.

const picture = () => main().querySelector("canvas"), address = () => location.hash;
await show("Timeline");
log("picture fills the page: " + (picture().getBoundingClientRect().bottom > innerHeight - 90));
const zoomed = () => new URLSearchParams(address().slice(1)).get("t");
for (let i = 0; i < 5; ++i)
  point(picture(), "wheel", 0.5, 0.5);
await wait(400);
const range = zoomed();
log("zoomed: " + /^\d+-\d+$/.test(range));
const field = await type("find a step", "CONV/convolve");
const found = () => main().querySelector(".tools [role=status]").textContent;
log("found: " + found());
await wait(50);
field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
log("next: " + found());
const step = main().querySelector(".step-details h2").textContent;
await wait(400);
const kept = address();
await show("Memory");
await show("Timeline");
await wait(400);
log("after another view: zoom " + (address() === kept) + ", step " + (main().querySelector(".step-details h2").textContent === step) + ", search " + (found().length > 0));

// A row of the table picks a layer, its link leads to the timeline, and the way back returns.
await show("Layers");
const row = all("main tbody tr").find(of => of.textContent.includes("/3/Conv"));
row.click();
log("layer: " + main().querySelector(".layer-details b").textContent);
main().querySelector(".layer-details a").click();
await wait(100);
log("leads to " + document.querySelector("[aria-selected=true]").textContent + ": " + main().querySelector("input").value + ", " + all(".step-details a").map(link => link.textContent).join(" "));
history.back();
await wait(200);
log("back to " + document.querySelector("[aria-selected=true]").textContent + ": " + main().querySelector(".layer-details b").textContent);

// Advice leads to what it speaks of.
await show("Summary");
for (const link of all("main .advice a").map(of => of.getAttribute("href"))) {
  location.hash = link;
  await wait(100);
  log("advice: " + link + " shows " + document.querySelector("[aria-selected=true]").textContent);
}
