// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frame: views as tabs (keys 1 to 9), the report to look at, light and dark.

const Views = [["Summary", summaryView], ["Timeline", timelineView], ["Memory", memoryView], ["Liveness", livenessView],
  ["Programs", programsView], ["Layers", layersView], ["Exchanges", exchangeView], ["Vertices", verticesView], ["Host", hostView]];

async function start() {
  const root = document.getElementById("page"), content = make("main", {});
  let theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const applyTheme = () => {
    document.documentElement.dataset.theme = theme;
    dispatchEvent(new Event("themechange"));
  };
  applyTheme();
  // Paper is light.
  addEventListener("beforeprint", () => {
    document.documentElement.dataset.theme = "light";
    dispatchEvent(new Event("themechange"));
  });
  addEventListener("afterprint", applyTheme);
  document.body.append(tip);
  const models = (await Promise.all([readReport("a"), readReport("b")])).filter(Boolean);
  let current = 0, view = 0;
  const tabs = Views.map(([name], i) => make("button", { role: "tab", onclick: () => show(i) }, name));
  const choices = models.length < 2 ? [] : ["source", "target"].map((name, i) =>
    make("button", { onclick: () => { current = i; show(view); } }, name));
  const show = index => {
    view = index;
    hideTip();
    tabs.forEach((tab, i) => tab.setAttribute("aria-selected", i === index));
    choices.forEach((choice, i) => choice.setAttribute("aria-pressed", i === current));
    const other = models.length > 1 ? models[1] : null;
    content.replaceChildren(...Views[index][1](models[index === 0 ? 0 : current], current === 0 || index === 0 ? other : null));
    history.replaceState(null, "", "#" + Views[index][0].toLowerCase());
  };
  const title = models[0].summary.model || "IPU report";
  document.title = title + " – IPU report";
  root.append(make("header", {}, make("h1", {}, title), make("nav", { role: "tablist" }, ...tabs), ...choices,
    make("button", { onclick: () => { theme = theme === "dark" ? "light" : "dark"; applyTheme(); } }, "light / dark")), content);
  addEventListener("keydown", event => {
    const index = +event.key - 1;
    if (index >= 0 && index < Views.length && event.target.tagName !== "INPUT" && !event.ctrlKey && !event.altKey)
      show(index);
  });
  const wanted = Views.findIndex(([name]) => "#" + name.toLowerCase() === location.hash);
  show(Math.max(0, wanted));
  document.documentElement.dataset.ready = "yes";
}

start().catch(error => {
  document.getElementById("page").textContent = "This page cannot be shown: " + error.message;
  throw error;
});
