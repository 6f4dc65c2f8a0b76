// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clicks, types, zooms and moves in every view, and saves its tables and pictures.

log("ready, " + all("nav button").length + " views");
for (const tab of all("nav button")) {
  tab.click();
  await wait(50);
  const filled = main().textContent.length > 20, pictures = all("main canvas");
  let drawn = 0, saved = 0;
  for (const canvas of pictures) {
    canvas.redraw();
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    drawn += pixels.some(value => value !== 0);
    const svg = new DOMParser().parseFromString(canvas.svg(), "image/svg+xml");
    saved += svg.querySelectorAll("rect, path").length > 1 && !svg.querySelector("parsererror");
    const at = [40 / canvas.clientWidth, 60 / canvas.clientHeight];
    for (const kind of ["pointermove", "click", "wheel"])
      point(canvas, kind, ...at);
    for (const key of ["+", "ArrowRight", "n", "-", "Home"])
      canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  }
  const tables = all("main .table").map(table => table.csv().trim().split("\r\n").length);
  const before = all("main tbody tr").length;
  for (const input of all("main input[type=search]")) {
    input.value = "no such name";
    input.dispatchEvent(new Event("input"));
  }
  const hidden = all("main tbody tr").length <= before;
  for (const input of all("main input[type=search]")) {
    input.value = "conv";
    input.dispatchEvent(new Event("input"));
    input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
  }
  for (const head of all("main th button"))
    head.click();
  for (const part of all("main details").slice(0, 10))
    part.open = true;
  for (const row of all("main tbody tr").slice(0, 3))
    row.click();
  await wait(30);
  log(`${tab.textContent}: filled ${filled}, drawn ${drawn} and saved ${saved} of ${pictures.length}, tables ${tables.every(lines => lines > 1)}, search ${hidden}`);
}
all("header button").at(-1).click();
log("theme " + document.documentElement.dataset.theme);
for (const side of ["after", "both", "before"]) {
  await press(side);
  log("shows " + document.querySelector("header [aria-pressed=true]").textContent);
}
// Keys choose views, and paper is light.
dispatchEvent(new KeyboardEvent("keydown", { key: "6", bubbles: true }));
log("key 6: " + document.querySelector("[aria-selected=true]").textContent);
const theme = document.documentElement.dataset.theme;
dispatchEvent(new Event("beforeprint"));
log("paper " + document.documentElement.dataset.theme);
dispatchEvent(new Event("afterprint"));
log("screen as before " + (document.documentElement.dataset.theme === theme));
