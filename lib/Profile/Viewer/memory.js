// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory by tile and use: bars, a heat map of tiles by categories, and what a tile holds.

function memoryView(model) {
  const { memory, target } = model.report;
  const lists = memory.categories.map((category, i) => [Categories[category.category] ?? "other", model.row(category.row), hue(i)]);
  const gaps = model.row(memory.gaps_row), details = make("div", { id: "tile-details" });
  const pick = tile => details.replaceChildren(...tileDetails(model, tile, lists));
  const note = memory.message ? make("p", { class: "bad" }, memory.message) : null;
  const input = make("input", { type: "search", placeholder: "tile number", "aria-label": "tile number",
    onchange: event => { const tile = +event.target.value; if (tile >= 0 && tile < model.tiles) pick(tile); } });
  pick(model.summary.memory.fullest_tile);
  return [...note ? [note] : [], make("div", { class: "tools" }, input, make("span", { class: "dim" }, "click a tile; the line is a tile's memory")),
    legend(lists.map(([name, , fill]) => [name, fill])),
    tileGraph(gaps, lists, target.bytes_per_tile, bytesText, pick),
    make("h2", {}, "Heat map: tiles by category"), heatMap(model, lists, pick),
    make("h2", {}, "On the machine, with gaps"), floorPlan(model, gaps, pick), details];
}

function heatMap(model, lists, pick) {
  const Line = 20, Left = 130;
  const maxima = lists.map(([, list]) => list.reduce((most, value) => Math.max(most, value), 0));
  const picture = canvas(Line * lists.length + 4, (context, width) => {
    lists.forEach(([name, list], line) => {
      context.fillStyle = colour("text");
      context.fillText(name, 4, line * Line + 14);
      const span = width - Left;
      for (let pixel = 0; pixel < span; ++pixel) {
        const begin = Math.floor(pixel / span * list.length), end = Math.max(begin + 1, Math.floor((pixel + 1) / span * list.length));
        let most = 0;
        for (let tile = begin; tile < end && tile < list.length; ++tile)
          most = Math.max(most, list[tile]);
        if (most) {
          context.fillStyle = `rgb(${heat(most / maxima[line])})`;
          context.fillRect(Left + pixel, line * Line + 2, 1, Line - 3);
        }
      }
    });
  }, "bytes by tile and category");
  const at = event => ({ line: Math.min(lists.length - 1, Math.floor(event.offsetY / Line)),
    tile: Math.min(model.tiles - 1, Math.floor(Math.max(0, event.offsetX - Left) / (picture.clientWidth - Left) * model.tiles)) });
  picture.addEventListener("pointermove", event => {
    const { line, tile } = at(event);
    showTip(event, `tile ${tile}\n${lists[line][0]}: ${bytesText(lists[line][1][tile])}`);
  });
  picture.addEventListener("pointerleave", hideTip);
  picture.addEventListener("click", event => pick(at(event).tile));
  return picture;
}

/// Tiles as squares, by number.
function floorPlan(model, bytes, pick) {
  const columns = Math.ceil(Math.sqrt(model.tiles * 4)), rows = Math.ceil(model.tiles / columns), Cell = Math.max(4, Math.min(16, 900 / columns));
  const most = bytes.reduce((all, value) => Math.max(all, value), 1);
  const limit = model.report.target.bytes_per_tile || most;
  const picture = canvas(Math.ceil(rows * Cell) + 2, context => {
    for (let tile = 0; tile < model.tiles; ++tile) {
      context.fillStyle = bytes[tile] > limit ? colour("bad") : `rgb(${heat(bytes[tile] / limit)})`;
      context.fillRect(tile % columns * Cell, Math.floor(tile / columns) * Cell, Cell - 1, Cell - 1);
    }
  }, "memory of tiles");
  const at = event => Math.floor(event.offsetY / Cell) * columns + Math.floor(event.offsetX / Cell);
  const isTile = event => event.offsetX < columns * Cell && at(event) < model.tiles;
  picture.addEventListener("pointermove", event => isTile(event) ? showTip(event, `tile ${at(event)}\n${bytesText(bytes[at(event)])}`) : hideTip());
  picture.addEventListener("pointerleave", hideTip);
  picture.addEventListener("click", event => isTile(event) && pick(at(event)));
  return picture;
}

function tileDetails(model, tile, lists) {
  const sizes = [{ name: "name", text: true, value: row => row[0] }, { name: "bytes", value: row => row[1], show: grouped }];
  const uses = lists.map(([name, list]) => [name, list[tile]]).filter(([, bytes]) => bytes);
  return [make("h2", {}, `Tile ${tile}`), make("div", { class: "columns" }, table(sizes, uses, { sort: 1 }),
    table(sizes, model.liveVariables(undefined, tile), { sort: 1 }))];
}
