// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements, tables, canvases. User-supplied names are inserted as text, never as HTML.

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name.startsWith("on"))
      element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false)
      element.setAttribute(name, value);
  element.append(...children.filter(child => child !== null));
  return element;
}

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const grouped = number => whole.format(number);
const percent = (part, of) => of ? (100 * part / of).toFixed(part / of < 0.1 ? 1 : 0) + " %" : "";
function bytesText(number) {
  const units = ["bytes", "KiB", "MiB", "GiB"];
  let unit = 0;
  for (; Math.abs(number) >= 1024 && unit < 3; ++unit)
    number /= 1024;
  return (unit ? number.toFixed(1) : grouped(number)) + " " + units[unit];
}
const seconds = s => s >= 1 ? s.toFixed(3) + " s" : s >= 1e-3 ? (s * 1e3).toFixed(3) + " ms"
  : (s * 1e6).toFixed(3) + " µs";

const colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

/// Cold to hot, readable on both backgrounds.
function heat(share) {
  const x = Math.max(0, Math.min(1, share));
  return [Math.round(40 + 215 * x), Math.round(60 + 130 * Math.sin(Math.PI * x)), Math.round(150 * (1 - x) + 30)];
}

const tip = make("div", { id: "tip", role: "status" });
function showTip(event, text) {
  tip.textContent = text;
  tip.style.display = text ? "block" : "none";
  tip.style.left = Math.min(event.clientX + 14, innerWidth - 430) + "px";
  tip.style.top = event.clientY + 14 + "px";
}
const hideTip = () => { tip.style.display = "none"; };

/// columns: [{ name, text?, value(row), show?(value, row) }]
function table(columns, rows, { onpick, sort = -1, limit = 500 } = {}) {
  const body = make("tbody");
  let order = rows, by = sort, down = true;
  const fill = () => {
    body.replaceChildren(...order.slice(0, limit).map(row => make("tr", onpick
      ? { tabindex: 0, onclick: () => onpick(row), onkeydown: e => e.key === "Enter" && onpick(row) } : {},
      ...columns.map(column => {
        const value = column.value(row);
        return make("td", column.text ? { class: "text" } : {}, String(column.show ? column.show(value, row) : value));
      }))));
    if (order.length > limit)
      body.append(make("tr", {}, make("td", { class: "text dim", colspan: columns.length },
        `and ${grouped(order.length - limit)} more; search to narrow down`)));
  };
  const sortBy = index => {
    down = by === index ? !down : !columns[index].text;
    by = index;
    apply();
  };
  const apply = () => {
    if (by >= 0) {
      const { value } = columns[by];
      order = [...order].sort((a, b) => {
        const x = value(a), y = value(b);
        return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
      });
    }
    fill();
  };
  const element = make("div", { class: "scroll" }, make("table", {},
    make("thead", {}, make("tr", {}, ...columns.map((column, index) => make("th",
      { class: column.text ? "text" : "", scope: "col", tabindex: 0, onclick: () => sortBy(index),
        onkeydown: e => e.key === "Enter" && sortBy(index) }, column.name)))), body));
  element.setRows = list => { order = list; apply(); };
  apply();
  return element;
}

/// A canvas that is drawn when it is shown and when its size changes: draw(context, width, height).
function canvas(height, draw, label) {
  const element = make("canvas", { role: "img", "aria-label": label, tabindex: 0, style: `height:${height}px` });
  element.redraw = () => {
    const ratio = devicePixelRatio || 1, width = element.clientWidth;
    if (!width)
      return;
    element.width = width * ratio;
    element.height = height * ratio;
    const context = element.getContext("2d");
    context.scale(ratio, ratio);
    context.font = "11px system-ui, sans-serif";
    draw(context, width, height);
  };
  new ResizeObserver(element.redraw).observe(element);
  addEventListener("themechange", element.redraw);
  return element;
}

function legend(names) {
  return make("div", { class: "legend" }, ...names.map(([name, fill]) =>
    make("span", {}, make("i", { style: "background:" + fill }), name)));
}

const search = (label, oninput) => make("input", { type: "search", placeholder: label, "aria-label": label,
  oninput: event => oninput(event.target.value) });
