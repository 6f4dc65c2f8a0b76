// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules of WCAG that a page of tables and pictures can break: names of controls, headers of tables,
// order of titles, unique ids, keyboard access to what scrolls, and contrast, on both backgrounds.

const visible = element => element.getClientRects().length > 0;
const nameOf = element => (element.getAttribute("aria-label") ?? (element.labels?.length ? element.labels[0].textContent : element.textContent)).trim();

const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
/// Red, green and blue of colours on top of each other.
function channels(colours) {
  for (const colour of colours) {
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
  }
  return [...context.getImageData(0, 0, 1, 1).data];
}
const luminance = rgb => rgb.slice(0, 3).map(value => value / 255).map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
  .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
const contrasts = new Map();
function contrast(text, back) {
  const key = text + back;
  if (!contrasts.has(key)) {
    const [a, b] = [luminance(channels([...back, text])), luminance(channels(back))];
    contrasts.set(key, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
  }
  return contrasts.get(key);
}
/// The backgrounds of an element, the lowest first.
function backOf(element) {
  const backs = [];
  for (let at = element; at; at = at.parentElement)
    backs.unshift(getComputedStyle(at).backgroundColor);
  return ["white", ...backs];
}

function* violations() {
  for (const element of all("button, input, select, a, canvas, [role=group], summary"))
    if (visible(element) && !nameOf(element) && !element.getAttribute("placeholder"))
      yield "no name: " + element.outerHTML.slice(0, 100);
  for (const element of all("main .scroll, main pre"))
    if (element.scrollHeight > element.clientHeight + 1 && element.tabIndex < 0)
      yield "scrolls without keys: " + element.className;
  for (const table of all("table"))
    if (![...table.querySelectorAll("th")].every(head => head.scope && head.textContent))
      yield "table without headers";
  const ids = all("[id]").map(element => element.id);
  for (const id of ids)
    if (ids.indexOf(id) !== ids.lastIndexOf(id))
      yield "id twice: " + id;
  let last = 1;
  for (const title of all("h1, h2, h3, h4").map(element => +element.tagName[1])) {
    if (title > last + 1)
      yield `h${title} after h${last}`;
    last = title;
  }
  const looked = new Set(); // kinds of elements
  for (const element of all("body *"))
    if ([...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim())) {
      const kind = [element, element.parentElement, element.parentElement.parentElement].map(of => of.tagName + of.className + (of.getAttribute("style") ?? "")).join(">");
      if (looked.has(kind) || !visible(element))
        continue;
      looked.add(kind);
      const value = contrast(getComputedStyle(element).color, backOf(element));
      if (value < 4.5)
        yield `contrast ${value.toFixed(2)}: ${element.outerHTML.slice(0, 80)}`;
    }
  if (all("main").length !== 1 || all("h1").length !== 1 || !document.documentElement.lang || !document.title)
    yield "no main, title or language";
}

for (const tab of all("nav button")) {
  await show(tab.textContent);
  if (tab.textContent !== "Summary")
    main().querySelector("tbody tr[tabindex]")?.click();
  main().querySelector("canvas")?.dispatchEvent(new KeyboardEvent("keydown", { key: "n" }));
  await wait(50);
  for (const theme of [0, 1]) {
    for (const violation of new Set(violations()))
      log(`${document.documentElement.dataset.theme}, ${tab.textContent}: ${violation}`);
    all("header button").at(-1).click();
  }
  log("looked at " + tab.textContent);
}
