// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements, pictures and what is saved of them. User-supplied names are inserted as text, never as
// HTML.

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

/// A canvas that is drawn when it is shown and when its size changes: draw(context, width, height).
/// `height` is a number, or a function of the canvas that returns one.
function canvas(height, draw, label) {
  const heightOf = () => typeof height === "function" ? height(element) : height;
  const element = make("canvas", { role: "img", "aria-label": label, tabindex: 0 });
  element.redraw = () => {
    const ratio = devicePixelRatio || 1, width = element.clientWidth;
    if (!width)
      return;
    const tall = heightOf();
    element.style.height = tall + "px";
    element.width = width * ratio;
    element.height = tall * ratio;
    const context = element.getContext("2d");
    context.scale(ratio, ratio);
    context.font = "11px system-ui, sans-serif";
    draw(context, width, tall);
  };
  element.svg = () => {
    const width = element.clientWidth, tall = heightOf();
    const context = new SvgContext(width, tall, element.getContext("2d"));
    draw(context, width, tall);
    return context.text(colour("back"));
  };
  // A picture may set its own height, which must not be part of the observation.
  new ResizeObserver(() => requestAnimationFrame(element.redraw)).observe(element);
  pictures.add(element);
  return element;
}

// Pictures of this view and, until it is drawn again, of earlier ones.
const pictures = new Set();
for (const event of ["themechange", "resize"])
  addEventListener(event, () => {
    for (const picture of pictures)
      if (picture.isConnected)
        picture.redraw();
      else
        pictures.delete(picture);
  });

function save(name, type, data) {
  const url = URL.createObjectURL(new Blob([data], { type })), anchor = make("a", { href: url, download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

const fileName = (name, end) => name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") + "." + end;

/// A picture with buttons that save it.
function figure(picture) {
  const name = picture.getAttribute("aria-label");
  const button = (end, act) => make("button", { class: "small", "aria-label": `save ${name} as ${end.toUpperCase()}`, onclick: act }, end.toUpperCase());
  return make("div", { class: "figure" }, picture, make("div", { class: "exports" },
    button("png", () => picture.toBlob(blob => save(fileName(name, "png"), "image/png", blob))),
    button("svg", () => save(fileName(name, "svg"), "image/svg+xml", picture.svg()))));
}

function legend(names) {
  return make("div", { class: "legend" }, ...names.map(([name, fill]) =>
    make("span", {}, make("i", { style: "background:" + fill }), name)));
}

/// True if a text contains another one; case does not count.
const matches = (text, wanted) => text.toLowerCase().includes(wanted.toLowerCase());

/// A field that calls oninput(text) as it is typed into; `value` is what it has at first.
const search = (label, oninput, { value = "", onenter } = {}) => make("input", { type: "search", placeholder: label, "aria-label": label, value,
  oninput: event => oninput(event.target.value),
  onkeydown: event => event.key === "Enter" && onenter && onenter(event.target.value, event.shiftKey) });

const choice = (label, values, value, onchange) => make("label", {}, label + " ", make("select", { onchange: event => onchange(event.target.value) },
  ...values.map(([key, text]) => make("option", { value: key, selected: key === value && "selected" }, text))));

