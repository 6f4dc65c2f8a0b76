// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frame: views as tabs (keys 1 to 9), which of two reports they show or both, light and dark.

const Views = [["Summary", summaryView], ["Timeline", timelineView], ["Memory", memoryView], ["Liveness", livenessView],
  ["Programs", programsView], ["Layers", layersView], ["Exchanges", exchangeView], ["Vertices", verticesView], ["Host", hostView]];
const viewNames = Views.map(([name]) => name.toLowerCase());

/// Shows a view, with values of the address; the browser's way back leads to what was there.
function goTo(view, values = {}) {
  address.write();
  for (const [key, value] of Object.entries(values))
    address.values.set(key, String(value));
  address.view = view;
  address.write(true);
  dispatchEvent(new Event("showagain"));
}

function startTheme() {
  let theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const apply = wanted => {
    document.documentElement.dataset.theme = wanted;
    dispatchEvent(new Event("themechange"));
  };
  apply(theme);
  // Paper is light.
  addEventListener("beforeprint", () => apply("light"));
  addEventListener("afterprint", () => apply(theme));
  return make("button", { onclick: () => apply(theme = theme === "dark" ? "light" : "dark") }, "light / dark");
}

/// The view of one report, or of both side by side.
function contentOf(index, models, side) {
  const [name, view] = Views[index];
  if (view === summaryView)
    return summaryView(models);
  if (side !== "both" || models.length < 2)
    return view(models[side === "after" ? 1 : 0], side === "after" ? null : models[1] ?? null);
  return [make("div", { class: "columns wide" }, ...models.map((model, i) =>
    make("section", { "aria-label": `${name}, ${Sides[i]}` }, make("h2", {}, Sides[i]), ...view(model, null))))];
}

async function start() {
  const root = document.getElementById("page"), content = make("div", { id: "content", role: "tabpanel" });
  const themeButton = startTheme();
  document.body.append(tip);
  address.read();
  const models = (await Promise.all([readReport("a"), readReport("b")])).filter(Boolean);
  const tabs = Views.map(([name], i) => make("button", { role: "tab", id: "tab-" + viewNames[i], "aria-controls": "content", onclick: () => goTo(viewNames[i]) }, name));
  const sides = models.length < 2 ? [] : [...Sides, "both"];
  const choices = sides.map(side => make("button", { onclick: () => goTo(address.view, { side }) }, side));
  const show = () => {
    const index = Math.max(0, viewNames.indexOf(address.view)), side = sides.includes(address.values.get("side")) ? address.values.get("side") : "before";
    address.view = viewNames[index];
    hideTip();
    tabs.forEach((tab, i) => tab.setAttribute("aria-selected", i === index));
    choices.forEach((button, i) => button.setAttribute("aria-pressed", sides[i] === side));
    content.setAttribute("aria-labelledby", tabs[index].id);
    content.replaceChildren(...contentOf(index, models, side));
  };
  const title = models[0].summary.model || "IPU report";
  document.title = title + " – IPU report";
  root.append(make("header", {}, make("h1", {}, title), make("nav", { "aria-label": "views" }, make("div", { role: "tablist", "aria-label": "views" }, ...tabs)),
    ...choices.length ? [make("div", { role: "group", "aria-label": "report" }, ...choices)] : [], themeButton), make("main", {}, content));
  addEventListener("keydown", event => {
    const index = +event.key - 1;
    if (index >= 0 && index < Views.length && !["INPUT", "SELECT"].includes(event.target.tagName) && !event.ctrlKey && !event.altKey && !event.metaKey)
      goTo(viewNames[index]);
  });
  addEventListener("showagain", show);
  // A link, the way back, or a new address by hand.
  for (const event of ["hashchange", "popstate"])
    addEventListener(event, () => {
      if (location.hash !== address.text()) {
        address.read();
        show();
      }
    });
  show();
  document.documentElement.dataset.ready = "yes";
}

start().catch(error => {
  document.getElementById("page").textContent = "This page cannot be shown: " + error.message;
  throw error;
});
