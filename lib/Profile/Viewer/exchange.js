// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traffic between groups of tiles, and a table of the exchanges.

function exchangeView(model) {
  const { matrix, exchanges } = model.report, view = [];
  if (matrix?.groups) {
    const { groups, tiles_per_group: size, bytes } = matrix, Left = 60;
    const most = bytes.reduce((all, value) => Math.max(all, value), 1);
    const name = group => size === 1 ? `tile ${group}` : `tiles ${group * size}–${Math.min(model.tiles, (group + 1) * size) - 1}`;
    const Cell = Math.max(3, Math.min(16, Math.floor(560 / groups)));
    const picture = canvas(groups * Cell + 20, context => {
      context.fillStyle = colour("dim");
      context.fillText("from", 4, 12);
      context.fillText("to →", 4, 26);
      for (let from = 0; from < groups; ++from)
        for (let to = 0; to < groups; ++to) {
          const value = bytes[from * groups + to];
          if (!value)
            continue;
          context.fillStyle = `rgb(${heat(Math.log1p(value) / Math.log1p(most))})`;
          context.fillRect(Left + to * Cell, from * Cell + 4, Cell - 0.5, Cell - 0.5);
        }
      context.strokeStyle = colour("line");
      context.strokeRect(Left, 4, groups * Cell, groups * Cell);
    }, "bytes between groups of tiles");
    picture.addEventListener("pointermove", event => {
      const to = Math.floor((event.offsetX - Left) / Cell), from = Math.floor((event.offsetY - 4) / Cell);
      if (to < 0 || from < 0 || to >= groups || from >= groups)
        return hideTip();
      showTip(event, `${name(from)} → ${name(to)}\n${bytesText(bytes[from * groups + to])}`);
    });
    picture.addEventListener("pointerleave", hideTip);
    view.push(make("h2", {}, `Bytes between tiles${model.domains.length ? ", of all executions" : ", each exchange once"} (logarithmic)`), figure(picture),
      make("p", { class: "dim" }, `together ${bytesText(bytes.reduce((all, value) => all + value, 0))}`));
  }
  const details = make("div", {});
  const pick = exchange => {
    const graph = figure(tileGraph(model, [{ name: "received", list: model.row(exchange.received_row), fill: colour("exchange") }], { show: bytesText, scale: byteTicks }));
    details.replaceChildren(make("h2", {}, exchange.name + ": bytes received by tile"), graph);
  };
  const list = table([
    { name: "bytes", value: exchange => exchange.bytes, show: grouped, sum: true },
    { name: "within tiles", value: exchange => exchange.local_bytes, show: grouped, sum: true },
    { name: "pieces", value: exchange => exchange.receives, show: grouped, sum: true },
    { name: "most on a tile", value: exchange => exchange.most_received, show: grouped },
    { name: "tile", value: exchange => exchange.most_tile },
    { name: "between IPUs", value: exchange => exchange.link_bytes, show: bytes => bytes ? grouped(bytes) : "" },
    { name: "exchange", text: true, value: exchange => exchange.name }], exchanges, { sort: 0, onpick: pick, name: "exchanges" });
  const find = wanted => {
    model.values.set("exchange", wanted);
    list.setRows(exchanges.filter(exchange => matches(exchange.name, wanted)));
  };
  find(model.values.get("exchange"));
  view.push(make("h2", {}, "Exchanges, one execution of each"), make("div", { class: "tools" },
    search("filter exchanges", find, { value: model.values.get("exchange") })), list, details);
  return view;
}
