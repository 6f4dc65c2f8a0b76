// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory by tile and use: bars, a heat map of tiles by categories below them, and what a tile holds.

const GapsText = "Gaps lie between blocks: a bank or an alignment that a block needs, or a place that was too small for " +
  "the blocks that came later. They count, because a tile is full when its last block ends behind its memory.";

function memoryView(model) {
  const { memory, target } = model.report, lists = model.memoryLists(), details = make("div", { class: "tile-details" });
  const gaps = { name: "Gaps", list: model.gaps(), fill: "hsl(220 8% 62%)" };
  const pick = tile => {
    model.values.set("tile", tile);
    details.replaceChildren(...tileDetails(model, tile, lists, gaps));
  };
  const asked = model.values.get("tile"), first = asked !== "" && +asked < model.tiles ? +asked : model.summary.memory.fullest_tile;
  const input = make("input", { type: "search", placeholder: "tile number", "aria-label": "tile number", value: asked,
    onchange: event => { const tile = Math.floor(+event.target.value); if (tile >= 0 && tile < model.tiles) pick(tile); } });
  details.append(...tileDetails(model, first, lists, gaps));
  const shown = [...lists, gaps];
  return [...fitNotes(model, memory), make("div", { class: "tools" }, input,
    make("span", { class: "dim" }, "click a tile; " + (target.bytes_per_tile ? `the line is a tile's memory, ${bytesText(target.bytes_per_tile)}` : "tiles of this device have no limit"))),
  legend(shown.map(({ name, list, fill }) => [`${name} ${bytesText(list.reduce((all, value) => all + value, 0))}`, fill])),
  figure(tileGraph(model, shown, { limit: target.bytes_per_tile, show: bytesText, scale: byteTicks, onpick: pick })),
  make("p", { class: "dim" }, GapsText),
  make("h2", {}, "Heat map: tiles by category"), figure(heatMap(model, shown, pick)),
  make("h2", {}, "On the machine, with gaps"), figure(floorPlan(model, model.row(memory.gaps_row), pick)), details];
}

/// One number says how much is too much: that of the advice. The compiler's words are below it.
function fitNotes(model, memory) {
  const advice = model.summary.advice.find(({ rule }) => rule === "out-of-memory");
  const notes = advice ? [make("p", { class: "bad" }, advice.text)] : [];
  if (!memory.message)
    return notes;
  return advice && model.summary.memory.full_tiles ? [...notes, make("details", {}, make("summary", {}, "The compiler's message, which counts what data need before they have places"),
    make("p", {}, memory.message))] : [...notes, make("p", { class: "bad" }, memory.message)];
}

function heatMap(model, lists, pick) {
  const Line = 20;
  const maxima = lists.map(({ list }) => list.reduce((most, value) => Math.max(most, value), 0));
  const picture = canvas(Line * lists.length + 22, (context, width, height) => {
    lists.forEach(({ name, list }, line) => {
      context.fillStyle = colour("text");
      context.fillText(fitting(name, TileLeft), 4, line * Line + 14);
      for (const { x, width: wide, tile } of tileColumns(model.tiles, Math.floor(width - TileLeft), of => list[of]))
        if (list[tile]) {
          context.fillStyle = `rgb(${heat(list[tile] / maxima[line])})`;
          context.fillRect(TileLeft + x, line * Line + 2, wide, Line - 3);
        }
    });
    tileScale(context, model, TileLeft, width, height - 18);
  }, "bytes by tile and category");
  picture.addEventListener("pointermove", event => {
    const tile = tileAt(event, picture, model.tiles), { name, list } = lists[Math.min(lists.length - 1, Math.floor(event.offsetY / Line))];
    showTip(event, `tile ${tile}\n${name}: ${bytesText(list[tile])}`);
  });
  picture.addEventListener("pointerleave", hideTip);
  picture.addEventListener("click", event => pick(tileAt(event, picture, model.tiles)));
  return picture;
}

/// Tiles as squares, by number; each IPU begins a line.
function floorPlan(model, bytes, pick) {
  const { ipus, tiles_per_ipu: each, bytes_per_tile } = model.report.target, Top = 18;
  const columns = Math.ceil(Math.sqrt(each * 4)), rows = Math.ceil(each / columns), Cell = Math.max(4, Math.min(16, 900 / columns));
  const limit = bytes_per_tile || bytes.reduce((all, value) => Math.max(all, value), 1), block = Top + rows * Cell + 4;
  const picture = canvas(Math.ceil(ipus * block), context => {
    for (let ipu = 0; ipu < ipus; ++ipu) {
      context.fillStyle = colour("dim");
      context.fillText(`IPU ${ipu}: tiles ${ipu * each} to ${(ipu + 1) * each - 1}, ${columns} in a line`, 4, ipu * block + 12);
      for (let i = 0; i < each; ++i) {
        const value = bytes[ipu * each + i];
        context.fillStyle = value > limit ? colour("bad") : `rgb(${heat(value / limit)})`;
        context.fillRect(4 + i % columns * Cell, ipu * block + Top + Math.floor(i / columns) * Cell, Cell - 1, Cell - 1);
      }
    }
  }, "memory of tiles");
  const at = event => {
    const ipu = Math.floor(event.offsetY / block), column = Math.floor((event.offsetX - 4) / Cell), row = Math.floor((event.offsetY - ipu * block - Top) / Cell);
    const i = row * columns + column;
    return column >= 0 && column < columns && row >= 0 && i < each && ipu < ipus ? ipu * each + i : -1;
  };
  picture.addEventListener("pointermove", event => at(event) >= 0 ? showTip(event, `tile ${at(event)}\n${bytesText(bytes[at(event)])} of ${bytesText(limit)}`) : hideTip());
  picture.addEventListener("pointerleave", hideTip);
  picture.addEventListener("click", event => at(event) >= 0 && pick(at(event)));
  return picture;
}

/// The bytes of a tile by use, and its variables when most of them are live.
function tileDetails(model, tile, lists, gaps) {
  const bytes = { name: "bytes", value: row => row.bytes, show: grouped, sum: true };
  const uses = [...lists, gaps].map(({ name, list }) => ({ name, bytes: list[tile] })).filter(use => use.bytes);
  const live = model.liveBytes(tile), moment = live.reduce((best, value, i) => value > live[best] ? i : best, 0);
  const variables = model.liveVariables({ tile, moment: live.length ? moment : undefined });
  return [make("h2", {}, `Tile ${tile}`), make("div", { class: "columns" },
    make("div", {}, make("h3", {}, "By use"), table([{ name: "use", text: true, value: row => row.name }, bytes], uses, { sort: 1, name: `tile ${tile} by use` })),
    make("div", {}, make("h3", {}, live.length ? `Variables live at step ${moment}, when it has most` : "Variables"), table([
      { name: "variable", text: true, value: row => row.name }, bytes,
      { name: "live", text: true, value: row => row.always ? "always" : "for a time" }], variables, { sort: 1, name: `variables on tile ${tile}` })))];
}
