// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers of the scripts that drive pages.

const errors = [], lines = [];
addEventListener("error", event => errors.push(event.message));
addEventListener("unhandledrejection", event => errors.push(String(event.reason)));
const wait = ms => new Promise(resolve => setTimeout(resolve, ms));
const main = () => document.querySelector("main");
const all = selector => [...document.querySelectorAll(selector)];
const log = line => lines.push(line);

/// Shows a view.
async function show(name) {
  all("nav button").find(button => button.textContent === name).click();
  await wait(50);
}

async function press(name) {
  all("button").find(button => button.textContent === name).click();
  await wait(50);
}

async function type(label, text) {
  const input = all("main input").find(of => of.getAttribute("aria-label") === label);
  input.value = text;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  await wait(50);
  return input;
}

/// An event of the mouse at a place of a picture, by shares of its width and height.
function point(picture, kind, x, y) {
  const box = picture.getBoundingClientRect(), Kind = kind.startsWith("pointer") ? PointerEvent : kind === "wheel" ? WheelEvent : MouseEvent;
  picture.dispatchEvent(new Kind(kind, { clientX: box.left + x * box.width, clientY: box.top + y * box.height, bubbles: true, cancelable: true, pointerId: 1, deltaY: -100 }));
}

/// The numbers of a column of a table, as shown; the last of them may be the sum.
const column = (table, name) => {
  const index = [...table.querySelectorAll("th")].findIndex(head => head.textContent === name);
  const numberOf = row => Number(row.children[index].textContent.replaceAll(",", ""));
  return { rows: [...table.querySelectorAll("tbody tr")].map(numberOf), sum: [...table.querySelectorAll("tfoot tr")].map(numberOf)[0] };
};
const added = numbers => numbers.reduce((sum, number) => sum + number, 0);
const numberIn = text => Number(text.match(/[\d,]+/)[0].replaceAll(",", ""));

function finish() {
  document.body.replaceChildren(document.createTextNode(
    "RES" + "ULT " + lines.join("\n") + "\nerrors: " + JSON.stringify(errors) + " END"));
}

while (!document.documentElement.dataset.ready)
  await wait(10);
await wait(50);
